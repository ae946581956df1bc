#include "sm/ctl/named_fabric.h"

#include <array>
#include <string>

#include "mad/format.h"
#include "mad/number.h"

namespace sm::ctl {

namespace {

using Row = nlohmann::ordered_json;

mad::Guid guid_in(const Row& row, const char* name) {
  return mad::parse_guid(row.value(name, "")).value_or(mad::Guid{});
}

mad::NodeType type_in(const Row& row) {
  const std::string text = row.value("node_type", "");
  for (const mad::NodeType type : std::array{mad::NodeType::switch_, mad::NodeType::router})
    if (text == mad::name(type)) return type;
  return mad::NodeType::ca;
}

}  // namespace

Fabric named_fabric(const Row& nodes) {
  Fabric fabric;
  for (const Row& row : nodes) {
    const mad::Guid guid = guid_in(row, "node_guid");
    if (guid == mad::Guid{} || !row.contains("ports")) continue;
    const NodeIndex index = fabric.nodes.next_index();
    Node& node = fabric.nodes.emplace_back();
    node.guid = guid;
    node.type = type_in(row);
    node.description.set_text(row.value("description", ""));
    node.first_port = fabric.ports.next_index();
    const std::size_t first = fabric.ports.size();
    for (const Row& of : row.at("ports")) {
      const PortIndex at = fabric.ports.next_index();
      Port& port = fabric.ports.emplace_back();
      port.node = index;
      port.number = mad::PortNum{of.value("port", std::uint8_t{0})};
      port.guid = guid_in(of, "port_guid");
      port.known = true;
      fabric.port_of_guid.emplace(port.guid, at);
    }
    // Port 0 of a switch is its only end port, and is not counted.
    const std::size_t ports = fabric.ports.size() - first;
    if (node.is_switch() && ports == 0) fabric.ports.emplace_back().node = index;
    node.num_ports = node.is_switch() ? std::uint8_t{0} : static_cast<std::uint8_t>(ports);
    fabric.node_of_guid.emplace(guid, index);
  }
  return fabric;
}

}  // namespace sm::ctl
