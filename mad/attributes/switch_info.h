#pragma once
#include "mad/attribute.h"
#include "mad/attributes/port_info.h"

namespace mad {

/// The short forms of Set(SLtoVLMappingTable) that a switch supports.
enum class OptimizedSlToVl : std::uint8_t { none = 0, wildcard = 1, port_mask = 2 };

/// Holds a switch's forwarding capabilities and limits; modifier 0.
/// Units: the caps count table entries, the tops are the highest LID or MLID in use;
/// life_time_value is 4.096 us * 2^v with v > 19 for "never". A Set that writes port_state_change
/// as true clears the bit.
/// Source: IBTA Vol 1, 14.2.5.4. multicast_fdb_top is valid only if port 0 has CapabilityMask bit
/// kMulticastFdbTop.
class SwitchInfo : public Attribute<SwitchInfo, AttributeId::switch_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 16, "LinearFDBCap"},
      Field{16, 16, "RandomFDBCap"},
      Field{32, 16, "MulticastFDBCap"},
      Field{48, 16, "LinearFDBTop"},
      Field{64, 8, "DefaultPort"},
      Field{72, 8, "DefaultMulticastPrimaryPort"},
      Field{80, 8, "DefaultMulticastNotPrimaryPort"},
      Field{88, 5, "LifeTimeValue"},
      Field{93, 1, "PortStateChange"},
      Field{94, 2, "OptimizedSLtoVLMappingProgramming"},
      Field{96, 16, "LIDsPerPort"},
      Field{112, 16, "PartitionEnforcementCap"},
      Field{128, 1, "InboundEnforcementCap"},
      Field{129, 1, "OutboundEnforcementCap"},
      Field{130, 1, "FilterRawInboundCap"},
      Field{131, 1, "FilterRawOutboundCap"},
      Field{132, 1, "EnhancedPort0"},
      Field{144, 16, "MulticastFDBTop"},
  };
  /// This multicast_fdb_top means "no multicast entries".
  static constexpr std::uint16_t kNoMulticastEntries = 0xBFFF;
  using WireRecord::WireRecord;

  constexpr std::uint16_t linear_fdb_cap() const { return get<std::uint16_t, "LinearFDBCap">(); }
  constexpr void set_linear_fdb_cap(std::uint16_t value) { set<"LinearFDBCap">(value); }
  constexpr std::uint16_t random_fdb_cap() const { return get<std::uint16_t, "RandomFDBCap">(); }
  constexpr void set_random_fdb_cap(std::uint16_t value) { set<"RandomFDBCap">(value); }
  constexpr std::uint16_t multicast_fdb_cap() const {
    return get<std::uint16_t, "MulticastFDBCap">();
  }
  constexpr void set_multicast_fdb_cap(std::uint16_t value) { set<"MulticastFDBCap">(value); }
  constexpr std::uint16_t linear_fdb_top() const { return get<std::uint16_t, "LinearFDBTop">(); }
  constexpr void set_linear_fdb_top(std::uint16_t value) { set<"LinearFDBTop">(value); }
  constexpr PortNum default_port() const { return get<PortNum, "DefaultPort">(); }
  constexpr void set_default_port(PortNum value) { set<"DefaultPort">(value); }
  constexpr PortNum default_multicast_primary_port() const {
    return get<PortNum, "DefaultMulticastPrimaryPort">();
  }
  constexpr void set_default_multicast_primary_port(PortNum value) {
    set<"DefaultMulticastPrimaryPort">(value);
  }
  constexpr PortNum default_multicast_not_primary_port() const {
    return get<PortNum, "DefaultMulticastNotPrimaryPort">();
  }
  constexpr void set_default_multicast_not_primary_port(PortNum value) {
    set<"DefaultMulticastNotPrimaryPort">(value);
  }
  constexpr std::uint8_t life_time_value() const { return get<std::uint8_t, "LifeTimeValue">(); }
  constexpr void set_life_time_value(std::uint8_t value) { set<"LifeTimeValue">(value); }
  constexpr bool port_state_change() const { return get<bool, "PortStateChange">(); }
  constexpr void set_port_state_change(bool value) { set<"PortStateChange">(value); }
  constexpr OptimizedSlToVl optimized_sl_to_vl_mapping_programming() const {
    return get<OptimizedSlToVl, "OptimizedSLtoVLMappingProgramming">();
  }
  constexpr void set_optimized_sl_to_vl_mapping_programming(OptimizedSlToVl value) {
    set<"OptimizedSLtoVLMappingProgramming">(value);
  }
  constexpr std::uint16_t lids_per_port() const { return get<std::uint16_t, "LIDsPerPort">(); }
  constexpr void set_lids_per_port(std::uint16_t value) { set<"LIDsPerPort">(value); }
  constexpr std::uint16_t partition_enforcement_cap() const {
    return get<std::uint16_t, "PartitionEnforcementCap">();
  }
  constexpr void set_partition_enforcement_cap(std::uint16_t value) {
    set<"PartitionEnforcementCap">(value);
  }
  constexpr bool inbound_enforcement_cap() const { return get<bool, "InboundEnforcementCap">(); }
  constexpr void set_inbound_enforcement_cap(bool value) { set<"InboundEnforcementCap">(value); }
  constexpr bool outbound_enforcement_cap() const { return get<bool, "OutboundEnforcementCap">(); }
  constexpr void set_outbound_enforcement_cap(bool value) { set<"OutboundEnforcementCap">(value); }
  constexpr bool filter_raw_inbound_cap() const { return get<bool, "FilterRawInboundCap">(); }
  constexpr void set_filter_raw_inbound_cap(bool value) { set<"FilterRawInboundCap">(value); }
  constexpr bool filter_raw_outbound_cap() const { return get<bool, "FilterRawOutboundCap">(); }
  constexpr void set_filter_raw_outbound_cap(bool value) { set<"FilterRawOutboundCap">(value); }
  constexpr bool enhanced_port_0() const { return get<bool, "EnhancedPort0">(); }
  constexpr void set_enhanced_port_0(bool value) { set<"EnhancedPort0">(value); }
  constexpr std::uint16_t multicast_fdb_top() const {
    return get<std::uint16_t, "MulticastFDBTop">();
  }
  constexpr void set_multicast_fdb_top(std::uint16_t value) { set<"MulticastFDBTop">(value); }
};

/// Holds the PortState of 128 ports of a switch in one SMP, if the switch has
/// capability2::kSwitchPortStateTable. Read only. Shape: entry n is port 128 * block + n. Blocks
/// are 0 and 1. Source: IBTA Vol 1, 14.2.5 (SwitchPortStateTable).
class SwitchPortStateTable
    : public Attribute<SwitchPortStateTable, AttributeId::switch_port_state_table> {
 public:
  static constexpr unsigned kEntries = 128;
  static constexpr auto kFields = repeated<kEntries>(0, 4, "PortState");
  /// `active_defer` means that the sender accepts PortState::active_defer in the response.
  static constexpr std::uint32_t modifier(unsigned block, bool active_defer) {
    return (block & 1u) | (active_defer ? PortInfo::kActiveDefer : 0u);
  }
  static constexpr unsigned block_index(PortNum port) { return port.value / kEntries; }
  using WireRecord::WireRecord;

  /// Returns entry `index` of the block, 0..127.
  constexpr PortState port_state(unsigned index) const {
    return from_raw<PortState>(read(wire_, kFields[index]));
  }
  constexpr void set_port_state(unsigned index, PortState state) {
    write(wire_, kFields[index], to_raw(state));
  }
};

}  // namespace mad
