#include "routing/engines/virtual_lanes/nue_search.h"

#include <algorithm>
#include <optional>

#include "mad/format.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

NueSearch::NueSearch(const fabric::SwitchGraph& graph, ShortestGroups groups,
                     std::span<const std::uint8_t> open, std::span<const std::uint32_t> senders)
    : graph_(graph),
      groups_(std::move(groups)),
      open_(open),
      senders_(senders),
      weight_(graph.port.size() + NextCosts::kPad, 0),
      position_(graph.switches()),
      on_sender_path_(graph.switches()),
      via_(graph.switches()),
      cost_(graph.switches() + 1, kNoPathCost),
      hops_(graph.switches()),
      carried_(graph.switches()),
      first_child_(graph.switches(), kNoIndex),
      next_child_(graph.switches(), kNoIndex) {
  for (std::uint32_t i = 0; i < groups_.order().size(); ++i) position_[groups_.order()[i]] = i;
  for (const SwitchIndex sw : graph.all_switches())
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      weight_[channel] = channel - graph.offsets[sw];
}

void NueSearch::begin(SwitchIndex last_switch) {
  if (last_switch != last_switch_) {
    last_switch_ = last_switch;
    groups_.find(last_switch);
    for (const SwitchIndex sw : graph_.all_switches())
      on_sender_path_[sw] = senders_[sw] > 0 ? 1 : 0;
    const auto groups = groups_.groups();
    for (std::size_t i = groups.size(); i-- > 0;)
      if (std::ranges::any_of(groups_.sources(groups[i]),
                              [&](const auto& source) { return on_sender_path_[source.sw] != 0; }))
        for (const std::uint16_t next : groups_.next(groups[i]))
          if (next < graph_.switches()) on_sender_path_[next] = 1;
  }
  near_first_.clear();
  std::ranges::fill(cost_, kNoPathCost);
  cost_[last_switch] = 0;
  hops_[last_switch] = 0;
  via_[last_switch] = kNoIndex;
}

bool NueSearch::fits(NueVl& vl, fabric::ChannelIndex channel, SwitchIndex to, Effort effort) const {
  return to == last_switch_ || allow(vl, channel, via_[to] - graph_.offsets[to], effort);
}

void NueSearch::take(SwitchIndex sw, fabric::ChannelIndex channel, SwitchIndex to, double cost) {
  via_[sw] = channel;
  cost_[sw] = cost;
  hops_[sw] = hops_[to] + 1;
  near_first_.push_back(sw);
}

// Takes the least loaded candidate that closes no cycle. `costs`: of the next switches of the
// source's group.
bool NueSearch::take_shortest(NueVl* vl, const NextCosts& costs,
                              std::span<const std::uint16_t> next,
                              const ShortestGroups::Source& source, Effort effort) {
  const double* const weights = weight_.data() + source.first;
  const fabric::ChannelIndex offset = graph_.offsets[source.sw];
  const auto get_channel = [&](double sum) {
    return fabric::ChannelIndex(offset + static_cast<std::uint64_t>(sum) % kLoadUnit);
  };
  const auto fits_on_vl = [&](double sum) {
    const fabric::ChannelIndex channel = get_channel(sum);
    return vl == nullptr || fits(*vl, channel, SwitchIndex(next[channel - source.first]), effort);
  };
  double best = costs.least(weights);
  if (best < kNoPathCost && !fits_on_vl(best)) {
    if (effort == Effort::at_once) {  // no search: all are looked at
      best = costs.least_if(weights, fits_on_vl);
    } else {
      do best = costs.least_above(weights, best);
      while (best < kNoPathCost && !fits_on_vl(best));
    }
  }
  if (best == kNoPathCost) return false;
  const fabric::ChannelIndex channel = get_channel(best);
  take(source.sw, channel, SwitchIndex(next[channel - source.first]), best - (channel - offset));
  return true;
}

NueSearch::Offer NueSearch::offer(fabric::ChannelIndex channel) const {
  const SwitchIndex sw = graph_.neighbour[graph_.reverse[channel]], to = graph_.neighbour[channel];
  return {hops_[to] + 1, cost_over(channel), position_[sw], channel - graph_.offsets[sw]};
}

// Takes shortest paths over any links for switches without a path, as far as they close no cycle.
void NueSearch::take_detours(NueVl& vl, Effort effort) {
  for (const ShortestGroups::Source& source : groups_.sources()) {
    if (has_path(source.sw)) continue;
    for (const fabric::ChannelIndex channel : graph_.channels(source.sw))
      if (open_[channel] != 0 && has_path(graph_.neighbour[channel])) offers_.push(offer(channel));
  }
  while (!offers_.empty()) {
    const Offer best = offers_.top();
    offers_.pop();
    const SwitchIndex sw = groups_.order()[best.position];
    if (has_path(sw) ||
        !fits(vl, get_channel(best), on_sender_path_[sw] != 0 ? effort : Effort::at_once))
      continue;
    take(sw, get_channel(best), best.cost);
    for (const fabric::ChannelIndex channel : graph_.channels(sw))
      if (open_[channel] != 0 && !has_path(graph_.neighbour[channel]))
        offers_.push(offer(graph_.reverse[channel]));
  }
}

/// Calls visit(child) for the switches whose next hop this one is; returns false when a call does.
template <class Visit>
bool NueSearch::all_children(SwitchIndex sw, Visit&& visit) const {
  for (const fabric::ChannelIndex channel : graph_.channels(sw)) {
    const SwitchIndex child = graph_.neighbour[channel];
    if (has_path(child) && via_[child] == graph_.reverse[channel] && !visit(child)) return false;
  }
  return true;
}

// Takes any path for a switch that has lost its own, if the paths over the switch can use it. The
// path has no forwarding loop, because the channel dependencies have no cycle.
bool NueSearch::take_any(NueVl& vl, SwitchIndex sw, Effort effort) {
  const auto is_possible = [&](fabric::ChannelIndex channel) {
    const SwitchIndex to = graph_.neighbour[channel];
    return open_[channel] != 0 && has_path(to) && via_[to] != graph_.reverse[channel];
  };
  const auto fits_all = [&](fabric::ChannelIndex channel) {
    return fits(vl, channel, effort) && all_children(sw, [&](SwitchIndex child) {
             return allow(vl, via_[child], channel, effort);
           });
  };
  if (effort == Effort::at_once) {  // no search: all are looked at
    std::optional<Offer> best;
    for (const fabric::ChannelIndex channel : graph_.channels(sw)) {
      if (!is_possible(channel)) continue;
      const Offer path = offer(channel);
      if ((!best || path < *best) && fits_all(channel)) best = path;
    }
    if (best) take(sw, get_channel(*best), best->cost);
    return best.has_value();
  }
  any_.clear();
  for (const fabric::ChannelIndex channel : graph_.channels(sw))
    if (is_possible(channel)) any_.push_back(offer(channel));
  std::ranges::sort(any_);
  const auto path = std::ranges::find_if(
      any_, [&](const Offer& possible) { return fits_all(get_channel(possible)); });
  if (path == any_.end()) return false;
  take(sw, get_channel(*path), path->cost);
  return true;
}

void NueSearch::lose_path(SwitchIndex sw) {
  cost_[sw] = kNoPathCost;
  pending_.push(sw);
}

// Moves a switch to its escape path, and the following ones as far as their paths would close a
// cycle.
void NueSearch::fall_back_to_escape(NueVl& vl, SwitchIndex sw, Effort effort) {
  for (;;) {
    const fabric::ChannelIndex channel = tree_channel_[sw];
    const SwitchIndex next = graph_.neighbour[channel];
    take(sw, channel, kLoad * static_cast<double>(load(channel)));
    all_children(sw, [&](SwitchIndex child) {
      if (!allow(vl, via_[child], channel, effort)) lose_path(child);
      return true;
    });
    if (next == last_switch_ || (has_path(next) && fits(vl, channel, effort))) return;
    sw = next;
  }
}

// Finds paths for senders without a path: any that closes no cycle; otherwise the escape path,
// after which switches whose paths do not fit are treated likewise. A sender stays on its escape
// path, so this terminates. Returns whether escape paths are used.
bool NueSearch::repair(NueVl& vl, bool tree_serves, Effort effort) {
  for (const ShortestGroups::Source& source : groups_.sources())
    if (!has_path(source.sw) && senders_[source.sw] > 0) pending_.push(source.sw);
  if (pending_.empty()) return false;
  if (tree_serves) tree_channel_ = vl.escape.towards(graph_, last_switch_);
  bool pulled = false;
  for (; !pending_.empty(); pending_.pop()) {
    const SwitchIndex sw = pending_.front();
    if (has_path(sw) || take_any(vl, sw, effort)) continue;
    if (senders_[sw] == 0) {
      all_children(sw, [&](SwitchIndex child) {
        lose_path(child);
        return true;
      });
    } else if (tree_serves) {
      fall_back_to_escape(vl, sw, effort);
      pulled = true;
    }
  }
  sort_near_first();
  return pulled;
}

void NueSearch::sort_near_first() {
  near_first_.clear();
  first_child_.assign(graph_.switches(), kNoIndex);
  for (const SwitchIndex sw : graph_.all_switches()) {
    if (!has_path(sw) || sw == last_switch_) continue;
    SwitchIndex& first = first_child_[graph_.neighbour[via_[sw]]];
    next_child_[sw] = first;
    first = sw;
  }
  const auto add_children = [&](SwitchIndex sw) {
    for (SwitchIndex child = first_child_[sw]; child != kNoIndex; child = next_child_[child])
      near_first_.push_back(child);
  };
  add_children(last_switch_);
  for (std::size_t i = 0; i < near_first_.size(); ++i) add_children(near_first_[i]);
}

NueSearch::Found NueSearch::search(NueVl& vl, SwitchIndex last_switch, bool tree_serves,
                                   Effort effort) {
  begin(last_switch);
  vl.channels.start_log();
  std::size_t without_shortest = 0, senders_without_shortest = 0;
  NextCosts costs;
  for (const ShortestGroups::Group& group : groups_.groups()) {
    const std::span<const std::uint16_t> next = groups_.next(group);
    costs.collect(next, cost_);
    for (const ShortestGroups::Source& source : groups_.sources(group)) {
      if (on_sender_path_[source.sw] == 0) continue;
      if ((vl.keep_order && take_shortest(&vl, costs, next, source, Effort::at_once)) ||
          take_shortest(&vl, costs, next, source, effort))
        continue;
      ++without_shortest;
      senders_without_shortest += senders_[source.sw] > 0 ? 1u : 0u;
    }
  }
  if (without_shortest == 0 && tree_serves) return {};
  if (effort == Effort::search || !tree_serves)
    take_detours(vl, effort);  // for switches without senders, the escape paths are as good
  return {senders_without_shortest > 0, repair(vl, tree_serves, effort)};
}

bool NueSearch::all_senders_have_paths() const {
  return std::ranges::all_of(groups_.sources(), [&](const ShortestGroups::Source& source) {
    return has_path(source.sw) || senders_[source.sw] == 0;
  });
}

bool NueSearch::search_all(NueVl& vl, SwitchIndex last_switch) {
  search(vl, last_switch, false, Effort::search);
  return all_senders_have_paths();
}

// Searches for switches outside near_first_, which have no path. The VL has the dependencies of the
// paths of senders; dependencies of other switches may not fit.
bool NueSearch::search_others(NueVl& vl, Effort effort) {
  vl.channels.start_log();
  const std::vector<SwitchIndex> kept = std::move(near_first_);
  near_first_.clear();
  std::ranges::fill(cost_, kNoPathCost);
  cost_[last_switch_] = 0;
  for (const SwitchIndex sw : kept)
    if (has_path(graph_.neighbour[via_[sw]]) &&
        (effort == Effort::at_once || fits(vl, via_[sw], effort)))
      take(sw, via_[sw], cost_over(via_[sw]));
  take_detours(vl, effort);
  repair(vl, false, effort);
  return all_senders_have_paths();
}

void NueSearch::complete() {
  if (near_first_.size() == groups_.sources().size()) return;
  NextCosts costs;
  for (const ShortestGroups::Group& group : groups_.groups()) {
    const std::span<const std::uint16_t> next = groups_.next(group);
    costs.collect(next, cost_);
    for (const ShortestGroups::Source& source : groups_.sources(group))
      if (!has_path(source.sw)) take_shortest(nullptr, costs, next, source, Effort::at_once);
  }
}

void NueSearch::carry() {
  std::ranges::copy(senders_, carried_.begin());
  for (std::size_t i = near_first_.size(); i-- > 0;)
    carried_[graph_.neighbour[via_[near_first_[i]]]] += carried_[near_first_[i]];
}

void NueSearch::keep_used(NueVl& vl, bool as_load) {
  carry();
  vl.channels.remove_logged_unless([&](fabric::ChannelIndex from, unsigned to_index) {
    const SwitchIndex sw = graph_.neighbour[graph_.reverse[from]], next = graph_.neighbour[from];
    return has_path(sw) && has_path(next) && via_[sw] == from &&
           via_[next] == graph_.offsets[next] + to_index && carried_[sw] > 0;
  });
  if (!as_load) return;
  for (const SwitchIndex sw : near_first_) weight_[via_[sw]] += kLoad * carried_[sw];
}

}  // namespace routing
