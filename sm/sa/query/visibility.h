#pragma once
// Visibility by P_Key: a requester gets records only of ports with which it shares a partition
// (IBTA Vol 1, 15.4.2).

#include <span>

#include "fabric/subnet.h"

namespace sa {

/// The P_Key lists share a partition, with a full member on at least one side. Both are sorted by
/// partition, as in fabric::PartitionMap.
bool share_partition(std::span<const mad::PKey> a, std::span<const mad::PKey> b);

/// The ends share a partition, or are the same end. False for a port that is no end port (kNoIndex,
/// an external port of a switch).
bool may_communicate(const fabric::Subnet& subnet, fabric::EndPoint a, fabric::EndPoint b);

}  // namespace sa
