#pragma once
// This file draws topologies, as Graphviz files or as SVG.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "fabric/topology/topology_model.h"

namespace topology {

/// Holds optional additions to a drawing of the topology.
struct Paint {
  struct Cable {
    std::string colour;  // "#d9480f"; empty: default
    double width = 0;    // in pixels; 0: default
    std::string tip;     // appended to the default tooltip
  };
  std::function<Cable(std::size_t a, std::size_t b)> cable =
      {};                  // for all links between two nodes, a < b
  std::string title = {};  // instead of counts of nodes and links
  std::vector<std::pair<std::string, std::string>> legend = {};  // colour, words

  Cable of(std::size_t a, std::size_t b) const {
    return cable ? cable(std::min(a, b), std::max(a, b)) : Cable{};
  }
};

/// Writes a Graphviz file for `dot -Tsvg`, or for neato and sfdp if the fabric is not a tree. Hosts
/// are ellipses, switches boxes, routers diamonds.
void write_dot(const Topology& topology, std::ostream& out, const Paint& paint = {});

enum class Layout : std::uint8_t {
  automatic,  // layers if the switches form ranks without links inside a rank; else by the names;
              // else a circle
  layers,     // one row of switches per distance from the hosts
  grid,       // coordinates from names such as S0_1_2
  groups,     // circles of circles, from names such as G3-S1
  circle
};

/// Draws the topology as SVG, without Graphviz. Hosts are drawn at their switch: with names up to
/// 48 hosts, as dots above that; every shape and link has a tooltip. Parallel links are one thicker
/// line.
void write_svg(const Topology& topology, std::ostream& out, Layout layout = Layout::automatic,
               const Paint& paint = {});

}  // namespace topology
