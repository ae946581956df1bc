#pragma once
// Lists destinations in an order that is the same for every switch.

#include <cstdint>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

/// An end port with LIDs that is attached to a switch.
struct Target {
  const fabric::SwitchGraph::EndPort* end;
  fabric::LidMap::Range lids;
  mad::Guid guid;
  bool is_switch() const { return end->is_switch(); }
  bool is_host() const { return end->is_host(); }
};

/// Returns all targets in the graph's order: by switch and port number, a switch's port 0 first.
std::vector<Target> targets(const RoutingInput& input);

/// Returns the state that all engines share. LIDs of hosts and routers count as load.
TableState table_state(const RoutingInput& input);

/// Holds hosts that a list of GUIDs names, each by a PortGUID or a NodeGUID. Switches are left out:
/// SM-GUID-MISPLACED names them.
class PortList {
 public:
  PortList(const RoutingInput& input, const std::vector<mad::Guid>& guids);
  bool has(const Target& target) const;
  bool empty() const { return guids_.empty(); }

 private:
  const fabric::Fabric& fabric_;
  std::vector<mad::Guid> guids_;
};

/// Returns the number of attached hosts and routers with LIDs, by switch; without those inside of
/// the switch.
std::vector<std::uint32_t> hosts_per_switch(const RoutingInput& input);
/// Returns hosts_per_switch() with those inside of the switch: all that send packets.
std::vector<std::uint32_t> senders_per_switch(const RoutingInput& input);

/// Consecutive LIDs of one switch that are treated alike.
struct Run {
  fabric::SwitchIndex sw;
  std::uint32_t begin, end;  // indices into Plan::lids
  std::uint32_t rank;        // of the switch
  bool counted;              // as load
  bool scattered;
  bool first_lids;   // base LIDs; false: further LIDs of LMC > 0
  bool consecutive;  // each LID is one above its predecessor
};

/// Lists destinations in the order of guid_routing_order, then by switch (most hosts first), then
/// the LIDs of the switches.
struct Plan {
  std::vector<std::uint16_t> lids;  // base LIDs of all ports, then all second LIDs, ...
  std::vector<Run> runs;
  // These are by LID.
  std::vector<std::uint8_t> out;  // port of the LID's switch
  std::vector<fabric::LidMap::Range> range;
};

Plan make_plan(const RoutingInput& input);

}  // namespace routing
