#pragma once
// Whether Sets still reach the nodes that they are for.

#include <map>
#include <optional>

#include "mad/attributes/node_info.h"
#include "sm/sweep/apply/changing_switches.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// A directed route names ports. Where a switch on it has reported a change, another node may be at
/// the other end of its port by now: the node behind the last such port of the route says who it
/// is right before a Set, so that the route has led there. So does the node at the far end of a
/// cable before the state of a switch port is set: a survey sees by the state that the link went
/// down, which a Set would hide.
///
/// An answer is good for all Sets on the same route: a leaf switch that reports a change while the
/// fabric comes up costs a Get for each of its ports that is in use, not one for each node beyond.
class Identities {
 public:
  /// No link comes up at another place in less time.
  static constexpr mad::Duration kHold = std::chrono::milliseconds(4);

  /// None of the references is owned. Traps may add to `changing` while this lives; null: no switch
  /// has changed.
  Identities(const Fabric& fabric, const ChangingSwitches* changing)
      : fabric_(fabric), changing_(changing) {}

  /// False: all Sets may be sent.
  bool are_needed() const { return changing_ != nullptr && !changing_->empty(); }
  enum class Standing : std::uint8_t {
    known,      // the Set may be sent
    open,       // `port` is to be asked first
    asked,      // answered() has not been called yet for `port`
    elsewhere,  // another node has answered than that of `port`: the Set must not be sent
  };
  /// The Get(NodeInfo) that a Set depends on.
  struct Check {
    Standing standing = Standing::known;
    PortIndex port = kNoIndex;  // must respond; port 0 of a switch: by any of its ports
    mad::DirectedRoute route;   // to it
  };
  Check check(const Write& write, mad::TimePoint now) const;
  /// Get(NodeInfo) for a check that is open.
  mad::SmpRequest ask(const Check& check);
  void answered(PortIndex port, const mad::NodeInfo& found, mad::TimePoint now);
  void unanswered(PortIndex port);
  /// The Set may change the state of a link between this switch port and another port.
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
  /// All ports of a switch are reached by one route.
  PortIndex end_of_route(PortIndex port) const {
    const Node& node = fabric_.owning_node(port);
    return node.is_switch() ? node.first_port : port;
  }

  const Fabric& fabric_;
  const ChangingSwitches* changing_;
  std::map<PortIndex, Known> known_;  // by Check::port
};

}  // namespace sm
