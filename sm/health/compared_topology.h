#pragma once
// This file brings the nodes and links of topologies from several sources into one form for
// comparisons.

#include <cstddef>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/topology/read.h"
#include "mad/attributes/node_info.h"
#include "mad/ids.h"
#include "mad/link_speed.h"

namespace sm {

struct ComparedTopology {
  struct Node {
    mad::Guid guid;
    mad::NodeType type{};
    std::string description;    // NodeDescription
    std::string operator_name;  // of node_name_map_name; empty: none
    bool operator==(const Node&) const = default;
  };
  struct End {
    std::size_t node = 0;  // index into `nodes`
    mad::PortNum port;
    bool operator==(const End&) const = default;
  };
  struct Link {
    End a, b;
    mad::LinkRate rate;  // 0 lanes or no speed: unknown; FDR10 is QDR
    bool operator==(const Link&) const = default;
  };
  std::vector<Node> nodes;
  std::vector<Link> links;  // those with two ends that are up
  bool operator==(const ComparedTopology&) const = default;
};

/// Returns the topology of a file; rates that the file does not state are unknown.
ComparedTopology compared(const topology::TopologyFile& file);
/// Returns the topology that a survey found, with the links that are up at both ends.
ComparedTopology compared(const Fabric& fabric);

/// Returns the rate that the words of a topology file state.
mad::LinkRate link_rate(topology::LinkWidth width, topology::LinkSpeed speed);

}  // namespace sm
