#pragma once
// Distances between all pairs of switches.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/core/hop_table.h"

namespace routing {

/// Cables between all pairs. Nothing when a pair is more than 254 apart. All sources at once, one
/// bit each.
std::optional<HopTable<std::uint8_t>> unit_hops(const sm::SwitchGraph& graph);

/// The same over those slots only whose `open` is not 0. Slots are open in one direction each.
std::optional<HopTable<std::uint8_t>> unit_hops_over(const sm::SwitchGraph& graph,
                                                     std::span<const std::uint8_t> open);

/// The same with a weight for leaving by each slot (0 counts as 1). Longer distances count as no
/// path: so a distance plus a weight is never kNoPath.
inline constexpr std::uint32_t kLongestWeighted = HopTable<std::uint16_t>::kNoPath - 256;
HopTable<std::uint16_t> weighted_hops(const sm::SwitchGraph& graph,
                                      std::span<const std::uint8_t> slot_weights);

/// Switches that carry more than 1 / `share` of the hosts that the fullest carries (`hosts` per
/// switch): the leaves of a tree. A switch with few hosts may be one at the top with the manager's
/// host on it.
std::vector<sm::SwitchIndex> well_populated(std::span<const std::uint32_t> hosts,
                                            std::uint32_t share = 4);

/// Per switch the cables to the nearest switch that hosts or routers hang on: 0 for a leaf;
/// kNoIndex when there is none.
std::vector<std::uint32_t> hops_to_leaf(const sm::SwitchGraph& graph);

/// Per switch the cables to the nearest of `from`; kNoIndex where none is.
std::vector<std::uint32_t> hops_from(const sm::SwitchGraph& graph,
                                     std::vector<sm::SwitchIndex> from);

/// Per switch the number of the connected component that it is in; numbered from 0 in order of the
/// lowest switch. The switches of `without` (by switch; empty: none) and their links do not count:
/// each is a component by itself.
std::vector<std::uint32_t> components(const sm::SwitchGraph& graph,
                                      const std::vector<bool>& without = {});

}  // namespace routing
