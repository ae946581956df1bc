#pragma once
// The whole fabric in one answer, for the map. README.md has its shape.

#include <string>

#include "sm/ops/api/snapshot.h"

namespace sm::api {

/// Links once each, at the end with the lower index; the order of "links" in /v1/topology and in
/// plans.
std::vector<PortIndex> links_in_order(const Fabric& fabric);

/// Some 0.1 to 1 s at 10,000 hosts, of which most is following the tables.
std::string topology_json(const Snapshot& snapshot);
std::string topology_schema();

}  // namespace sm::api
