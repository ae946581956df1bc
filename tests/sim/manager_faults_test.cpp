#include <gtest/gtest.h>

#include "sim/world.h"
#include "support/seeds.h"

namespace {

using world::World;
using namespace std::chrono_literals;

sim::Topology tree() { return sim::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}); }

/// A cable between two switches, seen from its lower end.
std::pair<sim::PortRef, sim::PortRef> uplink(const fake::FakeFabric& fabric, std::size_t host) {
  const std::size_t leaf = fabric.nodes[host].ports[1].peer->node;
  for (unsigned number = 1;; ++number) {
    const auto& peer = fabric.nodes[leaf].ports.at(number).peer;
    if (peer && fabric.nodes[peer->node].is_switch()) return {{leaf, {static_cast<std::uint8_t>(number)}}, *peer};
  }
}

enum class By { trap, light_sweep };

class Heals : public testing::TestWithParam<By> {
 protected:
  Heals() : world(tree()) {
    EXPECT_TRUE(world.start_and_settle()) << world.tail();
    world.fabric.traps_arrive = GetParam() == By::trap;
  }
  /// How long a change may go unnoticed: traps are for at once, light sweeps come every ten seconds.
  mad::Duration patience() const { return GetParam() == By::trap ? 2s : 12s; }
  void expect_healed(const std::set<std::size_t>& affected) {
    EXPECT_TRUE(world.heals(patience())) << world.fabric.complaint() << world.tail();
    world.runtime.run_for(patience());
    EXPECT_EQ(world.fabric.complaint(), "");
    EXPECT_TRUE(world.heals());
    for (std::size_t index = 0; index < world.fabric.nodes.size(); ++index) {
      const fake::Node& node = world.fabric.nodes[index];
      // What did not change is not read again: one SMP per light sweep, and tables that change.
      if (affected.contains(index) || index == world.fabric.own.node) continue;
      EXPECT_LE(node.gets, 8u) << node.name;
      EXPECT_LE(node.sets, 3u) << node.name;
    }
    world.fabric.forget_counts();
  }
  World world;
};

TEST_P(Heals, CutAndRestoredUplink) {
  const auto [a, b] = uplink(world.fabric, 9);
  world.fabric.cut(a);
  expect_healed({a.node, b.node});
  world.fabric.connect(a, b);
  expect_healed({a.node, b.node});
}

TEST_P(Heals, HostThatComesBack) {
  const sim::PortRef host{9, {1}};
  const sim::PortRef leaf = *world.fabric.at(host).peer;
  world.fabric.cut(host);
  expect_healed({leaf.node, 9});
  world.fabric.connect(leaf, host);
  expect_healed({leaf.node, 9});
}

TEST_P(Heals, HostThatReboots) {
  const sim::PortRef leaf = *world.fabric.at({9, {1}}).peer;
  const mad::Lid lid = world.fabric.nodes[9].ports[1].info.lid();
  world.fabric.reboot(9);
  expect_healed({leaf.node, 9});
  EXPECT_EQ(world.fabric.nodes[9].ports[1].info.lid(), lid);
}

TEST_P(Heals, SwitchThatReboots) {
  for (const std::size_t host : {1u, 9u}) {
    SCOPED_TRACE(host == 1 ? "the manager's leaf" : "another leaf");
    const std::size_t leaf = world.fabric.nodes[host].ports[1].peer->node;
    std::set<std::size_t> affected{leaf};
    for (const fake::Port& port : world.fabric.nodes[leaf].ports) {
      if (port.peer) affected.insert(port.peer->node);
    }
    if (host == 1 && GetParam() == By::light_sweep) {  // the own port was restarted with it: then everything is read
      for (std::size_t index = 0; index < world.fabric.nodes.size(); ++index) affected.insert(index);
    }
    world.fabric.reboot(leaf);
    expect_healed(affected);
  }
}

TEST_P(Heals, NewHost) {
  const sim::PortRef host{9, {1}};
  const sim::PortRef leaf = *world.fabric.at(host).peer;
  world.fabric.cut(host);
  const std::size_t fresh = world.fabric.add(mad::NodeType::ca, "new host", mad::Guid{0xABCDEF00}, 2);
  world.fabric.connect(leaf, {fresh, {2}});
  expect_healed({leaf.node, 9, fresh});
}

INSTANTIATE_TEST_SUITE_P(Changes, Heals, testing::Values(By::trap, By::light_sweep),
                         [](const auto& parameter) { return parameter.param == By::trap ? "ByTrap" : "ByLightSweep"; });

TEST(Faults, OwnPortGoesDownAndComesBack) {
  World world(tree());
  ASSERT_TRUE(world.start_and_settle());
  const sim::PortRef leaf = *world.fabric.at(world.fabric.own).peer;
  world.fabric.cut(world.fabric.own);
  world.runtime.run_for(15s);
  EXPECT_TRUE(world.says("SM port is down"));
  world.fabric.connect(world.fabric.own, leaf);
  EXPECT_TRUE(world.heals(1min)) << world.fabric.complaint() << world.tail();
  EXPECT_TRUE(world.says("SM port is up"));
}

TEST(Faults, SilentHostDoesNotHoldUpTheOthersAndIsTakenInWhenItAnswers) {
  for (const bool half : {false, true}) {
    SCOPED_TRACE(half ? "answers NodeInfo only" : "answers nothing");
    World world(tree());
    fake::Node& host = world.fabric.nodes[9];
    (half ? host.only_node_info : host.silent) = true;
    world.start();
    EXPECT_TRUE(world.runtime.run_until([&] { return world.says("SUBNET UP"); }, 1min)) << world.tail();
    for (std::size_t index = 0; index < world.fabric.nodes.size(); ++index) {
      const fake::Node& node = world.fabric.nodes[index];
      if (index == 9 || node.is_switch()) continue;
      EXPECT_EQ(node.ports[1].info.port_state(), mad::PortState::active) << node.name;
    }
    host.silent = host.only_node_info = false;
    EXPECT_TRUE(world.heals(1min)) << world.fabric.complaint() << world.tail();
  }
}

TEST(Faults, NodeThatVanishesInTheMiddleOfASweep) {
  seeds::for_each(60, [](std::uint64_t seed) {
    World world(sim::random_graph({.switches = 8, .hosts = 12, .extra_links = 10, .seed = seed}), seed);
    fabrics::Random dice(seed);
    const auto victim = 1 + dice.below(static_cast<std::uint32_t>(world.fabric.nodes.size() - 1));
    const auto when = 1 + dice.below(500);
    bool gone = false;
    world.fabric.on_request = [&, asked = 0u](mad::ConstSmpView) mutable {
      if (++asked == when) gone = world.fabric.nodes[victim].silent = true;
    };
    world.start();
    // The rest comes up, as far as it does not hang on the victim.
    EXPECT_TRUE(world.runtime.run_until([&] { return world.fabric.complaint().empty() && world.says("SUBNET UP"); }, 10min)) << world.fabric.complaint() << world.tail();
    world.runtime.run_for(1min);
    EXPECT_EQ(world.fabric.complaint(), "") << world.tail();
    if (!gone) return;
    world.fabric.on_request = nullptr;
    world.fabric.nodes[victim].silent = false;
    EXPECT_TRUE(world.heals(10min)) << world.fabric.complaint() << world.tail();
  });
}

TEST(Faults, AnyChangesHealOnABadWire) {
  seeds::for_each(30, [](std::uint64_t seed) {
    World world(sim::random_graph({.switches = 8, .hosts = 12, .extra_links = 10, .seed = seed}), seed);
    fabrics::Random dice(seed);
    world.fabric.faults = {.lost = dice.below(8), .duplicated = dice.below(8), .late = dice.below(4)};
    world.fabric.traps_arrive = dice.chance(70);
    world.start();
    ASSERT_TRUE(world.comes_up(30min)) << world.fabric.complaint() << world.tail();
    std::vector<std::pair<sim::PortRef, sim::PortRef>> pulled;
    for (unsigned change = 0; change < 8; ++change) {
      const std::size_t node = 1 + dice.below(static_cast<std::uint32_t>(world.fabric.nodes.size() - 1));
      const sim::PortRef here{node, {static_cast<std::uint8_t>(dice.below(static_cast<std::uint32_t>(world.fabric.nodes[node].ports.size())))}};
      if (dice.chance(40) && !pulled.empty()) {
        world.fabric.connect(pulled.back().first, pulled.back().second);
        pulled.pop_back();
      } else if (dice.chance(30)) {
        world.fabric.reboot(node);
      } else if (world.fabric.at(here).peer && world.fabric.at(here).peer->node != 0) {
        pulled.emplace_back(here, *world.fabric.at(here).peer);
        world.fabric.cut(here);
      }
      if (dice.chance(50)) world.runtime.run_for(std::chrono::milliseconds(dice.below(20'000)));  // else in the middle of the reaction
    }
    EXPECT_TRUE(world.heals(30min)) << world.fabric.complaint() << world.tail();
    world.fabric.faults = {};
    world.runtime.run_for(2min);
    EXPECT_EQ(world.fabric.complaint(), "") << world.tail();
  });
}

TEST(Faults, DuplicateGuidEndsTheManagerBeforeItWritesAnything) {
  for (const bool node_guid : {true, false}) {
    World world(tree());
    fake::Node &first = world.fabric.nodes[5], &second = world.fabric.nodes[14];
    if (node_guid) second.info = first.info;
    second.port_guids = first.port_guids;
    world.options.exit_on_fatal = true;
    world.start();
    EXPECT_EQ(world.exit_code(), 1) << world.tail();
    EXPECT_EQ(world.fabric.sets(), 0u);
    EXPECT_TRUE(world.says(fmt::format("{}", first.port_guids[node_guid ? 0 : 1]))) << world.tail();
  }
}

TEST(Faults, DuplicatePortGuidLeavesTheSecondPortOutIfTheOperatorWantsToGoOn) {
  World world(tree());
  world.fabric.nodes[14].port_guids[1] = world.fabric.nodes[5].port_guids[1];
  world.options.exit_on_fatal = false;
  world.start();
  EXPECT_TRUE(world.runtime.run_until([&] { return world.says("SUBNET UP"); }, 1min)) << world.tail();
  EXPECT_EQ(world.fabric.nodes[5].ports[1].info.port_state(), mad::PortState::active);
  EXPECT_EQ(world.fabric.nodes[14].ports[1].info.port_state(), mad::PortState::init);
  EXPECT_EQ(world.fabric.nodes[14].ports[1].info.lid(), mad::Lid{});
  // The second one is exchanged for a host with a GUID of its own.
  const sim::PortRef leaf = *world.fabric.at({14, {1}}).peer;
  world.fabric.cut({14, {1}});
  const std::size_t fresh = world.fabric.add(mad::NodeType::ca, "new host", mad::Guid{0xABCDEF00}, 1);
  world.fabric.connect(leaf, {fresh, {1}});
  EXPECT_TRUE(world.heals(1min)) << world.fabric.complaint() << world.tail();
}

TEST(Faults, TrapStormIsDampedAndAllTrapsAreRepressed) {
  World world(tree());
  ASSERT_TRUE(world.start_and_settle());
  const std::uint64_t sweeps = world.manager().status().sweeps;
  const std::size_t sw = world.fabric.nodes.size() - 1;
  for (unsigned i = 0; i < 1000; ++i) {
    world.fabric.send_trap_128(sw);
    world.runtime.run_for(100ms);
  }
  EXPECT_EQ(world.fabric.represses(), 1000u);
  EXPECT_LE(world.manager().status().sweeps - sweeps, 11u);
  EXPECT_TRUE(world.says("repeats this trap without end")) << world.tail();
  EXPECT_EQ(world.fabric.sets(), 0u) << "there was nothing to do";
}

TEST(Faults, ManyTrapsOfOneEventAreOneChange) {
  World world(tree());
  ASSERT_TRUE(world.start_and_settle());
  const std::uint64_t sweeps = world.manager().status().sweeps;
  const std::size_t spine = world.fabric.nodes.size() - 1;
  for (unsigned number = 1; number < world.fabric.nodes[spine].ports.size(); ++number) {  // a dying switch
    world.fabric.cut({spine, {static_cast<std::uint8_t>(number)}});
    world.runtime.run_for(1ms);
  }
  EXPECT_TRUE(world.heals(3s)) << world.fabric.complaint() << world.tail();
  world.settle();
  EXPECT_EQ(world.manager().status().sweeps - sweeps, 1u) << world.tail();
}

TEST(Faults, UnsolicitedNonsenseIsIgnored) {
  seeds::for_each(20, [](std::uint64_t seed) {
    World world(tree());
    ASSERT_TRUE(world.start_and_settle());
    fabrics::Random dice(seed);
    for (unsigned i = 0; i < 2000; ++i) {
      mad::MadBytes bytes;
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
      if (dice.chance(80)) {  // nearly right
        bytes[0] = 1;
        bytes[1] = dice.chance(50) ? 0x01 : dice.chance(50) ? 0x81 : 0x03;
        bytes[2] = 1;
        const std::uint8_t methods[]{0x01, 0x02, 0x05, 0x07, 0x81, 0x06};
        bytes[3] = methods[dice.below(6)];
        bytes[16] = 0;
        const std::uint8_t attributes[]{0x02, 0x11, 0x15, 0x20};
        bytes[17] = attributes[dice.below(4)];
        if (bytes[3] == 0x02 && bytes[17] == 0x20) bytes[3] = 0x01;  // orders of another manager are for election_test
      }
      world.fabric.deliver(bytes, mad::Lid{static_cast<std::uint16_t>(dice.below(60))}, dice.chance(90) ? mad::kMadSizeBytes : dice.below(256));
    }
    world.runtime.run_for(5min);
    EXPECT_EQ(world.fabric.complaint(), "");
    EXPECT_EQ(world.manager().status().state, mad::SmState::master);
  });
}

}  // namespace
