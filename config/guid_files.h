#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/options.h"

namespace config {

struct NodeId {
  std::uint64_t guid;
  std::uint64_t id;
  bool operator==(const NodeId&) const = default;
};
struct HopWeight {
  std::uint64_t switch_guid;
  std::uint8_t port;
  std::uint8_t weight;  // 1..255, instead of one hop
  bool operator==(const HopWeight&) const = default;
};
struct PortOrder {
  std::uint64_t switch_guid;
  std::vector<std::uint8_t> ports;  // searched first, in this order
  bool operator==(const PortOrder&) const = default;
};
struct IgnoredPort {
  std::uint64_t switch_guid;
  std::uint8_t port;
  bool operator==(const IgnoredPort&) const = default;
};
struct NodeName {
  std::uint64_t node_guid;
  std::string name;
  bool operator==(const NodeName&) const = default;
};
/// Holds the router to another subnet.
struct PrefixRoute {
  std::optional<std::uint64_t> prefix;       // of the far subnet's GIDs; nothing: any
  std::optional<std::uint64_t> router_guid;  // port GUID; nothing: the first router of the fabric
  bool operator==(const PrefixRoute&) const = default;
};

/// A GUID that begins a line of a file.
struct GuidLine {
  std::uint64_t guid = 0;
  int line = 0;  // counts from 1
};
/// Holds the GUIDs of files that name nodes or ports, in file order, by the key of the option, for
/// messages. All are equal: what is read decides whether two configurations are the same one.
struct GuidLines {
  std::map<std::string, std::vector<GuidLine>, std::less<>> files = {};
  bool operator==(const GuidLines&) const { return true; }
};
/// Returns the GUIDs that begin lines; others are left out.
std::vector<GuidLine> find_guid_lines(std::string_view text);

/// These functions read files that name nodes by GUID. Each returns the valid lines in file order,
/// and reports the others to `out`. Shape: one entry per line, numbers as in opensm.conf, `#`
/// starts a comment. Errors: a malformed line is an error; a line that OpenSM skips (a duplicate
/// GUID, text after the entry) is a warning and skipped.
GuidList parse_guid_list(const Source& source,
                         Diagnostics& out);  // root, cn, io and guid_routing_order files: `guid`
std::vector<NodeId> parse_node_ids(const Source& source,
                                   Diagnostics& out);  // ids_guid_file: `guid id`
std::vector<HopWeight> parse_hop_weights(const Source& source,
                                         Diagnostics& out);  // hop_weights_file: `guid port weight`
std::vector<PortOrder> parse_port_orders(
    const Source& source, Diagnostics& out);  // port_search_ordering_file: `guid port port...`
std::vector<IgnoredPort> parse_ignored_ports(
    const Source& source, Diagnostics& out);  // port_prof_ignore_file: `guid port`
std::vector<NodeName> parse_node_names(const Source& source,
                                       Diagnostics& out);  // node_name_map_name: `guid "name"`
std::vector<PrefixRoute> parse_prefix_routes(
    const Source& source,
    Diagnostics& out);  // prefix_routes_file: `prefix guid`, hexadecimal, or `*` for any

}  // namespace config
