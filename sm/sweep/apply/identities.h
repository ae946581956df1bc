#pragma once
// Checks that Sets still reach the nodes that they are for.

#include <map>
#include <optional>

#include "mad/attributes/node_info.h"
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

}  // namespace sm
