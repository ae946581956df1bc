#pragma once
// Everything that routing engines and their verification read of a fabric.

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "sm/sweep/decide/kept_lids.h"

namespace sm {

/// Two fabrics with the same facts have the same routing, with the same options and the same tables
/// to start from: the previous routing holds, whatever the engine. A host that is kept and the same
/// host, there again, are one fact. More than engines read is no fault: it costs a routing that
/// would not have been necessary. Pure.
/// They read (`routing/`): of switches NodeInfo and LinearFDBCap; of the links between them
/// both ends, how many data VLs they run, widths and speeds (a link that becomes Active with the
/// VLs that its training promised is the same link); of end ports GUIDs, LIDs and their place.
/// Shape: bytes without a meaning of their own, to be compared.
/// `lids`: of physical ports; `kept`: as placed() returns them.
std::vector<std::uint8_t> routing_facts(const Fabric& fabric, const LidMap& lids,
                                        const KeptLids& kept);

}  // namespace sm
