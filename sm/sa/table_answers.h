#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mad/rmpp.h"
#include "mad/smp.h"
#include "mad/transport.h"
#include "sm/context/sweep_context.h"
#include "sm/sa/paths/path_index.h"
#include "sm/sa/port_share.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/request_queue.h"
#include "sm/sa/request_validation.h"
#include "sm/sa/transfers.h"

namespace sa {

mad::ConstSaView sa_view(const mad::ReceivedMad& received);

/// The response of one MAD to `received`, with the request's record if `record` is empty: refusals
/// repeat it (IBTA Vol 1, 15.4.2). To be sent to answer_to().
mad::MadBytes single_response(const mad::ReceivedMad& received, std::uint16_t status,
                              std::span<const std::uint8_t> record = {});

/// Holds the inputs of an answer, which do not change while newer subnets are published.
struct Snapshot {
  std::shared_ptr<const fabric::Subnet> subnet;
  std::shared_ptr<const PathIndex> paths;
  sm::SharedContext context;
  mad::SmInfo own_sm;
};

/// Produces answers that take longer than other requests should wait, in slices of kStepsPerSlice,
/// requesters in turns. Each port has its share of the places; if ports with more have all of them,
/// their oldest answers end for a port without any (find_displaced()).
///
/// An answer of up to kWholeBytesMax is produced and then sent. A longer one is counted first,
/// since the first segment has the length of the message. It is then produced again as its
/// requester acknowledges it, and never takes more memory than the window. Registrations may change
/// between slices, so their tables are always sent as a whole; limits.h bounds them.
class TableAnswers {
 public:
  static constexpr std::size_t kWholeBytesMax = std::size_t{1} << 20;
  /// Limits the tables, including those that are sent while they are produced.
  static constexpr ShareLimits kTables{.total = 128,
                                       .per_port = Transfers::kPlaces.per_port,
                                       .per_vport = Transfers::kPlaces.per_vport,
                                       .free_share = 8,
                                       .reserved = 64};
  /// Limits Gets of one record that scan for longer than a slice. Such a Get needs no transfer,
  /// always advances, and never waits for requesters. Without room it waits in the request queue.
  static constexpr ShareLimits kGets{.total = 128, .per_port = 8, .free_share = 8, .reserved = 64};
  /// Limits the bytes of all answers that are produced as a whole. Beyond it, the latest answer of
  /// the port that has the most bytes ends.
  static constexpr std::size_t kBytesMax = std::size_t{256} << 20;
  /// Bounds the older subnets that running answers use. Answers from still older ones end early, so
  /// that requesters which acknowledge slowly do not keep them in memory.
  static constexpr std::size_t kOldSubnetsMax = 4;

  /// Ends requests without a table. None of these calls answers anything later.
  class Owner {
   public:
    virtual void refuse(const mad::ReceivedMad& request, std::uint16_t status) = 0;
    /// Drops a request. With Drop::no_room the client repeats it, and there may be room then.
    virtual void drop(const mad::ReceivedMad& request, Drop reason) = 0;
    /// Sends the answer to a Get.
    virtual void send_record(const Waiting& request, const ResponseBuffer& response) = 0;
    /// Called when the first segment of the table is sent. `came` is the arrival of the request.
    virtual void answered(const mad::ReceivedMad& request, mad::TimePoint came) = 0;

   protected:
    ~Owner() = default;
  };
  /// Owns none of the references.
  TableAnswers(Transfers& transfers, const Registrations& registrations, Owner& owner)
      : transfers_(transfers), registrations_(registrations), owner_(owner) {}

  /// True if a table for this request may begin. False if its requester has its share.
  bool has_room(const Waiting& request) const;
  /// True if a Get of the requester may take more than a slice.
  bool has_room_for_get(const Client& requester) const;
  /// True if the answer to this request has begun, and is not being sent yet.
  bool is_running(const mad::MadAddress& from, std::uint64_t transaction_id) const;
  /// Continues the answer to `request`, whose first slice is in `response`. Precondition:
  /// has_room(), or has_room_for_get() for a Get. May end the table of another port.
  void add(const Waiting& request, const Query& query, const RecordType& type, Snapshot snapshot,
           AnswerPosition position, ResponseBuffer response);
  /// Sends a complete table, unless there is no room for it.
  void send(const Waiting& request, ResponseBuffer& response);

  /// Produces the next slice. Returns false if all answers wait for their requesters.
  bool work();
  bool has_work() const;
  /// Notes the subnet from which requests are answered from now on.
  void update_from(const std::shared_ptr<const fabric::Subnet>& latest);
  void clear();

  std::size_t size() const { return size_; }
  /// Returns the bytes of all answers that are produced as a whole.
  std::size_t bytes() const;
  std::uint64_t slices() const { return slices_; }
  /// Counts the answers that ended early: to bound memory, or for a port that had none.
  std::uint64_t ended_early() const { return ended_early_; }

 private:
  enum class Stage : std::uint8_t { whole, counting, streaming };
  struct Production {
    Waiting request;
    Snapshot snapshot;
    std::uint64_t snapshot_number = 0;  // lower for older ones
    Query query;                        // its record is that of `request`
    const RecordType* type = nullptr;
    AnswerPosition position;
    ResponseBuffer response;
    Stage stage = Stage::whole;
    bool is_over = false;  // it has ended, and its turn removes it
    bool is_get() const { return query.method == mad::Method::get; }
    Transfers::StreamId stream = 0;
  };
  using Turn = std::deque<std::unique_ptr<Production>>;  // of one physical port

  bool has_work(const Production& production) const;
  /// Returns true if the production has ended.
  bool step(Production& production);
  bool end_of_count(Production& production);
  const Production* find_displaced_by(const Waiting& request) const;
  bool fits(Production& current);
  Production& find_largest(Production& current) const;
  void end(Production& production);
  template <class Which>
  void drop(const Which& which);
  std::size_t& count_of(const Production& production) {
    return production.is_get() ? gets_ : size_;
  }

  Transfers& transfers_;
  const Registrations& registrations_;
  Owner& owner_;
  std::map<mad::Guid, Turn> of_port_;
  mad::Guid latest_turn_{};          // the port of the latest turn
  std::size_t size_ = 0, gets_ = 0;  // tables, and Gets
  std::uint64_t slices_ = 0, ended_early_ = 0;
  std::weak_ptr<const fabric::Subnet> latest_;
  std::uint64_t snapshots_ = 0;
};

}  // namespace sa
