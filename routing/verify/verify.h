#pragma once
// What forwarding tables do, by following every entry: never by how they were made.

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
  /// LIDs of switches may be dropped, though there is a way: engines do that where only a way that
  /// could deadlock is left. Told as withheld.
  bool switch_lids_may_be_withheld = false;
};

/// Follows every LID that has an owner behind a switch from every switch, on all processors.
/// Shape: `lfts` has a row per switch of the graph. LIDs without an owner are not looked at.
VerifyReport verify(const sm::Fabric& fabric, const sm::SwitchGraph& graph, const sm::LidMap& lids,
                    const sm::ForwardingTables& lfts, VerifyRules rules = {});

/// One problem in words: switch, LID, owner, and what is wrong.
std::string text(const TableProblem& problem, const sm::Fabric& fabric, const sm::LidMap& lids);
/// The whole report, one line each: problems first, at most `problems_max` of them.
std::vector<std::string> describe(const VerifyReport& report, const sm::Fabric& fabric,
                                  const sm::LidMap& lids, std::size_t problems_max = 10);

}  // namespace routing
