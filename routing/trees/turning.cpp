#include "routing/trees/turning.h"

#include <algorithm>

#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/trees/tree_levels.h"

namespace routing {

UpDownNeeds up_down_needs(const RoutingInput& input) {
  UpDownNeeds needs{
      std::vector<std::uint8_t>(input.graph.switches(), input.options.connect_roots ? 1 : 0),
      hosts_per_switch(input),
      {}};
  const std::vector<std::uint32_t> senders = senders_per_switch(input);
  for (const fabric::SwitchIndex sw : input.graph.all_switches())
    if (senders[sw] > 0) needs.complete[sw] = 1;
  if (input.turn_rule != TurnRule::pairs_with_hosts) return needs;
  for (const fabric::SwitchIndex sw : input.graph.all_switches())
    needs.limited.push_back(senders[sw] > 0 && needs.hosts[sw] == 0 ? 1 : 0);
  return needs;
}

UpDownOrder order_by_rule(const RoutingInput& input, UpDownOrder order,
                          fabric::ConditionList& notes) {
  if (input.turn_rule != TurnRule::no_pair) return order;
  order = with_one_top(input.graph, order, hosts_per_switch(input));
  const auto top = fabric::SwitchIndex(std::ranges::find(order, 0u) - order.begin());
  notes.add(
      fmt::format("{} counts as the top of the tree: packets that turn in a leaf would close "
                  "a cycle of channel dependencies",
                  input.fabric.name(input.fabric.switches[top].node)));
  return order;
}

bool note_turning_pairs(const RoutingInput& input, const UpDownDistances& distances,
                        fabric::ConditionList& notes) {
  const PairsWithoutPath found = pairs_without_path(distances, senders_per_switch(input));
  if (found.pairs == 0) return false;
  const auto name = [&](fabric::SwitchIndex sw) {
    return input.fabric.name(input.fabric.switches[sw].node);
  };
  std::string text =
      fmt::format("no Up*/Down* path for {} pairs of switches with end ports, such as {} and {}",
                  found.pairs, name(found.from), name(found.to));
  text += found.leaf == fabric::kNoIndex
              ? std::string("; their packets go up after going down")
              : fmt::format("; their packets turn in {}", name(found.leaf));
  notes.add(std::move(text));
  return true;
}

}  // namespace routing
