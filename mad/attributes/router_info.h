#pragma once
#include "mad/attribute.h"
#include "mad/attributes/virtualization.h"

namespace mad {

/// Holds a router's capabilities, the use of its tables, and change bits. Modifier 0. Set: a change
/// bit that is written as 1 is cleared. Source: NVIDIA (id 0xFFD0), no clause of the IBTA.
class RouterInfo : public Attribute<RouterInfo, AttributeId::router_info> {
 public:
  static constexpr std::array kFields{
      Field{0, 32, "CapabilityMask"},
      Field{32, 32, "NextHopCap"},
      Field{64, 32, "NextHopTop"},
      Field{96, 1, "AdjTableChange"},
      Field{97, 1, "NextHopChange"},
      Field{98, 1, "AdjLidInfoChange"},
      Field{99, 1, "RouterLIDChange"},
      Field{100, 1, "AdjSubnetsLIDInfoChange"},
      Field{112, 8, "AdjTop"},
      Field{120, 8, "AdjCap"},
      Field{128, 8, "SupportedSubnetsCap"},
      Field{144, 16, "ARGroupToRouterLIDCap"},
      Field{167, 1, "pFRNEn"},
      Field{168, 8, "AdjSubnetsRouterLIDInfoTop"},
      Field{176, 16, "RouterLIDCap"},
      Field{192, 12, "MaxARGroupID"},
      Field{204, 20, "GlobalRouterLIDStart"},
      Field{236, 20, "GlobalRouterLIDEnd"},
      Field{268, 20, "LocalRouterLIDStart"},
      Field{300, 20, "LocalRouterLIDEnd"},
  };
  using WireRecord::WireRecord;

  constexpr std::uint32_t capability_mask() const { return get<std::uint32_t, "CapabilityMask">(); }
  constexpr void set_capability_mask(std::uint32_t value) { set<"CapabilityMask">(value); }
  constexpr std::uint32_t next_hop_cap() const { return get<std::uint32_t, "NextHopCap">(); }
  constexpr void set_next_hop_cap(std::uint32_t value) { set<"NextHopCap">(value); }
  constexpr std::uint32_t next_hop_top() const { return get<std::uint32_t, "NextHopTop">(); }
  constexpr void set_next_hop_top(std::uint32_t value) { set<"NextHopTop">(value); }
  constexpr bool adj_table_change() const { return get<bool, "AdjTableChange">(); }
  constexpr void set_adj_table_change(bool value) { set<"AdjTableChange">(value); }
  constexpr bool next_hop_change() const { return get<bool, "NextHopChange">(); }
  constexpr void set_next_hop_change(bool value) { set<"NextHopChange">(value); }
  constexpr bool adj_lid_info_change() const { return get<bool, "AdjLidInfoChange">(); }
  constexpr void set_adj_lid_info_change(bool value) { set<"AdjLidInfoChange">(value); }
  constexpr bool router_lid_change() const { return get<bool, "RouterLIDChange">(); }
  constexpr void set_router_lid_change(bool value) { set<"RouterLIDChange">(value); }
  constexpr bool adj_subnets_lid_info_change() const {
    return get<bool, "AdjSubnetsLIDInfoChange">();
  }
  constexpr void set_adj_subnets_lid_info_change(bool value) {
    set<"AdjSubnetsLIDInfoChange">(value);
  }
  constexpr std::uint8_t adj_top() const { return get<std::uint8_t, "AdjTop">(); }
  constexpr void set_adj_top(std::uint8_t value) { set<"AdjTop">(value); }
  constexpr void set_adj_cap(std::uint8_t value) { set<"AdjCap">(value); }
  constexpr bool pfrn_en() const { return get<bool, "pFRNEn">(); }
  constexpr void set_pfrn_en(bool value) { set<"pFRNEn">(value); }
  constexpr std::uint8_t adj_subnets_router_lid_info_top() const {
    return get<std::uint8_t, "AdjSubnetsRouterLIDInfoTop">();
  }
  constexpr std::uint32_t global_router_lid_start() const {
    return get<std::uint32_t, "GlobalRouterLIDStart">();
  }
  constexpr void set_global_router_lid_start(std::uint32_t value) {
    set<"GlobalRouterLIDStart">(value);
  }
  constexpr std::uint32_t global_router_lid_end() const {
    return get<std::uint32_t, "GlobalRouterLIDEnd">();
  }
  constexpr std::uint32_t local_router_lid_start() const {
    return get<std::uint32_t, "LocalRouterLIDStart">();
  }
  constexpr std::uint32_t local_router_lid_end() const {
    return get<std::uint32_t, "LocalRouterLIDEnd">();
  }
};

/// Lists subnets beyond the adjacent ones, and the next hop to each. The modifier is the block.
/// Source: NVIDIA (id 0xFFD1), no clause of the IBTA.
class NextHopTable : public Attribute<NextHopTable, AttributeId::next_hop_table> {
 public:
  static constexpr unsigned kEntries = 4;
  static constexpr auto kFields = [] {
    std::array<Field, std::size_t{3} * kEntries> out{};
    for (unsigned i = 0; i < kEntries; ++i) {
      out[std::size_t{3} * i] = {128 * i, 64, "SubnetPrefix"};
      out[std::size_t{3} * i + 1] = {128 * i + 64, 8, "Weight"};
      out[std::size_t{3} * i + 2] = {128 * i + 80, 16, "P_Key"};
    }
    return out;
  }();
  static constexpr std::uint32_t modifier(unsigned block) { return block; }
  using WireRecord::WireRecord;

  struct Entry {
    std::uint64_t subnet_prefix = 0;
    std::uint8_t weight = 0;
    PKey p_key;
    bool operator==(const Entry&) const = default;
  };
  /// Returns entry `index` of the block, 0..3.
  constexpr Entry entry(unsigned index) const {
    const Field* const row = &kFields[std::size_t{3} * index];
    return {read(wire_, row[0]), static_cast<std::uint8_t>(read(wire_, row[1])),
            from_raw<PKey>(read(wire_, row[2]))};
  }
  constexpr void set_entry(unsigned index, const Entry& entry) {
    const Field* const row = &kFields[std::size_t{3} * index];
    write(wire_, row[0], entry.subnet_prefix);
    write(wire_, row[1], entry.weight);
    write(wire_, row[2], to_raw(entry.p_key));
  }
};

/// Lists the subnets of the router's other ports. The modifier is the block.
/// Shape: 8 entries; the 16 bits between SubnetPrefix (its low 16 bits) and MasterSMLID are not
/// confirmed. Source: NVIDIA (id 0xFFD2), no clause of the IBTA.
class AdjacentSubnetsTable
    : public Attribute<AdjacentSubnetsTable, AttributeId::adjacent_subnets_table> {
 public:
  static constexpr unsigned kEntries = 8;
  static constexpr auto kFields = [] {
    std::array<Field, std::size_t{3} * kEntries> out{};
    for (unsigned i = 0; i < kEntries; ++i) {
      out[std::size_t{3} * i] = {64 * i, 16, "P_Key"};
      out[std::size_t{3} * i + 1] = {64 * i + 16, 16, "SubnetPrefix"};
      out[std::size_t{3} * i + 2] = {64 * i + 48, 16, "MasterSMLID"};
    }
    return out;
  }();
  static constexpr std::uint32_t modifier(unsigned block) { return block; }
  using WireRecord::WireRecord;

  struct Entry {
    PKey p_key;
    std::uint16_t subnet_prefix = 0;
    Lid master_sm_lid;
    bool operator==(const Entry&) const = default;
  };
  /// Returns entry `index` of the block, 0..7.
  constexpr Entry entry(unsigned index) const {
    const Field* const row = &kFields[std::size_t{3} * index];
    return {from_raw<PKey>(read(wire_, row[0])), static_cast<std::uint16_t>(read(wire_, row[1])),
            from_raw<Lid>(read(wire_, row[2]))};
  }
  constexpr void set_entry(unsigned index, const Entry& entry) {
    const Field* const row = &kFields[std::size_t{3} * index];
    write(wire_, row[0], to_raw(entry.p_key));
    write(wire_, row[1], entry.subnet_prefix);
    write(wire_, row[2], to_raw(entry.master_sm_lid));
  }
};

/// NVIDIA's trap 1148: RouterInfo of the router changed; its change bits name the changed tables.
/// Source: NVIDIA's OpenSM.
class RouterChangeNotice : public VendorNoticeBase<RouterChangeNotice> {
 public:
  static constexpr std::uint16_t kVendorTrap = 1148;
  static constexpr auto kFields = kHeaderFields;
  using VendorNoticeBase::VendorNoticeBase;
};

}  // namespace mad
