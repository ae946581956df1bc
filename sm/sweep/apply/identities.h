#pragma once
// Whether Sets still reach the nodes that they are for.

#include <map>
#include <optional>

#include "mad/attributes/node_info.h"
#include "sm/sweep/apply/changing_switches.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// A directed route names ports. Where a switch on it has reported a change, another node may be at
/// its end by now: it says who it is right before a Set. So does the node at the far end of a
/// cable before the state of a switch port is set: a survey sees by the state that the link went
/// down, which a Set would hide.
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
    open,       // to be asked first: ask()
    asked,      // answered() has not been called yet
    elsewhere,  // another node has answered: the Set must not be sent
  };
  Standing standing(const Write& write, mad::TimePoint now) const;
  /// Get(NodeInfo) of who must be there; nullopt: there is no route.
  std::optional<mad::SmpRequest> ask(const Write& write);
  /// False: it is another node. nullopt: there was no answer.
  bool answered(const Write& write, const std::optional<mad::NodeInfo>& found, mad::TimePoint now);
  /// Returns the port that must respond: the written one, or the one at the other end of a switch
  /// port's cable.
  PortIndex expected(const Write& write) const {
    return changes_cable(write) ? fabric_.ports[write.port].peer : end_of_route(write.port);
  }
  /// The Set may change the state of a link between this switch port and another port.
  bool changes_cable(const Write& write) const;

 private:
  struct Known {
    std::optional<mad::TimePoint> since = {};
    bool is_asked = false, is_elsewhere = false;
  };
  bool is_unconfirmed(const Write& write) const;
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
  std::map<PortIndex, Known> known_;  // by expected()
};

}  // namespace sm
