#pragma once

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/partition_map.h"
#include "partitions/configuration.h"

namespace partitions {

/// Who is in which partition of a fabric.
/// Shape:  a later entry that names a port decides over an earlier one, also one of another
/// definition of the partition. Partitions without members
///         and their groups are left out, GUIDs that no end port has are skipped.
/// Options: allow_both_pkeys (without it, both means full), qos (without it, all SLs are 0).
/// Source: OpenSM 3.3.23; IBTA Vol 1, 10.9.
sm::PartitionMap partition_map(const Configuration& configuration, const sm::Fabric& fabric,
                               const config::Options& options);

}  // namespace partitions
