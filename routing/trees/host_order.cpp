#include "routing/trees/host_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "routing/graph/destinations.h"
#include "routing/graph/roots.h"
#include "routing/trees/tree_columns.h"

namespace routing {

using fabric::SwitchIndex;

std::vector<SwitchIndex> switches_along_tree(const RoutingInput& input, const TreeLevels& tree,
                                             const LinkGroups& groups) {
  const std::size_t switches = input.graph.switches();
  std::vector<std::uint32_t> own_lid(switches, 0x10000);
  for (const Target& target : targets(input))
    if (target.is_switch()) own_lid[target.end->sw] = target.lids.base.value;
  std::vector<SwitchIndex> sorted(switches);
  std::iota(sorted.begin(), sorted.end(), SwitchIndex{0});
  std::ranges::sort(sorted, {}, [&](SwitchIndex sw) {
    return std::tuple(tree.level[sw], own_lid[sw],
                      input.fabric.nodes[input.fabric.switches[sw].node].guid);
  });
  std::vector<std::uint64_t> index(switches);
  for (std::size_t i = 0; i < switches; ++i) index[sorted[i]] = i;
  Clusters subtrees(index);
  const auto by_level = switches_by_level(tree);
  const auto leaves_end =
      std::ranges::find_if(sorted, [&](SwitchIndex sw) { return tree.level[sw] > 0; });
  for (std::uint32_t level = 0; level + 1 < tree.height; ++level) {
    for_each_pair(tree, groups, level, by_level[level],
                  [&](SwitchIndex lower, SwitchIndex upper) { subtrees.join(lower, upper); });
    std::ranges::sort(sorted.begin(), leaves_end, {},
                      [&](SwitchIndex sw) { return std::pair(subtrees.key(sw), index[sw]); });
    for (std::size_t i = 0; i < switches; ++i) index[sorted[i]] = i;
  }
  return sorted;
}

std::vector<OrderedHost> hosts_along_tree(const RoutingInput& input) {
  std::vector<OrderedHost> out;
  for (const Target& target : targets(input))
    if (target.is_host())
      out.push_back({target.lids.base, target.end->sw, target.end->out, target.end->port});
  const auto tree = tree_levels(input, {.roots = named_roots(input).roots, .leaf_hosts = {}});
  if (!tree) {
    std::ranges::sort(out, {}, &OrderedHost::lid);
    return out;
  }
  const LinkGroups groups(input.graph, tree->order);
  const std::vector<SwitchIndex> along = switches_along_tree(input, *tree, groups);
  std::vector<std::size_t> place(along.size());
  for (std::size_t i = 0; i < along.size(); ++i) place[along[i]] = i;
  std::ranges::sort(out, {},
                    [&](const OrderedHost& host) { return std::pair(place[host.sw], host.out); });
  return out;
}

}  // namespace routing
