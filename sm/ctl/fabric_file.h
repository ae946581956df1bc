#pragma once
// A fabric from a file of cables instead of from a survey.

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

}  // namespace sm::ctl
