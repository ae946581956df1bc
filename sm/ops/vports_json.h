#pragma once

#include <string>

#include "sm/ops/status.h"

namespace sm {

/// The ports whose devices can have vports, for `heddlectl vports`. One JSON object: virt_enabled,
/// and ports[]: host (the node's description), guid, port, lid, enabled (whether vports are on),
/// vport_cap, why (text; why there are none, else absent), vports[]. Of a vport: index, guid,
/// vnode_guid, description (absent unless it was read), state, lid, own_lid, p_keys[], why (text;
/// why it is not Active, else absent).
/// Before the first sweep as master there are no ports.
std::string vports_json(const ManagerStatus& status);

}  // namespace sm
