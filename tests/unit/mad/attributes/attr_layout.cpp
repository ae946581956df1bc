// Literal byte layouts: for attributes that libibmad lacks, and for fields that it has at wrong
// offsets.
#include <gtest/gtest.h>
#include <infiniband/mad.h>

#include <map>

#include "mad/attributes/all.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace {

/// Expects these bytes and zero in all others.
template <class A>
void expect_bytes(const A& attribute, const std::map<unsigned, unsigned>& bytes) {
  A expected;
  for (const auto& [at, value] : bytes) expected.bytes()[at] = static_cast<std::uint8_t>(value);
  EXPECT_EQ(attribute, expected) << dump(attribute);
}

TEST(Layout, PortInfoSecondExtendedSpeeds) {
  PortInfo info;
  info.set_link_speed_ext_active2(3);
  expect_bytes(info, {{56, 0x60}});
  info = {};
  info.set_link_speed_ext_supported2(3);
  expect_bytes(info, {{56, 0x18}});
  info = {};
  info.set_link_speed_ext_enabled2(link_speed_ext2::kAllSupported);
  expect_bytes(info, {{56, 0x07}});
  EXPECT_EQ(info.link_speed_ext_enabled2(), 7);
  EXPECT_EQ(info.link_speed_ext_active2(), 0);
  EXPECT_EQ(info.link_speed_ext_supported2(), 0);
}

// libibmad 44 has these four at 96, 144, 128 and 176, where they overlap others.
TEST(Layout, PortInfoExtendedHdrAndNdrFec) {
  PortInfoExtended info;
  info.set_hdr_fec_mode_supported(0x0102);
  info.set_hdr_fec_mode_enabled(0x0304);
  info.set_ndr_fec_mode_supported(0x0506);
  info.set_ndr_fec_mode_enabled(0x0708);
  expect_bytes(info, {{14, 1}, {15, 2}, {16, 3}, {17, 4}, {18, 5}, {19, 6}, {20, 7}, {21, 8}});
  EXPECT_EQ(info.hdr_fec_mode_supported(), 0x0102);
  EXPECT_EQ(info.hdr_fec_mode_enabled(), 0x0304);
  EXPECT_EQ(info.ndr_fec_mode_supported(), 0x0506);
  EXPECT_EQ(info.ndr_fec_mode_enabled(), 0x0708);
  EXPECT_EQ(info.edr_fec_mode_enabled(), 0);
}

// libibmad 44 includes the toggle bit.
TEST(Layout, NoticeCountHas15BitsBesideTheToggle) {
  Notice notice;
  notice.set_notice_count(0x7FFF);
  expect_bytes(notice, {{8, 0x7F}, {9, 0xFF}});
  notice.set_notice_toggle(true);
  EXPECT_EQ(notice.notice_count(), 0x7FFF);
}

// The faults of libibmad 44 above. When one of these tests fails, its field can move to
// attr_oracle.cpp.
TEST(Layout, LibibmadStillHasTheseFaults) {
  const auto ones = [](MAD_FIELDS field) {
    std::array<std::uint8_t, 64> bytes{};
    mad_set_field(bytes.data(), 0, field, 0xFFFFFFFF);
    return bytes;
  };
  EXPECT_NE(ones(IB_PORT_EXT_HDR_FEC_MODE_SUPPORTED_F)[12], 0);
  EXPECT_NE(ones(IB_PORT_EXT_HDR_FEC_MODE_ENABLED_F)[18], 0);
  EXPECT_NE(ones(IB_PORT_EXT_NDR_FEC_MODE_SUPPORTED_F)[16], 0);
  EXPECT_NE(ones(IB_PORT_EXT_NDR_FEC_MODE_ENABLED_F)[22], 0);
  EXPECT_EQ(ones(IB_NOTICE_COUNT_F)[8], 0xFF);
}

TEST(Layout, MlnxExtPortInfo) {
  MlnxExtPortInfo info;
  info.set_ame_enabled(true);
  expect_bytes(info, {{0, 0x80}});
  info.set_sharp_an_enabled(true);
  expect_bytes(info, {{0, 0xC0}});
  info.set_router_lid_enabled(true);
  expect_bytes(info, {{0, 0xE0}});
  info.set_port_recovered(true);
  expect_bytes(info, {{0, 0xF0}});
  EXPECT_TRUE(info.ame_enabled() && info.sharp_an_enabled() && info.router_lid_enabled() &&
              info.port_recovered());
  info = {};
  info.set_capability_mask(0x0102);
  info.set_adaptive_timeout_sl_mask(0x0304);
  info.set_ooo_sl_mask(0x0506);
  expect_bytes(info, {{18, 1}, {19, 2}, {52, 3}, {53, 4}, {54, 5}, {55, 6}});
  EXPECT_EQ(info.capability_mask(), 0x0102);
  EXPECT_EQ(info.adaptive_timeout_sl_mask(), 0x0304);
  EXPECT_EQ(info.ooo_sl_mask(), 0x0506);
}

TEST(Layout, PKeyTable) {
  PKeyTable table;
  table.set_p_key(0, kDefaultPKeyFull);
  table.set_p_key(31, {0x1234});
  expect_bytes(table, {{0, 0xFF}, {1, 0xFF}, {62, 0x12}, {63, 0x34}});
  EXPECT_EQ(table.p_key(31), PKey{0x1234});
  EXPECT_EQ(PKeyTable::modifier(0x0102, PortNum{7}), 0x00070102u);
  EXPECT_EQ(PKeyTable::blocks(0), 0u);
  EXPECT_EQ(PKeyTable::blocks(32), 1u);
  EXPECT_EQ(PKeyTable::blocks(33), 2u);
}

TEST(Layout, SlToVl) {
  SlToVlMappingTable table;
  table.set_vl({0}, {1});
  table.set_vl({1}, {2});
  table.set_vl({15}, SlToVlMappingTable::kDrop);
  expect_bytes(table, {{0, 0x12}, {7, 0x0F}});
  EXPECT_EQ(table.vl({1}), Vl{2});
  EXPECT_EQ(table.vl({15}), Vl{15});
  EXPECT_EQ(SlToVlMappingTable::modifier(PortNum{3}, PortNum{9}), 0x0309u);
  EXPECT_EQ(SlToVlMappingTable::modifier_all_inputs(PortNum{9}), 0x20009u);
  EXPECT_EQ(SlToVlMappingTable::kModifierAllPairs, 0x30000u);
}

TEST(Layout, VlArbitration) {
  VlArbitrationTable table;
  table.set_entry(0, {.vl = {15}, .weight = 0xAB});
  table.set_entry(31, {.vl = {1}, .weight = 4});
  expect_bytes(table, {{0, 0x0F}, {1, 0xAB}, {62, 1}, {63, 4}});
  EXPECT_EQ(table.entry(0), (VlArbitrationTable::Entry{.vl = {15}, .weight = 0xAB}));
  table.bytes()[0] = 0xF2;
  EXPECT_EQ(table.entry(0).vl, Vl{2}) << "the high nibble is reserved";
  using Block = VlArbitrationTable::Block;
  EXPECT_EQ(VlArbitrationTable::modifier(Block::low_first, PortNum{5}), 0x00010005u);
  EXPECT_EQ(VlArbitrationTable::modifier(Block::low_second, PortNum{5}), 0x00020005u);
  EXPECT_EQ(VlArbitrationTable::modifier(Block::high_first, PortNum{5}), 0x00030005u);
  EXPECT_EQ(VlArbitrationTable::modifier(Block::high_second, PortNum{5}), 0x00040005u);
}

TEST(Layout, LinearForwardingTable) {
  LinearForwardingTable table;
  table.set_port(0, kNoPort);
  table.set_port(63, {36});
  expect_bytes(table, {{0, 0xFF}, {63, 36}});
  EXPECT_EQ(table.port(63), PortNum{36});
  EXPECT_EQ(LinearForwardingTable::modifier(767), 767u);
  EXPECT_EQ(LinearForwardingTable::block_index(Lid{63}), 0u);
  EXPECT_EQ(LinearForwardingTable::block_index(kUnicastLidMax), 767u);
}

TEST(Layout, MulticastForwardingTable) {
  MulticastForwardingTable table;
  table.set_port_mask(0, 0x0001);
  table.set_port_mask(31, 0x8001);
  expect_bytes(table, {{1, 1}, {62, 0x80}, {63, 1}});
  EXPECT_EQ(table.port_mask(31), 0x8001);
  EXPECT_EQ(MulticastForwardingTable::modifier(3, 15), 0xF0000003u);
  EXPECT_EQ(MulticastForwardingTable::modifier(511, 0), 511u);
  EXPECT_EQ(MulticastForwardingTable::block_index(kMlidMin), 0u);
  EXPECT_EQ(MulticastForwardingTable::block_index(kMlidMax), 511u);
}

TEST(Layout, GuidInfo) {
  GuidInfo info;
  info.set_guid(7, {0x0102030405060708});
  expect_bytes(info, {{56, 1}, {57, 2}, {58, 3}, {59, 4}, {60, 5}, {61, 6}, {62, 7}, {63, 8}});
  EXPECT_EQ(GuidInfo::modifier(31), 31u);
}

TEST(Layout, SwitchPortStateTable) {
  SwitchPortStateTable table;
  table.set_port_state(0, PortState::active);
  table.set_port_state(1, PortState::init);
  table.set_port_state(127, PortState::down);
  expect_bytes(table, {{0, 0x42}, {63, 0x01}});
  EXPECT_EQ(table.port_state(1), PortState::init);
  EXPECT_EQ(SwitchPortStateTable::modifier(1, false), 1u);
  EXPECT_EQ(SwitchPortStateTable::modifier(0, true), 0x8000u);
  EXPECT_EQ(SwitchPortStateTable::block_index(PortNum{127}), 0u);
  EXPECT_EQ(SwitchPortStateTable::block_index(PortNum{128}), 1u);
}

TEST(Layout, HierarchyInfo) {
  HierarchyInfo info;
  info.set_template_guid({0x0100000000000002});
  info.set_max_supported_index(3);
  info.set_max_active_index(4);
  info.set_active_levels(5);
  info.set_level(0, 0x06000000);
  info.set_level(12, 7);
  expect_bytes(info, {{0, 1}, {7, 2}, {8, 3}, {9, 4}, {10, 0x50}, {12, 6}, {63, 7}});
  EXPECT_EQ(info.template_guid(), Guid{0x0100000000000002});
  EXPECT_EQ(info.max_supported_index(), 3);
  EXPECT_EQ(info.max_active_index(), 4);
  EXPECT_EQ(info.active_levels(), 5);
  EXPECT_EQ(info.level(12), 7u);
  EXPECT_EQ(HierarchyInfo::modifier(2, PortNum{9}), 0x0209u);
}

TEST(Layout, VendorDiagAndLedInfo) {
  VendorDiag diag;
  diag.set_next_index(0x0102);
  expect_bytes(diag, {{0, 1}, {1, 2}});
  EXPECT_EQ(diag.data().data(), diag.bytes().data() + 2);
  EXPECT_EQ(diag.next_index(), 0x0102);
  LedInfo led;
  led.set_led_mask(true);
  expect_bytes(led, {{0, 0x80}});
  EXPECT_TRUE(led.led_mask());
  EXPECT_EQ(LedInfo::modifier(PortNum{4}), 4u);
}

TEST(Modifiers, OfPortAttributes) {
  EXPECT_EQ(PortInfo::modifier(PortNum{7}, false), 7u);
  EXPECT_EQ(PortInfo::modifier(PortNum{254}, true), 0x800000FEu);
  EXPECT_EQ(PortInfoExtended::modifier(PortNum{7}), 7u);
  EXPECT_EQ(MlnxExtPortInfo::modifier(PortNum{7}), 7u);
  EXPECT_EQ(SmInfo::modifier(SmControl::discover), 5u);
}

TEST(Codes, Mtu) {
  EXPECT_EQ(mtu_bytes(Mtu::mtu_256), 256u);
  EXPECT_EQ(mtu_bytes(Mtu::mtu_4096), 4096u);
  EXPECT_EQ(mtu_bytes(Mtu{0}), std::nullopt);
  EXPECT_EQ(mtu_bytes(Mtu{6}), std::nullopt);
}

TEST(Codes, DataVls) {
  EXPECT_EQ(data_vls(0), 0u);
  EXPECT_EQ(data_vls(1), 1u);
  EXPECT_EQ(data_vls(4), 8u);
  EXPECT_EQ(data_vls(5), 15u);
  EXPECT_EQ(data_vls(6), 0u);
}

TEST(Codes, NodeTypeOutOfRangeStaysReadable) {
  NodeInfo info;
  info.bytes()[2] = 77;
  EXPECT_EQ(info.node_type_raw(), 77);
  EXPECT_EQ(name(info.node_type()), "");
}

}  // namespace
}  // namespace mad
