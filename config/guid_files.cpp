#include "config/guid_files.h"

#include <fmt/format.h>

#include <set>

#include "config/file_reader.h"
#include "config/words.h"

namespace config {
namespace {

constexpr Limits kWeight{1, 255}, kId{0, ~std::uint64_t{0}};

/// Runs `read_line(words)` on each line; keeps the result if the line is valid and its `identity`
/// is new.
template <class Entry>
std::vector<Entry> parse_lines(const Source& source, Diagnostics& out, auto read_line,
                               auto identity) {
  std::vector<Entry> entries;
  std::set<decltype(identity(std::declval<Entry>()))> seen;
  for (const Line& line : content_lines(source.text)) {
    Words words(line, source.file, out);
    Entry entry = read_line(words);
    words.expect_end();
    if (!words.ok()) continue;
    if (!seen.insert(identity(entry)).second) {
      words.warn(line.text,
                 fmt::format("{} was listed before; the first one is used", in_quotes(line.text)));
    } else {
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

std::uint8_t port_of(Words& words) {
  return static_cast<std::uint8_t>(words.number("port number", kPortLimits));
}

}  // namespace

std::vector<GuidLine> find_guid_lines(std::string_view text) {
  std::vector<GuidLine> found;
  for (const Line& line : content_lines(text)) {
    const auto guid = parse_number(line.text.substr(0, line.text.find_first_of(" \t")));
    if (guid && *guid != 0) found.push_back({.guid = *guid, .line = line.number});
  }
  return found;
}

GuidList parse_guid_list(const Source& source, Diagnostics& out) {
  return parse_lines<std::uint64_t>(
      source, out, [](Words& words) { return words.number("GUID", kGuidLimits); },
      [](std::uint64_t guid) { return guid; });
}

std::vector<NodeId> parse_node_ids(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::uint64_t guid = words.number("GUID", kGuidLimits);
    return NodeId{guid, words.number("node id", kId)};
  };
  return parse_lines<NodeId>(source, out, read_line, [](const NodeId& node) { return node.guid; });
}

std::vector<HopWeight> parse_hop_weights(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::uint64_t guid = words.number("GUID", kGuidLimits);
    const std::uint8_t port = port_of(words);
    return HopWeight{guid, port, static_cast<std::uint8_t>(words.number("weight", kWeight))};
  };
  return parse_lines<HopWeight>(source, out, read_line, [](const HopWeight& hop) {
    return std::pair(hop.switch_guid, hop.port);
  });
}

std::vector<PortOrder> parse_port_orders(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    PortOrder order{words.number("GUID", kGuidLimits), {}};
    do order.ports.push_back(port_of(words));
    while (words.ok() && !words.at_end());
    return order;
  };
  return parse_lines<PortOrder>(source, out, read_line,
                                [](const PortOrder& order) { return order.switch_guid; });
}

std::vector<IgnoredPort> parse_ignored_ports(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::uint64_t guid = words.number("GUID", kGuidLimits);
    return IgnoredPort{guid, port_of(words)};
  };
  return parse_lines<IgnoredPort>(source, out, read_line, [](const IgnoredPort& port) {
    return std::pair(port.switch_guid, port.port);
  });
}

std::vector<NodeName> parse_node_names(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::uint64_t guid = words.number("GUID", kGuidLimits);
    return NodeName{guid, words.quoted("name")};
  };
  return parse_lines<NodeName>(source, out, read_line,
                               [](const NodeName& node) { return node.node_guid; });
}

std::vector<PrefixRoute> parse_prefix_routes(const Source& source, Diagnostics& out) {
  const auto read_line = [](Words& words) {
    const std::optional<std::uint64_t> prefix = words.hexadecimal_or_any("GID prefix");
    return PrefixRoute{prefix, words.hexadecimal_or_any("GUID")};
  };
  return parse_lines<PrefixRoute>(source, out, read_line,
                                  [](const PrefixRoute& route) { return route.prefix; });
}

}  // namespace config
