#include "virt/find.h"

#include <gtest/gtest.h>

#include "virt/virt_conditions.h"
#include "virt/vport_rules.h"
#include "virtualized.h"

namespace find_test {

using fabric::VPortHold;
using mad::PortState;
using virtualized::Hosts;
using virtualized::vport;

constexpr mad::Guid kA{0x5000000000000001}, kB{0x5000000000000002};

TEST(FindVPorts, SaysWhyAVPortIsNotServed) {
  Hosts hosts(1);
  auto& vports = hosts.find_facts(0).vports;
  vports[1] = vport(kA, PortState::init);
  vports[2] = vport({}, PortState::down);
  vports[3] = vport({~std::uint64_t{0}}, PortState::down);
  vports[4] = vport(kB, PortState::down);
  vports[5] = vport(kB, PortState::init);
  vports[5].node_info.reset();
  vports[6].exists = false;
  vports[7] = vport(kB, PortState::active_defer);
  const virt::Found found = virt::find_vports(hosts.fabric, hosts.facts, {});
  ASSERT_EQ(found.vports.size(), 6u);
  const VPortHold expected[] = {VPortHold::none,         VPortHold::no_guid, VPortHold::no_guid,
                                VPortHold::down_by_host, VPortHold::unread,  VPortHold::unread};
  for (std::size_t number = 0; number < 6; ++number)
    EXPECT_EQ(found.vports[number].hold, expected[number]) << number;
  ASSERT_EQ(found.ports.size(), 1u);
  EXPECT_EQ(found.ports[0].count, 6u);
}

TEST(FindVPorts, OfTwoWithOneGuidTheServedOneKeepsIt) {
  Hosts hosts(2);
  hosts.find_facts(0).vports[1] = vport(kA, PortState::active);
  hosts.find_facts(1).vports[1] = vport(kA, PortState::init);
  const mad::Guid second = hosts.fabric.ports[hosts.ports[1]].guid;
  const virt::Found found = virt::find_vports(hosts.fabric, hosts.facts, {});
  EXPECT_EQ(found.vports[0].hold, VPortHold::none) << "it is Active";
  EXPECT_EQ(found.vports[1].hold, VPortHold::duplicate_guid);
  ASSERT_EQ(found.conditions.size(), 1u);
  EXPECT_EQ(found.conditions[0].id, virt::kVirtConditions.vport_guid_duplicate);
  ASSERT_EQ(found.contested.size(), 1u);
  EXPECT_NE(found.contested[0], second);

  const virt::Found served = virt::find_vports(
      hosts.fabric, hosts.facts,
      [&](mad::Guid guid, mad::Guid port, std::uint16_t) { return guid == kA && port == second; });
  EXPECT_EQ(served.vports[0].hold, VPortHold::duplicate_guid);
  EXPECT_EQ(served.vports[1].hold, VPortHold::none);
}

TEST(FindVPorts, GuidOfAPhysicalPortIsItsOwn) {
  Hosts hosts(2);
  hosts.find_facts(0).vports[0] = vport(hosts.fabric.ports[hosts.ports[0]].guid, PortState::active);
  hosts.find_facts(0).vports[1] = vport(hosts.fabric.ports[hosts.ports[1]].guid, PortState::active);
  const virt::Found found = virt::find_vports(hosts.fabric, hosts.facts, {});
  EXPECT_EQ(found.vports[0].hold, VPortHold::none);
  EXPECT_EQ(found.vports[1].hold, VPortHold::duplicate_guid);
}

TEST(FindVPorts, ImplausibleValuesAreConditions) {
  Hosts hosts(1);
  hosts.find_facts(0, 4, 0xFFFF).vports[1] = vport(kA, PortState::init);
  hosts.find_facts(0).vports[2] = vport(kB, PortState::init);
  hosts.find_facts(0).vports[2].node_info->set_partition_cap(0xFFFF);
  const virt::Found found = virt::find_vports(hosts.fabric, hosts.facts, {});
  EXPECT_EQ(found.vports[0].hold, VPortHold::none);
  EXPECT_EQ(found.vports[1].hold, VPortHold::unread);
  EXPECT_EQ(found.conditions.size(), 2u);
  EXPECT_EQ(virt::index_top(*hosts.find_facts(0).info), 4u);
}

TEST(VPortRules, AllPairsOfStatesAreListedOnce) {
  for (const PortState known : {PortState::down, PortState::init, PortState::active})
    for (const PortState shown : {PortState::down, PortState::init, PortState::active}) {
      std::size_t rules = 0;
      for (const virt::VPortRule& rule : virt::kVPortRules)
        rules += rule.known == known && rule.shown == shown;
      EXPECT_EQ(rules, 1u);
      EXPECT_EQ(virt::reread(known, shown) == virt::Reread::nothing,
                known == shown && shown != PortState::init);
    }
  EXPECT_EQ(virt::reread(PortState::active, PortState::armed), virt::Reread::everything);
  EXPECT_EQ(virt::reread(PortState::active, PortState::active_defer), virt::Reread::everything);
}

}  // namespace find_test
