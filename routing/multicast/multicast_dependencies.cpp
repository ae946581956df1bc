#include "routing/multicast/multicast_dependencies.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>

#include "fabric/parallel.h"
#include "routing/graph/channel_table.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

constexpr unsigned kDrop = 15;

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

/// Holds the VLs of packets of an SL: those on which they may hold a channel, as a mask, and the VL
/// on which they request the next channel.
class VlsOfSl {
 public:
  VlsOfSl(const fabric::SwitchGraph& graph, const SlToVl& sl_to_vl)
      : graph_(graph), sl_to_vl_(sl_to_vl) {}

  unsigned held(fabric::ChannelIndex channel, unsigned sl) const {
    if (sl_to_vl_.empty()) return 1;
    const unsigned out = sl_to_vl_.port_class(near(channel), graph_.port[channel]);
    unsigned vls = 0;
    for (unsigned in = 0; in < sl_to_vl_.classes(); ++in) vls |= 1u << sl_to_vl_.row(in, out)[sl];
    return vls & ~(1u << kDrop);
  }
  unsigned requested(fabric::ChannelIndex from, fabric::ChannelIndex to, unsigned sl) const {
    return sl_to_vl_.empty()
               ? 0
               : sl_to_vl_.at(near(to), graph_.port[graph_.reverse[from]], graph_.port[to])[sl];
  }

 private:
  SwitchIndex near(fabric::ChannelIndex channel) const {
    return graph_.neighbour[graph_.reverse[channel]];
  }
  const fabric::SwitchGraph& graph_;
  const SlToVl& sl_to_vl_;
};

/// Holds, by channel, the ports by which packets of some tree leave after they entered by the
/// channel, for one SL and a range of switches. A packet that enters by a link may leave by all
/// other links of the tree at the switch, and trees are the same at both ends of a link. The links
/// of a tree at a switch are therefore read once, and most switches, with one link, are skipped at
/// once.
class OnwardPorts {
 public:
  static constexpr std::size_t kWords = 4;  // 256 ports

  OnwardPorts(const fabric::SwitchGraph& graph, const fabric::MulticastTables& tables)
      : graph_(graph),
        tables_(tables),
        words_((tables.positions() * fabric::kMftPositionPorts + 63) / 64),
        link_ports_(graph.switches()),
        raw_link_ports_(graph.switches()),
        onward_(graph.port.size() * words_, 0) {
    for (const SwitchIndex sw : graph.all_switches())
      for (const mad::PortNum port : graph.out_ports(sw))
        link_ports_[sw][port.value / 64] |= std::uint64_t{1} << port.value % 64;
    for (const SwitchIndex sw : graph.all_switches()) {
      std::array<std::uint8_t, 8> bytes{};
      for (unsigned i = 0; i < 8; ++i)
        bytes[i ^ 1u] = static_cast<std::uint8_t>(link_ports_[sw][0] >> i * 8);
      for (unsigned i = 0; i < 8; i += 2) raw_link_ports_[sw] |= load(bytes.data() + i) << i * 8;
    }
  }

  /// `mlids`: by block, the bits of MLIDs that count.
  void collect(std::span<const std::uint32_t> mlids, std::size_t begin, std::size_t end) {
    for (std::size_t block = 0; block < std::min(mlids.size(), tables_.blocks()); ++block)
      for (auto sw = SwitchIndex(begin); sw < end && mlids[block] != 0; ++sw)
        collect(mlids[block], block, sw);
  }

  /// Calls visit(channel in, channel out) for each pair.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const ChannelTable channels(graph_);
    for (const fabric::ChannelIndex back : graph_.port.indices()) {
      const SwitchIndex sw = graph_.neighbour[graph_.reverse[back]];
      for (std::size_t word = 0; word < words_; ++word)
        for (std::uint64_t ports = onward_[back * words_ + word]; ports != 0; ports &= ports - 1) {
          const std::size_t port = word * 64 + static_cast<unsigned>(std::countr_zero(ports));
          const fabric::ChannelIndex out = channels.channel(sw, static_cast<std::uint8_t>(port));
          if (out != back) visit(graph_.reverse[back], out);
        }
    }
  }

 private:
  static std::uint64_t load(const std::uint8_t* mask) {  // in the byte order of this machine
    std::uint16_t value = 0;
    std::memcpy(&value, mask, sizeof value);
    return value;
  }

  /// Collects switches of up to 64 ports. A few instructions each skip all MLIDs with fewer than
  /// two links, so bytes stay in the table's order until an MLID has more.
  void collect(std::uint32_t mlids, std::size_t block, SwitchIndex sw) {
    const std::uint8_t* const first =
        tables_.bytes({sw, static_cast<std::uint16_t>(block), 0}).data();
    const std::size_t positions = tables_.positions();
    if (positions > 4) return collect_each(mlids, first, sw);
    std::array<std::size_t, 4> at{};  // those that do not exist repeat the last one
    for (std::size_t i = 0; i < at.size(); ++i)
      at[i] = std::min(i, positions - 1) * fabric::kMftBytes;
    const std::uint64_t links = raw_link_ports_[sw];
    std::uint32_t several = 0;
    for (unsigned i = 0; i < fabric::kMftBlockMlids; ++i) {
      const std::uint8_t* const mask = first + std::size_t{2} * i;
      const std::uint64_t ports = (load(mask + at[0]) | load(mask + at[1]) << 16 |
                                   load(mask + at[2]) << 32 | load(mask + at[3]) << 48) &
                                  links;
      several |= static_cast<std::uint32_t>((ports & (ports - 1)) != 0) << i;
    }
    if ((several & mlids) != 0) collect_each(several & mlids, first, sw);
  }

  void collect_each(std::uint32_t mlids, const std::uint8_t* first, SwitchIndex sw) {
    for (std::uint32_t bits = mlids; bits != 0; bits &= bits - 1) {
      const std::uint8_t* at =
          first + std::size_t{2} * static_cast<unsigned>(std::countr_zero(bits));
      std::array<std::uint64_t, kWords> ports{};
      for (std::size_t position = 0; position < tables_.positions(); ++position) {
        ports[position / 4] |= static_cast<std::uint64_t>(at[0] << 8 | at[1]) << position % 4 * 16;
        at += fabric::kMftBytes;
      }
      add(ports, sw);
    }
  }

  void add(std::array<std::uint64_t, kWords>& ports, SwitchIndex sw) {
    std::uint64_t first = 0, others = 0;  // links before a word, and those that are not the first
    for (std::size_t word = 0; word < words_; ++word) {
      ports[word] &= link_ports_[sw][word];
      others |= first != 0 ? ports[word] : ports[word] & (ports[word] - 1);
      first |= ports[word];
    }
    if (others == 0) return;
    for (const fabric::ChannelIndex back : graph_.channels(sw)) {
      const unsigned port = graph_.port[back].value;
      if ((ports[port / 64] >> port % 64 & 1) == 0) continue;
      for (std::size_t word = 0; word < words_; ++word)
        onward_[back * words_ + word] |= ports[word];
    }
  }

  const fabric::SwitchGraph& graph_;
  const fabric::MulticastTables& tables_;
  const std::size_t words_;
  fabric::IndexVector<SwitchIndex, std::array<std::uint64_t, kWords>> link_ports_;
  fabric::IndexVector<SwitchIndex, std::uint64_t>
      raw_link_ports_;                 // ports 0 to 63, as load() gives them
  std::vector<std::uint64_t> onward_;  // [channel that leads back][word of ports]
};

/// Calls visit(dependency), more than once if several SLs have it.
template <class Visit>
void for_each_dependency(const fabric::SwitchGraph& graph, const fabric::MulticastTables& tables,
                         std::span<const MulticastGroup> groups, const SlToVl& sl_to_vl,
                         Visit&& visit) {
  const VlsOfSl vls(graph, sl_to_vl);
  unsigned sls = 0;
  for (const MulticastGroup& group : groups) sls |= group.sls;
  for (unsigned sl = 0; sl < 16; ++sl) {
    if ((sls >> sl & 1u) == 0) continue;
    std::vector<std::uint32_t> mlids(tables.blocks(), 0);
    for (const MulticastGroup& group : groups) {
      const std::size_t block = fabric::MulticastTables::block_index(group.mlid);
      if ((group.sls >> sl & 1u) != 0 && block < mlids.size())
        mlids[block] |=
            1u << fabric::MulticastTables::compute_index(group.mlid) % fabric::kMftBlockMlids;
    }
    OnwardPorts onward(graph, tables);
    constexpr std::size_t kWorthAThread = 100'000;
    fabric::in_parallel(
        graph.switches(), kWorthAThread / (groups.size() + 1) + 1,
        [&](std::size_t begin, std::size_t end) { onward.collect(mlids, begin, end); });
    onward.for_each([&](fabric::ChannelIndex from, fabric::ChannelIndex to) {
      const unsigned to_vl = vls.requested(from, to, sl);
      if (to_vl >= kDrop) return;
      for (unsigned from_vls = vls.held(from, sl); from_vls != 0; from_vls &= from_vls - 1)
        visit(Dependency{{from, static_cast<std::uint8_t>(std::countr_zero(from_vls))},
                         {to, static_cast<std::uint8_t>(to_vl)}});
    });
  }
}

}  // namespace

std::vector<Dependency> multicast_dependencies(const fabric::SwitchGraph& graph,
                                               const fabric::MulticastTables& tables,
                                               std::span<const MulticastGroup> groups,
                                               const SlToVl& sl_to_vl) {
  std::vector<Dependency> out;
  for_each_dependency(graph, tables, groups, sl_to_vl,
                      [&](const Dependency& dependency) { out.push_back(dependency); });
  deduplicate(out);
  return out;
}

void add_multicast_dependencies(const fabric::SwitchGraph& graph,
                                const fabric::MulticastTables& tables,
                                std::span<const MulticastGroup> groups, const SlToVl& sl_to_vl,
                                ChannelGraph& channels) {
  for_each_dependency(graph, tables, groups, sl_to_vl,
                      [&](const Dependency& dependency) { channels.add(dependency); });
}

std::vector<std::vector<fabric::ChannelIndex>> trees_of_unicast(
    const RoutingInput& input, const fabric::ForwardingTables& lfts,
    std::span<const mad::Guid> roots, std::size_t trees_max) {
  const std::size_t switches = input.graph.switches();
  std::vector<mad::Lid> lid_of(switches);
  for (const fabric::EndPortIndex end_port : input.fabric.end_ports.indices()) {
    const fabric::Node& node = input.fabric.owning_node(input.fabric.end_ports[end_port]);
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
  std::vector<std::vector<fabric::ChannelIndex>> trees;
  for (const SwitchIndex root : candidates) {
    if (trees.size() == trees_max) break;
    if (lid_of[root] == mad::Lid{}) continue;
    std::vector<fabric::ChannelIndex> up(switches, kNoIndex);
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
