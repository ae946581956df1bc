// Partitions in whole managers: reachability between members and other ports on the simulated
// hardware, and the writes of a reload.

#include <gtest/gtest.h>

#include <map>

#include "mad/format.h"
#include "partitions/load.h"
#include "sim/laboratory.h"
#include "sim/world/forwarding.h"

namespace partitions_test {

using laboratory::Solo;
using mad::AttributeId;
using mad::Method;
using namespace std::chrono_literals;

sim::Topology tree() { return sim::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}); }

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
  EXPECT_EQ(lab.sets_by_node(), (std::map<sim::NodeIndex, std::uint64_t>{{lab.node_of(host), 1},
                                                                         {lab.neighbour(host), 1}}))
      << lab.tail();
  EXPECT_EQ(lab.sent(Method::set, AttributeId::p_key_table), 2u);
  EXPECT_EQ(lab.gets(), 0u) << "no sweep";
  EXPECT_FALSE(lab.says("sweep begins")) << lab.tail();
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
  EXPECT_TRUE(lab.says("sweep begins")) << "SIGHUP reads everything again";
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(PartitionsOnHardware, PartitionsAndOptionsTogetherAreASweep) {
  Partitioned lab;
  lab.bring_up("A=0x10 : ALL=full ;");
  lab.options.subnet_timeout = 20;
  lab.reload("A=0x11 : ALL=full ;");
  EXPECT_TRUE(lab.says("sweep begins"));
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

TEST(PartitionsOnHardware, AReloadDuringASweepIsNotLost) {
  Partitioned lab;
  lab.bring_up("A=0x10 : ALL=full ;");
  lab.heddle().reload(lab.options);  // a sweep of everything
  lab.runtime.run_for(100us);
  lab.reload("A=0x11 : ALL=full ;");
  EXPECT_EQ(lab.wrong({{lab.model.ports[lab.host(3)].guid, {0x7fff, 0x8011}}}), "") << lab.tail();
}

}  // namespace partitions_test
