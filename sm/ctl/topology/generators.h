#pragma once
// Each function generates a family of fabrics. Equal parameters give an equal topology on every
// platform. All throw TopologyError, with the reason, for parameters that cannot be built: more
// than 254 ports on a switch, more than 49,151 LIDs in a subnet, contradictory numbers.
//
// Hosts are named H0, H1, ...; switches S..., in groups G<group>-S<number>. Hosts come first; the
// first ports of switches are host ports.

#include <cstdint>
#include <vector>

#include "fabric/topology/topology_model.h"

namespace topology {

/// Connects two CAs by one link, without a switch.
Topology back_to_back();

struct RowParams {
  unsigned switches = 2;
  unsigned cables = 1;  // parallel links between neighbours
  unsigned hosts_per_switch = 2;
  unsigned ports_per_host =
      1;  // 2: the second port is attached to the next switch (of the last one: to the first)
};
/// Connects switches in a row; each has its hosts.
Topology row(const RowParams& params);

/// Extended generalised fat tree with parallel links (PGFT). Index 0 is the host level.
/// children[i]: number of nodes of level i below one switch of level i+1;
/// parents[i]:  number of switches of level i+1 above one node of level i;
/// cables[i]:   parallel links of each such pair (empty: 1 everywhere).
/// Source: Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real
/// life fat trees, 2010 (PGFT).
struct XgftParams {
  std::vector<unsigned> children, parents, cables;
};
Topology xgft(const XgftParams& params);

struct FatTreeParams {
  unsigned hosts = 324;
  unsigned radix = 36;  // ports of every switch
  unsigned levels = 0;  // 0: as few as the hosts need
};
/// Returns a non-blocking fat tree of equal switches: radix/2 ports lead down and radix/2 up; all
/// ports of top switches lead down. With fewer hosts than the full tree has, fewer pods have
/// parallel links to fewer top switches.
XgftParams fat_tree_params(const FatTreeParams& params);
inline Topology fat_tree(const FatTreeParams& params) { return xgft(fat_tree_params(params)); }

struct TorusParams {
  std::vector<unsigned> dimensions{3, 3, 3};
  unsigned hosts_per_switch = 1;
};
/// Builds a torus of switches with any number of dimensions. A dimension of 2 has one link, not
/// two; a dimension of 1 has none.
Topology torus(const TorusParams& params);
/// Builds a mesh: a torus without the links that close the rings.
Topology mesh(const TorusParams& params);

struct HypercubeParams {
  unsigned dimensions = 4;
  unsigned hosts_per_switch = 1;
};
/// Connects 2^dimensions switches, each with one link per dimension.
Topology hypercube(const HypercubeParams& params);

struct DragonflyParams {
  unsigned switches_per_group = 4;  // a: all connected to each other
  unsigned global_cables = 2;       // h: per switch, to other groups
  unsigned hosts_per_switch = 2;    // p
  unsigned groups = 0;              // g; 0: a * h + 1, the maximum
};
/// Connects every two groups by floor(a * h / (g - 1)) links; any two switches are at most three
/// links apart.
Topology dragonfly(const DragonflyParams& params);

struct DragonflyPlusParams {
  unsigned leaves_per_group = 4;  // each connected to every spine of its group
  unsigned spines_per_group = 4;
  unsigned global_cables = 2;  // per spine, to spines of other groups
  unsigned hosts_per_leaf = 4;
  unsigned groups = 0;  // 0: spines * global_cables + 1
};
/// Connects groups that are leaf-spine networks; any two leaves are at most three links apart.
Topology dragonfly_plus(const DragonflyPlusParams& params);

struct SlimFlyParams {
  unsigned q = 5;                 // a prime power 4w - 1, 4w or 4w + 1: 2 * q^2 switches
  unsigned hosts_per_switch = 0;  // 0: half of the links between switches, rounded up
};
/// Builds a McKay-Miller-Siran graph, where any two switches are at most two links apart. Each has
/// (3q - d) / 2 neighbours, where q = 4w + d.
Topology slim_fly(const SlimFlyParams& params);

struct RandomParams {
  unsigned switches = 20;
  unsigned hosts = 40;
  unsigned extra_links = 20;  // beyond the spanning tree; parallel links may occur
  std::uint64_t seed = 1;
};
/// Builds a connected random graph of switches; hosts are attached to the switches in turn.
Topology random_graph(const RandomParams& params);

struct RandomRegularParams {
  unsigned switches = 20;
  unsigned degree = 4;  // links of each switch to others, all different
  unsigned hosts_per_switch = 2;
  std::uint64_t seed = 1;
};
/// Builds a connected random graph in which every switch has the same number of neighbours (as in a
/// Jellyfish network).
Topology random_regular(const RandomRegularParams& params);

struct RailsParams {
  unsigned rails = 2;
  bool multi_port = false;  // one HCA with a port per rail, instead of one HCA per rail
};
/// Copies a fabric into separate subnets that all have the same hosts. Switches and HCAs get the
/// prefix r<rail>- and new GUIDs; the HCAs of a host share the SystemImageGUID.
Topology rails(const Topology& one, const RailsParams& params);

}  // namespace topology
