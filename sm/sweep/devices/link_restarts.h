#pragma once
// Links that are taken down so that they train again with other settings
// (restart_links_for_settings).

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "mad/runtime.h"

namespace sm {

/// Links that are to be taken down now, each by its end nearer to the manager, farthest first:
/// groups of equal distance, one to be finished before the next. `pending`: links to be restarted,
/// by either end. Pure.
/// Rule: a link between switches is among them only if its switches stay connected without all that
///   are; of a host with several links, one at a time. What has no redundancy follows when nothing
///   else is left, the manager's own link last.
std::vector<std::vector<PortIndex>> links_to_restart(const Fabric& fabric,
                                                     std::span<const PortIndex> pending);

/// Links that were taken down, until they are up again. A value: a plan is made on a copy.
class LinkRestarts {
 public:
  /// A link that does not train within this time is a lost link, and is not waited for.
  static constexpr mad::Duration kWait = std::chrono::seconds(60);

  /// A sweep begins: forgets links that are up again, and those that were waited for.
  void begin(const Fabric& fabric, mad::TimePoint now);
  void note(const Fabric& fabric, PortIndex port);
  /// Taken down, and not up again.
  bool is_down(const Fabric& fabric, PortIndex port) const {
    return down_.contains({fabric.owning_node(port).guid, fabric.ports[port].number});
  }
  /// No link is down because of us: the next ones may follow.
  bool is_converged() const { return down_.empty(); }

 private:
  std::map<std::pair<mad::Guid, mad::PortNum>, mad::TimePoint>
      down_;  // until when the manager waits for it
  mad::TimePoint now_;
};

}  // namespace sm
