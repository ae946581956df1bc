#include "routing/engines/virtual_lanes/nue_search.h"

#include <algorithm>

#include "mad/format.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

NueSearch::NueSearch(const sm::SwitchGraph& graph, ShortestDag dag,
                     std::span<const std::uint8_t> open, std::vector<SwitchIndex> order,
                     std::span<const std::uint32_t> senders)
    : graph_(graph),
      dag_(std::move(dag)),
      open_(open),
      order_(std::move(order)),
      senders_(senders),
      load_(graph.port.size(), 0),
      place_(graph.switches()),
      useful_(graph.switches()),
      via_(graph.switches()),
      cost_(graph.switches()),
      hops_(graph.switches()),
      carried_(graph.switches()) {
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
}

void NueSearch::begin(SwitchIndex home) {
  if (home != home_) {
    home_ = home;
    dag_.find(home);
    for (SwitchIndex sw = 0; sw < graph_.switches(); ++sw) useful_[sw] = senders_[sw] > 0 ? 1 : 0;
    const auto sources = dag_.sources();
    for (std::size_t i = sources.size(); i-- > 0;)
      if (useful_[sources[i].sw] != 0)
        for (std::uint32_t k = sources[i].begin; k < sources[i].end; ++k)
          useful_[dag_.hops()[k].to] = 1;
  }
  near_first_.clear();
  std::ranges::fill(cost_, kNoWay);
  cost_[home] = 0;
  hops_[home] = 0;
  via_[home] = kNoIndex;
}

bool NueSearch::fits(NueLane& lane, std::uint32_t slot, Care care) const {
  const SwitchIndex to = graph_.neighbour[slot];
  return to == home_ || allow(lane, slot, via_[to], care);
}

void NueSearch::take(SwitchIndex sw, std::uint32_t slot, std::uint64_t cost) {
  via_[sw] = slot;
  cost_[sw] = cost;
  hops_[sw] = hops_[graph_.neighbour[slot]] + 1;
  near_first_.push_back(sw);
}

bool NueSearch::take_shortest(NueLane* lane, const ShortestDag::Source& source, Care care) {
  constexpr std::uint64_t kNone = kNoWay << 8;
  const ShortestDag::Hop* const candidates = dag_.hops() + source.begin;
  const std::uint32_t count = source.end - source.begin;
  // The load and, below it, which candidate it is, so that one minimum finds both. What does not
  // fit is passed over by asking for the next larger.
  for (std::uint64_t least = 0;;) {
    std::uint64_t best = kNone;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t key = (cost_[candidates[i].to] + load_[candidates[i].slot]) << 8 | i;
      best = std::min(best, key >= least ? key : kNone);
    }
    if (best == kNone) return false;
    const std::uint32_t slot = candidates[best & 0xFF].slot;
    if (lane == nullptr || fits(*lane, slot, care)) {
      take(source.sw, slot, best >> 8);
      return true;
    }
    least = best + 1;
  }
}

NueSearch::Offer NueSearch::offer(std::uint32_t slot) const {
  const SwitchIndex sw = graph_.neighbour[graph_.reverse[slot]], to = graph_.neighbour[slot];
  return {hops_[to] + 1, cost_[to] + load_[slot], place_[sw], slot - graph_.offsets[sw]};
}

// The shortest ways over any cables for those that have none, as far as they fit.
void NueSearch::take_detours(NueLane& lane, Care care) {
  for (const ShortestDag::Source& source : dag_.sources()) {
    if (has_way(source.sw)) continue;
    for (std::uint32_t slot = graph_.offsets[source.sw]; slot < graph_.offsets[source.sw + 1];
         ++slot)
      if (open_[slot] != 0 && has_way(graph_.neighbour[slot])) offers_.push(offer(slot));
  }
  while (!offers_.empty()) {
    const Offer best = offers_.top();
    offers_.pop();
    const SwitchIndex sw = order_[best.place];
    if (has_way(sw) || !fits(lane, slot_of(best), useful_[sw] != 0 ? care : Care::at_once))
      continue;
    take(sw, slot_of(best), best.cost);
    for (std::uint32_t slot = graph_.offsets[sw]; slot < graph_.offsets[sw + 1]; ++slot)
      if (open_[slot] != 0 && !has_way(graph_.neighbour[slot]))
        offers_.push(offer(graph_.reverse[slot]));
  }
}

/// visit(child) for the switches whose next hop this one is; false as soon as that is false.
template <class Visit>
bool NueSearch::all_children(SwitchIndex sw, Visit&& visit) const {
  for (std::uint32_t slot = graph_.offsets[sw]; slot < graph_.offsets[sw + 1]; ++slot) {
    const SwitchIndex child = graph_.neighbour[slot];
    if (has_way(child) && via_[child] == graph_.reverse[slot] && !visit(child)) return false;
  }
  return true;
}

// Any way for a switch that has lost its own, if the ways over it can go on there. It cannot lead
// in a circle, since what waits for what does not.
bool NueSearch::take_any(NueLane& lane, SwitchIndex sw, Care care) {
  any_.clear();
  for (std::uint32_t slot = graph_.offsets[sw]; slot < graph_.offsets[sw + 1]; ++slot) {
    const SwitchIndex to = graph_.neighbour[slot];
    if (open_[slot] != 0 && has_way(to) && via_[to] != graph_.reverse[slot])
      any_.push_back(offer(slot));
  }
  std::ranges::sort(any_);
  for (const Offer& way : any_) {
    const std::uint32_t slot = slot_of(way);
    if (!fits(lane, slot, care) ||
        !all_children(sw, [&](SwitchIndex child) { return allow(lane, via_[child], slot, care); }))
      continue;
    take(sw, slot, way.cost);
    return true;
  }
  return false;
}

void NueSearch::lose_way(SwitchIndex sw) {
  cost_[sw] = kNoWay;
  pending_.push(sw);
}

// Puts a switch on the tree, and those after it as far as packets could not go on otherwise.
void NueSearch::pull_onto_tree(NueLane& lane, SwitchIndex sw, Care care) {
  for (;;) {
    const std::uint32_t slot = tree_slot_[sw];
    const SwitchIndex next = graph_.neighbour[slot];
    take(sw, slot, load_[slot]);
    all_children(sw, [&](SwitchIndex child) {
      if (!allow(lane, via_[child], slot, care)) lose_way(child);
      return true;
    });
    if (next == home_ || (has_way(next) && fits(lane, slot, care))) return;
    sw = next;
  }
}

// Ways for senders that have none: anything that fits; else by the tree, and then for those whose
// ways do not fit to that. Senders that were put on the tree stay there, so this ends. Returns
// whether any were.
bool NueSearch::repair(NueLane& lane, bool tree_serves, Care care) {
  for (const ShortestDag::Source& source : dag_.sources())
    if (!has_way(source.sw) && senders_[source.sw] > 0) pending_.push(source.sw);
  if (pending_.empty()) return false;
  if (tree_serves) tree_slot_ = lane.escape.towards(graph_, home_);
  bool pulled = false;
  for (; !pending_.empty(); pending_.pop()) {
    const SwitchIndex sw = pending_.front();
    if (has_way(sw) || take_any(lane, sw, care)) continue;
    if (senders_[sw] == 0) {
      all_children(sw, [&](SwitchIndex child) {
        lose_way(child);
        return true;
      });
    } else if (tree_serves) {
      pull_onto_tree(lane, sw, care);
      pulled = true;
    }
  }
  sort_near_first();
  return pulled;
}

void NueSearch::sort_near_first() {
  near_first_.clear();
  const auto add_children = [&](SwitchIndex sw) {
    all_children(sw, [&](SwitchIndex child) {
      near_first_.push_back(child);
      return true;
    });
  };
  add_children(home_);
  for (std::size_t i = 0; i < near_first_.size(); ++i) add_children(near_first_[i]);
}

NueSearch::Found NueSearch::search(NueLane& lane, SwitchIndex home, bool tree_serves, Care care) {
  begin(home);
  lane.channels.start_log();
  std::size_t late = 0, late_senders = 0;
  for (const ShortestDag::Source& source : dag_.sources()) {
    if (useful_[source.sw] == 0) continue;
    const bool taken = (lane.keep_order && take_shortest(&lane, source, Care::at_once)) ||
                       take_shortest(&lane, source, care);
    late += taken ? 0u : 1u;
    late_senders += !taken && senders_[source.sw] > 0 ? 1u : 0u;
  }
  if (late == 0 && tree_serves) return {};
  if (care == Care::search || !tree_serves)
    take_detours(lane, care);  // the tree is as good for those who do not count
  return {late_senders > 0, repair(lane, tree_serves, care)};
}

void NueSearch::complete() {
  if (near_first_.size() == dag_.sources().size()) return;
  for (const ShortestDag::Source& source : dag_.sources())
    if (!has_way(source.sw)) take_shortest(nullptr, source, Care::at_once);
}

void NueSearch::carry() {
  std::ranges::copy(senders_, carried_.begin());
  for (std::size_t i = near_first_.size(); i-- > 0;)
    carried_[graph_.neighbour[via_[near_first_[i]]]] += carried_[near_first_[i]];
}

void NueSearch::keep_used(NueLane& lane, bool as_load) {
  carry();
  lane.channels.take_out_unless([&](std::uint32_t from, unsigned to_place) {
    const SwitchIndex sw = graph_.neighbour[graph_.reverse[from]], next = graph_.neighbour[from];
    return has_way(sw) && has_way(next) && via_[sw] == from &&
           via_[next] == graph_.offsets[next] + to_place && carried_[sw] > 0;
  });
  if (!as_load) return;
  for (const SwitchIndex sw : near_first_) load_[via_[sw]] += carried_[sw];
}

}  // namespace routing
