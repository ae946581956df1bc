#include "routing/engines/virtual_lanes/lash_paths.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "mad/format.h"

namespace routing {
using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;
namespace {

constexpr std::size_t kDegreeMax = 16;

// Holds classes of channels of one dimension (union-find).
class Classes {
 public:
  explicit Classes(std::size_t channels) : parent_(channels) {
    std::iota(parent_.begin(), parent_.end(), ChannelIndex{0});
  }
  ChannelIndex of(ChannelIndex channel) {
    while (parent_[channel] != channel) channel = parent_[channel] = parent_[parent_[channel]];
    return channel;
  }
  void join(ChannelIndex a, ChannelIndex b) { parent_[of(a)] = of(b); }

 private:
  fabric::IndexVector<ChannelIndex, ChannelIndex> parent_;
};

class Chooser {
 public:
  Chooser(const LashSearch& search, LashTieBreak tie_break, AcyclicChannels& vl)
      : search_(search),
        graph_(search.graph),
        tie_break_(tie_break),
        vl_(vl),
        load_(graph_.port.size(), 0),
        cost_(graph_.switches()),
        misfits_(graph_.switches()),
        via_(graph_.switches()),
        carried_(graph_.switches()) {}

  void route(unsigned tree, SwitchIndex last_switch, LashPaths& out) {
    last_switch_ = last_switch;
    cost_[last_switch] = 0;
    misfits_[last_switch] = 0;
    via_[last_switch] = kNoIndex;
    vl_.start_log();
    for (const ShortestDag::Source& source : search_.dag.sources()) {
      choose(source);
      out.set(tree, source.sw, last_switch, via_[source.sw]);
    }
    carry();
  }
  void take_back(unsigned tree, SwitchIndex last_switch, const LashPaths& paths) {
    last_switch_ = last_switch;
    for (const ShortestDag::Source& source : search_.dag.sources())
      via_[source.sw] = paths.channel(tree, source.sw, last_switch);
    add_load(~std::uint64_t{0});
  }
  std::vector<std::uint64_t> take_loads() { return std::move(load_); }

 private:
  // Returns a rank that is compared before the load, and that needs no search on the VL.
  std::uint64_t rank(const ShortestDag::Hop& hop) const {
    return tie_break_ == LashTieBreak::mesh ? search_.axes->of_channel[hop.channel]
                                            : misfits_[hop.to];
  }

  bool fits(const ShortestDag::Hop& hop, bool existing_only) {
    if (hop.to == last_switch_) return true;
    const unsigned position = via_[SwitchIndex{hop.to}] - graph_.offsets[SwitchIndex{hop.to}];
    // A dependency towards a switch without hosts is accepted only if this needs no search.
    if (search_.hosts[last_switch_] == 0) return vl_.allow_at_once(hop.channel, position);
    return existing_only ? vl_.has(hop.channel, position) : vl_.allow(hop.channel, position);
  }

  void choose(const ShortestDag::Source& source) {
    keys_.clear();
    for (std::uint32_t k = source.begin; k < source.end; ++k) {
      const ShortestDag::Hop& hop = search_.dag.hops()[k];
      keys_.push_back({rank(hop), cost_[hop.to] + load_[hop.channel], k});
    }
    std::ranges::sort(keys_);
    const Key* chosen = &keys_.front();
    bool fit = true;
    if (tie_break_ != LashTieBreak::mesh) {
      const auto best_that_fits = [&](bool existing_only) {
        const auto it = std::ranges::find_if(keys_, [&](const Key& key) {
          return key.rank == keys_.front().rank && fits(search_.dag.hops()[key.hop], existing_only);
        });
        return it == keys_.end() ? nullptr : &*it;
      };
      const Key* fitting = tie_break_ == LashTieBreak::narrow ? best_that_fits(true) : nullptr;
      if (fitting == nullptr) fitting = best_that_fits(false);
      fit = fitting != nullptr;
      if (fit) chosen = fitting;
    }
    const ShortestDag::Hop& hop = search_.dag.hops()[chosen->hop];
    via_[source.sw] = hop.channel;
    cost_[source.sw] = chosen->cost;
    misfits_[source.sw] = misfits_[hop.to] + (fit ? 0u : 1u);
  }

  // Adds the load; `times` -1 (modulo 2^64) subtracts it.
  void add_load(std::uint64_t times) {
    std::ranges::copy(search_.hosts, carried_.begin());
    const auto sources = search_.dag.sources();
    for (std::size_t i = sources.size(); i-- > 0;) {
      const SwitchIndex sw = sources[i].sw;
      load_[via_[sw]] += times * carried_[sw] * search_.hosts[last_switch_];
      carried_[graph_.neighbour[via_[sw]]] += carried_[sw];
    }
  }

  // Adds the load, and removes dependencies that no hosts use from the VL.
  void carry() {
    add_load(1);
    if (search_.hosts[last_switch_] == 0) return;
    vl_.remove_logged_unless([&](fabric::ChannelIndex from, unsigned to_index) {
      const SwitchIndex sw = graph_.neighbour[graph_.reverse[from]], next = graph_.neighbour[from];
      return via_[sw] == from && via_[next] == graph_.offsets[next] + to_index && carried_[sw] > 0;
    });
  }

  struct Key {
    std::uint64_t rank, cost;
    std::uint32_t hop;
    auto operator<=>(const Key&) const = default;
  };
  const LashSearch& search_;
  const fabric::SwitchGraph& graph_;
  const LashTieBreak tie_break_;
  AcyclicChannels& vl_;
  std::vector<std::uint64_t> load_;  // by channel: pairs of hosts
  SwitchIndex last_switch_ = kNoIndex;
  std::vector<Key> keys_;
  // These are by switch.
  std::vector<std::uint64_t> cost_;
  std::vector<std::uint32_t> misfits_;  // dependencies on the path that are not on the VL
  fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> via_;
  std::vector<std::uint32_t> carried_;
};

}  // namespace

ShortestDag::ShortestDag(const fabric::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
                         std::span<const std::uint8_t> open, std::vector<SwitchIndex> order)
    : hops_(hops), order_(std::move(order)) {
  for (const SwitchIndex sw : graph.all_switches()) {
    first_.push_back(static_cast<std::uint32_t>(open_.size()));
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      if (open[channel] != 0)
        open_.push_back({channel, static_cast<std::uint16_t>(graph.neighbour[channel]),
                         graph.port[channel].value});
  }
  first_.push_back(static_cast<std::uint32_t>(open_.size()));
  candidates_.resize(open_.size() + 1);
}

void ShortestDag::find(SwitchIndex to) {
  const std::uint8_t* const distance = hops_.row(to);  // the same in both directions
  std::array<std::uint32_t, 257>
      index{};  // first source of each distance; distance 0 and unconnected switches are left out
  for (const SwitchIndex sw : order_) ++index[distance[sw] + 1u];
  index[1] = 0;
  for (std::size_t i = 2; i < index.size(); ++i) index[i] += index[i - 1];
  sources_.resize(index[255]);
  for (const SwitchIndex sw : order_)
    if (distance[sw] != 0 && distance[sw] != HopTable<std::uint8_t>::kNoPath)
      sources_[index[distance[sw]]++].sw = sw;
  Hop* next = candidates_.data();
  for (Source& source : sources_) {
    source.begin = static_cast<std::uint32_t>(next - candidates_.data());
    const unsigned nearer = distance[source.sw] - 1u;
    for (std::uint32_t k = first_[source.sw]; k < first_[source.sw + 1]; ++k) {
      *next = open_[k];
      next += distance[open_[k].to] == nearer
                  ? 1
                  : 0;  // without a branch, which would be mispredicted half of the time
    }
    source.end = static_cast<std::uint32_t>(next - candidates_.data());
  }
}

std::optional<MeshAxes> mesh_axes(const fabric::SwitchGraph& graph,
                                  std::span<const SwitchIndex> order) {
  for (const SwitchIndex sw : order)
    if (graph.degree(sw) > kDegreeMax) return std::nullopt;
  Classes classes(graph.port.size());
  for (const ChannelIndex channel : graph.port.indices())
    classes.join(channel, graph.reverse[channel]);
  for (const SwitchIndex sw : order) {
    for (const ChannelIndex a : graph.channels(sw)) {
      for (ChannelIndex b = a + 1; b < graph.offsets[sw + 1]; ++b) {
        // Counts squares with both links, that is, common neighbours of their other ends.
        ChannelIndex beside_a = kNoIndex, beside_b = kNoIndex;
        unsigned squares = 0;
        const SwitchIndex at_a = graph.neighbour[a], at_b = graph.neighbour[b];
        for (const ChannelIndex i : graph.channels(at_a))
          for (const ChannelIndex k : graph.channels(at_b)) {
            if (graph.neighbour[i] != graph.neighbour[k] || graph.neighbour[i] == sw) continue;
            ++squares;
            beside_a = i;
            beside_b = k;
          }
        if (squares == 0) classes.join(a, b);
        if (squares != 1) continue;
        classes.join(a, beside_b);
        classes.join(b, beside_a);
      }
    }
  }
  MeshAxes out{std::vector<std::uint8_t>(graph.port.size()), 0};
  constexpr std::uint32_t kNoAxis = 0xFFFFFFFFu;
  fabric::IndexVector<ChannelIndex, std::uint32_t> number(graph.port.size(), kNoAxis);
  for (const SwitchIndex sw : order) {
    std::array<unsigned, 256> met{};
    for (const ChannelIndex channel : graph.channels(sw)) {
      std::uint32_t& axis = number[classes.of(channel)];
      if (axis == kNoAxis) axis = out.count++;
      if (axis >= met.size() || ++met[axis] > 2) return std::nullopt;
      out.of_channel[channel] = static_cast<std::uint8_t>(axis);
    }
  }
  if (out.count < 2) return std::nullopt;
  return out;
}

LashPaths choose_paths(const LashSearch& search, LashTieBreak tie_break,
                       AcyclicChannels& first_vl) {
  LashPaths out(search.graph, search.trees);
  Chooser chooser(search, tie_break, first_vl);
  for (unsigned pass = 0; pass < search.passes; ++pass) {
    for (const SwitchIndex last_switch : search.destinations) {
      search.dag.find(last_switch);
      for (unsigned tree = 0; tree < search.trees; ++tree) {
        if (pass > 0) chooser.take_back(tree, last_switch, out);
        chooser.route(tree, last_switch, out);
      }
    }
  }
  out.loads = chooser.take_loads();
  return out;
}

}  // namespace routing
