#include "fabric/find_port.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/ranges.h>

#include "config/nearest.h"
#include "mad/format.h"
#include "mad/number.h"

namespace fabric {

namespace {

constexpr std::size_t kExamplesMax = 5;

mad::Lid base_lid(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  const EndPortIndex end_port(std::ranges::find(fabric.end_ports, port) - fabric.end_ports.begin());
  return lids.of_end_port.has(end_port) ? lids.of_end_port[end_port].base : mad::Lid{};
}

std::string_view first_word(std::string_view name) { return name.substr(0, name.find(' ')); }

bool is_equal_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// Returns the nodes with the best match that any has: the description, its first word, then both
/// in any case.
std::vector<NodeIndex> nodes_called(const Fabric& fabric, std::string_view text) {
  std::array<std::vector<NodeIndex>, 4> matches;
  for (const NodeIndex node : fabric.nodes.indices()) {
    const std::string name = fabric.description(node);
    const std::string_view word = first_word(name);
    if (name == text) matches[0].push_back(node);
    if (word == text) matches[1].push_back(node);
    if (is_equal_in_any_case(name, text)) matches[2].push_back(node);
    if (is_equal_in_any_case(word, text)) matches[3].push_back(node);
  }
  const auto best = std::ranges::find_if(matches, [](const auto& of) { return !of.empty(); });
  return best == matches.end() ? std::vector<NodeIndex>() : std::move(*best);
}

/// Returns the description, or the first word of one, that is most like the text; "" if no name is
/// like it.
std::string nearest_name(const Fabric& fabric, std::string_view text) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    // A name that is much longer or shorter is not a misspelling; the rest bounds the time.
    const std::size_t longer = std::max(name.size(), text.size());
    const std::size_t shorter = std::min(name.size(), text.size());
    if (longer - shorter <= longer / 3) names.emplace_back(name);
  };
  for (const NodeIndex node : fabric.nodes.indices()) {
    const std::string name = fabric.description(node);
    add(first_word(name));
    if (first_word(name).size() != name.size()) add(name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return std::string(config::nearest(text, candidates).value_or(""));
}

/// Finds the node's end port: the port with this number, or the only port with a cable.
tl::expected<PortIndex, std::string> find_end_port(const Fabric& fabric, NodeIndex index,
                                                   std::optional<unsigned> number) {
  const Node& node = fabric.nodes[index];
  if (node.is_switch()) return node.first_port;
  std::vector<PortIndex> ports;
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port) {
    if (number ? fabric.ports[port].number.value == *number
               : std::ranges::binary_search(fabric.end_ports, port))
      ports.push_back(port);
  }
  if (ports.empty() && number)
    return tl::unexpected(fmt::format("{} has no port {}", fabric.name(index), *number));
  if (ports.empty() && unread_ports(fabric, index).empty())
    return tl::unexpected(fmt::format("no cable leads to {}", fabric.name(index)));
  if (ports.empty())
    return tl::unexpected(fmt::format(
        "{} does not answer subnet management packets: a cable leads to it, and its ports cannot "
        "be read",
        fabric.name(index)));
  if (ports.size() > 1) {
    const std::string name = fabric.description(index);
    return tl::unexpected(
        fmt::format("{} has {} ports with cables; say which: \"{}:{}\", for example",
                    fabric.name(index), ports.size(), name, fabric.ports[ports[0]].number.value));
  }
  return ports[0];
}

}  // namespace

std::vector<PortIndex> unread_ports(const Fabric& fabric, NodeIndex index) {
  const Node& node = fabric.nodes[index];
  std::vector<PortIndex> ports;
  if (node.is_switch()) return ports;
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port)
    if (fabric.ports[port].peer != kNoIndex && !fabric.ports[port].known) ports.push_back(port);
  return ports;
}

tl::expected<NamedNode, std::string> find_node(const Fabric& fabric, const LidMap& lids,
                                               std::string_view text) {
  // A description may contain colons: the text behind the last colon is a port only if no node has
  // the whole text as its name.
  std::string_view name = text;
  NamedNode named;
  if (const std::size_t colon = text.rfind(':');
      colon != std::string_view::npos && nodes_called(fabric, text).empty()) {
    if (const auto port = mad::parse_hex_or_decimal(text.substr(colon + 1));
        port && *port <= mad::kPortNumMax) {
      name = text.substr(0, colon);
      named.number = static_cast<unsigned>(*port);
    }
  }
  const auto value = mad::parse_hex_or_decimal(name);
  if (value && *value <= mad::kUnicastLidMax.value) {
    named.lid = mad::Lid{static_cast<std::uint16_t>(*value)};
    named.end_port = lids.owner(named.lid);
    if (named.end_port == kNoIndex)
      return tl::unexpected(
          fmt::format("no port has LID {}; the highest in use is {}", *value, lids.lid_top.value));
    named.node = fabric.ports[named.end_port].node;
    return named;
  }
  if (value && name.starts_with("0x")) {
    const mad::Guid guid{*value};
    const auto node = fabric.node_of_guid.find(guid);
    if (const auto port = fabric.port_of_guid.find(guid); port != fabric.port_of_guid.end()) {
      named.end_port = port->second;
      named.node = fabric.ports[port->second].node;
    } else if (node != fabric.node_of_guid.end()) {
      named.node = node->second;
    } else {
      return tl::unexpected(fmt::format("no node and no port has GUID {}", guid));
    }
    return named;
  }
  const std::vector<NodeIndex> called = nodes_called(fabric, name);
  if (called.empty()) {
    const std::string meant = nearest_name(fabric, name);
    return tl::unexpected(
        fmt::format("nothing here is called \"{}\"{}; a LID, a GUID, or a NodeDescription would do",
                    name, meant.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", meant)));
  }
  if (called.size() > 1) {
    std::vector<std::string> examples;
    for (std::size_t i = 0; i < std::min(called.size(), kExamplesMax); ++i)
      examples.push_back(fabric.name(called[i]));
    return tl::unexpected(fmt::format("{} nodes are called \"{}\": {}; say one by its GUID",
                                      called.size(), name, fmt::join(examples, ", ")));
  }
  named.node = called[0];
  return named;
}

tl::expected<NamedPort, std::string> find_port(const Fabric& fabric, const LidMap& lids,
                                               std::string_view text) {
  auto named = find_node(fabric, lids, text);
  if (!named) return tl::unexpected(std::move(named.error()));
  const auto with_lid = [&](PortIndex port) {
    return NamedPort{port, named->lid.value != 0 ? named->lid : base_lid(fabric, lids, port)};
  };
  if (named->end_port != kNoIndex && !named->number) return with_lid(named->end_port);
  named->lid = {};  // of the named port, which may be another one
  return find_end_port(fabric, named->node, named->number).map(with_lid);
}

}  // namespace fabric
