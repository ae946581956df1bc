#pragma once
// Assigns LIDs to vports that require their own, and adds them to forwarding tables.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/vports.h"
#include "sm/store/guid2lid.h"

namespace virt {

struct VPortLids {
  fabric::LidMap lids;                // of physical ports, and of vports in port_of_lid
  sm::Guid2Lid persisted;             // with the GUIDs of vports
  std::size_t without = 0;            // vports for which no LID was left
  std::vector<std::string> messages;  // reservations that were given up
};

/// Fills VPort::lid of all vports: its own LID, the LID of the vport LIDByVPortIndex, or the base
/// LID of its port. A vport for which no LID is left is held (no_lid).
/// Keeps:  the LID that `persisted` has for its GUID, otherwise the LID that the device has, unless
///         a physical port or another vport has it; a vport that is held keeps only a recorded LID.
///         A new LID is the lowest free one up to `limit`. If no LID is free, absent ports and
///         vports lose their reservations, the least recently seen first. A vport has one LID,
///         whatever the LMC.
/// Source: NVIDIA's OpenSM (vports' LIDs have LMC 0); guid2lid with vports' GUIDs is Heddle's.
VPortLids assign_vport_lids(std::span<fabric::VPort> vports, const fabric::Fabric& fabric,
                            const fabric::LidMap& physical, const sm::Guid2Lid& persisted,
                            unsigned limit);

/// A LID, followed by the LID whose entries it copies.
using CopiedLid = std::pair<mad::Lid, mad::Lid>;

/// Returns the LIDs of physical ports in `lids`.
fabric::LidMap physical_only(const fabric::LidMap& lids, const fabric::Fabric& fabric);

/// Adds vports' LIDs to `engine`, the tables of physical ports' LIDs. A vport's LID leaves every
/// switch by the same port as the base LID of its physical port. `kept` contains LIDs of absent
/// vports, each with the base LID of its port. Returns `engine` itself if there is no such LID.
std::shared_ptr<fabric::ForwardingTables> with_vport_lids(
    std::shared_ptr<fabric::ForwardingTables> engine, const fabric::Fabric& fabric,
    const fabric::LidMap& physical, const fabric::LidMap& all,
    std::span<const CopiedLid> kept = {});

}  // namespace virt
