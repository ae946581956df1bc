#pragma once
// Decides which P_Keys that tables hold are kept although no membership of this manager explains
// them: another manager, or its API, may have made them. Pure.

#include <functional>
#include <set>
#include <span>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "mad/attributes/port_tables.h"
#include "partitions/configuration.h"
#include "partitions/kept_key.h"
#include "partitions/runtime_partitions.h"

namespace partitions {

/// Bounds what hosts can cause by writing their own tables. Keys beyond are removed.
inline constexpr std::size_t kKeptMax = kRuntimeMembersMax, kKeptPerPortMax = 128;

/// Holds what a manager knows of the P_Keys that its own memberships do not explain.
struct KeyOrigins {
  KeptKeys kept;
  /// True if this manager has decided all tables that it could read, its records of that are
  /// complete, and no other manager was master since. Then a key is unknown only at ports that show
  /// another manager's LID (PortInfo MasterSMLID).
  bool is_complete = false;
  /// True for the first survey of a mastership if a store that all managers share has explained
  /// everything: no key is unknown.
  bool is_shared = false;
  /// Ports and vports whose tables were not read to their ends since another manager was master,
  /// and physical ports with vports that were not read at all.
  std::set<mad::Guid> pending;
  /// Memberships that this manager has ended, or a person or a peer has declared ended.
  std::set<MembershipKey> withdrawn;
  /// Definitions of partitions.conf that were in force when all tables were decided, or later: a
  /// key that they gave and the present ones do not has left the file.
  Configuration former;
};

/// The table of a vport as it was read.
struct VPortTable {
  mad::Guid guid;
  fabric::PortIndex port{};  // the physical one
  std::vector<mad::PKeyTable> blocks;
  bool is_known = false;  // to its end
};

/// The tables of a fabric as they were read.
struct ObservedTables {
  const fabric::Fabric& fabric;
  std::function<bool(fabric::PortIndex)> is_known;  // to its end, or the part that decisions need
  std::span<const VPortTable> vports = {};
  /// The LID that this manager had when it wrote its files: after a restart of its host the own
  /// port has none, or another one. 0: not known.
  mad::Lid own_lid = {};
  /// True if this manager has not written to the physical port since it leads. MasterSMLID counts
  /// for such ports alone: a host can show any value for as long as it likes. Empty: all ports.
  std::function<bool(mad::Guid)> is_new = {};
  /// True if a physical port may have vports of which not even the GUIDs were read. Empty: no port.
  std::function<bool(fabric::PortIndex)> has_unread_vports = {};
};

struct KeptDecision {
  KeptKeys kept;
  std::set<mad::Guid> pending;  // the next KeyOrigins::pending
  bool is_full = false;         // a bound was reached: other keys are removed
  /// Switch ports in front of ports with kept keys whose own tables were not read: they may lack
  /// the keys, and nothing is written to them.
  std::set<fabric::PortIndex> unread_fronts;
};

/// Decides which keys stay: those kept before and those of unknown origin, as long as the table of
/// the port holds them, and also the table of the switch port in front of it where that is to hold
/// the keys of its neighbour. The default keys and invalid entries are not concerned. Keys of ports
/// that are absent or were not read stay in the list, and so do absent ports in `pending`.
KeptDecision decide_kept_keys(const KeyOrigins& origins, const ObservedTables& observed,
                              const Configuration& configuration, const config::Options& options,
                              const RuntimePartitions* runtime);

/// Returns SM-PARTITION-KEPT for each of the first P_Keys, with the first ports.
std::vector<fabric::Condition> kept_key_conditions(const KeptDecision& decision,
                                                   const fabric::Fabric& fabric);

}  // namespace partitions
