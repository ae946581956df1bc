#pragma once
// Finds ports behind which a device invents nodes, and remembers for how long to leave them out.

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

/// Returns the port behind which a survey grows without end. `found_behind`, by node: the port of
/// an earlier node behind which it was found, kNoIndex for the first ones; `owning_node`: of such a
/// port; `weight`, by node: what made the survey too large. Descends the tree of discovery as long
/// as more than half of all weight is behind one port, to the first node that was not there before
/// (`is_known`; empty: nothing is known). Returns nullopt if that node is behind no port, or behind
/// one of the node `own`. Pure.
std::optional<PortIndex> heaviest_branch(std::span<const PortIndex> found_behind,
                                         std::span<const std::uint64_t> weight,
                                         const std::function<NodeIndex(PortIndex)>& owning_node,
                                         const std::function<bool(NodeIndex)>& is_known,
                                         NodeIndex own);

/// Holds the ports left out now. One is read again after its link was down, or after kForgotten.
class SuspectPorts {
 public:
  static constexpr mad::Duration kForgotten = std::chrono::hours(1);

  void remember(std::span<const SuspectPort> ports, mad::TimePoint now);
  void forget_all() { until_.clear(); }
  /// Forgets ports whose link is not up in a survey, and ports of nodes that disappeared.
  void update_from(const Fabric& fabric);
  std::vector<SuspectPort> current(mad::TimePoint now);

 private:
  std::map<SuspectPort, mad::TimePoint> until_;
};

}  // namespace sm
