#pragma once
// What a routing engine is: a pure function from a fabric with LIDs to forwarding tables, or a refusal in words.

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mad/ids.h"
#include "sm/fabric/fabric.h"
#include "sm/fabric/forwarding_tables.h"
#include "sm/fabric/lid_map.h"
#include "sm/fabric/switch_graph.h"

namespace routing {

struct SwitchPort {
  mad::Guid sw;  // node GUID
  mad::PortNum port;
  bool operator==(const SwitchPort&) const = default;
};

struct HopWeight {
  SwitchPort from;
  std::uint8_t weight = 1;  // of the direction out of this port; 0 counts as 1
};

struct PortOrder {
  mad::Guid sw;
  std::vector<mad::PortNum> ports;  // ports not listed follow in numerical order
};

/// Wishes of the operator, already parsed. Names of switches and ports that the fabric does not have are no error: a note tells.
struct RoutingOptions {
  std::vector<mad::Guid> guid_routing_order = {};  // port GUIDs that are routed first, in this order
  std::vector<HopWeight> hop_weights = {};
  std::vector<PortOrder> port_search_ordering = {};  // the first list of a switch counts
  std::vector<SwitchPort> port_prof_ignore = {};     // ports whose load is not counted
  std::uint32_t scatter_ports = 0;                   // seed of a random choice among equally loaded ports; 0: off
  bool guid_routing_order_no_scatter = false;        // not for the ports of guid_routing_order
  bool port_profile_switch_nodes = false;            // LIDs of switches count as load
  bool port_shifting = false;                        // the scan starts further on by the mean load of the candidates
  bool lowest_port_first = false;                    // ties go to the lowest port on every switch, as in OpenSM: for comparing tables
};

struct RoutingInput {
  const sm::Fabric& fabric;
  const sm::SwitchGraph& graph;  // of this fabric
  const sm::LidMap& lids;        // of this fabric
  const RoutingOptions& options;
  const sm::ForwardingTables* previous =
      nullptr;  // rows as in fabric.switches; its routes are kept where they are still good. None: start afresh
};

struct RoutingResult {
  sm::ForwardingTables lfts;
  std::vector<std::string> notes;  // for the operator
};

/// Why an engine does not route this fabric, in an operator's words, with the first node that it stumbled over.
struct Refusal {
  std::string why;
};

using RoutingFunction = tl::expected<RoutingResult, Refusal> (*)(const RoutingInput&);

}  // namespace routing
