#pragma once
// What to route, in which order: the same for every switch.

#include <cstdint>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

/// An end port that hangs on a switch and has LIDs.
struct Target {
  const sm::SwitchGraph::EndPort* end;
  sm::LidMap::Range lids;
  mad::Guid guid;
  bool is_switch() const { return end->out == mad::PortNum{0}; }
};

/// All of them, in the graph's order: by switch and port number, a switch's port 0 first.
std::vector<Target> targets(const RoutingInput& input);

/// End ports that a list names, each by its own GUID or by its node's.
class PortList {
 public:
  PortList(const RoutingInput& input, const std::vector<mad::Guid>& guids);
  bool has(const Target& target) const;
  bool empty() const { return guids_.empty(); }

 private:
  const sm::Fabric& fabric_;
  std::vector<mad::Guid> guids_;
};

/// How many hosts and routers with LIDs hang on each switch.
std::vector<std::uint32_t> hosts_per_switch(const RoutingInput& input);

/// LIDs in sequence that share a switch and the way they are treated.
struct Run {
  sm::SwitchIndex sw;
  std::uint32_t begin, end;  // into Plan::lids
  std::uint32_t rank;        // of the switch
  bool counted;              // as load
  bool scattered;
  bool first_lids;   // base LIDs, not the further ones of LMC > 0
  bool consecutive;  // each LID is one above the one before
};

/// Destinations in the order of guid_routing_order, then switch by switch (most hosts first), then
/// the switches' own LIDs.
struct Plan {
  std::vector<std::uint16_t> lids;  // base LIDs of all ports, then all second LIDs, ...
  std::vector<Run> runs;
  // By LID:
  std::vector<std::uint8_t> out;  // port of the LID's own switch
  std::vector<sm::LidMap::Range> range;
};

Plan make_plan(const RoutingInput& input);

}  // namespace routing
