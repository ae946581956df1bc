#pragma once
// Holds what verify() finds in forwarding tables.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "mad/ids.h"

namespace routing {

/// An entry that keeps packets from their destination. The report lists only the entry, although
/// packets of all switches whose path leads to it are lost, too.
struct TableProblem {
  enum class Kind : std::uint8_t {
    no_entry,    // 255, although the owner of the LID is connected
    dead_exit,   // the port does not exist, has no link that is up, or leads back to its own switch
    wrong_port,  // delivers to a port that does not own the LID
    loop,        // a forwarding loop; `sw` is its lowest switch
    beyond_table,  // the LID is not below the switch's LinearFDBCap: the switch cannot hold the
                   // entry
  };
  Kind kind;
  fabric::SwitchIndex sw;
  mad::Lid lid;
  mad::PortNum out;
  bool operator==(const TableProblem&) const = default;
};

/// A connected component of the switch graph.
struct ConnectedComponent {
  fabric::SwitchIndex first;  // the lowest switch index
  std::size_t switches = 0;
  std::size_t lids = 0;  // LIDs attached to its switches
};

struct VerifyReport {
  static constexpr std::size_t kProblemsListed = 100;

  std::vector<TableProblem> problems;  // the first ones, by LID and switch
  std::uint64_t problem_count = 0;
  std::uint64_t lost = 0;  // number of pairs (switch, LID) without delivery because of problems

  /// A LID of a switch that some switches drop (see VerifyRules).
  struct Withheld {
    mad::Lid lid;
    fabric::SwitchIndex first;   // the lowest of these switches
    std::uint32_t switches = 0;  // their number
    bool operator==(const Withheld&) const = default;
  };
  std::vector<Withheld> withheld;    // all of them, by LID
  std::uint64_t withheld_count = 0;  // number of pairs (switch, LID)

  // These are limits of the fabric. No forwarding table can remove them, so they are not problems.
  std::vector<ConnectedComponent>
      components;                  // largest first; more than one: the fabric is not connected
  std::uint64_t without_path = 0;  // number of pairs (switch, LID) in different components
  std::vector<fabric::SwitchIndex> small_switches;  // LinearFDBCap is not above the highest LID
  std::uint64_t stopped_by_small =
      0;  // number of pairs (switch, LID) whose path ends at such a switch

  bool ok() const { return problem_count == 0; }
};

}  // namespace routing
