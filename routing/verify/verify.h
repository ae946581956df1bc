#pragma once
// Verifies forwarding tables: follows every entry, independent of how the tables were made.

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
  /// LIDs of switches may be dropped although a path exists: engines do this if every remaining
  /// path could close a credit loop. The report lists such LIDs as withheld.
  bool switch_lids_may_be_withheld = false;
  /// LIDs of CAs inside of switches without hosts may be dropped, from switches that have only such
  /// CAs: the packets of these would have to go up after going down.
  bool inside_lids_may_be_withheld = false;
  /// Paths that begin on a switch without hosts may end in 0xFF: OpenSM's tables have such gaps.
  bool switches_without_hosts_may_drop = false;
};

/// Follows every LID whose owner is a switch or attached to one, from every switch, on all
/// processors. LIDs without an owner are ignored.
/// Shape: `lfts` has a table per switch of the graph.
VerifyReport verify(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                    const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                    VerifyRules rules = {});

/// Reports on tables of the same switches as in `before`: follows only the LIDs of `changed`.
/// Shape: `changed` by LID. Precondition: before.ok(), the switches are connected, their tables
/// have room for all LIDs, and other LIDs have the same paths or arrive from everywhere.
VerifyReport verify_again(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                          const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                          VerifyRules rules, const VerifyReport& before,
                          const std::vector<bool>& changed);

/// Returns one problem as text: switch, LID, owner and defect.
std::string text(const TableProblem& problem, const fabric::Fabric& fabric,
                 const fabric::LidMap& lids);
/// Returns the whole report as lines: problems first, at most `problems_max` of them.
std::vector<std::string> describe(const VerifyReport& report, const fabric::Fabric& fabric,
                                  const fabric::LidMap& lids, std::size_t problems_max = 10);

}  // namespace routing
