#include <array>
#include <optional>
#include <set>
#include <unordered_map>

#include <yaml-cpp/yaml.h>

#include "config/yaml_position.h"
#include "fabric/topology/findings.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/read.h"
#include "mad/format.h"
#include "mad/number.h"

namespace topology {

namespace {

class YamlReader {
 public:
  YamlReader(TopologyFile& out, std::string file)
      : out_(out), findings_(out.findings), file_(std::move(file)) {}

  void read(const YAML::Node& root) {
    if (!root.IsMap()) {
      findings_.error(position(root), "this is not a topology",
                      "a map with the lists 'nodes' and 'links'");
      return;
    }
    if (!known_keys(root, {"nodes", "links"})) return;
    const YAML::Node nodes = root["nodes"], links = root["links"];
    if (!nodes || !nodes.IsSequence() || nodes.size() == 0) {
      findings_.error(position(nodes ? nodes : root), "there is no node in this file",
                      "nodes: [{name: S0, type: switch, guid: 0x1, ports: 36}]");
      return;
    }
    if (links && !links.IsSequence()) {
      findings_.error(position(links), "'links' is not a list",
                      "links: [{a: [S0, 1], b: [H0, 1]}]");
      return;
    }
    for (const YAML::Node& node : nodes) {
      if (findings_.full()) return;
      read_node(node);
    }
    if (!out_.ok()) return;  // links of invalid nodes would add findings
    if (links) {
      for (const YAML::Node& link : links) {
        if (findings_.full()) return;
        read_link(link);
      }
    }
    if (!out_.ok()) return;
    try {
      require_lid_space(out_.topology);
    } catch (const TopologyError& error) {
      findings_.error(position(root), error.what());
    }
  }

 private:
  Position position(const YAML::Node& node) const {
    const config::YamlPosition position = config::yaml_position(node.Mark());
    return {file_, position.line, position.column};
  }

  bool known_keys(const YAML::Node& map, std::initializer_list<std::string_view> keys) {
    bool good = true;
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        findings_.error(position(entry.first),
                        fmt::format("{} is not a key of this map", config::in_quotes(key)),
                        fmt::format("one of {}", fmt::join(keys, ", ")));
        good = false;
      } else if (!seen.insert(key).second) {
        findings_.error(position(entry.first), fmt::format("'{}' is here twice", key),
                        "once is enough");
        good = false;
      }
    }
    return good;
  }

  std::optional<std::uint64_t> number(const YAML::Node& node, std::string_view what,
                                      std::uint64_t min, std::uint64_t max) {
    const std::string text = node && node.IsScalar() ? node.Scalar() : "";
    const auto value = mad::parse_hex_or_decimal(text, max);
    if (value && *value >= min) return value;
    findings_.error(position(node), fmt::format("{}: {} is not a number from {} to {:#x}", what,
                                                config::in_quotes(text), min, max));
    return std::nullopt;
  }

  std::string text(const YAML::Node& map, const char* key) {
    const YAML::Node node = map[key];
    if (!node) return {};
    if (node.IsScalar()) return node.Scalar();
    findings_.error(position(node), fmt::format("'{}' is not a text", key));
    return {};
  }

  void read_node(const YAML::Node& map) {
    if (!map.IsMap()) {
      findings_.error(position(map), "a node is a map",
                      "{name: S0, type: switch, guid: 0x1, ports: 36}");
      return;
    }
    if (!known_keys(map, {"name", "type", "guid", "ports", "id", "system_guid", "port_guids",
                          "vendor_id", "device_id", "enhanced_port0"}))
      return;
    Node node;
    for (const char* key : {"name", "type", "guid", "ports"}) {
      if (map[key]) continue;
      findings_.error(position(map), fmt::format("the node has no '{}'", key),
                      "{name: S0, type: switch, guid: 0x1, ports: 36}");
      return;
    }
    node.name = text(map, "name");
    node.id = text(map, "id");
    if (node.key().empty())
      findings_.error(position(map["name"]), "the name is empty",
                      "every node needs a name of its own");
    const std::string type = text(map, "type");
    if (type == "ca" || type == "switch" || type == "router") {
      node.type = type == "ca"       ? NodeType::ca
                  : type == "switch" ? NodeType::switch_
                                     : NodeType::router;
    } else {
      findings_.error(position(map["type"]),
                      fmt::format("{} is no type of node", config::in_quotes(type)),
                      "ca, switch or router");
    }
    constexpr std::uint64_t kAny = ~std::uint64_t{0};
    if (const auto value = number(map["guid"], "guid", 1, kAny)) node.guid = mad::Guid{*value};
    if (const auto value = number(map["ports"], "ports", 0, mad::kPortNumMax))
      node.port_count = static_cast<unsigned>(*value);
    if (map["system_guid"]) {
      if (const auto value = number(map["system_guid"], "system_guid", 0, kAny))
        node.system_guid = mad::Guid{*value};
    }
    if (map["vendor_id"]) {
      if (const auto value = number(map["vendor_id"], "vendor_id", 0, 0xFFFFFF))
        node.vendor_id = static_cast<std::uint32_t>(*value);
    }
    if (map["device_id"]) {
      if (const auto value = number(map["device_id"], "device_id", 0, 0xFFFF))
        node.device_id = static_cast<std::uint16_t>(*value);
    }
    if (map["enhanced_port0"]) {
      const std::string value = text(map, "enhanced_port0");
      if (value != "true" && value != "false")
        findings_.error(position(map["enhanced_port0"]), "enhanced_port0 is true or false");
      node.enhanced_port0 = value == "true";
    }
    if (const YAML::Node guids = map["port_guids"]) {
      if (!guids.IsSequence() || guids.size() != node.port_count) {
        findings_.error(position(guids), "port_guids has not one GUID per port",
                        fmt::format("a list of {} GUIDs", node.port_count));
        return;
      }
      for (const YAML::Node& guid : guids) {
        if (const auto value = number(guid, "port GUID", 1, kAny))
          node.port_guids.push_back(mad::Guid{*value});
      }
      if (node.port_guids.size() != node.port_count) return;
    }
    identities_.add(node, position(map));
    index_.emplace(node.key(), out_.topology.nodes.size());
    used_.emplace_back();
    out_.topology.nodes.push_back(std::move(node));
  }

  std::optional<PortRef> read_end(const YAML::Node& map, const char* key) {
    const YAML::Node end = map[key];
    if (!end || !end.IsSequence() || end.size() != 2 || !end[0].IsScalar()) {
      findings_.error(position(end ? end : map),
                      fmt::format("end '{}' of the link is not a node and a port", key), "[S0, 1]");
      return std::nullopt;
    }
    const auto node = index_.find(end[0].Scalar());
    if (node == index_.end()) {
      findings_.error(position(end[0]),
                      fmt::format("there is no node {}", config::in_quotes(end[0].Scalar())),
                      "a name or id from 'nodes'");
      return std::nullopt;
    }
    const auto port = number(end[1], "port", 1, out_.topology.nodes[node->second].port_count);
    if (!port) return std::nullopt;
    const auto [line, fresh] =
        used_[node->second].emplace(static_cast<unsigned>(*port), position(end).line);
    if (!fresh) {
      findings_.error(position(end),
                      fmt::format("port {} of {} has a link in line {} already", *port,
                                  config::in_quotes(end[0].Scalar()), line->second),
                      "a port has one link");
      return std::nullopt;
    }
    return PortRef{node->second, {static_cast<std::uint8_t>(*port)}};
  }

  void read_link(const YAML::Node& map) {
    if (!map.IsMap()) {
      findings_.error(position(map), "a link is a map", "{a: [S0, 1], b: [H0, 1]}");
      return;
    }
    if (!known_keys(map, {"a", "b", "width", "speed"})) return;
    Link link;
    const auto a = read_end(map, "a"), b = read_end(map, "b");
    if (map["width"] && !parse_width(text(map, "width"), link.width))
      findings_.error(position(map["width"]), "this is no width", "1x, 2x, 4x, 8x or 12x");
    if (map["speed"] && !parse_speed(text(map, "speed"), link.speed)) {
      findings_.error(position(map["speed"]), "this is no speed",
                      "SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR");
    }
    if (!a || !b) return;
    link.a = *a;
    link.b = *b;
    if (!map["width"] || !map["speed"])
      out_.links_without_rate.push_back(out_.topology.links.size());
    out_.topology.links.push_back(link);
  }

  TopologyFile& out_;
  Findings findings_;
  std::string file_;
  IdentityCheck identities_{findings_};
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::unordered_map<unsigned, int>> used_;  // per node: port, and the line of its link
};

}  // namespace

TopologyFile read_yaml(const config::Source& source) {
  TopologyFile file;
  try {
    YamlReader(file, source.file).read(config::load_yaml(source.text));
  } catch (const YAML::Exception& error) {
    file.findings.push_back(config::not_yaml(source.file, error));
  }
  return file;
}

}  // namespace topology
