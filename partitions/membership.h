#pragma once

#include <span>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/partition_map.h"
#include "partitions/configuration.h"
#include "partitions/kept_key.h"
#include "partitions/runtime_partitions.h"

namespace partitions {

/// The members of all partitions of a fabric. `vports`: GUIDs of vports, which are members of their
/// own; their keys follow those of the end ports.
/// Shape:  of several entries for a port, the last one is used, also across definitions of a
///         partition. Partitions without members and their groups are left out, GUIDs that no end
///         port has are skipped.
/// Options: allow_both_pkeys (without it, both means full), qos (without it, all SLs are 0).
/// `runtime` (null: none): partitions of the API. They add to the configuration: a port that both
/// name is a full member if one of them says so; of a partition that both have, name, SL and
/// groups are the configuration's. Of index0 the API's latest one counts, before indx0.
/// `kept` (may be null): P_Keys of unknown origin that ports hold. They add to the memberships in
/// the same way, and keep index 0. A partition of kept keys alone has SL 0, and the IPoIB broadcast
/// group of a new partition if several ports have its key.
/// Source: OpenSM 3.3.23; IBTA Vol 1, 10.9.
fabric::PartitionMap partition_map(const Configuration& configuration, const fabric::Fabric& fabric,
                                   const config::Options& options,
                                   std::span<const mad::Guid> vports = {},
                                   const RuntimePartitions* runtime = nullptr,
                                   const KeptKeys* kept = nullptr);

/// Returns partition_map(), made from `before` (which differs in memberships of `runtime` alone):
/// decides only the ports of `changed` again. Cost: by those, and by the size of `before`. Shape:
/// `changed` are positions in `before`: end ports, and behind them vports.
fabric::PartitionMap updated_partition_map(const fabric::PartitionMap& before,
                                           std::span<const fabric::EndPortIndex> changed,
                                           const Configuration& configuration,
                                           const fabric::Fabric& fabric,
                                           const config::Options& options,
                                           const RuntimePartitions* runtime,
                                           const KeptKeys* kept = nullptr);

/// The IPoIB broadcast group of a partition of the API, as it is before options change its SL.
fabric::WellKnownGroup broadcast_group_of(std::uint16_t key, const PartitionAttributes& attributes);

}  // namespace partitions
