#pragma once
// A topology: nodes, and the links between their ports. It has no state, LIDs or behaviour.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mad/ids.h"

namespace topology {

enum class NodeType : std::uint8_t { ca, switch_, router };

struct Node {
  NodeType type = NodeType::ca;
  std::string name;  // NodeDescription; unique in what is generated, not always in what was read
                     // from a real fabric
  mad::Guid guid;
  unsigned port_count = 0;
  mad::Guid system_guid{};                 // SystemImageGUID; 0: the node's own
  std::vector<mad::Guid> port_guids = {};  // CA, router: entry p - 1 is port p; empty: guid + p.
                                           // Switch: unused, port 0 has the node's
  std::uint32_t vendor_id = 0x2c9;
  std::uint16_t device_id = 0;  // 0: the simulator's choice
  bool enhanced_port0 = false;  // switch only
  std::string id =
      {};  // the node's identifier in files (the text in quotes), unique; empty: its name

  const std::string& key() const { return id.empty() ? name : id; }
  /// Returns the GUID of a port; a switch has one GUID for all of its ports.
  mad::Guid port_guid(mad::PortNum port) const {
    if (type == NodeType::switch_) return guid;
    return port.value >= 1 && port.value <= port_guids.size() ? port_guids[port.value - 1u]
                                                              : mad::Guid{guid.value + port.value};
  }
  bool operator==(const Node&) const = default;
};

/// One end of a link: `node` indexes Topology::nodes.
struct PortRef {
  std::size_t node = 0;
  mad::PortNum port;
  bool operator==(const PortRef&) const = default;
};

/// The bits of PortInfo's LinkWidth components.
enum class LinkWidth : std::uint8_t { x1 = 1, x4 = 2, x8 = 4, x12 = 8, x2 = 16 };
enum class LinkSpeed : std::uint8_t { sdr, ddr, qdr, fdr10, fdr, edr, hdr, ndr, xdr };

struct Link {
  PortRef a, b;
  LinkWidth width = LinkWidth::x4;
  LinkSpeed speed = LinkSpeed::qdr;
  bool operator==(const Link&) const = default;
};

struct Topology {
  std::vector<Node> nodes;  // generated ones: CAs first, as ibsim attaches a client to the first
                            // node by default
  std::vector<Link> links;

  std::size_t count(NodeType type) const;
  /// Returns the index of the node with this id or, failing that, this name; throws TopologyError
  /// if there is none.
  std::size_t find(std::string_view id_or_name) const;
  bool operator==(const Topology&) const = default;
};

/// Reports invalid parameters (a switch would need more than 254 ports, hosts do not divide evenly,
/// ...); what() gives the reason.
class TopologyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns "4x", "QDR", as ibnetdiscover prints them.
std::string_view text_of(LinkWidth width);
std::string_view text_of(LinkSpeed speed);
std::string_view text_of(NodeType type);  // "ca", "switch", "router"

/// Parses what text_of() returns, ignoring case; false if the text is no such value.
bool parse_width(std::string_view text, LinkWidth& width);
bool parse_speed(std::string_view text, LinkSpeed& speed);

}  // namespace topology
