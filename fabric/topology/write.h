#pragma once
// Forms in which a topology is written.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "fabric/topology/model.h"

namespace sim {

/// The text form that ibnetdiscover prints and `ibsim -s FILE` reads. Every node states its GUID;
/// vendor, device and SystemImageGUID where they differ from what a reader would assume; width and
/// speed of a cable (as ibnetdiscover's comment) unless it is 4x QDR. GUIDs of single ports are
/// written, too, but ibsim gives port p the node's GUID + p all the same.
void write_ibsim(const Topology& topology, std::ostream& out);

/// YAML with one line per node and cable; read_yaml() gets the same topology back.
void write_yaml(const Topology& topology, std::ostream& out);

/// What a picture shows besides the cabling. All of it may be left out.
struct Paint {
  struct Cable {
    std::string colour;  // "#d9480f"; empty: as usual
    double width = 0;    // in pixels; 0: as usual
    std::string tip;     // behind the tooltip's usual text
  };
  std::function<Cable(std::size_t a, std::size_t b)> cable =
      {};                  // for all cables between two nodes, a < b
  std::string title = {};  // instead of counts of nodes and cables
  std::vector<std::pair<std::string, std::string>> legend = {};  // colour, words

  Cable of(std::size_t a, std::size_t b) const {
    return cable ? cable(std::min(a, b), std::max(a, b)) : Cable{};
  }
};

/// Graphviz; `dot -Tsvg`, or neato/sfdp for fabrics that are not trees. Hosts are ellipses,
/// switches boxes, routers diamonds.
void write_dot(const Topology& topology, std::ostream& out, const Paint& paint = {});

enum class Layout : std::uint8_t {
  automatic,  // layers if the switches form ranks without cables inside a rank; else by what the
              // names say; else a circle
  layers,     // one row of switches per distance from the hosts
  grid,       // coordinates from names such as S0_1_2
  groups,     // circles of circles, from names such as G3-S1
  circle
};

/// A picture as SVG, made without Graphviz. Hosts stand by their switch: with a name up to 48 of
/// them, as dots above that; every shape and cable has a tooltip. Parallel cables are one thicker
/// line.
void write_svg(const Topology& topology, std::ostream& out, Layout layout = Layout::automatic,
               const Paint& paint = {});

}  // namespace sim
