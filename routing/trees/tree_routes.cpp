#include "routing/trees/tree_routes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/balance/balance.h"
#include "routing/core/mix.h"
#include "routing/trees/turning.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

/// The downward paths that a routing chose, by LID.
struct TreeState : CandidateState {
  TreePaths paths{0, 0};
  std::vector<std::uint32_t> entry_of_lid;  // kNoEntry: none
  static constexpr std::uint32_t kNoEntry = 0xFFFFFFFFu;
  std::shared_ptr<CandidateState> copied() const override {
    return std::make_shared<TreeState>(*this);
  }
};

constexpr std::uint32_t kNoEntry = TreeState::kNoEntry;

/// Returns the previous paths by the present entries and switches.
TreePaths paths_before(const TreePlan& plan, const TreeTargets& targets, const TreeState& state,
                       const Correspondence& was) {
  TreePaths kept(plan.levels.height, targets.entries());
  std::vector<std::uint32_t> then(targets.entries(), kNoEntry);
  for (std::uint32_t i = 0; i < then.size(); ++i)
    if (const std::uint16_t lid = targets.lid[i];
        lid != 0 && lid < state.entry_of_lid.size() && state.entry_of_lid[lid] != kNoEntry)
      then[i] = state.entry_of_lid[lid];
  for (std::uint32_t level = 1;
       level < std::min<std::size_t>(plan.levels.height, state.paths.levels()); ++level)
    for (std::uint32_t i = 0; i < then.size(); ++i) {
      if (then[i] == kNoEntry) continue;
      const SwitchIndex via = state.paths.via(level)[then[i]];
      kept.via(level)[i] = via == kNoIndex ? kNoIndex : was.current_switch[via];
      kept.link(level)[i] = state.paths.link(level)[then[i]];
    }
  return kept;
}

/// Prefers the candidate in the column of the destination's path, as tree_tables() does.
class TreePreference final : public Preference {
 public:
  TreePreference(const TreePlan& plan, const TreePaths& paths,
                 const std::vector<std::uint32_t>& entry_of_lid)
      : plan_(plan), paths_(paths), entry_of_lid_(entry_of_lid) {}

  std::optional<std::size_t> choose(SwitchIndex sw, std::uint16_t lid,
                                    std::span<const fabric::ChannelIndex> channels,
                                    const CandidateSet& allowed) const override {
    const TreeLevels& tree = plan_.levels;
    if (lid >= entry_of_lid_.size() || entry_of_lid_[lid] == kNoEntry) return std::nullopt;
    const std::uint32_t entry = entry_of_lid_[lid];
    std::array<std::uint8_t, 256> found;
    std::size_t count = 0;
    std::uint32_t link_level = 0;
    for (std::size_t i = 0; i < channels.size(); ++i) {
      if ((allowed[i / 64] >> i % 64 & 1) == 0) continue;
      const SwitchIndex other = plan_.input.graph.neighbour[channels[i]];
      const std::uint32_t level = tree.level[other], highest = std::max(level, tree.level[sw]);
      if (tree.idle[other] != 0 || highest >= tree.height) continue;
      if (level > 0 && plan_.columns.column[other] != paths_.column(level)[entry]) continue;
      link_level = highest;
      found[count++] = static_cast<std::uint8_t>(i);
    }
    if (count == 0) return std::nullopt;
    return found[paths_.link(link_level)[entry] % count];
  }

 private:
  const TreePlan& plan_;
  const TreePaths& paths_;
  const std::vector<std::uint32_t>& entry_of_lid_;
};

/// Returns the state of a routing with these paths.
std::shared_ptr<TreeState> tree_state(const TreePlan& plan, const TreeTargets& targets,
                                      const TreePaths& paths) {
  auto state = std::make_shared<TreeState>();
  state->paths = paths;
  state->entry_of_lid.assign(plan.input.lids.lid_top.value + std::size_t{1}, kNoEntry);
  for (std::uint32_t i = 0; i < targets.entries(); ++i)
    if (targets.lid[i] != 0) state->entry_of_lid[targets.lid[i]] = i;
  return state;
}

/// Destinations keep their downward paths; those whose path has lost a switch or its last link take
/// the one that the fewest take. All entries stay that are still candidates; others lead to the
/// path of their destination, or else where the fewest others of the switch lead. Precondition:
/// before.own is a TreeState.
void repair_tree(const TreePlan& plan, const TreeTargets& targets, const Candidates& candidates,
                 const CandidatesBefore& before, PathChoice choice, RoutingResult& result) {
  const TreePaths kept =
      paths_before(plan, targets, dynamic_cast<const TreeState&>(before.own), before.was);
  const TreePaths paths =
      tree_paths(plan.levels, plan.columns, plan.groups, targets, choice, &kept);
  std::shared_ptr<TreeState> state = tree_state(plan, targets, paths);
  const TreePreference preference(plan, paths, state->entry_of_lid);
  repair_tables(plan.input, candidates, before, preference, state, result);
}

constexpr std::uint8_t kNoPort = mad::kNoPort.value;
constexpr std::uint32_t kIdle = 0xFFFFFFFFu;  // level of a switch that no path leads over

class TableMaker {
 public:
  TableMaker(const TreePlan& plan, const TreeTargets& targets, const TreePaths& paths,
             const Candidates& candidates)
      : plan_(plan),
        targets_(targets),
        paths_(paths),
        candidates_of_(candidates),
        masks_(plan.input.graph.switches()) {
    const std::size_t size = std::size_t{std::ranges::max(plan.columns.width_max)} *
                             std::ranges::max(plan.columns.links_max);
    port_of_path_.assign(size, kNoPort);
  }

  void make(SwitchIndex sw, std::span<std::uint8_t> row) {
    begin(sw);
    for (const TreeTargets::Run& run : targets_.runs) {
      if (run.sw == sw) {
        for (std::uint32_t i = run.begin; i < run.end; ++i) row[targets_.lid[i]] = targets_.out[i];
      } else if (select(run.sw)) {
        fill(run, row);
      }
    }
    row[0] = kNoPort;  // entries of missing hosts were written here
    const std::size_t cap = plan_.input.fabric.switches[sw].info.linear_fdb_cap();
    if (cap < row.size()) std::ranges::fill(row.subspan(cap), kNoPort);
  }

 private:
  using LftView = std::span<std::uint8_t>;
  static constexpr std::size_t kWords = 4, kGroupsMax = 64 * kWords;

  void begin(SwitchIndex sw) {
    drop_paths();
    sw_ = sw;
    groups_ = plan_.groups.of(sw);
    std::array<fabric::ChannelIndex, kGroupsMax> channels;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const LinkGroup& group = groups_[g];
      const auto ports = plan_.groups.ports(group);
      channels[g] = group.channel;
      level_[g] = plan_.levels.idle[group.to] == 0 ? plan_.levels.level[group.to] : kIdle;
      column_[g] = plan_.columns.column[group.to];
      for (const std::uint8_t port : ports) group_of_port_[port] = static_cast<std::uint8_t>(g);
    }
    candidates_of_.find(sw, std::span(channels).first(groups_.size()), masks_);
    mask_.fill(0);
    others_of_port_.fill(0);
    turn_ = static_cast<std::uint32_t>(
        mix(plan_.input.fabric.nodes[plan_.input.fabric.switches[sw].node].guid.value) >> 40);
  }

  // Selects the candidates for a destination switch; returns false if it cannot be reached.
  bool select(SwitchIndex to) {
    std::uint64_t any = 0, changed = 0;
    for (std::size_t word = 0; word < masks_.words(); ++word) {
      any |= masks_.word(word, to);
      changed |= masks_.word(word, to) ^ mask_[word];
    }
    if (any == 0 || changed == 0) return any != 0;
    first_ = kGroupsMax;
    only_one_ = true;
    for (std::size_t word = masks_.words(); word-- > 0;) {
      const std::uint64_t bits = masks_.word(word, to);
      if (bits == 0) continue;
      only_one_ &= first_ == kGroupsMax && (bits & (bits - 1)) == 0;
      first_ = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    }
    look_at_level_of(first_);
    for (std::size_t word = 0; word < masks_.words(); ++word) {
      const std::uint64_t previous_mask = mask_[word];
      mask_[word] = masks_.word(word, to);
      if (column_level_ == 0) continue;
      for (std::uint64_t bits = previous_mask & ~mask_[word]; bits != 0; bits &= bits - 1)
        forget(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      for (std::uint64_t bits = mask_[word] & ~previous_mask; bits != 0; bits &= bits - 1)
        learn(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    return true;
  }

  // Candidates are all above or all below. Candidates on another level than the first have no
  // column there.
  void look_at_level_of(std::size_t first) {
    const std::uint32_t here = plan_.levels.level[sw_], other = level_[first],
                        link_level = std::max(here, other);
    const bool in_tree = link_level < plan_.levels.height;
    if (column_level_ == (in_tree ? other : 0) && link_level_ == (in_tree ? link_level : 0)) return;
    drop_paths();
    column_level_ = in_tree ? other : 0;
    link_level_ = in_tree ? link_level : 0;
    stride_ = in_tree ? plan_.columns.links_max[link_level_] : 1;
    mask_.fill(0);
  }

  void drop_paths() {
    for_each_candidate([&](std::size_t g) { forget(g); });
    column_level_ = link_level_ = 0;
  }

  template <class Visit>
  void for_each_candidate(Visit&& visit) const {
    for (std::size_t word = 0; word < kWords; ++word)
      for (std::uint64_t bits = mask_[word]; bits != 0; bits &= bits - 1)
        visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  void learn(std::size_t g) {
    if (level_[g] != column_level_) return;
    const auto ports = plan_.groups.ports(groups_[g]);
    std::uint8_t* const of_column = port_of_path_.data() + column_[g] * stride_;
    of_column[0] = ports[0];
    for (std::size_t link = 1; link < stride_; ++link) of_column[link] = ports[link % ports.size()];
  }

  // If another candidate has the same column, its entries are removed, too; route_others() then
  // assigns them.
  void forget(std::size_t g) {
    if (level_[g] != column_level_) return;
    std::uint8_t* const of_column = port_of_path_.data() + column_[g] * stride_;
    of_column[0] = kNoPort;
    for (std::size_t link = 1; link < stride_; ++link) of_column[link] = kNoPort;
  }

  void fill(const TreeTargets::Run& run, LftView row) {
    const std::uint16_t* const lid = targets_.lid.data();
    const std::uint8_t* const link = paths_.link(link_level_);
    if (only_one_) {
      const auto ports = plan_.groups.ports(groups_[first_]);
      if (ports.size() == 1) {
        for (std::uint32_t i = run.begin; i < run.end; ++i) row[lid[i]] = ports[0];
      } else {
        for (std::uint32_t i = run.begin; i < run.end; ++i)
          row[lid[i]] = ports[link[i] % ports.size()];
      }
      return;
    }
    if (column_level_ == 0) {
      for (std::uint32_t i = run.begin; i < run.end; ++i) row[lid[i]] = kNoPort;
      return route_others(run, row);
    }
    const std::uint16_t* const column = paths_.column(column_level_);
    const std::uint8_t* const port_of_path = port_of_path_.data();
    std::uint8_t highest = 0;
    const auto each = [&](std::uint32_t begin, std::uint32_t end, auto&& path_of) {
      for (std::uint32_t i = begin; i < end; ++i) {
        const std::uint8_t port = port_of_path[path_of(i)];
        row[lid[i]] = port;
        highest = std::max(highest, port);
      }
    };
    if (goes_up_otherwise(run)) {
      const std::uint32_t width = plan_.columns.width[sw_], divider = plan_.columns.divider[sw_];
      each(run.begin, run.end, [&](std::uint32_t i) {
        const std::uint32_t turn = targets_.number[i] / divider;
        return turn % width * stride_ + turn / width % stride_;
      });
    } else if (stride_ > 1) {
      each(run.begin, run.end, [&](std::uint32_t i) { return column[i] * stride_ + link[i]; });
    } else {
      std::uint32_t i = run.begin;
      if (run.consecutive) {
        std::uint8_t* to = row.data() + lid[i];
        for (; i < run.hosts_end; ++i) highest = std::max(highest, *to++ = port_of_path[column[i]]);
      }
      each(i, run.end, [&](std::uint32_t k) { return std::size_t{column[k]}; });
    }
    if (highest == kNoPort) route_others(run, row);
  }

  // True if the packets go up to another number of columns than those on which the path of the
  // destination comes down: its column then says nothing here, but its number does.
  bool goes_up_otherwise(const TreeTargets::Run& run) const {
    if (column_level_ <= plan_.levels.level[sw_] || plan_.columns.width[sw_] == 0) return false;
    const SwitchIndex below =
        column_level_ == 1 ? run.sw : paths_.via(column_level_ - 1)[run.begin];
    return below == kNoIndex || plan_.levels.level[below] + 1 != column_level_ ||
           plan_.columns.width[below] != plan_.columns.width[sw_] ||
           plan_.columns.divider[below] > plan_.columns.divider[sw_];
  }

  // Assigns the entries of the run that are still empty.
  void route_others(const TreeTargets::Run& run, LftView row) {
    ports_.clear();
    for_each_candidate([&](std::size_t g) {
      for (const std::uint8_t port : plan_.groups.ports(groups_[g])) {
        ports_.push_back(port);
        used_[port] = 0;
      }
    });
    for (std::uint32_t i = run.begin; i < run.end; ++i) ++used_[row[targets_.lid[i]]];
    for (std::uint32_t i = run.begin; i < run.end; ++i) {
      std::uint8_t& entry = row[targets_.lid[i]];
      if (entry != kNoPort || targets_.lid[i] == 0) continue;
      // The cost counts LIDs of the same host first, then LIDs of its neighbours, then all.
      const auto cost = [&](std::uint8_t port) {
        return std::uint64_t{siblings_over(i, group_of_port_[port], row)} << 48 |
               std::uint64_t{used_[port]} << 24 | others_of_port_[port];
      };
      std::uint64_t least = ~std::uint64_t{0};
      const std::size_t start = turn_++ % ports_.size();
      for (std::size_t n = 0, at = start; n < ports_.size();
           ++n, at = at + 1 == ports_.size() ? 0 : at + 1) {
        const std::uint64_t other = cost(ports_[at]);
        if (other >= least) continue;
        least = other;
        entry = ports_[at];
      }
      ++used_[entry];
      if (i < run.hosts_end) ++others_of_port_[entry];
    }
  }

  // Counts other LIDs of the same port that go to the same switch.
  unsigned siblings_over(std::uint32_t i, std::size_t group, LftView row) const {
    if (targets_.lid_count[i] == 1) return 0;
    unsigned count = 0;
    const std::uint32_t begin = i - targets_.lid_index[i];
    for (std::uint32_t other = begin; other < begin + targets_.lid_count[i]; ++other) {
      const std::uint8_t port = row[targets_.lid[other]];
      count += other != i && port != kNoPort && group_of_port_[port] == group ? 1u : 0u;
    }
    return count;
  }

  const TreePlan& plan_;
  const TreeTargets& targets_;
  const TreePaths& paths_;
  const Candidates& candidates_of_;
  CandidateMasks masks_;

  // These describe the current switch.
  SwitchIndex sw_ = kNoIndex;
  std::span<const LinkGroup> groups_;
  std::array<std::uint32_t, kGroupsMax> level_{},
      column_{};  // of the neighbour, by group; the level is kIdle if it is idle
  std::array<std::uint8_t, 256> group_of_port_{};
  std::array<std::uint32_t, 256> others_of_port_{};
  std::uint32_t turn_ = 0;

  // These describe the current candidates.
  std::array<std::uint64_t, kWords> mask_{};
  std::size_t first_ = 0;
  bool only_one_ = false;
  std::uint32_t column_level_ = 0,
                link_level_ = 0;  // of the paths, where the candidates are looked up; 0: columns do
                                  // not distinguish them
  std::size_t stride_ = 1;
  std::vector<std::uint8_t> port_of_path_;  // [column][link]

  std::vector<std::uint8_t> ports_;  // of the candidates
  std::array<std::uint32_t, 256> used_{};
};

}  // namespace

void tree_tables(const TreePlan& plan, const TreeTargets& targets, const TreePaths& paths,
                 const Candidates& candidates, fabric::ForwardingTables& lfts) {
  constexpr std::size_t kEntriesWorthAThread = 200'000;
  fabric::in_parallel(plan.input.graph.switches(),
                      kEntriesWorthAThread / (targets.entries() + 1) + 1,
                      [&](std::size_t begin, std::size_t end) {
                        TableMaker maker(plan, targets, paths, candidates);
                        for (auto sw = SwitchIndex(begin); sw < end; ++sw)
                          maker.make(sw, lfts.writable_row(sw));
                      });
}

tl::expected<RoutingResult, Refusal> route_tree(const TreePlan& plan, const TreeTargets& targets,
                                                PathChoice choice, fabric::ConditionList& notes) {
  const RoutingInput& input = plan.input;
  const std::optional<CandidatesBefore> before = candidates_before(input);
  const UpDownOrder order = order_by_rule(input, plan.levels.order, notes);
  auto lengths = up_down_distances_since(input, before, order, up_down_needs(input));
  if (!lengths)
    return tl::unexpected(Refusal{fmt::format("a path is longer than {} hops", kLongestUpDown)});
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths follow the levels of the tree");
  RoutingResult result;
  const auto distances = std::make_shared<const UpDownDistances>(std::move(*lengths));
  const UpDownCandidates candidates(input.graph, order, distances);
  if (before && dynamic_cast<const TreeState*>(&before->own) != nullptr) {
    repair_tree(plan, targets, candidates, *before, choice, result);
  } else {
    result.lfts = fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top);
    const TreePaths paths = tree_paths(plan.levels, plan.columns, plan.groups, targets, choice);
    tree_tables(plan, targets, paths, candidates, result.lfts);
    keep_state(input, candidates, tree_state(plan, targets, paths), result);
  }
  result.turns = note_turning_pairs(input, *distances, notes);
  result.candidates = UpDownCandidates::make_legal(input.graph, order, distances);
  result.ca_order = targets.order;
  return result;
}

}  // namespace routing
