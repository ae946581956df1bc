// Every accessor against libibmad's tables, in both directions. Fields that libibmad lacks or has
// wrong are in attr_layout.cpp.
#include <gtest/gtest.h>
#include <infiniband/mad.h>

#include <bit>
#include <set>

#include "mad/attributes/all.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace {

using test::kRounds;
using test::Random;

std::uint64_t oracle_read(std::array<std::uint8_t, 64> bytes, MAD_FIELDS field, bool wide) {
  return wide ? mad_get_field64(bytes.data(), 0, field) : mad_get_field(bytes.data(), 0, field);
}

/// Compares pairs of accessors with libibmad's fields, and at the end the fields without a pair
/// with `not_covered`.
template <class A>
class Oracle {
 public:
  explicit Oracle(std::set<std::string> not_covered = {}) : not_covered_(std::move(not_covered)) {}
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  ~Oracle() {
    std::set<std::string> untouched;
    for (const Field& field : A::kFields)
      if (!touched_.contains(std::string(field.name))) untouched.insert(std::string(field.name));
    EXPECT_EQ(untouched, not_covered_);
  }

  template <class T, class Base>
  void check(MAD_FIELDS oracle, T (Base::*get)() const, void (Base::*set)(T)) {
    A ones;
    (ones.*set)(from_raw<T>(~std::uint64_t{0}));
    const auto changes = diff(A(), ones);
    ASSERT_EQ(changes.size(), 1u) << "a setter writes one field";
    const std::string label = changes[0].name;
    const auto width = static_cast<unsigned>(std::popcount(changes[0].after));
    touched_.insert(label);
    for (unsigned round = 0; round < kRounds; ++round) {
      const auto bytes = random_.attribute();
      ASSERT_EQ(to_raw((A(bytes).*get)()), oracle_read(bytes, oracle, width > 32)) << label;
      const std::uint64_t value = random_.number(width);
      auto expected = bytes;
      if (width > 32)
        mad_set_field64(expected.data(), 0, oracle, value);
      else
        mad_set_field(expected.data(), 0, oracle, static_cast<std::uint32_t>(value));
      A ours(bytes);
      (ours.*set)(from_raw<T>(value));
      ASSERT_EQ(ours, A(expected)) << label << " := " << value;
      ASSERT_EQ(to_raw((ours.*get)()), value) << label;
    }
  }

 private:
  std::set<std::string> touched_, not_covered_;
  Random random_{5};
};

TEST(LibibmadOracle, NodeInfo) {
  using A = NodeInfo;
  Oracle<A> oracle;
  oracle.check(IB_NODE_BASE_VERS_F, &A::base_version, &A::set_base_version);
  oracle.check(IB_NODE_CLASS_VERS_F, &A::class_version, &A::set_class_version);
  oracle.check(IB_NODE_TYPE_F, &A::node_type, &A::set_node_type);
  oracle.check(IB_NODE_NPORTS_F, &A::num_ports, &A::set_num_ports);
  oracle.check(IB_NODE_SYSTEM_GUID_F, &A::system_image_guid, &A::set_system_image_guid);
  oracle.check(IB_NODE_GUID_F, &A::node_guid, &A::set_node_guid);
  oracle.check(IB_NODE_PORT_GUID_F, &A::port_guid, &A::set_port_guid);
  oracle.check(IB_NODE_PARTITION_CAP_F, &A::partition_cap, &A::set_partition_cap);
  oracle.check(IB_NODE_DEVID_F, &A::device_id, &A::set_device_id);
  oracle.check(IB_NODE_REVISION_F, &A::revision, &A::set_revision);
  oracle.check(IB_NODE_LOCAL_PORT_F, &A::local_port_num, &A::set_local_port_num);
  oracle.check(IB_NODE_VENDORID_F, &A::vendor_id, &A::set_vendor_id);
}

TEST(LibibmadOracle, SwitchInfo) {
  using A = SwitchInfo;
  Oracle<A> oracle;
  oracle.check(IB_SW_LINEAR_FDB_CAP_F, &A::linear_fdb_cap, &A::set_linear_fdb_cap);
  oracle.check(IB_SW_RANDOM_FDB_CAP_F, &A::random_fdb_cap, &A::set_random_fdb_cap);
  oracle.check(IB_SW_MCAST_FDB_CAP_F, &A::multicast_fdb_cap, &A::set_multicast_fdb_cap);
  oracle.check(IB_SW_LINEAR_FDB_TOP_F, &A::linear_fdb_top, &A::set_linear_fdb_top);
  oracle.check(IB_SW_DEF_PORT_F, &A::default_port, &A::set_default_port);
  oracle.check(IB_SW_DEF_MCAST_PRIM_F, &A::default_multicast_primary_port,
               &A::set_default_multicast_primary_port);
  oracle.check(IB_SW_DEF_MCAST_NOT_PRIM_F, &A::default_multicast_not_primary_port,
               &A::set_default_multicast_not_primary_port);
  oracle.check(IB_SW_LIFE_TIME_F, &A::life_time_value, &A::set_life_time_value);
  oracle.check(IB_SW_STATE_CHANGE_F, &A::port_state_change, &A::set_port_state_change);
  oracle.check(IB_SW_OPT_SLTOVL_MAPPING_F, &A::optimized_sl_to_vl_mapping_programming,
               &A::set_optimized_sl_to_vl_mapping_programming);
  oracle.check(IB_SW_LIDS_PER_PORT_F, &A::lids_per_port, &A::set_lids_per_port);
  oracle.check(IB_SW_PARTITION_ENFORCE_CAP_F, &A::partition_enforcement_cap,
               &A::set_partition_enforcement_cap);
  oracle.check(IB_SW_PARTITION_ENF_INB_F, &A::inbound_enforcement_cap,
               &A::set_inbound_enforcement_cap);
  oracle.check(IB_SW_PARTITION_ENF_OUTB_F, &A::outbound_enforcement_cap,
               &A::set_outbound_enforcement_cap);
  oracle.check(IB_SW_FILTER_RAW_INB_F, &A::filter_raw_inbound_cap, &A::set_filter_raw_inbound_cap);
  oracle.check(IB_SW_FILTER_RAW_OUTB_F, &A::filter_raw_outbound_cap,
               &A::set_filter_raw_outbound_cap);
  oracle.check(IB_SW_ENHANCED_PORT0_F, &A::enhanced_port_0, &A::set_enhanced_port_0);
  oracle.check(IB_SW_MCAST_FDB_TOP_F, &A::multicast_fdb_top, &A::set_multicast_fdb_top);
}

/// Fields of XDR, which libibmad has since rdma-core 56.
template <class Fields = MAD_FIELDS>
constexpr bool kHasXdr = requires { Fields::IB_PORT_LINK_SPEED_EXT_ACTIVE_2_F; };

template <class Fields = MAD_FIELDS>
void check_xdr([[maybe_unused]] Oracle<PortInfo>& oracle) {
  using A = PortInfo;
  if constexpr (kHasXdr<Fields>) {
    oracle.check(Fields::IB_PORT_LINK_SPEED_EXT_ACTIVE_2_F, &A::link_speed_ext_active2,
                 &A::set_link_speed_ext_active2);
    oracle.check(Fields::IB_PORT_LINK_SPEED_EXT_SUPPORTED_2_F, &A::link_speed_ext_supported2,
                 &A::set_link_speed_ext_supported2);
    oracle.check(Fields::IB_PORT_LINK_SPEED_EXT_ENABLED_2_F, &A::link_speed_ext_enabled2,
                 &A::set_link_speed_ext_enabled2);
  }
}

TEST(LibibmadOracle, PortInfo) {
  using A = PortInfo;
  std::set<std::string> not_covered;
  if (!kHasXdr<>)
    not_covered = {"LinkSpeedExtActive2", "LinkSpeedExtSupported2", "LinkSpeedExtEnabled2"};
  Oracle<A> oracle(std::move(not_covered));
  check_xdr(oracle);
  oracle.check(IB_PORT_MKEY_F, &A::m_key, &A::set_m_key);
  oracle.check(IB_PORT_GID_PREFIX_F, &A::gid_prefix, &A::set_gid_prefix);
  oracle.check(IB_PORT_LID_F, &A::lid, &A::set_lid);
  oracle.check(IB_PORT_SMLID_F, &A::master_sm_lid, &A::set_master_sm_lid);
  oracle.check(IB_PORT_CAPMASK_F, &A::capability_mask, &A::set_capability_mask);
  oracle.check(IB_PORT_DIAG_F, &A::diag_code, &A::set_diag_code);
  oracle.check(IB_PORT_MKEY_LEASE_F, &A::m_key_lease_period, &A::set_m_key_lease_period);
  oracle.check(IB_PORT_LOCAL_PORT_F, &A::local_port_num, &A::set_local_port_num);
  oracle.check(IB_PORT_LINK_WIDTH_ENABLED_F, &A::link_width_enabled, &A::set_link_width_enabled);
  oracle.check(IB_PORT_LINK_WIDTH_SUPPORTED_F, &A::link_width_supported,
               &A::set_link_width_supported);
  oracle.check(IB_PORT_LINK_WIDTH_ACTIVE_F, &A::link_width_active, &A::set_link_width_active);
  oracle.check(IB_PORT_LINK_SPEED_SUPPORTED_F, &A::link_speed_supported,
               &A::set_link_speed_supported);
  oracle.check(IB_PORT_STATE_F, &A::port_state, &A::set_port_state);
  oracle.check(IB_PORT_PHYS_STATE_F, &A::port_physical_state, &A::set_port_physical_state);
  oracle.check(IB_PORT_LINK_DOWN_DEF_F, &A::link_down_default_state,
               &A::set_link_down_default_state);
  oracle.check(IB_PORT_MKEY_PROT_BITS_F, &A::m_key_protect_bits, &A::set_m_key_protect_bits);
  oracle.check(IB_PORT_LMC_F, &A::lmc, &A::set_lmc);
  oracle.check(IB_PORT_LINK_SPEED_ACTIVE_F, &A::link_speed_active, &A::set_link_speed_active);
  oracle.check(IB_PORT_LINK_SPEED_ENABLED_F, &A::link_speed_enabled, &A::set_link_speed_enabled);
  oracle.check(IB_PORT_NEIGHBOR_MTU_F, &A::neighbor_mtu, &A::set_neighbor_mtu);
  oracle.check(IB_PORT_SMSL_F, &A::master_sm_sl, &A::set_master_sm_sl);
  oracle.check(IB_PORT_VL_CAP_F, &A::vl_cap, &A::set_vl_cap);
  oracle.check(IB_PORT_INIT_TYPE_F, &A::init_type, &A::set_init_type);
  oracle.check(IB_PORT_VL_HIGH_LIMIT_F, &A::vl_high_limit, &A::set_vl_high_limit);
  oracle.check(IB_PORT_VL_ARBITRATION_HIGH_CAP_F, &A::vl_arbitration_high_cap,
               &A::set_vl_arbitration_high_cap);
  oracle.check(IB_PORT_VL_ARBITRATION_LOW_CAP_F, &A::vl_arbitration_low_cap,
               &A::set_vl_arbitration_low_cap);
  oracle.check(IB_PORT_INIT_TYPE_REPLY_F, &A::init_type_reply, &A::set_init_type_reply);
  oracle.check(IB_PORT_MTU_CAP_F, &A::mtu_cap, &A::set_mtu_cap);
  oracle.check(IB_PORT_VL_STALL_COUNT_F, &A::vl_stall_count, &A::set_vl_stall_count);
  oracle.check(IB_PORT_HOQ_LIFE_F, &A::hoq_life, &A::set_hoq_life);
  oracle.check(IB_PORT_OPER_VLS_F, &A::operational_vls, &A::set_operational_vls);
  oracle.check(IB_PORT_PART_EN_INB_F, &A::partition_enforcement_inbound,
               &A::set_partition_enforcement_inbound);
  oracle.check(IB_PORT_PART_EN_OUTB_F, &A::partition_enforcement_outbound,
               &A::set_partition_enforcement_outbound);
  oracle.check(IB_PORT_FILTER_RAW_INB_F, &A::filter_raw_inbound, &A::set_filter_raw_inbound);
  oracle.check(IB_PORT_FILTER_RAW_OUTB_F, &A::filter_raw_outbound, &A::set_filter_raw_outbound);
  oracle.check(IB_PORT_MKEY_VIOL_F, &A::m_key_violations, &A::set_m_key_violations);
  oracle.check(IB_PORT_PKEY_VIOL_F, &A::p_key_violations, &A::set_p_key_violations);
  oracle.check(IB_PORT_QKEY_VIOL_F, &A::q_key_violations, &A::set_q_key_violations);
  oracle.check(IB_PORT_GUID_CAP_F, &A::guid_cap, &A::set_guid_cap);
  oracle.check(IB_PORT_CLIENT_REREG_F, &A::client_reregister, &A::set_client_reregister);
  oracle.check(IB_PORT_MCAST_PKEY_SUPR_ENAB_F, &A::multicast_p_key_trap_suppression_enabled,
               &A::set_multicast_p_key_trap_suppression_enabled);
  oracle.check(IB_PORT_SUBN_TIMEOUT_F, &A::subnet_time_out, &A::set_subnet_time_out);
  oracle.check(IB_PORT_RESP_TIME_VAL_F, &A::resp_time_value, &A::set_resp_time_value);
  oracle.check(IB_PORT_LOCAL_PHYS_ERR_F, &A::local_phy_errors, &A::set_local_phy_errors);
  oracle.check(IB_PORT_OVERRUN_ERR_F, &A::overrun_errors, &A::set_overrun_errors);
  oracle.check(IB_PORT_MAX_CREDIT_HINT_F, &A::max_credit_hint, &A::set_max_credit_hint);
  oracle.check(IB_PORT_LINK_ROUND_TRIP_F, &A::link_round_trip_latency,
               &A::set_link_round_trip_latency);
  oracle.check(IB_PORT_CAPMASK2_F, &A::capability_mask2, &A::set_capability_mask2);
  oracle.check(IB_PORT_LINK_SPEED_EXT_ACTIVE_F, &A::link_speed_ext_active,
               &A::set_link_speed_ext_active);
  oracle.check(IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, &A::link_speed_ext_supported,
               &A::set_link_speed_ext_supported);
  oracle.check(IB_PORT_LINK_SPEED_EXT_ENABLED_F, &A::link_speed_ext_enabled,
               &A::set_link_speed_ext_enabled);
}

TEST(LibibmadOracle, PortInfoExtended) {
  using A = PortInfoExtended;
  Oracle<A> oracle(
      {"HDRFECModeSupported", "HDRFECModeEnabled", "NDRFECModeSupported", "NDRFECModeEnabled"});
  oracle.check(IB_PORT_EXT_CAPMASK_F, &A::capability_mask, &A::set_capability_mask);
  oracle.check(IB_PORT_EXT_FEC_MODE_ACTIVE_F, &A::fec_mode_active, &A::set_fec_mode_active);
  oracle.check(IB_PORT_EXT_FDR_FEC_MODE_SUPPORTED_F, &A::fdr_fec_mode_supported,
               &A::set_fdr_fec_mode_supported);
  oracle.check(IB_PORT_EXT_FDR_FEC_MODE_ENABLED_F, &A::fdr_fec_mode_enabled,
               &A::set_fdr_fec_mode_enabled);
  oracle.check(IB_PORT_EXT_EDR_FEC_MODE_SUPPORTED_F, &A::edr_fec_mode_supported,
               &A::set_edr_fec_mode_supported);
  oracle.check(IB_PORT_EXT_EDR_FEC_MODE_ENABLED_F, &A::edr_fec_mode_enabled,
               &A::set_edr_fec_mode_enabled);
}

TEST(LibibmadOracle, SmInfo) {
  using A = SmInfo;
  Oracle<A> oracle;
  oracle.check(IB_SMINFO_GUID_F, &A::guid, &A::set_guid);
  oracle.check(IB_SMINFO_KEY_F, &A::sm_key, &A::set_sm_key);
  oracle.check(IB_SMINFO_ACT_F, &A::act_count, &A::set_act_count);
  oracle.check(IB_SMINFO_PRIO_F, &A::priority, &A::set_priority);
  oracle.check(IB_SMINFO_STATE_F, &A::sm_state, &A::set_sm_state);
}

TEST(LibibmadOracle, MlnxExtPortInfo) {
  using A = MlnxExtPortInfo;
  Oracle<A> oracle({"AMEEnabled", "SHArPANEnabled", "RouterLIDEnabled", "PortRecovered",
                    "CapabilityMask", "AdaptiveTimeoutSLMask", "OOOSLMask"});
  oracle.check(IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F, &A::state_change_enable,
               &A::set_state_change_enable);
  oracle.check(IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F, &A::link_speed_supported,
               &A::set_link_speed_supported);
  oracle.check(IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, &A::link_speed_enabled,
               &A::set_link_speed_enabled);
  oracle.check(IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, &A::link_speed_active,
               &A::set_link_speed_active);
}

TEST(LibibmadOracle, Notice) {
  using A = Notice;
  Oracle<A> oracle({"NoticeCount", "DataDetails"});
  oracle.check(IB_NOTICE_IS_GENERIC_F, &A::is_generic, &A::set_is_generic);
  oracle.check(IB_NOTICE_TYPE_F, &A::type, &A::set_type);
  oracle.check(IB_NOTICE_PRODUCER_F, &A::producer_type, &A::set_producer_type);
  oracle.check(IB_NOTICE_TRAP_NUMBER_F, &A::trap_number, &A::set_trap_number);
  oracle.check(IB_NOTICE_ISSUER_LID_F, &A::issuer_lid, &A::set_issuer_lid);
  oracle.check(IB_NOTICE_TOGGLE_F, &A::notice_toggle, &A::set_notice_toggle);
}

TEST(LibibmadOracle, TrapDetails) {
  const std::set<std::string> header{"IsGeneric", "Type",         "ProducerType", "TrapNumber",
                                     "IssuerLID", "NoticeToggle", "NoticeCount"};
  const auto header_and = [&](std::set<std::string> more) {
    more.insert(header.begin(), header.end());
    return more;
  };
  Oracle<LinkStateNotice> link(header);
  link.check(IB_NOTICE_DATA_LID_F, &LinkStateNotice::lid, &LinkStateNotice::set_lid);
  using A = LocalChangeNotice;
  Oracle<A> change(header_and({"OtherLocalChanges", "ChangeFlags", "CapabilityMask2"}));
  change.check(IB_NOTICE_DATA_144_LID_F, &A::lid, &A::set_lid);
  change.check(IB_NOTICE_DATA_144_CAPMASK_F, &A::capability_mask, &A::set_capability_mask);
}

TEST(LibibmadOracle, GuidInfo) {
  constexpr std::array fields{IB_GI_GUID0_F, IB_GI_GUID1_F, IB_GI_GUID2_F, IB_GI_GUID3_F,
                              IB_GI_GUID4_F, IB_GI_GUID5_F, IB_GI_GUID6_F, IB_GI_GUID7_F};
  Random random(6);
  for (unsigned i = 0; i < fields.size(); ++i) {
    auto bytes = random.attribute();
    EXPECT_EQ(GuidInfo(bytes).guid(i).value, mad_get_field64(bytes.data(), 0, fields[i]));
    GuidInfo ours(bytes);
    const std::uint64_t value = random.number(64);
    ours.set_guid(i, {value});
    mad_set_field64(bytes.data(), 0, fields[i], value);
    EXPECT_EQ(ours, GuidInfo(bytes));
  }
}

TEST(LibibmadOracle, NodeDescription) {
  Random random(7);
  auto bytes = random.attribute();
  std::array<std::uint8_t, 65> text{};
  mad_get_array(bytes.data(), 0, IB_NODE_DESC_F, text.data());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), text.begin()));
}

TEST(LibibmadOracle, NumbersOfIdsMethodsAndStatus) {
  EXPECT_EQ(to_raw(AttributeId::notice), IB_SA_ATTR_NOTICE);
  EXPECT_EQ(to_raw(AttributeId::node_description), IB_ATTR_NODE_DESC);
  EXPECT_EQ(to_raw(AttributeId::node_info), IB_ATTR_NODE_INFO);
  EXPECT_EQ(to_raw(AttributeId::switch_info), IB_ATTR_SWITCH_INFO);
  EXPECT_EQ(to_raw(AttributeId::guid_info), IB_ATTR_GUID_INFO);
  EXPECT_EQ(to_raw(AttributeId::port_info), IB_ATTR_PORT_INFO);
  EXPECT_EQ(to_raw(AttributeId::p_key_table), IB_ATTR_PKEY_TBL);
  EXPECT_EQ(to_raw(AttributeId::sl_to_vl_mapping_table), IB_ATTR_SLVL_TABLE);
  EXPECT_EQ(to_raw(AttributeId::vl_arbitration_table), IB_ATTR_VL_ARBITRATION);
  EXPECT_EQ(to_raw(AttributeId::linear_forwarding_table), IB_ATTR_LINEARFORWTBL);
  EXPECT_EQ(to_raw(AttributeId::multicast_forwarding_table), IB_ATTR_MULTICASTFORWTBL);
  EXPECT_EQ(to_raw(AttributeId::sm_info), IB_ATTR_SMINFO);
  EXPECT_EQ(to_raw(AttributeId::port_info_extended), IB_ATTR_PORT_INFO_EXT);
  EXPECT_EQ(to_raw(AttributeId::mlnx_ext_port_info), IB_ATTR_MLNX_EXT_PORT_INFO);
  EXPECT_EQ(to_raw(Method::get), IB_MAD_METHOD_GET);
  EXPECT_EQ(to_raw(Method::set), IB_MAD_METHOD_SET);
  EXPECT_EQ(to_raw(Method::get_resp), IB_MAD_METHOD_GET_RESPONSE);
  EXPECT_EQ(to_raw(Method::send), IB_MAD_METHOD_SEND);
  EXPECT_EQ(to_raw(Method::trap), IB_MAD_METHOD_TRAP);
  EXPECT_EQ(to_raw(Method::trap_repress), IB_MAD_METHOD_TRAP_REPRESS);
  EXPECT_EQ(to_raw(Method::report_resp), IB_MAD_METHOD_REPORT_RESPONSE);
  EXPECT_EQ(to_raw(Method::get_table_resp), IB_MAD_METHOD_GET_TABLE_RESPONSE);
  EXPECT_EQ(to_raw(Method::get_trace_table_resp), IB_MAD_METHOD_GET_TRACE_TABLE_RESPONSE);
  EXPECT_EQ(to_raw(Method::get_multi_resp), IB_MAD_METHOD_GETMULTI_RESPONSE);
  EXPECT_EQ(to_raw(Method::delete_resp), IB_MAD_METHOD_DELETE_RESPONSE);
  EXPECT_EQ(to_raw(MgmtClass::sm_lid), IB_SMI_CLASS);
  EXPECT_EQ(to_raw(MgmtClass::sm_directed), IB_SMI_DIRECT_CLASS);
  EXPECT_EQ(to_raw(MgmtClass::sa), IB_SA_CLASS);
  EXPECT_EQ(to_raw(MgmtClass::performance), IB_PERFORMANCE_CLASS);
  EXPECT_EQ(to_raw(MgmtClass::congestion_control), IB_CC_CLASS);
  EXPECT_EQ(status::kBusy, IB_MAD_STS_BUSY);
  EXPECT_EQ(status::kRedirect, IB_MAD_STS_REDIRECT);
  EXPECT_EQ(status::kBadVersion, IB_MAD_STS_BAD_BASE_VER_OR_CLASS);
  EXPECT_EQ(status::kMethodUnsupported, IB_MAD_STS_METHOD_NOT_SUPPORTED);
  EXPECT_EQ(status::kMethodAttributeUnsupported, IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED);
  EXPECT_EQ(status::kInvalidValue, IB_MAD_STS_INV_ATTR_VALUE);
  EXPECT_EQ(to_raw(NodeType::ca), static_cast<std::uint64_t>(IB_NODE_CA));
  EXPECT_EQ(to_raw(NodeType::router), static_cast<std::uint64_t>(IB_NODE_ROUTER));
}

}  // namespace
}  // namespace mad
