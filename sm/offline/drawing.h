#pragma once
// Pictures of a fabric in which the hot cables show.

#include <ostream>
#include <string_view>

#include "routing/proof/quality.h"
#include "sm/fabric/fabric.h"
#include "sm/fabric/switch_graph.h"

namespace sm::offline {

/// Cables between switches coloured by the load of their busier direction, from pale (none) to red
/// (the highest); every cable tells its numbers. `loads` is of this graph.
void draw_svg(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title);
/// The same for Graphviz.
void draw_dot(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title);

}  // namespace sm::offline
