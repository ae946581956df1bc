#include "unit/sim/world/requester.h"

#include "sim/world/vendor_features.h"
#include "sim/world/vport_host.h"
#include "sm/ctl/topology/generators.h"

namespace vendor_test {

using mad::AttributeId;
using mad::GeneralCapability;
using mad::GeneralInfo;
using mad::Method;
using requester::Requester;

constexpr std::uint16_t kInvalid = mad::status::kInvalidValue,
                        kUnsupported = mad::status::kMethodAttributeUnsupported;

struct Vendor : testing::Test {
  Vendor()
      : a(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2})),
        s0(a.world.model.find("S0")) {}
  GeneralInfo general(std::initializer_list<std::uint8_t> route) {
    return a.get<GeneralInfo>(GeneralInfo::kCapabilityMask, route)->as<GeneralInfo>();
  }
  Requester a;
  sim::NodeIndex s0;
};

TEST_F(Vendor, DevicesAnnounceWhatIsSimulated) {
  EXPECT_TRUE(general({}).has(GeneralCapability::ext_port_info));
  EXPECT_FALSE(general({}).has(GeneralCapability::virtualization)) << "a plain port";
  EXPECT_FALSE(general({1}).has(GeneralCapability::adaptive_routing_rev1));
  EXPECT_TRUE(general({1}).has(GeneralCapability::ext_switch_info));
  sim::enable_virtualization(a.world, a.port("H0"), 4);
  sim::enable_adaptive_routing(a.world.model, s0);
  EXPECT_TRUE(general({}).has(GeneralCapability::virtualization));
  EXPECT_TRUE(general({1}).has(GeneralCapability::adaptive_routing_rev1));
  EXPECT_EQ(a.get<GeneralInfo>(0, {})->status(), kUnsupported);
  EXPECT_EQ(a.request(Method::get, AttributeId{0xFF40}, 0, {1})->status(), kUnsupported)
      << "temperature";
}

TEST_F(Vendor, DevicesOfOtherVendorsDoNotSupportThem) {
  a.world.model.nodes[s0].info.set_vendor_id(0x1175);
  EXPECT_EQ(a.get<GeneralInfo>(GeneralInfo::kCapabilityMask, {1})->status(), kUnsupported);
  EXPECT_EQ(a.get<mad::MlnxExtPortInfo>(1, {1})->status(), kUnsupported);
}

TEST_F(Vendor, ExtendedPortInfoAcceptsOnlySupportedSpeeds) {
  mad::MlnxExtPortInfo info;
  info.set_state_change_enable(1);
  EXPECT_EQ(a.set(info, 2, {1})->status(), 0);
  EXPECT_EQ(a.get<mad::MlnxExtPortInfo>(2, {1})->as<mad::MlnxExtPortInfo>().state_change_enable(),
            1);
  EXPECT_EQ(a.get<mad::MlnxExtPortInfo>(1, {1})->as<mad::MlnxExtPortInfo>().state_change_enable(),
            0);
  info.set_link_speed_enabled(mad::MlnxExtPortInfo::kFdr10);
  EXPECT_EQ(a.set(info, 2, {1})->status(), kInvalid);
  EXPECT_EQ(a.get<mad::MlnxExtPortInfo>(200, {1})->status(), kInvalid);
}

TEST_F(Vendor, TablesOfNotificationsAreStoredByModifierUntilTheNextBoot) {
  EXPECT_EQ(a.request(Method::get, AttributeId::rn_rcv_string, 0, {1})->status(), kUnsupported);
  sim::enable_adaptive_routing(a.world.model, s0);
  mad::ArGroupTable content;  // any bytes
  content.bytes()[31] = 6;
  const auto read = [&](std::uint32_t block) {
    return a.request(Method::get, AttributeId::rn_rcv_string, block, {1})->as<mad::ArGroupTable>();
  };
  EXPECT_EQ(a.request(Method::set, AttributeId::rn_rcv_string, 3, {1}, content)->status(), 0);
  EXPECT_EQ(read(3), content);
  EXPECT_EQ(read(4), mad::ArGroupTable{});
  EXPECT_EQ(a.request(Method::get, AttributeId::hbf_config, 0, {1})->status(), kUnsupported);
  a.world.power(s0, false);
  a.world.power(s0, true);
  a.runtime.run_for(std::chrono::milliseconds(20));
  EXPECT_EQ(read(3), mad::ArGroupTable{});
}

TEST_F(Vendor, PrivateTablesAndQualityOfService) {
  mad::PrivateLftInfo can;
  can.set_num_plfts(4);
  can.set_mode_cap(1);
  can.set_banks(0, 48, 4);
  EXPECT_EQ(a.get<mad::PrivateLftInfo>(0, {1})->status(), kUnsupported);
  ASSERT_TRUE(sim::enable_private_lft(a.world.model, s0, can));
  mad::PrivateLftInfo requested;
  requested.set_active_mode(1);
  EXPECT_EQ(a.set(requested, 0, {1})->as<mad::PrivateLftInfo>().num_plfts(), 4);
  requested.set_active_mode(2);
  EXPECT_EQ(a.set(requested, 0, {1})->status(), kInvalid);
  mad::QosConfigSl qos;
  qos.set_entry({15}, {.bw_alloc = 100, .rate_limit = 50});
  EXPECT_EQ(a.set(qos, 1, {1})->status(), 0);
  EXPECT_EQ(a.get<mad::QosConfigSl>(1, {1})->as<mad::QosConfigSl>(), qos);
  EXPECT_EQ(a.set(qos, mad::QosConfigSl::kVPort | 1, {})->status(), kInvalid) << "no such vport";
}

TEST_F(Vendor, PortsWithHierarchyInfoReturnIt) {
  EXPECT_EQ(a.get<mad::HierarchyInfo>(1, {})->status(), kUnsupported);
  mad::HierarchyInfo place;
  place.set_template_guid({5});
  place.set_active_levels(1);
  place.set_level(0, 12);
  sim::set_hierarchy(a.world.model, a.port("H0"), std::array{place});
  EXPECT_EQ(
      a.get<mad::HierarchyInfo>(mad::HierarchyInfo::modifier(0, {1}), {})->as<mad::HierarchyInfo>(),
      place);
  EXPECT_EQ(a.get<mad::HierarchyInfo>(mad::HierarchyInfo::modifier(1, {1}), {})->status(),
            kInvalid);
  EXPECT_EQ(a.get<mad::VendorDiag>(0, {})->as<mad::VendorDiag>().next_index(), 0);
}

TEST_F(Vendor, RoutersKeepTheirTables) {
  EXPECT_EQ(a.get<mad::RouterInfo>(0, {})->status(), kUnsupported);
  a.world.model.nodes[a.world.model.find("H0")].info.set_node_type(mad::NodeType::router);
  mad::RouterInfo requested;
  requested.set_next_hop_top(3);
  EXPECT_EQ(a.set(requested, 0, {})->status(), 0);
  const auto info = a.get<mad::RouterInfo>(0, {})->as<mad::RouterInfo>();
  EXPECT_EQ(info.next_hop_top(), 3u);
  requested.set_next_hop_top(info.next_hop_cap() + 1);
  EXPECT_EQ(a.set(requested, 0, {})->status(), kInvalid);
  mad::NextHopTable table;
  table.set_entry(2, {.subnet_prefix = 0xFEC0, .weight = 1, .p_key = {0xFFFF}});
  EXPECT_EQ(a.set(table, 63, {})->status(), 0);
  EXPECT_EQ(a.set(table, 64, {})->status(), kInvalid);
  EXPECT_EQ(a.get<mad::NextHopTable>(63, {})->as<mad::NextHopTable>(), table);
  EXPECT_EQ(a.get<mad::AdjacentSubnetsTable>(2, {})->status(), kInvalid);
}

}  // namespace vendor_test
