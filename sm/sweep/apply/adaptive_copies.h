#pragma once
// Handles groups with equal ports: one is written, and the switch copies it to the others.

#include <functional>
#include <memory>
#include <vector>

#include "sm/sweep/apply/adaptive_writes.h"

namespace sm {

/// Describes a copy of one group's ports to ranges of groups of the same switch.
struct GroupCopy {
  SwitchIndex sw{0};
  fabric::GroupId source = 0;
  std::vector<mad::ArGroupTableCopy::Range> ranges;  // 1 .. kRanges
  bool operator==(const GroupCopy&) const = default;
};

/// Holds blocks to write, and copies to order once these are written.
struct GroupPlan {
  std::vector<TableBlock> blocks;  // one block of each switch before the next one of any
  std::vector<GroupCopy> copies;
};

/// Replaces blocks in which both groups have the same ports by copies, if that needs fewer SMPs.
/// `blocks`: by switch, then by block. `ports`: what a group is to have; `may_copy`: whether the
/// switch can copy. Block 0 is never copied, since its first group means that there is no group.
GroupPlan with_copies(const std::vector<TableBlock>& blocks, const GroupPorts& ports,
                      const std::function<bool(SwitchIndex)>& may_copy);

/// Sends ARGroupTableCopy. A model that rejects one gets no more; its groups are unknown then.
std::unique_ptr<Stage> copy_writes(StageKind kind, const Fabric& fabric,
                                   const AdaptiveUpdate& update, std::vector<GroupCopy> copies,
                                   GroupPorts ports);

/// Returns, for each model without proof, the first switch that made copies and took all writes.
std::vector<SwitchIndex> switches_to_prove(const AdaptiveUpdate& update,
                                           const std::vector<GroupCopy>& copies);

/// Returns reads of the results of copies at these switches: the ends of each range, and the groups
/// beside them. A model that shows other results gets no more copies. A switch that does not answer
/// has an obstacle, and another one is to prove the model.
std::unique_ptr<Stage> copy_proofs(const Fabric& fabric, const AdaptiveUpdate& update,
                                   const std::vector<GroupCopy>& copies,
                                   const std::vector<SwitchIndex>& switches,
                                   const GroupPorts& ports);

/// True if copies of all these models are proven; called after the outcomes of copy_proofs().
/// Groups of switches of other models become unknown, and are written or copied again.
bool are_copies_proven(const AdaptiveUpdate& update, const std::vector<GroupCopy>& copies,
                       const std::vector<SwitchIndex>& proofs);

}  // namespace sm
