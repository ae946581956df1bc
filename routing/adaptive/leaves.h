#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"

namespace routing {

/// The destination switches of adaptive routing: those that hosts or routers with LIDs are attached
/// to, and the LIDs that packets to them have.
struct Leaves {
  std::vector<fabric::SwitchIndex> switches;  // ascending
  std::vector<std::uint32_t> first;           // by leaf: where its LIDs begin; and the end of all
  std::vector<std::uint16_t> lids;            // of end ports; a switch's own LIDs come last
  fabric::IndexVector<fabric::SwitchIndex, std::uint32_t> leaf_of;  // by switch; kNone: no leaf
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  std::vector<std::uint32_t> own;  // by leaf: where the LIDs of the switch itself begin

  std::size_t count() const { return switches.size(); }
  std::span<const std::uint16_t> lids_of(std::size_t leaf) const {
    return std::span(lids).subspan(first[leaf], first[leaf + 1] - first[leaf]);
  }
  std::span<const std::uint16_t> lids_of_hosts(std::size_t leaf) const {
    return std::span(lids).subspan(first[leaf], own[leaf] - first[leaf]);
  }
};

/// LIDs of vports belong to the switch that their port is attached to.
Leaves find_leaves(const fabric::SwitchGraph& graph, const fabric::LidMap& lids);

}  // namespace routing
