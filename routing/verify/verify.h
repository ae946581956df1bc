#pragma once
// Verification of forwarding tables: follows every entry, independent of how they were made.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "routing/core/verify_report.h"

namespace routing {

struct VerifyRules {
  /// LIDs of switches may be dropped although a path exists: engines do that where every path that
  /// is left could close a credit loop. Reported as withheld.
  bool switch_lids_may_be_withheld = false;
};

/// Follows every LID whose owner is a switch or attached to one, from every switch, on all
/// processors. LIDs without an owner are ignored.
/// Shape: `lfts` has a table per switch of the graph.
VerifyReport verify(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                    const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                    VerifyRules rules = {});

/// Reports on tables on the same switches as those that `before` reports: follows the LIDs of
/// `changed` alone. Shape: `changed` by LID.
/// Precondition: before.ok(), the switches are connected, their tables have room for all LIDs, and
/// other LIDs have the same paths or arrive from everywhere.
VerifyReport verify_again(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                          const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                          VerifyRules rules, const VerifyReport& before,
                          const std::vector<bool>& changed);

/// One problem as text: switch, LID, owner, and what is wrong.
std::string text(const TableProblem& problem, const fabric::Fabric& fabric,
                 const fabric::LidMap& lids);
/// The whole report as lines: problems first, at most `problems_max` of them.
std::vector<std::string> describe(const VerifyReport& report, const fabric::Fabric& fabric,
                                  const fabric::LidMap& lids, std::size_t problems_max = 10);

}  // namespace routing
