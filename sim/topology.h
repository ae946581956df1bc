#pragma once
// Cabling plans: which nodes exist and which ports a cable joins. Used as input for ibsim and for Heddle's own simulator.

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mad/ids.h"

namespace sim {

enum class NodeType : std::uint8_t { ca, switch_ };

struct Node {
  NodeType type = NodeType::ca;
  std::string name;  // unique; also the NodeDescription
  mad::Guid guid;    // node GUID; port p of a CA has guid + p, so GUIDs of neighbouring CAs must leave room
  unsigned port_count = 0;
};

/// One end of a cable: `node` indexes Topology::nodes.
struct PortRef {
  std::size_t node = 0;
  mad::PortNum port;
  bool operator==(const PortRef&) const = default;
};

struct Link {
  PortRef a, b;
};

struct Topology {
  std::vector<Node> nodes;  // CAs first: ibsim attaches a client to the first node unless told otherwise
  std::vector<Link> links;

  std::size_t count(NodeType type) const;
  /// Index of the node called `name`; throws TopologyError if there is none.
  std::size_t find(const std::string& name) const;
};

/// The parameters cannot be built (a switch would need more than 254 ports, hosts do not divide evenly, ...); says why.
class TopologyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Two CAs and one cable, no switch.
Topology back_to_back();

struct RowParams {
  unsigned switches = 2;
  unsigned cables = 1;  // parallel cables between neighbours
  unsigned hosts_per_switch = 2;
  unsigned ports_per_host = 1;  // 2: the second port goes to the next switch (round the corner for the last one)
};
/// Switches in a row, each with its hosts.
Topology row(const RowParams& params);

/// Extended generalised fat tree with parallel cables (PGFT). Index 0 is the host level.
/// children[i]: how many nodes of level i hang below one switch of level i+1;
/// parents[i]:  how many switches of level i+1 stand above one node of level i;
/// cables[i]:   parallel cables of each such pair (empty: 1 everywhere).
struct XgftParams {
  std::vector<unsigned> children, parents, cables;
};
Topology xgft(const XgftParams& params);

struct FatTreeParams {
  unsigned hosts = 324;
  unsigned radix = 36;  // ports of every switch
  unsigned levels = 0;  // 0: as few as the hosts need
};
/// Non-blocking fat tree of equal switches: radix/2 ports down and radix/2 up, top switches all down. Fewer hosts than the full
/// tree has means fewer pods under the top, with parallel cables up to fewer top switches.
XgftParams fat_tree_params(const FatTreeParams& params);
inline Topology fat_tree(const FatTreeParams& params) { return xgft(fat_tree_params(params)); }

struct TorusParams {
  std::vector<unsigned> dimensions{3, 3, 3};
  unsigned hosts_per_switch = 1;
};
/// Torus of switches. A dimension of 2 has one cable, not two; a dimension of 1 none.
Topology torus(const TorusParams& params);

struct RandomParams {
  unsigned switches = 20;
  unsigned hosts = 40;
  unsigned extra_links = 20;  // beyond the spanning tree; parallel cables may occur
  std::uint64_t seed = 1;
};
/// Connected random graph of switches, hosts dealt out in turn. The same seed gives the same graph on every platform.
Topology random_graph(const RandomParams& params);

/// Writes the text form that ibnetdiscover prints and `ibsim -s FILE` reads. Every node states its GUID.
void write_ibsim(const Topology& topology, std::ostream& out);

}  // namespace sim
