#include "sm/sweep/devices/link_settings.h"

#include <gtest/gtest.h>

#include "support/fabrics.h"
#include "support/seeds.h"

namespace link_settings_test {

using config::Options;
using fabric::PortIndex;
using mad::Mtu;
using mad::PortInfo;
using mad::PortState;
using sm::desired_port_info;
using sm::has_extended_speeds;
using sm::needs_link_restart;
using sm::needs_set;
using sm::port_info_modifier;
using sm::port_info_set_modifier;
using sm::PortIntent;
using sm::unsupported_fields;

/// S0: port 1 to CA H, 2 to router R, 3 to S1, 4 without a cable. All can 4096 bytes and 15 VLs.
class LinkSettings : public testing::Test {
 protected:
  LinkSettings() {
    fabrics::Maker maker;
    const auto s0 = maker.sw(4), s1 = maker.sw(4), h = maker.ca(), r = maker.router(1);
    maker.cable(s0, 1, h, 1);
    maker.cable(s0, 2, r, 1);
    maker.cable(s0, 3, s1, 1);
    fabric = maker.build();
    for (fabric::Port& port : fabric.ports) {
      port.info.set_port_state(PortState::init);
      port.info.set_mtu_cap(Mtu::mtu_4096);
      port.info.set_vl_cap(5);
      port.info.set_neighbor_mtu(Mtu::mtu_2048);
      port.info.set_link_width_supported(0x1F);
      port.info.set_link_width_enabled(0x02);
      port.info.set_link_speed_supported(7);
      port.info.set_link_speed_enabled(1);
    }
    host = fabric.port(h, {1});
    router = fabric.port(r, {1});
    other = fabric.port(s1, {1});
  }
  PortIndex sw(std::uint8_t port) const { return fabric.port(fabric::NodeIndex{0}, {port}); }
  PortInfo& info(PortIndex port) { return fabric.ports[port].info; }
  PortInfo desired(PortIndex port, const PortIntent& intent = {}) const {
    return desired_port_info(fabric, port, options, intent);
  }

  fabric::Fabric fabric;
  Options options;
  PortIndex host, router, other;
};

TEST_F(LinkSettings, EndPortsLearnWhoTheyAreAndWhoManagesThem) {
  options.m_key = 0x1234;
  options.m_key_lease_period = 60;
  options.m_key_protection_level = 2;
  for (const PortIndex port : {host, router, sw(0)}) {
    const PortInfo out = desired(port, {.lid = {{8}, 2}, .sm_lid = {3}, .sm_sl = {5}});
    EXPECT_EQ(out.lid(), mad::Lid{8});
    EXPECT_EQ(out.lmc(), 2);
    EXPECT_EQ(out.master_sm_lid(), mad::Lid{3});
    EXPECT_EQ(out.master_sm_sl(), mad::Sl{5});
    EXPECT_EQ(out.gid_prefix(), 0xfe80000000000000u);
    EXPECT_EQ(out.m_key(), mad::MKey{0x1234});
    EXPECT_EQ(out.m_key_lease_period(), 60);
    EXPECT_EQ(out.m_key_protect_bits(), 2);
    EXPECT_EQ(out.subnet_time_out(), 18);
  }
}

TEST_F(LinkSettings, ExternalSwitchPortsKeepTheFieldsOfEndPorts) {
  info(sw(1)).set_lid({77});
  const PortInfo out = desired(sw(1), {.lid = {{8}, 2}, .sm_lid = {3}});
  EXPECT_EQ(out.lid(), mad::Lid{77});
  EXPECT_EQ(out.gid_prefix(), 0u);
  EXPECT_EQ(out.subnet_time_out(), 0);
}

TEST_F(LinkSettings, WithoutALidToGiveTheOldOneStays) {
  info(host).set_lid({77});
  info(host).set_lmc(3);
  const PortInfo out = desired(host);
  EXPECT_EQ(out.lid(), mad::Lid{77});
  EXPECT_EQ(out.lmc(), 3);
}

TEST_F(LinkSettings, StateFieldsSayNoChange) {
  info(host).set_port_state(PortState::active);
  info(host).set_port_physical_state(mad::PortPhysicalState::link_up);
  info(host).set_client_reregister(true);
  const PortInfo out = desired(host);
  EXPECT_EQ(out.port_state(), PortState::no_change);
  EXPECT_EQ(out.port_physical_state(), mad::PortPhysicalState::no_change);
  EXPECT_FALSE(out.client_reregister());
}

TEST_F(LinkSettings, ReregisterOnlyWhoCanAndUnlessForbidden) {
  EXPECT_FALSE(desired(host, {.client_reregister = true}).client_reregister());
  info(host).set_capability_mask(mad::capability::kClientReregistration);
  EXPECT_TRUE(desired(host, {.client_reregister = true}).client_reregister());
  EXPECT_FALSE(desired(host).client_reregister());
  options.no_clients_rereg = true;
  EXPECT_FALSE(desired(host, {.client_reregister = true}).client_reregister());
}

TEST_F(LinkSettings, MtuIsWhatBothEndsTake) {
  EXPECT_EQ(desired(host).neighbor_mtu(), Mtu::mtu_4096);
  info(host).set_mtu_cap(Mtu::mtu_1024);
  EXPECT_EQ(desired(host).neighbor_mtu(), Mtu::mtu_1024);
  EXPECT_EQ(desired(sw(1)).neighbor_mtu(), Mtu::mtu_1024);
  info(host).set_mtu_cap(static_cast<Mtu>(0));  // nonsense from the wire
  EXPECT_EQ(desired(sw(1)).neighbor_mtu(), Mtu::mtu_256);
  info(host).set_mtu_cap(static_cast<Mtu>(15));
  EXPECT_EQ(desired(sw(1)).neighbor_mtu(), Mtu::mtu_4096);
  fabric.ports[host].known = false;
  EXPECT_EQ(desired(sw(1)).neighbor_mtu(), Mtu::mtu_2048) << "peer unknown: as it is";
  info(sw(1)).set_neighbor_mtu(static_cast<Mtu>(0));
  EXPECT_EQ(desired(sw(1)).neighbor_mtu(), Mtu::mtu_256);
}

TEST_F(LinkSettings, VlsAreWhatBothEndsHaveUpToTheOption) {
  EXPECT_EQ(desired(other).operational_vls(), 5);
  info(sw(3)).set_vl_cap(4);
  EXPECT_EQ(desired(other).operational_vls(), 4);
  EXPECT_EQ(desired(sw(3)).operational_vls(), 4);
  options.max_op_vls = 2;
  EXPECT_EQ(desired(other).operational_vls(), 2);
  info(sw(3)).set_vl_cap(0);
  EXPECT_EQ(desired(other).operational_vls(), 1) << "at least VL0";
}

TEST_F(LinkSettings, QueueLifetimeDependsOnWhoIsBehindThePort) {
  options.head_of_queue_lifetime = 18, options.leaf_head_of_queue_lifetime = 16;
  options.vl_stall_count = 7, options.leaf_vl_stall_count = 3;
  for (const PortIndex leaf : {sw(1), sw(2), router}) {
    EXPECT_EQ(desired(leaf).hoq_life(), 16);
    EXPECT_EQ(desired(leaf).vl_stall_count(), 3);
  }
  EXPECT_EQ(desired(sw(3)).hoq_life(), 18);
  EXPECT_EQ(desired(sw(3)).vl_stall_count(), 7);
  info(host).set_hoq_life(9);
  EXPECT_EQ(desired(host).hoq_life(), 9) << "a CA keeps its own";
  options.head_of_queue_lifetime = 200;
  EXPECT_EQ(desired(sw(3)).hoq_life(), 31) << "does not wrap around";
}

TEST_F(LinkSettings, ThresholdsAndDownDefault) {
  const PortInfo out = desired(sw(3));
  EXPECT_EQ(out.local_phy_errors(), 8);
  EXPECT_EQ(out.overrun_errors(), 8);
  EXPECT_EQ(out.link_down_default_state(), mad::LinkDownDefaultState::polling);
}

TEST_F(LinkSettings, WidthAndSpeedAllSupportedReadsBackEqual) {
  const PortInfo out = desired(host);
  EXPECT_EQ(out.link_width_enabled(), 0x1F);
  EXPECT_EQ(out.link_speed_enabled(), 7);
  info(host) = out;
  EXPECT_FALSE(needs_set(info(host), desired(host)));
}

TEST_F(LinkSettings, WidthAndSpeedByForce) {
  options.force_link_width = 1;
  options.force_link_speed = 3;
  EXPECT_EQ(desired(host).link_width_enabled(), 1);
  EXPECT_EQ(desired(host).link_speed_enabled(), 3);
  options.force_link_width = 0;
  options.force_link_speed = 0;
  EXPECT_EQ(desired(host).link_width_enabled(), 2) << "left alone";
  EXPECT_EQ(desired(host).link_speed_enabled(), 1);
  info(host).set_link_width_supported(0x02);
  options.force_link_width = 8;
  EXPECT_EQ(desired(host).link_width_enabled(), 2) << "a port without any width would be lost";
}

TEST_F(LinkSettings, ExtendedSpeedsNeedBothEnds) {
  for (const PortIndex port : {sw(1), host}) info(port).set_link_speed_ext_supported(7);
  EXPECT_EQ(desired(host).link_speed_ext_enabled(), 0);
  info(host).set_capability_mask(mad::capability::kExtendedSpeeds);
  EXPECT_FALSE(has_extended_speeds(fabric, host));
  EXPECT_EQ(desired(host).link_speed_ext_enabled(), 0);
  info(sw(0)).set_capability_mask(
      mad::capability::kExtendedSpeeds);  // port 0 speaks for the switch
  EXPECT_TRUE(has_extended_speeds(fabric, host));
  EXPECT_TRUE(has_extended_speeds(fabric, sw(1)));
  EXPECT_FALSE(has_extended_speeds(fabric, sw(3)));
  EXPECT_EQ(desired(host).link_speed_ext_enabled(), 7);
  EXPECT_EQ(desired(sw(1)).link_speed_ext_enabled(), 7);
  options.force_link_speed_ext = 2;
  EXPECT_EQ(desired(host).link_speed_ext_enabled(), 2);
  options.force_link_speed_ext = 30;
  EXPECT_EQ(desired(host).link_speed_ext_enabled(), 0) << "0 is disabled already";
  info(host).set_link_speed_ext_enabled(7);
  EXPECT_EQ(desired(host).link_speed_ext_enabled(), 30);
  options.force_link_speed_ext = 0;
  EXPECT_EQ(desired(host).link_speed_ext_enabled(), 7);
}

TEST_F(LinkSettings, ModifierNamesThePortOfASwitchAndTheSpeeds) {
  EXPECT_EQ(port_info_modifier(fabric, sw(3)), 3u);
  EXPECT_EQ(port_info_modifier(fabric, host), 0u);
  info(sw(0)).set_capability_mask(mad::capability::kExtendedSpeeds);
  EXPECT_EQ(port_info_modifier(fabric, sw(3)), 0x80000003u);
  EXPECT_EQ(port_info_modifier(fabric, host), 0u);
  EXPECT_EQ(port_info_set_modifier(fabric, sw(3)), 0x80000003u);
  EXPECT_EQ(port_info_set_modifier(fabric, sw(0)), 0x80000000u);
  EXPECT_EQ(port_info_set_modifier(fabric, host), 1u) << "0 would be the port with a switch's LID";
}

TEST_F(LinkSettings, EnforcementBitsAreOfExternalSwitchPorts) {
  const PortIntent intent{.enforce_inbound = true, .enforce_outbound = true};
  EXPECT_TRUE(desired(sw(1), intent).partition_enforcement_inbound());
  EXPECT_TRUE(desired(sw(1), intent).partition_enforcement_outbound());
  EXPECT_FALSE(desired(host, intent).partition_enforcement_inbound());
  EXPECT_FALSE(desired(sw(0), intent).partition_enforcement_inbound());
  info(sw(3)).set_partition_enforcement_inbound(true);
  EXPECT_FALSE(desired(sw(3)).partition_enforcement_inbound());
}

TEST_F(LinkSettings, BasePort0HasNoLinkAndAnEnhancedOneTakesWhatItCan) {
  info(sw(0)).set_neighbor_mtu(Mtu::mtu_256);
  info(sw(0)).set_link_width_enabled(0);
  EXPECT_EQ(desired(sw(0)).neighbor_mtu(), Mtu::mtu_256);
  EXPECT_EQ(desired(sw(0)).link_width_enabled(), 0);
  EXPECT_EQ(desired(sw(0)).operational_vls(), 0);
  fabric.switches[fabric::SwitchIndex{0}].info.set_enhanced_port_0(true);
  EXPECT_EQ(desired(sw(0)).neighbor_mtu(), Mtu::mtu_4096);
  EXPECT_EQ(desired(sw(0)).operational_vls(), 5);
  EXPECT_EQ(desired(sw(0)).link_width_enabled(), 0);
}

TEST_F(LinkSettings, PortWithoutACableIsLeftAlone) {
  const PortInfo out = desired(sw(4), {.enforce_inbound = false});
  EXPECT_FALSE(needs_set(info(sw(4)), out));
}

TEST_F(LinkSettings, NeedsSetLooksAtSettableFieldsOnly) {
  const PortInfo before = desired(host, {.lid = {{1}, 0}, .sm_lid = {1}});
  const auto counts = [&](auto change) {
    PortInfo seen = before;
    change(seen);
    return needs_set(seen, before);
  };
  EXPECT_FALSE(counts([](PortInfo& p) { p.set_port_state(PortState::active); }));
  EXPECT_FALSE(counts([](PortInfo& p) {
    p.set_m_key_violations(5), p.set_p_key_violations(5), p.set_q_key_violations(5);
  }));
  EXPECT_FALSE(counts([](PortInfo& p) {
    p.set_link_width_active(2), p.set_link_speed_active(4), p.set_link_speed_ext_active(2);
  }));
  EXPECT_FALSE(counts([](PortInfo& p) {
    p.set_capability_mask(~0u), p.set_local_port_num({9}), p.set_max_credit_hint(7),
        p.set_link_round_trip_latency(7);
  }));
  EXPECT_TRUE(counts([](PortInfo& p) { p.set_lid({2}); }));
  EXPECT_TRUE(counts([](PortInfo& p) { p.set_m_key({1}); }));
  EXPECT_TRUE(counts([](PortInfo& p) { p.set_hoq_life(1); }));
  EXPECT_TRUE(counts([](PortInfo& p) { p.set_link_speed_ext_enabled(1); }));
  PortInfo order = before;
  order.set_client_reregister(true);
  EXPECT_TRUE(needs_set(before, order));
}

TEST_F(LinkSettings, FieldsThatAPortRefusesCanBeIgnored) {
  const PortInfo asked = desired(host, {.lid = {{4}, 0}});
  PortInfo answered = asked;
  answered.set_subnet_time_out(31);
  answered.set_port_state(PortState::active);
  const sm::PortInfoMask refused = unsupported_fields(asked, answered);
  EXPECT_TRUE(needs_set(answered, asked));
  EXPECT_FALSE(needs_set(answered, asked, refused));
  PortInfo later = asked;
  later.set_lid({5});
  EXPECT_TRUE(needs_set(answered, later, refused));
}

TEST_F(LinkSettings, LinkRestartsOnlyWhenMtuOrVlsChangeOnAnArmedPort) {
  const PortInfo want = desired(host);
  for (const PortState state :
       {PortState::down, PortState::init, PortState::armed, PortState::active}) {
    PortInfo seen = want;
    seen.set_port_state(state);
    seen.set_hoq_life(1);
    EXPECT_FALSE(needs_link_restart(seen, want));
    seen.set_neighbor_mtu(Mtu::mtu_256);
    EXPECT_EQ(needs_link_restart(seen, want), state == PortState::armed);
    seen.set_neighbor_mtu(want.neighbor_mtu());
    seen.set_operational_vls(1);
    EXPECT_EQ(needs_link_restart(seen, want), state == PortState::armed);
  }
}

TEST_F(LinkSettings, LinkThatRunsKeepsItsMtuAndVls) {
  info(host).set_port_state(PortState::active);
  for (const PortIndex end : {host, sw(1)}) {
    info(end).set_operational_vls(3);
    EXPECT_EQ(desired(end).neighbor_mtu(), Mtu::mtu_2048);
    EXPECT_EQ(desired(end).operational_vls(), 3);
  }
  EXPECT_TRUE(sm::is_setting_pending(fabric, host, options));
  const auto pending = sm::pending_link_settings(fabric, options);
  ASSERT_EQ(pending.size(), 1u);
  EXPECT_NE(pending.front().text.find("runs with NeighborMTU 4 and OperationalVLs 3, wanted are 5"),
            std::string::npos)
      << pending.front().text;
  info(host).set_port_state(PortState::init);
  EXPECT_EQ(desired(host).operational_vls(), 5);
  EXPECT_FALSE(sm::is_setting_pending(fabric, host, options));
}

TEST(LinkSettingsProperty, WhatWasSetNeedsNoSecondSetAndOtherFieldsStay) {
  seeds::for_each(1000, [](std::uint64_t seed) {
    topology::Random random(seed);
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    for (fabric::Port& port : fabric.ports)
      if (port.peer != fabric::kNoIndex || port.guid != mad::Guid{})
        for (auto& byte : port.info.bytes()) byte = static_cast<std::uint8_t>(random.next());
    Options options;
    options.force_link_speed_ext = static_cast<std::uint8_t>(random.below(32));
    options.force_link_width = static_cast<std::uint8_t>(random.next());
    for (const PortIndex port : fabric.end_ports) {
      const PortIntent intent{.lid = {{static_cast<std::uint16_t>(1 + random.below(1000))}, 0},
                              .sm_lid = {1},
                              .enforce_inbound = true};
      const PortInfo first = desired_port_info(fabric, port, options, intent);
      for (const mad::FieldChange& change : mad::diff(fabric.ports[port].info, first)) {
        for (const char* kept :
             {"CapabilityMask", "DiagCode", "LocalPortNum", "LinkWidthSupported", "LinkWidthActive",
              "LinkSpeedSupported", "LinkSpeedActive", "VLCap", "MTUCap", "M_KeyViolations",
              "GUIDCap", "LinkSpeedExtSupported"})
          ASSERT_NE(change.name, kept);
      }
      const PortState state = fabric.ports[port].info.port_state();
      fabric.ports[port].info = first;
      fabric.ports[port].info.set_port_state(state);  // 0 in a Set: no change
      ASSERT_FALSE(needs_set(first, desired_port_info(fabric, port, options, intent)));
    }
  });
}

TEST(SwitchSettings, TopLifetimeAndTheOrderToClear) {
  mad::SwitchInfo seen;
  seen.set_linear_fdb_cap(1000);
  seen.set_port_state_change(true);
  seen.set_default_port({7});
  Options options;
  mad::SwitchInfo want = sm::desired_switch_info(seen, {300}, options);
  EXPECT_EQ(want.linear_fdb_top(), 300);
  EXPECT_EQ(want.life_time_value(), 18);
  EXPECT_FALSE(want.port_state_change());
  EXPECT_EQ(want.default_port(), mad::PortNum{7});
  EXPECT_TRUE(needs_set(seen, want));
  seen.set_linear_fdb_top(300);
  seen.set_life_time_value(18);
  EXPECT_FALSE(needs_set(seen, sm::desired_switch_info(seen, {300}, options)));
  EXPECT_FALSE(needs_set(seen, sm::desired_switch_info(seen, {256}, options)));
  for (const unsigned lid : {255u, 301u, 320u})
    EXPECT_TRUE(needs_set(
        seen, sm::desired_switch_info(seen, mad::Lid{static_cast<std::uint16_t>(lid)}, options)))
        << lid;
  EXPECT_TRUE(seen.port_state_change())
      << "a change that was not read is not cleared with the settings";
  EXPECT_EQ(sm::desired_switch_info(seen, {0xBFFF}, options).linear_fdb_top(), 999)
      << "never above the table";
  EXPECT_EQ(sm::desired_switch_info(seen, {301}, options).linear_fdb_top(), 319)
      << "the end of the block that is written, once it grows";
  EXPECT_EQ(sm::desired_switch_info(seen, {9}, options).linear_fdb_top(), 9);
  mad::SwitchInfo large, none;
  large.set_linear_fdb_cap(0xFFFF);
  EXPECT_EQ(sm::desired_switch_info(large, {0xBFFF}, options).linear_fdb_top(), 0xBFFF)
      << "never a multicast LID";
  EXPECT_EQ(sm::desired_switch_info(none, {300}, options).linear_fdb_top(), 0)
      << "a switch without a table takes no other value";
  options.packet_life_time = 200;
  EXPECT_EQ(sm::desired_switch_info(seen, {1}, options).life_time_value(), 31);
}

}  // namespace link_settings_test
