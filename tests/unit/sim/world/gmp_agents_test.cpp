// Performance management and congestion control on QP1.
#include "unit/sim/world/requester.h"

#include "mad/attributes/class_port_info.h"
#include "mad/attributes/congestion_control.h"
#include "mad/format.h"
#include "sim/world/named_counters.h"
#include "sm/ctl/topology/generators.h"

namespace gmp_agents_test {

using mad::CongestionControlAttribute;
using mad::Method;
using mad::PerformanceAttribute;
using requester::Reply;
using requester::Requester;

constexpr std::uint16_t kInvalid = mad::status::kInvalidValue,
                        kUnsupported = mad::status::kMethodAttributeUnsupported;
using Data = std::array<std::uint8_t, mad::kGmpDataBytes>;

struct GmpAgents : testing::Test {
  GmpAgents() : a(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})) {
    a.bring_up();
  }

  std::optional<Reply> request(mad::MgmtClass mgmt_class, std::uint8_t version, Method method,
                               std::uint16_t attribute, std::uint32_t modifier,
                               const std::string& node, const Data& data,
                               std::uint64_t cc_key = 0) {
    mad::MadBytes bytes{};
    mad::MadView mad{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
    mad.set_base_version(1);
    mad.set_mgmt_class(mgmt_class);
    mad.set_class_version(version);
    mad.set_method(method);
    mad.set_transaction_id(++a.transaction);
    mad.set_attribute_id(mad::AttributeId{attribute});
    mad.set_attribute_modifier(modifier);
    if (cc_key != 0)
      mad::set_field<mad::CongestionControlHeaderFields, "CC_Key">(mad.bytes(), cc_key);
    std::ranges::copy(data, mad::gmp_data(mad).begin());
    return a.exchange(bytes, {.lid = a.lid(node), .qpn = 1, .qkey = 0x80010000});
  }
  std::optional<Reply> pm(Method method, PerformanceAttribute attribute, const std::string& node,
                          const Data& data = {}) {
    return request(mad::MgmtClass::performance, 1, method, static_cast<std::uint16_t>(attribute), 0,
                   node, data);
  }
  std::optional<Reply> cc(Method method, CongestionControlAttribute attribute,
                          const std::string& node, const Data& data = {},
                          std::uint32_t modifier = 0, std::uint64_t key = 0) {
    return request(mad::MgmtClass::congestion_control, 2, method,
                   static_cast<std::uint16_t>(attribute), modifier, node, data, key);
  }
  static Data at(std::uint8_t port, std::uint16_t select = 0) {
    Data data{};
    mad::set_field<mad::PortCountersFields, "PortSelect">(std::span(data), port);
    mad::set_field<mad::PortCountersFields, "CounterSelect">(std::span(data), select);
    return data;
  }
  template <class Table, mad::FieldName name>
  static std::uint64_t value(const std::optional<Reply>& reply) {
    return reply ? mad::get_field<std::uint64_t, Table, name>(
                       std::span(reply->bytes).subspan(mad::kGmpDataByte))
                 : ~std::uint64_t{0};
  }
  sim::Counters& counters(const std::string& node, unsigned port) {
    return a.world.model.extras(a.port(node, port)).counters;
  }

  Requester a;
};
using Narrow = mad::PortCountersFields;
using Wide = mad::PortCountersExtendedFields;

TEST_F(GmpAgents, AnswerClassPortInfo) {
  namespace has = mad::performance_capability;
  for (const std::string node : {"H0", "H3", "S1"}) {
    const auto reply = pm(Method::get, PerformanceAttribute::class_port_info, node);
    ASSERT_TRUE(reply) << node;
    EXPECT_EQ(reply->status(), 0);
    const auto mask = value<mad::ClassPortInfoFields, "CapabilityMask">(reply);
    EXPECT_EQ(mask & (has::kAllPortSelect | has::kExtendedWidth | has::kPortCountersXmitWait),
              has::kAllPortSelect | has::kExtendedWidth | has::kPortCountersXmitWait);
    EXPECT_EQ((value<mad::ClassPortInfoFields, "CapabilityMask2">(reply)),
              has::kAdditionalPortCountersExtended);
    EXPECT_EQ((value<mad::ClassPortInfoFields, "ClassVersion">(reply)), 1u);
  }
  Data data{};
  data.fill(0xFF);
  EXPECT_EQ(pm(Method::set, PerformanceAttribute::class_port_info, "H3", data)->status(), 0);
  const auto reply = pm(Method::get, PerformanceAttribute::class_port_info, "H3");
  EXPECT_EQ((value<mad::ClassPortInfoFields, "TrapLID">(reply)), 0xFFFFu);
  EXPECT_EQ((value<mad::ClassPortInfoFields, "RedirectLID">(reply)), 0u) << "the agent's";
  EXPECT_EQ((value<mad::ClassPortInfoFields, "ClassVersion">(reply)), 1u);
  EXPECT_EQ((value<mad::ClassPortInfoFields, "ClassVersion">(
                cc(Method::get, CongestionControlAttribute::class_port_info, "H3"))),
            2u);
  EXPECT_EQ((value<mad::ClassPortInfoFields, "TrapLID">(
                cc(Method::get, CongestionControlAttribute::class_port_info, "H3"))),
            0u)
      << "another class";
  EXPECT_EQ(request(mad::MgmtClass::performance, 2, Method::get, 1, 0, "H3", {})->status(),
            mad::status::kBadVersion);
  EXPECT_EQ(pm(Method::get, PerformanceAttribute::port_samples_control, "H3")->status(),
            kUnsupported);
}

TEST_F(GmpAgents, NarrowCountersSaturate) {
  counters("H3", 1) = {.symbol_errors = 70000,
                       .link_error_recoveries = 300,
                       .local_link_integrity_errors = 99,
                       .xmit_wait = 7,
                       .xmit_data = 1ull << 40,
                       .rcv_packets = 5};
  const auto reply = pm(Method::get, PerformanceAttribute::port_counters, "H3", at(1));
  EXPECT_EQ((value<Narrow, "PortSelect">(reply)), 1u);
  EXPECT_EQ((value<Narrow, "SymbolErrorCounter">(reply)), 0xFFFFu);
  EXPECT_EQ((value<Narrow, "LinkErrorRecoveryCounter">(reply)), 0xFFu);
  EXPECT_EQ((value<Narrow, "LocalLinkIntegrityErrors">(reply)), 0xFu);
  EXPECT_EQ((value<Narrow, "PortXmitData">(reply)), 0xFFFFFFFFu);
  EXPECT_EQ((value<Narrow, "PortRcvPkts">(reply)), 5u);
  EXPECT_EQ((value<Narrow, "PortXmitWait">(reply)), 7u);
  const auto wide = pm(Method::get, PerformanceAttribute::port_counters_extended, "H3", at(1));
  EXPECT_EQ((value<Wide, "PortXmitData">(wide)), 1ull << 40);
  EXPECT_EQ((value<Wide, "SymbolErrorCounter">(wide)), 70000u);
}

TEST_F(GmpAgents, AnswerForExistingPortsOnly) {
  const auto status = [&](const std::string& node, std::uint8_t port) {
    return pm(Method::get, PerformanceAttribute::port_counters, node, at(port))->status();
  };
  EXPECT_EQ(status("H3", 1), 0);
  EXPECT_EQ(status("H3", 0), kInvalid);
  EXPECT_EQ(status("H3", 2), kInvalid);
  EXPECT_EQ(status("S1", 0), 0);
  EXPECT_EQ(status("S1", 3), 0);
  EXPECT_EQ(status("S1", 254), kInvalid);
  counters("S1", 0).rcv_errors = 1;
  counters("S1", 1).rcv_errors = 20;
  counters("S1", 3).rcv_errors = 300;
  EXPECT_EQ((value<Narrow, "PortRcvErrors">(
                pm(Method::get, PerformanceAttribute::port_counters, "S1", at(mad::kAllPorts)))),
            321u);
  EXPECT_EQ(a.world.model.ports[a.port("S1", 2)].extras, nullptr) << "reading allocates nothing";
}

TEST_F(GmpAgents, ASetOverwritesTheSelectedCounters) {
  counters("S1", 1) = {.symbol_errors = 5, .link_downed = 6, .xmit_wait = 8, .xmit_data = 9};
  counters("S1", 2) = {.symbol_errors = 50};
  Data data = at(1, 0x0001 | 0x1000);
  mad::set_field<Narrow, "PortXmitData">(std::span(data), 77u);
  mad::set_field<Narrow, "LinkDownedCounter">(std::span(data), std::uint8_t{44});
  auto reply = pm(Method::set, PerformanceAttribute::port_counters, "S1", data);
  EXPECT_EQ((value<Narrow, "SymbolErrorCounter">(reply)), 0u);
  EXPECT_EQ((value<Narrow, "PortXmitData">(reply)), 77u);
  EXPECT_EQ((value<Narrow, "LinkDownedCounter">(reply)), 6u) << "not selected";
  EXPECT_EQ((value<Narrow, "PortXmitWait">(reply)), 8u);
  EXPECT_EQ(counters("S1", 2).symbol_errors, 50u);
  data = at(mad::kAllPorts, 0xFFFF);
  mad::set_field<Narrow, "CounterSelect2">(std::span(data), std::uint8_t{1});
  EXPECT_EQ(pm(Method::set, PerformanceAttribute::port_counters, "S1", data)->status(), 0);
  EXPECT_EQ(counters("S1", 1).xmit_wait, 0u);
  EXPECT_EQ(counters("S1", 2).symbol_errors, 0u);

  counters("S1", 1) = {.rcv_errors = 1, .unicast_rcv_packets = 2, .multicast_rcv_packets = 3};
  data = at(1, 1u << 5);
  mad::set_field<Wide, "CounterSelect2">(std::span(data), 1u << 3);
  reply = pm(Method::set, PerformanceAttribute::port_counters_extended, "S1", data);
  EXPECT_EQ((value<Wide, "PortRcvErrors">(reply)), 0u);
  EXPECT_EQ((value<Wide, "PortUnicastRcvPkts">(reply)), 0u);
  EXPECT_EQ((value<Wide, "PortMulticastRcvPkts">(reply)), 3u);
}

TEST_F(GmpAgents, CountDataByServiceLevelAndReasonOfDrop) {
  a.world.send_data(a.port("H1"), {.dlid = a.lid("H3"), .sl = {3}}, 400);
  const auto sl3 = [](const std::optional<Reply>& reply) {
    return mad::read(std::span(reply->bytes).subspan(mad::kGmpDataByte),
                     mad::PortXmitDataSlFields::kFields[3]);
  };
  EXPECT_EQ(sl3(pm(Method::get, PerformanceAttribute::port_xmit_data_sl, "H1", at(1))), 100u);
  EXPECT_EQ(sl3(pm(Method::get, PerformanceAttribute::port_rcv_data_sl, "H3", at(1))), 100u);
  EXPECT_EQ(sl3(pm(Method::get, PerformanceAttribute::port_rcv_data_sl, "S1", at(mad::kAllPorts))),
            100u);
  EXPECT_EQ(sl3(pm(Method::set, PerformanceAttribute::port_rcv_data_sl, "H3", at(1, 0xFFFF))), 0u);
  a.world.cut(a.port("H3"));
  EXPECT_EQ(a.world.send_data(a.port("H1"), {.dlid = a.lid("H3")}).drop, sim::Drop::no_link);
  const auto reply =
      pm(Method::get, PerformanceAttribute::port_xmit_discard_details, "S1", at(mad::kAllPorts));
  EXPECT_EQ((value<mad::PortXmitDiscardDetailsFields, "PortInactiveDiscards">(reply)), 1u);
  EXPECT_EQ((value<mad::PortRcvErrorDetailsFields, "PortLoopingErrors">(
                pm(Method::get, PerformanceAttribute::port_rcv_error_details, "S1", at(2)))),
            0u);
}

TEST_F(GmpAgents, CountersHaveNames) {
  for (const std::string& name : sim::counter_names())
    EXPECT_TRUE(sim::set_counter(a.world.model, a.port("H1"), name, 3)) << name;
  EXPECT_FALSE(sim::set_counter(a.world.model, a.port("H1"), "Nonsense", 3));
  for (const sim::CounterRow& row : sim::counter_rows())
    EXPECT_EQ(counters("H1", 1).*row.member, 3u) << row.name;
  EXPECT_TRUE(sim::set_counter(a.world.model, a.port("H1"), "PortInactiveDiscards", 1u << 20));
  EXPECT_EQ((value<mad::PortXmitDiscardDetailsFields, "PortInactiveDiscards">(
                pm(Method::get, PerformanceAttribute::port_xmit_discard_details, "H1", at(1)))),
            0xFFFFu);
}

TEST_F(GmpAgents, CongestionSettingsAreStoredPerPort) {
  using Id = CongestionControlAttribute;
  EXPECT_EQ((value<mad::CongestionInfoFields, "ControlTableCap">(
                cc(Method::get, Id::congestion_info, "H3"))),
            2u);
  EXPECT_EQ((value<mad::CongestionInfoFields, "ControlTableCap">(
                cc(Method::get, Id::congestion_info, "S1"))),
            0u);
  EXPECT_EQ(cc(Method::get, Id::switch_congestion_setting, "H3")->status(), kUnsupported);
  EXPECT_EQ(cc(Method::get, Id::ca_congestion_setting, "S1")->status(), kUnsupported);
  Data data{};
  mad::set_field<mad::CaCongestionSettingFields, "ControlMap">(std::span(data),
                                                               std::uint16_t{0x00FF});
  EXPECT_EQ(cc(Method::set, Id::ca_congestion_setting, "H3", data)->status(), 0);
  EXPECT_EQ((value<mad::CaCongestionSettingFields, "ControlMap">(
                cc(Method::get, Id::ca_congestion_setting, "H3"))),
            0x00FFu);
  EXPECT_EQ((value<mad::CaCongestionSettingFields, "ControlMap">(
                cc(Method::get, Id::ca_congestion_setting, "H2"))),
            0u);
  data = {};
  mad::set_field<mad::CongestionControlTableFields, "CCTILimit">(std::span(data),
                                                                 std::uint16_t{127});
  EXPECT_EQ(cc(Method::set, Id::congestion_control_table, "H3", data, 1)->status(), 0);
  EXPECT_EQ(cc(Method::set, Id::congestion_control_table, "H3", data, 2)->status(), kInvalid);
  mad::set_field<mad::CongestionControlTableFields, "CCTILimit">(std::span(data),
                                                                 std::uint16_t{128});
  EXPECT_EQ(cc(Method::set, Id::congestion_control_table, "H3", data, 1)->status(), kInvalid);
  EXPECT_EQ(cc(Method::set, Id::switch_port_congestion_setting, "S1", data, 0)->status(), 0);
  EXPECT_EQ(cc(Method::set, Id::switch_port_congestion_setting, "S1", data, 8)->status(), kInvalid);
  const auto log = cc(Method::get, Id::congestion_log, "S1");
  EXPECT_EQ(log->bytes[mad::kCongestionLogByte], mad::SwitchCongestionLogFields::kLogType);
  a.runtime.run_for(std::chrono::milliseconds(10));
  EXPECT_GE(
      (value<mad::CongestionTimeStampFields, "TimeStamp">(cc(Method::get, Id::time_stamp, "H3"))),
      9000u);
}

TEST_F(GmpAgents, TheCongestionControlKeyProtects) {
  using Id = CongestionControlAttribute;
  using Fields = mad::CongestionKeyInfoFields;
  Data data{};
  mad::set_field<Fields, "CC_Key">(std::span(data), std::uint64_t{0x77});
  EXPECT_EQ(cc(Method::set, Id::congestion_key_info, "H3", data)->status(), 0);
  EXPECT_FALSE(cc(Method::set, Id::ca_congestion_setting, "H3"));
  EXPECT_TRUE(cc(Method::get, Id::ca_congestion_setting, "H3"));
  EXPECT_TRUE(cc(Method::set, Id::ca_congestion_setting, "H3", {}, 0, 0x77));
  EXPECT_EQ((value<Fields, "CC_KeyViolations">(cc(Method::get, Id::congestion_key_info, "H3"))),
            1u);
  mad::set_field<Fields, "CC_KeyProtectBit">(std::span(data), true);
  EXPECT_EQ(cc(Method::set, Id::congestion_key_info, "H3", data, 0, 0x77)->status(), 0);
  EXPECT_FALSE(cc(Method::get, Id::congestion_info, "H3"));
  EXPECT_TRUE(cc(Method::get, Id::congestion_info, "H3", {}, 0, 0x77));
  // The lease: it ends after a violation, unless a request with the key arrives.
  mad::set_field<Fields, "CC_KeyLeasePeriod">(std::span(data), std::uint16_t{10});
  EXPECT_EQ(cc(Method::set, Id::congestion_key_info, "H3", data, 0, 0x77)->status(), 0);
  EXPECT_FALSE(cc(Method::get, Id::congestion_info, "H3"));
  EXPECT_TRUE(cc(Method::get, Id::congestion_info, "H3", {}, 0, 0x77));
  a.runtime.run_for(std::chrono::seconds(11));
  EXPECT_FALSE(cc(Method::get, Id::congestion_info, "H3"));
  a.runtime.run_for(std::chrono::seconds(11));
  EXPECT_EQ((value<Fields, "CC_Key">(cc(Method::get, Id::congestion_key_info, "H3"))), 0x77u);
  EXPECT_TRUE(cc(Method::set, Id::ca_congestion_setting, "H2")) << "another port";
}

}  // namespace gmp_agents_test
