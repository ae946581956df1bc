#pragma once
#include <optional>

#include "mad/attribute.h"

namespace mad {

enum class PortState : std::uint8_t {
  no_change = 0,
  down = 1,
  init = 2,
  armed = 3,
  active = 4,
  active_defer = 5
};
enum class PortPhysicalState : std::uint8_t {
  no_change = 0,
  sleep = 1,
  polling = 2,
  disabled = 3,
  training = 4,
  link_up = 5,
  error_recovery = 6,
  phy_test = 7,
};
enum class LinkDownDefaultState : std::uint8_t { no_change = 0, sleep = 1, polling = 2 };

constexpr std::string_view name(PortState state) {
  switch (state) {
    case PortState::no_change:
      return "NoChange";
    case PortState::down:
      return "Down";
    case PortState::init:
      return "Init";
    case PortState::armed:
      return "Armed";
    case PortState::active:
      return "Active";
    case PortState::active_defer:
      return "ActiveDefer";
  }
  return "";
}
constexpr std::string_view name(PortPhysicalState state) {
  switch (state) {
    case PortPhysicalState::no_change:
      return "NoChange";
    case PortPhysicalState::sleep:
      return "Sleep";
    case PortPhysicalState::polling:
      return "Polling";
    case PortPhysicalState::disabled:
      return "Disabled";
    case PortPhysicalState::training:
      return "Training";
    case PortPhysicalState::link_up:
      return "LinkUp";
    case PortPhysicalState::error_recovery:
      return "ErrorRecovery";
    case PortPhysicalState::phy_test:
      return "PhyTest";
  }
  return "";
}

/// The code of a maximum transfer unit. Codes are ordered by size, so that std::min() of two is the
/// MTU of a link.
enum class Mtu : std::uint8_t {
  mtu_256 = 1,
  mtu_512 = 2,
  mtu_1024 = 3,
  mtu_2048 = 4,
  mtu_4096 = 5
};

/// Returns the bytes of a code, 256..4096, or nullopt for an undefined code.
constexpr std::optional<unsigned> mtu_bytes(Mtu mtu) {
  if (mtu < Mtu::mtu_256 || mtu > Mtu::mtu_4096) return std::nullopt;
  return 128u << static_cast<unsigned>(mtu);
}

/// Returns the number of data VLs for a code of VLCap or OperationalVLs: 1, 2, 4, 8, 15; 0 for an
/// undefined code.
constexpr unsigned data_vls(std::uint8_t vl_code) {
  constexpr std::array<std::uint8_t, 6> counts{0, 1, 2, 4, 8, 15};
  return vl_code < counts.size() ? counts[vl_code] : 0u;
}

/// Returns the code of the largest number of data VLs that is not above the argument; 1 for 0.
constexpr std::uint8_t vl_code(unsigned vls) {
  std::uint8_t code = 1;
  while (code < 5 && data_vls(static_cast<std::uint8_t>(code + 1)) <= vls) ++code;
  return code;
}

/// Bits of CapabilityMask (IBTA Vol 1, 14.2.5.6).
namespace capability {
inline constexpr std::uint32_t kIsSm = 1u << 1;
inline constexpr std::uint32_t kNotice = 1u << 2;
inline constexpr std::uint32_t kTrap = 1u << 3;
inline constexpr std::uint32_t kOptionalIpd = 1u << 4;
inline constexpr std::uint32_t kAutomaticMigration = 1u << 5;
inline constexpr std::uint32_t kSlMapping = 1u << 6;
inline constexpr std::uint32_t kMKeyNvram = 1u << 7;
inline constexpr std::uint32_t kPKeyNvram = 1u << 8;
inline constexpr std::uint32_t kLedInfo = 1u << 9;
inline constexpr std::uint32_t kSmDisabled = 1u << 10;
inline constexpr std::uint32_t kSystemImageGuid = 1u << 11;
inline constexpr std::uint32_t kPKeySwitchExternalPortTrap = 1u << 12;
inline constexpr std::uint32_t kCableInfo = 1u << 13;
inline constexpr std::uint32_t kExtendedSpeeds = 1u << 14;
inline constexpr std::uint32_t kCapabilityMask2 = 1u << 15;
inline constexpr std::uint32_t kCommunicationManagement = 1u << 16;
inline constexpr std::uint32_t kSnmp = 1u << 17;
inline constexpr std::uint32_t kReinit = 1u << 18;
inline constexpr std::uint32_t kDeviceManagement = 1u << 19;
inline constexpr std::uint32_t kVendorClass = 1u << 20;
inline constexpr std::uint32_t kDrNotice = 1u << 21;
inline constexpr std::uint32_t kCapabilityMaskNotice = 1u << 22;
inline constexpr std::uint32_t kBootManagement = 1u << 23;
inline constexpr std::uint32_t kLinkRoundTripLatency = 1u << 24;
inline constexpr std::uint32_t kClientReregistration = 1u << 25;
inline constexpr std::uint32_t kOtherLocalChangesNotice = 1u << 26;
inline constexpr std::uint32_t kLinkSpeedWidthPairs = 1u << 27;
inline constexpr std::uint32_t kVendorMads = 1u << 28;
inline constexpr std::uint32_t kMulticastPKeyTrapSuppression = 1u << 29;
inline constexpr std::uint32_t kMulticastFdbTop = 1u << 30;
inline constexpr std::uint32_t kHierarchyInfo = 1u << 31;
}  // namespace capability

/// Bits of CapabilityMask2, which is valid only if CapabilityMask has kCapabilityMask2.
namespace capability2 {
inline constexpr std::uint16_t kSetNodeDescription = 0x0001;
inline constexpr std::uint16_t kPortInfoExtended = 0x0002;
inline constexpr std::uint16_t kVirtualization = 0x0004;
inline constexpr std::uint16_t kSwitchPortStateTable = 0x0008;
inline constexpr std::uint16_t kLinkWidth2x = 0x0010;
inline constexpr std::uint16_t kLinkSpeedHdr = 0x0020;
inline constexpr std::uint16_t kLinkSpeedNdr = 0x0400;
inline constexpr std::uint16_t kExtendedSpeeds2 = 0x0800;
inline constexpr std::uint16_t kLinkSpeedXdr = 0x1000;
}  // namespace capability2

/// LinkWidth fields have one bit per width; kAllSupported is for a Set of LinkWidthEnabled only.
namespace link_width {
inline constexpr std::uint8_t k1x = 0x01, k4x = 0x02, k8x = 0x04, k12x = 0x08, k2x = 0x10;
inline constexpr std::uint8_t kAllSupported = 0xFF;
}  // namespace link_width

/// LinkSpeed fields, per lane; with kExtended in LinkSpeedActive, LinkSpeedExtActive has the speed.
namespace link_speed {
inline constexpr std::uint8_t kExtended = 0, kSdr = 1, kDdr = 2, kQdr = 4;
inline constexpr std::uint8_t kAllSupported = 15;
}  // namespace link_speed

/// LinkSpeedExt fields count per lane.
namespace link_speed_ext {
inline constexpr std::uint8_t kNone = 0, kFdr = 1, kEdr = 2, kHdr = 4, kNdr = 8;
inline constexpr std::uint8_t kDisableAll = 30, kAllSupported = 31;
}  // namespace link_speed_ext

/// LinkSpeedExt...2 fields count per lane.
namespace link_speed_ext2 {
inline constexpr std::uint8_t kNone = 0, kXdr = 1;
inline constexpr std::uint8_t kAllSupported = 7;
}  // namespace link_speed_ext2

/// State and settings of one port.
/// Units:  m_key_lease_period in seconds, 0 = for ever; hoq_life, subnet_time_out and
/// resp_time_value are 4.096 us * 2^v
///         (hoq_life > 19: never); vl_high_limit in 4 KB, 255 = unlimited; guid_cap counts GUIDs;
///         link_round_trip_latency in the specification's own ticks; vl_cap and operational_vls are
///         codes, see data_vls().
/// Set:    the three state fields take `no_change` (0); legal port_state writes are down, armed
/// (from init), active (from armed). Source: IBTA Vol 1, 14.2.5.6.
class PortInfo : public Attribute<PortInfo, AttributeId::port_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 64, "M_Key"},
      Field{64, 64, "GidPrefix"},
      Field{128, 16, "LID"},
      Field{144, 16, "MasterSMLID"},
      Field{160, 32, "CapabilityMask"},
      Field{192, 16, "DiagCode"},
      Field{208, 16, "M_KeyLeasePeriod"},
      Field{224, 8, "LocalPortNum"},
      Field{232, 8, "LinkWidthEnabled"},
      Field{240, 8, "LinkWidthSupported"},
      Field{248, 8, "LinkWidthActive"},
      Field{256, 4, "LinkSpeedSupported"},
      Field{260, 4, "PortState"},
      Field{264, 4, "PortPhysicalState"},
      Field{268, 4, "LinkDownDefaultState"},
      Field{272, 2, "M_KeyProtectBits"},
      Field{277, 3, "LMC"},
      Field{280, 4, "LinkSpeedActive"},
      Field{284, 4, "LinkSpeedEnabled"},
      Field{288, 4, "NeighborMTU"},
      Field{292, 4, "MasterSMSL"},
      Field{296, 4, "VLCap"},
      Field{300, 4, "InitType"},
      Field{304, 8, "VLHighLimit"},
      Field{312, 8, "VLArbitrationHighCap"},
      Field{320, 8, "VLArbitrationLowCap"},
      Field{328, 4, "InitTypeReply"},
      Field{332, 4, "MTUCap"},
      Field{336, 3, "VLStallCount"},
      Field{339, 5, "HOQLife"},
      Field{344, 4, "OperationalVLs"},
      Field{348, 1, "PartitionEnforcementInbound"},
      Field{349, 1, "PartitionEnforcementOutbound"},
      Field{350, 1, "FilterRawInbound"},
      Field{351, 1, "FilterRawOutbound"},
      Field{352, 16, "M_KeyViolations"},
      Field{368, 16, "P_KeyViolations"},
      Field{384, 16, "Q_KeyViolations"},
      Field{400, 8, "GUIDCap"},
      Field{408, 1, "ClientReregister"},
      Field{409, 2, "MulticastPKeyTrapSuppressionEnabled"},
      Field{411, 5, "SubnetTimeOut"},
      Field{419, 5, "RespTimeValue"},
      Field{424, 4, "LocalPhyErrors"},
      Field{428, 4, "OverrunErrors"},
      Field{432, 16, "MaxCreditHint"},
      Field{449, 2, "LinkSpeedExtActive2"},
      Field{451, 2, "LinkSpeedExtSupported2"},
      Field{453, 3, "LinkSpeedExtEnabled2"},
      Field{456, 24, "LinkRoundTripLatency"},
      Field{480, 16, "CapabilityMask2"},
      Field{496, 4, "LinkSpeedExtActive"},
      Field{500, 4, "LinkSpeedExtSupported"},
      Field{507, 5, "LinkSpeedExtEnabled"},
  };
  /// Bit 31: the sender supports extended speeds. Without it a port neither returns nor accepts
  /// them.
  static constexpr std::uint32_t kExtendedSpeeds = 1u << 31;
  /// Bit 15: the sender accepts PortState::active_defer in the response.
  static constexpr std::uint32_t kActiveDefer = 1u << 15;
  /// Returns the modifier of a Get or Set: the port of a switch. A CA or router responds for the
  /// port that received the SMP.
  static constexpr std::uint32_t modifier(PortNum port, bool extended_speeds) {
    return port.value | (extended_speeds ? kExtendedSpeeds : 0u);
  }
  using WireRecord::WireRecord;

  constexpr MKey m_key() const { return get<MKey, "M_Key">(); }
  constexpr void set_m_key(MKey value) { set<"M_Key">(value); }
  constexpr std::uint64_t gid_prefix() const { return get<std::uint64_t, "GidPrefix">(); }
  constexpr void set_gid_prefix(std::uint64_t value) { set<"GidPrefix">(value); }
  constexpr Lid lid() const { return get<Lid, "LID">(); }
  constexpr void set_lid(Lid value) { set<"LID">(value); }
  constexpr Lid master_sm_lid() const { return get<Lid, "MasterSMLID">(); }
  constexpr void set_master_sm_lid(Lid value) { set<"MasterSMLID">(value); }
  constexpr std::uint32_t capability_mask() const { return get<std::uint32_t, "CapabilityMask">(); }
  constexpr void set_capability_mask(std::uint32_t value) { set<"CapabilityMask">(value); }
  constexpr std::uint16_t diag_code() const { return get<std::uint16_t, "DiagCode">(); }
  constexpr void set_diag_code(std::uint16_t value) { set<"DiagCode">(value); }
  constexpr std::uint16_t m_key_lease_period() const {
    return get<std::uint16_t, "M_KeyLeasePeriod">();
  }
  constexpr void set_m_key_lease_period(std::uint16_t value) { set<"M_KeyLeasePeriod">(value); }
  constexpr PortNum local_port_num() const { return get<PortNum, "LocalPortNum">(); }
  constexpr void set_local_port_num(PortNum value) { set<"LocalPortNum">(value); }
  constexpr std::uint8_t link_width_enabled() const {
    return get<std::uint8_t, "LinkWidthEnabled">();
  }
  constexpr void set_link_width_enabled(std::uint8_t value) { set<"LinkWidthEnabled">(value); }
  constexpr std::uint8_t link_width_supported() const {
    return get<std::uint8_t, "LinkWidthSupported">();
  }
  constexpr void set_link_width_supported(std::uint8_t value) { set<"LinkWidthSupported">(value); }
  constexpr std::uint8_t link_width_active() const {
    return get<std::uint8_t, "LinkWidthActive">();
  }
  constexpr void set_link_width_active(std::uint8_t value) { set<"LinkWidthActive">(value); }
  constexpr std::uint8_t link_speed_supported() const {
    return get<std::uint8_t, "LinkSpeedSupported">();
  }
  constexpr void set_link_speed_supported(std::uint8_t value) { set<"LinkSpeedSupported">(value); }
  constexpr PortState port_state() const { return get<PortState, "PortState">(); }
  constexpr void set_port_state(PortState value) { set<"PortState">(value); }
  constexpr PortPhysicalState port_physical_state() const {
    return get<PortPhysicalState, "PortPhysicalState">();
  }
  constexpr void set_port_physical_state(PortPhysicalState value) {
    set<"PortPhysicalState">(value);
  }
  constexpr LinkDownDefaultState link_down_default_state() const {
    return get<LinkDownDefaultState, "LinkDownDefaultState">();
  }
  constexpr void set_link_down_default_state(LinkDownDefaultState value) {
    set<"LinkDownDefaultState">(value);
  }
  constexpr std::uint8_t m_key_protect_bits() const {
    return get<std::uint8_t, "M_KeyProtectBits">();
  }
  constexpr void set_m_key_protect_bits(std::uint8_t value) { set<"M_KeyProtectBits">(value); }
  constexpr std::uint8_t lmc() const { return get<std::uint8_t, "LMC">(); }
  constexpr void set_lmc(std::uint8_t value) { set<"LMC">(value); }
  constexpr std::uint8_t link_speed_active() const {
    return get<std::uint8_t, "LinkSpeedActive">();
  }
  constexpr void set_link_speed_active(std::uint8_t value) { set<"LinkSpeedActive">(value); }
  constexpr std::uint8_t link_speed_enabled() const {
    return get<std::uint8_t, "LinkSpeedEnabled">();
  }
  constexpr void set_link_speed_enabled(std::uint8_t value) { set<"LinkSpeedEnabled">(value); }
  constexpr Mtu neighbor_mtu() const { return get<Mtu, "NeighborMTU">(); }
  constexpr void set_neighbor_mtu(Mtu value) { set<"NeighborMTU">(value); }
  constexpr Sl master_sm_sl() const { return get<Sl, "MasterSMSL">(); }
  constexpr void set_master_sm_sl(Sl value) { set<"MasterSMSL">(value); }
  constexpr std::uint8_t vl_cap() const { return get<std::uint8_t, "VLCap">(); }
  constexpr void set_vl_cap(std::uint8_t value) { set<"VLCap">(value); }
  constexpr std::uint8_t init_type() const { return get<std::uint8_t, "InitType">(); }
  constexpr void set_init_type(std::uint8_t value) { set<"InitType">(value); }
  constexpr std::uint8_t vl_high_limit() const { return get<std::uint8_t, "VLHighLimit">(); }
  constexpr void set_vl_high_limit(std::uint8_t value) { set<"VLHighLimit">(value); }
  constexpr std::uint8_t vl_arbitration_high_cap() const {
    return get<std::uint8_t, "VLArbitrationHighCap">();
  }
  constexpr void set_vl_arbitration_high_cap(std::uint8_t value) {
    set<"VLArbitrationHighCap">(value);
  }
  constexpr std::uint8_t vl_arbitration_low_cap() const {
    return get<std::uint8_t, "VLArbitrationLowCap">();
  }
  constexpr void set_vl_arbitration_low_cap(std::uint8_t value) {
    set<"VLArbitrationLowCap">(value);
  }
  constexpr std::uint8_t init_type_reply() const { return get<std::uint8_t, "InitTypeReply">(); }
  constexpr void set_init_type_reply(std::uint8_t value) { set<"InitTypeReply">(value); }
  constexpr Mtu mtu_cap() const { return get<Mtu, "MTUCap">(); }
  constexpr void set_mtu_cap(Mtu value) { set<"MTUCap">(value); }
  constexpr std::uint8_t vl_stall_count() const { return get<std::uint8_t, "VLStallCount">(); }
  constexpr void set_vl_stall_count(std::uint8_t value) { set<"VLStallCount">(value); }
  constexpr std::uint8_t hoq_life() const { return get<std::uint8_t, "HOQLife">(); }
  constexpr void set_hoq_life(std::uint8_t value) { set<"HOQLife">(value); }
  constexpr std::uint8_t operational_vls() const { return get<std::uint8_t, "OperationalVLs">(); }
  constexpr void set_operational_vls(std::uint8_t value) { set<"OperationalVLs">(value); }
  constexpr bool partition_enforcement_inbound() const {
    return get<bool, "PartitionEnforcementInbound">();
  }
  constexpr void set_partition_enforcement_inbound(bool value) {
    set<"PartitionEnforcementInbound">(value);
  }
  constexpr bool partition_enforcement_outbound() const {
    return get<bool, "PartitionEnforcementOutbound">();
  }
  constexpr void set_partition_enforcement_outbound(bool value) {
    set<"PartitionEnforcementOutbound">(value);
  }
  constexpr bool filter_raw_inbound() const { return get<bool, "FilterRawInbound">(); }
  constexpr void set_filter_raw_inbound(bool value) { set<"FilterRawInbound">(value); }
  constexpr bool filter_raw_outbound() const { return get<bool, "FilterRawOutbound">(); }
  constexpr void set_filter_raw_outbound(bool value) { set<"FilterRawOutbound">(value); }
  constexpr std::uint16_t m_key_violations() const {
    return get<std::uint16_t, "M_KeyViolations">();
  }
  constexpr void set_m_key_violations(std::uint16_t value) { set<"M_KeyViolations">(value); }
  constexpr std::uint16_t p_key_violations() const {
    return get<std::uint16_t, "P_KeyViolations">();
  }
  constexpr void set_p_key_violations(std::uint16_t value) { set<"P_KeyViolations">(value); }
  constexpr std::uint16_t q_key_violations() const {
    return get<std::uint16_t, "Q_KeyViolations">();
  }
  constexpr void set_q_key_violations(std::uint16_t value) { set<"Q_KeyViolations">(value); }
  constexpr std::uint8_t guid_cap() const { return get<std::uint8_t, "GUIDCap">(); }
  constexpr void set_guid_cap(std::uint8_t value) { set<"GUIDCap">(value); }
  constexpr bool client_reregister() const { return get<bool, "ClientReregister">(); }
  constexpr void set_client_reregister(bool value) { set<"ClientReregister">(value); }
  constexpr std::uint8_t multicast_p_key_trap_suppression_enabled() const {
    return get<std::uint8_t, "MulticastPKeyTrapSuppressionEnabled">();
  }
  constexpr void set_multicast_p_key_trap_suppression_enabled(std::uint8_t value) {
    set<"MulticastPKeyTrapSuppressionEnabled">(value);
  }
  constexpr std::uint8_t subnet_time_out() const { return get<std::uint8_t, "SubnetTimeOut">(); }
  constexpr void set_subnet_time_out(std::uint8_t value) { set<"SubnetTimeOut">(value); }
  constexpr std::uint8_t resp_time_value() const { return get<std::uint8_t, "RespTimeValue">(); }
  constexpr void set_resp_time_value(std::uint8_t value) { set<"RespTimeValue">(value); }
  constexpr std::uint8_t local_phy_errors() const { return get<std::uint8_t, "LocalPhyErrors">(); }
  constexpr void set_local_phy_errors(std::uint8_t value) { set<"LocalPhyErrors">(value); }
  constexpr std::uint8_t overrun_errors() const { return get<std::uint8_t, "OverrunErrors">(); }
  constexpr void set_overrun_errors(std::uint8_t value) { set<"OverrunErrors">(value); }
  constexpr std::uint16_t max_credit_hint() const { return get<std::uint16_t, "MaxCreditHint">(); }
  constexpr void set_max_credit_hint(std::uint16_t value) { set<"MaxCreditHint">(value); }
  constexpr std::uint8_t link_speed_ext_active2() const {
    return get<std::uint8_t, "LinkSpeedExtActive2">();
  }
  constexpr void set_link_speed_ext_active2(std::uint8_t value) {
    set<"LinkSpeedExtActive2">(value);
  }
  constexpr std::uint8_t link_speed_ext_supported2() const {
    return get<std::uint8_t, "LinkSpeedExtSupported2">();
  }
  constexpr void set_link_speed_ext_supported2(std::uint8_t value) {
    set<"LinkSpeedExtSupported2">(value);
  }
  constexpr std::uint8_t link_speed_ext_enabled2() const {
    return get<std::uint8_t, "LinkSpeedExtEnabled2">();
  }
  constexpr void set_link_speed_ext_enabled2(std::uint8_t value) {
    set<"LinkSpeedExtEnabled2">(value);
  }
  constexpr std::uint32_t link_round_trip_latency() const {
    return get<std::uint32_t, "LinkRoundTripLatency">();
  }
  constexpr void set_link_round_trip_latency(std::uint32_t value) {
    set<"LinkRoundTripLatency">(value);
  }
  constexpr std::uint16_t capability_mask2() const {
    return get<std::uint16_t, "CapabilityMask2">();
  }
  constexpr void set_capability_mask2(std::uint16_t value) { set<"CapabilityMask2">(value); }
  constexpr std::uint8_t link_speed_ext_active() const {
    return get<std::uint8_t, "LinkSpeedExtActive">();
  }
  constexpr void set_link_speed_ext_active(std::uint8_t value) { set<"LinkSpeedExtActive">(value); }
  constexpr std::uint8_t link_speed_ext_supported() const {
    return get<std::uint8_t, "LinkSpeedExtSupported">();
  }
  constexpr void set_link_speed_ext_supported(std::uint8_t value) {
    set<"LinkSpeedExtSupported">(value);
  }
  constexpr std::uint8_t link_speed_ext_enabled() const {
    return get<std::uint8_t, "LinkSpeedExtEnabled">();
  }
  constexpr void set_link_speed_ext_enabled(std::uint8_t value) {
    set<"LinkSpeedExtEnabled">(value);
  }
};

/// Controls the LED of one port, if the port has capability::kLedInfo. The modifier is the port.
/// Source: IBTA Vol 1, 14.2.5.15.
class LedInfo : public Attribute<LedInfo, AttributeId::led_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 1, "LedMask"},
  };
  static constexpr std::uint32_t modifier(PortNum port) { return port.value; }
  using WireRecord::WireRecord;

  constexpr bool led_mask() const { return get<bool, "LedMask">(); }
  constexpr void set_led_mask(bool on) { set<"LedMask">(on); }
};

}  // namespace mad
