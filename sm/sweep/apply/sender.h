#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "mad/attributes/node_info.h"
#include "mad/smp_client.h"
#include "sm/sweep/apply/apply.h"
#include "sm/sweep/apply/changing_switches.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// A directed route names ports. If a switch on it has reported a change, another node may now be
/// at the other end of its port. So a Get(NodeInfo) right before a Set checks the node behind the
/// last such port of the route. Before a Set of a switch port's state, it also checks the node at
/// the far end of the cable: a survey sees by the state that the link went down, which a Set would
/// hide.
///
/// An answer is good for all Sets on the same route. A leaf switch that reports a change while the
/// fabric comes up costs a Get for each port in use, not one for each node beyond.
class Identities {
 public:
  /// A link does not come up at another place in less time.
  static constexpr mad::Duration kHold = std::chrono::milliseconds(4);

  /// Owns none of the references. Traps may add to `changing` while this lives; null means that no
  /// switch has changed.
  Identities(const Fabric& fabric, const ChangingSwitches* changing)
      : fabric_(fabric), changing_(changing) {}

  /// False if all Sets may be sent without a check.
  bool are_needed() const { return changing_ != nullptr && !changing_->empty(); }
  enum class Standing : std::uint8_t {
    known,      // the Set may be sent
    open,       // `port` is to be asked first
    asked,      // answered() has not been called yet for `port`
    elsewhere,  // another node has answered than that of `port`: the Set must not be sent
  };
  /// Describes the Get(NodeInfo) that a Set depends on.
  struct Check {
    Standing standing = Standing::known;
    PortIndex port = kNoIndex;  // must respond; port 0 of a switch: by any of its ports
    mad::DirectedRoute route;   // to it
  };
  Check check(const Write& write, mad::TimePoint now) const;
  /// Returns the Get(NodeInfo) for a check that is open.
  mad::SmpRequest ask(const Check& check);
  void answered(PortIndex port, const mad::NodeInfo& found, mad::TimePoint now);
  void unanswered(PortIndex port);
  /// True if the Set may change the state of a link between this switch port and another port.
  bool changes_cable(const Write& write) const;

 private:
  struct Known {
    std::optional<mad::TimePoint> since = {};
    bool is_asked = false, is_elsewhere = false;
    mad::DirectedRoute route = {};  // by which it was asked
  };
  Check standing(PortIndex port, const mad::DirectedRoute& route, mad::TimePoint now) const;
  bool is_changing(NodeIndex node) const {
    return changing_->contains(fabric_.ports[fabric_.nodes[node].first_port].info.lid());
  }
  /// Returns the port that ends the route: one route reaches all ports of a switch.
  PortIndex end_of_route(PortIndex port) const {
    const Node& node = fabric_.owning_node(port);
    return node.is_switch() ? node.first_port : port;
  }

  const Fabric& fabric_;
  const ChangingSwitches* changing_;
  std::map<PortIndex, Known> known_;  // by Check::port
};

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
