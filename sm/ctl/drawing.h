#pragma once
// Drawings of a fabric in which the busy cables show.

#include <ostream>
#include <string_view>

#include "fabric/fabric.h"
#include "fabric/switch_graph.h"
#include "routing/quality/quality.h"

namespace sm::ctl {

/// Cables between switches coloured by the load of their busier direction, from pale (none) to red
/// (the highest); every link has its numbers. `loads` is of this graph.
void draw_svg(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title);
/// Writes the drawing as a graph for Graphviz.
void draw_dot(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title);

}  // namespace sm::ctl
