#pragma once
// How good tables are: loads of the cables between switches under given traffic, by following the tables.

#include <cstdint>
#include <vector>

#include "sm/fabric/forwarding_tables.h"
#include "sm/fabric/lid_map.h"
#include "sm/fabric/switch_graph.h"

namespace routing {

/// Per slot of the graph: how many host and router LIDs that live elsewhere the switch sends out there. The balance that each switch sees.
std::vector<std::uint32_t> lids_per_slot(const sm::SwitchGraph& graph, const sm::LidMap& lids, const sm::ForwardingTables& lfts);

struct ShiftLoad {
  double mean = 0;  // over the permutations: of the highest load of a cable's direction
  unsigned worst = 0;
};
/// Host i sends to host i + k of H, hosts numbered by their base LIDs, for k = 1, 1 + step, ... The load of a cable is the number of
/// pairs over it; pairs that do not get through are left out.
ShiftLoad shift_load(const sm::SwitchGraph& graph, const sm::LidMap& lids, const sm::ForwardingTables& lfts, std::size_t step = 1);

/// Random halves of the hosts, each matched with the other at random: mean over pairs and `rounds` of 1 / (highest load on the pair's way).
double effective_bisection(const sm::SwitchGraph& graph, const sm::LidMap& lids, const sm::ForwardingTables& lfts, unsigned rounds,
                           std::uint64_t seed);

}  // namespace routing
