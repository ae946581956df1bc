#include "routing/trees/tree_repair.h"

#include <algorithm>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

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

}  // namespace

std::shared_ptr<TreeState> tree_state(const TreePlan& plan, const TreeTargets& targets,
                                      const TreePaths& paths) {
  auto state = std::make_shared<TreeState>();
  state->paths = paths;
  state->entry_of_lid.assign(plan.input.lids.lid_top.value + std::size_t{1}, kNoEntry);
  for (std::uint32_t i = 0; i < targets.entries(); ++i)
    if (targets.lid[i] != 0) state->entry_of_lid[targets.lid[i]] = i;
  return state;
}

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

}  // namespace routing
