#include "routing/multicast/engine_tree.h"

#include <cstdint>
#include <vector>

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

fabric::SwitchGraph tree_of(const fabric::SwitchGraph& graph, std::span<const ChannelIndex> up) {
  fabric::IndexVector<ChannelIndex, ChannelIndex> number(graph.port.size(), kNoIndex);
  for (const ChannelIndex channel : up) {
    if (channel != kNoIndex) number[channel] = number[graph.reverse[channel]] = ChannelIndex{0};
  }
  ChannelIndex kept{0};
  for (ChannelIndex& channel : number) {
    if (channel != kNoIndex) channel = kept++;
  }
  fabric::SwitchGraph tree;
  tree.end_ports = graph.end_ports;
  tree.offsets.push_back(ChannelIndex{0});
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const ChannelIndex channel : graph.channels(sw)) {
      if (number[channel] == kNoIndex) continue;
      tree.neighbour.push_back(graph.neighbour[channel]);
      tree.port.push_back(graph.port[channel]);
      tree.reverse.push_back(number[graph.reverse[channel]]);
    }
    tree.offsets.push_back(tree.neighbour.next_index());
  }
  return tree;
}

TreeOrder order_of_tree(const fabric::SwitchGraph& tree, const fabric::SwitchGraph& whole,
                        std::span<const ChannelIndex> up) {
  TreeOrder order;
  constexpr std::uint32_t kNotPlaced = 0xFFFFFFFFu;
  order.position.assign(tree.switches(), kNotPlaced);
  std::vector<SwitchIndex> queue;
  std::uint32_t position = 0;
  const auto descend_from = [&](SwitchIndex root) {
    queue.assign(1, root);
    order.position[root] = position++;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const SwitchIndex next : tree.neighbours(queue[i])) {
        if (order.position[next] != kNotPlaced || up[next] == kNoIndex ||
            whole.neighbour[up[next]] != queue[i])
          continue;
        order.position[next] = position++;
        queue.push_back(next);
      }
    }
  };
  for (const SwitchIndex sw : tree.all_switches())
    if (up[sw] == kNoIndex) descend_from(sw);
  for (std::uint32_t& of : order.position)
    if (of == kNotPlaced) of = position++;  // parents in a cycle: no tree
  return order;
}

}  // namespace routing
