#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "mad/smp.h"
#include "sm/context/sweep_context.h"
#include "sm/sa/paths/path_index.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/request_queue.h"
#include "sm/sa/request_validation.h"
#include "sm/sa/transfers.h"

namespace sa {

/// Holds what an answer is made of; it stays the same while others are published.
struct Snapshot {
  std::shared_ptr<const fabric::Subnet> subnet;
  std::shared_ptr<const PathIndex> paths;
  sm::SharedContext context;
  mad::SmInfo own_sm;
};

/// Answers that take longer than other requests should wait: produced in slices of kStepsPerSlice,
/// requesters in turns.
///
/// One of up to kWholeBytesMax is produced and then sent. A longer one is counted first, since the
/// first segment says how long the message is, and then produced again as its requester
/// acknowledges it: it never takes more memory than the window. What clients have registered may
/// change between slices, so that its tables are always sent as a whole; limits.h bounds them.
class TableAnswers {
 public:
  static constexpr std::size_t kWholeBytesMax = std::size_t{1} << 20;
  static constexpr std::size_t kMax = 128;  // tables
  /// A Get of one record that scans for longer than a slice. It needs no transfer, always advances,
  /// and so never waits for requesters; one that finds no room waits in the queue of requests.
  static constexpr std::size_t kGetsMax = 128, kGetsPerPortMax = 8;
  /// Limits the bytes of all answers that are produced as a whole.
  static constexpr std::size_t kBytesMax = std::size_t{256} << 20;
  /// Answers may be made of so many subnets besides the latest one: those that are made of older
  /// ones end, so that requesters which acknowledge slowly do not keep them in memory.
  static constexpr std::size_t kOldSubnetsMax = 4;

  /// Ends requests in another way than with a table. None answers anything later.
  class Owner {
   public:
    virtual void refuse(const mad::ReceivedMad& request, std::uint16_t status) = 0;
    /// Drop::no_room: the client repeats its request, and there may be room then.
    virtual void drop(const mad::ReceivedMad& request, Drop reason) = 0;
    /// Sends the answer to a Get.
    virtual void send_record(const Waiting& request, const ResponseBuffer& response) = 0;
    /// The table begins to be sent. `came`: the request.
    virtual void answered(const mad::ReceivedMad& request, mad::TimePoint came) = 0;

   protected:
    ~Owner() = default;
  };
  /// None of the references is owned.
  TableAnswers(Transfers& transfers, const Registrations& registrations, Owner& owner)
      : transfers_(transfers), registrations_(registrations), owner_(owner) {}

  /// A table for the requester may begin.
  bool has_room(const Client& requester) const;
  /// A Get of the requester may take more than a slice.
  bool has_room_for_get(const Client& requester) const;
  /// The answer to this request has begun, and is not being sent yet.
  bool is_running(const mad::MadAddress& from, std::uint64_t transaction_id) const;
  /// Goes on with the answer to `request`, whose first slice is in `response`. Precondition:
  /// has_room(), or has_room_for_get() for a Get.
  void add(const Waiting& request, const Query& query, const RecordType& type, Snapshot snapshot,
           AnswerPosition position, ResponseBuffer response);
  /// Sends a complete table, unless there is no room for it.
  void send(const Waiting& request, ResponseBuffer& response);

  /// The next slice. False: all answers wait for their requesters.
  bool work();
  bool has_work() const;
  /// From now on requests are answered from this subnet.
  void update_from(const std::shared_ptr<const fabric::Subnet>& latest);
  void clear();

  std::size_t size() const { return size_; }
  /// Bytes of all answers that are produced as a whole.
  std::size_t bytes() const;
  std::uint64_t slices() const { return slices_; }
  /// Number of streams that ended early to bound memory.
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
    bool is_get() const { return query.method == mad::Method::get; }
    Transfers::StreamId stream = 0;
  };
  using Turn = std::deque<std::unique_ptr<Production>>;  // of one physical port

  bool has_work(const Production& production) const;
  /// True: it has ended.
  bool step(Production& production);
  bool end_of_count(Production& production);
  template <class Which>
  void drop(const Which& which);
  std::size_t& count_of(const Production& production) {
    return production.is_get() ? gets_ : size_;
  }

  Transfers& transfers_;
  const Registrations& registrations_;
  Owner& owner_;
  std::map<mad::Guid, Turn> of_port_;
  mad::Guid latest_turn_{};          // the port that had it
  std::size_t size_ = 0, gets_ = 0;  // tables, and Gets
  std::uint64_t slices_ = 0, ended_early_ = 0;
  std::weak_ptr<const fabric::Subnet> latest_;
  std::uint64_t snapshots_ = 0;
};

}  // namespace sa
