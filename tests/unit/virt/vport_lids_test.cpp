#include "virt/vport_lids.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fabric/topology/random_source.h"
#include "support/seeds.h"
#include "virt/find.h"
#include "virtualized.h"

namespace vport_lids_test {

using mad::PortState;
using virtualized::Hosts;

constexpr mad::Guid kA{0x5000000000000001}, kB{0x5000000000000002}, kAbsent{0x6000000000000001};

/// Base LIDs from 1 in the order of end ports.
fabric::LidMap physical_lids(const fabric::Fabric& fabric) {
  fabric::LidMap lids;
  for (std::uint16_t lid = 1; lid <= fabric.end_ports.size(); ++lid)
    lids.of_end_port.push_back({.base = mad::Lid{lid}});
  return virt::physical_only(lids, fabric);
}

struct VPortLidsTest : testing::Test {
  Hosts hosts{2};
  fabric::LidMap physical = physical_lids(hosts.fabric);
  std::vector<fabric::VPort> vports;

  virt::VPortLids assign(const sm::Guid2Lid& persisted, unsigned limit = 0xBFFF) {
    vports = virt::find_vports(hosts.fabric, hosts.facts, {}).vports;
    return virt::assign_vport_lids(vports, hosts.fabric, physical, persisted, limit);
  }
};

TEST_F(VPortLidsTest, RecordedThenPresentThenLowestFree) {
  auto& of = hosts.find_facts(0).vports;
  of[1] = virtualized::vport(kA, PortState::init, true, mad::Lid{9});
  of[2] = virtualized::vport(kB, PortState::init, true, mad::Lid{20});
  of[3] = virtualized::vport({0x5000000000000003}, PortState::init, true);
  of[4] = virtualized::vport({0x5000000000000004}, PortState::init);
  of[4].info->set_lid_by_vport_index(2);
  of[5] = virtualized::vport({0x5000000000000005}, PortState::init);
  const virt::VPortLids lids = assign({.entries = {{kA, {10}, {10}, 0}, {kAbsent, {4}, {4}, 0}}});
  EXPECT_EQ(vports[0].lid, mad::Lid{10});
  EXPECT_EQ(vports[1].lid, mad::Lid{20});
  EXPECT_EQ(vports[2].lid, mad::Lid{5}) << "4 is reserved for an absent port";
  EXPECT_EQ(vports[3].lid, mad::Lid{20}) << "by its index";
  EXPECT_EQ(vports[4].lid, physical
                               .of_end_port[fabric::EndPortIndex{
                                   std::ranges::find(hosts.fabric.end_ports, hosts.ports[0]) -
                                   hosts.fabric.end_ports.begin()}]
                               .base);
  EXPECT_EQ(lids.lids.lid_top, mad::Lid{20});
  EXPECT_EQ(lids.lids.owner(mad::Lid{10}), hosts.ports[0]);
  EXPECT_EQ(lids.persisted.entries.size(), 4u);
  EXPECT_EQ(virt::physical_only(lids.lids, hosts.fabric).port_of_lid, physical.port_of_lid);
}

TEST_F(VPortLidsTest, PhysicalPortsComeFirstAndAbsentOnesGiveWay) {
  auto& of = hosts.find_facts(0).vports;
  of[1] = virtualized::vport(kA, PortState::init, true, mad::Lid{1});
  of[2] = virtualized::vport(kB, PortState::init, true);
  const virt::VPortLids lids = assign({.entries = {{kAbsent, {4}, {4}, 1}}}, 4);
  EXPECT_EQ(vports[0].lid, mad::Lid{4}) << "1 is that of a physical port";
  EXPECT_EQ(lids.messages.size(), 1u);
  EXPECT_EQ(vports[1].hold, fabric::VPortHold::no_lid);
  EXPECT_EQ(lids.without, 1u);
  EXPECT_EQ(lids.persisted.find(kAbsent), nullptr);
}

/// Vports with and without LIDs of their own, some of them recorded, few LIDs.
TEST(VPortLidsProperty, LidsAreUniqueRecordedOnesStayAndNoneIsLeftUnused) {
  seeds::for_each(500, [](std::uint64_t seed) {
    topology::Random dice(seed);
    Hosts hosts(2 + static_cast<unsigned>(dice.below(4)));
    const fabric::LidMap physical = physical_lids(hosts.fabric);
    const auto limit = static_cast<unsigned>(physical.lid_top.value + dice.below(20));
    const auto any_lid = [&] {
      return mad::Lid{static_cast<std::uint16_t>(1 + dice.below(limit + 3))};
    };
    std::map<mad::Guid, sm::Guid2Lid::Entry> recorded;  // LIDs are unique, as in the file
    std::set<mad::Lid> lids_recorded;
    const auto record = [&](mad::Guid guid) {
      const mad::Lid lid = any_lid();
      if (lids_recorded.insert(lid).second)
        recorded.try_emplace(guid, sm::Guid2Lid::Entry{guid, lid, lid, dice.below(5)});
    };
    for (unsigned host = 0; host < hosts.ports.size(); ++host) {
      for (std::uint16_t index = 0; index < 8; ++index) {
        const mad::Guid guid{0x5000000000000000 + dice.below(std::uint64_t{40})};
        hosts.find_facts(host).vports[index] =
            virtualized::vport(guid, dice.percent(80) ? PortState::init : PortState::down,
                               dice.percent(60), dice.percent(30) ? any_lid() : mad::Lid{});
        if (dice.percent(30)) record(guid);
      }
    }
    for (unsigned absent = 0; absent < 3; ++absent) record({0x6000000000000000u + absent});
    sm::Guid2Lid persisted;
    for (const auto& [guid, entry] : recorded) persisted.entries.push_back(entry);

    std::vector<fabric::VPort> vports = virt::find_vports(hosts.fabric, hosts.facts, {}).vports;
    const std::vector<fabric::VPort> found = vports;
    const virt::VPortLids lids =
        virt::assign_vport_lids(vports, hosts.fabric, physical, persisted, limit);
    std::set<mad::Lid> used;
    std::size_t without = 0;
    for (const fabric::VPort& vport : vports) {
      if (!vport.has_own_lid) {
        EXPECT_EQ(physical.owner(vport.lid), vport.port) << "that of its port";
        continue;
      }
      without += vport.hold == fabric::VPortHold::no_lid;
      if (vport.lid == mad::Lid{}) continue;
      EXPECT_TRUE(used.insert(vport.lid).second);
      EXPECT_LE(vport.lid.value, limit);
      EXPECT_EQ(physical.owner(vport.lid), fabric::kNoIndex);
      EXPECT_EQ(lids.lids.owner(vport.lid), vport.port);
      const auto entry = recorded.find(vport.guid);
      if (entry != recorded.end() && entry->second.first.value <= limit &&
          physical.owner(entry->second.first) == fabric::kNoIndex) {
        EXPECT_EQ(vport.lid, entry->second.first) << "recorded";
      }
    }
    EXPECT_EQ(lids.without, without);
    for (unsigned lid = 1; without > 0 && lid <= limit; ++lid)
      EXPECT_NE(lids.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)}), fabric::kNoIndex)
          << lid;
    for (const fabric::EndPortIndex port : hosts.fabric.end_ports.indices())
      EXPECT_EQ(lids.lids.of_end_port[port].base, physical.of_end_port[port].base);
    // From what is saved now, nothing changes.
    std::vector<fabric::VPort> again = found;
    virt::assign_vport_lids(again, hosts.fabric, physical, lids.persisted, limit);
    for (std::size_t number = 0; number < vports.size(); ++number)
      EXPECT_EQ(again[number].lid, vports[number].lid);
  });
}

TEST_F(VPortLidsTest, TablesAreThoseOfThePhysicalPort) {
  hosts.find_facts(1).vports[1] = virtualized::vport(kA, PortState::init, true, mad::Lid{100});
  const virt::VPortLids lids = assign({});
  auto engine = std::make_shared<fabric::ForwardingTables>(1, physical.lid_top);
  for (std::uint8_t lid = 1; lid <= physical.lid_top.value; ++lid)
    engine->writable_row(fabric::SwitchIndex{0})[lid] = lid;
  const auto tables = virt::with_vport_lids(engine, hosts.fabric, physical, lids.lids);
  EXPECT_EQ(tables->lid_top(), mad::Lid{100});
  const mad::Lid base = virt::physical_only(lids.lids, hosts.fabric).of_end_port.back().base;
  EXPECT_EQ(tables->at(fabric::SwitchIndex{0}, mad::Lid{100}).value, base.value);
  EXPECT_EQ(virt::with_vport_lids(engine, hosts.fabric, physical, physical), engine);
}

}  // namespace vport_lids_test
