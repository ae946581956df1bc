#pragma once

#include "fabric/vl_tables.h"
#include "sm/sweep/link_restarts.h"
#include "sm/sweep/multicast_memory.h"
#include "sm/sweep/rejected_sets.h"
#include "sm/sweep/table_memory.h"
#include "sm/sweep/unsupported_settings.h"
#include "sm/sweep/vl_refusals.h"

namespace sm {

/// What devices are known to hold, besides what a Fabric says, and what they are known not to take.
/// A value: a plan is made on a copy.
struct Held {
  TableMemory lfts;
  MulticastMemory mfts;
  VlTables vl_tables;
  VlRefusals vl_refusals;
  UnsupportedSettings unsupported;
  RejectedSets rejected;
  LinkRestarts restarts;

  /// Another manager was master, and may have written to all of them.
  void forget_tables() {
    lfts.forget_all();
    mfts.forget_all();
    vl_tables.forget_all();
    vl_refusals.forget_all();
  }
};

/// Both were read from a switch that still holds the tables that it held: the fields agree that its
/// reset, or another manager, would change.
bool shows_same_tables(const mad::SwitchInfo& a, const mad::SwitchInfo& b);

/// The node's tables may say something: it is no switch without a forwarding table, and no CA or
/// router whose links carry nothing yet. Such have just started.
bool may_hold_tables(const Fabric& fabric, NodeIndex index);

}  // namespace sm
