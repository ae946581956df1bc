#include <fmt/ostream.h>
#include <yaml-cpp/yaml.h>

#include "fabric/topology/write.h"
#include "mad/format.h"

namespace topology {

namespace {

// Returns a name as a YAML string, with escapes.
std::string scalar(const std::string& text) {
  YAML::Emitter emitter;
  emitter << YAML::DoubleQuoted << text;
  return emitter.c_str();
}

}  // namespace

void write_yaml(const Topology& topology, std::ostream& out) {
  out << "# A topology: heddle-topo --read FILE.yaml. Links connect [node, port] and [node, "
         "port].\nnodes:\n";
  std::vector<std::string> keys;
  for (const Node& node : topology.nodes) {
    keys.push_back(scalar(node.key()));
    fmt::print(out, "  - {{name: {}, type: {}, guid: {}, ports: {}", scalar(node.name),
               text_of(node.type), node.guid, node.port_count);
    if (!node.id.empty()) fmt::print(out, ", id: {}", scalar(node.id));
    if (node.system_guid.value != 0) fmt::print(out, ", system_guid: {}", node.system_guid);
    if (!node.port_guids.empty())
      fmt::print(out, ", port_guids: [{}]", fmt::join(node.port_guids, ", "));
    if (node.vendor_id != Node{}.vendor_id) fmt::print(out, ", vendor_id: {:#x}", node.vendor_id);
    if (node.device_id != 0) fmt::print(out, ", device_id: {:#x}", node.device_id);
    if (node.enhanced_port0) out << ", enhanced_port0: true";
    out << "}\n";
  }
  out << (topology.links.empty() ? "links: []\n" : "links:\n");
  for (const Link& link : topology.links) {
    fmt::print(out, "  - {{a: [{}, {}], b: [{}, {}]", keys[link.a.node], link.a.port,
               keys[link.b.node], link.b.port);
    if (link.width != Link{}.width) fmt::print(out, ", width: {}", text_of(link.width));
    if (link.speed != Link{}.speed) fmt::print(out, ", speed: {}", text_of(link.speed));
    out << "}\n";
  }
}

}  // namespace topology
