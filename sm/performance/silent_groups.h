#pragma once
// Groups nodes whose performance management agents do not answer by what they have in common.

#include <span>
#include <vector>

#include "fabric/subnet.h"

namespace sm {

/// Holds nodes whose packets all pass through one node, behind which no agent answers.
struct SilentGroup {
  NodeIndex behind = kNoIndex;     // a switch, which may be a member; or the manager's own node
  std::vector<mad::Guid> members;  // NodeGUIDs, ascending; two at least
};

/// Groups nodes by the node on the way there and back through which no node answered: that is
/// suspect, and not each of them. Of several it is the one that most silent nodes share, then the
/// first. `silent` and `answering`: NodeGUIDs, ascending;
/// those that are not in the subnet are skipped. A node that shares its silence with no other is in
/// no group. Pure.
std::vector<SilentGroup> group_silent(const Subnet& subnet, std::span<const mad::Guid> silent,
                                      std::span<const mad::Guid> answering);

}  // namespace sm
