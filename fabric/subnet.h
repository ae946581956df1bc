#pragma once
// A fabric with its LIDs, tables and partitions: the snapshot that all other modules read,
// published once per sweep and immutable.

#include <memory>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/multicast_tables.h"
#include "fabric/partition_map.h"
#include "fabric/published_routing.h"
#include "fabric/vl_tables.h"
#include "mad/attributes/sm_info.h"
#include "mad/directed_route.h"

namespace sm {

/// Another subnet manager, by its SMInfo.
struct OtherSm {
  PortIndex port = kNoIndex;  // kNoIndex if that port is not in the fabric any more
  mad::DirectedRoute route;
  mad::SmInfo info;
};

struct Subnet {
  Fabric fabric;
  LidMap lids;
  std::shared_ptr<const ForwardingTables> lfts = {};
  std::shared_ptr<const MulticastTables> mfts = {};  // null until a group has been programmed
  /// The routing that lfts are of. Null until there is one.
  std::shared_ptr<const PublishedRouting> routing = {};
  std::shared_ptr<const VlTables> vl_tables =
      {};  // null if neither options nor routing require SL to VL mapping or VL arbitration
  PartitionMap partitions = {};
  std::vector<OtherSm> sms = {};
  IndexVector<PortIndex, EndPortIndex> end_port_index =
      {};  // by port; kNoIndex for ports that are no end ports

  /// Fills end_port_index.
  void index();

  std::span<const mad::PKey> p_keys_of(PortIndex port) const {
    const EndPortIndex end_port = end_port_index[port];
    return end_port == kNoIndex ? std::span<const mad::PKey>{} : partitions.keys_of(end_port);
  }
  LidMap::Range lids_of(PortIndex port) const {
    const EndPortIndex end_port = end_port_index[port];
    return end_port == kNoIndex ? LidMap::Range{} : lids.of_end_port[end_port];
  }
};

}  // namespace sm
