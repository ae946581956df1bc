#pragma once
// Wishes of the operator about routing, already parsed: what engines may read of the configuration.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "mad/ids.h"

namespace routing {

struct SwitchPort {
  mad::Guid sw;  // node GUID
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

/// A line of ids_guid_file: which of two nodes of equal rank is higher.
struct NodeId {
  mad::Guid node;
  std::uint64_t id = 0;
  bool operator==(const NodeId&) const = default;
};

/// torus-2QoS.conf. Dimensions x, y, z are 0, 1, 2.
struct TorusOptions {
  struct Dimension {
    unsigned radix = 0;  // 0: no configuration was given
    bool wraps = true;   // false: a mesh in this dimension
    bool operator==(const Dimension&) const = default;
  };
  struct SeedLink {
    unsigned dimension = 0;
    bool plus = true;  // `to` is in plus direction of `from`
    mad::Guid from, to;
    bool operator==(const SeedLink&) const = default;
  };
  struct Seed {  // tried in turn, until all switches of one are there
    std::vector<SeedLink> links;
    std::array<int, 3> dateline{};
    bool operator==(const Seed&) const = default;
  };
  std::array<Dimension, 3> dimensions{};
  std::vector<Seed> seeds;
  std::vector<mad::PortNum> port_order;  // of hosts, where their LIDs are dealt out to parallel
                                         // cables; ports not listed follow in numerical order
  unsigned max_changes = 32;             // losses that notes name
  bool operator==(const TorusOptions&) const = default;
};

/// Tables that somebody wrote down (lfts_file).
struct ForwardingFile {
  struct Row {
    mad::Guid sw;
    std::vector<std::uint8_t> out;  // by LID as in the file; kNoPort where nothing is said
  };
  std::vector<Row> rows;
  std::vector<mad::Guid>
      owner_of_lid;  // port GUID that had the LID then; 0 where the file does not tell
};

/// Hop counts that somebody wrote down (lid_matrix_dump_file).
struct HopFile {
  static constexpr std::uint8_t kNoPath = 0xFF;
  struct Destination {
    mad::Lid lid;
    mad::Guid port;                  // of the switch that had the LID then; 0: not told
    std::vector<std::uint8_t> hops;  // by output port, 0..N
  };
  struct Row {
    mad::Guid sw;
    std::vector<Destination> destinations;
  };
  std::vector<Row> rows;
};

/// Names of switches and ports that the fabric does not have are no error: a note tells. Defaults
/// are OpenSM's.
struct RoutingOptions {
  // How ports share the load (minhop, updn, dnup, dor, file with hop counts only).
  std::vector<mad::Guid> guid_routing_order =
      {};  // port GUIDs that are routed first, in this order
  std::vector<HopWeight> hop_weights = {};
  std::vector<PortOrder> port_search_ordering = {};  // the first list of a switch counts
  std::vector<SwitchPort> port_prof_ignore = {};     // ports whose load is not counted
  std::uint32_t scatter_ports = 0;  // seed of a random choice among equally loaded ports; 0: off
  bool guid_routing_order_no_scatter = false;  // not for the ports of guid_routing_order
  bool port_profile_switch_nodes = false;      // LIDs of switches count as load
  bool port_shifting = false;      // the scan starts further on by the mean load of the candidates
  bool lowest_port_first = false;  // ties go to the lowest port on every switch, and switches come
                                   // in OpenSM's order: for comparing tables

  // Where the top is, and who is who (updn, dnup, ftree, dfsssp). A GUID is of a node or of one of
  // its ports; a host's stands for its switch in `roots`.
  std::vector<mad::Guid> roots = {};
  std::vector<mad::Guid> compute_nodes =
      {};  // cn_guid_file; empty: all hosts that are no I/O nodes
  std::vector<mad::Guid> io_nodes = {};
  std::vector<NodeId> node_ids = {};  // others have their GUID as id
  bool connect_roots = false;
  unsigned max_reverse_hops = 0;
  bool quasi_ftree_indexing = false;

  // Ways and lanes (sssp, dfsssp, lash, nue).
  bool avoid_throttled_links = false;  // cables between switches that run below what both ends can
                                       // do count as absent (sssp, dfsssp, nue)
  unsigned vls_max =
      15;  // data VLs that may be used (max_op_vls); data_vls() says how many the fabric has
  bool do_mesh_analysis = false;  // lash
  unsigned lash_start_vl = 0;
  unsigned nue_max_num_vls = 1;  // 0: as many as there are
  bool nue_include_switches = false;

  TorusOptions torus = {};
  std::shared_ptr<const ForwardingFile> lfts = {};  // none: no file
  std::shared_ptr<const HopFile> hops = {};

  std::uint64_t seed = 1;  // of all other random choices
  bool operator==(const RoutingOptions&) const =
      default;  // files that were read anew count as changed
};

}  // namespace routing
