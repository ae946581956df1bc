#pragma once
// What verify() finds in forwarding tables.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "mad/ids.h"

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

}  // namespace routing
