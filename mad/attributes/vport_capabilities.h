#pragma once
// The capabilities of vports beside those of ports.

#include <array>
#include <cstdint>

#include "mad/attributes/port_info.h"
#include "mad/attributes/virtualization.h"

namespace mad {

struct VPortCapability {
  std::uint16_t of_vport;  // in VPortInfo:CapabilityMask
  std::uint32_t of_port;   // the same in PortInfo:CapabilityMask
};
/// Source: NVIDIA's OpenSM, whose dumps print the former as the latter; IsSmDisabled by analogy.
inline constexpr std::array kVPortCapabilities{
    VPortCapability{vport_capability::kCommunicationManagement,
                    capability::kCommunicationManagement},
    VPortCapability{vport_capability::kSnmp, capability::kSnmp},
    VPortCapability{vport_capability::kDeviceManagement, capability::kDeviceManagement},
    VPortCapability{vport_capability::kVendorClass, capability::kVendorClass},
    VPortCapability{vport_capability::kBootManagement, capability::kBootManagement},
    VPortCapability{vport_capability::kIsSm, capability::kIsSm},
    VPortCapability{vport_capability::kSmDisabled, capability::kSmDisabled}};

/// `port`, a PortInfo:CapabilityMask, with the capabilities that vports can have as `vport` says.
constexpr std::uint32_t port_capabilities_of(std::uint16_t vport, std::uint32_t port = 0) {
  for (const VPortCapability& each : kVPortCapabilities)
    port = (vport & each.of_vport) != 0 ? port | each.of_port : port & ~each.of_port;
  return port;
}
/// Returns the bits of a PortInfo:CapabilityMask that vports can have.
constexpr std::uint16_t vport_capabilities_of(std::uint32_t port) {
  std::uint16_t vport = 0;
  for (const VPortCapability& each : kVPortCapabilities)
    if ((port & each.of_port) != 0) vport = static_cast<std::uint16_t>(vport | each.of_vport);
  return vport;
}

}  // namespace mad
