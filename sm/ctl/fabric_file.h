#pragma once
// A fabric without a survey: from a file of cables, or, for checks of files that name them, the
// nodes and ports of a running fabric by their GUIDs.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/topology/read.h"
#include "fabric/topology/topology_model.h"

namespace sm::ctl {

struct FabricOfFile {
  Fabric fabric;
  std::vector<std::string> notes;  // nodes that are left out, and why
};

/// The fabric as its first host (or else its first node) sees it when all cables of the file are
/// up: nodes that no cable leads to from there are left out. Ports are Active with 8 data VLs and
/// an MTU of 4096; their LIDs and LMCs are those that `lids` state. Never fails: a node that cannot
/// be is left out.
FabricOfFile build_fabric(const topology::Topology& topology,
                          std::span<const topology::StatedLid> lids = {});

/// The reverse: nodes, and links that are up.
topology::Topology make_topology(const Fabric& fabric);

/// Makes a fabric without links of the rows of /v1/nodes: nodes with their type and name, and their
/// end ports. Rows without these values are left out. Pure.
Fabric named_fabric(const nlohmann::ordered_json& nodes);

}  // namespace sm::ctl
