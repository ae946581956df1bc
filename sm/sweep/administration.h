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
  // ClientReregister is to be set on all end ports, for the reason with this number; 0: it is not.
  std::uint64_t reregistration = 0;
  std::vector<GuidInfoBlock> alias_guids = {};  // of ports that may have lost theirs
  mad::Lid known_manager = {};  // of another manager, with which registrations are known here
};

/// Alias GUIDs that contain LIDs, as a pass writes them.
struct RouterAliasChange {
  std::set<GuidBlock> due = {};  // that were not acknowledged; those that change join them
  std::set<mad::Guid> without_entry = {};  // port GUIDs: their GUID tables have no free entry
  std::vector<GuidInfoBlock> blocks = {};  // `due` with their content, after the last end port
};

/// Called on the control thread. The base class is a subnet without clients and groups.
class Administration {
 public:
  virtual ~Administration() = default;

  /// LIDs and partitions are decided, and nothing was written yet.
  virtual Registered prepare(const Subnet& /*draft*/, const SweepContext& /*context*/) {
    return {};
  }
  /// Gives end ports alias GUIDs with their LIDs, or takes them, as rtr_aguid_enable says: after
  /// prepare(), in a pass that writes GUID tables. Handles some end ports, from number `first` on.
  /// Returns the first that is left; nullopt after the last one. Others run between the calls.
  virtual std::optional<std::size_t> update_router_aliases(const Subnet& /*draft*/,
                                                           const SweepContext& /*context*/,
                                                           std::size_t /*first*/,
                                                           RouterAliasChange& /*change*/) {
    return std::nullopt;
  }

  /// False: multicast tables stay as they are.
  virtual bool has_groups() const { return false; }
  /// Appends the members of some groups, by the indices of the subnet, from MLID `first` on (0:
  /// from the beginning). Returns the first MLID that is left; nullopt after the last one. Others
  /// run between the calls. MLIDs may repeat.
  virtual std::optional<mad::Mlid> append_groups(const Subnet& /*subnet*/, mad::Mlid /*first*/,
                                                 std::vector<routing::MulticastGroup>& /*groups*/) {
    return std::nullopt;
  }
  /// The groups that have changed since the last call of either function, each MLID once; those
  /// without members as well. nullopt: not known, and all are compared.
  virtual std::optional<std::vector<routing::MulticastGroup>> changed_groups(
      const Subnet& /*subnet*/) {
    return std::nullopt;
  }
};

}  // namespace sm
