#include "unit/sm/vnic/vnic_fabric.h"

namespace vnic_manager_test {

using mad::EthernetAttribute;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using vnic_fabric::VnicFabric;
using namespace std::chrono_literals;

TEST_F(VnicFabric, CreatesVnicsThatForwardToEachOther) {
  start(two_switches(*this));
  pass();
  EXPECT_THAT(conditions(), IsEmpty());
  ASSERT_TRUE(agent("H1").vnics.contains(1));
  EXPECT_FALSE(agent("H1").vnics.contains(2)) << "no member of the second switch";
  for (const std::uint8_t vnic : std::initializer_list<std::uint8_t>{1, 2}) {
    const auto& of = agent("H2").vnics.at(vnic);
    EXPECT_EQ(of.info.oper_state(), mad::VnicState::forwarding);
    EXPECT_EQ(of.info.vesw_id(), vnic);
    EXPECT_EQ((of.info.get<std::uint32_t, "UnknownMulticastDLID">()), 0xC000u + vnic);
    EXPECT_EQ(of.table.size(), vnic == 1 ? 3u : 2u);
  }
  const mad::Mac to = agent("H3").vnics.at(1).info.base_mac();
  EXPECT_EQ(agent("H1").find_dlid(1, to), lid("H3").value);
  EXPECT_EQ(administration.members.size(), 5u) << "of both groups";
  EXPECT_EQ(agent("H1").class_port_info.trap_lid(), lid("H0").value);
}

TEST_F(VnicFabric, AVnicDropsFramesUntilItsTableIsThere) {
  agent("H1").faults.rejected = EthernetAttribute::mac_table;
  agent("H1").faults.ignores_rejected = true;
  start(two_switches(*this));
  pass(10s);
  EXPECT_EQ(agent("H1").vnics.at(1).info.config_state(), mad::VnicState::drop_all);
  EXPECT_THAT(conditions(), ElementsAre("SM-VNIC-AGENT-SILENT"));
  EXPECT_EQ(agent("H2").vnics.at(1).info.config_state(), mad::VnicState::forwarding)
      << "the others do not wait for it";
  agent("H1").faults = {};
  pass(60s);
  EXPECT_EQ(agent("H1").vnics.at(1).info.config_state(), mad::VnicState::forwarding);
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(VnicFabric, ASecondStartSetsNothing) {
  start(two_switches(*this));
  pass();
  network.send_trap(port("H1"), agent("H1").change_macs(1, {{0x111}}));
  pass();
  const unsigned before = all_sets();
  start(two_switches(*this));
  pass(120s);
  EXPECT_EQ(all_sets(), before);
  EXPECT_THAT(others("H3", 1), ElementsAre(0x111u));
}

TEST_F(VnicFabric, ATrapAboutAddressesChangesTheTablesOfAllMembers) {
  start(two_switches(*this));
  pass();
  const auto gets = agent("H3").gets[EthernetAttribute::vesw_port_info];
  network.send_trap(port("H2"), agent("H2").change_macs(1, {{0x111}, {0x222}}));
  pass(1s);
  EXPECT_THAT(others("H1", 1), ElementsAre(0x111u, 0x222u));
  EXPECT_THAT(others("H3", 2), IsEmpty()) << "the other switch";
  EXPECT_EQ(agent("H3").gets[EthernetAttribute::vesw_port_info], gets)
      << "only the sender of the trap is read";
  network.send_trap(port("H2"), agent("H2").change_macs(1, {}));
  pass(1s);
  EXPECT_THAT(others("H1", 1), IsEmpty());
}

TEST_F(VnicFabric, ALostTrapCostsAnInterval) {
  start(two_switches(*this));
  pass();
  static_cast<void>(agent("H2").change_macs(1, {{0x111}}));
  pass(31s);
  EXPECT_THAT(others("H1", 1), ElementsAre(0x111u));
}

TEST_F(VnicFabric, ARestartedNodeGetsItsVnicsAgain) {
  start(two_switches(*this));
  pass();
  const unsigned others_sets = agent("H1").all_sets();
  agent("H3").restart();
  pass(31s);
  EXPECT_EQ(agent("H3").vnics.at(2).info.oper_state(), mad::VnicState::forwarding);
  EXPECT_EQ(agent("H3").vnics.at(1).table.size(), 3u);
  EXPECT_EQ(agent("H1").all_sets(), others_sets) << "for the others nothing has changed";
}

TEST_F(VnicFabric, ASwitchThatIsRemovedIsDeletedAtItsPorts) {
  start(two_switches(*this));
  pass();
  vnic::Configuration configuration = two_switches(*this);
  configuration.switches.erase(configuration.switches.begin());
  manager->reload(configuration);
  pass();
  EXPECT_EQ(agent("H1").sets[EthernetAttribute::delete_vesw], 1u);
  EXPECT_EQ(agent("H1").vnics.at(1).info.oper_state(), mad::VnicState::drop_all);
  EXPECT_EQ(agent("H2").vnics.at(2).info.vesw_id(), 2) << "the other one keeps its number";
  EXPECT_EQ(administration.members.size(), 2u) << "of the group that is left over";
}

TEST_F(VnicFabric, WhatAKilledManagerHasCreatedIsRemovedByTheNextOne) {
  start(two_switches(*this));
  pass();
  vnic::Configuration configuration = two_switches(*this);
  configuration.switches.pop_back();
  administration.silent = true;
  start(configuration);
  pass(20s);
  EXPECT_EQ(agent("H2").vnics.at(2).info.vesw_id(), 2) << "the ports are not known yet";
  EXPECT_THAT(conditions(), ElementsAre("SM-VNIC-GROUP-FAILED"));
  administration.silent = false;
  pass(60s);
  EXPECT_EQ(agent("H2").vnics.at(2).info.vesw_id(), 0);
  EXPECT_EQ(vnic::load_store(folder)->created.size(), 3u);
  EXPECT_EQ(administration.members.size(), 3u);
}

TEST_F(VnicFabric, AReloadWhileSubnetAdministrationIsSilentKeepsWhatIsThere) {
  start(two_switches(*this));
  pass();
  administration.silent = true;
  vnic::Configuration configuration = two_switches(*this);
  configuration.switches.erase(configuration.switches.begin());
  manager->reload(configuration);
  pass(20s);
  EXPECT_THAT(conditions(), ElementsAre("SM-VNIC-GROUP-FAILED"));
  EXPECT_EQ(agent("H2").vnics.at(1).info.oper_state(), mad::VnicState::forwarding);
  administration.silent = false;
  pass(60s);
  EXPECT_EQ(agent("H2").vnics.at(1).info.oper_state(), mad::VnicState::drop_all);
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(VnicFabric, ANodeThatInventsAddressesIsBoundedAndNamed) {
  agent("H1").faults.invents_macs = agent("H1").faults.always_new = true;
  vnic::Configuration configuration = two_switches(*this);
  configuration.macs_per_port_max = 500;
  start(configuration);
  pass();
  EXPECT_EQ(agent("H1").gets[EthernetAttribute::unicast_macs], 2u) << "333 + 167";
  EXPECT_EQ(agent("H2").vnics.at(1).table.size(), 500u + 3u);
  EXPECT_THAT(conditions(), ElementsAre("SM-VNIC-MAC-FLOOD"));
  EXPECT_THAT(manager->status()->conditions[0].text, testing::HasSubstr("\"H1\""));
}

TEST_F(VnicFabric, ATrapStormCostsOnePassOfItsPortAtATime) {
  start(two_switches(*this));
  pass();
  const auto gets = agent("H2").gets[EthernetAttribute::class_port_info];
  for (int i = 0; i < 1000; ++i) {
    network.send_trap(port("H1"), agent("H1").make_trap(1, mad::VnicTrap::link));
    pass(1ms);
  }
  EXPECT_LE(manager->status()->totals.passes_of_ports, 5u) << "after 0, 0.1, 0.3, 0.7, 1.5 s";
  EXPECT_EQ(agent("H2").gets[EthernetAttribute::class_port_info], gets);
  pass(30s);
  network.send_trap(port("H1"), agent("H1").change_macs(1, {{0x111}}));
  pass(300ms);
  EXPECT_THAT(others("H2", 1), ElementsAre(0x111u)) << "it was quiet: no pause";
}

TEST_F(VnicFabric, AnAddressOfTwoPortsIsNamedAndStays) {
  start(two_switches(*this));
  pass();
  network.send_trap(port("H3"), agent("H3").change_macs(1, {{0x111}}));
  pass();
  network.send_trap(port("H1"), agent("H1").change_macs(1, {{0x111}}));
  pass();
  EXPECT_EQ(agent("H2").find_dlid(1, {0x111}), lid("H3").value) << "it reported it first";
  EXPECT_THAT(conditions(), ElementsAre("SM-VNIC-MAC-DUPLICATE"));
  network.send_trap(port("H3"), agent("H3").change_macs(1, {}));
  pass();
  EXPECT_EQ(agent("H2").find_dlid(1, {0x111}), lid("H1").value);
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(VnicFabric, ResponsesThatBreakTheirRulesAreNotUsed) {
  agent("H1").faults.counts_wrongly = true;
  agent("H2").faults.rejected = EthernetAttribute::vesw_port_info;
  agent("H2").faults.status = mad::status::kInvalidValue;
  start(two_switches(*this));
  pass();
  EXPECT_THAT(conditions(),
              UnorderedElementsAre("SM-VNIC-REFUSED", "SM-VNIC-REFUSED", "SM-VNIC-REFUSED"));
  EXPECT_EQ(manager->status()->totals.malformed, 1u);
  EXPECT_EQ(agent("H3").vnics.at(1).info.oper_state(), mad::VnicState::forwarding);
}

TEST_F(VnicFabric, LossAndSlowAgentsDelayAndNothingElse) {
  network.lost = 0.2;
  agent("H3").faults.slow = 1200ms;
  start(two_switches(*this));
  pass(240s);
  network.lost = 0;
  pass(60s);
  for (const char* const host : {"H1", "H2", "H3"})
    EXPECT_EQ(agent(host).vnics.at(1).info.oper_state(), mad::VnicState::forwarding) << host;
  EXPECT_THAT(conditions(), IsEmpty());
}

TEST_F(VnicFabric, AGroupThatIsRefusedIsNamedAndLeavesUnicastAlone) {
  administration.refuses_joins = true;
  start(two_switches(*this));
  pass();
  EXPECT_THAT(conditions(), ElementsAre("SM-VNIC-GROUP-FAILED", "SM-VNIC-GROUP-FAILED"));
  EXPECT_EQ(agent("H1").vnics.at(1).info.oper_state(), mad::VnicState::forwarding);
  administration.refuses_joins = false;
  pass(31s);
  EXPECT_EQ((agent("H1").vnics.at(1).info.get<std::uint32_t, "UnknownMulticastDLID">()), 0xC001u);
  administration.refuses_joins = true;
  pass(400s);
  EXPECT_EQ((agent("H1").vnics.at(1).info.get<std::uint32_t, "UnknownMulticastDLID">()), 0xC001u)
      << "what was there stays";
}

TEST_F(VnicFabric, PortsWithoutAnAgentAreQueriedLessAndLess) {
  sim::EthernetAgent& none = network.agent(port("H0"));
  none.faults.silent = true;
  start(two_switches(*this));
  pass(600s);
  EXPECT_THAT(conditions(), IsEmpty()) << "all ports are members, and not all have a driver";
  EXPECT_LE(none.gets[EthernetAttribute::class_port_info], 3u * 8u);
  none.faults.silent = false;
  pass(150s);
  EXPECT_TRUE(none.vnics.contains(1)) << "its driver was loaded";
}

TEST_F(VnicFabric, ASmallTableHoldsTheFirstAddresses) {
  agent("H1").faults.table_entries_max = 2;
  start(two_switches(*this));
  pass();
  EXPECT_EQ(agent("H1").vnics.at(1).table.size(), 2u);
  EXPECT_EQ(agent("H1").vnics.at(1).info.oper_state(), mad::VnicState::forwarding);
  const unsigned before = all_sets();
  pass(60s);
  EXPECT_EQ(all_sets(), before);
}

TEST_F(VnicFabric, APortThatIsNamedAndNotThereIsReported) {
  vnic::Configuration configuration = two_switches(*this);
  configuration.switches[1].members.push_back({.port_guid = {0x77}, .description = {}});
  start(configuration);
  pass();
  EXPECT_THAT(conditions(), ElementsAre("SM-VNIC-MEMBER-MISSING"));
}

TEST_F(VnicFabric, StatusIsJsonWithSwitchesAndPorts) {
  start(two_switches(*this));
  pass();
  const std::string json = to_json(*manager->status());
  EXPECT_THAT(json, testing::HasSubstr("\"forwarding\": 3"));
  EXPECT_THAT(json, testing::HasSubstr("\"multicast_lid\": \"0xc001\""));
}

}  // namespace vnic_manager_test
