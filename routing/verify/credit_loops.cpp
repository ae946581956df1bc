#include "routing/verify/credit_loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/graph/channel_table.h"

namespace routing {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

namespace {

constexpr std::size_t kTileLids = fabric::kLftBlockLids;

// Lists the senders, which are the same for all LIDs.
struct Sources {
  std::vector<SwitchIndex> switches;  // with end ports that send
  std::vector<SwitchIndex>
      last_switch;  // PortIndex -> switch, of end ports whose LIDs count; kNoIndex for others
  std::vector<std::vector<std::uint8_t>>
      in_classes;  // per switch of `switches`: the classes of the ports that packets come in by

  /// Returns the end port's switch if packets to the LID count.
  SwitchIndex find_last_switch(PortIndex port, std::size_t lid, const std::vector<bool>& to) const {
    return port == kNoIndex || (!to.empty() && (lid >= to.size() || !to[lid])) ? kNoIndex
                                                                               : last_switch[port];
  }
  void keep_only(const std::vector<bool>& from) {
    if (from.empty()) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < switches.size(); ++i) {
      if (!from[switches[i]]) continue;
      switches[kept] = switches[i];
      in_classes[kept++] = in_classes[i];
    }
    switches.resize(kept);
    in_classes.resize(kept);
  }
};

Sources sources_of(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                   const SlToVl& sl_to_vl, Traffic traffic) {
  Sources out;
  std::vector<bool> has_lid;
  for (const PortIndex port : lids.port_of_lid) {
    if (port == kNoIndex) continue;
    if (port >= has_lid.size()) has_lid.resize(port + std::size_t{1}, false);
    has_lid[port] = true;
  }
  out.last_switch.assign(has_lid.size(), kNoIndex);
  for (const auto& end : graph.end_ports) {
    if (end.port >= has_lid.size() || !has_lid[end.port] ||
        (traffic == Traffic::between_hosts && end.out == mad::PortNum{0}))
      continue;
    out.last_switch[end.port] = end.sw;
    if (out.switches.empty() || out.switches.back() != end.sw) {
      out.switches.push_back(end.sw);
      out.in_classes.emplace_back();
    }
    const auto in_class = static_cast<std::uint8_t>(sl_to_vl.port_class(end.sw, end.out));
    if (std::ranges::find(out.in_classes.back(), in_class) == out.in_classes.back().end())
      out.in_classes.back().push_back(in_class);
  }
  return out;
}

unsigned vls_of(const SlToVl& sl_to_vl) {
  unsigned vls = 1;
  for (unsigned in = 0; !sl_to_vl.empty() && in < sl_to_vl.classes(); ++in)
    for (unsigned out = 0; out < sl_to_vl.classes(); ++out)
      for (const std::uint8_t vl : sl_to_vl.row(in, out))
        vls = std::max(vls, vl >= 15 ? 1u : vl + 1u);
  return vls;
}

// Follows LIDs from all switches with senders. Each (SL, VL, switch) is followed once per LID,
// because the rest of its path is the same.
class PathTracer {
 public:
  PathTracer(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
             const fabric::ForwardingTables& lfts, const VlMapping& mapping, const Sources& sources,
             const ChannelTable& channel_table, const std::vector<bool>& to)
      : graph_(graph),
        lids_(lids),
        lfts_(lfts),
        mapping_(mapping),
        sources_(sources),
        to_(to),
        channel_table_(channel_table),
        switches_(graph.switches()),
        vls_(vls_of(mapping.sl_to_vl)),
        one_sl_(mapping.sls.shape() == PathSls::Shape::zero && mapping.sls.free_bits == 0),
        pitch_((switches_ + 63) / 64 * 64 + 64),
        tile_(kTileLids * pitch_),
        channels_(graph, vls_, !mapping.sl_to_vl.empty() && !mapping.sl_to_vl.is_uniform()) {
    passed_.assign((one_sl_ ? 1 : 16) * vls_ * switches_, 0);
    // Counts down through the subsets, that is, all values of the bits that clients may choose.
    for (unsigned bits = mapping.sls.free_bits & 15u;; bits = (bits - 1) & mapping.sls.free_bits) {
      chosen_.push_back(static_cast<std::uint8_t>(bits));
      if (bits == 0) break;
    }
  }

  void trace_block(std::size_t block) {
    bool filled = false;
    for (std::size_t i = 0; i < kTileLids; ++i) {
      const std::size_t value = block * kTileLids + i;
      if (value >= lids_.port_of_lid.size()) break;
      const SwitchIndex last_switch =
          sources_.find_last_switch(lids_.port_of_lid[value], value, to_);
      if (last_switch == kNoIndex) continue;
      if (!filled) fill_tile(block);
      filled = true;
      trace(mad::Lid{static_cast<std::uint16_t>(value)}, last_switch, tile_.data() + i * pitch_);
    }
  }
  ChannelGraph& channels() { return channels_; }

 private:
  // Writes the channel index of each switch's exit, one column per LID.
  void fill_tile(std::size_t block) {
    for (SwitchIndex sw{0}; sw < switches_; ++sw) {
      const std::uint8_t* const exits = channel_table_.channel_indices(sw);
      std::uint8_t* out = tile_.data() + sw;
      for (const std::uint8_t port : lfts_.block(sw, block)) {
        *out = exits[port];
        out += pitch_;
      }
    }
  }

  void trace(mad::Lid lid, SwitchIndex last_switch, const std::uint8_t* exit) {
    ++now_;
    for (std::size_t i = 0; i < sources_.switches.size(); ++i) {
      const SwitchIndex from = sources_.switches[i];
      if (exit[from] == ChannelTable::kNoChannel) continue;  // it is delivered there, or dropped
      const unsigned path_sl = mapping_.sls.at(from, lid, last_switch).value;
      for (const std::uint8_t chosen : chosen_) {
        const unsigned sl = (path_sl | chosen) & 15;
        if (mapping_.sl_to_vl.empty())
          trace_on_one_vl(sl, 0, from, exit);
        else if (mapping_.sl_to_vl.is_uniform()) {
          if (const std::uint8_t vl = mapping_.sl_to_vl.row(0, 0)[sl]; vl < vls_)
            trace_on_one_vl(sl, vl, from, exit);
        } else
          for (const std::uint8_t in_class : sources_.in_classes[i])
            trace_over_vls(sl, in_class, from, exit);
      }
    }
  }

  void trace_on_one_vl(unsigned sl, unsigned vl, SwitchIndex sw, const std::uint8_t* exit) {
    std::uint32_t* const passed = passed_.data() + (one_sl_ ? 0 : sl) * vls_ * switches_;
    while (passed[sw] != now_) {
      passed[sw] = now_;
      const fabric::ChannelIndex channel = graph_.offsets[sw] + exit[sw];
      const SwitchIndex next = graph_.neighbour[channel];
      if (exit[next] == ChannelTable::kNoChannel) return;
      channels_.add(channel, vl, exit[next], vl);
      sw = next;
    }
  }

  void trace_over_vls(unsigned sl, unsigned in_class, SwitchIndex sw, const std::uint8_t* exit) {
    const SlToVl& tables = mapping_.sl_to_vl;
    fabric::ChannelIndex channel = graph_.offsets[sw] + exit[sw];
    unsigned vl = tables.row(in_class, tables.port_class(sw, graph_.port[channel]))[sl];
    while (vl < vls_) {
      std::uint32_t& passed = passed_[((one_sl_ ? 0 : sl) * vls_ + vl) * switches_ + sw];
      if (passed == now_) return;
      passed = now_;
      const SwitchIndex next = graph_.neighbour[channel];
      if (exit[next] == ChannelTable::kNoChannel) return;
      const fabric::ChannelIndex next_channel = graph_.offsets[next] + exit[next];
      const unsigned next_vl =
          tables.at(next, graph_.port[graph_.reverse[channel]], graph_.port[next_channel])[sl];
      if (next_vl >= vls_) return;  // dropped
      channels_.add(channel, vl, exit[next], next_vl);
      sw = next;
      channel = next_channel;
      vl = next_vl;
    }
  }

  const fabric::SwitchGraph& graph_;
  const fabric::LidMap& lids_;
  const fabric::ForwardingTables& lfts_;
  const VlMapping& mapping_;
  const Sources& sources_;
  const std::vector<bool>& to_;  // by LID; empty: all
  const ChannelTable& channel_table_;
  const std::size_t switches_;
  const unsigned vls_;
  const bool one_sl_;
  std::vector<std::uint8_t> chosen_;
  const std::size_t pitch_;
  std::vector<std::uint8_t> tile_;
  std::vector<std::uint32_t> passed_;  // [SL][VL][switch] -> count of the LID that passed last
  std::uint32_t now_ = 0;
  ChannelGraph channels_;
};

// Returns the VL of each LID's packets; 0xFF for LIDs that do not count. Returns an empty list
// unless each LID has one VL from all senders and on the whole path.
std::vector<std::uint8_t> vl_of_lid(const fabric::LidMap& lids, const VlMapping& mapping,
                                    const Sources& sources, const std::vector<bool>& to) {
  const bool by_lid = mapping.sls.shape() == PathSls::Shape::zero ||
                      mapping.sls.shape() == PathSls::Shape::destination;
  if (!by_lid || mapping.sls.free_bits != 0 ||
      (!mapping.sl_to_vl.empty() && !mapping.sl_to_vl.is_uniform()))
    return {};
  std::vector<std::uint8_t> out(lids.port_of_lid.size(), 0xFF);
  for (std::size_t lid = 0; lid < out.size(); ++lid) {
    if (sources.find_last_switch(lids.port_of_lid[lid], lid, to) == kNoIndex) continue;
    const unsigned sl =
        mapping.sls.at(SwitchIndex{0}, mad::Lid{static_cast<std::uint16_t>(lid)}, SwitchIndex{0})
            .value &
        15u;
    out[lid] = mapping.sl_to_vl.empty() ? 0 : mapping.sl_to_vl.row(0, 0)[sl];
  }
  return out;
}

/// Adds the channel dependencies of packets whose VL depends on the destination alone. Visits
/// switch after switch and LID after LID; a visit reads the forwarding tables of the switch and of
/// its neighbours only, which keeps them in the cache.
/// Shape: `vl_of_lid` by LID, ChannelGraph::vls() or more for LIDs without senders; LIDs in
/// [lid_begin, lid_end), multiples of 64; `sources`: the switches with senders.
void add_dependencies(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts,
                      const ChannelTable& channel_table, std::span<const std::uint8_t> vl_of_lid,
                      std::span<const SwitchIndex> sources, std::size_t lid_begin,
                      std::size_t lid_end, ChannelGraph& channels) {
  const std::size_t words = (lid_end - lid_begin) / 64;
  // Each bit is a LID whose packets arrive at a switch: `done` if it was followed from there,
  // `waiting` if it was not yet.
  std::vector<std::uint64_t> done(graph.switches() * words, 0),
      waiting(graph.switches() * words, 0), sent(words, 0);
  for (std::size_t lid = lid_begin; lid < std::min(lid_end, vl_of_lid.size()); ++lid)
    if (vl_of_lid[lid] < channels.vls())
      sent[(lid - lid_begin) / 64] |= std::uint64_t{1} << lid % 64;
  std::vector<SwitchIndex> queue(sources.begin(), sources.end());
  std::vector<bool> queued(graph.switches(), false);
  for (const SwitchIndex sw : sources) {
    std::ranges::copy(sent, waiting.begin() + static_cast<std::ptrdiff_t>(sw * words));
    queued[sw] = true;
  }
  struct Neighbour {
    SwitchIndex sw;
    const std::uint8_t* lft;    // its forwarding table
    const std::uint8_t* exits;  // channel index by port
    std::uint64_t* waiting;
    bool reached;
  };
  std::array<Neighbour, 256> neighbours{};
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const SwitchIndex sw = queue[next];
    queued[sw] = false;
    const fabric::ChannelIndex first_channel = graph.offsets[sw];
    for (unsigned i = 0; i < graph.degree(sw); ++i) {
      const SwitchIndex other = graph.neighbour[first_channel + i];
      neighbours[i] = {other, lfts.row(other).data(), channel_table.channel_indices(other),
                       waiting.data() + other * words, false};
    }
    const std::uint8_t *const lft = lfts.row(sw).data(), *const exits =
                                                             channel_table.channel_indices(sw);
    for (std::size_t word = 0; word < words; ++word) {
      std::uint64_t& pending = waiting[sw * words + word];
      std::uint64_t bits = pending & ~done[sw * words + word];
      done[sw * words + word] |= bits;
      pending = 0;
      for (; bits != 0; bits &= bits - 1) {
        const std::size_t lid =
            lid_begin + word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        const std::uint8_t exit = exits[lft[lid]];
        if (exit == ChannelTable::kNoChannel) continue;  // delivered here, or dropped
        Neighbour& neighbour = neighbours[exit];
        const std::uint8_t onward = neighbour.exits[neighbour.lft[lid]];
        if (onward == ChannelTable::kNoChannel) continue;
        channels.add(first_channel + exit, vl_of_lid[lid], onward, vl_of_lid[lid]);
        neighbour.waiting[word] |= bits & -bits;
        neighbour.reached = true;
      }
    }
    for (unsigned i = 0; i < graph.degree(sw); ++i) {
      if (!neighbours[i].reached || queued[neighbours[i].sw]) continue;
      queued[neighbours[i].sw] = true;
      queue.push_back(neighbours[i].sw);
    }
  }
}

}  // namespace

ChannelGraph find_dependencies(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                               const fabric::ForwardingTables& lfts, const VlMapping& mapping,
                               Traffic traffic, std::span<const Dependency> others) {
  ChannelGraph all = find_dependencies_of(graph, lids, lfts, mapping, traffic, {}, {});
  for (const Dependency& dependency : others) all.add(dependency);
  return all;
}

ChannelGraph find_dependencies_of(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                                  const fabric::ForwardingTables& lfts, const VlMapping& mapping,
                                  Traffic traffic, const std::vector<bool>& to,
                                  const std::vector<bool>& from) {
  Sources sources = sources_of(graph, lids, mapping.sl_to_vl, traffic);
  sources.keep_only(from);
  const ChannelTable channel_table(graph);
  constexpr std::size_t kStepsWorthAThread = 200'000;
  const std::size_t blocks =
      std::min(lfts.blocks(), (lids.port_of_lid.size() + kTileLids - 1) / kTileLids);
  std::mutex mutex;
  ChannelGraph all(graph, vls_of(mapping.sl_to_vl),
                   !mapping.sl_to_vl.empty() && !mapping.sl_to_vl.is_uniform());
  const std::vector<std::uint8_t> vls = vl_of_lid(lids, mapping, sources, to);
  if (lfts.switches() == graph.switches() && !vls.empty()) {
    constexpr std::size_t kBlocksWorthAThread = 2'000'000 / kTileLids;
    fabric::in_parallel(blocks, kBlocksWorthAThread / (graph.switches() + 1) + 1,
                        [&](std::size_t begin, std::size_t end) {
                          ChannelGraph part(graph, all.vls(), false);
                          add_dependencies(graph, lfts, channel_table, vls, sources.switches,
                                           begin * kTileLids, end * kTileLids, part);
                          const std::lock_guard lock(mutex);
                          all.merge(part);
                        });
  } else if (lfts.switches() == graph.switches()) {
    fabric::in_parallel(blocks, kStepsWorthAThread / (kTileLids * (graph.switches() + 1)) + 1,
                        [&](std::size_t begin, std::size_t end) {
                          PathTracer tracer(graph, lids, lfts, mapping, sources, channel_table, to);
                          for (std::size_t block = begin; block < end; ++block)
                            tracer.trace_block(block);
                          const std::lock_guard lock(mutex);
                          all.merge(tracer.channels());
                        });
  }
  return all;
}

CreditLoops find_credit_loops(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                              const fabric::ForwardingTables& lfts, const VlMapping& mapping,
                              Traffic traffic, std::span<const Dependency> others) {
  return find_cycles(find_dependencies(graph, lids, lfts, mapping, traffic, others));
}

std::string text(const CreditLoops::Loop& loop, const fabric::Fabric& fabric,
                 const fabric::SwitchGraph& graph) {
  const auto channel_text = [&](const Channel& channel) {
    const SwitchIndex sw = graph.neighbour[graph.reverse[channel.channel]];
    return fmt::format("{} port {} VL {}", fabric.name(fabric.switches[sw].node),
                       graph.port[channel.channel], channel.vl);
  };
  constexpr std::size_t kShown = 12;
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, loop.cycle.size()); ++i)
    out += channel_text(loop.cycle[i]) + " -> ";
  if (loop.cycle.size() > kShown) out += fmt::format("{} more -> ", loop.cycle.size() - kShown);
  if (!loop.cycle.empty()) out += channel_text(loop.cycle.front());
  return fmt::format("credit loop possible: {} ({} channels)", out, loop.channels);
}

}  // namespace routing
