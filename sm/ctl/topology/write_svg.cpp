#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/ostream.h>

#include "fabric/topology/graph.h"
#include "mad/format.h"
#include "sm/ctl/topology/draw.h"
#include "sm/ctl/topology/layout.h"

// Graphviz's layouts do not use the levels, groups and coordinates that the cabling and the names
// of a fabric show (layout.cpp). Without Graphviz a drawing needs no further program.

namespace topology {

namespace {

constexpr double kMargin = 36, kTitleHeight = 64, kWidthMin = 460, kWidthWithLegend = 900;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out +=
            static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
    }
  }
  return out;
}

// Returns the part of a name that fits into the box of a switch.
std::string label(std::string_view name, std::size_t length) {
  return escaped(name.size() <= length ? name : fmt::format("{}..", name.substr(0, length - 2)));
}

struct LinkBundle {
  unsigned count = 0;
  std::string ports;  // "1-1, 2-2", for the tooltip
  LinkWidth width{};
  LinkSpeed speed{};
};

constexpr std::string_view kStyle = R"(<style>
text { font-family: "DejaVu Sans", Helvetica, Arial, sans-serif; font-size: 10px; fill: #1c2733;
  text-anchor: middle; dominant-baseline: central; }
.title { font-size: 15px; font-weight: bold; text-anchor: start; }
.legend { font-size: 11px; text-anchor: start; }
.cable { stroke: #7d8ca3; stroke-opacity: .5; fill: none; }
.cable:hover { stroke: #d9480f; stroke-opacity: 1; }
.sw { fill: #cfe3ff; stroke: #2b6cb0; }
.leaf { fill: #b8ecdf; stroke: #16806a; }
.ca { fill: #ffdf9e; stroke: #b7791f; }
.rt { fill: #e3d0f7; stroke: #6b3fa0; }
.sw:hover, .leaf:hover, .ca:hover, .rt:hover { stroke-width: 3; }
</style>
)";

}  // namespace

void write_svg(const Topology& topology, std::ostream& out, Layout layout, const Paint& paint) {
  const Drawing drawing = lay_out(topology, layout);
  std::vector<unsigned> ends(topology.nodes.size());
  std::map<std::pair<std::size_t, std::size_t>, LinkBundle> per_pair;
  for (const Link& link : topology.links) {
    const bool swap = link.b.node < link.a.node;
    const PortRef& a = swap ? link.b : link.a;
    const PortRef& b = swap ? link.a : link.b;
    LinkBundle& between = per_pair[{a.node, b.node}];
    between.width = link.width;
    between.speed = link.speed;
    if (++between.count <= 8)
      between.ports += fmt::format("{}{}-{}", between.count == 1 ? "" : ", ", a.port, b.port);
    if (between.count == 9) between.ports += ", ...";
  }
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    if (topology.nodes[i].type == NodeType::ca && drawing.drawn_at[i] != i)
      ++ends[drawing.drawn_at[i]];
  }

  const double width =
                   std::max(drawing.width, paint.legend.empty() ? kWidthMin : kWidthWithLegend) +
                   2 * kMargin,
               height = drawing.height + 2 * kMargin + kTitleHeight;
  const double shift_x = kMargin + (width - 2 * kMargin - drawing.width) / 2,
               shift_y = kMargin + kTitleHeight;
  const auto x = [&](std::size_t node) { return drawing.at[node].x + shift_x; };
  const auto y = [&](std::size_t node) { return drawing.at[node].y + shift_y; };
  fmt::print(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
             "width=\"{:.0f}\" height=\"{:.0f}\">\n",
             width, height, width, height);
  out << kStyle << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  const std::size_t subnet_count = subnets(topology).size(),
                    routers = topology.count(NodeType::router);
  const std::string counts = fmt::format(
      "{} hosts, {} switches, {}{} links{}", topology.count(NodeType::ca),
      topology.count(NodeType::switch_), routers > 0 ? fmt::format("{} routers, ", routers) : "",
      topology.links.size(), subnet_count > 1 ? fmt::format(", {} subnets", subnet_count) : "");
  fmt::print(out, "<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>\n", kMargin, kMargin,
             paint.title.empty() ? counts : escaped(paint.title));
  double legend_x = kMargin;
  for (const auto& [kind, text] : {std::pair{"ca", "host"},
                                   {"leaf", "switch with hosts"},
                                   {"sw", "switch"},
                                   {"rt", "router"}}) {
    fmt::print(out,
               "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"3\"/><text "
               "class=\"legend\" x=\"{}\" y=\"{}\">{}</text>\n",
               kind, legend_x, kMargin + 18, legend_x + 18, kMargin + 24, text);
    legend_x += 40 + 7.0 * static_cast<double>(std::string_view(text).size());
  }
  for (const auto& [colour, words] : paint.legend) {
    fmt::print(out,
               "<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"6\" fill=\"{}\"/><text "
               "class=\"legend\" x=\"{}\" y=\"{}\">{}</text>\n",
               legend_x, kMargin + 21, colour, legend_x + 28, kMargin + 24, escaped(words));
    legend_x += 50 + 7.0 * static_cast<double>(words.size());
  }

  out << "<g>\n";
  for (const auto& [pair, between] : per_pair) {
    const auto [a, b] = pair;
    // A dot touches its switch; only its other links need lines.
    const bool drawn_together = drawing.drawn_at[a] == b || drawing.drawn_at[b] == a;
    if (drawn_together && !drawing.host_labels && topology.nodes[a].type != NodeType::router &&
        topology.nodes[b].type != NodeType::router)
      continue;
    const Paint::Cable look = paint.of(a, b);
    const std::string tip =
        fmt::format("<title>{} - {}: {} link{} {}{}, ports {}{}{}</title>",
                    escaped(topology.nodes[a].name), escaped(topology.nodes[b].name), between.count,
                    between.count == 1 ? "" : "s", text_of(between.width), text_of(between.speed),
                    between.ports, look.tip.empty() ? "" : "; ", escaped(look.tip));
    const double dx = x(b) - x(a), dy = y(b) - y(a),
                 thickness =
                     look.width > 0 ? look.width : std::min(1.0 + 0.8 * (between.count - 1), 7.0);
    const std::string style =
        look.colour.empty() ? ""
                            : fmt::format(" style=\"stroke:{};stroke-opacity:.9\"", look.colour);
    if (!drawn_together && std::hypot(dx, dy) >= drawing.curve_from) {
      const double bow = std::min(
          0.14,
          40 /
              std::hypot(
                  dx,
                  dy));  // fraction of the length, to the side; small enough to stay in the drawing
      fmt::print(out,
                 "<path class=\"cable\" d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" "
                 "stroke-width=\"{:.1f}\"{}>{}</path>\n",
                 x(a), y(a), x(a) + dx / 2 + bow * dy, y(a) + dy / 2 - bow * dx, x(b), y(b),
                 thickness, style, tip);
      continue;
    }
    fmt::print(out,
               "<line class=\"cable\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
               "stroke-width=\"{:.1f}\"{}>{}</line>\n",
               x(a), y(a), x(b), y(b), thickness, style, tip);
  }
  out << "</g>\n<g>\n";
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    const Node& node = topology.nodes[i];
    const bool is_switch = node.type == NodeType::switch_;
    const char* kind = is_switch                   ? (ends[i] > 0 ? "leaf" : "sw")
                       : node.type == NodeType::ca ? "ca"
                                                   : "rt";
    const std::string tip = fmt::format("<title>{} ({} {}, {} ports{})</title>", escaped(node.name),
                                        text_of(node.type), node.guid, node.port_count,
                                        ends[i] > 0 ? fmt::format(", {} hosts", ends[i]) : "");
    if (!is_switch && !drawing.host_labels && drawing.drawn_at[i] != i &&
        node.type == NodeType::ca) {
      fmt::print(out, "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\">{}</circle>\n",
                 kind, x(i), y(i), tip);
      continue;
    }
    const double w = is_switch ? kSwitchWidth : kHostWidth,
                 h = is_switch ? kSwitchHeight : kHostHeight;
    fmt::print(out,
               "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" "
               "rx=\"{}\">{}</rect>",
               kind, x(i) - w / 2, y(i) - h / 2, w, h, is_switch ? 4 : 9, tip);
    fmt::print(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" pointer-events=\"none\">{}</text>\n", x(i),
               y(i), label(node.name, is_switch ? 10 : 7));
  }
  out << "</g>\n</svg>\n";
}

}  // namespace topology
