
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/core/mix.h"
#include "routing/engines/virtual_lanes/lash_result.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/qos/channel_layers.h"
#include "routing/qos/operational_vls.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

using Attachment = TableState::Attachment;
constexpr std::uint8_t kNone = LashPaths::kNone;

/// Adds the hosts that paths to a switch carry to the loads of their channels; `times` -1 (modulo
/// 2^64) subtracts them.
void add_loads(const fabric::SwitchGraph& graph, const LashPaths& paths,
               std::span<const SwitchIndex> nearest, std::span<const std::uint32_t> hosts,
               std::uint64_t times, std::vector<std::uint64_t>& loads) {
  if (nearest.empty() || hosts[nearest.front()] == 0) return;
  const SwitchIndex last = nearest.front();
  std::vector<std::uint64_t> carried(hosts.begin(), hosts.end());
  for (std::size_t i = nearest.size(); i-- > 1;) {
    const SwitchIndex sw = nearest[i];
    if (paths.position(0, sw, last) == kNone) continue;
    const ChannelIndex channel = paths.channel(0, sw, last);
    loads[channel] += times * carried[sw] * hosts[last];
    carried[graph.neighbour[channel]] += carried[sw];
  }
}

class LashReroute {
 public:
  LashReroute(const LashInput& frame, const LashState& state, std::size_t available)
      : frame_(frame),
        input_(frame.input),
        full_(frame.input.graph),
        graph_(frame.bundles.graph),
        state_(state),
        before_(*input_.previous_routing->memory.rows),
        published_(input_.previous_routing->published),
        was_(correspondence(before_, input_.fabric, full_)),
        rows_(table_state(input_)),
        start_vl_(input_.options.lash_start_vl),
        available_(available),
        switches_(full_.switches()),
        paths_(graph_, 1) {}

  std::optional<RoutingResult> run() {
    if (!is_possible()) return std::nullopt;
    map_channels();
    keep_hops();
    reroute_over_new_links();
    sort_by_destination();
    if (!are_few()) return std::nullopt;
    auto vls = vls_before();
    if (!vls) return std::nullopt;
    count_loads();
    choose_hops(vls->front());
    LashLayers layers(graph_, std::move(paths_), frame_.hosts.at_switch, frame_.order,
                      climbing_first(graph_, frame_.levels.position), std::move(*vls),
                      vls_of_pairs());
    if (!assign(layers)) return std::nullopt;
    return result(layers);
  }

 private:
  bool is_possible() const {
    const PathSls::Shape shape = published_.sls.shape();
    if (state_.switches != before_.switches ||
        input_.previous_routing->lfts.switches() != before_.switches.size() ||
        !input_.previous_routing->memory.dependencies ||
        (shape != PathSls::Shape::zero && shape != PathSls::Shape::switch_pair))
      return false;
    return counts_most_hosts() &&
           std::ranges::all_of(input_.fabric.switches, [&](const fabric::Switch& sw) {
             return sw.info.linear_fdb_cap() > input_.lids.lid_top.value;
           });
  }
  /// Returns false if too many hosts came or went since the loads were counted.
  bool counts_most_hosts() const {
    constexpr std::uint64_t kShare = 16;
    std::uint64_t all = 0, others = 0;
    for (const SwitchIndex sw : graph_.all_switches()) {
      if (previous(sw) == kNoIndex) continue;
      const std::uint64_t now = frame_.hosts.at_switch[sw], then = state_.hosts[previous(sw)];
      all += now;
      others += std::max(now, then) - std::min(now, then);
    }
    return others * kShare <= all + kShare;
  }

  SwitchIndex previous(SwitchIndex sw) const { return was_.previous_switch[sw]; }

  void map_channels() {
    now_of_.assign(state_.bundles.graph.port.size(), kNoIndex);
    is_new_.assign(graph_.port.size(), true);
    std::vector<ChannelIndex> towards(switches_, kNoIndex);
    for (const SwitchIndex sw : graph_.all_switches()) {
      if (previous(sw) == kNoIndex) continue;
      for (const ChannelIndex channel : graph_.channels(sw))
        towards[graph_.neighbour[channel]] = channel;
      for (const ChannelIndex channel : state_.bundles.graph.channels(previous(sw))) {
        const SwitchIndex other = was_.current_switch[state_.bundles.graph.neighbour[channel]];
        if (other == kNoIndex || towards[other] == kNoIndex) continue;
        now_of_[channel] = towards[other];
        is_new_[towards[other]] = false;
      }
      for (const ChannelIndex channel : graph_.channels(sw))
        towards[graph_.neighbour[channel]] = kNoIndex;
    }
  }

  void keep_hops() {
    without_hop_.resize(switches_);
    constexpr std::size_t kWorthAThread = 64;
    fabric::in_parallel(switches_, kWorthAThread, [&](std::size_t begin, std::size_t end) {
      for (auto from = SwitchIndex(begin); from < end; ++from) keep_hops_of(from);
    });
  }
  void keep_hops_of(SwitchIndex from) {
    const std::uint8_t* const distance = frame_.hops.row(from);
    const SwitchIndex from_before = previous(from);
    for (const SwitchIndex to : graph_.all_switches()) {
      if (to == from || distance[to] == HopTable<std::uint8_t>::kNoPath) continue;
      const SwitchIndex to_before = previous(to);
      if (from_before != kNoIndex && to_before != kNoIndex &&
          state_.paths.position(0, from_before, to_before) != kNone) {
        const ChannelIndex now = now_of_[state_.paths.channel(0, from_before, to_before)];
        if (now != kNoIndex && leads_to(now, to, distance[to])) {
          paths_.set(0, from, to, now);
          continue;
        }
      }
      without_hop_[from].push_back(to);
    }
  }
  /// True if the channel is on a shortest path of that many hops.
  bool leads_to(ChannelIndex channel, SwitchIndex to, unsigned hops) const {
    return frame_.hops.row(graph_.neighbour[channel])[to] + 1u == hops;
  }

  /// Moves destinations from the most used channels to new links, until these have their share.
  void reroute_over_new_links() {
    for (const SwitchIndex sw : graph_.all_switches()) {
      if (previous(sw) == kNoIndex) continue;
      std::vector<ChannelIndex> added;
      for (const ChannelIndex channel : graph_.channels(sw))
        if (is_new_[channel]) added.push_back(channel);
      if (!added.empty()) lead_over(sw, added);
    }
  }
  void lead_over(SwitchIndex sw, std::span<const ChannelIndex> added) {
    std::vector<std::vector<SwitchIndex>> over(graph_.degree(sw));  // by channel: destinations
    const std::uint8_t* const distance = frame_.hops.row(sw);
    for (const SwitchIndex to : graph_.all_switches())
      if (frame_.hosts.at_switch[to] > 0 && to != sw && paths_.position(0, sw, to) != kNone &&
          std::ranges::any_of(
              added, [&](ChannelIndex channel) { return leads_to(channel, to, distance[to]); }))
        over[paths_.position(0, sw, to)].push_back(to);
    std::size_t destinations = 0, used = 0;
    for (auto& of_channel : over) {
      std::ranges::sort(of_channel, {},
                        [&](SwitchIndex to) { return mix(rows_.switches[to].value); });
      destinations += of_channel.size();
      used += of_channel.empty() ? 0u : 1u;
    }
    for (std::size_t left = destinations / (used + added.size()) * added.size(); left > 0; --left) {
      auto& most = *std::ranges::max_element(
          over, {}, [](const std::vector<SwitchIndex>& of) { return of.size(); });
      paths_.unset(0, sw, most.back());
      without_hop_[sw].push_back(most.back());
      most.pop_back();
    }
  }

  void sort_by_destination() {
    sources_.resize(switches_);
    for (const SwitchIndex from : frame_.order)
      for (const SwitchIndex to : without_hop_[from]) sources_[to].push_back(from);
  }
  bool are_few() const {
    std::size_t pairs = 0;
    for (const auto& of_switch : without_hop_) pairs += of_switch.size();
    constexpr std::size_t kShare = 8;
    return pairs * kShare <= switches_ * switches_;
  }

  std::optional<std::vector<AcyclicChannels>> vls_before() const {
    const ChannelGraph& dependencies = *input_.previous_routing->memory.dependencies;
    if (dependencies.vls() < published_.vls || dependencies.vls() <= start_vl_) return std::nullopt;
    std::vector<ChannelIndex> bundle_now(before_.graph.port.size(), kNoIndex);
    for (const ChannelIndex bundle : state_.bundles.graph.port.indices())
      for (const ChannelIndex link : state_.bundles.find_links(bundle))
        bundle_now[link] = now_of_[bundle];
    auto vls = layers_of(dependencies.moved_to(graph_, bundle_now), graph_, frame_.levels.position);
    if (!vls) return std::nullopt;
    return std::vector<AcyclicChannels>(std::make_move_iterator(vls->begin() + start_vl_),
                                        std::make_move_iterator(vls->end()));
  }

  /// Computes the loads without the paths to destinations that lose hops.
  void count_loads() {
    std::vector<std::uint64_t> loads = state_.paths.loads;
    const fabric::SwitchGraph& before = state_.bundles.graph;
    std::vector<SwitchIndex> order_before;
    for (const SwitchIndex sw : before.all_switches()) order_before.push_back(sw);
    for (const SwitchIndex to : order_before) {
      const SwitchIndex now = was_.current_switch[to];
      if (now == kNoIndex || !sources_[now].empty())
        add_loads(before, state_.paths, nearest_first(state_.hops.row(to), order_before),
                  state_.hosts, ~std::uint64_t{0}, loads);
      else
        take_back_lost_sources(to, loads);
    }
    paths_.loads.assign(graph_.port.size(), 0);
    for (const ChannelIndex channel : now_of_.indices())
      if (now_of_[channel] != kNoIndex) paths_.loads[now_of_[channel]] = loads[channel];
    // Hosts that came or went since then do not make the loads of other paths wrong.
    for (const SwitchIndex sw : graph_.all_switches())
      hosts_.push_back(previous(sw) == kNoIndex ? frame_.hosts.at_switch[sw]
                                                : state_.hosts[previous(sw)]);
  }

  /// Subtracts the paths to a previous switch from switches that have left.
  void take_back_lost_sources(SwitchIndex to, std::vector<std::uint64_t>& loads) const {
    const fabric::SwitchGraph& before = state_.bundles.graph;
    for (const SwitchIndex from : before.all_switches()) {
      if (was_.current_switch[from] != kNoIndex) continue;
      for (SwitchIndex sw = from; sw != to && state_.paths.position(0, sw, to) != kNone;) {
        const ChannelIndex channel = state_.paths.channel(0, sw, to);
        loads[channel] -= std::uint64_t{state_.hosts[from]} * state_.hosts[to];
        sw = before.neighbour[channel];
      }
    }
  }

  void choose_hops(AcyclicChannels& first_vl) {
    for (const SwitchIndex to : frame_.order) {
      std::vector<SwitchIndex>& sources = sources_[to];
      if (sources.empty()) continue;
      const std::uint8_t* const distance = frame_.hops.row(to);
      std::ranges::sort(
          sources, {}, [&](SwitchIndex sw) { return std::pair(distance[sw], rows_.switches[sw]); });
      for (const SwitchIndex from : sources) choose_hop(from, to, first_vl);
      const std::vector<SwitchIndex> nearest = nearest_first(distance, frame_.order);
      add_loads(graph_, paths_, nearest, hosts_, 1, paths_.loads);
      find_changed_pairs(to, nearest);
    }
  }
  void choose_hop(SwitchIndex from, SwitchIndex to, AcyclicChannels& first_vl) {
    const unsigned hops = frame_.hops.row(from)[to];
    std::array<std::pair<std::uint64_t, ChannelIndex>, 256> candidates;
    std::size_t count = 0;
    for (const ChannelIndex channel : graph_.channels(from)) {
      if (!leads_to(channel, to, hops)) continue;
      std::uint64_t cost = paths_.loads[channel];
      for (SwitchIndex sw = graph_.neighbour[channel]; sw != to;) {
        const ChannelIndex next = paths_.channel(0, sw, to);
        cost += paths_.loads[next];
        sw = graph_.neighbour[next];
      }
      candidates[count++] = {cost, channel};
    }
    const auto sorted = std::span(candidates).first(count);
    std::ranges::sort(sorted);
    const auto fits = [&](const std::pair<std::uint64_t, ChannelIndex>& candidate) {
      const SwitchIndex next = graph_.neighbour[candidate.second];
      if (next == to) return true;
      const unsigned position = paths_.position(0, next, to);
      return frame_.hosts.at_switch[to] == 0 ? first_vl.allow_at_once(candidate.second, position)
                                             : first_vl.allow(candidate.second, position);
    };
    const auto found = std::ranges::find_if(sorted, fits);
    paths_.set(0, from, to, (found != sorted.end() ? *found : sorted.front()).second);
  }
  void find_changed_pairs(SwitchIndex to, std::span<const SwitchIndex> nearest) {
    std::vector<bool> changed(switches_, false);
    for (const SwitchIndex from : sources_[to]) changed[from] = true;
    for (const SwitchIndex from : nearest.subspan(1)) {
      if (changed[graph_.neighbour[paths_.channel(0, from, to)]]) changed[from] = true;
      if (changed[from]) add_pair(from, to);
    }
  }
  void add_pair(SwitchIndex a, SwitchIndex b) {
    const bool in_order = rows_.switches[a] < rows_.switches[b];
    changed_pairs_.push_back({in_order ? a : b, in_order ? b : a, 0});
  }

  std::vector<std::uint8_t> vls_of_pairs() const {
    std::vector<std::uint8_t> pair_vl(switches_ * switches_, 0);
    if (published_.sls.shape() == PathSls::Shape::zero) return pair_vl;
    for (const SwitchIndex from : graph_.all_switches()) {
      if (previous(from) == kNoIndex) continue;
      const auto row = published_.sls.row(previous(from));
      for (const SwitchIndex to : graph_.all_switches())
        if (previous(to) != kNoIndex)
          pair_vl[from * switches_ + to] = static_cast<std::uint8_t>(row[previous(to)] - start_vl_);
    }
    return pair_vl;
  }

  bool assign(LashLayers& layers) {
    add_pairs_of_new_hosts();
    const auto key = [&](const LashLayers::Pair& pair) {
      return std::pair(rows_.switches[pair.a], rows_.switches[pair.b]);
    };
    std::ranges::sort(changed_pairs_, {}, key);
    const auto [first, last] = std::ranges::unique(changed_pairs_, {}, key);
    changed_pairs_.erase(first, last);
    const auto have_hosts = [&](const LashLayers::Pair& pair) {
      return frame_.hosts.at_switch[pair.a] > 0 && frame_.hosts.at_switch[pair.b] > 0;
    };
    for (const LashLayers::Pair& pair : changed_pairs_)
      if (have_hosts(pair) && !layers.assign_again(pair, available_)) return false;
    return true;
  }
  /// Pairs of switches without hosts may be on a VL where they close a cycle. Such pairs are
  /// assigned again if they have hosts now.
  void add_pairs_of_new_hosts() {
    std::vector<bool> had_hosts(before_.switches.size(), false);
    for (const Attachment& at : before_.attachments)
      if (at.sw != kNoIndex && at.out != 0) had_hosts[at.sw] = true;
    for (const SwitchIndex sw : frame_.order)
      if (frame_.hosts.at_switch[sw] > 0 && (previous(sw) == kNoIndex || !had_hosts[previous(sw)]))
        for (const SwitchIndex other : frame_.order)
          if (other != sw && frame_.hops.row(sw)[other] != HopTable<std::uint8_t>::kNoPath)
            add_pair(sw, other);
  }

  RoutingResult result(LashLayers& layers) {
    RoutingResult out(
        lash_tables_after({frame_, layers.paths(), was_, rows_, is_new_, without_hop_}));
    out.multicast_up = multicast_tree(layers);
    std::size_t unsafe = 0;
    for (const LashLayers::Pair& pair : changed_pairs_)
      if ((frame_.hosts.at_switch[pair.a] == 0 || frame_.hosts.at_switch[pair.b] == 0) &&
          !layers.assign_other(pair))
        ++unsafe;
    const unsigned vls = start_vl_ + static_cast<unsigned>(layers.vls());
    out.vls = std::max(published_.vls, vls);
    if (out.vls > 1) {
      out.sls = sls_of(frame_, layers);
      out.sl_to_vl = SlToVl::identity(out.vls);
    }
    out.note(fmt::format("lash: {} of {} VLs used to exclude credit loops", layers.vls(),
                         data_vls(input_)));
    // Some pairs that have not changed may be on a VL where they close a cycle.
    const auto& notes = input_.previous_routing->memory.notes;
    const auto known = std::ranges::find_if(
        notes, [](const fabric::Condition& note) { return note.text.starts_with(kUnsafePairs); });
    if (known != notes.end())
      out.conditions.push_back(*known);
    else if (unsafe > 0)
      out.note(unsafe_pairs(unsafe));
    out.rows = lash_rows(frame_, layers.paths(), hosts_);
    return out;
  }

  /// Returns the previous tree if all of its links still exist.
  fabric::IndexVector<SwitchIndex, ChannelIndex> multicast_tree(LashLayers& layers) {
    const auto& up_before = published_.multicast_up;
    const bool has_new_switch = std::ranges::find(was_.previous_switch, SwitchIndex{kNoIndex}) !=
                                was_.previous_switch.end();
    if (up_before.empty() || has_new_switch) return lash_multicast_tree(frame_, layers);
    std::vector<ChannelIndex> bundle_before(before_.graph.port.size(), kNoIndex);
    for (const ChannelIndex bundle : state_.bundles.graph.port.indices())
      for (const ChannelIndex link : state_.bundles.find_links(bundle))
        bundle_before[link] = bundle;
    fabric::IndexVector<SwitchIndex, ChannelIndex> up = up_before;
    for (ChannelIndex& channel : up)
      if (channel != kNoIndex) channel = bundle_before[channel];
    Correspondence of_bundles;
    of_bundles.previous_switch = was_.previous_switch;
    of_bundles.current_channel.assign(now_of_.begin(), now_of_.end());
    auto tree = kept_tree(graph_, of_bundles, up, frame_.order, layers.first_vl());
    if (!tree) return lash_multicast_tree(frame_, layers);
    for (const SwitchIndex sw : full_.all_switches()) {  // the same link, if it exists
      if ((*tree)[sw] == kNoIndex) continue;
      const ChannelIndex link = was_.current_channel[up_before[previous(sw)]];
      (*tree)[sw] = link != kNoIndex ? link : frame_.bundles.find_links((*tree)[sw]).front();
    }
    return std::move(*tree);
  }

  const LashInput& frame_;
  const RoutingInput& input_;
  const fabric::SwitchGraph& full_;
  const fabric::SwitchGraph& graph_;  // without parallel links
  const LashState& state_;
  const TableState& before_;
  const fabric::PublishedRouting& published_;
  const Correspondence was_;
  const TableState rows_;
  const unsigned start_vl_;
  const std::size_t available_, switches_;
  LashPaths paths_;
  fabric::IndexVector<ChannelIndex, ChannelIndex> now_of_;  // of bundles before; kNoIndex: lost
  std::vector<bool> is_new_;                                // by bundle
  std::vector<std::vector<SwitchIndex>> without_hop_;       // by switch: destinations
  std::vector<std::vector<SwitchIndex>> sources_;           // the same by destination
  std::vector<std::uint32_t> hosts_;                        // by switch, that loads count
  std::vector<LashLayers::Pair> changed_pairs_;
};

}  // namespace

std::optional<RoutingResult> reroute_lash(const LashInput& frame, std::size_t available) {
  const RoutingInput& input = frame.input;
  if (input.previous_routing == nullptr || input.previous_routing->memory.adopted || input.adopt)
    return std::nullopt;
  const auto* const state =
      dynamic_cast<const LashState*>(input.previous_routing->memory.rows->own.get());
  if (state == nullptr) return std::nullopt;
  return LashReroute(frame, *state, available).run();
}

}  // namespace routing
