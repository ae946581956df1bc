#pragma once
// Decides which LID every end port gets.

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "sm/store/guid2lid.h"

namespace sm {

struct LidOptions {
  std::uint8_t lmc = 0;        // 2^lmc LIDs for every CA and router port, 0..7
  bool lmc_esp0 = false;       // and for enhanced switch ports 0; base ports 0 always have one LID
  bool reassign_lids = false;  // on the first master sweep no port keeps its LID
  bool honor_guid2lid = true;  // false: `persisted` is not looked at (set so when leaving standby,
                               // unless honor_guid2lid_file)
};
/// Returns the options for LIDs. `leaving_standby`: another manager was master until now, so its
/// LIDs are newer than the own file unless the operator says otherwise.
LidOptions lid_options(const config::Options& options, bool leaving_standby = false);

struct LidAssignment {
  LidMap lids;
  Guid2Lid persisted;  // what to save: every port that has LIDs, and absent ports' ranges, which
                       // stay reserved
  std::vector<Condition> conditions;  // lft_too_small, lids_exhausted
  std::vector<std::string>
      messages;  // LIDs that had to change or reservations that were given up, and why
  std::vector<PortIndex> changed;  // end ports whose LID or LMC is not what their PortInfo says, in
                                   // order of Fabric::end_ports
};

/// Says where LIDs end, given the switches' LinearFDBCap.
struct LidLimit {
  unsigned highest = mad::kUnicastLidMax.value;
  std::vector<SwitchIndex> too_small;  // their tables end before it: LIDs above are not reached
                                       // through them
};
/// Returns a limit of 1..min(0xBFFF, smallest LinearFDBCap - 1) of the switches that count. A
/// switch without a linear table is always too small, and does not count. Of three and more
/// switches, up to a tenth (at least one) do not count either, if their tables are smaller than all
/// others and end before the highest LID that is needed. So one switch does not take LIDs from the
/// rest of the fabric. Pure.
LidLimit lid_limit(const Fabric& fabric, unsigned needed);

/// Returns LIDs for all end ports of a fabric. Pure and deterministic; O(ports + LIDs).
/// Order:  switch by switch, the CA and router ports behind it by port number; then CA and router
///         ports without a switch; then the switches' own port 0. New LIDs are the lowest free
///         range in this order, so that a leaf's hosts share LFT blocks.
/// Keeps:  a port's guid2lid range, else the LID it has. Of two ports that claim one LID, the port
///         that runs with it (Armed or Active) keeps it; then the one that guid2lid names; then the
///         first in order. A running port also has priority over the reservation of an absent one.
///         After a change of LMC, base LIDs that fit the new alignment stay, if the larger range is
///         free.
/// Absent: ports that only guid2lid has keep their ranges until LIDs run out. Then the ports that
///         were seen least recently lose theirs, as many as ports of the fabric need.
/// Limits: lid_limit() of all LIDs together, or the highest LID that a port has or guid2lid has.
///         Ports for which no LID is left get base 0 and must not be activated. A port whose GUID
///         another port owns (Fabric::port_of_guid) gets no LID either.
/// Source: IBTA Vol 1, 14.2.5.6 (LID, LMC) and 14.2.5.4 (LinearFDBCap, EnhancedPort0).
LidAssignment assign_lids(const Fabric& fabric, const LidOptions& options,
                          const Guid2Lid& persisted, bool first_master_sweep);

}  // namespace sm
