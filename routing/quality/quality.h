#pragma once
// How good tables are: loads of the cables between switches under given traffic, by following the
// tables.

#include <cstdint>
#include <vector>

#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/path_sls.h"
#include "fabric/sl_to_vl.h"
#include "fabric/switch_graph.h"

namespace routing {

/// Per slot of the graph: how many host and router LIDs that live elsewhere the switch sends out
/// there. The balance that each switch sees.
std::vector<std::uint32_t> lids_per_slot(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                                         const sm::ForwardingTables& lfts);

struct ShiftLoad {
  double mean = 0;  // over the permutations: of the highest load of a cable's direction
  unsigned worst = 0;
};
/// Host i sends to host i + k of H, hosts numbered by their base LIDs, for k = 1, 1 + step, ... The
/// load of a cable is the number of pairs over it; pairs that do not get through are left out.
ShiftLoad shift_load(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                     const sm::ForwardingTables& lfts, std::size_t step = 1);

struct PermutationLoad {
  double mean = 0;  // over the permutations: of the highest load of a cable's direction
  unsigned worst = 0;
  unsigned p99 = 0;  // 99 % of the permutations have no more
};
/// Every host sends to one other (or itself), at random.
PermutationLoad random_permutations(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                                    const sm::ForwardingTables& lfts, unsigned rounds,
                                    std::uint64_t seed);

struct LinkLoads {
  std::vector<std::uint64_t>
      per_slot;  // of the graph: pairs (host or router, LID of another) whose way leaves by it
  std::uint64_t worst = 0, p99 = 0;
  double mean = 0;
  double variation = 0;  // standard deviation / mean
  std::size_t dark = 0;  // slots that no pair uses
};
/// Everybody sends to every LID of everybody else.
LinkLoads all_to_all(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                     const sm::ForwardingTables& lfts);

struct PathLengths {
  std::vector<std::uint64_t>
      pairs;  // (host or router, LID of another), by cables between switches on the way
  std::uint64_t lost = 0;  // pairs that do not get through
  double mean = 0;
  std::size_t longest() const { return pairs.empty() ? 0 : pairs.size() - 1; }
};
PathLengths path_lengths(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                         const sm::ForwardingTables& lfts);

/// Pairs (host or router, LID of another) by the lane that they use on their first cable between
/// switches; pairs on one switch are left out.
std::vector<std::uint64_t> pairs_per_vl(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                                        const sm::ForwardingTables& lfts, const sm::PathSls& sls,
                                        const sm::SlToVl& sl_to_vl);

struct TableChanges {
  std::size_t entries = 0, blocks = 0;  // that differ; a block is what one MAD writes
  std::uint64_t paths = 0;  // pairs (host or router, LID of another) that take another way, or none
                            // any more, or had none
};
/// Both are tables of this fabric, with these LIDs.
TableChanges table_changes(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                           const sm::ForwardingTables& before, const sm::ForwardingTables& after);

/// Random halves of the hosts, each matched with the other at random: mean over pairs and `rounds`
/// of 1 / (highest load on the pair's way).
double effective_bisection(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                           const sm::ForwardingTables& lfts, unsigned rounds, std::uint64_t seed);

}  // namespace routing
