// Partitions in whole managers: reachability between members and other ports on the simulated
// hardware, and the writes of a reload.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "mad/format.h"
#include "partitions/load.h"
#include "partitions/partition_conditions.h"
#include "sim/laboratory.h"
#include "sim/world/forwarding.h"
#include "sm/ctl/topology/generators.h"

namespace partitions_test {

using laboratory::Solo;
using mad::AttributeId;
using mad::Method;
using namespace std::chrono_literals;

topology::Topology tree() {
  return topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
}

partitions::Configuration read(const std::string& text) {
  config::Diagnostics found;
  partitions::Configuration configuration =
      partitions::parse_partitions_conf({"partitions.conf", text}, found);
  EXPECT_TRUE(found.empty()) << found.front().text();
  return configuration;
}

class Partitioned : public Solo {
 public:
  Partitioned() : Solo(tree()) {}

  std::string guid(sim::PortIndex port) const { return fmt::format("{}", model.ports[port].guid); }
  sim::PortIndex host(unsigned i) const { return port(sim::NodeIndex{i}); }

  void bring_up(const std::string& text) {
    Laboratory::start(own(), options, false);
    heddle().stop();
    heddle().partitioning = read(text);
    heddle().start(options);
    ASSERT_TRUE(runtime.run_until([&] { return heddle().says("SUBNET UP"); }, 5min)) << tail();
    settle();
    forget_counts();
    heddle().forget_log();
  }
  void reload(const std::string& text) {
    heddle().partitioning = read(text);
    heddle().reload(options);
    settle();
  }
  /// Violations of links, paths and keys.
  std::string wrong(const sim::ExpectedPKeys& keys) const {
    const std::string subnet = sim::first_complaint(sim::check_subnet(model, own()));
    return !subnet.empty() ? subnet : sim::first_complaint(sim::check_p_keys(model, keys));
  }
  sim::Drop send(sim::PortIndex from, sim::PortIndex to, std::uint16_t key) const {
    return sim::walk_unicast(model, from, {.dlid = model.ports[to].info.lid(), .p_key = {key}})
        .drop;
  }
  /// P_Keys of a port's table, in ascending order; of a switch port, too.
  std::set<std::uint16_t> keys(sim::PortIndex port) const {
    std::set<std::uint16_t> found;
    for (unsigned block = 0; block < model.p_key_blocks(port); ++block)
      for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
        if (const mad::PKey key = model.p_keys(port, block).p_key(entry); key != mad::PKey{})
          found.insert(key.value);
    return found;
  }
  std::uint16_t key_at(sim::PortIndex port, unsigned index) const {
    return model.p_keys(port, index / mad::PKeyTable::kEntries)
        .p_key(index % mad::PKeyTable::kEntries)
        .value;
  }
  /// P_Keys of a host with which subnet administration answers.
  std::set<std::uint16_t> answered(sim::PortIndex port) const {
    const std::shared_ptr<const fabric::Subnet> subnet = status().subnet;
    std::set<std::uint16_t> found;
    for (const mad::PKey key : subnet->find_p_keys(subnet->find(model.ports[port].guid)))
      found.insert(key.value);
    return found;
  }
  void set_enforcement_cap(std::uint16_t keys) {
    for (sim::NodeModel& node : model.nodes)
      if (node.is_switch()) node.sw->info.set_partition_enforcement_cap(keys);
  }
  /// Set requests by node.
  std::map<sim::NodeIndex, std::uint64_t> sets_by_node() const {
    std::map<sim::NodeIndex, std::uint64_t> sets;
    for (const sim::NodeIndex node : model.nodes.indices()) {
      if (model.nodes[node].sets > 0) sets[node] = model.nodes[node].sets;
    }
    return sets;
  }
};

TEST(PartitionsOnHardware, OnlyMembersReachEachOther) {
  Partitioned lab;
  const sim::PortIndex full = lab.host(1), limited = lab.host(2), limited2 = lab.host(9),
                       other = lab.host(20);
  lab.bring_up(fmt::format("A=0x10 : {}=full, {}, {} ;", lab.guid(full), lab.guid(limited),
                           lab.guid(limited2)));
  EXPECT_EQ(lab.wrong({{lab.model.ports[full].guid, {0x7fff, 0x8010}},
                       {lab.model.ports[limited].guid, {0x7fff, 0x0010}},
                       {lab.model.ports[other].guid, {0x7fff}},
                       {lab.model.ports[lab.own()].guid, {0xffff}}}),
            "");
  EXPECT_EQ(lab.send(full, limited, 0x8010), sim::Drop::none);
  EXPECT_EQ(lab.send(limited, full, 0x0010), sim::Drop::none);
  EXPECT_NE(lab.send(limited, limited2, 0x0010), sim::Drop::none) << "two limited members";
  EXPECT_EQ(lab.send(full, other, 0x8010), sim::Drop::p_key_out)
      << "dropped by the other host's switch port";
  EXPECT_EQ(lab.send(other, full, 0x8010), sim::Drop::p_key_in) << "dropped by its own switch port";
  EXPECT_EQ(lab.send(other, lab.own(), 0x7fff), sim::Drop::none)
      << "all end ports reach the manager";
  EXPECT_NE(lab.send(other, full, 0x7fff), sim::Drop::none)
      << "limited members of the default partition";
  const auto subnet = lab.status().subnet;
  EXPECT_TRUE(subnet->partitions.find({0x8010}) != nullptr) << "published";
}

TEST(PartitionsOnHardware, ASecondStartWritesNothing) {
  Partitioned lab;
  lab.bring_up("A=0x10 : ALL=full ;\nB=0x11,indx0 : ALL_CAS ;");
  lab.heddle().stop();
  lab.forget_counts();
  lab.heddle().start(lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5min)) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u) << lab.tail();
}

TEST(PartitionsOnHardware, AKeyForOneHostWritesOnlyItsBlockAndItsSwitchPorts) {
  Partitioned lab;
  const sim::PortIndex host = lab.host(7), other = lab.host(1);
  const std::string before = fmt::format("A=0x10 : {}=full ;", lab.guid(other));
  lab.bring_up(before);
  EXPECT_NE(lab.send(other, host, 0x8010), sim::Drop::none);
  lab.reload(before + fmt::format("\nA=0x10 : {} ;", lab.guid(host)));
  EXPECT_EQ(lab.sets_by_node(), (std::map<sim::NodeIndex, std::uint64_t>{{lab.owning_node(host), 1},
                                                                         {lab.neighbour(host), 1}}))
      << lab.tail();
  EXPECT_EQ(lab.sent(Method::set, AttributeId::p_key_table), 2u);
  EXPECT_EQ(lab.gets(), 0u) << "no sweep";
  EXPECT_FALSE(lab.says("sweep started")) << lab.tail();
  EXPECT_TRUE(lab.says("the new partitions took 2 SubnSet SMPs"));
  EXPECT_EQ(lab.send(other, host, 0x8010), sim::Drop::none);
  EXPECT_EQ(lab.send(host, other, 0x0010), sim::Drop::none);

  lab.forget_counts();
  lab.reload(before);
  EXPECT_EQ(lab.sets(), 2u);
  EXPECT_NE(lab.send(other, host, 0x8010), sim::Drop::none) << "removed again";
}

TEST(PartitionsOnHardware, GroupsAndNamesAloneWriteNothing) {
  Partitioned lab;
  lab.bring_up("A=0x10 : ALL=full ;");
  lab.reload("B=0x10,ipoib : ALL=full ;");
  EXPECT_EQ(lab.sets(), 0u) << lab.tail();
  ASSERT_EQ(lab.status().subnet->partitions.groups.size(), 1u);
  EXPECT_EQ(lab.status().subnet->partitions.find({0x10})->name, "B");
}

TEST(PartitionsOnHardware, AnUnchangedFileIsAnOrdinaryReload) {
  Partitioned lab;
  lab.bring_up("A=0x10 : ALL=full ;");
  lab.reload("A=0x10 : ALL=full ;");
  EXPECT_TRUE(lab.says("sweep started")) << "SIGHUP reads everything again";
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(PartitionsOnHardware, PartitionsAndOptionsTogetherAreASweep) {
  Partitioned lab;
  lab.bring_up("A=0x10 : ALL=full ;");
  lab.options.subnet_timeout = 20;
  lab.reload("A=0x11 : ALL=full ;");
  EXPECT_TRUE(lab.says("sweep started"));
  EXPECT_EQ(lab.wrong({{lab.model.ports[lab.host(3)].guid, {0x7fff, 0x8011}}}), "");
}

TEST(PartitionsOnHardware, ASwitchPortWithoutRoomStopsEnforcingUntilThereIsRoom) {
  Partitioned lab;
  const sim::PortIndex host = lab.host(7);
  const std::string before = "A=0x10 : ALL_CAS=full ;";
  lab.bring_up(before);
  ASSERT_TRUE(lab.info(lab.far(host)).partition_enforcement_inbound());
  std::string more = before;
  for (unsigned key = 0x20; key < 0x50; ++key)
    more += fmt::format("\n={:#x} : {}=full ;", key, lab.guid(host));
  lab.reload(more);
  EXPECT_TRUE(lab.says("P_Key table full: ")) << lab.tail();
  EXPECT_FALSE(lab.info(lab.far(host)).partition_enforcement_inbound());
  EXPECT_TRUE(lab.info(lab.far(lab.host(6))).partition_enforcement_inbound())
      << "the neighbours' ports still enforce";
  lab.reload(before);
  EXPECT_TRUE(lab.info(lab.far(host)).partition_enforcement_inbound());
  EXPECT_TRUE(lab.says("cleared: ")) << lab.tail();
}

constexpr const char* kAllAreFull = "Default=0x7fff, ipoib : ALL=full;\n";

/// Hosts with a key at an index of the third block, from before the manager's start.
class LateBlocks : public Partitioned {
 public:
  static constexpr unsigned kIndex = 70;
  static constexpr std::uint16_t kKey = 0x8022;

  LateBlocks() { put_stale_keys(); }
  void put_stale_keys() {
    for (const unsigned i : {3u, 9u}) {
      mad::PKeyTable block;
      block.set_p_key(kIndex % mad::PKeyTable::kEntries, mad::PKey{kKey});
      model.set_p_keys(host(i), kIndex / mad::PKeyTable::kEntries, block);
    }
  }
  /// A bring-up, in which `each_time` is called at every suspension.
  void come_up(const std::string& text, const std::function<void()>& each_time) {
    Laboratory::start(own(), options, false);
    heddle().stop();
    heddle().partitioning = read(text);
    runtime.at_suspension = each_time;
    heddle().start(options);
    ASSERT_TRUE(
        runtime.run_until([this] { return heddle().says("SUBNET UP"); }, laboratory::kComesUp))
        << tail();
    runtime.at_suspension = {};
    settle();
  }
  bool is_active(unsigned i) const {
    return model.ports[host(i)].info.port_state() == mad::PortState::active;
  }
  /// Both hosts hold the key.
  bool holds_stale_key() const {
    return key_at(host(3), kIndex) == kKey && key_at(host(9), kIndex) == kKey;
  }
};

TEST(LateBlocks, WaitUntilHostsAreActiveAndReachNothingUntilTheyAreCleared) {
  LateBlocks lab;
  bool active_before = false;
  lab.come_up(kAllAreFull, [&] {
    if (!lab.is_active(3) || !lab.is_active(9)) return;
    active_before = active_before || lab.holds_stale_key();
    ASSERT_NE(lab.send(lab.host(3), lab.host(9), LateBlocks::kKey), sim::Drop::none);
  });
  EXPECT_TRUE(active_before) << "the switch ports in front of them check their packets";
  EXPECT_EQ(lab.key_at(lab.host(3), LateBlocks::kIndex), 0);
  EXPECT_EQ(lab.key_at(lab.host(9), LateBlocks::kIndex), 0);
  EXPECT_EQ(lab.wrong({}), "");
}

TEST(LateBlocks, StayWhereSwitchPortsDoNotCheckAndNothingExplainsThem) {
  LateBlocks lab;
  lab.options.part_enforce = config::PartEnforce::off;
  lab.come_up(kAllAreFull, {});
  EXPECT_TRUE(lab.holds_stale_key());
  EXPECT_TRUE(lab.heddle().says("[SM-PARTITION-KEPT]")) << lab.tail();
}

TEST(LateBlocks, DoNotWaitWhereSwitchPortsDoNotCheck) {
  LateBlocks lab;
  lab.options.part_enforce = config::PartEnforce::off;
  // The file of this manager names the key, and no longer does at its next start.
  lab.come_up("Default=0x7fff, ipoib : ALL=full;\nvlan=0x22 : ALL=full;\n", {});
  lab.heddle().stop();
  for (const unsigned i : {3u, 9u}) lab.reboot(lab.owning_node(lab.host(i)));
  lab.put_stale_keys();
  lab.heddle().forget_log();
  lab.heddle().partitioning = read(kAllAreFull);
  lab.runtime.at_suspension = [&] {
    for (const unsigned i : {3u, 9u}) {
      if (lab.is_active(i)) {
        EXPECT_EQ(lab.key_at(lab.host(i), LateBlocks::kIndex), 0);
      }
    }
  };
  lab.heddle().start(lab.options);
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return lab.heddle().says("SUBNET UP"); }, laboratory::kComesUp))
      << lab.tail();
  lab.runtime.at_suspension = {};
  lab.settle();
  EXPECT_TRUE(lab.is_active(3));
  EXPECT_EQ(lab.key_at(lab.host(3), LateBlocks::kIndex), 0);
}

TEST(LateBlocks, DoNotWaitWhereThePortIsToHaveOtherKeysThanThoseOfItsFirstBlock) {
  LateBlocks lab;
  lab.come_up("Default=0x7fff, ipoib : ALL=full;\nvlan=0x22 : ALL=full;\n", [&] {
    for (const unsigned i : {3u, 9u}) {
      ASSERT_EQ(lab.key_at(lab.host(i), LateBlocks::kIndex), LateBlocks::kKey)
          << "clients may use the index";
      ASSERT_NE(lab.key_at(lab.host(i), 1), LateBlocks::kKey);
    }
  });
  EXPECT_EQ(lab.send(lab.host(3), lab.host(9), LateBlocks::kKey), sim::Drop::none);
}

/// Partitions `first` to `last`, of which all CAs are full members.
std::string vlans(unsigned first, unsigned last) {
  std::string text;
  for (unsigned key = first; key <= last; ++key)
    text += fmt::format("vlan{0}={0:#x}, ipoib : ALL_CAS=full;\n", key);
  return text;
}
/// The default key in this membership, and those of vlans().
std::set<std::uint16_t> keys_of_vlans(std::uint16_t default_key, unsigned first, unsigned last) {
  std::set<std::uint16_t> keys{default_key};
  for (unsigned key = first; key <= last; ++key)
    keys.insert(static_cast<std::uint16_t>(0x8000u | key));
  return keys;
}

constexpr std::string_view kLimitedDefault = "Default=0x7fff : ALL, SELF=full;\n";

TEST(FullPKeyTables, OfHostsThatBootedHoldWhatFitsAndEachSwitchPortChecksIt) {
  Partitioned lab;
  lab.set_enforcement_cap(128);
  lab.bring_up(std::string(kLimitedDefault) + vlans(1, 300) + "vlan500=500,indx0 : ALL_CAS=full;");
  std::set<std::uint16_t> expected = keys_of_vlans(0x7fff, 1, 126);
  expected.insert(0x8000 | 500);
  for (unsigned i = 1; i < 24; ++i) {
    SCOPED_TRACE(i);
    const sim::PortIndex host = lab.host(i), leaf = lab.far(host);
    EXPECT_EQ(lab.keys(host), expected) << "not 0xffff of power-on";
    EXPECT_EQ(lab.key_at(host, 0), 0x8000 | 500);
    EXPECT_EQ(lab.keys(leaf), expected);
    EXPECT_TRUE(lab.info(leaf).partition_enforcement_inbound());
    EXPECT_TRUE(lab.info(leaf).partition_enforcement_outbound());
    EXPECT_EQ(lab.info(host).port_state(), mad::PortState::active);
  }
  EXPECT_EQ(lab.send(lab.host(3), lab.host(9), 0x8001), sim::Drop::none);
  EXPECT_NE(lab.send(lab.host(3), lab.host(9), 0x7fff), sim::Drop::none);
  const auto& conditions = lab.status().conditions;
  EXPECT_EQ(std::ranges::count(
                conditions, fabric::ConditionId(partitions::kPartitionConditions.p_key_table_full),
                [](const auto& entry) { return entry.condition.id; }),
            24);
  EXPECT_TRUE(std::ranges::any_of(conditions, [](const auto& entry) {
    return entry.condition.text.find(
               "no entry for 174 P_Keys (0x807f-0x812c): capacity 128, 302 "
               "keys wanted") != std::string::npos;
  }));
  lab.forget_counts();
  lab.runtime.run_for(60s);
  EXPECT_EQ(lab.sets(), 0u) << "nothing is written again and again";
}

/// Sweeps after other events read some of the ports, or none of them.
TEST(FullPKeyTables, AreReportedOnceWhateverElseHappens) {
  Partitioned lab;
  lab.bring_up(std::string(kLimitedDefault) + vlans(1, 128));
  const sim::PortIndex host = lab.host(5), leaf = lab.far(host);
  for (unsigned time = 0; time < 3; ++time) {
    lab.world.cut(host);
    lab.runtime.run_for(10s);
    lab.world.connect(host, leaf);
    lab.runtime.run_for(10s);
  }
  unsigned full = 0;
  for (const auto& entry : lab.status().conditions) {
    if (entry.condition.id != partitions::kPartitionConditions.p_key_table_full) continue;
    ++full;
    if (entry.condition.guid != lab.model.ports[host].guid) {
      EXPECT_EQ(entry.times, 1u) << entry.condition.text;
    }
  }
  EXPECT_EQ(full, 48u) << "hosts, and the switch ports in front of them";
}

TEST(FullPKeyTables, OneKeyTooManyLeavesOutOneKey) {
  Partitioned lab;
  lab.bring_up(std::string(kLimitedDefault) + vlans(1, 128));
  for (unsigned i = 1; i < 24; ++i) {
    EXPECT_EQ(lab.keys(lab.host(i)), keys_of_vlans(0x7fff, 1, 127));
    EXPECT_EQ(lab.answered(lab.host(i)), keys_of_vlans(0x7fff, 1, 127)) << "no path has the other";
    EXPECT_EQ(lab.info(lab.host(i)).port_state(), mad::PortState::active);
  }
  EXPECT_EQ(std::ranges::count_if(lab.status().conditions,
                                  [](const auto& entry) {
                                    return entry.condition.text.find(
                                               "no entry for P_Key 0x8080:") != std::string::npos;
                                  }),
            24);
}

TEST(FullPKeyTables, RunningHostsLoseNoKeyThatTheyUseAndGetOthersWhenThereIsRoom) {
  Partitioned lab;
  lab.set_enforcement_cap(128);
  lab.bring_up(std::string(kLimitedDefault) + vlans(100, 226));
  const std::set<std::uint16_t> before = keys_of_vlans(0x7fff, 100, 226);
  const sim::PortIndex host = lab.host(7);
  ASSERT_EQ(lab.keys(host), before);
  std::vector<std::uint16_t> indices;
  for (unsigned index = 0; index < 128; ++index) indices.push_back(lab.key_at(host, index));
  const auto expect_untouched = [&] {
    for (unsigned index = 0; index < 128; ++index)
      EXPECT_EQ(lab.key_at(host, index), indices[index]) << index;
    EXPECT_EQ(lab.keys(lab.far(host)), before);
    EXPECT_TRUE(lab.info(lab.far(host)).partition_enforcement_inbound());
    EXPECT_EQ(lab.info(host).port_state(), mad::PortState::active);
  };
  lab.reload(std::string(kLimitedDefault) + vlans(1, 226));
  EXPECT_TRUE(lab.says("no entry for 99 P_Keys (0x8001-0x8063)")) << lab.tail();
  expect_untouched();
  // Also without room for another key at index 0, after a restart, and by a sweep of everything.
  const std::string all = std::string(kLimitedDefault) + vlans(1, 226);
  lab.reload(all + "vlan500=500,indx0 : ALL_CAS=full;");
  expect_untouched();
  lab.heddle().stop();
  lab.heddle().start(lab.options);
  lab.settle();
  expect_untouched();
  lab.reload(std::string(kLimitedDefault) + vlans(1, 3) + vlans(101, 226));
  std::set<std::uint16_t> after = keys_of_vlans(0x7fff, 101, 226);
  after.insert(0x8001);
  EXPECT_EQ(lab.keys(host), after);
  EXPECT_EQ(lab.answered(host), after);
  EXPECT_TRUE(lab.says("no entry for 2 P_Keys (0x8002-0x8003)")) << lab.tail();
  lab.reload(std::string(kLimitedDefault) + vlans(1, 100));
  EXPECT_EQ(lab.keys(host), keys_of_vlans(0x7fff, 1, 100));
  EXPECT_EQ(lab.answered(host), lab.keys(host));
  EXPECT_EQ(lab.keys(lab.far(host)), lab.keys(host));
}

TEST(FullPKeyTables, AtASwitchPortTurnItsChecksOffAndTheHostHasItsKeys) {
  Partitioned lab;  // switch ports have 32 keys
  lab.bring_up(std::string(kLimitedDefault) + vlans(1, 127));
  const sim::PortIndex host = lab.host(7), leaf = lab.far(host);
  for (unsigned i = 1; i < 24; ++i) {
    EXPECT_EQ(lab.keys(lab.host(i)), keys_of_vlans(0x7fff, 1, 127));
    EXPECT_EQ(lab.info(lab.host(i)).port_state(), mad::PortState::active);
    EXPECT_FALSE(lab.info(lab.far(lab.host(i))).partition_enforcement_inbound());
  }
  EXPECT_EQ(lab.send(host, lab.host(9), 0x807f), sim::Drop::none);
  EXPECT_NE(lab.send(host, lab.host(9), 0x7fff), sim::Drop::none) << "the hosts check";
  EXPECT_EQ(std::ranges::count_if(lab.status().conditions,
                                  [](const auto& entry) {
                                    return entry.condition.text.find(
                                               "the port does not enforce P_Keys") !=
                                           std::string::npos;
                                  }),
            24)
      << "each switch port that checks nothing is named";
  // It runs, and its switch port checked what it may use until now.
  lab.reload(std::string(kLimitedDefault) + vlans(1, 20));
  ASSERT_TRUE(lab.info(leaf).partition_enforcement_inbound());
  EXPECT_EQ(lab.keys(leaf), keys_of_vlans(0x7fff, 1, 20));
  lab.reload(std::string(kLimitedDefault) + vlans(1, 40));
  EXPECT_FALSE(lab.info(leaf).partition_enforcement_inbound());
  EXPECT_EQ(lab.keys(host), keys_of_vlans(0x7fff, 1, 40));
}

TEST(FullPKeyTables, OfAThousandPartitionsWithAllHostsAreWritten) {
  Partitioned lab;
  lab.bring_up(std::string(kLimitedDefault) + vlans(1, 1000));
  for (unsigned i = 1; i < 24; ++i) EXPECT_EQ(lab.keys(lab.host(i)), keys_of_vlans(0x7fff, 1, 127));
}

/// The content of a table is not known: the link carries no data before a switch port checks it.
TEST(FullPKeyTables, OfAHostThatCannotBeReadKeepItInInitWhereNoSwitchPortChecks) {
  for (const bool enforced : {true, false}) {
    SCOPED_TRACE(enforced);
    Partitioned lab;
    const sim::PortIndex host = lab.host(7);
    if (!enforced) lab.set_enforcement_cap(0);
    lab.model.owning_node(host).health.reject = [](mad::ConstSmpView smp) {
      return smp.attribute_id() == AttributeId::p_key_table ? std::optional<std::uint16_t>(0x001C)
                                                            : std::nullopt;
    };
    lab.bring_up(std::string(kLimitedDefault));
    EXPECT_EQ(lab.info(host).port_state(), enforced ? mad::PortState::active : mad::PortState::init)
        << lab.tail();
    lab.model.owning_node(host).health.reject = {};
    EXPECT_TRUE(lab.runtime.run_until(
        [&] { return lab.info(host).port_state() == mad::PortState::active; }, 60s))
        << lab.tail();
    EXPECT_TRUE(lab.runtime.run_until(
        [&] { return lab.keys(host) == std::set<std::uint16_t>{0x7fff}; }, 60s));
  }
}

TEST(PartitionsOnHardware, AReloadDuringASweepIsNotLost) {
  Partitioned lab;
  lab.bring_up("A=0x10 : ALL=full ;");
  lab.heddle().reload(lab.options);  // a sweep of everything
  lab.runtime.run_for(100us);
  lab.reload("A=0x11 : ALL=full ;");
  EXPECT_EQ(lab.wrong({{lab.model.ports[lab.host(3)].guid, {0x7fff, 0x8011}}}), "") << lab.tail();
}

}  // namespace partitions_test
