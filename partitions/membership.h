#pragma once

#include <span>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/partition_map.h"
#include "partitions/configuration.h"

namespace partitions {

/// The members of all partitions of a fabric. `vports`: GUIDs of vports, which are members of their
/// own; their keys follow those of the end ports.
/// Shape:  of several entries for a port, the last one is used, also across definitions of a
///         partition. Partitions without members and their groups are left out, GUIDs that no end
///         port has are skipped.
/// Options: allow_both_pkeys (without it, both means full), qos (without it, all SLs are 0).
/// Source: OpenSM 3.3.23; IBTA Vol 1, 10.9.
sm::PartitionMap partition_map(const Configuration& configuration, const sm::Fabric& fabric,
                               const config::Options& options,
                               std::span<const mad::Guid> vports = {});

}  // namespace partitions
