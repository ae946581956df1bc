// Heddle on faulty hardware, from many seeds: the subnet must converge.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "sim/scenario/scenario.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/seeds.h"

namespace resilience_test {

using laboratory::Instance;
using laboratory::kComesUp;
using laboratory::kLightSweep;
using laboratory::kSweepsWithErrors;
using laboratory::Laboratory;
using namespace std::chrono_literals;

constexpr unsigned kSeeds = 200;

/// 12 hosts, 7 switches, two paths between any two of them.
topology::Topology tree() {
  return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
}

topology::Topology build_fabric(std::uint64_t seed) {
  return seed % 2 == 0
             ? tree()
             : topology::random_graph({.switches = 6, .hosts = 10, .extra_links = 6, .seed = seed});
}

/// A node other than the manager's host.
sim::NodeIndex some_node(Laboratory& lab, topology::Random& dice) {
  return sim::NodeIndex(1 + dice.below(lab.world.model.nodes.size() - 1));
}
sim::NodeIndex some_switch(Laboratory& lab, topology::Random& dice) {
  for (;;) {
    const sim::NodeIndex node = some_node(lab, dice);
    if (lab.world.model.nodes[node].is_switch()) return node;
  }
}
/// A link that does not end at the manager's host.
sim::PortIndex some_cable(Laboratory& lab, topology::Random& dice) {
  for (;;) {
    const sim::PortIndex port(dice.below(static_cast<std::uint32_t>(lab.world.model.ports.size())));
    const sim::PortIndex far = lab.world.model.ports[port].peer;
    if (far != sim::kNone && lab.world.model.ports[port].node != 0 &&
        lab.world.model.ports[far].node != 0)
      return port;
  }
}
mad::Duration some_time(topology::Random& dice, mad::Duration most) {
  return mad::Duration(
      static_cast<mad::Duration::rep>(dice.below(static_cast<std::uint64_t>(most.count()))));
}

/// HEDDLE_TRACE=file writes the trace there.
void trace_if_asked(Laboratory& lab) {
  if (const char* file = std::getenv("HEDDLE_TRACE"))
    lab.world.trace = [out = std::make_shared<std::ofstream>(file)](std::string_view line) {
      *out << line << std::endl;
    };
}

void expect_settles(Laboratory& lab, mad::Duration bound) {
  EXPECT_TRUE(lab.settles(bound)) << lab.complaint() << lab.instances.front().tail();
}
void expect_comes_up(Laboratory& lab, mad::Duration bound = kComesUp) {
  lab.start("H0");
  expect_settles(lab, bound);
}

TEST(Resilience, LinkThatFlaps) {
  seeds::for_each(kSeeds, [](std::uint64_t seed) {
    Laboratory lab(build_fabric(seed), seed);
    topology::Random dice(seed);
    expect_comes_up(lab);
    const sim::PortIndex port = some_cable(lab, dice), far = lab.world.model.ports[port].peer;
    for (unsigned flap = 0; flap < 4; ++flap) {
      lab.world.cut(port);
      lab.runtime.run_for(some_time(dice, 400ms));
      lab.world.connect(port, far);
      lab.runtime.run_for(some_time(dice, 400ms));
    }
    expect_settles(lab, kLightSweep);
    if (seed % 2 ==
        0) {  // min-hop excludes credit loops on trees only, and for traffic between hosts
      const auto reach = sim::reachable(lab.world.model, lab.port("H0"));
      EXPECT_EQ(sim::first_complaint(
                    sim::check_credit_loops(lab.world.model, reach, sim::Traffic::between_hosts)),
                "");
    }
  });
}

TEST(Resilience, TrapThatIsLost) {
  seeds::for_each(kSeeds, [](std::uint64_t seed) {
    Laboratory lab(build_fabric(seed), seed);
    topology::Random dice(seed);
    expect_comes_up(lab);
    // The change is not reported at first: traps are lost, or never sent.
    const sim::PortIndex port = some_cable(lab, dice);
    for (sim::NodeModel& node : lab.world.model.nodes)
      node.health.withhold_traps = dice.chance(0.7);
    lab.world.timing.trap_repeat = 1h;
    lab.world.qualities.front().lost = 0.5;
    lab.world.bounce(port);
    lab.runtime.run_for(20ms);
    lab.world.qualities.front().lost = 0;
    expect_settles(lab, kLightSweep);
  });
}

TEST(Resilience, FifthOfAllMadsIsLost) {
  seeds::for_each(kSeeds, [](std::uint64_t seed) {
    Laboratory lab(build_fabric(seed), seed);
    // 20 % of requests and answers over the whole path of some five links.
    for (const auto* host : {"H0"}) lab.world.set_quality(lab.port(host), {.lost = 0.2});
    expect_comes_up(lab, kSweepsWithErrors);
    topology::Random dice(seed);
    lab.world.bounce(some_cable(lab, dice));
    expect_settles(lab, kSweepsWithErrors);
  });
}

/// A CA and a switch, each between the manager and others or not.
TEST(Resilience, DevicesThatAnswerLateAreManaged) {
  for (const auto latency : {240ms, 260ms, 300ms, 500ms, 790ms}) {
    for (const char* name : {"H5", "S1-0", "S1-2", "S2-1"}) {
      for (const double loss : {0.0, 0.001, 0.01}) {
        SCOPED_TRACE(fmt::format("{} at {} ms, loss {}", name, latency.count(), loss));
        Laboratory lab(tree());
        lab.world.qualities.front().lost = loss;
        sim::Health& health = lab.node(name).health;
        health.slow_min = health.slow_max = latency;
        expect_comes_up(lab, loss > 0 ? kSweepsWithErrors : mad::Duration(60 * latency));
      }
    }
  }
}

/// Also while counters are read, whose queries have a window of their own. lab.complaint() compares
/// what the simulated port counts.
TEST(Resilience, WhereAllAnswersAreSlowNoMoreIsUnderWayThanThePortsBuffersHold) {
  Laboratory lab(topology::fat_tree({.hosts = 324, .radix = 36, .levels = 2}));
  for (sim::NodeModel& node : lab.model.nodes) node.health.slow_min = node.health.slow_max = 20ms;
  config::Options options;
  options.perfmgr = true;
  options.perfmgr_sweep_time_s = 1;
  lab.start("H0", options);
  expect_settles(lab, 12s);
  lab.runtime.run_for(2s);  // the counters of all ports
  EXPECT_TRUE(lab.settles()) << lab.complaint();
  EXPECT_GE(lab.instances.front().in_flight_max(), 150u) << "the budget is used";
}

TEST(Resilience, AgentsThatServeOneRequestAfterTheOtherAreManaged) {
  for (const auto time : {30ms, 60ms, 100ms}) {
    for (const unsigned queue : {8u, 2u}) {
      for (const double loss : {0.0, 0.001, 0.01, 0.05}) {
        SCOPED_TRACE(fmt::format("{} ms, {} wait, loss {}", time.count(), queue, loss));
        Laboratory lab(tree());
        lab.world.qualities.front().lost = loss;
        for (sim::NodeModel& node : lab.model.nodes) {
          node.health.service_time = time;
          node.health.queue = queue;
        }
        // A queue of two loses requests like a link does, until the limit of the node is found.
        expect_comes_up(lab,
                        loss > 0 || queue == 2 ? kSweepsWithErrors : mad::Duration(100 * time));
        std::uint64_t drops = 0;
        for (const sim::NodeModel& node : lab.model.nodes) drops += node.agent_drops;
        if (loss == 0 && queue == 8) {
          EXPECT_EQ(drops, 0u);
        }
      }
    }
  }
}

/// Hosts that hang, with their links up, delay neither the routing around a lost link, at whatever
/// time it is lost, nor are they forgotten: one that answers again is found, also if it is slow.
TEST(Resilience, HostsThatHangDelayNoReactionToALostLink) {
  seeds::for_each(40, [](std::uint64_t seed) {
    Laboratory lab(tree(), seed);
    topology::Random dice(seed);
    for (const char* const name : {"H3", "H5", "H8", "H11"}) lab.node(name).health.silent = true;
    Instance& manager = lab.start("H0");
    ASSERT_TRUE(lab.runtime.run_until([&] { return manager.says("SUBNET UP"); }, 5s));
    lab.runtime.run_for(some_time(dice, 25s));
    manager.forget_log();
    const sim::PortIndex uplink = lab.port("S2-1", 1 + dice.below(4u));
    const mad::TimePoint begin = lab.runtime.now();
    lab.world.cut(uplink);
    ASSERT_TRUE(lab.runtime.run_until([&] { return manager.says("SUBNET UP"); }, 5s))
        << manager.tail();
    EXPECT_LE(lab.runtime.now() - begin, 500ms) << manager.tail();

    sim::Health& health = lab.node("H5").health;
    health.silent = false;
    health.slow_min = health.slow_max = dice.percent(50) ? mad::Duration(300ms) : mad::Duration{};
    EXPECT_TRUE(lab.runtime.run_until([&] { return manager.says("node appeared: \"H5\""); },
                                      kLightSweep + 5s))
        << manager.tail();
  });
}

/// Its link stays up, and no trap says that it hangs, or that only its agents do.
TEST(Resilience, AHostThatHangsIsFoundByTheLightSweepWhoseTurnItIs) {
  for (const bool is_deaf : {false, true}) {
    SCOPED_TRACE(is_deaf);
    Laboratory lab(tree());
    Instance& manager = lab.start("H0");
    ASSERT_TRUE(lab.runtime.run_until([&] { return manager.says("SUBNET UP"); }, 5s));
    lab.runtime.run_for(1s);
    manager.forget_log();
    sim::Health& health = lab.node("H7").health;
    (is_deaf ? health.agent_ignores_requests : health.silent) = true;
    ASSERT_TRUE(
        lab.runtime.run_until([&] { return manager.says("SM-NODE-SILENT"); }, 2 * kLightSweep + 5s))
        << manager.tail();
    EXPECT_TRUE(manager.says("H7")) << manager.tail();
    health = {};
    EXPECT_TRUE(
        lab.runtime.run_until([&] { return manager.manager().status().conditions.empty(); }, 60s))
        << manager.tail();
  }
}

TEST(Resilience, SwitchThatRebootsDuringASweep) {
  seeds::for_each(kSeeds, [](std::uint64_t seed) {
    Laboratory lab(build_fabric(seed), seed);
    topology::Random dice(seed);
    lab.world.timing.boot = 1ms + some_time(dice, 3s);
    trace_if_asked(lab);
    lab.start("H0");
    lab.runtime.run_for(some_time(dice, 20ms));
    lab.world.reboot(some_switch(lab, dice));
    lab.runtime.run_for(lab.world.timing.boot);
    expect_settles(lab, kSweepsWithErrors);
    lab.world.reboot(some_switch(lab, dice));
    lab.runtime.run_for(some_time(dice, 10ms));
    lab.world.lose_tables(some_switch(lab, dice));
    lab.runtime.run_for(lab.world.timing.boot);
    expect_settles(lab, kSweepsWithErrors);
  });
}

/// A link that came up with what the node said of itself keeps these settings while it is Active
/// (SM-LINK-SETTING-PENDING).
void train_waiting_links(Laboratory& lab) {
  const sim::Model& model = lab.world.model;
  for (const auto& entry : lab.instances.front().manager().status().conditions) {
    if (entry.condition.id != sm::kWriteConditions.link_setting_pending) continue;
    for (const sim::PortIndex port : model.ports.indices()) {
      const sim::PortIndex far = model.ports[port].peer;
      const std::string name = fmt::format(
          "({}) port {} <-> ", model.owning_node(port).info.node_guid(), model.ports[port].number);
      if (far == sim::kNone || entry.condition.text.find(name) == std::string::npos) continue;
      lab.world.cut(port);
      lab.world.connect(port, far);
    }
  }
}

TEST(Resilience, NodeThatAnswersGarbage) {
  seeds::for_each(kSeeds, [](std::uint64_t seed) {
    Laboratory lab(build_fabric(seed), seed);
    topology::Random dice(seed);
    sim::Health& health = lab.world.model.nodes[some_node(lab, dice)].health;
    health.lies = dice.chance(0.5) ? 1.0 : 0.3;
    lab.start("H0");
    lab.runtime.run_for(1s + some_time(dice, 20s));
    health.lies = 0;
    if (!lab.settles(kSweepsWithErrors)) train_waiting_links(lab);
    expect_settles(lab, kSweepsWithErrors);
  });
}

}  // namespace resilience_test
