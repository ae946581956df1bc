#pragma once
// Computes distances between all pairs of switches, in hops or hop weights.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/core/hop_table.h"
#include "routing/core/routing_state.h"

namespace routing {

/// The number of hops to a switch that has no path.
inline constexpr std::uint32_t kUnreachable = 0xFFFFFFFFu;

/// Returns distances in hops, by breadth-first search from all sources at once, one bit each
/// (multi-source BFS: Then et al., PVLDB 8(4), 2014). Returns nullopt if a distance is above 254.
std::optional<HopTable<std::uint8_t>> unit_hops(const fabric::SwitchGraph& graph);

/// Returns distances as unit_hops() does, over the channels whose `open` is not 0. A channel is one
/// direction of a link.
std::optional<HopTable<std::uint8_t>> unit_hops_over(const fabric::SwitchGraph& graph,
                                                     std::span<const std::uint8_t> open);

/// Links between switches that a change has removed or added, each in both directions, as (from,
/// to) by the current indices. Links of switches that have left are not listed.
struct LinkChanges {
  std::vector<std::pair<fabric::SwitchIndex, fabric::SwitchIndex>> lost, added;
};
LinkChanges link_changes(const fabric::SwitchGraph& before, const fabric::SwitchGraph& now,
                         const Correspondence& was);

/// Returns unit_hops(graph), but computes only the switches whose distances a change affects.
/// `before`: the previous distances of the same switches with the same indices. Returns nullopt as
/// unit_hops() does, or if so many switches are affected that unit_hops() costs less.
std::optional<HopTable<std::uint8_t>> unit_hops_after(const fabric::SwitchGraph& graph,
                                                      const HopTable<std::uint8_t>& before,
                                                      const LinkChanges& changes);

/// Returns distances with a weight for each channel (0 counts as 1). Longer distances count as no
/// path, so that a distance plus a weight is never kNoPath.
inline constexpr std::uint32_t kLongestWeighted = HopTable<std::uint16_t>::kNoPath - 256;
HopTable<std::uint16_t> weighted_hops(const fabric::SwitchGraph& graph,
                                      std::span<const std::uint8_t> channel_weights);

/// Returns all switches with a path to the switch whose distances these are (a row of unit_hops()):
/// this switch, then nearest first; switches at equal distance follow `order`.
std::vector<fabric::SwitchIndex> nearest_first(const std::uint8_t* distance,
                                               std::span<const fabric::SwitchIndex> order);

/// Returns the leaves of a tree: the switches with more than 1 / `share` of the hosts of the switch
/// that has most (`hosts` by switch). A switch with few hosts may be a root with a management node.
std::vector<fabric::SwitchIndex> well_populated(std::span<const std::uint32_t> hosts,
                                                std::uint32_t share = 4);

/// Returns, by switch, the hops to the nearest switch with hosts or routers: 0 for a leaf;
/// kUnreachable if none is connected.
std::vector<std::uint32_t> hops_to_leaf(const fabric::SwitchGraph& graph);

/// Returns, by switch, the hops to the nearest switch of `from`; kUnreachable if none is connected.
std::vector<std::uint32_t> hops_from(const fabric::SwitchGraph& graph,
                                     std::vector<fabric::SwitchIndex> from);

/// Returns, by switch, the number of its connected component; components are numbered from 0 in the
/// order of their lowest switches. Switches of `without` (by switch; empty: none) and their links
/// do not count: each is its own component.
std::vector<std::uint32_t> components(const fabric::SwitchGraph& graph,
                                      const std::vector<bool>& without = {});

}  // namespace routing
