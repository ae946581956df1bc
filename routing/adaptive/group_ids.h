#pragma once
// The numbers of groups: one for each destination switch, the same on all switches, kept for its
// NodeGUID.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "mad/ids.h"
#include "routing/core/engine.h"

namespace routing {

struct AssignedGroups {
  std::shared_ptr<const GroupIds> ids;   // the map given if nothing is new; not null
  std::vector<fabric::GroupId> of_leaf;  // as the leaves were given; 0: none was left
  std::size_t without = 0;               // leaves with 0
};

/// Gives each leaf (by NodeGUID) the group that `known` says, or else, in the order of
/// `neighbours` and then of their GUIDs, the lowest of 1 .. limit that `known` gives to no switch.
/// Where all are given, the lowest of a switch that is no leaf any more. Groups above the limit, or
/// that two leaves have, are replaced. `known` may be null.
/// `neighbours`: by leaf: a switch next to it; empty: none is known. Leaves with the same one have
/// the same ports at distant switches, which copy one group to the next ones.
AssignedGroups assign_groups(std::span<const mad::Guid> leaves,
                             const std::shared_ptr<const GroupIds>& known, fabric::GroupId limit,
                             std::span<const mad::Guid> neighbours = {});

}  // namespace routing
