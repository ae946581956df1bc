#pragma once
// Virtual ports (vports) of CA ports, by SR-IOV: end ports with a GUID and a P_Key table of their
// own that share the link, and often the LID, of a physical port. The sweep builds them; they are
// published with the subnet and immutable from then on.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/index.h"
#include "mad/attributes/virtualization.h"
#include "mad/ids.h"

namespace fabric {

struct VPort;
using VPortIndex = Index<VPort>;

/// Says why a vport is not Active. Reasons are checked in this order.
enum class VPortHold : std::uint8_t {
  none,            // nothing holds it: it is Active, or becomes so in this sweep
  no_guid,         // its host gave it none: 0 or all ones
  down_by_host,    // its host keeps it Down
  unread,          // its attributes could not be read, or contradict each other
  duplicate_guid,  // another port or vport has its GUID
  no_lid,          // it requires a LID of its own, and none is left
  p_keys,          // its P_Key table could not be written, or is too small
  tables,          // forwarding tables or the P_Keys of the switch port are not written yet
  refused,         // the device rejected its LID, or Active
};
/// Returns a text for people, e.g. "no GUID set by the host".
std::string_view text(VPortHold hold);

struct VPort {
  PortIndex port = kNoIndex;  // the physical port that it is at
  std::uint16_t index = 0;    // of its port; 0: the physical function
  mad::Guid guid;
  mad::PortState state{};  // as read, or as set
  VPortHold hold = VPortHold::none;
  bool has_own_lid = false;  // it requires one: entered in all forwarding tables
  mad::Lid lid;              // that it uses: its own, another vport's or the port's; 0: none
  mad::VPortInfo info;
  mad::VNodeInfo node_info;
  mad::VNodeDescription description;           // empty unless it was read
  std::uint32_t first_key = 0, key_count = 0;  // into VPorts::keys

  /// True if the vport may use the fabric, and others may find it.
  bool is_served() const { return hold == VPortHold::none; }
  bool operator==(const VPort&) const = default;
};

/// A physical port whose device can have vports.
struct VirtualizedPort {
  PortIndex port = kNoIndex;
  mad::VirtualizationInfo info;
  VPortIndex first{0};  // its vports follow each other, by index
  std::uint32_t count = 0;
  bool operator==(const VirtualizedPort&) const = default;
};

struct VPorts {
  IndexVector<VPortIndex, VPort> vports;                 // by physical port, then by index
  std::vector<VirtualizedPort> ports;                    // ascending
  std::unordered_map<mad::Guid, VPortIndex> of_guid;     // served ones, without index 0 of a port
                                                         // whose GUID is the physical port's
  std::unordered_map<std::uint16_t, VPortIndex> of_lid;  // by a LID of their own
  std::vector<mad::PKey> keys;  // of each vport: ascending by partition, limited before full

  std::span<const mad::PKey> get_keys(VPortIndex vport) const {
    const VPort& of = vports[vport];
    return {keys.data() + of.first_key, of.key_count};
  }
  /// Returns kNoIndex if there is none.
  VPortIndex find(mad::Guid guid) const {
    const auto found = of_guid.find(guid);
    return found == of_guid.end() ? VPortIndex(kNoIndex) : found->second;
  }
  VPortIndex owner(mad::Lid lid) const {
    const auto found = of_lid.find(lid.value);
    return found == of_lid.end() ? VPortIndex(kNoIndex) : found->second;
  }
  /// Returns null if the port can have no vports.
  const VirtualizedPort* at(PortIndex port) const {
    const auto found = std::ranges::lower_bound(ports, port, {}, &VirtualizedPort::port);
    return found == ports.end() || found->port != port ? nullptr : &*found;
  }
  std::span<const VPort> vports_of(PortIndex port) const {
    const VirtualizedPort* const of = at(port);
    return of == nullptr ? std::span<const VPort>{}
                         : std::span<const VPort>{vports.data() + of->first, of->count};
  }
  bool operator==(const VPorts&) const = default;
};

/// The end point of packets to a GUID, GID or LID: a physical end port, or a vport at one.
struct EndPoint {
  PortIndex port = kNoIndex;    // the physical one in either case
  VPortIndex vport = kNoIndex;  // kNoIndex: the physical port itself
  bool operator==(const EndPoint&) const = default;
};

}  // namespace fabric
