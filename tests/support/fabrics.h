#pragma once
// Fabrics in memory, without discovery: built node by node, from a cabling plan, or at random.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "fabric/topology/random_source.h"
#include "sm/ctl/topology/topology.h"

namespace fabrics {

/// Builds an fabric::Fabric from nodes and links. Node indices are in order of adding (not breadth
/// first as discovery has them). A port with a link is active, other ports of switches are down,
/// other ports of CAs and routers unknown.
class Maker {
 public:
  static constexpr std::uint16_t kFdbCap = 0xC000;
  static constexpr std::uint16_t kMulticastFdbCap = 0x4000;

  fabric::NodeIndex sw(unsigned ports = 36, std::string name = "") {
    return add(mad::NodeType::switch_, ports, std::move(name));
  }
  fabric::NodeIndex ca(unsigned ports = 1, std::string name = "") {
    return add(mad::NodeType::ca, ports, std::move(name));
  }
  fabric::NodeIndex router(unsigned ports = 2, std::string name = "") {
    return add(mad::NodeType::router, ports, std::move(name));
  }
  /// Node GUIDs are assigned by kind and number, unless given here. Port p of a CA or router has
  /// node GUID + p; a switch's port 0 the node's.
  fabric::NodeIndex add(mad::NodeType type, unsigned ports, std::string name, mad::Guid guid = {});

  void cable(fabric::NodeIndex a, unsigned port_a, fabric::NodeIndex b, unsigned port_b);
  /// Takes the lowest free port at both ends.
  void cable(fabric::NodeIndex a, fabric::NodeIndex b, unsigned times = 1);
  /// Adds a CA with one port, linked to the switch; returns its port index.
  fabric::PortIndex host(fabric::NodeIndex sw);
  unsigned free_port(fabric::NodeIndex node) const;

  void set_system(fabric::NodeIndex node, mad::Guid system) {
    fabric_.nodes[node].info.set_system_image_guid(system);
  }
  void set_cap(fabric::NodeIndex sw, unsigned lids);
  void set_multicast_cap(fabric::NodeIndex sw, unsigned mlids);
  void set_state(fabric::NodeIndex node, unsigned port, mad::PortState state);

  /// The manager runs on the first port that has a GUID and a link.
  fabric::Fabric build() const;

 private:
  fabric::Fabric fabric_;
};

fabric::Fabric from_topology(const topology::Topology& topology);

/// Base LIDs of hosts and routers in order of switch and port, then of those without a switch, then
/// of switches; LMC for all but switches. `gap` LIDs stay free before each base.
fabric::LidMap assign_lids(const fabric::Fabric& fabric, unsigned lmc = 0, unsigned gap = 0);

/// The input of routing, in one value.
struct Subnet {
  fabric::Fabric fabric;
  fabric::SwitchGraph graph;
  fabric::LidMap lids;

  explicit Subnet(fabric::Fabric from, unsigned lmc = 0)
      : fabric(std::move(from)),
        graph(fabric::make_switch_graph(fabric)),
        lids(assign_lids(fabric, lmc)) {}
  Subnet(fabric::Fabric from, fabric::LidMap with)
      : fabric(std::move(from)), graph(fabric::make_switch_graph(fabric)), lids(std::move(with)) {}
  fabric::SwitchIndex sw(fabric::NodeIndex node) const { return fabric.nodes[node].switch_index; }
  mad::Lid find_lid(fabric::PortIndex port) const;
};

/// Returns the subnet with its nodes in another order, and the same links and LIDs.
Subnet renumbered(const Subnet& subnet, std::uint64_t seed);

/// Up to a dozen switches and two dozen CAs and routers in any condition: several connected
/// components, parallel links, links from a switch to itself or that are not up, gaps between
/// ports, CAs with several ports or without a switch, systems of several switches.
fabric::Fabric random_fabric(std::uint64_t seed);

}  // namespace fabrics
