#pragma once
// Measures the quality of tables: loads of the links between switches under given traffic, by
// following the tables. The load of a channel (one direction of a link) is the number of pairs on
// it.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/path_sls.h"
#include "fabric/sl_to_vl.h"
#include "fabric/switch_graph.h"
#include "routing/graph/ordered_hosts.h"

namespace routing {

/// Returns, by channel of the graph, the number of LIDs of hosts and routers on other switches that
/// the switch sends to it.
std::vector<std::uint32_t> lids_per_channel(const fabric::SwitchGraph& graph,
                                            const fabric::LidMap& lids,
                                            const fabric::ForwardingTables& lfts);

struct ShiftLoad {
  double mean = 0;  // over the permutations: of the highest load of a channel
  unsigned worst = 0;
  double mean_per_pair = 0;  // over pairs on different switches: of the highest load on their path
};
/// Computes loads of shift patterns: host i sends to host i + k of H, in the order of `hosts`, for
/// k = 1, 1 + step, ... Pairs whose packets do not arrive are left out.
ShiftLoad shift_load(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts,
                     std::span<const OrderedHost> hosts, std::size_t step = 1);
/// Computes loads of several lists at once, each a shift of its own: rails of hosts with several
/// HCAs. A shift longer than a list is taken modulo its length.
ShiftLoad shift_load(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts,
                     std::span<const std::vector<OrderedHost>> lists, std::size_t step = 1);
/// Computes these loads for hosts in the order of their LIDs.
ShiftLoad shift_load(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                     const fabric::ForwardingTables& lfts, std::size_t step = 1);

/// A set of switches, and the links that lead out of it.
struct Cut {
  fabric::SwitchIndex first = fabric::kNoIndex;  // the lowest of them; kNoIndex: no cut
  std::size_t switches = 0, hosts = 0, links = 0;
};
struct CutBound {
  double mean = 0;  // over the permutations: no tables have a lower highest load
  Cut cut;          // that bounds most permutations
};
/// Computes, for each shift, the flows that leave a set of switches, divided by the links that lead
/// out of it and rounded up: the highest over all sets. The sets are each switch with hosts, and
/// each connected component of the switches up to a level. `level` by switch (0: leaves).
CutBound cut_bound(const fabric::SwitchGraph& graph, std::span<const std::uint32_t> level,
                   std::span<const OrderedHost> hosts, std::size_t step = 1);

struct PermutationLoad {
  double mean = 0;  // over the permutations: of the highest load of a channel
  unsigned worst = 0;
  unsigned p99 = 0;  // 99th percentile of the highest loads
};
/// Computes loads if every host sends to one host in a random permutation (fixed points allowed).
PermutationLoad random_permutations(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                                    const fabric::ForwardingTables& lfts, unsigned rounds,
                                    std::uint64_t seed);

/// Holds loads with adaptive routing: each switch distributes what it forwards evenly over the
/// members of the group, and uses the forwarding table if there is no group. A load is therefore an
/// average, and may be a fraction of a pair.
struct SpreadLoad {
  double mean = 0, worst = 0;  // over the permutations: of the highest load of a channel
};
/// Computes these loads for the permutations of shift_load().
SpreadLoad adaptive_shift_load(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                               const fabric::ForwardingTables& lfts,
                               const fabric::AdaptiveGroups& groups, std::size_t step = 1);
/// Computes these loads for the permutations of random_permutations().
SpreadLoad adaptive_random_permutations(const fabric::SwitchGraph& graph,
                                        const fabric::LidMap& lids,
                                        const fabric::ForwardingTables& lfts,
                                        const fabric::AdaptiveGroups& groups, unsigned rounds,
                                        std::uint64_t seed);

struct LinkLoads {
  std::vector<std::uint64_t>
      per_channel;  // by channel of the graph: pairs (host or router, LID of another) on it
  std::uint64_t worst = 0, p99 = 0;
  double mean = 0;
  double variation = 0;    // standard deviation / mean
  std::size_t unused = 0;  // channels that no pair uses
};
/// Computes loads if every host and router sends to every LID of every other one.
LinkLoads all_to_all(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                     const fabric::ForwardingTables& lfts);

struct PathLengths {
  std::vector<std::uint64_t>
      pairs;  // (host or router, LID of another), by the number of hops between switches
  std::uint64_t lost = 0;  // pairs whose packets do not arrive
  double mean = 0;
  std::size_t longest() const { return pairs.empty() ? 0 : pairs.size() - 1; }
};
PathLengths path_lengths(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                         const fabric::ForwardingTables& lfts);

/// Returns the number of pairs (host or router, LID of another) by the VL on their first link
/// between switches; pairs on one switch are left out.
std::vector<std::uint64_t> pairs_per_vl(const fabric::SwitchGraph& graph,
                                        const fabric::LidMap& lids,
                                        const fabric::ForwardingTables& lfts,
                                        const fabric::PathSls& sls, const fabric::SlToVl& sl_to_vl);

struct TableChanges {
  std::size_t entries = 0, blocks = 0;  // that differ; a block is what one MAD writes
  std::uint64_t paths = 0;  // pairs (host or router, LID of another) with another path, or with a
                            // path in one of the two tables only
};
/// Compares two sets of tables of this fabric with these LIDs, a part of the destinations at a
/// time: all destinations of a large fabric take some 0.1 to 1 s.
class TableComparison {
 public:
  /// Keeps references.
  TableComparison(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                  const fabric::ForwardingTables& before, const fabric::ForwardingTables& after);
  ~TableComparison();
  TableComparison(const TableComparison&) = delete;
  TableComparison& operator=(const TableComparison&) = delete;

  /// Compares the next LIDs of hosts and routers. Returns false if these were the last.
  bool proceed(std::size_t destinations);
  /// Counts entries and blocks of the whole tables, and paths of the destinations so far.
  const TableChanges& changes() const { return changes_; }
  /// Returns the highest load of a channel as in all_to_all(), for the destinations so far.
  std::uint64_t worst_load_before() const;
  std::uint64_t worst_load_after() const;
  /// Returns the number of channels without any load from the destinations so far.
  std::size_t unused_before() const;
  std::size_t unused_after() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  TableChanges changes_;
};
/// Compares all destinations at once.
TableChanges table_changes(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                           const fabric::ForwardingTables& before,
                           const fabric::ForwardingTables& after);

/// Matches random halves of the hosts at random, and returns the mean over pairs and `rounds` of 1
/// / (highest load on the pair's path).
double effective_bisection(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                           const fabric::ForwardingTables& lfts, unsigned rounds,
                           std::uint64_t seed);

}  // namespace routing
