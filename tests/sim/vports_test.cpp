// Vports in whole managers: they come up, with LIDs and P_Keys, and what their hosts do with them.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include <algorithm>
#include <map>
#include <set>

#include "sim/sa_lab.h"
#include "sim/virtualized.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"

namespace vports_test {

using laboratory::kVfs;
using laboratory::Virtualized;
using mad::AttributeId;
using mad::Method;
using mad::PortState;
using namespace std::chrono_literals;

TEST(VPortsOnHardware, ComeUpWithLidsAndPKeys) {
  Virtualized lab;
  lab.add_vports();
  lab.partition_by_index();
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  EXPECT_EQ(lab.published().vports.size(), lab.hosts.size() * (kVfs + 1));
  std::set<std::uint16_t> lids;
  for (std::size_t host = 0; host < lab.hosts.size(); ++host) {
    const sim::PortModel& port = lab.model.ports[lab.hosts[host]];
    for (std::uint16_t index = 1; index <= kVfs; ++index) {
      const fabric::EndPoint end = lab.subnet()->find(Virtualized::guid(host, index));
      ASSERT_NE(end.vport, fabric::kNoIndex) << host << ' ' << index;
      const fabric::VPort& vport = lab.published().vports[end.vport];
      EXPECT_EQ(vport.lid, sim::vport_lid(port, index));
      EXPECT_EQ(vport.has_own_lid, index % 2 == 0);
      EXPECT_EQ(vport.state, PortState::active);
      if (vport.has_own_lid) {
        EXPECT_TRUE(lids.insert(vport.lid.value).second);
        EXPECT_EQ(lab.subnet()->owner(vport.lid), end);
      }
      EXPECT_TRUE(
          sim::vport_holds_p_key(lab.model, lab.hosts[host], index, mad::full_member_key(index)));
      EXPECT_TRUE(
          sim::vport_holds_p_key(lab.model, lab.hosts[host], index, mad::kDefaultPKeyLimited));
    }
  }
  EXPECT_EQ(lab.send(1, 1, 2, 1, 0x8001), sim::Drop::none);
  EXPECT_EQ(lab.send(1, 2, 5, 2, 0x8002), sim::Drop::none);
  EXPECT_EQ(lab.send(1, 2, 1, 2, 0x8002), sim::Drop::none) << "on one host";
  EXPECT_NE(lab.send(1, 1, 2, 2, 0x8001), sim::Drop::none) << "another partition";
  EXPECT_NE(lab.send(1, 1, 2, 2, 0x8002), sim::Drop::none) << "a key that it does not have";
}

/// Two servers on spines: their vports, too, are reached from all.
TEST(VPortsOnHardware, OnSpinesAreReached) {
  Virtualized lab(topology::add_host(
      topology::add_host(topology::xgft({.children = {3, 4}, .parents = {1, 2}, .cables = {}}),
                         "S2-0"),
      "S2-1"));
  lab.options.routing_engine = {"auto"};
  lab.add_vports();
  lab.partition_by_index();
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  EXPECT_EQ(lab.status().subnet->routing->engine, "dmodc");
  const std::size_t last = lab.hosts.size() - 1;
  for (std::size_t host = 0; host < last; ++host)
    for (const std::uint16_t index : {std::uint16_t{1}, std::uint16_t{2}}) {
      const auto key = static_cast<std::uint16_t>(0x8000 + index);
      EXPECT_EQ(lab.send(host, index, last, index, key), sim::Drop::none) << host;
      EXPECT_EQ(lab.send(last, index, host, index, key), sim::Drop::none) << host;
    }
}

TEST(VPortsOnHardware, OfManyHostsAreActiveAfterOneSweep) {
  Virtualized lab(topology::xgft({.children = {8, 10}, .parents = {1, 3}, .cables = {}}), 8);
  lab.add_vports();
  lab.partition_by_index();
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  EXPECT_LE(lab.heddle().count("sweep started: everything"), 2u) << "one of each start";
  EXPECT_EQ(lab.published().of_guid.size(), lab.hosts.size() * 8);
  EXPECT_EQ(lab.published().of_lid.size(), lab.hosts.size() * 4);
  EXPECT_TRUE(lab.is_in_order()) << lab.complaint();
}

/// A fabric that is up, with vports.
class VPortsOfHosts : public testing::Test {
 protected:
  VPortsOfHosts() {
    lab.add_vports();
    lab.partition_by_index();
  }
  void SetUp() override { ASSERT_TRUE(lab.bring_up()) << lab.tail(); }

  Virtualized lab;
};

TEST_F(VPortsOfHosts, RebindTakesMillisecondsAndNoSweep) {
  const mad::Lid lid = lab.find_lid(3, 2);
  const std::uint64_t sweeps = lab.status().sweeps;
  sim::bind_vport(lab.world, lab.hosts[3], 2, false);
  ASSERT_TRUE(lab.runtime.run_until([&] { return !lab.is_served(Virtualized::guid(3, 2)); }, 1s));
  sim::bind_vport(lab.world, lab.hosts[3], 2, true);
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.state(3, 2) == PortState::active; }, 20ms));
  lab.settle();
  EXPECT_TRUE(lab.is_served(Virtualized::guid(3, 2)));
  EXPECT_EQ(lab.find_lid(3, 2), lid);
  EXPECT_EQ(lab.status().sweeps, sweeps);
}

TEST_F(VPortsOfHosts, AnotherGuidIsAnotherMember) {
  const mad::Guid released = Virtualized::guid(2, 1), fresh{0x5000000000009999};
  sim::set_vport_guid(lab.world, lab.hosts[2], 1, sim::kReleasedGuid);
  lab.settle();
  EXPECT_FALSE(lab.is_served(released));
  const auto peer = lab.far(lab.hosts[2]);
  EXPECT_FALSE(lab.switch_port_has(peer, {0x8001})) << "given back";
  EXPECT_EQ(
      lab.published()
          .vports_of(lab.subnet()->fabric.port_of_guid.at(lab.model.ports[lab.hosts[2]].guid))[1]
          .hold,
      fabric::VPortHold::no_guid);
  sim::set_vport_guid(lab.world, lab.hosts[2], 1, fresh);
  lab.settle();
  EXPECT_TRUE(lab.is_served(fresh));
  EXPECT_FALSE(sim::vport_holds_p_key(lab.model, lab.hosts[2], 1, {0x8001}));
  sim::set_vport_guid(lab.world, lab.hosts[2], 1, released);
  lab.settle();
  EXPECT_TRUE(lab.is_served(released));
  EXPECT_TRUE(sim::vport_holds_p_key(lab.model, lab.hosts[2], 1, {0x8001}));
}

TEST_F(VPortsOfHosts, SurviveWhatHappensToTheirHost) {
  std::map<mad::Guid, mad::Lid> lids;
  for (std::uint16_t index = 1; index <= kVfs; ++index)
    lids[Virtualized::guid(4, index)] = lab.find_lid(4, index);
  lab.world.bounce(lab.hosts[4]);
  lab.let_links_train();
  EXPECT_TRUE(lab.recovers()) << lab.tail();
  lab.reboot(lab.owning_node(lab.hosts[4]));
  EXPECT_TRUE(lab.recovers()) << lab.tail();
  for (std::uint16_t index = 1; index <= kVfs; ++index)
    EXPECT_EQ(lab.find_lid(4, index), lids[Virtualized::guid(4, index)]);
  lab.settle();
  EXPECT_EQ(lab.sets_of([] {}), 0u);
}

/// The sweep waits for a host that hangs, and another one restarts meanwhile: when models are tried
/// again, that port is in Init.
TEST_F(VPortsOfHosts, OneThatHasRestartedSinceItWasReadIsNotTried) {
  sim::Health& hangs = lab.model.owning_node(lab.hosts[3]).health;
  hangs.silent = true;
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(300ms);
  lab.reboot(lab.owning_node(lab.hosts[0]));
  hangs.silent = false;
  EXPECT_TRUE(
      lab.runtime.run_until([&] { return lab.all_active(); }, laboratory::kSweepsWithErrors))
      << lab.tail();
  EXPECT_FALSE(lab.says("[SM-VPORT-PROBE-FAILED]")) << lab.tail();
  lab.settle();
  EXPECT_TRUE(sim::has_vports(lab.model.ports[lab.hosts[0]]));
}

/// A vport with another GUID gets another LID, and one switch does not take it.
TEST_F(VPortsOfHosts, ForwardingTableBlockThatWasRejectedIsWrittenAgain) {
  sim::Health& health = lab.model.owning_node(lab.far(lab.hosts[7])).health;
  health.reject = [](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
    if (smp.method() != Method::set || smp.attribute_id() != AttributeId::linear_forwarding_table)
      return std::nullopt;
    return mad::status::kInvalidValue;
  };
  sim::set_vport_guid(lab.world, lab.hosts[2], 2, {0x5000000000009998});
  lab.settle();
  EXPECT_EQ(lab.state(2, 2), PortState::init) << "it is not forwarded to everywhere";
  health.reject = {};
  EXPECT_TRUE(lab.recovers()) << lab.tail();
  sim::PacketHeader packet;
  packet.dlid = lab.find_lid(2, 2);
  packet.p_key = mad::kDefaultPKeyFull;
  EXPECT_EQ(sim::walk_unicast(lab.model, lab.hosts[7], packet).drop, sim::Drop::none);
}

/// Trap 1257 names the vport: only P_Key tables are read because of it.
TEST_F(VPortsOfHosts, PacketsWithAPKeyThatAVPortLacksAreReported) {
  sim::PacketHeader packet;
  packet.dlid = lab.find_lid(5, 2);
  packet.p_key = {0x8001};
  packet.dgid = mad::Gid{lab.options.subnet_prefix, Virtualized::guid(5, 2)};
  packet.from_vport = 1;
  const std::uint64_t sweeps = lab.status().sweeps + lab.status().light_sweeps;
  lab.forget_counts();
  EXPECT_EQ(lab.world.send_data(lab.hosts[1], packet).drop, sim::Drop::p_key_end);
  lab.runtime.run_for(500ms);
  EXPECT_EQ(sim::vport_info(lab.model.ports[lab.hosts[5]], 2).p_key_violations(), 1u);
  EXPECT_EQ(lab.heddle().tap().responses.size(), 1u) << "TrapRepress";
  EXPECT_LE(lab.status().sweeps + lab.status().light_sweeps, sweeps);
  const std::uint64_t of_vport = lab.sent(Method::get, AttributeId::vport_p_key_table);
  EXPECT_GE(of_vport, 1u);
  EXPECT_EQ(lab.gets(), lab.sent(Method::get, AttributeId::p_key_table) + of_vport);
  EXPECT_EQ(lab.sets(), 0u);
}

/// Any host can write to it where there are no M_Keys.
TEST_F(VPortsOfHosts, APKeyTableThatAnotherHostWroteIsMendedAfterTheFirstLostPacket) {
  const mad::PKey key = mad::full_member_key(2);
  sim::set_vport_p_keys(lab.model, lab.hosts[5], 2, 0, {});
  ASSERT_FALSE(sim::vport_holds_p_key(lab.model, lab.hosts[5], 2, key));
  sim::PacketHeader packet;
  packet.dlid = lab.find_lid(5, 2);
  packet.p_key = key;
  packet.dgid = mad::Gid{lab.options.subnet_prefix, Virtualized::guid(5, 2)};
  packet.from_vport = 2;
  ASSERT_EQ(lab.world.send_data(lab.hosts[1], packet).drop, sim::Drop::p_key_end);
  EXPECT_TRUE(lab.runtime.run_until(
      [&] { return sim::vport_holds_p_key(lab.model, lab.hosts[5], 2, key); }, 1s))
      << lab.tail();
  EXPECT_TRUE(lab.says("VPortP_KeyTable block 0 of vport 2 of port 1")) << lab.tail();
}

/// Nothing shows it but reading the tables back.
TEST_F(VPortsOfHosts, WhatChangedWithoutATraceIsFoundByTheAudit) {
  lab.options.audit_interval = 20;
  lab.heddle().reload(lab.options);
  lab.settle();
  sim::set_vport_p_keys(lab.model, lab.hosts[6], 3, 0, {});
  lab.runtime.run_for(60s);
  EXPECT_TRUE(sim::vport_holds_p_key(lab.model, lab.hosts[6], 3, {0x8003})) << lab.tail();
  EXPECT_TRUE(lab.says("VPortP_KeyTable block 0 of vport 3 of port 1")) << lab.tail();
  EXPECT_EQ(lab.heddle().count("[SM-AUDIT-DIFFERENCE]"), 1u) << lab.tail();
  EXPECT_TRUE(lab.all_active());
}

/// A device that lies about all of its vports for some time.
TEST_F(VPortsOfHosts, ThoseOfAPortThatShowsOtherValuesForSomeTimeAreReadAgain) {
  sim::VPortFirmware& lying = sim::vport_firmware(lab.world, lab.hosts[2]);
  const std::function<void()> lies[] = {[&] { lying.revision = 3; },
                                        [&] { lying.shown_top = std::uint16_t{0xFFFF}; },
                                        [&] { lying.shown_cap = std::uint16_t{0}; }};
  for (const auto& lie : lies) {
    lie();
    sim::rebind_vport(lab.world, lab.hosts[2], 1);
    lab.settle();
    sim::end_vport_faults(lab.world, lab.hosts[2]);
    EXPECT_TRUE(lab.recovers(2 * laboratory::kLightSweep)) << lab.tail();
    lab.settle();
    EXPECT_TRUE(lab.is_served(Virtualized::guid(2, 1)));
    EXPECT_TRUE(lab.is_served(Virtualized::guid(2, 2)));
  }
}

/// Its functions are there again without GUIDs and with the policy Down, until the host sets them.
TEST_F(VPortsOfHosts, ReloadOfTheDriverTakesThemAwayUntilTheyAreSetAgain) {
  const mad::Lid lid = lab.find_lid(3, 2);
  for (const bool recreate : {true, false}) {
    sim::reload_driver(lab.world, lab.hosts[3], recreate);
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.state(3, 0) == PortState::active; }, 50ms));
    lab.settle();
    EXPECT_FALSE(lab.is_served(Virtualized::guid(3, 2)));
    EXPECT_FALSE(lab.switch_port_has(lab.far(lab.hosts[3]), {0x8002})) << "given back";
    for (std::uint16_t index = 1; index <= kVfs; ++index) {
      if (!recreate)
        sim::create_vport(lab.world, lab.hosts[3], index,
                          {.guid = Virtualized::guid(3, index), .lid_required = index % 2 == 0});
      sim::set_vport_guid(lab.world, lab.hosts[3], index, Virtualized::guid(3, index));
      sim::set_vport_policy(lab.world, lab.hosts[3], index, sim::VPortPolicy::follow);
    }
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.all_active(); }, 100ms)) << lab.tail();
    EXPECT_EQ(lab.find_lid(3, 2), lid);
    EXPECT_EQ(lab.send(5, 2, 3, 2, 0x8002), sim::Drop::none);
  }
}

TEST_F(VPortsOfHosts, MigrationKeepsTheLid) {
  const mad::Guid guid = Virtualized::guid(1, 2);
  const mad::Lid lid = lab.find_lid(1, 2);
  sim::destroy_vport(lab.world, lab.hosts[6], 2);
  lab.settle();
  for (const bool overlapping : {false, true}) {
    const std::size_t from = overlapping ? 6 : 1, to = overlapping ? 1 : 6;
    sim::VPortMigration migration;
    migration.overlapping = overlapping;
    migration.time = 50ms;
    ASSERT_TRUE(sim::migrate_vport(lab.world, {lab.hosts[from], 2}, {lab.hosts[to], 2}, migration));
    lab.settle();
    EXPECT_EQ(lab.state(to, 2), PortState::active) << lab.tail();
    const fabric::EndPoint end = lab.subnet()->find(guid);
    ASSERT_NE(end.vport, fabric::kNoIndex);
    EXPECT_EQ(lab.subnet()->fabric.ports[end.port].guid, lab.model.ports[lab.hosts[to]].guid);
    EXPECT_EQ(lab.find_lid(to, 2), lid);
    EXPECT_EQ(lab.send(8, 2, to, 2, 0x8002), sim::Drop::none);
  }
}

TEST_F(VPortsOfHosts, DuplicateStaysInInitAndBothAreNamed) {
  sim::set_vport_guid(lab.world, lab.hosts[7], 3, Virtualized::guid(1, 3));
  lab.settle();
  EXPECT_EQ(lab.state(7, 3), PortState::init);
  EXPECT_EQ(lab.state(1, 3), PortState::active);
  EXPECT_TRUE(lab.says("[SM-VPORT-GUID-DUPLICATE]")) << lab.tail();
  sim::set_vport_guid(lab.world, lab.hosts[1], 3, {});
  lab.runtime.run_for(laboratory::kLightSweep);
  EXPECT_EQ(lab.state(7, 3), PortState::active) << "its first place is empty";
}

TEST_F(VPortsOfHosts, SighupThatMovesAVfWritesTheDifference) {
  lab.settle();
  lab.forget_counts();
  partitions::Configuration moved = lab.partitioning;
  for (partitions::Definition& definition : moved.definitions) {
    if (definition.key == 1)
      std::erase_if(definition.members, [](const partitions::Member& member) {
        return member.first == Virtualized::guid(2, 1).value;
      });
    if (definition.key == 2)
      definition.members.push_back({.first = Virtualized::guid(2, 1).value,
                                    .last = Virtualized::guid(2, 1).value,
                                    .membership = partitions::Membership::full});
  }
  lab.heddle().partitioning = moved;
  const std::uint64_t sets = lab.sets_of([&] { lab.heddle().reload(lab.options); });
  EXPECT_LE(sets, 2u) << "the switch port in front, and the vport";
  EXPECT_TRUE(sim::vport_holds_p_key(lab.model, lab.hosts[2], 1, {0x8002}));
  EXPECT_FALSE(sim::vport_holds_p_key(lab.model, lab.hosts[2], 1, {0x8001}));
  EXPECT_EQ(lab.send(2, 1, 5, 2, 0x8002), sim::Drop::none);
}

TEST_F(VPortsOfHosts, RestartChangesNothing) {
  const mad::Lid lid = lab.find_lid(5, 4);
  lab.heddle().stop();
  lab.forget_counts();
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.is_served(Virtualized::guid(5, 4)); },
                                    laboratory::kComesUp));
  lab.settle();
  EXPECT_EQ(lab.find_lid(5, 4), lid);
  EXPECT_EQ(lab.sent(Method::set, AttributeId::vport_p_key_table), 0u);
  EXPECT_EQ(lab.sent(Method::set, AttributeId::linear_forwarding_table), 0u);
  EXPECT_EQ(lab.sent(Method::set, AttributeId::p_key_table), 0u);
}

TEST_F(VPortsOfHosts, TakeoverKeepsLidsAndReregistersOncePerPort) {
  const mad::Lid lid = lab.find_lid(5, 4);
  laboratory::Instance& second = lab.add_standby();
  lab.heddle().stop();
  second.attachment().forget_counts();
  const auto served = [&] {
    const auto subnet = second.manager().status().subnet;
    return second.manager().status().state == mad::SmState::master && subnet && subnet->vports &&
           subnet->find(Virtualized::guid(5, 4)).vport != fabric::kNoIndex;
  };
  EXPECT_TRUE(lab.runtime.run_until(served, laboratory::kTakeover)) << second.tail();
  lab.runtime.run_for(3s);
  EXPECT_TRUE(lab.all_active());
  EXPECT_EQ(lab.find_lid(5, 4), lid);
  EXPECT_EQ(second.attachment().sent(Method::set, AttributeId::vport_info), 0u);
  EXPECT_EQ(second.attachment().sent(Method::set, AttributeId::vport_p_key_table), 0u);
  EXPECT_EQ(second.attachment().sent(Method::set, AttributeId::virtualization_info),
            lab.hosts.size());
}

TEST_F(VPortsOfHosts, SwitchedOffAndOnAgain) {
  const mad::Lid lid = lab.find_lid(5, 4);
  lab.options.virt_enabled = 1;
  lab.heddle().reload(lab.options);
  EXPECT_TRUE(lab.runtime.run_until(
      [&] { return !sim::has_vports(lab.model.ports[lab.hosts[5]]) && lab.is_in_order(); },
      laboratory::kComesUp));
  lab.settle();
  EXPECT_FALSE(lab.is_served(Virtualized::guid(5, 4)));
  lab.options.virt_enabled = 2;
  lab.heddle().reload(lab.options);
  EXPECT_TRUE(lab.recovers()) << lab.tail();
  EXPECT_EQ(lab.find_lid(5, 4), lid);
}

TEST_F(VPortsOfHosts, LifeOfContainersLeavesNothingBehind) {
  constexpr unsigned kCycles = 300;
  const auto entries = [&] {
    return std::ranges::count_if(lab.subnet()->lids.port_of_lid,
                                 [](fabric::PortIndex port) { return port != fabric::kNoIndex; });
  };
  const auto lids = entries();
  std::vector<mad::Duration> times;
  for (unsigned cycle = 0; cycle < kCycles; ++cycle) {
    const std::size_t host = cycle % lab.hosts.size();
    const auto index = static_cast<std::uint16_t>(1 + cycle % kVfs);
    const mad::Guid usual = Virtualized::guid(host, index), fresh{0x7000000000000000u + cycle};
    sim::set_vport_guid(lab.world, lab.hosts[host], index, sim::kReleasedGuid);
    lab.runtime.run_for(30ms);
    for (const mad::Guid guid : {fresh, sim::kReleasedGuid, usual}) {
      const mad::TimePoint begin = lab.runtime.now();
      sim::set_vport_guid(lab.world, lab.hosts[host], index, guid);
      if (sim::is_vport_guid(guid)) {
        ASSERT_TRUE(
            lab.runtime.run_until([&] { return lab.state(host, index) == PortState::active; }, 1s))
            << cycle << lab.tail();
        times.push_back(lab.runtime.now() - begin);
      }
      lab.runtime.run_for(30ms);
    }
  }
  std::ranges::sort(times);
  EXPECT_LE(times[times.size() / 2], 20ms);
  EXPECT_LE(times[times.size() * 99 / 100], 100ms);
  RecordProperty("p50_us", static_cast<int>(times[times.size() / 2] / 1us));
  RecordProperty("p99_us", static_cast<int>(times[times.size() * 99 / 100] / 1us));
  lab.settle();
  EXPECT_EQ(entries(), lids);
  EXPECT_TRUE(lab.recovers());
  for (const sim::PortIndex host : lab.hosts)
    for (std::uint16_t index = 1; index <= kVfs; ++index)
      EXPECT_TRUE(lab.switch_port_has(lab.far(host), mad::full_member_key(index)));
}

TEST(VPortsOnHardware, WhatAHostWith128VfsCosts) {
  constexpr std::uint16_t kMany = 128;
  Virtualized lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  const sim::PortIndex host = lab.hosts[3];
  sim::enable_virtualization(lab.world, host, kMany + 1);
  for (std::uint16_t index = 1; index <= kMany; ++index)
    sim::create_vport(lab.world, host, index, {.guid = Virtualized::guid(3, index)});
  lab.forget_counts();
  lab.options.audit_interval = 0;  // SIGHUP begins a pass, which would be counted, too
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return sim::active_vports(lab.model.ports[host]).size() == kMany + 1u; },
      laboratory::kComesUp))
      << lab.tail();
  lab.settle();
  const sim::NodeModel& node = lab.model.owning_node(host);
  // VPortInfo, VNodeInfo and one block of P_Keys of each; the rest is of the port.
  EXPECT_LE(node.gets, 3u * (kMany + 1) + 30);
  EXPECT_LE(node.sets, kMany + 10u);
}

TEST(VPortsOnHardware, OffByDefaultWithACondition) {
  Virtualized lab;
  lab.add_vports();
  lab.options.virt_enabled = 0;
  EXPECT_FALSE(lab.bring_up());
  EXPECT_TRUE(lab.says("can have SR-IOV virtual ports; virt_enabled 2 turns them on"));
  for (const sim::PortIndex host : lab.hosts) EXPECT_FALSE(sim::has_vports(lab.model.ports[host]));
}

TEST(VPortsOnHardware, PortsThatAreOnAlreadyStayOnUnlessTheOptionSaysOtherwise) {
  for (const bool in_words : {false, true}) {
    Virtualized lab;
    lab.add_vports();
    ASSERT_TRUE(lab.bring_up()) << lab.tail();
    lab.heddle().stop();
    lab.options.virt_enabled = 0;
    if (in_words) lab.options.origins["virt_enabled"] = {};
    lab.start();
    lab.runtime.run_for(laboratory::kComesUp);
    EXPECT_EQ(lab.subnet()->vports != nullptr && lab.is_served(Virtualized::guid(2, 1)), !in_words);
    EXPECT_TRUE(lab.all_active()) << "left as they are";
  }
}

TEST(VPortsOnHardware, AModelWhoseVPortZeroDropsIsTriedAtOnePort) {
  using OnEnable = sim::VPortFirmware::OnEnable;
  Virtualized lab;
  lab.add_vports();
  for (const sim::PortIndex host : lab.hosts)
    sim::vport_firmware(lab.world, host).on_enable = OnEnable::vport_0_down;
  lab.options.virt_probe_timeout = 500;
  EXPECT_FALSE(lab.bring_up());
  lab.runtime.run_for(laboratory::kLightSweep);
  EXPECT_TRUE(lab.says("[SM-VPORT-PROBE-FAILED]")) << lab.tail();
  EXPECT_LE(lab.sent(Method::set, AttributeId::virtualization_info), 2u);
  for (const sim::PortIndex host : lab.hosts) EXPECT_FALSE(sim::has_vports(lab.model.ports[host]));
  EXPECT_TRUE(lab.is_in_order()) << lab.complaint();
}

/// Virtual ports are not worth two links of hosts, which are lost at each restart of the manager.
TEST(VPortsOnHardware, AModelThatLosesItsLinkWhenVPortsAreSwitchedOnIsTriedAtTwoPorts) {
  Virtualized lab;
  lab.add_vports();
  for (const sim::PortIndex host : lab.hosts)
    lab.model.owning_node(host).health.edit_request = [&lab, host](mad::SmpView smp) {
      if (smp.method() == Method::set && smp.attribute_id() == AttributeId::vport_info)
        lab.runtime.after(0ms, [&lab, host] { lab.world.bounce(host); });
    };
  EXPECT_FALSE(lab.bring_up());
  lab.runtime.run_for(laboratory::kLightSweep);
  EXPECT_TRUE(lab.says("did not stay Active when vports were switched on")) << lab.tail();
  for (std::size_t host = 2; host < lab.hosts.size(); ++host)
    EXPECT_EQ(lab.model.extras(lab.hosts[host]).counters.link_downed, 0u) << host;
  for (const sim::PortIndex host : lab.hosts)
    EXPECT_EQ(lab.info(host).port_state(), PortState::active);
}

/// A restart during the trial says nothing about the model: the next port is tried, and this one
/// when it is back.
TEST(VPortsOnHardware, AHostThatRestartsWhileItIsTriedDoesNotTakeVPortsFromItsModel) {
  Virtualized lab;
  lab.add_vports();
  lab.start();
  bool has_restarted = false;
  lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    if (smp.method() != Method::set || smp.attribute_id() != AttributeId::virtualization_info ||
        std::exchange(has_restarted, true))
      return;
    lab.world.reboot(lab.owning_node(lab.hosts[0]));
  };
  EXPECT_TRUE(lab.runtime.run_until([&] { return has_restarted && lab.all_active(); },
                                    laboratory::kSweepsWithErrors))
      << lab.tail();
  EXPECT_FALSE(lab.says("[SM-VPORT-PROBE-FAILED]")) << lab.tail();
}

TEST(VPortsOnHardware, FirmwareThatAnnouncesOtherCapabilitiesIsTriedByItself) {
  using OnEnable = sim::VPortFirmware::OnEnable;
  Virtualized lab;
  lab.add_vports();
  const auto is_older = [&](std::size_t host) { return host >= lab.hosts.size() / 2; };
  for (std::size_t host = 0; host < lab.hosts.size(); ++host) {
    if (!is_older(host)) continue;
    mad::PortInfo& info = lab.info(lab.hosts[host]);
    info.set_capability_mask2(
        static_cast<std::uint16_t>(info.capability_mask2() ^ mad::capability2::kLinkSpeedNdr));
    sim::vport_firmware(lab.world, lab.hosts[host]).on_enable = OnEnable::vport_0_down;
  }
  lab.options.virt_probe_timeout = 500;
  EXPECT_FALSE(lab.bring_up());
  EXPECT_TRUE(lab.says("[SM-VPORT-PROBE-FAILED]")) << lab.tail();
  for (std::size_t host = 0; host < lab.hosts.size(); ++host)
    EXPECT_EQ(sim::has_vports(lab.model.ports[lab.hosts[host]]), !is_older(host)) << host;
  EXPECT_EQ(lab.state(1, 1), PortState::active);
}

/// Each of the first answers about P_Key tables, one alone.
TEST(VPortsOnHardware, OneWrongAnswerDoesNotTakeVPortsFromItsModel) {
  constexpr unsigned kAnswers = 12;
  for (unsigned wrong = 0; wrong < kAnswers; ++wrong) {
    SCOPED_TRACE(wrong);
    Virtualized lab;
    lab.add_vports();
    lab.partition_by_index();
    lab.start();
    unsigned answers = 0;
    for (const sim::PortIndex host : lab.hosts)
      lab.model.owning_node(host).health.edit_response = [&](mad::SmpView smp) {
        if (smp.attribute_id() == AttributeId::vport_p_key_table && answers++ == wrong)
          smp.data()[4] ^= 0x55;
      };
    lab.runtime.run_for(laboratory::kSweepsWithErrors);
    EXPECT_GT(answers, wrong);
    EXPECT_FALSE(lab.says("[SM-VPORT-PROBE-FAILED]")) << lab.tail();
  }
}

TEST(VPortsOnHardware, AModelOfWhichASetChangesAllTablesIsLeftAlone) {
  Virtualized lab;
  lab.add_vports();
  lab.partition_by_index();
  for (const sim::PortIndex host : lab.hosts)
    sim::vport_firmware(lab.world, host).table_modifier =
        sim::VPortFirmware::TableModifier::all_vports;
  EXPECT_FALSE(lab.bring_up());
  EXPECT_TRUE(lab.says("[SM-VPORT-PROBE-FAILED]")) << lab.tail();
  for (std::size_t host = 0; host < lab.hosts.size(); ++host)
    EXPECT_EQ(lab.state(host, 0), PortState::active);
  EXPECT_LE(lab.sent(Method::set, AttributeId::vport_p_key_table), 2u) << "one, and back";
  EXPECT_TRUE(lab.is_in_order()) << lab.complaint();
}

/// Physical ports come first, and what is left goes to vports that require a LID.
TEST(VPortsOnHardware, WhenLidsRunOutPhysicalPortsAreServedAndOneConditionSaysSo) {
  Virtualized lab;
  lab.add_vports();
  const auto end_ports = static_cast<std::uint16_t>(lab.model.nodes.size());
  constexpr unsigned kLeft = 5;
  for (sim::NodeModel& node : lab.model.nodes)
    if (node.is_switch())
      node.sw->info.set_linear_fdb_cap(static_cast<std::uint16_t>(end_ports + kLeft + 1));
  EXPECT_FALSE(lab.bring_up()) << "some vports are left";
  EXPECT_TRUE(lab.is_in_order()) << lab.complaint();
  EXPECT_TRUE(lab.says("[SM-LID-EXHAUSTED]")) << lab.tail();
  EXPECT_EQ(lab.published().of_lid.size(), kLeft);
  std::size_t with_lid = 0;
  for (std::size_t host = 0; host < lab.hosts.size(); ++host)
    for (std::uint16_t index = 0; index <= kVfs; ++index) {
      const bool requires_one = index > 0 && index % 2 == 0;
      const bool is_active = lab.state(host, index) == PortState::active;
      EXPECT_TRUE(is_active || requires_one) << host << ' ' << index;
      with_lid += requires_one && is_active;
    }
  EXPECT_EQ(with_lid, kLeft);
}

TEST(VPortsOnHardware, PKeyTableTooSmallForAVPortHasWhatFits) {
  Virtualized lab;
  for (std::size_t host = 0; host < lab.hosts.size(); ++host) {
    sim::enable_virtualization(lab.world, lab.hosts[host], kVfs + 1);
    for (std::uint16_t index = 1; index <= kVfs; ++index)
      sim::create_vport(
          lab.world, lab.hosts[host], index,
          {.guid = Virtualized::guid(host, index),
           .p_key_capacity = static_cast<std::uint16_t>(host == 4 && index == 2   ? 1
                                                        : host == 4 && index == 3 ? 0
                                                                                  : 32)});
  }
  lab.partition_by_index();
  EXPECT_FALSE(lab.bring_up());
  EXPECT_TRUE(lab.says("[SM-PKEY-TABLE-FULL]")) << lab.tail();
  for (std::size_t host = 0; host < lab.hosts.size(); ++host)
    for (std::uint16_t index = 0; index <= kVfs; ++index)
      EXPECT_EQ(lab.state(host, index),
                host == 4 && index == 3 ? PortState::init : PortState::active)
          << host << ' ' << index;
  const mad::PKeyTable table = sim::vport_p_keys(lab.model, lab.hosts[4], 2, 0);
  EXPECT_TRUE(mad::is_full_member(table.p_key(0)) || mad::p_key_base(table.p_key(0)) == 0x7fff);
  EXPECT_EQ(table.p_key(1), mad::PKey{});
  lab.forget_counts();
  lab.runtime.run_for(60s);
  EXPECT_EQ(lab.sets(), 0u) << "nothing is written in vain";
}

/// Both hosts at that switch keep their traffic; elsewhere P_Keys are enforced.
TEST(VPortsOnHardware, PKeyTableTooSmallForVPortsAtASwitchTurnsEnforcementOffThereOnly) {
  Virtualized lab;
  lab.add_vports();
  lab.partition_by_index();
  const sim::PortIndex small = lab.far(lab.hosts[4]);
  lab.model.owning_node(small).sw->info.set_partition_enforcement_cap(3);
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  EXPECT_TRUE(lab.says("[SM-PKEY-TABLE-FULL]")) << lab.tail();
  for (const sim::PortIndex host : lab.hosts) {
    const sim::PortIndex peer = lab.far(host);
    EXPECT_EQ(lab.info(peer).partition_enforcement_inbound(),
              lab.owning_node(peer) != lab.owning_node(small));
  }
  EXPECT_EQ(lab.send(4, 2, 8, 2, 0x8002), sim::Drop::none);
  EXPECT_NE(lab.send(4, 1, 8, 2, 0x8001), sim::Drop::none);
}

/// Attributes of one vport may show wrong values.
TEST(VPortsOnHardware, ImplausibleAttributesOfOneVPortLeaveTheOthersServed) {
  Virtualized lab;
  lab.add_vports();
  lab.partition_by_index();
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  const mad::Guid port = lab.model.ports[lab.hosts[7]].guid,
                  node = lab.model.owning_node(lab.hosts[8]).info.node_guid();
  mad::VNodeInfo odd = sim::vnode_info(*sim::find_vport(lab.model.ports[lab.hosts[2]], 1));
  odd.set_num_ports(2);
  odd.set_local_port_num({7});
  mad::VNodeInfo huge = odd, none = odd;
  huge.set_partition_cap(0xFFFF);
  none.set_partition_cap(0);
  none.set_num_ports(0);
  struct Fault {
    const char* what;
    PortState state;  // of vport 1, while all others are Active
    std::function<void(sim::PortIndex host)> begin;
  };
  const Fault faults[] = {
      {"the GUID of another port", PortState::init,
       [&](sim::PortIndex host) { sim::set_vport_guid(lab.world, host, 1, port); }},
      {"the GUID of a node", PortState::init,
       [&](sim::PortIndex host) { sim::set_vport_guid(lab.world, host, 1, node); }},
      {"port 7 of 2", PortState::active,
       [&](sim::PortIndex host) { sim::set_vnode_info(lab.world, host, 1, odd); }},
      {"PartitionCap 65535", PortState::init,
       [&](sim::PortIndex host) { sim::set_vnode_info(lab.world, host, 1, huge); }},
      {"PartitionCap 0 and port 7 of 0", PortState::init,
       [&](sim::PortIndex host) { sim::set_vnode_info(lab.world, host, 1, none); }},
      {"another modifier", PortState::init,
       [&](sim::PortIndex host) { sim::vport_firmware(lab.world, host).modifier_wrong = {1}; }},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.what);
    const mad::VNodeInfo usual =
        sim::vnode_info(*sim::find_vport(lab.model.ports[lab.hosts[2]], 1));
    lab.heddle().forget_log();
    fault.begin(lab.hosts[2]);
    sim::rebind_vport(lab.world, lab.hosts[2], 1);
    sim::rebind_vport(lab.world, lab.hosts[2], 2);
    lab.runtime.run_for(laboratory::kLightSweep);
    EXPECT_EQ(lab.state(2, 1), fault.state);
    EXPECT_TRUE(lab.says("[SM-V")) << "a condition" << lab.tail();
    for (std::uint16_t index = 2; index <= kVfs; ++index)
      EXPECT_EQ(lab.state(2, index), PortState::active) << index;
    sim::set_vnode_info(lab.world, lab.hosts[2], 1, usual);
    sim::end_vport_faults(lab.world, lab.hosts[2]);
    sim::set_vport_guid(lab.world, lab.hosts[2], 1, Virtualized::guid(2, 1));
    sim::rebind_vport(lab.world, lab.hosts[2], 1);
    EXPECT_TRUE(lab.recovers(60s)) << lab.tail();
  }
}

/// It is read again with the P_Key table that it made too long.
TEST(VPortsOnHardware, AWrongPartitionCapCountsUntilTheTableIsReadAgain) {
  Virtualized lab;
  lab.add_vports();
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  const sim::PortIndex host = lab.hosts[2];
  sim::Health& health = lab.model.owning_node(host).health;
  health.edit_response = [](mad::SmpView smp) {
    if (smp.attribute_id() != mad::AttributeId::vnode_info || smp.attribute_modifier() != 1) return;
    mad::VNodeInfo info(smp.data());
    info.set_partition_cap(480);
    smp.set_data(info.bytes());
  };
  lab.heddle().reload(lab.options);  // all is read again, and the vport stays Active
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("[SM-VPORT-REJECTED]"); }, 60s));
  lab.heddle().forget_log();
  health.edit_response = {};
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("cleared: "); }, 60s)) << lab.tail();
  EXPECT_TRUE(lab.recovers(60s)) << lab.tail();
}

/// 0 and 65,535 vports.
TEST(VPortsOnHardware, CountsAtTheirLimitsCostFewRequests) {
  Virtualized lab;
  lab.add_vports();
  ASSERT_TRUE(lab.bring_up()) << lab.tail();
  for (const std::uint16_t count : {std::uint16_t{0}, std::uint16_t{0xFFFF}}) {
    sim::VPortFirmware& lying = sim::vport_firmware(lab.world, lab.hosts[2]);
    lying.shown_cap = lying.shown_top = count;
    lab.forget_counts();
    sim::rebind_vport(lab.world, lab.hosts[2], 1);
    lab.runtime.run_for(120s);
    EXPECT_LE(lab.model.owning_node(lab.hosts[2]).gets, 2 * virt::kVPortsMax) << count;
    EXPECT_EQ(lab.state(2, 0), PortState::active);
    EXPECT_EQ(lab.state(3, 1), PortState::active);
    sim::end_vport_faults(lab.world, lab.hosts[2]);
    EXPECT_TRUE(lab.recovers(300s)) << lab.tail();
  }
}

TEST(VPortsOnHardware, AFaultOfOneVPortIsItsAlone) {
  Virtualized lab;
  lab.add_vports();
  sim::VPortFirmware& firmware = sim::vport_firmware(lab.world, lab.hosts[2]);
  firmware.states_jump = {1};
  sim::vport_firmware(lab.world, lab.hosts[3]).shown_top = std::uint16_t{0xFFFF};
  sim::vport_firmware(lab.world, lab.hosts[4]).revision = 7;
  EXPECT_FALSE(lab.bring_up());
  lab.runtime.run_for(laboratory::kLightSweep);
  for (std::uint16_t index = 2; index <= kVfs; ++index)
    EXPECT_EQ(lab.state(2, index), PortState::active) << index;
  for (std::uint16_t index = 0; index <= kVfs; ++index)
    EXPECT_EQ(lab.state(3, index), PortState::active) << index;
  EXPECT_FALSE(sim::has_vports(lab.model.ports[lab.hosts[4]]));
  EXPECT_TRUE(lab.says("VirtualizationRevision 7"));
  EXPECT_TRUE(lab.is_in_order()) << lab.complaint();
}

/// Their VNodeDescriptions are read where they are shown, and again after trap 1144.
TEST(VPorts, AreDescribedInTheDumpFile) {
  Virtualized lab;
  lab.add_vports();
  const laboratory::Folder folder;
  lab.options.virt_dump_file = folder.text() + "/vports.txt";
  ASSERT_TRUE(lab.bring_up()) << lab.heddle().tail();
  const auto dump = [&] {
    std::ifstream in(lab.options.virt_dump_file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_NE(
      dump().find(fmt::format("  2 Active GUID {} vnode {} LID ", lab.guid(0, 2), lab.guid(0, 2))),
      std::string::npos)
      << dump();
  EXPECT_NE(dump().find("(own) P_Keys 0xffff \"vf 2 of host 0\"\n"), std::string::npos) << dump();
  sim::rename_vport(lab.world, lab.hosts[0], 2, "database");
  lab.runtime.run_for(100ms);
  EXPECT_NE(dump().find("\"database\""), std::string::npos) << dump();
  EXPECT_LE(lab.gets(), 6u) << "of this vport only";
  EXPECT_EQ(lab.sets(), 0u);
}

/// Paths to LIDs of vports have the service levels of their ports: no credit loop is possible.
TEST(VPortsAndMulticast, LidsOfVPortsFormNoCreditLoop) {
  laboratory::SaLab lab(topology::torus({.dimensions = {8}, .hosts_per_switch = 2}));
  lab.options.virt_enabled = 2;
  lab.options.routing_engine = {"dfsssp", "no_fallback"};
  constexpr unsigned kHosts = 16;
  for (unsigned host = 0; host < kHosts; ++host) {
    const sim::PortIndex port = lab.port(fmt::format("H{}", host));
    sim::enable_virtualization(lab.world, port, 2);
    sim::create_vport(lab.world, port, 1, {.guid = {0x5000u + host}, .lid_required = true});
  }
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  for (const char* const host : {"H1", "H6", "H11"}) ASSERT_TRUE(lab.join(host)) << host;
  lab.settle();
  lab.heddle().order_resweep();
  lab.settle();
  EXPECT_EQ(lab.status().subnet->routing->engine, "dfsssp");
  EXPECT_FALSE(lab.says("[SM-MCAST-CREDIT-LOOP]")) << lab.tail();
}

}  // namespace vports_test
