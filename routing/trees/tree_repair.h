#pragma once
// Tables of a tree after a change: what is still legal and shortest stays.

#include <memory>

#include "routing/balance/balance.h"
#include "routing/trees/tree_paths.h"

namespace routing {

/// The downward paths that a routing chose, by LID.
struct TreeState : CandidateState {
  TreePaths paths{0, 0};
  std::vector<std::uint32_t> entry_of_lid;  // kNoEntry: none
  static constexpr std::uint32_t kNoEntry = 0xFFFFFFFFu;
  std::shared_ptr<CandidateState> copied() const override {
    return std::make_shared<TreeState>(*this);
  }
};

/// Returns the state of a routing with these paths.
std::shared_ptr<TreeState> tree_state(const TreePlan& plan, const TreeTargets& targets,
                                      const TreePaths& paths);

/// Destinations keep their downward paths; those whose path has lost a switch or its last link take
/// the one that the fewest take. All entries stay that are still candidates; others lead to the
/// path of their destination, or else where the fewest others of the switch lead. Precondition:
/// before.own is a TreeState.
void repair_tree(const TreePlan& plan, const TreeTargets& targets, const Candidates& candidates,
                 const CandidatesBefore& before, PathChoice choice, RoutingResult& result);

}  // namespace routing
