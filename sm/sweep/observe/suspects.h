#pragma once
// Ports behind which a device invents nodes: how discovery finds them, and for how long they are
// left out.

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "mad/runtime.h"

namespace sm {

struct SuspectPort {
  mad::Guid node;  // NodeGUID
  mad::PortNum port;
  auto operator<=>(const SuspectPort&) const = default;
};

/// The port behind which a survey grows without end. `found_behind`, by node: the port of an
/// earlier node behind which it was found, kNoIndex for the first ones; `owning_node`: of such a
/// port; `weight`, by node: what made the survey too large. Goes down the tree of discovery as long
/// as more than half of all weight is behind one port, to the first node that was not there before
/// (`is_known`; empty: nothing is known). Nothing if that is behind no port, or behind one of the
/// node `own`. Pure.
std::optional<PortIndex> heaviest_branch(std::span<const PortIndex> found_behind,
                                         std::span<const std::uint64_t> weight,
                                         const std::function<NodeIndex(PortIndex)>& owning_node,
                                         const std::function<bool(NodeIndex)>& is_known,
                                         NodeIndex own);

/// Which ports are left out now. One is read again when its link was down, or after kForgotten.
class SuspectPorts {
 public:
  static constexpr mad::Duration kForgotten = std::chrono::hours(1);

  void remember(std::span<const SuspectPort> ports, mad::TimePoint now);
  void forget_all() { until_.clear(); }
  /// Forgets those whose link is not up in a survey, and those of nodes that are not there.
  void update_from(const Fabric& fabric);
  std::vector<SuspectPort> current(mad::TimePoint now);

 private:
  std::map<SuspectPort, mad::TimePoint> until_;
};

}  // namespace sm
