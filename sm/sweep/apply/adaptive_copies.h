#pragma once
// Groups with the same ports: one is written, and the switch copies it to the others.

#include <functional>
#include <vector>

#include "sm/sweep/apply/adaptive_writes.h"
#include "sm/sweep/devices/read_stage.h"

namespace sm {

/// A copy of one group's ports to ranges of groups of the same switch.
struct GroupCopy {
  SwitchIndex sw{0};
  fabric::GroupId source = 0;
  std::vector<mad::ArGroupTableCopy::Range> ranges;  // 1 .. kRanges
  bool operator==(const GroupCopy&) const = default;
};

/// Blocks to write, and copies to order once these are written.
struct GroupPlan {
  std::vector<TableBlock> blocks;  // one block of each switch before the next one of any
  std::vector<GroupCopy> copies;
};

/// Replaces blocks of which both groups have the same ports by copies, where that needs fewer SMPs.
/// `blocks`: by switch, then by block. `ports`: what a group is to have; `may_copy`: the switch can
/// be ordered to. Block 0, whose first group stands for none, is never copied.
GroupPlan with_copies(const std::vector<TableBlock>& blocks, const GroupWrites::Ports& ports,
                      const std::function<bool(SwitchIndex)>& may_copy);

/// ARGroupTableCopy. A model that rejects one gets no more of them: its groups are not known then.
class CopyWrites final : public AdaptiveWrites {
 public:
  CopyWrites(StageKind kind, const Fabric& fabric, const AdaptiveUpdate& update,
             std::vector<GroupCopy> copies, GroupWrites::Ports ports)
      : AdaptiveWrites(kind, fabric, update),
        copies_(std::move(copies)),
        ports_(std::move(ports)) {}

  std::size_t size() const override { return copies_.size(); }
  Write write(std::size_t number) const override;
  bool refuse(std::size_t number, std::uint16_t status) override;

 protected:
  SwitchIndex switch_of(std::size_t number) const override { return copies_[number].sw; }
  void hold(std::size_t number, std::span<const std::uint8_t, 64> data) override;
  void may_hold(std::size_t number) override;
  /// No public source says what a response to a copy shows.
  bool is_taken(std::size_t, std::span<const std::uint8_t, 64>) const override { return true; }

 private:
  const std::vector<GroupCopy> copies_;
  const GroupWrites::Ports ports_;
};

/// Returns, for each model without proof, the first switch that made copies and took all writes.
std::vector<SwitchIndex> switches_to_prove(const AdaptiveUpdate& update,
                                           const std::vector<GroupCopy>& copies);

/// Reads what these switches made of their copies: the ends of each range, and what is beside them.
/// A model that shows anything else gets no copies any more. A switch that does not answer has an
/// obstacle, and another one is to prove the model.
class CopyProofs final : public ReadStage {
 public:
  CopyProofs(const Fabric& fabric, const AdaptiveUpdate& update,
             const std::vector<GroupCopy>& copies, const std::vector<SwitchIndex>& switches,
             const GroupWrites::Ports& ports);

  void accept(std::size_t number, std::span<const std::uint8_t, 64> data, ApplyReport&) override;
  bool refuse(std::size_t number, std::uint16_t) override;
  void lose(std::size_t number) override;

 private:
  const AdaptiveUpdate& update_;
};

/// Once the outcomes of CopyProofs are there: true if copies of all these models are proven. No
/// group is known of switches of other models, which get them again, by copies or written.
bool are_copies_proven(const AdaptiveUpdate& update, const std::vector<GroupCopy>& copies,
                       const std::vector<SwitchIndex>& proofs);

}  // namespace sm
