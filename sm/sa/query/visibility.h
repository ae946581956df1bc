#pragma once
// Who may know of whom: subnet administration tells a port only about ports that it may talk to
// (IBTA Vol 1, 15.4.2).

#include <span>

#include "fabric/subnet.h"

namespace sa {

/// The lists share a partition, with a full member on at least one side. Both ascend by partition,
/// as in sm::PartitionMap.
bool share_partition(std::span<const mad::PKey> a, std::span<const mad::PKey> b);

/// Both end ports may talk to each other; every port may to itself. A port that is no end port
/// (kNoIndex, an external port of a switch) may to nobody.
bool may_talk(const sm::Subnet& subnet, sm::PortIndex a, sm::PortIndex b);

}  // namespace sa
