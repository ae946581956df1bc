#pragma once
// This file compares what several engines would make of a fabric, and draws their loads.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/switch_graph.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"

namespace sm::ctl {

struct Effort {
  std::size_t shifts = 160;    // at most so many of all shift permutations, evenly spread
  unsigned permutations = 40;  // random ones
  unsigned bisections = 40;
};

struct Quality {
  unsigned vls = 1;
  std::size_t loops = 0;  // cyclic cores of the channel dependencies between hosts
  routing::PathLengths lengths;
  routing::LinkLoads loads;
  routing::ShiftLoad along_tree, by_name, by_lid;  // shifts, by the order of the hosts
  routing::CutBound bound_along_tree;
  std::string limit;           // what bounds it: "leaf-7: 5 hosts on 2 links"; empty: nothing
  std::size_t rails = 1;       // HCAs of the host with most
  routing::ShiftLoad by_rail;  // shifts of all rails at once
  routing::PermutationLoad permutations;
  double bisection = 0;
  std::optional<routing::TableChanges> changes;  // against the tables that were handed in
};

/// Measures the tables of an engine. `before` has the tables to compare with, or is null; `seed`
/// selects the random permutations.
Quality measure(const routing::RoutingInput& input, const routing::RoutingResult& result,
                const fabric::ForwardingTables* before, const Effort& effort, std::uint64_t seed);

struct EngineResult {
  std::string engine;
  std::string refusal;  // empty: it routed
  double wall_ms = 0;   // routing and verification
  std::optional<Quality> quality;
  std::vector<std::string> notes;
};

/// Returns a table for people, with a column for each measure and a row for each engine.
std::string table(const std::vector<EngineResult>& rows);
nlohmann::json json(const std::vector<EngineResult>& rows);

/// Cables between switches coloured by the load of their busier direction, from pale (none) to red
/// (the highest); every link has its numbers. `loads` is of this graph.
void draw_svg(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title);
/// Writes the drawing as a graph for Graphviz.
void draw_dot(std::ostream& out, const Fabric& fabric, const SwitchGraph& graph,
              const routing::LinkLoads& loads, std::string_view title);

}  // namespace sm::ctl
