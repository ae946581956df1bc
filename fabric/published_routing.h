#pragma once
// What a Subnet publishes of the routing that its forwarding tables are of: all that others than
// engines and their verification read.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/path_sls.h"
#include "fabric/sl_to_vl.h"
#include "mad/ids.h"

namespace sm {

struct PublishedRouting {
  std::string engine = {};  // whose tables these are; the chain of engines names it

  PathSls sls = {};      // SL of each path
  SlToVl sl_to_vl = {};  // empty: as configured
  unsigned vls = 1;      // data VLs that unicast uses, 0 .. vls - 1
  std::vector<std::uint8_t> vl_weights =
      {};  // arbitration: share that each of them should have; empty: as configured
  bool may_deadlock = false;  // an option asked for routes that can (max_reverse_hops): what the
                              // engine promises else does not hold
  /// The one tree that multicast has to stay on: per switch the slot to its parent, kNoIndex at
  /// roots. Empty: any tree will do.
  std::vector<std::uint32_t> multicast_up = {};

  // For dumps.
  std::vector<mad::Guid> roots = {};     // node GUIDs (opensm-updn-roots.dump)
  std::vector<mad::Guid> ca_order = {};  // port GUIDs in the order in which shifts meet no
                                         // contention; 0: a gap (opensm-ftree-ca-order.dump)
};

}  // namespace sm
