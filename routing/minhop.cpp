#include "routing/minhop.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "routing/hops.h"

namespace routing {

using sm::kNoIndex;
using sm::PortIndex;
using sm::SwitchIndex;
using EndPort = sm::SwitchGraph::EndPort;

namespace {

// splitmix64's finaliser: equal on every platform, unlike std::hash.
constexpr std::uint64_t mix(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// --- What to route, in which order: the same for every switch.

// LIDs in sequence that share a switch and the way they are treated.
struct Run {
  SwitchIndex sw;
  std::uint32_t begin, end;  // into Plan::lids
  std::uint32_t rank;        // of the switch
  bool counted;              // as load
  bool scattered;
  bool first_lids;   // base LIDs, not the further ones of LMC > 0
  bool consecutive;  // each LID is one above the one before
};

struct Plan {
  std::vector<std::uint16_t> lids;  // base LIDs of all ports, then all second LIDs, ...
  std::vector<Run> runs;
  // By LID:
  std::vector<std::uint8_t> out;  // port of the LID's own switch
  std::vector<sm::LidMap::Range> range;
};

struct Target {
  const EndPort* end;
  sm::LidMap::Range lids;
  mad::Guid guid;
  bool is_switch() const { return end->out == mad::PortNum{0}; }
};

// Of every end port that hangs on a switch and has LIDs; in the graph's order.
std::vector<Target> targets(const RoutingInput& input) {
  std::vector<std::uint32_t> range_of(input.fabric.ports.size(), kNoIndex);
  for (std::uint32_t i = 0; i < input.fabric.end_ports.size(); ++i) range_of[input.fabric.end_ports[i]] = i;
  std::vector<Target> out;
  out.reserve(input.graph.end_ports.size());
  for (const EndPort& end : input.graph.end_ports) {
    const std::uint32_t range = range_of[end.port];
    if (range == kNoIndex || range >= input.lids.of_end_port.size() || input.lids.of_end_port[range].count() == 0) continue;
    out.push_back({&end, input.lids.of_end_port[range], input.fabric.ports[end.port].guid});
  }
  return out;
}

// Numbers the switches by their lowest LID of a host, those without hosts after them by their own. LIDs that were given out along the
// cabling then number the leaves of a tree from left to right.
std::vector<std::uint32_t> rank_switches(const std::vector<Target>& targets, std::size_t switches) {
  std::vector<std::uint32_t> key(switches, kNoIndex), order(switches), rank(switches);
  for (const Target& target : targets)
    key[target.end->sw] = std::min(key[target.end->sw], target.lids.base.value + (target.is_switch() ? 0x10000u : 0u));
  std::iota(order.begin(), order.end(), 0u);
  // Equal keys have no LIDs at all, and no routes either.
  std::ranges::sort(order, {}, [&](std::uint32_t sw) { return std::pair(key[sw], sw); });
  for (std::uint32_t i = 0; i < switches; ++i) rank[order[i]] = i;
  return rank;
}

Plan make_plan(const RoutingInput& input) {
  const std::vector<Target> all = targets(input);
  const std::vector<std::uint32_t> rank = rank_switches(all, input.graph.switches());
  std::vector<std::uint32_t> hosts(input.graph.switches(), 0);
  for (const Target& target : all) hosts[target.end->sw] += target.is_switch() ? 0u : 1u;

  std::unordered_map<mad::Guid, std::uint32_t> wanted_place;
  for (const mad::Guid guid : input.options.guid_routing_order)
    wanted_place.try_emplace(guid, static_cast<std::uint32_t>(wanted_place.size()));
  struct Place {
    std::uint32_t wanted = kNoIndex;
    std::uint32_t hosts_missing = 0;  // most hosts first; switches' own LIDs last
    std::uint32_t rank = 0;
    std::uint8_t port = 0;
    const Target* target = nullptr;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  places.reserve(all.size());
  for (const Target& target : all) {
    Place place{.target = &target};
    if (const auto it = wanted_place.find(target.guid); it != wanted_place.end()) place.wanted = it->second;
    place.hosts_missing = target.is_switch() ? kNoIndex : kNoIndex - hosts[target.end->sw];
    place.rank = rank[target.end->sw];
    place.port = target.end->out.value;
    places.push_back(place);
  }
  std::ranges::sort(places);

  Plan plan;
  plan.lids.reserve(input.lids.port_of_lid.size());
  plan.out.resize(input.lids.lid_top.value + 1u);
  plan.range.resize(input.lids.lid_top.value + 1u);
  unsigned lids_max = 0;
  for (const Target& target : all) lids_max = std::max(lids_max, target.lids.count());
  for (unsigned offset = 0; offset < lids_max; ++offset) {
    for (const Place& place : places) {
      const Target& target = *place.target;
      if (offset >= target.lids.count()) continue;
      const auto at = static_cast<std::uint32_t>(plan.lids.size());
      const auto lid = static_cast<std::uint16_t>(target.lids.base.value + offset);
      const bool counted = !target.is_switch() || input.options.port_profile_switch_nodes;
      const bool scattered = input.options.scatter_ports != 0 && !(place.wanted != kNoIndex && input.options.guid_routing_order_no_scatter);
      plan.out[lid] = target.end->out.value;
      plan.range[lid] = target.lids;
      plan.lids.push_back(lid);
      if (!plan.runs.empty()) {
        Run& last = plan.runs.back();
        if (last.sw == target.end->sw && last.counted == counted && last.scattered == scattered && last.first_lids == (offset == 0)) {
          last.end = at + 1;
          last.consecutive &= plan.lids[at - 1] + 1 == lid;
          continue;
        }
      }
      plan.runs.push_back({target.end->sw, at, at + 1, place.rank, counted, scattered, offset == 0, true});
    }
  }
  return plan;
}

// --- What an operator wants of single switches and ports.

struct SlotSettings {
  std::vector<std::uint8_t> weight;     // per slot of the graph
  std::vector<std::uint8_t> uncounted;  // per slot: 1 if its load is not counted
  std::vector<const PortOrder*> order;  // per switch, or null
  bool weighted = false;                // some weight is not 1
};

class NoteList {
 public:
  void add(std::string text) {
    if (++count_ <= kShown) notes_.push_back(std::move(text));
  }
  std::vector<std::string> take() {
    if (count_ > kShown) notes_.push_back(fmt::format("and {} more of this kind", count_ - kShown));
    return std::move(notes_);
  }

 private:
  static constexpr std::size_t kShown = 10;
  std::size_t count_ = 0;
  std::vector<std::string> notes_;
};

SlotSettings slot_settings(const RoutingInput& input, NoteList& notes) {
  const sm::SwitchGraph& graph = input.graph;
  SlotSettings out;
  out.weight.assign(graph.port.size(), 1);
  out.uncounted.assign(graph.port.size(), 0);
  out.order.assign(graph.switches(), nullptr);
  const auto find_switch = [&](mad::Guid guid, const char* option) {
    const auto it = input.fabric.node_of_guid.find(guid);
    if (it != input.fabric.node_of_guid.end() && input.fabric.nodes[it->second].is_switch())
      return input.fabric.nodes[it->second].switch_index;
    notes.add(fmt::format("{}: there is no switch {} in this fabric", option, guid));
    return kNoIndex;
  };
  // Ports that have no cable to a switch now are passed over silently: they may have one tomorrow.
  const auto find_slot = [&](const SwitchPort& port, const char* option) -> std::uint32_t {
    const SwitchIndex sw = find_switch(port.sw, option);
    if (sw == kNoIndex) return kNoIndex;
    const auto ports = graph.out_ports(sw);
    const auto it = std::ranges::lower_bound(ports, port.port);
    return it != ports.end() && *it == port.port ? graph.offsets[sw] + static_cast<std::uint32_t>(it - ports.begin()) : kNoIndex;
  };
  for (const HopWeight& hop : input.options.hop_weights) {
    const std::uint32_t slot = find_slot(hop.from, "hop weights");
    if (slot != kNoIndex) out.weight[slot] = std::max<std::uint8_t>(1, hop.weight);
  }
  out.weighted = std::ranges::any_of(out.weight, [](std::uint8_t weight) { return weight != 1; });
  for (const SwitchPort& port : input.options.port_prof_ignore) {
    const std::uint32_t slot = find_slot(port, "ports not to be counted");
    if (slot != kNoIndex) out.uncounted[slot] = 1;
  }
  for (const PortOrder& order : input.options.port_search_ordering) {
    const SwitchIndex sw = find_switch(order.sw, "port search order");
    if (sw != kNoIndex && out.order[sw] == nullptr) out.order[sw] = &order;
  }
  return out;
}

// --- One switch.

// The loops over all destinations. They count to a constant inside, have no branch, and are not inlined (g++ would forget __restrict):
// that is what they need to become vector instructions at -O2 too.

// plane[d] |= bit where leaving by this slot is on a shortest way to d.
template <class Hops>
[[gnu::noinline]] void mark(const Hops* __restrict here, const Hops* __restrict there, Hops weight, std::uint8_t bit,
                            std::uint8_t* __restrict plane, std::size_t pitch) {
  constexpr std::size_t kPad = HopTable<Hops>::kPad;
  for (std::size_t d = 0; d < pitch; d += kPad, here += kPad, there += kPad, plane += kPad) {
    for (std::size_t i = 0; i < kPad; ++i) {
      const auto on_way = static_cast<std::uint8_t>(-static_cast<int>(static_cast<Hops>(there[i] + weight) == here[i]));
      plane[i] = static_cast<std::uint8_t>(plane[i] | (on_way & bit));
    }
  }
}

// masks[d] |= plane[d] << shift
[[gnu::noinline]] void place_bytes(const std::uint8_t* __restrict plane, std::size_t shift, std::uint64_t* __restrict masks,
                                   std::size_t pitch) {
  for (std::size_t d = 0; d < pitch; d += 64, plane += 64, masks += 64)
    for (std::size_t i = 0; i < 64; ++i) masks[i] |= std::uint64_t{plane[i]} << shift;
}

constexpr std::size_t kSlotsMax = 256;

// Fills one row after the other. All buffers are made once.
template <class Hops>
class RowRouter {
 public:
  RowRouter(const RoutingInput& input, const SlotSettings& settings, const Plan& plan, const HopTable<Hops>& hops)
      : input_(input),
        settings_(settings),
        plan_(plan),
        hops_(hops),
        to_leaf_(hops_to_leaf(input.graph)),
        plane_(hops.pitch()),
        masks_(kWords * hops.pitch()) {
    further_lids_ = std::ranges::any_of(plan.runs, [](const Run& run) { return !run.first_lids; });
    if (further_lids_) number_systems();
  }

  void route(SwitchIndex sw, std::span<std::uint8_t> row);

 private:
  using Lids = std::span<const std::uint16_t>;
  using Row = std::span<std::uint8_t>;
  static constexpr std::size_t kWords = kSlotsMax / 64;

  void number_systems();
  void number_slots(SwitchIndex sw);
  void number_neighbours();
  void find_candidates(SwitchIndex sw);
  bool select(const Run& run);
  void load_candidates();
  void settle_rounds();
  bool are_loads_equal() const;
  std::size_t scan_start(const Run& run) const;
  std::size_t keep_previous(const Run& run, std::span<const std::uint8_t> previous, Row row);
  void assign(const Run& run, Lids lids, bool consecutive, Row row);
  void assign_levelled(const Run& run, Lids lids, bool consecutive, Row row);
  void assign_singly(const Run& run, Lids lids, Row row);
  std::uint8_t least_loaded(std::size_t start) const;
  std::uint8_t scattered(std::uint16_t lid) const;
  std::uint8_t most_diverse(std::uint16_t lid, std::size_t start, Row row);

  const RoutingInput& input_;
  const SlotSettings& settings_;
  const Plan& plan_;
  const HopTable<Hops>& hops_;
  std::vector<std::uint32_t> to_leaf_;
  bool further_lids_ = false;                  // LMC > 0 somewhere
  std::vector<SwitchIndex> system_of_switch_;  // the first switch of the same system

  // The switch at work. Its slots are numbered from 0 in the order in which they are searched.
  SwitchIndex sw_ = kNoIndex;
  mad::Guid guid_;
  std::size_t slots_ = 0;
  bool level_ways_ = true;                       // nothing asks for a look at each LID
  bool lowest_first_ = false;                    // ties are decided by the order of the slots
  std::uint32_t turn_ = 0;                       // where this switch starts to look
  std::uint32_t turn_per_rank_ = 0;              // and how much further on for each next destination switch
  std::array<std::uint32_t, kSlotsMax> slot_{};  // slot of the graph
  std::array<std::uint8_t, kSlotsMax> port_{};
  std::array<std::uint8_t, kSlotsMax> uncounted_{};
  std::array<std::uint8_t, kSlotsMax> node_{};    // number of the neighbouring switch among the neighbours
  std::array<std::uint8_t, kSlotsMax> system_{};  // number of its system among the neighbours' systems
  std::array<std::uint8_t, 256> slot_of_port_{};
  std::array<std::uint32_t, kSlotsMax> load_{};
  std::vector<std::uint8_t> plane_;   // [destination switch], a bit per slot of eight: it is a candidate
  std::vector<std::uint64_t> masks_;  // [slot / 64][destination switch], bit slot % 64: the same for all
  std::size_t words_ = 0;
  std::vector<std::uint16_t> open_lids_;
  std::vector<const Run*> open_runs_;

  // Candidates of the run at work, in search order.
  std::array<std::uint64_t, kWords> mask_{};
  std::array<std::uint8_t, kSlotsMax> candidate_{};
  std::array<std::uint8_t, 2 * kSlotsMax> candidate_port_{};  // twice in a row: all from any start are a slice
  std::size_t candidates_ = 0;
  bool loads_equal_ = false;  // of all candidates
  std::uint32_t rounds_ = 0;  // each candidate has so many LIDs more than load_ says
  std::array<std::uint8_t, kSlotsMax> system_uses_{}, node_uses_{};
};

template <class Hops>
void RowRouter<Hops>::route(SwitchIndex sw, Row row) {
  number_slots(sw);
  find_candidates(sw);
  load_.fill(0);
  mask_.fill(0);
  candidates_ = 0;
  rounds_ = 0;
  const bool keeps = input_.previous != nullptr && input_.previous->switches() == input_.graph.switches();
  const std::span<const std::uint8_t> previous = keeps ? input_.previous->row(sw) : std::span<const std::uint8_t>();
  open_runs_.clear();
  for (const Run& run : plan_.runs) {
    const Lids lids(plan_.lids.data() + run.begin, run.end - run.begin);
    if (run.sw == sw) {
      for (const std::uint16_t lid : lids) row[lid] = plan_.out[lid];
    } else if (select(run)) {
      if (!keeps)
        assign(run, lids, run.consecutive, row);
      else if (keep_previous(run, previous, row) < lids.size())
        open_runs_.push_back(&run);
    }
  }
  // New LIDs come after all that keep their ways: so they fill the gaps.
  for (const Run* const run : open_runs_) {
    open_lids_.clear();
    for (std::uint32_t i = run->begin; i < run->end; ++i)
      if (row[plan_.lids[i]] == mad::kNoPort.value) open_lids_.push_back(plan_.lids[i]);
    select(*run);
    assign(*run, open_lids_, false, row);
  }
  const std::size_t cap = input_.fabric.switches[sw].info.linear_fdb_cap();
  if (cap < row.size()) std::ranges::fill(row.subspan(cap), mad::kNoPort.value);
}

template <class Hops>
void RowRouter<Hops>::number_slots(SwitchIndex sw) {
  const sm::SwitchGraph& graph = input_.graph;
  const auto ports = graph.out_ports(sw);
  sw_ = sw;
  guid_ = input_.fabric.nodes[input_.fabric.switches[sw].node].guid;
  slots_ = ports.size();
  slot_of_port_.fill(0xFF);
  for (std::size_t i = 0; i < slots_; ++i) slot_[i] = graph.offsets[sw] + static_cast<std::uint32_t>(i);
  if (const PortOrder* order = settings_.order[sw]; order != nullptr) {
    const auto place = [&](std::uint32_t slot) { return std::pair(std::ranges::find(order->ports, graph.port[slot]), slot); };
    std::ranges::sort(slot_.begin(), slot_.begin() + static_cast<std::ptrdiff_t>(slots_), {}, place);
  }
  bool ignores = false, has_peer = false;
  for (std::size_t i = 0; i < slots_; ++i) {
    const std::uint32_t slot = slot_[i];
    port_[i] = graph.port[slot].value;
    slot_of_port_[port_[i]] = static_cast<std::uint8_t>(i);
    uncounted_[i] = settings_.uncounted[slot];
    ignores |= uncounted_[i] != 0;
    has_peer |= to_leaf_[graph.neighbour[slot]] == to_leaf_[sw];
  }
  if (further_lids_) number_neighbours();
  level_ways_ = !ignores && !input_.options.port_shifting;
  lowest_first_ = input_.options.lowest_port_first || settings_.order[sw] != nullptr;
  // In a layered fabric switches of one level start alike, each level its own way: see scan_start(). Elsewhere each starts where it wants.
  turn_ = has_peer ? static_cast<std::uint32_t>(mix(guid_.value) >> 40) : 0;
  turn_per_rank_ = to_leaf_[sw] == kNoIndex ? 0 : to_leaf_[sw];
}

// A system GUID of 0 says nothing: such a switch is a system of its own.
template <class Hops>
void RowRouter<Hops>::number_systems() {
  std::unordered_map<mad::Guid, SwitchIndex> first_of;
  for (SwitchIndex sw = 0; sw < input_.graph.switches(); ++sw) {
    const sm::Node& node = input_.fabric.nodes[input_.fabric.switches[sw].node];
    const mad::Guid system = node.info.system_image_guid();
    system_of_switch_.push_back(first_of.try_emplace(system == mad::Guid{} ? node.guid : system, sw).first->second);
  }
}

// Equal neighbours and equal systems get equal numbers.
template <class Hops>
void RowRouter<Hops>::number_neighbours() {
  const auto first_like = [&](std::size_t i, auto&& identity) {
    std::size_t j = 0;
    while (identity(input_.graph.neighbour[slot_[j]]) != identity(input_.graph.neighbour[slot_[i]])) ++j;
    return static_cast<std::uint8_t>(j);
  };
  for (std::size_t i = 0; i < slots_; ++i) {
    node_[i] = first_like(i, [](SwitchIndex sw) { return sw; });
    system_[i] = first_like(i, [&](SwitchIndex sw) { return system_of_switch_[sw]; });
  }
}

template <class Hops>
void RowRouter<Hops>::find_candidates(SwitchIndex sw) {
  const std::size_t pitch = hops_.pitch();
  words_ = (slots_ + 63) / 64;
  std::fill_n(masks_.begin(), words_ * pitch, std::uint64_t{0});
  for (std::size_t first = 0; first < slots_; first += 8) {
    std::ranges::fill(plane_, std::uint8_t{0});
    for (std::size_t i = first; i < std::min(first + 8, slots_); ++i)
      mark<Hops>(hops_.row(sw), hops_.row(input_.graph.neighbour[slot_[i]]), settings_.weight[slot_[i]],
                 static_cast<std::uint8_t>(1u << i % 8), plane_.data(), pitch);
    place_bytes(plane_.data(), first % 64, masks_.data() + first / 64 * pitch, pitch);
  }
}

// Takes the candidates for a run; false when its switch cannot be reached.
template <class Hops>
bool RowRouter<Hops>::select(const Run& run) {
  const std::uint64_t* mask = masks_.data() + run.sw;
  bool any = false, same = true;
  for (std::size_t word = 0; word < words_; ++word, mask += hops_.pitch()) {
    any |= *mask != 0;
    same &= *mask == mask_[word];
  }
  if (!any || same) return any;
  settle_rounds();
  for (std::size_t word = 0; word < words_; ++word) mask_[word] = masks_[word * hops_.pitch() + run.sw];
  load_candidates();
  return true;
}

template <class Hops>
void RowRouter<Hops>::load_candidates() {
  candidates_ = 0;
  for (std::size_t word = 0; word < words_; ++word)
    for (std::uint64_t bits = mask_[word]; bits != 0; bits &= bits - 1) {
      const auto slot = static_cast<std::uint8_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      candidate_port_[candidates_] = port_[slot];
      candidate_[candidates_++] = slot;
    }
  std::copy_n(candidate_port_.begin(), candidates_, candidate_port_.begin() + static_cast<std::ptrdiff_t>(candidates_));
  loads_equal_ = are_loads_equal();
}

template <class Hops>
void RowRouter<Hops>::settle_rounds() {
  if (rounds_ == 0) return;
  for (std::size_t k = 0; k < candidates_; ++k) load_[candidate_[k]] += rounds_;
  rounds_ = 0;
}

template <class Hops>
bool RowRouter<Hops>::are_loads_equal() const {
  for (std::size_t k = 1; k < candidates_; ++k)
    if (load_[candidate_[k]] != load_[candidate_[0]]) return false;
  return true;
}

// Which of equally loaded candidates is looked at first. If all switches began with their lowest port, LID number i of a leaf would take
// candidate i mod k on every level of a tree: a middle switch receives the LIDs of one residue only, and would send all of them to one
// switch above. So a switch one level further from the hosts starts one further on for each next leaf, two levels two, and so on:
// on a full tree, with LIDs in order of the cabling, every destination then has a top switch of its own. A switch with a neighbour
// on its own level (a torus, hosts on the spines) has no such order to follow and starts at a place of its own instead.
template <class Hops>
std::size_t RowRouter<Hops>::scan_start(const Run& run) const {
  // LIDs that are not counted leave the loads as they are; they are spread by their rank alone.
  return lowest_first_ ? 0 : (turn_ + (turn_per_rank_ + (run.counted ? 0u : 1u)) * run.rank) % static_cast<std::uint32_t>(candidates_);
}

// Takes over what is still on a shortest way; how many LIDs these are.
template <class Hops>
std::size_t RowRouter<Hops>::keep_previous(const Run& run, std::span<const std::uint8_t> previous, Row row) {
  std::size_t kept = 0;
  for (std::uint32_t i = run.begin; i < run.end; ++i) {
    const std::uint16_t lid = plan_.lids[i];
    const std::uint8_t port = lid < previous.size() ? previous[lid] : mad::kNoPort.value;
    const std::uint8_t slot = slot_of_port_[port];
    if (slot >= slots_ || (mask_[slot / 64] >> slot % 64 & 1) == 0) continue;
    row[lid] = port;
    load_[slot] += run.counted && uncounted_[slot] == 0 ? 1u : 0u;
    ++kept;
  }
  loads_equal_ = false;
  return kept;
}

template <class Hops>
void RowRouter<Hops>::assign(const Run& run, Lids lids, bool consecutive, Row row) {
  if (run.first_lids && level_ways_ && !run.scattered)
    assign_levelled(run, lids, consecutive, row);
  else
    assign_singly(run, lids, row);
}

// What assign_singly() would do, for many LIDs at once: hands out the least loaded candidates level by level.
template <class Hops>
void RowRouter<Hops>::assign_levelled(const Run& run, Lids lids, bool consecutive, Row row) {
  const auto all_to = [&](std::uint8_t port) {
    if (consecutive)
      std::ranges::fill(row.subspan(lids[0], lids.size()), port);
    else
      for (const std::uint16_t lid : lids) row[lid] = port;
  };
  if (candidates_ == 1) {
    all_to(candidate_port_[0]);
    load_[candidate_[0]] += run.counted ? static_cast<std::uint32_t>(lids.size()) : 0;
    return;
  }
  const std::size_t start = scan_start(run);
  if (!run.counted) {
    all_to(loads_equal_ ? candidate_port_[start] : port_[least_loaded(start)]);
    return;
  }
  std::size_t i = 0;
  for (; loads_equal_ && i + candidates_ <= lids.size(); i += candidates_, ++rounds_) {
    const std::uint8_t* const ports = candidate_port_.data() + start;
    if (consecutive)
      std::copy_n(ports, candidates_, row.begin() + lids[i]);
    else
      for (std::size_t k = 0; k < candidates_; ++k) row[lids[i + k]] = ports[k];
  }
  if (i == lids.size()) return;
  settle_rounds();
  std::uint32_t level = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t k = 0; k < candidates_; ++k) level = std::min(level, load_[candidate_[k]]);
  for (; i < lids.size(); ++level) {
    for (std::size_t n = 0, k = start; n < candidates_ && i < lids.size(); ++n, k = k + 1 == candidates_ ? 0 : k + 1) {
      const std::uint8_t slot = candidate_[k];
      if (load_[slot] != level) continue;
      row[lids[i++]] = port_[slot];
      ++load_[slot];
    }
  }
  loads_equal_ = are_loads_equal();
}

template <class Hops>
void RowRouter<Hops>::assign_singly(const Run& run, Lids lids, Row row) {
  settle_rounds();
  for (const std::uint16_t lid : lids) {
    std::size_t start = scan_start(run);
    if (input_.options.port_shifting) {
      std::uint64_t load = 0;
      for (std::size_t k = 0; k < candidates_; ++k) load += load_[candidate_[k]];
      start = (start + load / candidates_) % candidates_;
    }
    std::uint8_t slot;
    if (!run.first_lids)
      slot = most_diverse(lid, start, row);
    else if (run.scattered)
      slot = scattered(lid);
    else
      slot = least_loaded(start);
    row[lid] = port_[slot];
    load_[slot] += run.counted && uncounted_[slot] == 0 ? 1u : 0u;
  }
  loads_equal_ = are_loads_equal();
}

template <class Hops>
std::uint8_t RowRouter<Hops>::least_loaded(std::size_t start) const {
  std::uint8_t best = candidate_[start];
  for (std::size_t n = 1, k = start; n < candidates_; ++n) {
    k = k + 1 == candidates_ ? 0 : k + 1;
    if (load_[candidate_[k]] < load_[best]) best = candidate_[k];
  }
  return best;
}

template <class Hops>
std::uint8_t RowRouter<Hops>::scattered(std::uint16_t lid) const {
  const std::uint32_t least = load_[least_loaded(0)];
  std::array<std::uint8_t, kSlotsMax> tied;
  std::size_t count = 0;
  for (std::size_t k = 0; k < candidates_; ++k)
    if (load_[candidate_[k]] == least) tied[count++] = candidate_[k];
  assert(count > 0);
  return tied[mix(mix(guid_.value ^ input_.options.scatter_ports) ^ lid) % count];
}

// For a further LID of a port: best a system that no other LID of the port goes through, else a switch, else the least load, and
// of that what was used least. The search goes on behind the port of the LID before.
template <class Hops>
std::uint8_t RowRouter<Hops>::most_diverse(std::uint16_t lid, std::size_t start, Row row) {
  const auto for_others = [&](auto&& visit) {
    const sm::LidMap::Range range = plan_.range[lid];
    for (unsigned other = range.base.value; other < range.base.value + range.count(); ++other)
      if (const std::uint8_t slot = slot_of_port_[row[other]]; slot < slots_) visit(slot);
  };
  for_others([&](std::uint8_t slot) {
    ++system_uses_[system_[slot]];
    ++node_uses_[node_[slot]];
  });
  if (const std::uint8_t before = slot_of_port_[row[lid - 1]]; before < slots_) {
    const auto end = candidate_.begin() + static_cast<std::ptrdiff_t>(candidates_);
    const auto after = std::upper_bound(candidate_.begin(), end, before);
    start = after == end ? 0 : static_cast<std::size_t>(after - candidate_.begin());
  }
  struct Cost {
    std::uint8_t grade;  // 0: new system, 1: new switch, 2: neither
    std::uint32_t load;
    std::uint8_t uses;
    auto operator<=>(const Cost&) const = default;
  };
  const auto cost = [&](std::uint8_t slot) {
    const std::uint8_t uses = node_uses_[node_[slot]];
    const std::uint8_t grade = system_uses_[system_[slot]] == 0 ? 0 : uses == 0 ? 1 : 2;
    return Cost{grade, load_[slot], uses};
  };
  std::uint8_t best = candidate_[start];
  Cost best_cost = cost(best);
  for (std::size_t n = 1, k = start; n < candidates_; ++n) {
    k = k + 1 == candidates_ ? 0 : k + 1;
    const Cost other = cost(candidate_[k]);
    if (other >= best_cost) continue;
    best = candidate_[k];
    best_cost = other;
  }
  for_others([&](std::uint8_t slot) { system_uses_[system_[slot]] = node_uses_[node_[slot]] = 0; });
  return best;
}

template <class Hops>
void route_rows(const RoutingInput& input, const SlotSettings& settings, const Plan& plan, const HopTable<Hops>& hops,
                sm::ForwardingTables& lfts) {
  RowRouter<Hops> router(input, settings, plan, hops);
  for (SwitchIndex sw = 0; sw < input.graph.switches(); ++sw) router.route(sw, lfts.row(sw));
}

}  // namespace

tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input) {
  NoteList notes;
  const SlotSettings settings = slot_settings(input, notes);
  const Plan plan = make_plan(input);
  RoutingResult result{sm::ForwardingTables(input.graph.switches(), input.lids.lid_top), {}};
  const auto plain = settings.weighted ? std::nullopt : unit_hops(input.graph);
  if (plain)
    route_rows(input, settings, plan, *plain, result.lfts);
  else
    route_rows(input, settings, plan, weighted_hops(input.graph, settings.weight), result.lfts);
  result.notes = notes.take();
  return result;
}

}  // namespace routing
