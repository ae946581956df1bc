#pragma once
// How good the tables of a subnet are, by following them. Pure; some 0.1 to 1 s at 10,000 hosts.

#include <optional>
#include <vector>

#include "fabric/subnet.h"
#include "fabric/switch_graph.h"
#include "routing/quality/quality.h"

namespace sm::api {

struct Loads {
  SwitchGraph graph;
  routing::LinkLoads loads;
};
/// Nothing without tables.
std::optional<Loads> loads_of(const Fabric& fabric, const LidMap& lids,
                              const ForwardingTables* lfts);
/// By PortIndex: pairs that leave by that port; -1 where no link between switches begins.
std::vector<std::int64_t> loads_by_port(const Fabric& fabric, const Loads& loads);

/// The quality of routes, as a plan compares it and /v1/routing shows it.
struct RoutingQuality {
  routing::LinkLoads loads;
  routing::PathLengths lengths;
  std::size_t credit_loops = 0;  // between hosts
  std::vector<std::int64_t> by_port;
};
std::optional<RoutingQuality> routing_quality(const Fabric& fabric, const LidMap& lids,
                                              const ForwardingTables* lfts,
                                              const PublishedRouting* routing);

}  // namespace sm::api
