#pragma once
// GUIDs in the configuration that are of the other kind: a NodeGUID where a port GUID belongs, as
// ibstat prints it first, or a port GUID where a NodeGUID belongs. Such an entry has no effect.

#include <span>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "partitions/runtime/runtime_partitions.h"
#include "sm/context/sweep_context.h"

namespace sm {

/// Conditions that say what names the GUID and which ones are meant: members of partitions,
/// options and the files that they name, and guid2mkey. At most a hundred, then one that counts the
/// others. `m_key_ports`: those that guid2mkey has. Pure.
std::vector<Condition> misplaced_guids(const SweepContext& context, const Fabric& fabric,
                                       std::span<const mad::Guid> m_key_ports);

/// Returns the same for members of partitions that the API has made, those among `guids`; null: of
/// all.
std::vector<Condition> misplaced_members(const partitions::SharedRuntime& runtime,
                                         const Fabric& fabric,
                                         const std::vector<mad::Guid>* guids = nullptr);

}  // namespace sm
