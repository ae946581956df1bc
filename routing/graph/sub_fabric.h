#pragma once

#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "routing/core/routing_options.h"

namespace routing {

/// A part of a fabric as a fabric of its own; nodes, ports and LIDs keep their order.
struct SubFabric {
  fabric::Fabric fabric;
  fabric::LidMap lids;  // LIDs of end ports outside have no owner
  fabric::IndexVector<fabric::SwitchIndex, fabric::SwitchIndex> original;  // by switch
};

/// The switches and end ports of the part that the fabric has, the links between these switches by
/// ports of the part, and the links of the end ports to these switches. Pure.
SubFabric sub_fabric(const fabric::Fabric& fabric, const fabric::LidMap& lids,
                     const FabricPart& part);

}  // namespace routing
