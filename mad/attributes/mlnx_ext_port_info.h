#pragma once
#include "mad/attribute.h"

namespace mad {

/// NVIDIA's own PortInfo: FDR10 and per-SL features. Devices without it respond with
/// status::kMethodAttributeUnsupported. Source: NVIDIA (id 0xFF90), no clause of the IBTA. The
/// modifier is the port.
class MlnxExtPortInfo : public Attribute<MlnxExtPortInfo, AttributeId::mlnx_ext_port_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 1, "AMEEnabled"},         Field{1, 1, "SHArPANEnabled"},
      Field{2, 1, "RouterLIDEnabled"},   Field{3, 1, "PortRecovered"},
      Field{24, 8, "StateChangeEnable"}, Field{56, 8, "LinkSpeedSupported"},
      Field{88, 8, "LinkSpeedEnabled"},  Field{120, 8, "LinkSpeedActive"},
      Field{144, 16, "CapabilityMask"},  Field{416, 16, "AdaptiveTimeoutSLMask"},
      Field{432, 16, "OOOSLMask"},
  };
  /// Bit of the LinkSpeed fields.
  static constexpr std::uint8_t kFdr10 = 1;
  static constexpr std::uint32_t modifier(PortNum port) { return port.value; }
  using WireRecord::WireRecord;

  constexpr bool ame_enabled() const { return get<bool, "AMEEnabled">(); }
  constexpr void set_ame_enabled(bool value) { set<"AMEEnabled">(value); }
  constexpr bool sharp_an_enabled() const { return get<bool, "SHArPANEnabled">(); }
  constexpr void set_sharp_an_enabled(bool value) { set<"SHArPANEnabled">(value); }
  constexpr bool router_lid_enabled() const { return get<bool, "RouterLIDEnabled">(); }
  constexpr void set_router_lid_enabled(bool value) { set<"RouterLIDEnabled">(value); }
  constexpr bool port_recovered() const { return get<bool, "PortRecovered">(); }
  constexpr void set_port_recovered(bool value) { set<"PortRecovered">(value); }
  constexpr std::uint8_t state_change_enable() const {
    return get<std::uint8_t, "StateChangeEnable">();
  }
  constexpr void set_state_change_enable(std::uint8_t value) { set<"StateChangeEnable">(value); }
  constexpr std::uint8_t link_speed_supported() const {
    return get<std::uint8_t, "LinkSpeedSupported">();
  }
  constexpr void set_link_speed_supported(std::uint8_t value) { set<"LinkSpeedSupported">(value); }
  constexpr std::uint8_t link_speed_enabled() const {
    return get<std::uint8_t, "LinkSpeedEnabled">();
  }
  constexpr void set_link_speed_enabled(std::uint8_t value) { set<"LinkSpeedEnabled">(value); }
  constexpr std::uint8_t link_speed_active() const {
    return get<std::uint8_t, "LinkSpeedActive">();
  }
  constexpr void set_link_speed_active(std::uint8_t value) { set<"LinkSpeedActive">(value); }
  constexpr std::uint16_t capability_mask() const { return get<std::uint16_t, "CapabilityMask">(); }
  constexpr void set_capability_mask(std::uint16_t value) { set<"CapabilityMask">(value); }
  constexpr std::uint16_t adaptive_timeout_sl_mask() const {
    return get<std::uint16_t, "AdaptiveTimeoutSLMask">();
  }
  constexpr void set_adaptive_timeout_sl_mask(std::uint16_t value) {
    set<"AdaptiveTimeoutSLMask">(value);
  }
  constexpr std::uint16_t ooo_sl_mask() const { return get<std::uint16_t, "OOOSLMask">(); }
  constexpr void set_ooo_sl_mask(std::uint16_t value) { set<"OOOSLMask">(value); }
};

}  // namespace mad
