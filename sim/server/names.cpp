#include "sim/server/names.h"

#include <algorithm>

#include "mad/format.h"
#include "mad/number.h"
#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim::server {

Names::Names(const Topology& topology, const Model& model) : model_(model) {
  ids_.reserve(topology.nodes.size());
  by_id_.reserve(topology.nodes.size());
  for (const Node& node : topology.nodes) {
    by_id_.emplace(node.key(), NodeIndex(ids_.size()));
    ids_.push_back(node.key());
  }
}

std::optional<NodeIndex> Names::node(std::string_view text) const {
  if (const auto found = by_id_.find(std::string(text)); found != by_id_.end())
    return found->second;
  const auto described = std::ranges::find(model_.nodes, text, &NodeModel::description);
  if (described != model_.nodes.end()) return NodeIndex(described - model_.nodes.begin());
  const auto guid = text.starts_with("0x") ? mad::parse_guid(text) : std::nullopt;
  if (!guid) return std::nullopt;
  const auto with_guid = std::ranges::find(
      model_.nodes, *guid, [](const NodeModel& node) { return node.info.node_guid(); });
  if (with_guid != model_.nodes.end()) return NodeIndex(with_guid - model_.nodes.begin());
  const PortIndex port = model_.find_port_guid(*guid);
  if (port == kNone) return std::nullopt;
  return model_.ports[port].node;
}

const std::string& Names::id(NodeIndex node) const {
  return node < ids_.size() ? ids_[node] : model_.nodes[node].description;
}

std::string Names::port(PortIndex port) const {
  return fmt::format("\"{}\"[{}]", id(model_.ports[port].node), model_.ports[port].number);
}

std::optional<PortIndex> Names::end_port(NodeIndex node) const {
  const PortIndex port = model_.port(node, model_.nodes[node].is_switch() ? 0 : 1);
  if (port == kNone) return std::nullopt;
  return port;
}

std::optional<PortIndex> Names::end_port(std::string_view text) const {
  if (model_.nodes.empty()) return std::nullopt;
  if (text.empty()) {
    const auto ca = std::ranges::find(model_.nodes, mad::NodeType::ca,
                                      [](const NodeModel& node) { return node.info.node_type(); });
    return end_port(ca == model_.nodes.end() ? NodeIndex{0} : NodeIndex(ca - model_.nodes.begin()));
  }
  if (text.starts_with("0x")) {
    if (const auto guid = mad::parse_hex_or_decimal(text)) {
      if (const PortIndex port = model_.find_port_guid({*guid}); port != kNone) return port;
    }
  }
  if (const auto whole = node(text)) return end_port(*whole);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto of = node(text.substr(0, colon));
  const auto number = mad::parse_hex_or_decimal(text.substr(colon + 1), 254);
  if (!of || !number) return std::nullopt;
  const PortIndex port = model_.port(*of, static_cast<unsigned>(*number));
  if (port == kNone) return std::nullopt;
  return model_.management_port(port);
}

std::optional<Names::Place> Names::place(std::string_view text) const {
  if (const auto port = end_port(text)) return Place{.port = *port};
  const std::size_t mark = text.rfind('#');
  if (mark == std::string_view::npos) return std::nullopt;
  const auto port = end_port(text.substr(0, mark));
  const auto index = mad::parse_hex_or_decimal(text.substr(mark + 1), 0xFFFF);
  if (!port || !index) return std::nullopt;
  const auto vport = static_cast<std::uint16_t>(*index);
  if (vport != 0 && !find_vport(model_.ports[*port], vport)) return std::nullopt;
  return Place{*port, vport};
}

}  // namespace sim::server
