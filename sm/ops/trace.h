#pragma once
// The path of a packet, node by node, by the forwarding tables.

#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/path_sls.h"
#include "fabric/sl_to_vl.h"

namespace sm {

struct Hop {
  NodeIndex node = kNoIndex;
  mad::PortNum in, out;             // 0: it starts or ends here
  std::optional<unsigned> vl = {};  // on the cable that it leaves by; nothing if the engine leaves
                                    // VLs to the configuration
};

struct Trace {
  mad::Lid to;
  mad::Sl sl;
  std::vector<Hop> hops;  // from the sender's node to the last that the packet comes to
  std::string trouble;    // empty: it arrives
  std::size_t cables() const { return hops.empty() ? 0 : hops.size() - 1; }
};

/// From an end port to a LID.
Trace trace(const Fabric& fabric, const LidMap& lids, const ForwardingTables& lfts,
            const PathSls& sls, const SlToVl& sl_to_vl, PortIndex from, mad::Lid to);

/// A line a node, and one that says how it ends.
std::string text(const Trace& trace, const Fabric& fabric);

}  // namespace sm
