#pragma once
// The text of a plan: what would change.

#include <string>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "sm/sweep/apply/plan.h"

namespace sm::ctl {

/// Ports whose LID is not the one that they have: how many, and the first of them.
std::string lid_changes_text(const Fabric& fabric, const LidMap& lids);

/// Blocks by switch and paths between hosts that would change, `paths_named` of them by name.
/// `before`: null if nothing is known of the tables. `cut_off`: pairs that are lost because a host
/// is not attached any more.
std::string table_changes_text(const Fabric& fabric, const SwitchGraph& graph, const LidMap& lids,
                               const ForwardingTables* before, const ForwardingTables& after,
                               std::size_t paths_named, std::uint64_t cut_off = 0);

/// How many attributes a plan writes, by stage; of each stage `named` writes by name, with what
/// they change.
std::string writes_text(const Fabric& fabric, const Plan& plan, std::size_t named);

}  // namespace sm::ctl
