#include "routing/adaptive/verify_groups.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <vector>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/adaptive/choices.h"
#include "routing/adaptive/leaves.h"
#include "routing/graph/hops.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::SwitchIndex;

namespace {

/// Holds a set of leaves for each switch.
class LeafSets {
 public:
  LeafSets(std::size_t switches, std::size_t words) : words_(words), bits_(switches * words, 0) {}
  std::span<std::uint64_t> of(SwitchIndex sw) {
    return std::span(bits_).subspan(sw * words_, words_);
  }
  std::span<const std::uint64_t> of(SwitchIndex sw) const {
    return std::span(bits_).subspan(sw * words_, words_);
  }
  void add(SwitchIndex sw, std::size_t leaf) {
    bits_[sw * words_ + leaf / 64] |= std::uint64_t{1} << leaf % 64;
  }
  bool has(SwitchIndex sw, std::size_t leaf) const {
    return (bits_[sw * words_ + leaf / 64] >> leaf % 64 & 1) != 0;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Returns, by switch, the leaves whose packets can get there from hosts at any other leaf.
LeafSets find_reached(const fabric::SwitchGraph& graph, const Leaves& leaves,
                      const Choices& choices) {
  LeafSets reached(graph.switches(), choices.words());
  std::vector<SwitchIndex> queue = leaves.switches;
  std::vector<std::uint8_t> queued(graph.switches(), 0);
  for (const SwitchIndex sw : leaves.switches) {
    queued[sw] = 1;
    for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf)
      if (choices.has_channel(sw, leaf)) reached.add(sw, leaf);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const SwitchIndex sw = queue[next];
    queued[sw] = 0;
    const auto here = reached.of(sw);
    for (const ChannelIndex channel : graph.channels(sw)) {
      const SwitchIndex other = graph.neighbour[channel];
      const auto there = reached.of(other);
      const auto over = choices.over(channel);
      std::uint64_t added = 0;
      for (std::size_t word = 0; word < here.size(); ++word) {
        const std::uint64_t bits = here[word] & over[word] & ~there[word];
        there[word] |= bits;
        added |= bits;
      }
      if (added == 0 || queued[other] != 0) continue;
      queued[other] = 1;
      queue.push_back(other);
    }
  }
  return reached;
}

/// Finds the (switch, leaf) pairs from which all choices arrive, and their longest path: a pair
/// needs one hop more than the longest of the pairs to which its choices lead.
class Arrivals {
 public:
  Arrivals(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
           const fabric::LidMap& lids, const Leaves& leaves, const Choices& choices,
           const LeafSets& reached)
      : graph_(graph),
        leaves_(leaves),
        choices_(choices),
        reached_(reached),
        done_(graph.switches(), choices.words()) {
    for (std::size_t leaf = 0; leaf < leaves.count(); ++leaf)
      done_.add(leaves.switches[leaf], leaf);
    for (const SwitchIndex sw : graph.all_switches())
      if (fabric.switches[sw].info.linear_fdb_cap() <= lids.lid_top.value)
        std::ranges::fill(done_.of(sw), ~std::uint64_t{0});
  }

  void find(GroupReport& report) {
    std::vector<SwitchIndex> open;
    for (const SwitchIndex sw : graph_.all_switches())
      if (is_open(sw)) open.push_back(sw);
    std::vector<std::uint64_t> next;
    for (unsigned hops = 1; !open.empty(); ++hops) {
      next.assign(open.size() * choices_.words(), 0);
      bool any = false;
      for (std::size_t i = 0; i < open.size(); ++i)
        any |= arrive(open[i], std::span(next).subspan(i * choices_.words(), choices_.words()));
      if (!any) break;
      report.longest = hops;
      for (std::size_t i = 0; i < open.size(); ++i)
        std::copy_n(next.begin() + static_cast<std::ptrdiff_t>(i * choices_.words()),
                    choices_.words(), done_.of(open[i]).begin());
      std::erase_if(open, [&](SwitchIndex sw) { return !is_open(sw); });
    }
    for (const SwitchIndex sw : open) count_lost(sw, report);
  }

 private:
  bool is_open(SwitchIndex sw) const {
    const auto reached = reached_.of(sw), done = done_.of(sw);
    for (std::size_t word = 0; word < reached.size(); ++word)
      if ((reached[word] & ~done[word]) != 0) return true;
    return false;
  }

  bool arrive(SwitchIndex sw, std::span<std::uint64_t> next) const {
    const auto reached = reached_.of(sw), before = done_.of(sw);
    std::uint64_t added = 0;
    some_.assign(next.size(), 0);
    late_.assign(next.size(), 0);
    for (const ChannelIndex channel : graph_.channels(sw)) {
      const auto over = choices_.over(channel);
      const auto there = done_.of(graph_.neighbour[channel]);
      for (std::size_t word = 0; word < next.size(); ++word) {
        some_[word] |= over[word];
        late_[word] |= over[word] & ~there[word];
      }
    }
    for (std::size_t word = 0; word < next.size(); ++word) {
      next[word] = before[word] | (reached[word] & some_[word] & ~late_[word]);
      added |= next[word] & ~before[word];
    }
    return added != 0;
  }

  void count_lost(SwitchIndex sw, GroupReport& report) const {
    const auto reached = reached_.of(sw), done = done_.of(sw);
    for (std::size_t word = 0; word < reached.size(); ++word) {
      const std::uint64_t bits = reached[word] & ~done[word];
      report.lost += static_cast<unsigned>(std::popcount(bits));
      if (bits == 0 || report.first_lost) continue;
      report.first_lost = follow(sw, word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
    }
  }

  /// Follows pairs that do not arrive, to the end or back to a switch on the path.
  GroupReport::Lost follow(SwitchIndex sw, std::size_t leaf) const {
    std::vector<bool> seen(graph_.switches());
    while (!seen[sw]) {
      seen[sw] = true;
      SwitchIndex next = fabric::kNoIndex;
      choices_.for_each(sw, leaf, [&](ChannelIndex channel) {
        const SwitchIndex other = graph_.neighbour[channel];
        if (next == fabric::kNoIndex && !done_.has(other, leaf)) next = other;
      });
      if (next == fabric::kNoIndex) return {sw, leaves_.switches[leaf], false};
      sw = next;
    }
    return {sw, leaves_.switches[leaf], true};
  }

  const fabric::SwitchGraph& graph_;
  const Leaves& leaves_;
  const Choices& choices_;
  const LeafSets& reached_;
  LeafSets done_;
  mutable std::vector<std::uint64_t> some_, late_;
};

bool has_one_vl(const VlMapping& mapping) {
  const bool one_table = mapping.sl_to_vl.empty() || mapping.sl_to_vl.is_uniform();
  return one_table && mapping.sls.shape() == PathSls::Shape::zero && mapping.sls.free_bits == 0;
}

/// Adds the dependencies if all packets are on one VL: the union of each channel's successors.
void add_on_one_vl(const fabric::SwitchGraph& graph, const Choices& choices,
                   const LeafSets& reached, unsigned vl, ChannelGraph& out) {
  constexpr std::size_t kPairsWorthAThread = 50'000;
  fabric::in_parallel(
      graph.switches(), kPairsWorthAThread / (choices.leaves() + 1) + 1,
      [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint64_t> next(choices.channel_words());
        for (auto sw = SwitchIndex(begin); sw < end; ++sw)
          for (const ChannelIndex channel : graph.channels(sw)) {
            const SwitchIndex other = graph.neighbour[channel];
            const auto here = reached.of(sw), over = choices.over(channel);
            std::ranges::fill(next, std::uint64_t{0});
            for (std::size_t word = 0; word < here.size(); ++word)
              for (std::uint64_t bits = here[word] & over[word]; bits != 0; bits &= bits - 1) {
                const auto set = choices.channels(
                    other, word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
                for (std::size_t i = 0; i < next.size(); ++i) next[i] |= set[i];
              }
            for (std::size_t i = 0; i < next.size(); ++i)
              for (std::uint64_t bits = next[i]; bits != 0; bits &= bits - 1)
                out.add(
                    channel, vl,
                    static_cast<unsigned>(i * 64) + static_cast<unsigned>(std::countr_zero(bits)),
                    vl);
          }
      });
}

unsigned count_vls(const fabric::SlToVl& tables) {
  unsigned vls = 1;
  for (unsigned in = 0; !tables.empty() && in < tables.classes(); ++in)
    for (unsigned out = 0; out < tables.classes(); ++out)
      for (const std::uint8_t vl : tables.row(in, out))
        if (vl < 15) vls = std::max(vls, vl + 1u);
  return vls;
}

/// Adds the dependencies if the VL depends on the path: follows all packets of each leaf, by SL.
class VlTracer {
 public:
  VlTracer(const fabric::SwitchGraph& graph, const Leaves& leaves, const Choices& choices,
           const VlMapping& mapping, const std::vector<std::vector<std::uint8_t>>& in_classes,
           unsigned vls)
      : graph_(graph),
        leaves_(leaves),
        choices_(choices),
        mapping_(mapping),
        in_classes_(in_classes),
        vls_(vls),
        channels_(graph, vls, !mapping.sl_to_vl.empty() && !mapping.sl_to_vl.is_uniform()),
        passed_(vls * graph.port.size(), 0) {}

  void trace(std::size_t leaf) {
    std::uint16_t all = 0;
    std::vector<std::uint16_t> sls(leaves_.count(), 0);
    for (std::size_t from = 0; from < sls.size(); ++from) {
      sls[from] = sls_of(from, leaf);
      all = static_cast<std::uint16_t>(all | sls[from]);
    }
    for (unsigned sl = 0; sl < 16; ++sl) {
      if ((all >> sl & 1) == 0) continue;
      ++now_;
      for (std::size_t from = 0; from < sls.size(); ++from)
        if ((sls[from] >> sl & 1) != 0) start(from, leaf, sl);
      while (!open_.empty()) {
        const Channel at = open_.back();
        open_.pop_back();
        proceed(at, leaf, sl);
      }
    }
  }
  const ChannelGraph& channels() const { return channels_; }

 private:
  /// Returns a bit for each SL of packets from one leaf to another.
  std::uint16_t sls_of(std::size_t from, std::size_t leaf) const {
    const SwitchIndex source = leaves_.switches[from], last = leaves_.switches[leaf];
    if (source == last) return 0;
    const unsigned free = mapping_.sls.free_bits & 15u;
    std::uint16_t out = 0;
    for (const std::uint16_t lid : leaves_.lids_of_hosts(leaf)) {
      const unsigned sl = mapping_.sls.at(source, mad::Lid{lid}, last).value;
      for (unsigned bits = free;; bits = (bits - 1) & free) {
        out = static_cast<std::uint16_t>(out | 1u << ((sl | bits) & 15));
        if (bits == 0) break;
      }
      if (mapping_.sls.shape() == PathSls::Shape::switch_pair) break;
    }
    return out;
  }

  bool pass(Channel channel) {
    std::uint32_t& passed = passed_[channel.vl * graph_.port.size() + channel.channel];
    if (passed == now_) return false;
    passed = now_;
    return true;
  }

  void start(std::size_t from, std::size_t leaf, unsigned sl) {
    const SwitchIndex sw = leaves_.switches[from];
    choices_.for_each(sw, leaf, [&](ChannelIndex channel) {
      for (const std::uint8_t in_class : in_classes_[from]) {
        const unsigned out_class = mapping_.sl_to_vl.port_class(sw, graph_.port[channel]);
        const unsigned vl =
            mapping_.sl_to_vl.empty() ? 0u : mapping_.sl_to_vl.row(in_class, out_class)[sl];
        const Channel first{channel, static_cast<std::uint8_t>(vl)};
        if (vl < vls_ && pass(first)) open_.push_back(first);
      }
    });
  }

  void proceed(Channel at, std::size_t leaf, unsigned sl) {
    const SwitchIndex sw = graph_.neighbour[at.channel];
    const mad::PortNum in = graph_.port[graph_.reverse[at.channel]];
    choices_.for_each(sw, leaf, [&](ChannelIndex channel) {
      const unsigned vl =
          mapping_.sl_to_vl.empty() ? 0u : mapping_.sl_to_vl.at(sw, in, graph_.port[channel])[sl];
      if (vl >= vls_) return;  // dropped
      channels_.add(at.channel, at.vl, channel - graph_.offsets[sw], vl);
      const Channel next{channel, static_cast<std::uint8_t>(vl)};
      if (pass(next)) open_.push_back(next);
    });
  }

  const fabric::SwitchGraph& graph_;
  const Leaves& leaves_;
  const Choices& choices_;
  const VlMapping& mapping_;
  const std::vector<std::vector<std::uint8_t>>& in_classes_;  // by leaf: of its hosts' ports
  const unsigned vls_;
  ChannelGraph channels_;
  std::vector<std::uint32_t> passed_;  // [VL][channel]: the number of the search that passed last
  std::uint32_t now_ = 0;
  std::vector<Channel> open_;
};

std::vector<std::vector<std::uint8_t>> classes_of_hosts(const fabric::SwitchGraph& graph,
                                                        const Leaves& leaves,
                                                        const fabric::SlToVl& tables) {
  std::vector<std::vector<std::uint8_t>> out(leaves.count());
  for (const auto& end : graph.end_ports) {
    if (end.out == mad::PortNum{0} || leaves.leaf_of[end.sw] == Leaves::kNone) continue;
    auto& classes = out[leaves.leaf_of[end.sw]];
    const auto port_class = static_cast<std::uint8_t>(tables.port_class(end.sw, end.out));
    if (std::ranges::find(classes, port_class) == classes.end()) classes.push_back(port_class);
  }
  return out;
}

ChannelGraph find_group_dependencies(const fabric::SwitchGraph& graph, const Leaves& leaves,
                                     const Choices& choices, const LeafSets& reached,
                                     const VlMapping& mapping, unsigned& vls_used) {
  vls_used = 1;
  if (has_one_vl(mapping)) {
    const unsigned vl = mapping.sl_to_vl.empty() ? 0u : mapping.sl_to_vl.row(0, 0)[0] & 15u;
    ChannelGraph out(graph, vl + 1, false);
    add_on_one_vl(graph, choices, reached, vl, out);
    return out;
  }
  const unsigned vls = vls_used = count_vls(mapping.sl_to_vl);
  const bool vls_change = !mapping.sl_to_vl.empty() && !mapping.sl_to_vl.is_uniform();
  const auto in_classes = classes_of_hosts(graph, leaves, mapping.sl_to_vl);
  ChannelGraph out(graph, vls, vls_change);
  std::mutex mutex;
  constexpr std::size_t kHopsWorthAThread = 200'000;
  fabric::in_parallel(leaves.count(), kHopsWorthAThread / (graph.port.size() + 1) + 1,
                      [&](std::size_t begin, std::size_t end) {
                        VlTracer tracer(graph, leaves, choices, mapping, in_classes, vls);
                        for (std::size_t leaf = begin; leaf < end; ++leaf) tracer.trace(leaf);
                        const std::lock_guard lock(mutex);
                        out.merge(tracer.channels());
                      });
  return out;
}

void count_groups(const Leaves& leaves, const fabric::AdaptiveGroups& groups, GroupReport& report) {
  for (const SwitchIndex sw : leaves.switches) report.groups += groups.group_to[sw] != 0 ? 1u : 0u;
  for (const auto& row : groups.rows) report.switches += row->sets.size() > 1 ? 1u : 0u;
}

}  // namespace

GroupReport verify_groups(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                          const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                          const fabric::AdaptiveGroups* groups, const VlMapping& mapping) {
  const Leaves leaves = find_leaves(graph, lids);
  const Choices choices(graph, leaves, lfts, groups);
  const LeafSets reached = find_reached(graph, leaves, choices);
  GroupReport report;
  if (groups != nullptr) count_groups(leaves, *groups, report);
  report.outside = choices.outside();
  Arrivals(fabric, graph, lids, leaves, choices, reached).find(report);
  report.credit_loops =
      find_cycles(find_group_dependencies(graph, leaves, choices, reached, mapping, report.vls));
  return report;
}

std::optional<unsigned> path_bound(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                                   std::span<const mad::Guid> roots) {
  std::vector<SwitchIndex> top;
  for (const SwitchIndex sw : graph.all_switches())
    if (std::ranges::find(roots, fabric.nodes[fabric.switches[sw].node].guid) != roots.end())
      top.push_back(sw);
  const std::vector<std::uint32_t> leaf = hops_to_leaf(graph),
                                   level = roots.empty() ? leaf : hops_from(graph, top);
  unsigned height = 0;
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const SwitchIndex other : graph.neighbours(sw))
      if (level[sw] == kUnreachable ||
          (level[sw] + 1 != level[other] && level[other] + 1 != level[sw]))
        return std::nullopt;
    if ((roots.empty() || leaf[sw] == 0) && level[sw] != kUnreachable)
      height = std::max(height, level[sw]);
  }
  return 2 * height;
}

std::string text(const GroupReport& report, const fabric::Fabric& fabric,
                 const fabric::SwitchGraph& graph) {
  const auto name = [&](SwitchIndex sw) { return fabric.name(fabric.switches[sw].node); };
  if (report.first_lost && report.first_lost->is_loop)
    return fmt::format("packets to hosts at {} can return to {}",
                       name(report.first_lost->destination), name(report.first_lost->sw));
  if (report.first_lost)
    return fmt::format("packets to hosts at {} can get to {}, which has no port towards it",
                       name(report.first_lost->destination), name(report.first_lost->sw));
  if (!report.credit_loops.loops.empty())
    return text(report.credit_loops.loops.front(), fabric, graph);
  if (report.outside > 0)
    return fmt::format("{} entr{} of forwarding tables name{} a port outside the group",
                       report.outside, report.outside == 1 ? "y" : "ies",
                       report.outside == 1 ? "s" : "");
  return "";
}

}  // namespace routing
