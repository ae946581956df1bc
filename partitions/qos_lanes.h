#pragma once

#include "config/qos_policy.h"
#include "sm/fabric/partition_map.h"

namespace partitions {

/// A partition whose P_Key a rule of the policy names, and nothing else, takes that rule's SL, and so do the multicast groups of the configuration:
/// `ipoib : 4` is to hold for IPoIB's broadcasts as it does for its paths. The first such rule counts, as for paths.
/// Source: OpenSM 3.3.23, which also heeds rules that name more than P_Keys, and lets the last one win.
void take_qos_lanes(const config::QosPolicy& policy, sm::PartitionMap& partitions);

}  // namespace partitions
