#pragma once
// The nodes and ports of a running fabric by their GUIDs, for checks of files that name them.

#include <nlohmann/json.hpp>

#include "fabric/fabric.h"

namespace sm::ctl {

/// Makes a fabric without links of the rows of /v1/nodes: nodes with their type and name, and their
/// end ports. Rows without these values are left out. Pure.
Fabric named_fabric(const nlohmann::ordered_json& nodes);

}  // namespace sm::ctl
