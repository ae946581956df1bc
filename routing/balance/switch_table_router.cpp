#include "routing/balance/switch_table_router.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <unordered_map>

#include "fabric/parallel.h"
#include "routing/core/mix.h"
#include "routing/graph/hops.h"

namespace routing {

using fabric::SwitchIndex;

SwitchTableRouter::SwitchTableRouter(const RoutingInput& input, const ChannelSettings& settings,
                                     const Plan& plan, const Candidates& candidates,
                                     const Preference* preference)
    : input_(input),
      settings_(settings),
      plan_(plan),
      candidates_of_(&candidates),
      preference_(preference),
      to_leaf_(hops_to_leaf(input.graph)),
      masks_(input.graph.switches()) {
  further_lids_ = std::ranges::any_of(plan.runs, [](const Run& run) { return !run.first_lids; });
  if (further_lids_) number_systems();
}

void SwitchTableRouter::start(SwitchIndex sw) {
  number_channels(sw);
  load_.fill(0);
  mask_.fill(0);
  candidates_ = 0;
  rounds_ = 0;
  open_runs_.clear();
}

void SwitchTableRouter::route(SwitchIndex sw, std::span<const std::uint8_t> previous, LftView row,
                              PortLoads loads) {
  start(sw);
  candidates_of_->find(sw, std::span(channel_).first(channels_), masks_);
  for (const Run& run : plan_.runs) {
    const Lids lids(plan_.lids.data() + run.begin, run.end - run.begin);
    if (run.sw == sw) {
      for (const std::uint16_t lid : lids) row[lid] = plan_.out[lid];
    } else if (select(run)) {
      if (previous.empty() && preference_ == nullptr)
        assign(run, lids, run.consecutive, row);
      else if (keep_previous(run, previous, row) < lids.size())
        open_runs_.push_back(&run);
    }
  }
  assign_open(row);
  const std::size_t cap = input_.fabric.switches[sw].info.linear_fdb_cap();
  if (cap < row.size()) std::ranges::fill(row.subspan(cap), mad::kNoPort.value);
  settle_rounds();
  std::ranges::fill(loads, std::uint16_t{0});
  for (std::size_t i = 0; i < channels_; ++i)
    loads[port_[i]] = static_cast<std::uint16_t>(load_[i]);
}

// New LIDs come after all LIDs that keep their route, so that they take the least loaded ports.
void SwitchTableRouter::assign_open(LftView row) {
  for (const Run* const run : open_runs_) {
    open_lids_.clear();
    if (input_.current != nullptr) assign_current(*run, row);
    if (preference_ != nullptr) assign_preferred(*run, row);
    for (std::uint32_t i = run->begin; i < run->end; ++i)
      if (row[plan_.lids[i]] == mad::kNoPort.value) open_lids_.push_back(plan_.lids[i]);
    if (open_lids_.empty()) continue;
    select(*run);
    assign(*run, open_lids_, false, row);
  }
}

/// After a return, an entry that is still missing keeps the port that it has now.
void SwitchTableRouter::assign_current(const Run& run, LftView row) {
  settle_rounds();
  for (std::uint32_t i = run.begin; i < run.end; ++i) {
    const mad::Lid lid{plan_.lids[i]};
    if (row[lid.value] != mad::kNoPort.value) continue;
    const std::uint8_t port = input_.current->at(sw_, lid).value;
    const std::uint8_t channel = channel_of_port_[port];
    if (channel >= channels_ || (masks_.word(channel / 64u, run.sw) >> channel % 64 & 1) == 0)
      continue;
    row[lid.value] = port;
    load_[channel] += run.counted && uncounted_[channel] == 0 ? 1u : 0u;
  }
  loads_equal_ = false;
}

void SwitchTableRouter::assign_preferred(const Run& run, LftView row) {
  settle_rounds();
  CandidateSet allowed{};
  for (std::size_t word = 0; word < masks_.words(); ++word)
    allowed[word] = masks_.word(word, run.sw);
  for (std::uint32_t i = run.begin; i < run.end; ++i) {
    const std::uint16_t lid = plan_.lids[i];
    if (row[lid] != mad::kNoPort.value) continue;
    const auto channel =
        preference_->choose(sw_, lid, std::span(channel_).first(channels_), allowed);
    if (!channel) continue;
    row[lid] = port_[*channel];
    load_[*channel] += run.counted && uncounted_[*channel] == 0 ? 1u : 0u;
  }
  loads_equal_ = false;
}

void SwitchTableRouter::repair(SwitchIndex sw, std::span<const std::uint32_t> runs,
                               std::span<const std::uint8_t> was_counted, LftView row,
                               PortLoads loads) {
  start(sw);
  for (std::size_t i = 0; i < channels_; ++i) load_[i] = loads[port_[i]];
  masks_.clear(channels_);
  for (const std::uint32_t number : runs) {
    const Run& run = plan_.runs[number];
    if (run.sw == sw) {
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        const std::uint16_t lid = plan_.lids[i];
        if (const std::uint8_t channel = channel_of_port_[row[lid]];
            channel < channels_ && uncounted_[channel] == 0)
          load_[channel] -= was_counted[lid];
        row[lid] = plan_.out[lid];
      }
      continue;
    }
    const auto allowed =
        candidates_of_->local()->find_for(sw, std::span(channel_).first(channels_), run.sw);
    for (std::size_t word = 0; word < masks_.words(); ++word)
      masks_.word(word, run.sw) = allowed[word];
    bool open = false;
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      const std::uint16_t lid = plan_.lids[i];
      const std::uint8_t channel = channel_of_port_[row[lid]];
      if (channel < channels_ && uncounted_[channel] == 0)
        load_[channel] = load_[channel] - was_counted[lid] + (run.counted ? 1u : 0u);
      if (channel < channels_ && (allowed[channel / 64] >> channel % 64 & 1) != 0) continue;
      if (channel < channels_ && uncounted_[channel] == 0) load_[channel] -= run.counted ? 1u : 0u;
      row[lid] = mad::kNoPort.value;
      open = true;
    }
    if (open && std::ranges::any_of(allowed, [](std::uint64_t word) { return word != 0; }))
      open_runs_.push_back(&run);
  }
  assign_open(row);
  settle_rounds();
  for (std::size_t i = 0; i < channels_; ++i)
    loads[port_[i]] = static_cast<std::uint16_t>(load_[i]);
}

void SwitchTableRouter::number_channels(SwitchIndex sw) {
  const fabric::SwitchGraph& graph = input_.graph;
  const auto ports = graph.out_ports(sw);
  sw_ = sw;
  guid_ = input_.fabric.nodes[input_.fabric.switches[sw].node].guid;
  channels_ = ports.size();
  channel_of_port_.fill(0xFF);
  for (std::size_t i = 0; i < channels_; ++i)
    channel_[i] = graph.offsets[sw] + static_cast<std::uint32_t>(i);
  if (const PortOrder* order = settings_.order[sw]; order != nullptr) {
    const auto search_position = [&](fabric::ChannelIndex channel) {
      return std::pair(std::ranges::find(order->ports, graph.port[channel]), channel);
    };
    std::ranges::sort(channel_.begin(), channel_.begin() + static_cast<std::ptrdiff_t>(channels_),
                      {}, search_position);
  }
  bool ignores = false, has_peer = false;
  for (std::size_t i = 0; i < channels_; ++i) {
    const fabric::ChannelIndex channel = channel_[i];
    port_[i] = graph.port[channel].value;
    channel_of_port_[port_[i]] = static_cast<std::uint8_t>(i);
    uncounted_[i] = settings_.uncounted[channel];
    ignores |= uncounted_[i] != 0;
    has_peer |= to_leaf_[graph.neighbour[channel]] == to_leaf_[sw];
  }
  if (further_lids_) number_neighbours();
  levelled_ = !ignores && !input_.options.port_shifting;
  lowest_first_ = input_.options.lowest_port_first || settings_.order[sw] != nullptr;
  // In a layered fabric, switches of one level start alike and levels differ (see scan_start()).
  // Elsewhere the GUID gives the start.
  turn_ = has_peer ? static_cast<std::uint32_t>(mix(guid_.value) >> 40) : 0;
  turn_per_rank_ = to_leaf_[sw] == kUnreachable ? 0 : to_leaf_[sw];
}

// A system image GUID of 0 identifies no system: such a switch is its own system.
void SwitchTableRouter::number_systems() {
  std::unordered_map<mad::Guid, SwitchIndex> first_of;
  for (const SwitchIndex sw : input_.graph.all_switches()) {
    const fabric::Node& node = input_.fabric.nodes[input_.fabric.switches[sw].node];
    const mad::Guid system = node.info.system_image_guid();
    system_of_switch_.push_back(
        first_of.try_emplace(system == mad::Guid{} ? node.guid : system, sw).first->second);
  }
}

// Equal neighbours and equal systems get equal numbers.
void SwitchTableRouter::number_neighbours() {
  const auto first_like = [&](std::size_t i, auto&& identity) {
    std::size_t j = 0;
    while (identity(input_.graph.neighbour[channel_[j]]) !=
           identity(input_.graph.neighbour[channel_[i]]))
      ++j;
    return static_cast<std::uint8_t>(j);
  };
  for (std::size_t i = 0; i < channels_; ++i) {
    node_[i] = first_like(i, [](SwitchIndex sw) { return sw; });
    system_[i] = first_like(i, [&](SwitchIndex sw) { return system_of_switch_[sw]; });
  }
}

// Selects the candidates for a run; returns false if its switch cannot be reached.
bool SwitchTableRouter::select(const Run& run) {
  bool any = false, same = true;
  for (std::size_t word = 0; word < masks_.words(); ++word) {
    const std::uint64_t bits = masks_.word(word, run.sw);
    any |= bits != 0;
    same &= bits == mask_[word];
  }
  if (!any || same) return any;
  settle_rounds();
  for (std::size_t word = 0; word < masks_.words(); ++word) mask_[word] = masks_.word(word, run.sw);
  load_candidates();
  return true;
}

void SwitchTableRouter::load_candidates() {
  candidates_ = 0;
  for (std::size_t word = 0; word < masks_.words(); ++word)
    for (std::uint64_t bits = mask_[word]; bits != 0; bits &= bits - 1) {
      const auto channel =
          static_cast<std::uint8_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      candidate_port_[candidates_] = port_[channel];
      candidate_[candidates_++] = channel;
    }
  std::copy_n(candidate_port_.begin(), candidates_,
              candidate_port_.begin() + static_cast<std::ptrdiff_t>(candidates_));
  loads_equal_ = are_loads_equal();
}

void SwitchTableRouter::settle_rounds() {
  if (rounds_ == 0) return;
  for (std::size_t k = 0; k < candidates_; ++k) load_[candidate_[k]] += rounds_;
  rounds_ = 0;
}

bool SwitchTableRouter::are_loads_equal() const {
  for (std::size_t k = 1; k < candidates_; ++k)
    if (load_[candidate_[k]] != load_[candidate_[0]]) return false;
  return true;
}

// Returns the index of the first of equally loaded candidates. If all switches began with their
// lowest port, LID number i of a leaf would take candidate i mod k on every level of a tree: a
// middle switch would receive the LIDs of one residue only, and send all of them to one switch
// above. So for each next leaf, the start advances by one at switches one level from the hosts, by
// two at two levels, and so on. On a complete tree, with LIDs in the order of the topology, every
// destination then has its own top switch. A switch with a neighbour on its own level (a torus,
// hosts on the spines) has no such order, and starts at an index given by its GUID.
std::size_t SwitchTableRouter::scan_start(const Run& run) const {
  // LIDs that do not count do not change the loads; their rank alone distributes them.
  return lowest_first_ ? 0
                       : (turn_ + (turn_per_rank_ + (run.counted ? 0u : 1u)) * run.rank) %
                             static_cast<std::uint32_t>(candidates_);
}

// Keeps the entries that are still on a shortest path; returns their number.
std::size_t SwitchTableRouter::keep_previous(const Run& run, std::span<const std::uint8_t> previous,
                                             LftView row) {
  std::size_t kept = 0;
  for (std::uint32_t i = run.begin; i < run.end; ++i) {
    const std::uint16_t lid = plan_.lids[i];
    const std::uint8_t port = lid < previous.size() ? previous[lid] : mad::kNoPort.value;
    const std::uint8_t channel = channel_of_port_[port];
    if (channel >= channels_ || (mask_[channel / 64] >> channel % 64 & 1) == 0) continue;
    row[lid] = port;
    load_[channel] += run.counted && uncounted_[channel] == 0 ? 1u : 0u;
    ++kept;
  }
  loads_equal_ = false;
  return kept;
}

void SwitchTableRouter::assign(const Run& run, Lids lids, bool consecutive, LftView row) {
  if (run.first_lids && levelled_ && !run.scattered)
    assign_levelled(run, lids, consecutive, row);
  else
    assign_singly(run, lids, row);
}

// Gives the result of assign_singly() for many LIDs at once: takes the least loaded candidates
// level by level.
void SwitchTableRouter::assign_levelled(const Run& run, Lids lids, bool consecutive, LftView row) {
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
    for (std::size_t n = 0, k = start; n < candidates_ && i < lids.size();
         ++n, k = k + 1 == candidates_ ? 0 : k + 1) {
      const std::uint8_t channel = candidate_[k];
      if (load_[channel] != level) continue;
      row[lids[i++]] = port_[channel];
      ++load_[channel];
    }
  }
  loads_equal_ = are_loads_equal();
}

void SwitchTableRouter::assign_singly(const Run& run, Lids lids, LftView row) {
  settle_rounds();
  for (const std::uint16_t lid : lids) {
    std::size_t start = scan_start(run);
    if (input_.options.port_shifting) {
      std::uint64_t load = 0;
      for (std::size_t k = 0; k < candidates_; ++k) load += load_[candidate_[k]];
      start = (start + load / candidates_) % candidates_;
    }
    std::uint8_t channel;
    if (!run.first_lids)
      channel = most_diverse(lid, start, row);
    else if (run.scattered)
      channel = scattered(lid);
    else
      channel = least_loaded(start);
    row[lid] = port_[channel];
    load_[channel] += run.counted && uncounted_[channel] == 0 ? 1u : 0u;
  }
  loads_equal_ = are_loads_equal();
}

std::uint8_t SwitchTableRouter::least_loaded(std::size_t start) const {
  std::uint8_t best = candidate_[start];
  for (std::size_t n = 1, k = start; n < candidates_; ++n) {
    k = k + 1 == candidates_ ? 0 : k + 1;
    if (load_[candidate_[k]] < load_[best]) best = candidate_[k];
  }
  return best;
}

std::uint8_t SwitchTableRouter::scattered(std::uint16_t lid) const {
  const std::uint32_t least = load_[least_loaded(0)];
  std::array<std::uint8_t, kChannelsMax> tied;
  std::size_t count = 0;
  for (std::size_t k = 0; k < candidates_; ++k)
    if (load_[candidate_[k]] == least) tied[count++] = candidate_[k];
  assert(count > 0);
  return tied[mix(mix(guid_.value ^ input_.options.scatter_ports) ^ lid) % count];
}

// Chooses a port for a further LID of a port: prefers a system that no other LID of the port goes
// through, then such a switch, then the least load, then the least uses. The search starts after
// the port of the previous LID.
std::uint8_t SwitchTableRouter::most_diverse(std::uint16_t lid, std::size_t start, LftView row) {
  const auto for_others = [&](auto&& visit) {
    const fabric::LidMap::Range range = plan_.range[lid];
    for (unsigned other = range.base.value; other < range.base.value + range.count(); ++other)
      if (const std::uint8_t channel = channel_of_port_[row[other]]; channel < channels_)
        visit(channel);
  };
  for_others([&](std::uint8_t channel) {
    ++system_uses_[system_[channel]];
    ++node_uses_[node_[channel]];
  });
  if (const std::uint8_t previous = channel_of_port_[row[lid - 1]]; previous < channels_) {
    const auto end = candidate_.begin() + static_cast<std::ptrdiff_t>(candidates_);
    const auto after = std::upper_bound(candidate_.begin(), end, previous);
    start = after == end ? 0 : static_cast<std::size_t>(after - candidate_.begin());
  }
  struct Cost {
    std::uint8_t grade;  // 0: new system, 1: new switch, 2: neither
    std::uint32_t load;
    std::uint8_t uses;
    auto operator<=>(const Cost&) const = default;
  };
  const auto cost = [&](std::uint8_t channel) {
    const std::uint8_t uses = node_uses_[node_[channel]];
    const std::uint8_t grade = system_uses_[system_[channel]] == 0 ? 0 : uses == 0 ? 1 : 2;
    return Cost{grade, load_[channel], uses};
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
  for_others([&](std::uint8_t channel) {
    system_uses_[system_[channel]] = node_uses_[node_[channel]] = 0;
  });
  return best;
}

}  // namespace routing
