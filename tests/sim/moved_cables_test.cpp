// Cables that are moved while a sweep writes: what was decided for one device reaches no other one.

#include <gtest/gtest.h>

#include "mad/format.h"
#include "sim/watched.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace moved_cables_test {

using mad::AttributeId;
using watched::Watched;
using namespace std::chrono_literals;

constexpr mad::Duration kRecovers = 60s;

class MovedCables : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(lab.start_and_watch()) << lab.complaint() << lab.tail(); }

  /// Calls `what` once, right after the node has sent its next response with this attribute.
  void after_response(sim::NodeModel& node, AttributeId attribute, std::function<void()> what) {
    node.health.edit_response = [this, &node, attribute, what](mad::SmpView smp) {
      if (smp.attribute_id() != attribute) return;
      lab.runtime.after(1ns, [this, &node, what] {
        lab.watch(node);
        what();
      });
    };
  }
  std::vector<mad::Lid> lids_of_switches() const {
    std::vector<mad::Lid> lids;
    for (const sim::NodeModel& node : lab.model.nodes)
      if (node.is_switch()) lids.push_back(lab.model.ports[node.first_port].info.lid());
    return lids;
  }

  Watched lab;
};

/// The Sets are lost with the cable; by the time they are repeated, another host is there.
TEST_F(MovedCables, WhatWasDecidedForAHostIsNotWrittenToAnother) {
  const sim::PortIndex first = lab.host_port(5), second = lab.host_port(8);
  const sim::PortIndex place = lab.far(first);
  const std::uint16_t lid = lab.find_lid(5), other = lab.find_lid(8);
  lab.world.cut(first);
  lab.world.cut(second);
  lab.settle();
  after_response(lab.model.owning_node(first), AttributeId::port_info, [&] {
    lab.world.cut(first);
    lab.world.connect(place, second);
  });
  bool written = false;
  lab.model.owning_node(second).health.edit_response = [&](mad::SmpView smp) {
    written = written || (smp.attribute_id() == AttributeId::port_info &&
                          mad::PortInfo(smp.data()).lid().value == lid);
  };
  lab.world.connect(place, first);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_FALSE(written) << lab.tail();
  EXPECT_EQ(lab.far(second), place);
  EXPECT_EQ(lab.find_lid(8), other);
  EXPECT_TRUE(lab.says("is not where it was when the sweep began")) << lab.tail();
  lab.expect_sound();
}

/// To a switch, a PortInfo of its port 0 is the one that has its LID.
TEST_F(MovedCables, ASwitchAtThePlaceOfAHostKeepsItsLid) {
  const sim::PortIndex host = lab.host_port(5), place = lab.far(host);
  const sim::NodeModel& leaf = lab.leaf_switch(11);
  ASSERT_NE(leaf.description, lab.model.owning_node(place).description);
  const std::vector<mad::Lid> lids = lids_of_switches();
  lab.world.cut(host);
  lab.settle();
  after_response(lab.model.owning_node(host), AttributeId::port_info, [&] {
    lab.world.cut(host);
    lab.world.connect(place, lab.free_port(leaf));
  });
  bool renamed = false;
  lab.model.owning_node(leaf.first_port).health.edit_response = [&](mad::SmpView) {
    renamed = renamed || lids_of_switches() != lids;
  };
  lab.world.connect(place, host);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_FALSE(renamed) << lab.tail();
  EXPECT_EQ(lids_of_switches(), lids);
  lab.expect_sound();
}

/// A restart knows no earlier places.
TEST_F(MovedCables, HostsThatExchangeTheirCablesAreNamedWithBothPlaces) {
  const sim::PortIndex one = lab.host_port(5), other = lab.host_port(8);
  const sim::PortIndex place = lab.far(one), other_place = lab.far(other);
  lab.world.cut(one);
  lab.world.cut(other);
  lab.world.connect(place, other);
  lab.world.connect(other_place, one);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_TRUE(lab.says("exchanged their places: the first is at \"")) << lab.tail();
  EXPECT_GE(lab.occurred(sm::kSweepConditions.node_moved), 1u);
  EXPECT_EQ(lab.raised(sm::kSweepConditions.node_lost), 0u) << lab.tail();
  lab.heddle().stop();
  lab.start();
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kSweepConditions.node_moved), 0u) << lab.tail();
}

TEST_F(MovedCables, ALostHostThatReturnsElsewhereIsNamedWithBothPlaces) {
  const sim::PortIndex host = lab.host_port(5), place = lab.far(host);
  const sim::PortIndex free = lab.free_port(lab.leaf_switch(11));
  lab.world.cut(host);
  lab.runtime.run_for(1min);
  ASSERT_EQ(lab.raised(sm::kSweepConditions.node_lost), 1u) << lab.tail();
  lab.world.connect(free, host);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  const auto name = [&](sim::PortIndex port) {
    return fmt::format("\"{}\" ({}) port {}", lab.model.owning_node(port).description,
                       lab.model.owning_node(port).info.node_guid(), lab.model.ports[port].number);
  };
  EXPECT_TRUE(lab.says(fmt::format("from {} to {}", name(place), name(free)))) << lab.tail();
}

TEST_F(MovedCables, ASwitchWithTheLinksOfALostOneHasReplacedIt) {
  sim::NodeModel& leaf = lab.model.owning_node(lab.leaf_switch(11).first_port);
  const sim::NodeIndex index = lab.owning_node(leaf.first_port);
  const mad::Guid old_guid = leaf.info.node_guid(), new_guid{0x0002'c903'0077'7700};
  lab.world.power(index, false);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.raised(sm::kSweepConditions.node_lost) > 0; },
                                    kRecovers))
      << lab.tail();
  leaf.info.set_node_guid(new_guid);
  leaf.info.set_port_guid(new_guid);
  lab.model.ports[leaf.first_port].guid = new_guid;
  lab.world.power(index, true);
  lab.runtime.run_for(kRecovers);
  EXPECT_EQ(lab.raised(sm::kSweepConditions.node_replaced), 1u) << lab.tail();
  EXPECT_TRUE(lab.says(fmt::format("({}) was replaced by ", old_guid))) << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kSweepConditions.node_moved), 0u) << "its hosts are where they were";
}

class MovedCablesOfSwitches : public MovedCables,
                              public testing::WithParamInterface<std::pair<unsigned, AttributeId>> {
 protected:
  void SetUp() override {
    lab.options.lmc = static_cast<std::uint8_t>(GetParam().first);
    MovedCables::SetUp();
  }
};

/// The route to a switch leads to another one when its tables are written, or while they are.
TEST_P(MovedCablesOfSwitches, TablesAreNotWrittenToAnother) {
  const fabric::Fabric& fabric = lab.status().subnet->fabric;
  const sim::NodeModel &written = lab.leaf_switch(5), &other = lab.leaf_switch(11);
  ASSERT_NE(written.description, other.description);
  const mad::Guid guid = lab.model.ports[written.first_port].guid;
  const auto hops = fabric.owning_node(fabric.port_of_guid.at(guid)).route.hops();
  ASSERT_EQ(hops.size(), 3u);
  const sim::NodeModel& spine =
      lab.model.owning_node(lab.far(lab.leaf_switch(0).first_port + hops[1]));
  const sim::PortIndex before = spine.first_port + hops[2];
  ASSERT_EQ(lab.owning_node(lab.far(before)), lab.owning_node(written.first_port));
  // Another link of the switch is lost, and its tables are about to be written.
  sim::PortIndex lost = sim::kNone;
  for (unsigned number = 1; number <= written.port_count(); ++number) {
    const sim::PortIndex port = written.first_port + number, far = lab.far(port);
    if (far != sim::kNone && far != before && lab.model.owning_node(far).is_switch()) lost = port;
  }
  after_response(lab.model.owning_node(written.first_port), GetParam().second, [&] {
    lab.world.cut(before);
    lab.world.connect(before, lab.free_port(other));
  });
  const std::uint16_t lid = lab.find_lid(11), leads_to = other.sw->lft[lid];
  bool written_over = false;
  lab.model.owning_node(other.first_port).health.edit_response = [&](mad::SmpView) {
    written_over = written_over || other.sw->lft[lid] != leads_to;
  };
  lab.world.cut(lost);
  ASSERT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.owning_node(lab.far(before)), lab.owning_node(other.first_port)) << "it was moved";
  EXPECT_FALSE(written_over) << lab.tail();
  lab.expect_sound();
}

/// In doubt each Set has one attempt. A switch that says who it is, and answers to none of them,
/// holds nothing up.
TEST(MovedCablesOfManyLids, ASwitchThatTakesNoSetsHoldsNothingUp) {
  Watched lab;
  lab.options.lmc = 7;
  ASSERT_TRUE(lab.start_and_watch()) << lab.complaint() << lab.tail();
  const fabric::Fabric& fabric = lab.status().subnet->fabric;
  sim::NodeModel& leaf = lab.model.owning_node(lab.leaf_switch(5).first_port);
  const mad::Guid guid = lab.model.ports[leaf.first_port].guid;
  const auto hops = fabric.owning_node(fabric.port_of_guid.at(guid)).route.hops();
  const sim::NodeModel& spine =
      lab.model.owning_node(lab.far(lab.leaf_switch(0).first_port + hops[1]));
  const auto link_to = [&](const sim::NodeModel& other) {  // of the spine on the route
    for (unsigned number = 1; number <= spine.port_count(); ++number)
      if (const sim::PortIndex port = spine.first_port + number;
          lab.far(port) != sim::kNone &&
          lab.owning_node(lab.far(port)) == lab.owning_node(other.first_port))
        return port;
    return sim::PortIndex(sim::kNone);
  };
  mad::TimePoint begin{};
  leaf.health.edit_response = [&](mad::SmpView smp) {
    if (smp.attribute_id() != AttributeId::linear_forwarding_table || begin != mad::TimePoint{})
      return;
    begin = lab.runtime.now();
    leaf.health.agent_ignores_requests = true;  // but NodeInfo
    lab.runtime.after(1ns, [&] { lab.world.cut(link_to(lab.leaf_switch(8))); });
  };
  sim::PortIndex lost = sim::kNone;
  for (unsigned number = 1; number <= leaf.port_count(); ++number)
    if (const sim::PortIndex far = lab.far(leaf.first_port + number);
        far != sim::kNone && lab.model.owning_node(far).is_switch() &&
        lab.owning_node(far) != lab.owning_node(spine.first_port))
      lost = far;
  lab.world.cut(lost);
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return lab.says("Errors during initialization"); }, kRecovers))
      << lab.tail();
  EXPECT_NE(begin, mad::TimePoint{});
  EXPECT_LT(lab.runtime.now() - begin, 6s) << lab.tail();
  leaf.health.agent_ignores_requests = false;
  EXPECT_TRUE(lab.settles(kRecovers)) << lab.complaint() << lab.tail();
  lab.expect_sound();
}

INSTANTIATE_TEST_SUITE_P(, MovedCablesOfSwitches,
                         testing::Values(std::pair(0u, AttributeId::p_key_table),
                                         std::pair(6u, AttributeId::linear_forwarding_table)),
                         [](const auto& test) {
                           return test.param.first == 0 ? "OfOneBlock" : "OfManyBlocks";
                         });

}  // namespace moved_cables_test
