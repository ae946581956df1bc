#pragma once
// Holds what routers said about the subnets that they reach, and which led where before.

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/condition.h"
#include "fabric/routers.h"
#include "mad/attributes/router_info.h"
#include "mad/runtime.h"

namespace sm {

/// A router, as it answered last.
struct RouterDevice {
  fabric::RouterState state = fabric::RouterState::not_read;
  std::string reason;  // where its tables are not known
  std::optional<mad::RouterInfo> info;
  std::vector<mad::AdjacentSubnetsTable::Entry> adjacent;
  std::vector<mad::NextHopTable::Entry> next_hops;
  bool adjacent_due = true, next_hops_due = true;  // the tables are to be read
  std::uint32_t beyond = 0;                        // entries above what is kept
  unsigned silent_times = 0;                       // that it was to be asked since it is silent

  /// Takes RouterInfo as it is now, and decides which tables are to be read.
  void take(const mad::RouterInfo& now);
  /// A router that does not answer is asked at every 1st, 2nd, 4th, ... opportunity.
  bool is_due() {
    return state != fabric::RouterState::silent || std::has_single_bit(++silent_times);
  }
};

/// A router that led to a subnet; nothing: it still does.
using LedUntil = std::map<mad::Guid, std::optional<mad::TimePoint>>;

struct RouterDevices {
  /// Entries of a router's two tables that are kept. RouterInfo can name 2^32 next hops.
  static constexpr std::uint32_t kAdjacentMax = 255, kNextHopsMax = 1024;
  /// Other subnets of which losses are remembered, routers of each, and for how long.
  static constexpr std::size_t kSubnetsRemembered = 512, kRoutersRemembered = 256;
  static constexpr mad::Duration kLossLasts = std::chrono::hours(24 * 7);

  std::map<mad::Guid, RouterDevice> of_node;  // by NodeGUID
  std::map<std::uint64_t, LedUntil> led;      // by prefix

  /// Nothing is kept of nodes that are gone; their tables are read when they are back.
  void update_from(const fabric::Fabric& fabric);
  /// Updates `led`, and returns what was lost, which is in Routers::lost then.
  std::vector<fabric::Condition> note_losses(const fabric::Fabric& fabric, fabric::Routers& routers,
                                             mad::TimePoint now);
};

/// rtr_aguid_enable.
inline constexpr std::uint8_t kSetRouterAliases = 1, kRemoveRouterAliases = 2;

/// A block of the GUID table of a port, by its port GUID.
using GuidBlock = std::pair<mad::Guid, unsigned>;

/// End ports that lack the alias GUID with their LID, or still have it although it is to be
/// removed.
struct RouterAliases {
  std::set<GuidBlock> due;            // their ports have not acknowledged them
  std::set<mad::Guid> without_entry;  // port GUIDs: their tables have no free entry

  std::vector<fabric::Condition> conditions(const fabric::Fabric& fabric) const;
};

/// Routers and the subnets that they reach. Entries that name no other subnet (`own_prefix`, the
/// default one, multicast, none) or no partition are left out and counted. Pure.
fabric::Routers decide_routers(const fabric::Fabric& fabric, const RouterDevices& devices,
                               std::uint64_t own_prefix);

/// Names the routers whose tables cannot be used, wholly or in part.
std::vector<fabric::Condition> router_table_conditions(const fabric::Fabric& fabric,
                                                       const fabric::Routers& routers);

}  // namespace sm
