#pragma once
// The interface between a pass and subnet administration.

#include <optional>
#include <set>
#include <vector>

#include "fabric/subnet.h"
#include "routing/multicast/multicast.h"
#include "sm/context/sweep_context.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/router_devices.h"

namespace sm {

/// Holds what clients of subnet administration have registered, as far as a pass programs it.
struct Registered {
  /// The number of the reason to set ClientReregister on all end ports; 0 means that there is none.
  std::uint64_t reregistration = 0;
  std::vector<GuidInfoBlock> alias_guids = {};  // of ports that may have lost theirs
  mad::Lid known_manager = {};  // of another manager, with which registrations are known here
  std::vector<mad::Guid> unacknowledged = {};  // end ports of the draft (PortGUIDs) whose clients
                                               // must register again
};

/// Holds alias GUIDs that contain LIDs, as a pass writes them.
struct RouterAliasChange {
  std::set<GuidBlock> due = {};  // that were not acknowledged; those that change join them
  std::set<mad::Guid> without_entry = {};  // port GUIDs: their GUID tables have no free entry
  std::vector<GuidInfoBlock> blocks = {};  // `due` with their content, after the last end port
};

/// Called on the control thread. The base class is a subnet without clients and groups.
class Administration {
 public:
  virtual ~Administration() = default;

  /// The pass calls this after it has decided LIDs and partitions, before it writes anything.
  virtual Registered prepare(const Subnet& /*draft*/, const SweepContext& /*context*/) {
    return {};
  }
  /// Adds alias GUIDs with LIDs to end ports, or removes them, as rtr_aguid_enable says. The pass
  /// calls this after prepare() if it writes GUID tables. One call handles some end ports, from
  /// number `first` on. Returns the number of the next end port; nullopt after the last one. Other
  /// coroutines run between the calls.
  virtual std::optional<std::size_t> update_router_aliases(const Subnet& /*draft*/,
                                                           const SweepContext& /*context*/,
                                                           std::size_t /*first*/,
                                                           RouterAliasChange& /*change*/) {
    return std::nullopt;
  }

  /// Returns whether there are groups; if not, the pass leaves multicast tables alone.
  virtual bool has_groups() const { return false; }
  /// Appends the members of some groups, by the indices of the subnet, from MLID `first` on (0:
  /// from the beginning). Returns the next MLID; nullopt after the last one. Other coroutines run
  /// between the calls. MLIDs may repeat.
  virtual std::optional<mad::Mlid> append_groups(const Subnet& /*subnet*/, mad::Mlid /*first*/,
                                                 std::vector<routing::MulticastGroup>& /*groups*/) {
    return std::nullopt;
  }
  /// Returns the groups that have changed since the last call of either function, each MLID once,
  /// also those without members. Returns nullopt if that is not known; then the pass compares all.
  virtual std::optional<std::vector<routing::MulticastGroup>> changed_groups(
      const Subnet& /*subnet*/) {
    return std::nullopt;
  }
};

}  // namespace sm
