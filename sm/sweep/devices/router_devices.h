#pragma once
// Holds the subnets that routers reported as reachable, and the routers that led to each before.

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

/// Describes a router by its latest response.
struct RouterDevice {
  fabric::RouterState state = fabric::RouterState::not_read;
  std::string reason;  // where its tables are not known
  std::optional<mad::RouterInfo> info;
  std::vector<mad::AdjacentSubnetsTable::Entry> adjacent;
  std::vector<mad::NextHopTable::Entry> next_hops;
  bool adjacent_due = true, next_hops_due = true;  // the tables are to be read
  unsigned silent_times = 0;                       // that it was to be asked since it is silent

  /// Takes the current RouterInfo, and decides which tables to read.
  void take(const mad::RouterInfo& now);
  /// Forgets the tables, which are read again once the router has answered.
  void forget() {
    info.reset();
    adjacent.clear();
    next_hops.clear();
    adjacent_due = next_hops_due = true;
  }
  /// A router that does not answer is queried at every 1st, 2nd, 4th, ... opportunity.
  bool is_due() {
    return state != fabric::RouterState::silent || std::has_single_bit(++silent_times);
  }
};

/// Maps a router to the time until which it led to a subnet; nullopt if it still does.
using LedUntil = std::map<mad::Guid, std::optional<mad::TimePoint>>;

struct RouterDevices {
  /// Next hops of a router that are kept; RouterInfo can name 2^32.
  static constexpr std::uint32_t kNextHopsMax = 1024;
  /// Bounds the remembered losses: other subnets, routers of each, and time.
  static constexpr std::size_t kSubnetsRemembered = 512, kRoutersRemembered = 256;
  static constexpr mad::Duration kLossLasts = std::chrono::hours(24 * 7);

  std::map<mad::Guid, RouterDevice> of_node;  // by NodeGUID
  std::map<std::uint64_t, LedUntil> led;      // by prefix

  /// Forgets nodes that disappeared; their tables are read when they are back.
  void update_from(const fabric::Fabric& fabric);
  /// Updates `led`, and returns conditions for the losses, which it adds to Routers::lost.
  std::vector<fabric::Condition> note_losses(const fabric::Fabric& fabric, fabric::Routers& routers,
                                             mad::TimePoint now);
};

/// These are values of rtr_aguid_enable.
inline constexpr std::uint8_t kSetRouterAliases = 1, kRemoveRouterAliases = 2;

/// Identifies a block of a port's GUID table, by the port GUID.
using GuidBlock = std::pair<mad::Guid, unsigned>;

/// Holds end ports that lack the alias GUID with their LID, or still have it although it must be
/// removed.
struct RouterAliases {
  std::set<GuidBlock> due;            // their ports have not acknowledged them
  std::set<mad::Guid> without_entry;  // port GUIDs: their tables have no free entry

  std::vector<fabric::Condition> conditions(const fabric::Fabric& fabric) const;
};

/// Returns routers and the subnets that they reach. Leaves out and counts entries that name no
/// other subnet (`own_prefix`, the default one, multicast, none) or no partition. Pure.
fabric::Routers decide_routers(const fabric::Fabric& fabric, const RouterDevices& devices,
                               std::uint64_t own_prefix);

/// Returns conditions for routers whose tables cannot be used, completely or in part.
std::vector<fabric::Condition> router_table_conditions(const fabric::Fabric& fabric,
                                                       const fabric::Routers& routers);

}  // namespace sm
