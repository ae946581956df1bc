#pragma once
// Attributes of NVIDIA's devices, except for those in adaptive_routing.h.

#include "mad/attribute.h"

namespace mad {

inline constexpr std::uint32_t kNvidia = 0x0002C9;  // VendorID

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
  out_of_order = 30,      // of a CA: it can put packets in order that arrive out of order
  adaptive_timeout = 45,  // of a CA: AdaptiveTimeoutSLMask of MlnxExtPortInfo
  router_lid = 48,
  qos_config_vl = 51,
  fast_recovery = 52,
  ext_switch_info = 67,
};

/// Holds general information about a device. Only the capability mask is known: modifier
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

/// Holds further information about a node. Modifier 0.
/// Source: NVIDIA (id 0xFF91), no clause of the IBTA.
class ExtendedNodeInfo : public Attribute<ExtendedNodeInfo, AttributeId::extended_node_info> {
 public:
  static constexpr std::array kFields{
      Field{16, 8, "SL2VLAct"}, Field{24, 8, "SL2VLCap"},     Field{104, 8, "ALIDTop"},
      Field{112, 8, "ALIDCap"}, Field{120, 8, "ExtNodeType"}, Field{152, 8, "AsicMaxPlanes"},
  };
  using WireRecord::WireRecord;

  constexpr std::uint8_t sl2_vl_act() const { return get<std::uint8_t, "SL2VLAct">(); }
  constexpr void set_sl2_vl_act(std::uint8_t value) { set<"SL2VLAct">(value); }
};

/// Holds further information about a switch. Modifier 0.
/// Source: NVIDIA (id 0xFF92), no clause of the IBTA.
class ExtendedSwitchInfo : public Attribute<ExtendedSwitchInfo, AttributeId::extended_switch_info> {
 public:
  static constexpr std::array kFields{
      Field{26, 1, "ISSUApprove"}, Field{27, 1, "ISSURequest"},     Field{28, 1, "TurboPathCap"},
      Field{29, 3, "TurboPathEn"}, Field{48, 16, "ReqDelay"},       Field{64, 16, "SetTrigTh"},
      Field{80, 16, "RstTrigTh"},  Field{112, 16, "ReqTrigWindow"},
  };
  using WireRecord::WireRecord;
};

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
  /// Bit of the LinkSpeed fields for FDR10.
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

/// Holds the bandwidth share and the rate limit of every SL, at a port or a vport.
/// Source: NVIDIA (id 0xFF82), no clause of the IBTA. The units are not confirmed.
class QosConfigSl : public Attribute<QosConfigSl, AttributeId::qos_config_sl> {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr auto kFields = [] {
    std::array<Field, std::size_t{2} * kEntries> out{};
    for (unsigned sl = 0; sl < kEntries; ++sl) {
      out[std::size_t{2} * sl] = {32 * sl, 12, "BWAlloc"};
      out[std::size_t{2} * sl + 1] = {32 * sl + 12, 20, "RateLimit"};
    }
    return out;
  }();
  static constexpr std::uint32_t kVPort =
      1u << 31;  // of the modifier: the rest is the index of a vport
  using WireRecord::WireRecord;

  struct Entry {
    std::uint16_t bw_alloc = 0;
    std::uint32_t rate_limit = 0;
    bool operator==(const Entry&) const = default;
  };
  constexpr Entry entry(Sl sl) const {
    return {static_cast<std::uint16_t>(read(wire_, kFields[std::size_t{2} * sl.value])),
            static_cast<std::uint32_t>(read(wire_, kFields[std::size_t{2} * sl.value + 1]))};
  }
  constexpr void set_entry(Sl sl, const Entry& entry) {
    write(wire_, kFields[std::size_t{2} * sl.value], entry.bw_alloc);
    write(wire_, kFields[std::size_t{2} * sl.value + 1], entry.rate_limit);
  }
};

/// Diagnostic data in a format of the vendor, chained by indexes: next_index() 0 ends the chain.
/// Source: IBTA Vol 1, 14.2.5.14. There is no modifier builder: the bits that select index and port
/// are not confirmed.
class VendorDiag : public Attribute<VendorDiag, AttributeId::vendor_diag> {
 public:
  static constexpr unsigned kDataBytes = 62;
  static constexpr auto kFields = joined(
      std::array{
          Field{0, 16, "NextIndex"},
      },
      repeated<kDataBytes>(16, 8, "DiagData"));
  using WireRecord::WireRecord;

  constexpr std::uint16_t next_index() const { return get<std::uint16_t, "NextIndex">(); }
  constexpr void set_next_index(std::uint16_t value) { set<"NextIndex">(value); }
  constexpr std::span<const std::uint8_t, kDataBytes> data() const { return bytes().subspan<2>(); }
};

/// The position of a port in its machine (rack, tray, ASIC, ...), as numbers whose meaning a
/// template defines. Ports with capability::kHierarchyInfo have it. Read only. Shape: 13 levels, of
/// which the first active_levels() are valid; the wire allows active_levels() up to 15.
/// Source: IBTA Vol 1, 14.2.5 (HierarchyInfo).
class HierarchyInfo : public Attribute<HierarchyInfo, AttributeId::hierarchy_info> {
 public:
  static constexpr unsigned kLevels = 13;
  static constexpr auto kFields = joined(
      std::array{
          Field{0, 64, "TemplateGUID"},
          Field{64, 8, "MaxSupportedIndex"},
          Field{72, 8, "MaxActiveIndex"},
          Field{80, 4, "ActiveLevels"},
      },
      repeated<kLevels>(96, 32, "Level"));
  static constexpr std::uint32_t modifier(std::uint8_t index, PortNum port) {
    return std::uint32_t{index} << 8 | port.value;
  }
  using WireRecord::WireRecord;

  constexpr Guid template_guid() const { return get<Guid, "TemplateGUID">(); }
  constexpr void set_template_guid(Guid value) { set<"TemplateGUID">(value); }
  constexpr std::uint8_t max_supported_index() const {
    return get<std::uint8_t, "MaxSupportedIndex">();
  }
  constexpr void set_max_supported_index(std::uint8_t value) { set<"MaxSupportedIndex">(value); }
  constexpr std::uint8_t max_active_index() const { return get<std::uint8_t, "MaxActiveIndex">(); }
  constexpr void set_max_active_index(std::uint8_t value) { set<"MaxActiveIndex">(value); }
  constexpr std::uint8_t active_levels() const { return get<std::uint8_t, "ActiveLevels">(); }
  constexpr void set_active_levels(std::uint8_t value) { set<"ActiveLevels">(value); }
  /// Returns level `index`, 0..12.
  constexpr std::uint32_t level(unsigned index) const {
    return static_cast<std::uint32_t>(read(wire_, level_field(index)));
  }
  constexpr void set_level(unsigned index, std::uint32_t value) {
    write(wire_, level_field(index), value);
  }

 private:
  static constexpr const Field& level_field(unsigned index) {
    return kFields[kFields.size() - kLevels + index];
  }
};

}  // namespace mad
