#include <map>
#include <utility>

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "mad/format.h"
#include "sm/ctl/topology/draw.h"

namespace topology {

// Boost.Graph's write_graphviz() would write only the braces and the names. Its escape_dot_string()
// leaves backslashes as they are. A node whose NodeDescription, which comes from the fabric, ends
// in one would break the file.

namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

void write_dot(const Topology& topology, std::ostream& out, const Paint& paint) {
  out << "graph fabric {\n  graph [ranksep=1.2, overlap=false, splines=false];\n"
         "  node [style=filled, fontname=\"sans-serif\", fontsize=10];\n  edge "
         "[color=\"#8a94a6\"];\n";
  if (!paint.title.empty()) fmt::print(out, "  label={};\n", in_quotes(paint.title));
  for (const Node& node : topology.nodes) {
    const char* style = node.type == NodeType::switch_ ? "shape=box, fillcolor=\"#cfe3ff\""
                        : node.type == NodeType::ca    ? "shape=ellipse, fillcolor=\"#d9f2d9\""
                                                       : "shape=diamond, fillcolor=\"#ead9f7\"";
    fmt::print(
        out, "  {} [label={}, {}, tooltip={}];\n", in_quotes(node.key()), in_quotes(node.name),
        style,
        in_quotes(fmt::format("{} {}, {} ports", text_of(node.type), node.guid, node.port_count)));
  }
  std::map<std::pair<std::size_t, std::size_t>, unsigned> links;
  for (const Link& link : topology.links) ++links[std::minmax(link.a.node, link.b.node)];
  for (const auto& [ends, count] : links) {
    // dot ranks nodes by the order of the ends, so the end nearer to the top of the drawing goes
    // first.
    const bool swap = topology.nodes[ends.first].type == NodeType::ca;
    fmt::print(out, "  {} -- {}", in_quotes(topology.nodes[swap ? ends.second : ends.first].key()),
               in_quotes(topology.nodes[swap ? ends.first : ends.second].key()));
    const Paint::Cable style = paint.of(ends.first, ends.second);
    std::vector<std::string> attributes;
    if (count > 1) attributes.push_back(fmt::format("label=\"{}\"", count));
    if (count > 1 || style.width > 0)
      attributes.push_back(
          fmt::format("penwidth={}", style.width > 0 ? style.width : std::min(count, 8u)));
    if (!style.colour.empty())
      attributes.push_back(fmt::format("color={}", in_quotes(style.colour)));
    if (!style.tip.empty()) attributes.push_back(fmt::format("tooltip={}", in_quotes(style.tip)));
    if (!attributes.empty()) fmt::print(out, " [{}]", fmt::join(attributes, ", "));
    out << ";\n";
  }
  out << "}\n";
}

}  // namespace topology
