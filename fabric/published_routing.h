#pragma once
// The part of a routing that a Subnet publishes: all that modules other than engines and their
// verification read.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"
#include "fabric/path_sls.h"
#include "fabric/sl_to_vl.h"
#include "mad/ids.h"

namespace fabric {

struct PublishedRouting {
  std::string engine = {};  // the engine that made the tables, by its name in the chain of engines

  PathSls sls = {};      // SL of each path
  SlToVl sl_to_vl = {};  // empty: as configured
  unsigned vls = 1;      // data VLs that unicast uses, 0 .. vls - 1
  std::vector<std::uint8_t> vl_weights =
      {};                     // VL arbitration weight of each VL; empty: as configured
  bool may_deadlock = false;  // an option allows routes that can deadlock (max_reverse_hops), so
                              // the engine's guarantee does not hold
  /// The only tree that multicast may use: per switch the channel to its parent, kNoIndex at roots.
  /// Empty: any tree may be used.
  IndexVector<SwitchIndex, ChannelIndex> multicast_up = {};

  /// Groups of ports for adaptive routing. Null: the engine routes by forwarding tables alone.
  std::shared_ptr<const AdaptiveGroups> adaptive = {};

  // For dumps.
  std::vector<mad::Guid> roots = {};     // node GUIDs (opensm-updn-roots.dump)
  std::vector<mad::Guid> ca_order = {};  // port GUIDs in the order in which shifts meet no
                                         // contention; 0: a gap (opensm-ftree-ca-order.dump)
};

}  // namespace fabric
