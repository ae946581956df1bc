#pragma once
// What forwarding tables do, by following every entry: never by how they were made.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"

namespace routing {

/// An entry that keeps packets from their owner; packets of switches before it are lost by it, and
/// it alone is listed.
struct TableProblem {
  enum class Kind : std::uint8_t {
    no_entry,   // drops, though cables lead to the owner
    dead_exit,  // the port does not exist, has no cable that is up, or leads back to its own switch
    wrong_port,    // delivers to a port that does not own the LID
    loop,          // `sw` is the lowest switch on it
    beyond_table,  // the switch's LinearFDBCap ends below the LID: it cannot hold the entry
  };
  Kind kind;
  sm::SwitchIndex sw;
  mad::Lid lid;
  mad::PortNum out;
  bool operator==(const TableProblem&) const = default;
};

/// Switches that cables join with each other and with no others.
struct Island {
  sm::SwitchIndex first;  // lowest of them
  std::size_t switches = 0;
  std::size_t lids = 0;  // that live there
};

struct VerifyReport {
  static constexpr std::size_t kProblemsListed = 100;

  std::vector<TableProblem> problems;  // the first ones, by LID and switch
  std::uint64_t problem_count = 0;
  std::uint64_t lost = 0;  // pairs (switch, LID) that problems cut off

  std::vector<TableProblem> withheld;  // see VerifyRules; the first ones
  std::uint64_t withheld_count = 0;    // pairs (switch, LID)

  // Limits of the fabric itself. No table can help, so they are no problems.
  std::vector<Island> islands;     // largest first; more than one: the fabric is in pieces
  std::uint64_t without_path = 0;  // pairs (switch, LID) on different islands
  std::vector<sm::SwitchIndex> small_switches;  // LinearFDBCap is not above the highest LID
  std::uint64_t stopped_by_small = 0;           // pairs (switch, LID) whose way ends at one of them

  bool ok() const { return problem_count == 0; }
};

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
