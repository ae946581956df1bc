#pragma once
// Checks of a fabric with infiniband-diags. They return problems; an empty list is a correct
// fabric. Nothing here uses Heddle's code, so that an error of Heddle cannot hide itself.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ibsim/cabling.h"
#include "ibsim/fabric.h"

namespace harness {

using Problems = std::vector<std::string>;
std::string text_of(const Problems& problems);

/// switch GUID -> port by LID. kDropped, or a LID beyond the end: the switch drops the packet.
using ForwardingTables = std::map<std::uint64_t, std::vector<std::uint8_t>>;
inline constexpr std::uint8_t kDropped = 255;
ForwardingTables parse_dump_fts(std::string_view text);

// --- pure parts

/// Cables of the plan that were not found, and cables that are not in the plan.
Problems check_cables(const Cabling& plan, const Cabling& found);
/// Every end port has a LID range of its own; 0 and the multicast LIDs are not in it.
Problems check_lids(const Cabling& found);
/// Both ends of every cable are Active and LinkUp in the output of `iblinkinfo -l`.
Problems check_links_active(const Cabling& found, std::string_view iblinkinfo_lines);
/// From every switch, every LID is routed to the port that owns it; reports forwarding loops,
/// missing entries, and wrong end ports.
Problems check_forwarding(const Cabling& found, const ForwardingTables& tables);

// --- on the fabric, seen from `host` (empty: first of the topology)

struct CheckOptions {
  std::string host{};
  /// LID-routed checks: ibtracert runs (all pairs if there are no more) and P_Key queries. 0: none,
  /// for fabrics of more than 16 hops, since ibsim forwards no LID-routed packet further.
  unsigned traces_max = 30;
};
Cabling discover(IbsimFabric& fabric, const std::string& host, Problems& problems);
/// All of the above, ibtracert between LIDs, and P_Key 0xffff at index 0 of end ports.
Problems check_fabric(IbsimFabric& fabric, const CheckOptions& options = {});
/// sminfo answers with this state ("SMINFO_MASTER") from this port GUID.
Problems check_sm(IbsimFabric& fabric, std::uint64_t port_guid, const std::string& state,
                  const std::string& host = {});

}  // namespace harness
