#pragma once
// Where packets go that leave by a port, and what its link carries, packed once per fabric for
// walks through forwarding tables.

#include <cstdint>
#include <limits>
#include <vector>

#include "fabric/fabric.h"

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

}  // namespace fabric
