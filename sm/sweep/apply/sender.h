#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "mad/smp_client.h"
#include "sm/sweep/apply/apply.h"
#include "sm/sweep/apply/identities.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Sends the requests of one stage. A request to a node that does not respond is tried again at the
/// end; a write that fails is lost (Stage::lose) and reported.
class Sender final : public mad::SmpBatch {
 public:
  /// Owns none of the references. `method` is get for a stage that reads.
  Sender(mad::SmpClient& client, const ApplyOptions& options, const Fabric& fabric,
         mad::Method method, Stage& stage, ApplyReport& report);

  bool next(mad::SmpRequest& request) override;
  bool may_send(const mad::SmpRequest& request) override;
  void done(const mad::SmpRequest& request, const mad::SmpReply& reply) override;
  void misplaced(const mad::SmpRequest& request, std::uint32_t modifier) override;

 private:
  /// Identifies a request for a write, as the client's cookie.
  struct Attempt {
    std::uint32_t number = 0;    // of the write
    std::uint8_t round = 0;      // attempts before, each until the client gave up
    bool reads_back = false;     // a Get: what the node holds decides
    bool reads_first = false;    // a Get: whether the write is still what is wanted
    bool asks_identity = false;  // Get(NodeInfo): which node is there; the rest follows then

    static Attempt of(const mad::SmpRequest& request);
    std::uint64_t cookie() const;
  };

  std::optional<Attempt> take_next();
  /// Returns false if nothing is to be sent for the write now.
  bool prepare(Attempt attempt, mad::SmpRequest& request);
  void confirm(Attempt attempt, const mad::SmpRequest& request, const mad::SmpReply& reply);
  void identify(Attempt attempt, const mad::NodeInfo& found);
  void identity_unanswered(Attempt attempt, const mad::SmpRequest& request,
                           const mad::SmpReply& reply);
  void refused_or_silent(Attempt attempt, const mad::SmpRequest& request,
                         const mad::SmpReply& reply);
  void try_again(Attempt attempt, bool was_sent);
  Identities::Check check_identity(const Write& write) const;
  PortIndex take_asked(std::uint32_t number);
  void give_up(const Write& write, std::size_t number, PortIndex expected);
  bool takes_no_sets(const Write& write) const;
  void fail(std::size_t number, mad::Guid node, std::string_view why, bool unanswered);

  mad::SmpClient& client_;
  const ApplyOptions& options_;
  const Fabric& fabric_;
  const mad::Method method_;
  Stage& stage_;
  ApplyReport& report_;
  Identities identities_;
  const std::size_t size_;
  std::size_t next_ = 0, done_ = 0;
  std::deque<Attempt> again_, confirmed_;
  std::map<PortIndex, std::deque<Attempt>> waiting_;  // by the port that is to answer first
  std::vector<PortIndex> answered_;                // those that have a moment ago, the latest last
  std::map<std::uint32_t, PortIndex> asked_;       // by the number of the write that asked
  std::map<mad::Guid, unsigned> unanswered_;       // attempts since a node answered to a Set
  std::map<std::size_t, std::uint16_t> rejected_;  // statuses of writes that are read back
};

}  // namespace sm
