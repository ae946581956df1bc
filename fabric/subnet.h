#pragma once
// A fabric with its LIDs, tables and partitions: the snapshot that all other modules read,
// published once per sweep and immutable.

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/multicast_tables.h"
#include "fabric/partition_map.h"
#include "fabric/published_routing.h"
#include "fabric/routers.h"
#include "fabric/vl_tables.h"
#include "fabric/vports.h"
#include "mad/attributes/sm_info.h"
#include "mad/directed_route.h"

namespace fabric {

/// One port and its link; kNoIndex where the link is not up.
struct Exit {
  static constexpr std::uint16_t kNoRateGbps = std::numeric_limits<std::uint16_t>::max();

  PortIndex far = kNoIndex;               // the peer port; for port 0 itself
  SwitchIndex next = kNoIndex;            // the peer's switch, if it is a switch
  std::uint16_t rate_gbps = kNoRateGbps;  // the lower one of both ends; kNoRateGbps: unknown
  std::uint8_t mtu = 0;                   // code; the lower one of both ends
};

class Exits {
 public:
  explicit Exits(const Fabric& fabric);

  /// The exit of an end port; that of a switch's port 0 leads into its own switch.
  const Exit& of_end_port(EndPortIndex end_port) const { return of_end_port_[end_port]; }
  /// Returns null if the switch has no such port.
  const Exit* of_switch_port(SwitchIndex sw, mad::PortNum out) const {
    const std::uint32_t first = first_[sw];
    return out.value < first_[sw + 1] - first ? &of_switch_port_[first + out.value] : nullptr;
  }

  /// Packets of a port to itself: the port's own limits, whatever its peer's are.
  static Exit loopback(const Fabric& fabric, PortIndex port);

 private:
  IndexVector<EndPortIndex, Exit> of_end_port_;
  IndexVector<SwitchIndex, std::uint32_t> first_;           // switches + 1, into of_switch_port_
  std::vector<Exit, LargeAllocator<Exit>> of_switch_port_;  // port 0..NumPorts of each switch
};

/// Another subnet manager, as its SMInfo describes it.
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
  /// The routing that computed lfts. Null until there is one.
  std::shared_ptr<const PublishedRouting> routing = {};
  /// The switches that choose between ports of groups. Null if no engine of the configuration
  /// requires adaptive routing.
  std::shared_ptr<const AdaptiveRouting> adaptive = {};
  std::shared_ptr<const VlTables> vl_tables =
      {};  // null if neither options nor routing require SL to VL mapping or VL arbitration
  PartitionMap partitions = {};
  std::vector<OtherSm> sms = {};
  /// The routers and the subnets that their tables lead to. Null if routers are not listed.
  std::shared_ptr<const Routers> routers = {};
  IndexVector<PortIndex, EndPortIndex> end_port_index =
      {};                                     // by port; kNoIndex for ports that are no end ports
  std::shared_ptr<const VPorts> vports = {};  // null: there are none
  std::shared_ptr<const Exits> exits = {};    // of the fabric; null before index()

  /// Fills end_port_index and exits.
  void index();
  /// Fills exits, after rates, MTUs or states of links have changed.
  void index_links();

  std::span<const mad::PKey> find_p_keys(PortIndex port) const {
    const EndPortIndex end_port = end_port_index[port];
    return end_port == kNoIndex ? std::span<const mad::PKey>{} : partitions.get_keys(end_port);
  }
  LidMap::Range lid_range(PortIndex port) const {
    const EndPortIndex end_port = end_port_index[port];
    return end_port == kNoIndex ? LidMap::Range{} : lids.of_end_port[end_port];
  }

  // These functions describe an end point: its vport, if it has one, else its port.

  mad::Guid find_guid(EndPoint end) const {
    return end.vport == kNoIndex ? fabric.ports[end.port].guid : vports->vports[end.vport].guid;
  }
  std::span<const mad::PKey> find_p_keys(EndPoint end) const {
    return end.vport == kNoIndex ? find_p_keys(end.port) : vports->get_keys(end.vport);
  }
  /// A vport has one LID, whatever the LMC.
  LidMap::Range lid_range(EndPoint end) const {
    return end.vport == kNoIndex ? lid_range(end.port)
                                 : LidMap::Range{.base = vports->vports[end.vport].lid};
  }
  /// Finds a vport that others may find, or a physical end port. port is kNoIndex if there is none.
  EndPoint find(mad::Guid guid) const;
  /// Returns the vport whose own LID it is, else the port.
  EndPoint owner(mad::Lid lid) const;
};

}  // namespace fabric
