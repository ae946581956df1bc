#include "routing/balance/balance.h"

#include <algorithm>
#include <bit>

#include "fabric/parallel.h"
#include "routing/balance/switch_table_router.h"
#include "routing/core/routing_state.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

constexpr std::size_t kPorts = 256;

PortLoads loads_of(std::vector<std::uint16_t>& loads, std::size_t sw) {
  return PortLoads(loads.data() + sw * kPorts, kPorts);
}

std::vector<TableState::Attachment> attachments_of(const Plan& plan) {
  std::vector<TableState::Attachment> attachments(plan.out.size());
  for (const Run& run : plan.runs)
    for (std::uint32_t i = run.begin; i < run.end; ++i)
      attachments[plan.lids[i]] = {run.sw, plan.out[plan.lids[i]],
                                   static_cast<std::uint8_t>(run.counted ? 1 : 0)};
  return attachments;
}

/// Holds, by switch, one bit for each destination switch that a change may affect.
class TouchedDestinations {
 public:
  explicit TouchedDestinations(std::size_t switches)
      : words_((switches + 63) / 64), bits_(switches * words_, 0) {}

  std::size_t words() const { return words_; }
  std::uint64_t* of(SwitchIndex sw) { return bits_.data() + sw * words_; }
  const std::uint64_t* of(SwitchIndex sw) const { return bits_.data() + sw * words_; }
  static void set(std::uint64_t* bits, SwitchIndex destination) {
    bits[destination / 64] |= std::uint64_t{1} << destination % 64;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Routes incrementally: starts from the previous tables.
class Repair {
 public:
  Repair(const RoutingInput& input, const ChannelSettings& settings, const Plan& plan,
         const Candidates& candidates, const CandidatesBefore& before, const Preference* preference,
         RoutingResult& result)
      : input_(input),
        settings_(settings),
        plan_(plan),
        candidates_(candidates),
        preference_(preference),
        before_(before.common),
        own_before_(before.own),
        result_(result),
        was_(before.was),
        switches_(input.graph.switches()),
        turning_(candidates.local()->turning_hops()),
        whole_(switches_, 0),
        everywhere_((switches_ + 63) / 64, 0),
        own_(switches_),
        touched_(switches_) {}

  void run(const TableState& state, CandidateState& now) {
    const fabric::ForwardingTables& previous_tables = input_.previous_routing->lfts;
    same_layout_ = was_.same_switches && previous_tables.lid_top() == input_.lids.lid_top;
    result_.lfts =
        same_layout_ ? previous_tables : fabric::ForwardingTables(switches_, input_.lids.lid_top);
    find_whole_tables(now);
    find_moved(state.attachments);
    compare_tables();
    number_runs();
    count_loads();
    constexpr std::size_t kTablesWorthAThread = 64;
    fabric::in_parallel(switches_, kTablesWorthAThread, [&](std::size_t begin, std::size_t end) {
      SwitchTableRouter router(input_, settings_, plan_, candidates_, preference_);
      std::vector<std::uint32_t> runs;
      for (std::size_t sw = begin; sw < end; ++sw)
        repair(SwitchIndex(sw), router, runs, loads_of(now.loads, sw));
    });
  }

 private:
  /// Finds switches whose links, or whose flags of links, have changed: all of their entries are
  /// recomputed.
  void find_whole_tables(const CandidateState& now) {
    for (SwitchIndex sw{0}; sw < switches_; ++sw) {
      const SwitchIndex was = was_.previous_switch[sw];
      const std::size_t cap = input_.fabric.switches[sw].info.linear_fdb_cap();
      whole_[sw] = was == kNoIndex || was_.channels_changed[sw] ||
                   cap <= input_.lids.lid_top.value ||
                   own_before_.channel_flags.size() !=
                       before_.graph.port.size() * (now.channel_flags.empty() ? 0u : 1u);
      if (whole_[sw] != 0 || now.channel_flags.empty()) continue;
      const auto flags = [](const std::vector<std::uint8_t>& all, const fabric::SwitchGraph& graph,
                            SwitchIndex of) {
        return std::span(all).subspan(graph.offsets[of], graph.degree(of));
      };
      whole_[sw] = !std::ranges::equal(flags(now.channel_flags, input_.graph, sw),
                                       flags(own_before_.channel_flags, before_.graph, was));
    }
  }

  /// Finds LIDs that are attached to another switch or to none: every switch recomputes them.
  void find_moved(const std::vector<TableState::Attachment>& attachments) {
    was_counted_.assign(attachments.size(), 0);
    for (std::size_t lid = 0; lid < std::max(attachments.size(), before_.attachments.size());
         ++lid) {
      const TableState::Attachment now =
          lid < attachments.size() ? attachments[lid] : TableState::Attachment{};
      TableState::Attachment old =
          lid < before_.attachments.size() ? before_.attachments[lid] : TableState::Attachment{};
      if (lid < attachments.size()) was_counted_[lid] = old.counted;
      if (old.sw == kNoIndex && now.sw == kNoIndex) continue;
      if (old.sw != kNoIndex) old.sw = was_.current_switch[old.sw];
      if (now.sw != kNoIndex && now == old) continue;
      // The table also has entries for LIDs above lid_top, to the end of its block.
      if (now.sw == kNoIndex && lid < result_.lfts.pitch())
        removed_lids_.push_back(static_cast<std::uint16_t>(lid));
      if (now.sw != kNoIndex) TouchedDestinations::set(everywhere_.data(), now.sw);
    }
  }

  /// Finds, by switch, destinations whose entry has changed in some table, of the switch or of a
  /// neighbour.
  void compare_tables() {
    const std::vector<const HopTable<std::uint8_t>*> tables = candidates_.local()->tables();
    for (std::size_t sw = 0; sw < switches_; ++sw)
      if (was_.previous_switch[sw] == kNoIndex)
        TouchedDestinations::set(everywhere_.data(), SwitchIndex(sw));
    fabric::in_parallel(switches_, 256, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint8_t> row(tables.empty() ? 0 : tables[0]->pitch());
      for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
        const SwitchIndex was = was_.previous_switch[sw];
        for (std::size_t t = 0; t < tables.size() && was != kNoIndex; ++t) {
          const std::uint8_t* old = own_before_.tables[t]->row(was);
          if (!was_.same_switches) {
            for (std::size_t d = 0; d < switches_; ++d)
              row[d] = was_.previous_switch[d] == kNoIndex ? 0 : old[was_.previous_switch[d]];
            old = row.data();
          }
          const std::uint8_t* const now = tables[t]->row(SwitchIndex(sw));
          std::uint64_t* const bits = own_.of(SwitchIndex(sw));
          for (std::size_t first = 0; first < switches_; first += 64) {
            const std::size_t last = std::min(first + 64, switches_);
            if (std::equal(now + first, now + last, old + first)) continue;
            for (std::size_t d = first; d < last; ++d)
              if (now[d] != old[d]) TouchedDestinations::set(bits, SwitchIndex(d));
          }
        }
      }
    });
    fabric::in_parallel(switches_, 256, [&](std::size_t begin, std::size_t end) {
      for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
        std::uint64_t* const bits = touched_.of(SwitchIndex(sw));
        const auto take = [&](const std::uint64_t* from) {
          for (std::size_t word = 0; word < touched_.words(); ++word) bits[word] |= from[word];
        };
        take(everywhere_.data());
        take(own_.of(SwitchIndex(sw)));
        for (const SwitchIndex other : input_.graph.neighbours(SwitchIndex(sw)))
          take(own_.of(other));
        touch_turning(SwitchIndex(sw), bits);
      }
    });
  }

  /// Destinations that turn all have the same next switch. Neither it nor which ones turn is in the
  /// tables.
  void touch_turning(SwitchIndex sw, std::uint64_t* bits) const {
    const TurningHops& then = own_before_.turning;
    const SwitchIndex was = was_.previous_switch[sw];
    if (was == kNoIndex || (turning_.next.empty() && then.next.empty())) return;
    const SwitchIndex before = then.next.empty() ? kNoIndex : then.next[was],
                      hop = before == kNoIndex ? kNoIndex : was_.current_switch[before];
    const bool same_hop = hop == (turning_.next.empty() ? kNoIndex : turning_.next[sw]);
    for (SwitchIndex to{0}; to < switches_; ++to) {
      const SwitchIndex to_before = was_.previous_switch[to];
      const bool turned = to_before != kNoIndex && then.pairs.has(was, to_before),
                 turns = turning_.pairs.has(sw, to);
      if (turned != turns || (turns && !same_hop)) TouchedDestinations::set(bits, to);
    }
  }

  void number_runs() {
    run_offset_.assign(switches_ + 1, 0);
    for (const Run& run : plan_.runs) ++run_offset_[run.sw + 1];
    for (std::size_t sw = 0; sw < switches_; ++sw) run_offset_[sw + 1] += run_offset_[sw];
    runs_to_.resize(plan_.runs.size());
    std::vector<std::uint32_t> at(run_offset_.begin(), run_offset_.end() - 1);
    for (std::uint32_t i = 0; i < plan_.runs.size(); ++i) runs_to_[at[plan_.runs[i].sw]++] = i;
  }

  /// Counts the loads of the previous tables, by their ports.
  void count_loads() {
    if (!own_before_.loads.empty()) return;
    counted_.assign(before_.switches.size() * kPorts, 0);
    loads_before_ = &counted_;
    fabric::in_parallel(switches_, 64, [&](std::size_t begin, std::size_t end) {
      for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
        const SwitchIndex was = was_.previous_switch[sw];
        if (was == kNoIndex || whole_[sw] != 0) continue;
        const PortLoads loads = loads_of(counted_, was);
        const auto row = input_.previous_routing->lfts.row(was);
        for (std::size_t lid = 0; lid < std::min(row.size(), before_.attachments.size()); ++lid)
          loads[row[lid]] =
              static_cast<std::uint16_t>(loads[row[lid]] + before_.attachments[lid].counted);
        for (std::size_t port = 0; port < kPorts; ++port) {
          const auto number = static_cast<std::uint8_t>(port);
          if (!leads_to_switch(sw, number) || is_uncounted(sw, number)) loads[port] = 0;
        }
      }
    });
  }

  void repair(SwitchIndex sw, SwitchTableRouter& router, std::vector<std::uint32_t>& runs,
              PortLoads loads) {
    const SwitchIndex was = was_.previous_switch[sw];
    const std::span<const std::uint8_t> old =
        was == kNoIndex ? std::span<const std::uint8_t>() : input_.previous_routing->lfts.row(was);
    if (whole_[sw] != 0) {
      const std::span<std::uint8_t> row = result_.lfts.writable_row(sw);
      std::ranges::fill(row, mad::kNoPort.value);
      return router.route(sw, old, row, loads);
    }
    if (!same_layout_) result_.lfts.take_row(sw, input_.previous_routing->lfts, was);
    std::copy_n(loads_before_->begin() + static_cast<std::ptrdiff_t>(was * kPorts), kPorts,
                loads.begin());
    for (const std::uint16_t lid : removed_lids_) {
      const std::uint8_t port = result_.lfts.row(sw)[lid];
      if (port == mad::kNoPort.value) continue;
      result_.lfts.writable_row(sw)[lid] = mad::kNoPort.value;
      if (before_.attachments[lid].counted != 0 && leads_to_switch(sw, port) &&
          !is_uncounted(sw, port))
        --loads[port];
    }
    if (old.size() > result_.lfts.pitch()) forget_higher_lids(sw, old, result_.lfts.pitch(), loads);
    runs.clear();
    for (std::size_t word = 0; word < touched_.words(); ++word)
      for (std::uint64_t bits = touched_.of(sw)[word]; bits != 0; bits &= bits - 1) {
        const std::size_t to = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        runs.insert(runs.end(), runs_to_.begin() + run_offset_[to],
                    runs_to_.begin() + run_offset_[to + 1]);
      }
    if (runs.empty()) return;
    std::ranges::sort(runs);
    const std::span<std::uint8_t> row = result_.lfts.writable_row(sw);
    router.repair(sw, runs, was_counted_, row, loads);
    if (std::ranges::equal(row, old)) result_.lfts.take_row(sw, input_.previous_routing->lfts, was);
  }

  /// If the table is shorter now, the entries that it lost no longer count as load.
  void forget_higher_lids(SwitchIndex sw, std::span<const std::uint8_t> old, std::size_t from,
                          PortLoads loads) const {
    for (std::size_t lid = from; lid < std::min(old.size(), before_.attachments.size()); ++lid)
      if (before_.attachments[lid].counted != 0 && leads_to_switch(sw, old[lid]) &&
          !is_uncounted(sw, old[lid]))
        --loads[old[lid]];
  }

  fabric::ChannelIndex get_channel(SwitchIndex sw, std::uint8_t port) const {
    const auto ports = input_.graph.out_ports(sw);
    const auto found = std::ranges::lower_bound(ports, mad::PortNum{port});
    return found != ports.end() && *found == mad::PortNum{port}
               ? input_.graph.offsets[sw] + static_cast<std::uint32_t>(found - ports.begin())
               : kNoIndex;
  }
  bool leads_to_switch(SwitchIndex sw, std::uint8_t port) const {
    return get_channel(sw, port) != kNoIndex;
  }
  bool is_uncounted(SwitchIndex sw, std::uint8_t port) const {
    return settings_.uncounted[get_channel(sw, port)] != 0;
  }

  const RoutingInput& input_;
  const ChannelSettings& settings_;
  const Plan& plan_;
  const Candidates& candidates_;
  const Preference* const preference_;
  const TableState& before_;
  const CandidateState& own_before_;
  RoutingResult& result_;
  const Correspondence& was_;
  const std::size_t switches_;
  const TurningHops turning_;
  bool same_layout_ = false;               // result_.lfts starts as a copy of the previous tables
  std::vector<std::uint8_t> whole_;        // by switch
  std::vector<std::uint64_t> everywhere_;  // destinations that every switch recomputes
  TouchedDestinations own_, touched_;
  std::vector<std::uint8_t> was_counted_;  // by LID
  const std::vector<std::uint16_t>* loads_before_ = &own_before_.loads;
  std::vector<std::uint16_t> counted_;               // where no loads were kept
  std::vector<std::uint16_t> removed_lids_;          // LIDs that are no longer assigned
  std::vector<std::uint32_t> run_offset_, runs_to_;  // runs of the plan by destination switch
};

/// The state that a routing over candidates leaves, still without loads.
struct States {
  std::shared_ptr<TableState> common = std::make_shared<TableState>();
  std::shared_ptr<CandidateState> own;

  States(const RoutingInput& input, const Plan& plan, const LocalCandidates* local,
         std::shared_ptr<CandidateState> own_state)
      : own(std::move(own_state)) {
    common->attachments = attachments_of(plan);
    if (local == nullptr) return;
    own->channel_flags = local->channel_flags();
    own->turning = local->turning_hops();
    common->graph = input.graph;
    for (const fabric::Switch& sw : input.fabric.switches)
      common->switches.push_back(input.fabric.nodes[sw.node].guid);
    own->tables = local->tables();
    own->owners.push_back(local->owner_of_tables());
    if (own->owners.front() != nullptr) return;
    for (const HopTable<std::uint8_t>*& table : own->tables) {
      auto copy = std::make_shared<const HopTable<std::uint8_t>>(*table);
      table = copy.get();
      own->owners.push_back(std::move(copy));
    }
  }
  std::shared_ptr<const TableState> whole() && {
    common->own = std::move(own);
    return std::move(common);
  }
};

ChannelSettings no_settings(const fabric::SwitchGraph& graph) {
  return {std::vector<std::uint8_t>(graph.port.size(), 1),
          std::vector<std::uint8_t>(graph.port.size(), 0),
          std::vector<const PortOrder*>(graph.switches(), nullptr), false};
}

}  // namespace

std::vector<std::uint8_t> CandidatesBefore::changed(const fabric::SwitchGraph& graph,
                                                    std::span<const std::uint8_t> flags) const {
  std::vector<std::uint8_t> out(graph.switches(), 1);
  if (own.channel_flags.size() != common.graph.port.size()) return out;
  for (const SwitchIndex sw : graph.all_switches()) {
    const SwitchIndex then = was.previous_switch[sw];
    if (then == kNoIndex || was.channels_changed[sw]) continue;
    out[sw] =
        std::ranges::equal(
            flags.subspan(graph.offsets[sw], graph.degree(sw)),
            std::span(own.channel_flags).subspan(common.graph.offsets[then], graph.degree(sw)))
            ? 0
            : 1;
  }
  return out;
}

std::optional<CandidatesBefore> candidates_before(const RoutingInput& input) {
  if (input.previous_routing == nullptr) return std::nullopt;
  const RoutingState& memory = input.previous_routing->memory;
  const auto* const own = dynamic_cast<const CandidateState*>(memory.rows->own.get());
  if (own == nullptr || memory.options != input.options) return std::nullopt;
  return CandidatesBefore{*memory.rows, *own,
                          correspondence(*memory.rows, input.fabric, input.graph)};
}

std::optional<HopTable<std::uint8_t>> unit_hops_since(
    const RoutingInput& input, const std::optional<CandidatesBefore>& before) {
  if (before && before->was.same_switches &&
      (before->own.tables.size() == 1 || before->own.tables.size() == 4)) {
    const LinkChanges changes = link_changes(before->common.graph, input.graph, before->was);
    if (auto hops = unit_hops_after(input.graph, *before->own.tables.back(), changes)) return hops;
  }
  return unit_hops(input.graph);
}

std::optional<UpDownDistances> up_down_distances_since(
    const RoutingInput& input, const std::optional<CandidatesBefore>& before,
    const UpDownOrder& order, const UpDownNeeds& needs) {
  if (!before || !before->was.same_switches || before->own.tables.size() < 3)
    return up_down_distances(input.graph, order, needs);
  const UpDownBefore then{before->own.tables[0], before->own.tables[1],
                          before->changed(input.graph, down_flags(input.graph, order))};
  return up_down_distances(input.graph, order, needs, &then);
}

void route_tables(const RoutingInput& input, const ChannelSettings& settings, const Plan& plan,
                  const Candidates& candidates, const std::optional<CandidatesBefore>& before,
                  RoutingResult& result) {
  const LocalCandidates* const local = candidates.local();
  States states(input, plan, local, std::make_shared<CandidateState>());
  std::vector<std::uint16_t>& loads = states.own->loads;
  loads.resize(input.graph.switches() * kPorts);
  if (before && local != nullptr && before->own.tables.size() == local->tables().size()) {
    Repair(input, settings, plan, candidates, *before, nullptr, result)
        .run(*states.common, *states.own);
  } else {
    constexpr std::size_t kEntriesWorthAThread = 200'000;
    result.lfts = fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top);
    const bool keeps =
        input.previous != nullptr && input.previous->switches() == input.graph.switches();
    fabric::in_parallel(
        input.graph.switches(), kEntriesWorthAThread / (plan.lids.size() + 1) + 1,
        [&](std::size_t begin, std::size_t end) {
          SwitchTableRouter router(input, settings, plan, candidates);
          for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
            auto previous = keeps ? input.previous->row(sw) : std::span<const std::uint8_t>();
            // The candidates of the previous routing were of another kind.
            if (!keeps && before && before->was.previous_switch[sw] != kNoIndex)
              previous = input.previous_routing->lfts.row(before->was.previous_switch[sw]);
            router.route(sw, previous, result.lfts.writable_row(sw), loads_of(loads, sw));
          }
        });
  }
  if (local != nullptr) result.rows = std::move(states).whole();
}

void repair_tables(const RoutingInput& input, const Candidates& candidates,
                   const CandidatesBefore& before, const Preference& preference,
                   std::shared_ptr<CandidateState> own, RoutingResult& result) {
  const Plan plan = make_plan(input);
  States states(input, plan, candidates.local(), std::move(own));
  states.own->loads.resize(input.graph.switches() * kPorts);
  const ChannelSettings settings = no_settings(input.graph);
  Repair(input, settings, plan, candidates, before, &preference, result)
      .run(*states.common, *states.own);
  result.rows = std::move(states).whole();
}

void keep_state(const RoutingInput& input, const Candidates& candidates,
                std::shared_ptr<CandidateState> own, RoutingResult& result) {
  result.rows = States(input, make_plan(input), candidates.local(), std::move(own)).whole();
}

void forget_loads(RoutingResult& result) {
  const auto* const own = result.rows == nullptr
                              ? nullptr
                              : dynamic_cast<const CandidateState*>(result.rows->own.get());
  if (own == nullptr) return;
  auto common = std::make_shared<TableState>(*result.rows);
  const std::shared_ptr<CandidateState> state = own->copied();
  state->loads.clear();
  common->own = state;
  result.rows = std::move(common);
}

}  // namespace routing
