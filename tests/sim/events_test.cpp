// Traps of one event cause one sweep: both ends of a link, all links of a switch.

#include <gtest/gtest.h>

#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"

namespace events_test {

using namespace std::chrono_literals;

/// Two levels: L leaves with three hosts each, below S spines. Without light sweeps and audits, so
/// that each sweep has an event as its cause.
class Events : public laboratory::Solo, public testing::Test {
 protected:
  Events() : Solo(topology::xgft({.children = {3, 6}, .parents = {1, 4}, .cables = {}})) {
    options.sweep_interval = 0;
    options.audit_interval = 0;
  }
  void SetUp() override {
    ASSERT_TRUE(start_and_settle());
    sweeps_ = status().sweeps;
  }
  /// Since the latest call.
  std::uint64_t sweeps() { return status().sweeps - std::exchange(sweeps_, status().sweeps); }

  /// A link between switches, by its end at the switch that is further from the manager.
  sim::PortIndex switch_link() const {
    sim::PortIndex found = sim::kNone;
    for (const sim::PortIndex port : model.ports.indices())
      if (model.owning_node(port).is_switch() && far(port) != sim::kNone &&
          model.owning_node(far(port)).is_switch())
        found = port;
    return found;
  }
  /// A leaf that is not the manager's.
  sim::NodeIndex other_leaf() const {
    const sim::PortIndex port = switch_link();
    for (const sim::NodeIndex node : {owning_node(port), neighbour(port)})
      for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number) {
        const sim::PortIndex its = this->port(node, number);
        if (far(its) != sim::kNone && !model.owning_node(far(its)).is_switch()) return node;
      }
    return sim::kNone;
  }
  bool has_ended() {
    return runtime.run_until([this] { return complaint().empty(); }, 5s);
  }

 private:
  std::uint64_t sweeps_ = 0;
};

TEST_F(Events, ALostLinkIsOneSweepAndSoIsItsReturn) {
  const sim::PortIndex end = switch_link(), peer = far(end);
  for (unsigned time = 0; time < 3; ++time) {
    world.cut(end);
    settle();
    EXPECT_EQ(complaint(), "");
    EXPECT_EQ(sweeps(), 1u) << tail();
    plug(end, peer);
    settle();
    EXPECT_EQ(complaint(), "");
    EXPECT_EQ(sweeps(), 1u) << tail();
  }
}

/// The first one after quiet is not waited with.
TEST_F(Events, AnEventAfterQuietIsHandledAtOnce) {
  const mad::TimePoint begin = runtime.now();
  world.cut(switch_link());
  ASSERT_TRUE(runtime.run_until([this] { return sweeps() > 0; }, 1s));
  EXPECT_LT(runtime.now() - begin, 2ms);
}

/// However long the sweep takes, and also where the trap arrives during another one.
TEST_F(Events, WhatASweepFindsWasNoticedWhenTheTrapArrived) {
  const sim::PortIndex end = switch_link(), peer = far(end);
  world.timing.agent_min = world.timing.agent_max = 2ms;  // a sweep takes several times as long
  for (const mad::Duration pause : {mad::Duration(0), mad::Duration(1ms), mad::Duration(20ms)}) {
    const mad::TimePoint lost = runtime.now();
    world.cut(end);
    ASSERT_TRUE(runtime.run_until([this] { return sweeps() > 0; }, 1s));
    runtime.run_for(pause);
    const mad::TimePoint back = runtime.now();
    plug(end, peer);
    settle();
    EXPECT_EQ(complaint(), "");
    // The sweep that runs may find the second change, too.
    const mad::TimePoint noticed = status().last_sweep_noticed;
    EXPECT_GE(noticed, lost);
    EXPECT_LT(noticed - (noticed < back ? lost : back), 20ms) << tail();
  }
}

/// At any moment of the surveys that the first of their traps cause.
TEST_F(Events, HostsThatChangePlacesCostNoSurveyOfEverything) {
  world.timing.training = 10us;
  const auto get_end = [this](const char* name) { return port(model.find(name), 1); };
  const sim::PortIndex one = get_end("H7"), other = get_end("H16");
  for (unsigned step = 0; step < 60; ++step) {
    SCOPED_TRACE(step);
    const sim::PortIndex place = far(one), other_place = far(other);
    ASSERT_NE(owning_node(place), owning_node(other_place));
    forget_counts();
    world.cut(place);
    runtime.run_for(step * 3us);
    world.cut(other_place);
    runtime.run_for(step % 7 * 15us);
    plug(one, other_place);
    runtime.run_for(step % 5 * 20us);
    plug(other, place);
    settle();
    EXPECT_EQ(complaint(), "");
    EXPECT_LT(sent(mad::Method::get, mad::AttributeId::node_description), model.nodes.size())
        << tail();
  }
}

/// The other traps arrive while the sweep reads and writes.
TEST_F(Events, ASwitchWithoutPowerIsOneSweepWithoutATimeOut) {
  const sim::NodeIndex leaf = other_leaf();
  const mad::TimePoint begin = runtime.now();
  world.power(leaf, false);
  ASSERT_TRUE(runtime.run_until([this] { return heddle().says("SM-NODE-LOST"); }, 5s)) << tail();
  EXPECT_LT(runtime.now() - begin, 100ms) << "nothing waits for what a dead switch does not answer";
  settle();
  EXPECT_EQ(complaint(), "");
  EXPECT_EQ(sweeps(), 1u) << tail();
}

TEST_F(Events, ALinkThatIsLostAfterTheSurveyOfAnotherIsNotMissed) {
  const sim::PortIndex first = switch_link();
  const sim::NodeIndex leaf = other_leaf();
  sim::PortIndex second = sim::kNone;
  for (unsigned number = 1; number <= model.nodes[leaf].port_count(); ++number) {
    const sim::PortIndex its = port(leaf, number);
    if (its != first && far(its) != first && far(its) != sim::kNone &&
        model.owning_node(far(its)).is_switch())
      second = its;
  }
  ASSERT_NE(second, sim::kNone);
  bool is_cut = false;
  heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    if (is_cut || smp.attribute_id() != mad::AttributeId::linear_forwarding_table ||
        smp.method() != mad::Method::set)
      return;
    is_cut = true;
    world.cut(second);
  };
  world.cut(first);
  ASSERT_TRUE(runtime.run_until([&] { return is_cut; }, 1s));
  EXPECT_TRUE(runtime.run_until([this] { return complaint().empty(); }, 1s)) << complaint();
  settle();
  heddle().tap().on_request = {};
  EXPECT_EQ(complaint(), "");
  EXPECT_EQ(sweeps(), 2u) << tail();
}

/// A trap that arrives during a sweep, and is about nothing that the survey has not seen.
TEST_F(Events, ATrapThatArrivesDuringASweepIsARead) {
  const sim::PortIndex end = switch_link();
  const sim::NodeIndex neighbour = this->neighbour(end);
  bool is_raised = false;
  heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    if (is_raised || smp.method() != mad::Method::set ||
        smp.attribute_id() != mad::AttributeId::linear_forwarding_table)
      return;
    is_raised = true;
    for (const sim::NodeIndex node : {owning_node(end), neighbour})
      raise_link_state_change(port(node, 0));
  };
  world.cut(end);
  settle();
  heddle().tap().on_request = {};
  ASSERT_TRUE(is_raised);
  EXPECT_EQ(complaint(), "");
  EXPECT_EQ(sweeps(), 1u) << tail();
}

}  // namespace events_test
