#pragma once
// Tests of tables that differ in a few entries from tables that stood the test.

#include <vector>

#include "routing/core/engine.h"
#include "routing/core/memory.h"
#include "routing/graph/slot_table.h"
#include "routing/verify/verify.h"

namespace routing {

/// An entry that is not what it was, or that a switch or LID did not have.
struct EntryChange {
  sm::SwitchIndex sw;
  mad::Lid lid;
  bool operator==(const EntryChange&) const = default;
};

/// What differs from input.before, found by comparing all entries: whatever the engine may say.
class ChangedTables {
 public:
  /// `input.before` is there, with rows. Keeps references.
  ChangedTables(const RoutingInput& input, const sm::ForwardingTables& lfts);

  const std::vector<EntryChange>& entries() const { return entries_; }

  /// True if it is proven that everybody arrives who did before: each way that meets a change
  /// arrives behind it, and all others are as they were. Where `switch_lids_may_be_withheld`, ways
  /// to switches may end in 0xFF.
  bool ways_arrive(VerifyRules rules) const;

  /// Who waits for whom before and after, all packets on one lane: `waits` is of before's graph.
  /// More than there is now, so no circle in it means none at any time while the one is replaced by
  /// the other; a circle may be one that nobody is in any more.
  ChannelGraph waits_before_and_after(const ChannelGraph& waits) const;

 private:
  void compare();
  void add_way(sm::SwitchIndex from, mad::Lid lid, const SlotTable& slots,
               ChannelGraph& waits) const;
  bool arrives(sm::SwitchIndex from, mad::Lid lid, const RowMemory::Home& home,
               VerifyRules rules) const;

  const RoutingInput& input_;
  const sm::ForwardingTables& lfts_;
  const RowMemory& before_;
  const Correspondence was_;
  std::vector<RowMemory::Home> homes_;  // by LID, where ends of the graph live now
  std::vector<mad::Lid> moved_;         // LIDs that live elsewhere now
  std::vector<EntryChange> entries_;
};

}  // namespace routing
