#pragma once
// Visibility by P_Key: a requester gets records only of ports with which it shares a partition
// (IBTA Vol 1, 15.4.2).

#include <span>

#include "fabric/subnet.h"
#include "sm/sa/query/record_type.h"

namespace sa {

/// The P_Key lists share a partition, with a full member on at least one side. Both are sorted by
/// partition, as in fabric::PartitionMap.
bool share_partition(std::span<const mad::PKey> a, std::span<const mad::PKey> b);

/// The ends share a partition, or are the same end. False for a port that is no end port (kNoIndex,
/// an external port of a switch).
bool may_communicate(const fabric::Subnet& subnet, fabric::EndPoint a, fabric::EndPoint b);

/// True if the requester is another subnet manager of this subnet: it has shown sa_key, and its
/// port has answered SMInfo with the SM_Key, and is allowed. Partitions hide no record from it,
/// since it may have to take over, and its port may be a limited member.
bool is_manager(const View& view, const Requester& from);

}  // namespace sa
