#pragma once
// GUIDs in the configuration that have no effect. They are of the other kind: a NodeGUID where a
// port GUID belongs, as ibstat prints it first, a port GUID where a NodeGUID belongs, a host where
// a switch belongs. Or nothing in the fabric has them.

#include <set>
#include <span>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "partitions/runtime_partitions.h"
#include "sm/context/sweep_context.h"

namespace sm {

/// Conditions that say what names the GUID and which ones are meant: members of partitions,
/// options and the files that they name, and guid2mkey. At most a hundred, then one that counts the
/// others. `m_key_ports`: those that guid2mkey has. Pure.
std::vector<Condition> misplaced_guids(const SweepContext& context, const Fabric& fabric,
                                       std::span<const mad::Guid> m_key_ports);

/// Returns SM-GUID-ABSENT: one condition for partitions.conf, and one for each file of GUIDs, with
/// their number and the first of them, those of files with their lines. `elsewhere` holds GUIDs
/// that are known and not in the fabric: of vports, and of what was lost or is isolated, which have
/// conditions of their own. Memberships of the API may be added before their hosts are there, and
/// are left out. Pure.
std::vector<Condition> absent_guids(const SweepContext& context, const Fabric& fabric,
                                    const std::set<mad::Guid>& elsewhere);

/// Returns the same as misplaced_guids() for members of partitions that the API has made, those
/// among `guids`; null: of all.
std::vector<Condition> misplaced_members(const partitions::SharedRuntime& runtime,
                                         const Fabric& fabric,
                                         const std::vector<mad::Guid>* guids = nullptr);

}  // namespace sm
