#pragma once
// The pairs (input port, output port) of switches that packets pass.

#include <vector>

#include "sim/world/model.h"

namespace sim {

/// Follows packets from all end ports that are up, to all LIDs and MLIDs, through the tables that
/// switches hold.
/// Shape: by node, then by input port * (number of ports + 1) + output port; empty for nodes that
/// are no reachable switches. Packets that end in port 0 have no output port.
std::vector<std::vector<bool>> used_pairs(const Model& model, const std::vector<bool>& reach);

}  // namespace sim
