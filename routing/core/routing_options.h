#pragma once
// Holds the operator's parsed options for routing, the part of the configuration that engines read.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mad/ids.h"

namespace routing {

struct RoutingOptions;

/// A part of a fabric: switches, the links between them, and end ports.
struct FabricPart {
  struct SwitchPorts {
    mad::Guid sw;                          // NodeGUID
    std::vector<mad::PortNum> ports = {};  // of links that belong to the part; empty: all
    bool operator==(const SwitchPorts&) const = default;
  };
  std::vector<SwitchPorts> switches = {};
  std::vector<mad::Guid> end_ports = {};  // PortGUIDs of CAs and routers
  bool operator==(const FabricPart&) const = default;
};

struct ChainStep {
  std::uint64_t id = 0;
  std::string engine;                                  // of the registry
  std::shared_ptr<const FabricPart> part = {};         // null: the fabric
  std::uint64_t fallback_to = 0;                       // 0: it is no fallback
  std::shared_ptr<const RoutingOptions> options = {};  // null: those of the chain
  /// By value.
  bool operator==(const ChainStep& other) const;
};

struct SwitchPort {
  mad::Guid sw;  // NodeGUID
  mad::PortNum port;
  bool operator==(const SwitchPort&) const = default;
};

struct HopWeight {
  SwitchPort from;
  std::uint8_t weight = 1;  // of the direction out of this port; 0 counts as 1
  bool operator==(const HopWeight&) const = default;
};

struct PortOrder {
  mad::Guid sw;
  std::vector<mad::PortNum> ports;  // ports not listed follow in numerical order
  bool operator==(const PortOrder&) const = default;
};

/// A line of ids_guid_file: orders two nodes of equal rank.
struct NodeId {
  mad::Guid node;
  std::uint64_t id = 0;
  bool operator==(const NodeId&) const = default;
};

/// The content of torus-2QoS.conf. Dimensions x, y, z are 0, 1, 2.
struct TorusOptions {
  struct Dimension {
    unsigned radix = 0;  // 0: not configured
    bool wraps = true;   // false: a mesh in this dimension
    bool operator==(const Dimension&) const = default;
  };
  struct SeedLink {
    unsigned dimension = 0;
    bool plus = true;  // `to` is the neighbour of `from` in plus direction
    mad::Guid from, to;
    bool operator==(const SeedLink&) const = default;
  };
  struct Seed {  // tried in order, until all switches of one are present
    std::vector<SeedLink> links;
    std::array<int, 3> dateline{};
    bool operator==(const Seed&) const = default;
  };
  std::array<Dimension, 3> dimensions{};
  std::vector<Seed> seeds;
  std::vector<mad::PortNum>
      port_order;  // of hosts: the order in which their LIDs are distributed over parallel links;
                   // ports not listed follow in numerical order
  unsigned max_changes = 32;  // number of missing switches and links that notes name
  bool operator==(const TorusOptions&) const = default;
};

/// Holds recorded forwarding tables (lfts_file).
struct ForwardingFile {
  struct SwitchTable {
    mad::Guid sw;
    std::vector<std::uint8_t> out;  // by LID as in the file; kNoPort where the file has no entry
  };
  std::vector<SwitchTable> rows;
  std::vector<mad::Guid> owner_of_lid;  // PortGUID that had the LID then; 0: not in the file
};

/// Holds recorded hop counts (lid_matrix_dump_file).
struct HopFile {
  static constexpr std::uint8_t kNoPath = 0xFF;
  struct Destination {
    mad::Lid lid;
    mad::Guid port;                  // of the switch that had the LID then; 0: not in the file
    std::vector<std::uint8_t> hops;  // by output port, 0..N
  };
  struct SwitchHops {
    mad::Guid sw;
    std::vector<Destination> destinations;
  };
  std::vector<SwitchHops> rows;
};

/// Holds routing options; defaults are those of OpenSM. If an option names a switch or port that is
/// not in the fabric, a note reports it.
struct RoutingOptions {
  // These options balance load (minhop, updn, dnup, dor, file with hop counts only).
  std::vector<mad::Guid> guid_routing_order = {};  // PortGUIDs that are routed first, in this order
  std::vector<HopWeight> hop_weights = {};
  std::vector<PortOrder> port_search_ordering = {};  // the first list of a switch is used
  std::vector<SwitchPort> port_prof_ignore = {};     // ports whose load is not counted
  std::uint32_t scatter_ports = 0;  // seed of a random choice among equally loaded ports; 0: off
  bool guid_routing_order_no_scatter = false;  // not for the ports of guid_routing_order
  bool port_profile_switch_nodes = false;      // LIDs of switches count as load
  bool port_shifting = false;                  // the scan starts at the mean load of the candidates
  bool lowest_port_first = false;  // the lowest of equal ports on every switch, switches in
                                   // OpenSM's order: for comparing tables

  // These options set roots and roles of nodes (updn, dnup, ftree, dfsssp). A GUID is a NodeGUID or
  // a PortGUID; `roots` means switches, the other lists hosts.
  std::vector<mad::Guid> roots = {};
  std::vector<mad::Guid> compute_nodes =
      {};  // cn_guid_file; empty: all hosts that are not I/O nodes
  std::vector<mad::Guid> io_nodes = {};
  std::vector<NodeId> node_ids = {};  // the id of other nodes is their GUID
  bool connect_roots = false;
  unsigned max_reverse_hops = 0;
  bool quasi_ftree_indexing = false;

  // These options concern paths and VLs (sssp, dfsssp, lash, nue).
  bool avoid_throttled_links = false;  // links between switches that run below the capability of
                                       // both ends are not used (sssp, dfsssp, nue)
  unsigned vls_max =
      15;  // data VLs that may be used (max_op_vls); data_vls(): those that the fabric has
  bool spread_vls = false;        // VLs spread load also where one VL excludes credit loops
  bool do_mesh_analysis = false;  // lash
  unsigned lash_start_vl = 0;
  unsigned nue_max_num_vls = 1;  // 0: all data VLs
  bool nue_include_switches = false;

  TorusOptions torus = {};
  std::shared_ptr<const ForwardingFile> lfts = {};  // null: no file
  std::shared_ptr<const HopFile> hops = {};

  std::vector<ChainStep> chain_steps = {};  // by id (chain)

  std::uint64_t seed = 1;  // of all other random choices
  bool operator==(const RoutingOptions&) const =
      default;  // the files by address: a file read again counts as changed
};

inline bool ChainStep::operator==(const ChainStep& other) const {
  const auto same = [](const auto& a, const auto& b) { return a == b || (a && b && *a == *b); };
  return id == other.id && engine == other.engine && fallback_to == other.fallback_to &&
         same(part, other.part) && same(options, other.options);
}

}  // namespace routing
