#pragma once
// Converts the paths and VLs of pairs of switches to the result and the tables of a routing, also
// from the paths and VLs of the previous routing (lash_reroute.cpp).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/core/engine.h"
#include "routing/core/hop_table.h"
#include "routing/engines/virtual_lanes/lash_layers.h"
#include "routing/graph/batches.h"
#include "routing/graph/tree_order.h"

namespace routing {

/// The graph with all parallel links between two switches merged into one. If routes on it have no
/// credit loop, neither have the same routes on the single links. The channels of a switch are in
/// the order of the lowest port of each bundle, which is their port in `graph`. `graph` has no end
/// ports.
struct Bundles {
  fabric::SwitchGraph graph;
  fabric::IndexVector<fabric::ChannelIndex, std::uint32_t>
      first;  // by channel of `graph`, and one more: index into `links`
  std::vector<fabric::ChannelIndex> links;  // channels of the full graph, in port order
  std::span<const fabric::ChannelIndex> find_links(fabric::ChannelIndex bundle) const {
    return std::span(links).subspan(first[bundle], first[bundle + 1] - first[bundle]);
  }
};

Bundles bundles_of(const fabric::SwitchGraph& full);

struct LashInput {
  const RoutingInput& input;
  Bundles bundles;
  HopTable<std::uint8_t> hops;
  HostLids hosts;
  std::vector<fabric::SwitchIndex> order;  // all switches, by GUID
  TreeOrder levels;
  std::optional<MeshAxes> axes;
};

/// Holds what lash() keeps for its next routing, by switch and channel without parallel links.
struct LashState : EngineState {
  LashState(Bundles of, HopTable<std::uint8_t> distances, LashPaths chosen)
      : bundles(std::move(of)), hops(std::move(distances)), paths(std::move(chosen)) {
    paths.refer_to(bundles.graph);
  }
  fabric::IndexVector<fabric::SwitchIndex, mad::Guid>
      switches;  // those of the TableState that it is for
  Bundles bundles;
  HopTable<std::uint8_t> hops;
  LashPaths paths;                   // one tree
  std::vector<std::uint32_t> hosts;  // by switch: host LIDs that the loads of `paths` count
};

/// The title of the note on pairs in which a switch has no hosts and which close cycles on every
/// VL.
inline constexpr std::string_view kUnsafePairs = "lash: credit loops are not excluded";
std::string unsafe_pairs(std::size_t count);

PathSls sls_of(const LashInput& frame, const LashLayers& layers);

/// Returns the links of a tree of bundles; empty if the tree is empty.
fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> first_links(
    const Bundles& bundles, fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> up);

/// Returns a tree for multicast with which the first VL has no cycle. Returns an empty tree if no
/// tree closes a cycle, or if every tree does and groups need their own VL.
fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> lash_multicast_tree(
    const LashInput& frame, LashLayers& layers);

/// Returns the state of a routing with one tree, for the next routing. `hosts`: by switch.
std::shared_ptr<const TableState> lash_rows(const LashInput& frame, const LashPaths& paths,
                                            std::vector<std::uint32_t> hosts);

/// Each switch distributes the LIDs of a bundle over its links.
void write_tables(const LashInput& frame, const LashPaths& paths, fabric::ForwardingTables& lfts);

/// Describes how a change of the fabric affects the paths of a previous routing with one tree.
struct LashTableChanges {
  const LashInput& frame;
  const LashPaths& paths;
  const Correspondence& was;
  const TableState& rows;                // of the fabric
  const std::vector<bool>& new_bundles;  // by channel without parallel links
  std::span<const std::vector<fabric::SwitchIndex>>
      changed;  // by switch: destinations that it leads over another channel, or had none to
};
/// The previous tables with other entries for these destinations, for LIDs that are new at their
/// switch, and where the link of an entry is lost. A link beside others that were there takes LIDs
/// of these until all have as many.
fabric::ForwardingTables lash_tables_after(const LashTableChanges& changes);

/// Hops of the previous routing stay where they are still on a shortest path. The others take the
/// least loaded that closes no cycle on the first VL, if there is one; a switch with a new link
/// leads its share of destinations over it. Pairs of switches whose path is another keep their VL
/// if they close no cycle with all paths before and after the change, so that there is none during
/// the update either; else they get another, one more than before if necessary. Nothing: the
/// previous routing is not lash's own with one path for each pair, so much has changed that a
/// routing from the beginning is better, or a pair fits on none of `available` VLs.
std::optional<RoutingResult> reroute_lash(const LashInput& frame, std::size_t available);

}  // namespace routing
