#pragma once
// Tracks links that the manager takes down so that they train again with other settings
// (restart_links_for_settings).

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "mad/runtime.h"

namespace sm {

/// Returns the links to take down now, each by its end nearer to the manager, farthest first:
/// groups of equal distance, one to be finished before the next. `pending`: links to restart, by
/// either end. Pure.
/// Rule: a link between switches is returned only if its switches stay connected without all links
///   that are; of a host with several links, one at a time. Links without redundancy follow when no
///   other links are left, the manager's own link last.
std::vector<std::vector<PortIndex>> links_to_restart(const Fabric& fabric,
                                                     std::span<const PortIndex> pending);

/// Holds links that were taken down, until they are up again. A value: a plan is made on a copy.
class LinkRestarts {
 public:
  /// A link that does not train within this time is lost; the manager stops waiting for it.
  static constexpr mad::Duration kWait = std::chrono::seconds(60);

  /// Begins a sweep: forgets links that are up again, and links whose time is over.
  void begin(const Fabric& fabric, mad::TimePoint now);
  void note(const Fabric& fabric, PortIndex port);
  /// True if the link was taken down, and is not up again.
  bool is_down(const Fabric& fabric, PortIndex port) const {
    return down_.contains({fabric.owning_node(port).guid, fabric.ports[port].number});
  }
  /// True if no link is down because of this manager: the next ones may follow.
  bool is_converged() const { return down_.empty(); }

 private:
  std::map<std::pair<mad::Guid, mad::PortNum>, mad::TimePoint>
      down_;  // until when the manager waits for it
  mad::TimePoint now_;
};

}  // namespace sm
