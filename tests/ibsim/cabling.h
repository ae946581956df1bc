#pragma once
// Nodes and links, read from the text form that ibnetdiscover prints and ibsim reads. Independent
// of Heddle's code.

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace harness {

struct PortId {
  std::uint64_t node_guid = 0;
  unsigned port = 0;
  auto operator<=>(const PortId&) const = default;
  std::string text() const;
};

/// The smaller end first.
struct Cable {
  PortId a, b;
  auto operator<=>(const Cable&) const = default;
  std::string text() const { return a.text() + " - " + b.text(); }
};

struct CabledNode {
  bool is_switch = false;
  std::string id;    // name in quotes: ibsim's node id, or ibnetdiscover's H-<guid>
  std::string name;  // NodeDescription
  unsigned ports = 0;
};

/// LIDs of a CA port, or of a switch (port 0).
struct EndPort {
  unsigned lid = 0, lmc = 0;
  std::uint64_t port_guid = 0;
};

struct Cabling {
  std::map<std::uint64_t, CabledNode> nodes;
  std::set<Cable> cables;
  std::map<PortId, EndPort> end_ports;  // filled only from ibnetdiscover's output
  std::string first_id;                 // first node of the text: where ibsim attaches by default

  std::uint64_t find_guid(std::string_view id) const;  // throws std::out_of_range
  /// The part that can be reached from this node.
  Cabling reachable_from(std::uint64_t node_guid) const;
};

Cabling parse_cabling(std::string_view text);

}  // namespace harness
