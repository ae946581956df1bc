#pragma once
// Lists hosts in the order in which a shift permutation numbers them.

#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"

namespace routing {

/// A host, by the base LID of its port.
struct OrderedHost {
  mad::Lid lid;
  fabric::SwitchIndex sw;
  mad::PortNum out;  // the switch's port to the host
  fabric::PortIndex port;
};

/// Returns hosts and routers with LIDs, without those inside of switches, by base LID.
std::vector<OrderedHost> hosts_by_lid(const fabric::SwitchGraph& graph, const fabric::LidMap& lids);

/// Returns the same hosts by the names of their nodes: digits count as numbers, so that n2 comes
/// before n10. Ports of one node follow each other.
std::vector<OrderedHost> hosts_by_name(const fabric::Fabric& fabric,
                                       const fabric::SwitchGraph& graph,
                                       const fabric::LidMap& lids);

/// Returns the ports of nodes with several HCAs by rail: list r has the r-th port of each host that
/// has at least r + 1, in the order of the hosts' first ports in `hosts`. Ports belong to one host
/// if their NodeDescriptions have the same first word; they are in the order of the rest of it. One
/// list if no host has two ports; no list if the names do not say which ports are of one host, such
/// as names that a driver gives to all.
std::vector<std::vector<OrderedHost>> rails(const fabric::Fabric& fabric,
                                            std::span<const OrderedHost> hosts);

}  // namespace routing
