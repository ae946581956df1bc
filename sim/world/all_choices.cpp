#include "sim/world/all_choices.h"

#include <unordered_set>

namespace sim {
namespace {

/// Ranks drops: the highest is reported. P_Key drops rank low: they say least about the path.
unsigned rank(Drop drop) {
  switch (drop) {
    case Drop::none:
      return 0;
    case Drop::p_key_in:
    case Drop::p_key_out:
    case Drop::p_key_end:
    case Drop::p_key_start:
      return 1;
    case Drop::wrong_end:
      return 3;
    case Drop::too_long:
      return 4;
    default:
      return 2;
  }
}

}  // namespace

/// Creates a station: takes the ends that it has, and the hops that lead on.
AllChoices::Station& AllChoices::enter(PortIndex here) {
  Station& station = stations_[here];
  const NodeModel& node = model_.owning_node(here);
  const auto ends = [&station](const Walk& end) {
    if (station.end != kNone && rank(end.drop) <= rank(station.drop)) return;
    station.drop = end.drop;
    station.end = end.end;
  };
  if (!node.is_switch()) {
    ends(end_at(model_, here, packet_));
    return station;
  }
  const Exits exits = find_exits(model_, node, packet_);
  if (exits.empty()) ends({.drop = exits.drop, .end = here, .vport = {}});
  for (const std::uint8_t number : exits.ports()) {
    const Passage passage = pass_switch(model_, here, number, packet_);
    if (passage.ended) {
      ends(passage.end);
    } else {
      station.left.push_back(passage.hop);
      steps_.push_back({here, passage.hop});
    }
  }
  return station;
}

/// Takes the end behind `hop` for the station before it, if it outranks the end that is known.
void AllChoices::take(Station& into, const Hop& hop, const Station& from) {
  if (rank(from.drop) < rank(into.drop)) return;
  if (rank(from.drop) == rank(into.drop) &&
      (from.drop != Drop::none || from.hops_max + 1 <= into.hops_max))
    return;
  into.drop = from.drop;
  into.end = from.end;
  into.hops_max = from.hops_max + 1;
  into.next = hop;
}

/// Searches depth first. A hop into a station of the current path closes a loop.
void AllChoices::search(PortIndex first) {
  enter(first);
  open_.push_back(first);
  while (!open_.empty()) {
    Station& station = stations_.at(open_.back());
    if (station.left.empty()) {
      station.done = true;
      open_.pop_back();
      if (open_.empty()) return;
      Station& before = stations_.at(open_.back());
      take(before, before.left.back(), station);
      before.left.pop_back();
      continue;
    }
    const Hop hop = station.left.back();
    const auto known = stations_.find(hop.in);
    if (known == stations_.end()) {
      enter(hop.in);
      open_.push_back(hop.in);
      continue;
    }
    if (known->second.done) {
      take(station, hop, known->second);
    } else {
      take(station, hop, {.drop = Drop::too_long, .end = hop.in, .next = {}, .left = {}});
    }
    station.left.pop_back();
  }
}

Reach AllChoices::walk(PortIndex from) {
  Reach reach;
  PortIndex here = from;
  if (const auto begin = begin_at(model_, from, packet_)) {
    if (begin->ended) return {.drop = begin->end.drop, .end = begin->end.end, .path = {}};
    here = begin->hop.in;
    reach.path.push_back(begin->hop);
    first_hops_.push_back(begin->hop);
  }
  if (!stations_.contains(here)) search(here);
  const Station* station = &stations_.at(here);
  reach.drop = station->drop;
  reach.end = station->end;
  std::unordered_set<PortIndex> passed{here};
  while (station->next.in != kNone) {
    reach.path.push_back(station->next);
    if (!passed.insert(station->next.in).second) break;  // the loop is closed
    station = &stations_.at(station->next.in);
  }
  return reach;
}

Reach walk_all(const Model& model, PortIndex from, const PacketHeader& packet) {
  return AllChoices(model, packet).walk(from);
}

}  // namespace sim
