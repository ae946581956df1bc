#pragma once
// The paths of a packet through switches that choose between the ports of a group, node by node.

#include <optional>
#include <string>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/sl_to_vl.h"
#include "sm/ops/trace.h"

namespace sm {

/// A port by which packets leave a node. Shares count all packets from the sender as 1.
struct AdaptiveExit {
  mad::PortNum out;
  double share = 0;
  bool is_static = false;           // the port in the LinearForwardingTable
  std::optional<unsigned> vl = {};  // as of Hop
  PortIndex next = kNoIndex;        // the other end of the link
};

/// A node, after `links` links, that packets cross or end at.
struct AdaptiveHop {
  NodeIndex node = kNoIndex;
  unsigned links = 0;
  double share = 0;
  std::vector<mad::PortNum> ins = {};
  GroupId group = 0;  // 0: packets go by the LinearForwardingTable
  std::vector<AdaptiveExit> exits = {};
};

struct AdaptiveTrace {
  /// Ordered by links, then in the order in which packets arrive. Empty if no switch of the path
  /// chooses for this LID and SL.
  std::vector<AdaptiveHop> hops = {};
  std::string trouble = {};  // empty: all packets arrive
};

struct TracedTables {
  const Fabric& fabric;
  const LidMap& lids;
  const ForwardingTables& lfts;
  const SlToVl& sl_to_vl;
};

/// Traces packets with the LID and SL of `path`, which begins at `from`. Each switch that chooses
/// gives all ports of the group whose links are up the same share. Packets that arrive at a node by
/// several links are merged into one share.
AdaptiveTrace trace_adaptive(const TracedTables& by, const AdaptiveRouting& adaptive,
                             PortIndex from, const Trace& path);

}  // namespace sm
