#pragma once
// Adaptive routing and private forwarding tables of NVIDIA's switches, as far as their layout is
// known. All modifiers of these attributes are formed here. A table's modifier is its block, for
// table 0 and private table 0. The place of the other numbers is not confirmed, so Heddle never
// sends them. No licensed source states the block's place either: code that writes tables reads
// some back before switches use them.

#include "mad/attribute.h"

namespace mad {

/// Capabilities and settings of a switch for adaptive routing. Modifier 0; a Set writes the
/// settings and does not change the capabilities. Units:  AgeingTime in microseconds; GroupTop and
/// GroupCap count groups; bit n of the masks stands for SL n. Source: NVIDIA (id 0xFF20), no clause
/// of the IBTA. Older firmware fills in the first 20 bytes only.
class AdaptiveRoutingInfo
    : public Attribute<AdaptiveRoutingInfo, AttributeId::adaptive_routing_info> {
 public:
  static constexpr std::uint32_t kModifier = 0;
  static constexpr std::array kFields{
      Field{1, 1, "DynCapCalc"},
      Field{2, 1, "ByTransportCap"},
      Field{3, 1, "BySLEn"},
      Field{4, 1, "BySLCap"},
      Field{5, 1, "GlobalGroups"},
      Field{6, 1, "IS4Mode"},
      Field{7, 1, "NoFallback"},
      Field{8, 8, "DirectionNumSup"},
      Field{16, 4, "GroupTableCopySup"},
      Field{20, 4, "SubGroupsActive"},
      Field{26, 1, "RNXmitEn"},
      Field{27, 1, "FREn"},
      Field{28, 1, "FRSup"},
      Field{29, 1, "FRNSup"},
      Field{30, 1, "ARNSup"},
      Field{31, 1, "E"},
      Field{32, 4, "StringWidthCap"},
      Field{36, 4, "GroupTableCap"},
      Field{40, 12, "GroupTop"},
      Field{52, 12, "GroupCap"},
      Field{64, 16, "EnableBySLMask"},
      Field{80, 8, "SubGroupsSup"},
      Field{88, 4, "RNVersionCap"},
      Field{92, 4, "ARVersionCap"},
      Field{120, 8, "ByTransportDisable"},
      Field{128, 32, "AgeingTime"},
      Field{160, 1, "HBFSup"},
      Field{161, 1, "WHBFSup"},
      Field{162, 1, "SymmetricHashSup"},
      Field{163, 1, "DCETHHashSup"},
      Field{164, 1, "BTHDQPHashSup"},
      Field{166, 1, "pFRNSup"},
      Field{176, 1, "HBFEn"},
      Field{177, 1, "WHBFEn"},
      Field{178, 1, "ByVLEn"},
      Field{179, 1, "pFRNEn"},
      Field{192, 3, "WHBFGranularity"},
      Field{208, 16, "HBFEnableBySLMask"},
  };
  using WireRecord::WireRecord;

  constexpr bool by_transport_cap() const { return get<bool, "ByTransportCap">(); }
  constexpr void set_by_transport_cap(bool value) { set<"ByTransportCap">(value); }
  constexpr bool by_sl_en() const { return get<bool, "BySLEn">(); }
  constexpr void set_by_sl_en(bool value) { set<"BySLEn">(value); }
  constexpr bool by_sl_cap() const { return get<bool, "BySLCap">(); }
  constexpr void set_by_sl_cap(bool value) { set<"BySLCap">(value); }
  constexpr bool no_fallback() const { return get<bool, "NoFallback">(); }
  constexpr std::uint8_t group_table_copy_sup() const {
    return get<std::uint8_t, "GroupTableCopySup">();
  }
  constexpr void set_group_table_copy_sup(std::uint8_t value) { set<"GroupTableCopySup">(value); }
  constexpr std::uint8_t sub_groups_active() const {
    return get<std::uint8_t, "SubGroupsActive">();
  }
  constexpr void set_sub_groups_active(std::uint8_t value) { set<"SubGroupsActive">(value); }
  constexpr bool rn_xmit_en() const { return get<bool, "RNXmitEn">(); }
  constexpr void set_rn_xmit_en(bool value) { set<"RNXmitEn">(value); }
  constexpr bool fr_en() const { return get<bool, "FREn">(); }
  constexpr void set_fr_en(bool value) { set<"FREn">(value); }
  constexpr bool fr_sup() const { return get<bool, "FRSup">(); }
  constexpr void set_fr_sup(bool value) { set<"FRSup">(value); }
  constexpr bool frn_sup() const { return get<bool, "FRNSup">(); }
  constexpr void set_frn_sup(bool value) { set<"FRNSup">(value); }
  constexpr bool arn_sup() const { return get<bool, "ARNSup">(); }
  constexpr void set_arn_sup(bool value) { set<"ARNSup">(value); }
  constexpr bool enable() const { return get<bool, "E">(); }
  constexpr void set_enable(bool value) { set<"E">(value); }
  constexpr std::uint16_t group_top() const { return get<std::uint16_t, "GroupTop">(); }
  constexpr void set_group_top(std::uint16_t value) { set<"GroupTop">(value); }
  constexpr std::uint16_t group_cap() const { return get<std::uint16_t, "GroupCap">(); }
  constexpr void set_group_cap(std::uint16_t value) { set<"GroupCap">(value); }
  constexpr std::uint16_t enable_by_sl_mask() const {
    return get<std::uint16_t, "EnableBySLMask">();
  }
  constexpr void set_enable_by_sl_mask(std::uint16_t value) { set<"EnableBySLMask">(value); }
  constexpr std::uint8_t sub_groups_sup() const { return get<std::uint8_t, "SubGroupsSup">(); }
  constexpr void set_sub_groups_sup(std::uint8_t value) { set<"SubGroupsSup">(value); }
  constexpr void set_rn_version_cap(std::uint8_t value) { set<"RNVersionCap">(value); }
  constexpr void set_ar_version_cap(std::uint8_t value) { set<"ARVersionCap">(value); }
  constexpr std::uint8_t by_transport_disable() const {
    return get<std::uint8_t, "ByTransportDisable">();
  }
  constexpr void set_by_transport_disable(std::uint8_t value) { set<"ByTransportDisable">(value); }
  constexpr std::uint32_t ageing_time() const { return get<std::uint32_t, "AgeingTime">(); }
  constexpr void set_ageing_time(std::uint32_t value) { set<"AgeingTime">(value); }
  constexpr bool hbf_sup() const { return get<bool, "HBFSup">(); }
  constexpr bool whbf_sup() const { return get<bool, "WHBFSup">(); }
  constexpr bool pfrn_sup() const { return get<bool, "pFRNSup">(); }
  constexpr void set_pfrn_sup(bool value) { set<"pFRNSup">(value); }
  constexpr bool hbf_en() const { return get<bool, "HBFEn">(); }
  constexpr void set_hbf_en(bool value) { set<"HBFEn">(value); }
  constexpr bool whbf_en() const { return get<bool, "WHBFEn">(); }
  constexpr bool by_vl_en() const { return get<bool, "ByVLEn">(); }
  constexpr bool pfrn_en() const { return get<bool, "pFRNEn">(); }
  constexpr void set_pfrn_en(bool value) { set<"pFRNEn">(value); }
  constexpr void set_hbf_enable_by_sl_mask(std::uint16_t value) { set<"HBFEnableBySLMask">(value); }
};

/// The forwarding mode of packets to a LID.
enum class ArLidState : std::uint8_t { bounded = 0, free = 1, static_ = 2 };

/// Two sub-groups of output ports, 256 bits each: port p is bit p % 8 of byte 31 - p / 8, counted
/// from the low end. The table is one array of sub-groups; with one sub-group a group, block b
/// holds groups 2 b and 2 b + 1. Source: NVIDIA (id 0xFF21), no clause of the IBTA.
class ArGroupTable : public Attribute<ArGroupTable, AttributeId::ar_group_table> {
 public:
  static constexpr unsigned kSubGroups = 2, kSubGroupBytes = 32;
  static constexpr auto kFields = repeated<kSubGroups * kSubGroupBytes>(0, 8, "SubGroup");
  using WireRecord::WireRecord;

  /// Returns the mask of sub-group `index`, 0 or 1.
  constexpr std::span<const std::uint8_t, kSubGroupBytes> sub_group(unsigned index) const {
    return std::span<const std::uint8_t, kSubGroupBytes>(
        bytes().subspan(std::size_t{index} * kSubGroupBytes).first<kSubGroupBytes>());
  }
  constexpr bool has_port(unsigned index, PortNum port) const {
    return read(wire_, bit(index, port)) != 0;
  }
  constexpr void set_port(unsigned index, PortNum port, bool value = true) {
    write(wire_, bit(index, port), value ? 1 : 0);
  }
  static constexpr std::uint32_t modifier(std::uint16_t block) { return block; }
  static constexpr std::uint16_t block_of(std::uint16_t group) { return group / kSubGroups; }

 private:
  /// The 256 bits are one number, most significant bit first; port p is bit p of its value.
  static constexpr Field bit(unsigned index, PortNum port) {
    return {kSubGroupBytes * 8 * index + (kSubGroupBytes * 8 - 1u - port.value), 1, "Port"};
  }
};

/// Copies one group's ports to ranges of groups; Set only. The modifier names the group that is
/// copied. Source: NVIDIA (id 0xFFBD), no clause of the IBTA.
class ArGroupTableCopy : public Attribute<ArGroupTableCopy, AttributeId::ar_group_table_copy> {
 public:
  static constexpr unsigned kRanges = 16;
  static constexpr auto kFields = [] {
    std::array<Field, std::size_t{2} * kRanges> out{};
    for (unsigned i = 0; i < kRanges; ++i) {
      out[std::size_t{2} * i] = {32 * i, 16, "LastGroup"};
      out[std::size_t{2} * i + 1] = {32 * i + 16, 16, "FirstGroup"};
    }
    return out;
  }();
  static constexpr std::uint32_t modifier(std::uint16_t source_group) {
    return source_group & 0xFFFu;
  }
  using WireRecord::WireRecord;

  struct Range {
    std::uint16_t first = 0, last = 0;  // inclusive; both 0: not used
    bool operator==(const Range&) const = default;
  };
  constexpr Range range(unsigned index) const {
    return {static_cast<std::uint16_t>(read(wire_, kFields[std::size_t{2} * index + 1])),
            static_cast<std::uint16_t>(read(wire_, kFields[std::size_t{2} * index]))};
  }
  constexpr void set_range(unsigned index, const Range& range) {
    write(wire_, kFields[std::size_t{2} * index + 1], range.first);
    write(wire_, kFields[std::size_t{2} * index], range.last);
  }
};

/// Notifications of lost paths to neighbours (pFRN). Modifier 0. Units: seconds. The width of
/// the timeouts is not confirmed beyond 10 bits. Source: NVIDIA (id 0xFF61), no clause of the IBTA.
class PfrnConfig : public Attribute<PfrnConfig, AttributeId::pfrn_config> {
 public:
  static constexpr std::uint32_t kModifier = 0;
  static constexpr std::uint16_t kTimeoutMaxSeconds = 1023;
  static constexpr std::array kFields{
      Field{64, 4, "SL"},
      Field{92, 4, "Policy"},
      Field{96, 16, "MaskForceClearTimeout"},
      Field{112, 16, "MaskClearTimeout"},
  };
  using WireRecord::WireRecord;

  constexpr Sl sl() const { return get<Sl, "SL">(); }
  constexpr void set_sl(Sl value) { set<"SL">(value); }
  constexpr std::uint16_t mask_force_clear_timeout() const {
    return get<std::uint16_t, "MaskForceClearTimeout">();
  }
  constexpr void set_mask_force_clear_timeout(std::uint16_t value) {
    set<"MaskForceClearTimeout">(value);
  }
  constexpr std::uint16_t mask_clear_timeout() const {
    return get<std::uint16_t, "MaskClearTimeout">();
  }
  constexpr void set_mask_clear_timeout(std::uint16_t value) { set<"MaskClearTimeout">(value); }
};

/// Forwards 16 LIDs: by a group of output ports or by one port, according to ArLidState.
/// Source: NVIDIA (id 0xFF23), no clause of the IBTA.
class ArLinearForwardingTable
    : public Attribute<ArLinearForwardingTable, AttributeId::ar_linear_forwarding_table> {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr std::uint32_t modifier(std::uint32_t block) { return block; }
  static constexpr auto kFields = [] {
    std::array<Field, std::size_t{4} * kEntries> out{};
    for (unsigned i = 0; i < kEntries; ++i) {
      out[std::size_t{4} * i] = {32 * i, 2, "LIDState"};
      out[std::size_t{4} * i + 1] = {32 * i + 4, 4, "TableNumber"};
      out[std::size_t{4} * i + 2] = {32 * i + 8, 8, "StaticPort"};
      out[std::size_t{4} * i + 3] = {32 * i + 16, 16, "GroupNumber"};
    }
    return out;
  }();
  using WireRecord::WireRecord;

  struct Entry {
    ArLidState state = ArLidState::bounded;
    std::uint8_t table = 0;
    PortNum static_port;
    std::uint16_t group = 0;
    bool operator==(const Entry&) const = default;
  };
  /// Returns entry `index` of the block, 0..15.
  constexpr Entry entry(unsigned index) const {
    const Field* const row = &kFields[std::size_t{4} * index];
    return {from_raw<ArLidState>(read(wire_, row[0])),
            static_cast<std::uint8_t>(read(wire_, row[1])), from_raw<PortNum>(read(wire_, row[2])),
            static_cast<std::uint16_t>(read(wire_, row[3]))};
  }
  constexpr void set_entry(unsigned index, const Entry& entry) {
    const Field* const row = &kFields[std::size_t{4} * index];
    write(wire_, row[0], to_raw(entry.state));
    write(wire_, row[1], entry.table);
    write(wire_, row[2], to_raw(entry.static_port));
    write(wire_, row[3], entry.group);
  }
};

/// Describes the private linear forwarding tables of a switch: their number, and the layout in use.
/// Modifier 0. Shape: ActiveMode 0 is off. BankSize (1024 LIDs) and NumBanks are repeated for each
/// layout. Source: NVIDIA (id 0xFF10), no clause of the IBTA.
class PrivateLftInfo : public Attribute<PrivateLftInfo, AttributeId::private_lft_info> {
 public:
  static constexpr unsigned kModes = 7;
  static constexpr auto kFields = [] {
    std::array<Field, 3 + std::size_t{2} * kModes> out{
        Field{8, 8, "NumPLFTs"}, Field{16, 8, "ModeCap"}, Field{24, 8, "ActiveMode"}};
    for (unsigned mode = 0; mode < kModes; ++mode) {
      out[3 + 2 * mode] = {32 + 16 * mode, 8, "BankSize"};
      out[4 + 2 * mode] = {40 + 16 * mode, 8, "NumBanks"};
    }
    return out;
  }();
  using WireRecord::WireRecord;

  constexpr std::uint8_t num_plfts() const { return get<std::uint8_t, "NumPLFTs">(); }
  constexpr void set_num_plfts(std::uint8_t value) { set<"NumPLFTs">(value); }
  constexpr std::uint8_t mode_cap() const { return get<std::uint8_t, "ModeCap">(); }
  constexpr void set_mode_cap(std::uint8_t value) { set<"ModeCap">(value); }
  constexpr std::uint8_t active_mode() const { return get<std::uint8_t, "ActiveMode">(); }
  constexpr void set_active_mode(std::uint8_t value) { set<"ActiveMode">(value); }

  constexpr void set_banks(unsigned mode, std::uint8_t size, std::uint8_t count) {
    write(wire_, {32 + 16 * mode, 8, "BankSize"}, size);
    write(wire_, {40 + 16 * mode, 8, "NumBanks"}, count);
  }
};

}  // namespace mad
