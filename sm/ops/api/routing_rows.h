#pragma once
// Rows about routes: their loads, their quality, and the paths of packets. Pure functions of what
// was published, for any thread.

#include <nlohmann/json.hpp>

#include "fabric/subnet.h"
#include "sm/ops/api/routing_quality.h"
#include "sm/ops/row_declaration.h"
#include "sm/ops/trace.h"

namespace sm::api {

RowInfo load_info();
RowInfo link_load_info();
RowInfo quality_info();
RowInfo path_end_info();
RowInfo path_hop_info();
RowInfo adaptive_hop_info();
RowInfo adaptive_exit_info();
RowInfo path_trace_info();

/// Returns worst, p99, mean, variation and unused of the channels between switches.
nlohmann::json load_row(const routing::LinkLoads& loads);
/// `a`: a port of a link between switches.
nlohmann::json link_load_row(const Fabric& fabric, PortIndex a, const RoutingQuality& quality);
nlohmann::json quality_row(const RoutingQuality& quality, const PublishedRouting& routing);

struct PathEnd {
  EndPoint end;
  mad::Lid lid;
};
nlohmann::json path_end_row(const Subnet& subnet, const PathEnd& of);
/// Returns the path of packets from one end to the LID of the other, hop by hop, and where switches
/// of it choose, all that packets may take. The subnet has forwarding tables.
nlohmann::json trace_row(const Subnet& subnet, const PathEnd& from, const PathEnd& to);

}  // namespace sm::api
