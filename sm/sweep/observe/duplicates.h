#pragma once
// Decides which of two nodes or ports with one GUID is the copy.

#include <cstdint>
#include <set>

#include "fabric/fabric.h"
#include "mad/attributes/node_info.h"
#include "sm/health/link_health.h"

namespace sm {

/// Holds the two places where one GUID was found. The copy is left out of the fabric.
struct Duplicate {
  enum class Of : std::uint8_t {
    node,   // the NodeGUID, of two nodes that differ
    port,   // the PortGUID
    cable,  // NodeGUID and port number: the answers differ in nothing else
  };
  Of of{};
  mad::Guid guid;
  PortPlace holder;  // in front of what keeps the GUID; NodeGUID 0: the manager's own port
  PortPlace copy;    // in front of the copy
};

/// Describes one of two places as a survey sees it.
struct GuidClaim {
  bool is_own = false;     // the manager's own node
  bool held_guid = false;  // in the last subnet this GUID was behind this port
  bool was_here = false;  // its PortGUID was behind this port, also before this start (`neighbors`)
  bool guids_agree = false;  // its PortGUID follows from its NodeGUID, as vendors assign them
  bool is_switch = false;    // hosts may be behind it
  unsigned hops = 0;         // from the manager
  PortPlace front = {};      // the port in front of it
};

/// Returns true if `a` keeps a GUID that `b` shows, too. Any answer may be false, so what was known
/// before counts first, then GUIDs that do not belong together, and then what would be lost.
/// Between two unknown hosts that show the same, nothing says which one is the copy: the nearer one
/// keeps the GUID, whatever the order of answers. Pure.
bool precedes(const GuidClaim& a, const GuidClaim& b);

/// True if the PortGUID is the NodeGUID, or it plus the number of a port. Pure.
bool guids_agree(const mad::NodeInfo& info);

/// Returns the ports in front of the copies that a survey has found. Pure.
std::set<PortPlace> copy_places(const Fabric& surveyed);

}  // namespace sm
