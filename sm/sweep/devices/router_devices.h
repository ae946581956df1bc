#pragma once
// Holds the subnets that routers reported as reachable, and the routers that led to each before.

#include <cstdint>
#include <initializer_list>
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
#include "sm/sweep/devices/device_table.h"

namespace sm {

/// Maps a router to the time until which it led to a subnet; nullopt if it still does.
using LedUntil = std::map<mad::Guid, std::optional<mad::TimePoint>>;

struct RouterDevices {
  /// Next hops of a router that are kept; RouterInfo can name 2^32.
  static constexpr std::uint32_t kNextHopsMax = 1024;
  /// Bounds the remembered losses: other subnets, routers of each, and time.
  static constexpr std::size_t kSubnetsRemembered = 512, kRoutersRemembered = 256;
  static constexpr mad::Duration kLossLasts = std::chrono::hours(24 * 7);

  std::map<std::uint64_t, LedUntil> led;  // by prefix

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

/// DeviceTable holds RouterInfo, AdjacentSubnetsTable and NextHopTable of routers. A request that
/// one of them rejects or does not answer makes all of them unknown.
inline constexpr std::initializer_list<mad::AttributeId> kRouterAttributes{
    mad::RouterInfo::kId, mad::AdjacentSubnetsTable::kId, mad::NextHopTable::kId};
bool is_router_attribute(mad::AttributeId attribute);
/// Returns the router's block with a failed request; null if no request has failed.
const DeviceTable::Blocks::value_type* failed_router_block(const DeviceTable& table,
                                                           mad::Guid node);
/// Returns nothing while the router's tables are unknown.
std::optional<mad::RouterInfo> known_router_info(const DeviceTable& table, mad::Guid node);
/// Returns how many entries of a router's tables are kept.
inline std::uint32_t adjacent_top(const mad::RouterInfo& info) { return info.adj_top(); }
std::uint32_t next_hop_top(const mad::RouterInfo& info);

/// Returns routers and the subnets that they reach. Leaves out and counts entries that name no
/// other subnet (`own_prefix`, the default one, multicast, none) or no partition. Pure.
fabric::Routers decide_routers(const fabric::Fabric& fabric, const DeviceTable& table,
                               std::uint64_t own_prefix);

/// Returns conditions for routers whose tables cannot be used, completely or in part.
std::vector<fabric::Condition> router_table_conditions(const fabric::Fabric& fabric,
                                                       const fabric::Routers& routers);

}  // namespace sm
