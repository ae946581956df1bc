// Tables of performance and congestion control attributes against libibmad's; literal layouts of
// vendor attributes.
#include <gtest/gtest.h>
#include <infiniband/mad.h>

#include "mad/attributes/all.h"
#include "mad/attributes/class_port_info.h"
#include "mad/attributes/congestion_control.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace {

struct Pair {
  Field ours;
  MAD_FIELDS theirs;
};

/// Our field and libibmad's read equal values from random bytes, and write equal bytes.
void expect_same(std::initializer_list<Pair> pairs) {
  test::Random random(21);
  for (const auto& [ours, theirs] : pairs) {
    for (unsigned round = 0; round < test::kRounds; ++round) {
      std::array<std::uint8_t, kGmpDataBytes> bytes{};
      random.fill(bytes);
      const bool wide = ours.width > 32;
      ASSERT_EQ(read(bytes, ours), wide ? mad_get_field64(bytes.data(), 0, theirs)
                                        : mad_get_field(bytes.data(), 0, theirs))
          << ours.name;
      auto expected = bytes;
      const std::uint64_t value = random.number(ours.width);
      if (wide) {
        mad_set_field64(expected.data(), 0, theirs, value);
      } else {
        mad_set_field(expected.data(), 0, theirs, static_cast<std::uint32_t>(value));
      }
      write(bytes, ours, value);
      ASSERT_EQ(bytes, expected) << ours.name;
    }
  }
}

template <class Table, FieldName name>
consteval Field of() {
  return find_field(Table::kFields, name.view());
}

TEST(LibibmadOracle, ClassPortInfo) {
  using T = ClassPortInfoFields;  // without the flow labels: libibmad 44 includes the SL
  expect_same({{of<T, "BaseVersion">(), IB_CPI_BASEVER_F},
               {of<T, "ClassVersion">(), IB_CPI_CLASSVER_F},
               {of<T, "CapabilityMask">(), IB_CPI_CAPMASK_F},
               {of<T, "CapabilityMask2">(), IB_CPI_CAPMASK2_F},
               {of<T, "RespTimeValue">(), IB_CPI_RESP_TIME_VALUE_F},
               {of<T, "RedirectTC">(), IB_CPI_REDIRECT_TC_F},
               {of<T, "RedirectSL">(), IB_CPI_REDIRECT_SL_F},
               {of<T, "RedirectLID">(), IB_CPI_REDIRECT_LID_F},
               {of<T, "RedirectP_Key">(), IB_CPI_REDIRECT_PKEY_F},
               {of<T, "RedirectQP">(), IB_CPI_REDIRECT_QP_F},
               {of<T, "RedirectQ_Key">(), IB_CPI_REDIRECT_QKEY_F},
               {of<T, "TrapTC">(), IB_CPI_TRAP_TC_F},
               {of<T, "TrapSL">(), IB_CPI_TRAP_SL_F},
               {of<T, "TrapLID">(), IB_CPI_TRAP_LID_F},
               {of<T, "TrapP_Key">(), IB_CPI_TRAP_PKEY_F},
               {of<T, "TrapHL">(), IB_CPI_TRAP_HL_F},
               {of<T, "TrapQP">(), IB_CPI_TRAP_QP_F},
               {of<T, "TrapQ_Key">(), IB_CPI_TRAP_QKEY_F}});
}

TEST(LibibmadOracle, PortCounters) {
  using T = PortCountersFields;  // QP1Dropped: libibmad 44 reads VL15Dropped
  expect_same({{of<T, "PortSelect">(), IB_PC_PORT_SELECT_F},
               {of<T, "CounterSelect">(), IB_PC_COUNTER_SELECT_F},
               {of<T, "SymbolErrorCounter">(), IB_PC_ERR_SYM_F},
               {of<T, "LinkErrorRecoveryCounter">(), IB_PC_LINK_RECOVERS_F},
               {of<T, "LinkDownedCounter">(), IB_PC_LINK_DOWNED_F},
               {of<T, "PortRcvErrors">(), IB_PC_ERR_RCV_F},
               {of<T, "PortRcvRemotePhysicalErrors">(), IB_PC_ERR_PHYSRCV_F},
               {of<T, "PortRcvSwitchRelayErrors">(), IB_PC_ERR_SWITCH_REL_F},
               {of<T, "PortXmitDiscards">(), IB_PC_XMT_DISCARDS_F},
               {of<T, "PortXmitConstraintErrors">(), IB_PC_ERR_XMTCONSTR_F},
               {of<T, "PortRcvConstraintErrors">(), IB_PC_ERR_RCVCONSTR_F},
               {of<T, "CounterSelect2">(), IB_PC_COUNTER_SELECT2_F},
               {of<T, "LocalLinkIntegrityErrors">(), IB_PC_ERR_LOCALINTEG_F},
               {of<T, "ExcessiveBufferOverrunErrors">(), IB_PC_ERR_EXCESS_OVR_F},
               {of<T, "VL15Dropped">(), IB_PC_VL15_DROPPED_F},
               {of<T, "PortXmitData">(), IB_PC_XMT_BYTES_F},
               {of<T, "PortRcvData">(), IB_PC_RCV_BYTES_F},
               {of<T, "PortXmitPkts">(), IB_PC_XMT_PKTS_F},
               {of<T, "PortRcvPkts">(), IB_PC_RCV_PKTS_F},
               {of<T, "PortXmitWait">(), IB_PC_XMT_WAIT_F}});
  EXPECT_EQ((of<T, "QP1Dropped">().bit), 160u);
}

TEST(LibibmadOracle, PortCountersExtended) {
  using T = PortCountersExtendedFields;
  expect_same({{of<T, "PortSelect">(), IB_PC_EXT_PORT_SELECT_F},
               {of<T, "CounterSelect">(), IB_PC_EXT_COUNTER_SELECT_F},
               {of<T, "CounterSelect2">(), IB_PC_EXT_COUNTER_SELECT2_F},
               {of<T, "PortXmitData">(), IB_PC_EXT_XMT_BYTES_F},
               {of<T, "PortRcvData">(), IB_PC_EXT_RCV_BYTES_F},
               {of<T, "PortXmitPkts">(), IB_PC_EXT_XMT_PKTS_F},
               {of<T, "PortRcvPkts">(), IB_PC_EXT_RCV_PKTS_F},
               {of<T, "PortUnicastXmitPkts">(), IB_PC_EXT_XMT_UPKTS_F},
               {of<T, "PortUnicastRcvPkts">(), IB_PC_EXT_RCV_UPKTS_F},
               {of<T, "PortMulticastXmitPkts">(), IB_PC_EXT_XMT_MPKTS_F},
               {of<T, "PortMulticastRcvPkts">(), IB_PC_EXT_RCV_MPKTS_F},
               {of<T, "SymbolErrorCounter">(), IB_PC_EXT_ERR_SYM_F},
               {of<T, "LinkErrorRecoveryCounter">(), IB_PC_EXT_LINK_RECOVERS_F},
               {of<T, "LinkDownedCounter">(), IB_PC_EXT_LINK_DOWNED_F},
               {of<T, "PortRcvErrors">(), IB_PC_EXT_ERR_RCV_F},
               {of<T, "PortRcvRemotePhysicalErrors">(), IB_PC_EXT_ERR_PHYSRCV_F},
               {of<T, "PortRcvSwitchRelayErrors">(), IB_PC_EXT_ERR_SWITCH_REL_F},
               {of<T, "PortXmitDiscards">(), IB_PC_EXT_XMT_DISCARDS_F},
               {of<T, "PortXmitConstraintErrors">(), IB_PC_EXT_ERR_XMTCONSTR_F},
               {of<T, "PortRcvConstraintErrors">(), IB_PC_EXT_ERR_RCVCONSTR_F},
               {of<T, "LocalLinkIntegrityErrors">(), IB_PC_EXT_ERR_LOCALINTEG_F},
               {of<T, "ExcessiveBufferOverrunErrors">(), IB_PC_EXT_ERR_EXCESS_OVR_F},
               {of<T, "VL15Dropped">(), IB_PC_EXT_VL15_DROPPED_F},
               {of<T, "PortXmitWait">(), IB_PC_EXT_XMT_WAIT_F},
               {of<T, "QP1Dropped">(), IB_PC_EXT_QP1_DROP_F}});
}

TEST(LibibmadOracle, DetailsOfCounters) {
  const auto rows = [](const auto& fields, int first) {
    for (std::size_t i = 0; i < fields.size(); ++i)
      expect_same({{fields[i], static_cast<MAD_FIELDS>(first + static_cast<int>(i))}});
  };
  rows(PortRcvErrorDetailsFields::kFields, IB_PC_RCV_LOCAL_PHY_ERR_F);
  rows(PortXmitDiscardDetailsFields::kFields, IB_PC_XMT_INACT_DISC_F);
  rows(PortXmitDataSlFields::kFields, IB_PC_XMT_DATA_SL0_F);
  rows(PortRcvDataSlFields::kFields, IB_PC_RCV_DATA_SL0_F);
}

TEST(LibibmadOracle, CongestionControl) {
  expect_same(
      {{of<CongestionInfoFields, "CongestionInfo">(), IB_CC_CONGESTION_INFO_F},
       {of<CongestionInfoFields, "ControlTableCap">(), IB_CC_CONGESTION_INFO_CONTROL_TABLE_CAP_F},
       {of<CongestionKeyInfoFields, "CC_Key">(), IB_CC_CONGESTION_KEY_INFO_CC_KEY_F},
       {of<CongestionKeyInfoFields, "CC_KeyProtectBit">(),
        IB_CC_CONGESTION_KEY_INFO_CC_KEY_PROTECT_BIT_F},
       {of<CongestionKeyInfoFields, "CC_KeyLeasePeriod">(),
        IB_CC_CONGESTION_KEY_INFO_CC_KEY_LEASE_PERIOD_F},
       {of<CongestionKeyInfoFields, "CC_KeyViolations">(),
        IB_CC_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS_F},
       {of<SwitchCongestionSettingFields, "ControlMap">(),
        IB_CC_SWITCH_CONGESTION_SETTING_CONTROL_MAP_F},
       {of<SwitchCongestionSettingFields, "Threshold">(),
        IB_CC_SWITCH_CONGESTION_SETTING_THRESHOLD_F},
       {of<SwitchCongestionSettingFields, "PacketSize">(),
        IB_CC_SWITCH_CONGESTION_SETTING_PACKET_SIZE_F},
       {of<SwitchCongestionSettingFields, "CSThreshold">(),
        IB_CC_SWITCH_CONGESTION_SETTING_CS_THRESHOLD_F},
       {of<SwitchCongestionSettingFields, "CSReturnDelay">(),
        IB_CC_SWITCH_CONGESTION_SETTING_CS_RETURN_DELAY_F},
       {of<SwitchCongestionSettingFields, "MarkingRate">(),
        IB_CC_SWITCH_CONGESTION_SETTING_MARKING_RATE_F},
       {of<SwitchPortCongestionElementFields, "Valid">(),
        IB_CC_SWITCH_PORT_CONGESTION_SETTING_ELEMENT_VALID_F},
       {of<SwitchPortCongestionElementFields, "MarkingRate">(),
        IB_CC_SWITCH_PORT_CONGESTION_SETTING_ELEMENT_CONG_PARM_MARKING_RATE_F},
       {of<CaCongestionSettingFields, "PortControl">(), IB_CC_CA_CONGESTION_SETTING_PORT_CONTROL_F},
       {of<CaCongestionSettingFields, "ControlMap">(), IB_CC_CA_CONGESTION_SETTING_CONTROL_MAP_F},
       {of<CaCongestionEntryFields, "CCTITimer">(), IB_CC_CA_CONGESTION_ENTRY_CCTI_TIMER_F},
       {of<CaCongestionEntryFields, "CCTIMin">(), IB_CC_CA_CONGESTION_ENTRY_CCTI_MIN_F},
       {of<CongestionControlTableFields, "CCTILimit">(),
        IB_CC_CONGESTION_CONTROL_TABLE_CCTI_LIMIT_F},
       {of<CongestionControlTableEntryFields, "Shift">(),
        IB_CC_CONGESTION_CONTROL_TABLE_ENTRY_CCT_SHIFT_F},
       {of<CongestionTimeStampFields, "TimeStamp">(), IB_CC_TIMESTAMP_F}});
}

template <class A>
void expect_bytes(const A& attribute, std::initializer_list<std::pair<unsigned, unsigned>> bytes) {
  A expected;
  for (const auto& [at, value] : bytes) expected.bytes()[at] = static_cast<std::uint8_t>(value);
  EXPECT_EQ(attribute, expected) << dump(attribute);
}

TEST(Layout, VirtualizationInfoAndVPortInfo) {
  VirtualizationInfo info;
  info.set_vport_cap(0x0102);
  info.set_vport_index_top(0x0304);
  info.set_virtualization_enable(true);
  info.set_vport_state_change(true);
  info.set_virtualization_revision(5);
  info.set_capability_mask(6);
  expect_bytes(info, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0xA0}, {6, 5}, {7, 6}});
  VPortInfo vport;
  vport.set_vport_state(PortState::active);
  vport.set_lid_required(true);
  vport.set_guid_cap(7);
  vport.set_vport_lid({0x0809});
  vport.set_lid_by_vport_index(0x0A0B);
  vport.set_port_guid({0x0C});
  expect_bytes(vport, {{0, 0x44}, {1, 7}, {8, 8}, {9, 9}, {10, 10}, {11, 11}, {19, 12}});
  VNodeInfo node;
  node.set_partition_cap(0x0102);
  node.set_local_port_num({3});
  node.set_num_ports(4);
  node.set_vnode_guid({5});
  expect_bytes(node, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {11, 5}});
  VPortState states;
  states.set_state(0, PortState::init);
  states.set_state(127, PortState::active);
  expect_bytes(states, {{0, 0x20}, {63, 0x04}});
}

TEST(Layout, VendorNotices) {
  VPortStateNotice state;
  state.set_vendor_id(VPortStateNotice::kVendor);
  state.set_vendor_trap_number(1146);
  state.set_lid({7});
  expect_bytes(state, {{2, 0x02}, {3, 0xC9}, {13, 7}, {62, 0x04}, {63, 0x7A}});
  EXPECT_EQ(VPortStateNotice::from(Notice(state.bytes())), state);
  EXPECT_FALSE(VPortLocalChangeNotice::from(Notice(state.bytes())));
  VPortLocalChangeNotice change;
  change.set_other_local_changes(true);
  change.set_change_flags(VPortLocalChangeNotice::kVNodeDescription);
  change.set_vport_index(3);
  expect_bytes(change, {{15, 1}, {19, 1}, {23, 3}});
}

TEST(Layout, GeneralInfoCountsCapabilitiesFromTheLowEndOfEachDword) {
  GeneralInfo info;
  info.set(GeneralCapability::virtualization);
  info.set(GeneralCapability::ext_switch_info);
  expect_bytes(info, {{2, 0x80}, {11, 0x08}});
  EXPECT_TRUE(info.has(GeneralCapability::ext_switch_info));
  EXPECT_FALSE(info.has(GeneralCapability::private_lft));
}

TEST(Layout, AdaptiveRouting) {
  AdaptiveRoutingInfo info;
  info.set_enable(true);
  info.set_by_sl_cap(true);
  info.set_group_top(0x123);
  info.set_group_cap(0x800);
  info.set_hbf_enable_by_sl_mask(0x0102);
  expect_bytes(info, {{0, 0x08}, {3, 0x01}, {5, 0x12}, {6, 0x38}, {26, 1}, {27, 2}});
  ArLinearForwardingTable table;
  table.set_entry(1, {.state = ArLidState::static_, .table = 3, .static_port = {4}, .group = 5});
  expect_bytes(table, {{4, 0x83}, {5, 4}, {7, 5}});
  ArGroupTable groups;
  groups.set_port(0, PortNum{1});
  groups.set_port(1, PortNum{40});
  expect_bytes(groups, {{31, 0x02}, {58, 0x01}});
  EXPECT_TRUE(groups.has_port(1, PortNum{40}));
  EXPECT_FALSE(groups.has_port(1, PortNum{41}));
  ArGroupTableCopy copy;
  copy.set_range(1, {.first = 0x102, .last = 0x203});
  expect_bytes(copy, {{4, 0x02}, {5, 0x03}, {6, 0x01}, {7, 0x02}});
  PfrnConfig notices;
  notices.set_sl({3});
  notices.set_mask_force_clear_timeout(720);
  notices.set_mask_clear_timeout(180);
  expect_bytes(notices, {{8, 0x30}, {12, 0x02}, {13, 0xD0}, {15, 180}});
  PrivateLftInfo lfts;
  lfts.set_num_plfts(2);
  lfts.set_banks(1, 3, 4);
  expect_bytes(lfts, {{1, 2}, {6, 3}, {7, 4}});
}

TEST(Layout, RoutersAndQualityOfService) {
  RouterInfo info;
  info.set_next_hop_cap(1);
  info.set_adj_table_change(true);
  info.set_adj_cap(2);
  info.set_global_router_lid_start(0xABCDE);
  expect_bytes(info, {{7, 1}, {12, 0x80}, {15, 2}, {25, 0x0A}, {26, 0xBC}, {27, 0xDE}});
  NextHopTable hops;
  hops.set_entry(1, {.subnet_prefix = 1, .weight = 2, .p_key = {0x8003}});
  expect_bytes(hops, {{23, 1}, {24, 2}, {26, 0x80}, {27, 3}});
  QosConfigSl qos;
  qos.set_entry({1}, {.bw_alloc = 0x123, .rate_limit = 0x45678});
  expect_bytes(qos, {{4, 0x12}, {5, 0x34}, {6, 0x56}, {7, 0x78}});
}

}  // namespace
}  // namespace mad
