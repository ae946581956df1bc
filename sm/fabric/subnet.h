#pragma once
// A fabric and what Heddle made of it: the snapshot that everybody else reads, published once a sweep and never changed.

#include <memory>
#include <vector>

#include "mad/attributes/sm_info.h"
#include "mad/directed_route.h"
#include "sm/fabric/fabric.h"
#include "sm/fabric/forwarding_tables.h"
#include "sm/fabric/lid_map.h"
#include "sm/fabric/multicast_tables.h"
#include "sm/fabric/partition_map.h"

namespace sm {

/// Another subnet manager, as its SMInfo says.
struct OtherSm {
  PortIndex port = kNoIndex;  // kNoIndex if that port dropped out
  mad::DirectedRoute route;
  mad::SmInfo info;
};

struct Subnet {
  Fabric fabric;
  LidMap lids;
  std::shared_ptr<const ForwardingTables> lfts;
  std::shared_ptr<const MulticastTables> mfts = {};  // null until a group has been programmed
  PartitionMap partitions;
  std::vector<OtherSm> sms;
  std::vector<std::uint32_t> end_port_number;  // by PortIndex: its place in Fabric::end_ports, kNoIndex for other ports

  /// Fills end_port_number.
  void index();

  std::span<const mad::PKey> p_keys_of(PortIndex port) const {
    const std::uint32_t number = end_port_number[port];
    return number == kNoIndex ? std::span<const mad::PKey>{} : partitions.keys_of(number);
  }
  LidMap::Range lids_of(PortIndex port) const {
    const std::uint32_t number = end_port_number[port];
    return number == kNoIndex ? LidMap::Range{} : lids.of_end_port[number];
  }
  /// The switch that forwards a port's packets: the one behind its cable, the switch itself for port 0; kNoIndex if there is none.
  SwitchIndex leaf_of(PortIndex port) const {
    const Node& own = fabric.node_of(port);
    if (own.is_switch()) return own.switch_index;
    const PortIndex peer = fabric.ports[port].peer;
    return peer == kNoIndex ? kNoIndex : fabric.node_of(peer).switch_index;
  }
};

}  // namespace sm
