#include "routing/multicast/multicast_dependencies.h"

#include <algorithm>
#include <tuple>

#include "routing/graph/channel_table.h"
#include "routing/multicast/multicast_update.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

constexpr unsigned kDrop = 15;
constexpr std::size_t kDuplicatesMax = std::size_t{1} << 21;

auto key(const Dependency& dependency) {
  return std::tuple(dependency.from.channel, dependency.from.vl, dependency.to.channel,
                    dependency.to.vl);
}

void deduplicate(std::vector<Dependency>& dependencies) {
  std::ranges::sort(dependencies, {}, key);
  dependencies.erase(
      std::unique(dependencies.begin(), dependencies.end(),
                  [](const Dependency& a, const Dependency& b) { return key(a) == key(b); }),
      dependencies.end());
}

/// The VLs of packets of an SL: those on which they may hold a channel, as a mask, and the one on
/// which they request the next channel.
class VlsOfSl {
 public:
  VlsOfSl(const sm::SwitchGraph& graph, const SlToVl& sl_to_vl)
      : graph_(graph), sl_to_vl_(sl_to_vl) {}

  unsigned held(sm::ChannelIndex channel, unsigned sl) const {
    if (sl_to_vl_.empty()) return 1;
    const unsigned out = sl_to_vl_.port_class(near(channel), graph_.port[channel]);
    unsigned vls = 0;
    for (unsigned in = 0; in < sl_to_vl_.classes(); ++in) vls |= 1u << sl_to_vl_.row(in, out)[sl];
    return vls & ~(1u << kDrop);
  }
  unsigned requested(sm::ChannelIndex from, sm::ChannelIndex to, unsigned sl) const {
    return sl_to_vl_.empty()
               ? 0
               : sl_to_vl_.at(near(to), graph_.port[graph_.reverse[from]], graph_.port[to])[sl];
  }

 private:
  SwitchIndex near(sm::ChannelIndex channel) const {
    return graph_.neighbour[graph_.reverse[channel]];
  }
  const sm::SwitchGraph& graph_;
  const SlToVl& sl_to_vl_;
};

}  // namespace

std::vector<Dependency> multicast_dependencies(const sm::SwitchGraph& graph,
                                               const sm::MulticastTables& tables,
                                               std::span<const MulticastGroup> groups,
                                               const SlToVl& sl_to_vl) {
  const VlsOfSl vls(graph, sl_to_vl);
  std::vector<Dependency> out;
  std::vector<ChannelDependency> of_group;
  std::size_t compact_at = kDuplicatesMax;
  for (const MulticastGroup& group : groups) {
    of_group.clear();
    multicast_dependencies(graph, tables, group.mlid, of_group);
    for (const ChannelDependency& dependency : of_group) {
      for (unsigned sl = 0; sl < 16; ++sl) {
        if ((group.sls >> sl & 1u) == 0) continue;
        const unsigned to_vl = vls.requested(dependency.from, dependency.to, sl);
        const unsigned from_vls = vls.held(dependency.from, sl);
        for (unsigned vl = 0; vl < kDrop && to_vl < kDrop; ++vl) {
          if ((from_vls >> vl & 1u) != 0)
            out.push_back({{dependency.from, static_cast<std::uint8_t>(vl)},
                           {dependency.to, static_cast<std::uint8_t>(to_vl)}});
        }
      }
    }
    if (out.size() < compact_at) continue;
    deduplicate(out);
    compact_at = 2 * out.size() + kDuplicatesMax;
  }
  deduplicate(out);
  return out;
}

std::vector<std::vector<sm::ChannelIndex>> trees_of_unicast(const RoutingInput& input,
                                                            const sm::ForwardingTables& lfts,
                                                            std::span<const mad::Guid> roots,
                                                            std::size_t trees_max) {
  const std::size_t switches = input.graph.switches();
  std::vector<mad::Lid> lid_of(switches);
  for (const sm::EndPortIndex end_port : input.fabric.end_ports.indices()) {
    const sm::Node& node = input.fabric.node_of(input.fabric.end_ports[end_port]);
    if (node.is_switch()) lid_of[node.switch_index] = input.lids.of_end_port[end_port].base;
  }
  std::vector<SwitchIndex> candidates;
  for (const mad::Guid guid : roots) {
    const auto node = input.fabric.node_of_guid.find(guid);
    if (node != input.fabric.node_of_guid.end() && input.fabric.nodes[node->second].is_switch())
      candidates.push_back(input.fabric.nodes[node->second].switch_index);
  }
  for (std::size_t i = 0; i < trees_max && i < switches; ++i)
    candidates.push_back(SwitchIndex(i * switches / trees_max));

  const ChannelTable channels(input.graph);
  std::vector<std::vector<sm::ChannelIndex>> trees;
  for (const SwitchIndex root : candidates) {
    if (trees.size() == trees_max) break;
    if (lid_of[root] == mad::Lid{}) continue;
    std::vector<sm::ChannelIndex> up(switches, kNoIndex);
    bool complete = true;
    for (SwitchIndex sw{0}; sw < switches && complete; ++sw) {
      if (sw != root) up[sw] = channels.channel(sw, lfts.at(sw, lid_of[root]).value);
      complete = sw == root || up[sw] != kNoIndex;
    }
    if (complete && std::ranges::find(trees, up) == trees.end()) trees.push_back(std::move(up));
  }
  return trees;
}

}  // namespace routing
