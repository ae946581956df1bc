#pragma once

#include <optional>
#include <set>

#include "fabric/namespace.h"
#include "mad/ids.h"

namespace fabric {

/// The nodes, by NodeGUID, that may not be the same in two snapshots of a fabric: the later one
/// took all others from the earlier one. A link that only one of them has is at such a node, or at
/// one that the other snapshot does not have. nullopt: all nodes may differ.
using Touched = std::optional<std::set<mad::Guid>>;

inline bool may_differ(const Touched& touched, mad::Guid node) {
  return !touched || touched->contains(node);
}

}  // namespace fabric
