#pragma once
// Multicast groups as routing sees them, by MLID, and what keeps them from full service.

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "mad/ids.h"

namespace routing {

/// The members of an MLID; groups (MGIDs) that share an MLID are one. End ports by PortIndex of the
/// fabric, in any order, repeats allowed.
struct MulticastGroup {
  mad::Mlid mlid;
  std::vector<fabric::PortIndex>
      receivers;                           // full members: get every packet once, except their own
  std::vector<fabric::PortIndex> senders;  // send-only members: get no packets
  std::uint16_t sls = 1;                   // bit n: packets carry SL n
  bool operator==(const MulticastGroup&) const = default;
};
/// Sorted by MLID, one group for each.
std::vector<MulticastGroup> joined_by_mlid(std::vector<MulticastGroup> groups);

/// A limit of the fabric that keeps a group from full service.
struct MulticastFinding {
  enum class Kind : std::uint8_t {
    no_multicast,   // the switch of this port has no multicast forwarding table, or one that ends
                    // before the MLID
    not_connected,  // switches that forward multicast do not connect this port to the component
                    // with the most members
    turns,  // no switch is above all members: packets go up after they went down, on VLs that they
            // share with all others, so credit loops are possible
  };
  Kind kind;
  mad::Mlid mlid;
  fabric::PortIndex port = fabric::kNoIndex;  // kNoIndex for turns
  bool operator==(const MulticastFinding&) const = default;
};
fabric::Condition make_condition(const MulticastFinding& finding, const fabric::Fabric& fabric);

}  // namespace routing
