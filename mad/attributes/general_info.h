#pragma once
#include "mad/attribute.h"

namespace mad {

/// Bit numbers of the capability mask of GeneralInfo.
enum class GeneralCapability : std::uint8_t {
  private_lft = 0,
  adaptive_routing = 1,
  adaptive_routing_rev1 = 2,
  ext_port_info = 9,
  port_sl_to_private_lft = 12,
  ext_node_info = 13,
  virtualization = 15,
  qos_config_sl_rate_limit = 24,
  qos_config_sl_rate_limit_vports = 25,
  router_lid = 48,
  qos_config_vl = 51,
  fast_recovery = 52,
  ext_switch_info = 67,
};

/// General information about a device, of which the capability mask is known: modifier
/// kCapabilityMask. Source: NVIDIA (id 0xFF17), no clause of the IBTA.
class GeneralInfo : public Attribute<GeneralInfo, AttributeId::general_info> {
 public:
  static constexpr unsigned kDwords = 4;
  static constexpr auto kFields = repeated<kDwords>(0, 32, "CapabilityMask");
  static constexpr std::uint32_t kCapabilityMask = 4;  // the modifier
  using WireRecord::WireRecord;

  constexpr bool has(GeneralCapability capability) const {
    return read(wire_, bit(capability)) != 0;
  }
  constexpr void set(GeneralCapability capability, bool value = true) {
    write(wire_, bit(capability), value ? 1 : 0);
  }

 private:
  /// Bits count from the lowest bit of each dword.
  static constexpr Field bit(GeneralCapability capability) {
    const unsigned number = static_cast<unsigned>(capability);
    return {32 * (number / 32) + 31 - number % 32, 1, "Capability"};
  }
};

}  // namespace mad
