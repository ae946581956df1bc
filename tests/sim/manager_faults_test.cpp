#include <gtest/gtest.h>

#include <set>

#include "sim/laboratory.h"
#include "sim/world/forwarding.h"
#include "support/seeds.h"

namespace {

using laboratory::Solo;
using namespace std::chrono_literals;

sim::Topology tree() { return sim::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}); }

/// A cable between two switches: the first one above the host's leaf, seen from its lower end.
std::pair<sim::PortIndex, sim::PortIndex> uplink(const Solo& lab, sim::NodeIndex host) {
  const sim::NodeIndex leaf = lab.neighbour(lab.port(host));
  for (unsigned number = 1;; ++number) {
    const sim::PortIndex port = lab.port(leaf, number), far = lab.far(port);
    if (far != sim::kNone && lab.model.node_of(far).is_switch()) return {port, far};
  }
}

sim::Node new_host(unsigned ports) {
  return {.type = sim::NodeType::ca,
          .name = "new host",
          .guid = mad::Guid{0xABCDEF00},
          .port_count = ports};
}

enum class By { trap, light_sweep };

class Heals : public testing::TestWithParam<By> {
 protected:
  Heals() : lab(tree()) {
    lab.world.timing.boot = 10ms;
    EXPECT_TRUE(lab.start_and_settle()) << lab.tail();
    lab.withhold_traps(GetParam() == By::light_sweep);
  }
  /// How long a change may go unnoticed: traps are for at once, light sweeps come every ten
  /// seconds.
  mad::Duration patience() const { return GetParam() == By::trap ? 2s : 12s; }
  void expect_healed(const std::set<sim::NodeIndex>& affected) {
    expect_healed(affected, patience());
  }
  void expect_healed(const std::set<sim::NodeIndex>& affected, mad::Duration patience) {
    EXPECT_TRUE(lab.heals(patience)) << lab.complaint() << lab.tail();
    lab.runtime.run_for(patience);
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_TRUE(lab.heals());
    for (sim::NodeIndex index = 0; index < lab.model.nodes.size(); ++index) {
      const sim::NodeModel& node = lab.model.nodes[index];
      // What did not change is not read again: one SMP per light sweep, and tables that change.
      if (affected.contains(index) || index == lab.node_of(lab.own())) continue;
      EXPECT_LE(node.gets, 8u) << node.description;
      EXPECT_LE(node.sets, 3u) << node.description;
    }
    lab.forget_counts();
  }
  Solo lab;
};

TEST_P(Heals, CutAndRestoredUplink) {
  const auto [a, b] = uplink(lab, 9);
  lab.world.cut(a);
  expect_healed({lab.node_of(a), lab.node_of(b)});
  lab.plug(a, b);
  expect_healed({lab.node_of(a), lab.node_of(b)});
}

TEST_P(Heals, HostThatComesBack) {
  const sim::PortIndex host = lab.port(9), leaf = lab.far(host);
  lab.world.cut(host);
  expect_healed({lab.node_of(leaf), 9});
  lab.plug(leaf, host);
  expect_healed({lab.node_of(leaf), 9});
}

TEST_P(Heals, HostThatReboots) {
  const sim::PortIndex host = lab.port(9);
  const mad::Lid lid = lab.info(host).lid();
  lab.reboot(9);
  ASSERT_TRUE(lab.model.link_up(host));
  expect_healed({lab.neighbour(host), 9});
  EXPECT_EQ(lab.info(host).lid(), lid);
}

TEST_P(Heals, SwitchThatReboots) {
  for (const sim::NodeIndex host : {1u, 9u}) {
    SCOPED_TRACE(host == 1 ? "the manager's leaf" : "another leaf");
    const sim::NodeIndex leaf = lab.neighbour(lab.port(host));
    std::set<sim::NodeIndex> affected{leaf};
    for (unsigned number = 1; number <= lab.model.nodes[leaf].port_count(); ++number)
      affected.insert(lab.neighbour(lab.port(leaf, number)));
    // No trap comes through a leaf that has lost its tables. The own port was restarted with it:
    // then everything is read.
    if (host == 1) {
      for (sim::NodeIndex index = 0; index < lab.model.nodes.size(); ++index)
        affected.insert(index);
    }
    lab.reboot(leaf);
    expect_healed(affected, host == 1 ? 12s : patience());
  }
}

TEST_P(Heals, NewHost) {
  const sim::PortIndex leaf = lab.far(lab.port(9));
  lab.world.cut(leaf);
  const sim::NodeIndex fresh = lab.world.add(new_host(2));
  lab.model.nodes[fresh].health.withhold_traps = GetParam() == By::light_sweep;
  lab.plug(leaf, lab.port(fresh, 2));
  expect_healed({lab.node_of(leaf), 9, fresh});
}

INSTANTIATE_TEST_SUITE_P(Changes, Heals, testing::Values(By::trap, By::light_sweep),
                         [](const auto& parameter) {
                           return parameter.param == By::trap ? "ByTrap" : "ByLightSweep";
                         });

/// Cables between switches fail and come back, and switches lose some of what they are told: at
/// every SMP that leaves, unicast packets may be lost, but never go in a circle.
TEST(Faults, PacketsNeverCirculateWhileForwardingTablesChange) {
  seeds::for_each(6, [](std::uint64_t seed) {
    Solo lab(seed % 2 == 0 ? sim::torus({.dimensions = {7}, .hosts_per_switch = 3})
                           : sim::torus({.dimensions = {4, 4}, .hosts_per_switch = 2}),
             seed);
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    sim::Random dice(seed);
    std::vector<sim::PortIndex> hosts, trunks;
    for (sim::PortIndex port = 0; port < lab.model.ports.size(); ++port) {
      if (lab.far(port) == sim::kNone) continue;
      if (!lab.model.node_of(port).is_switch()) hosts.push_back(port);
      if (lab.model.node_of(port).is_switch() && lab.model.node_of(lab.far(port)).is_switch())
        trunks.push_back(port);
    }
    std::size_t walks = 0;
    lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
      if (smp.attribute_id() != mad::AttributeId::linear_forwarding_table) return;
      for (const sim::PortIndex to : hosts) {
        const sim::Walk walk = sim::walk_unicast(lab.model, hosts[dice.below(hosts.size())],
                                                 {.dlid = lab.info(to).lid()});
        ASSERT_NE(walk.drop, sim::Drop::too_long) << "to LID " << lab.info(to).lid().value;
        ++walks;
      }
    };
    std::vector<std::pair<sim::PortIndex, sim::PortIndex>> cut;
    for (unsigned step = 0; step < 10; ++step) {
      for (sim::NodeModel& node : lab.model.nodes) {
        node.health.unheard = node.is_switch() && dice.percent(25) ? 0.5 : 0;
        node.health.unheard_attribute =
            static_cast<std::uint16_t>(mad::AttributeId::linear_forwarding_table);
      }
      if (const sim::PortIndex port = trunks[dice.below(trunks.size())];
          lab.far(port) != sim::kNone && dice.percent(60)) {
        cut.emplace_back(port, lab.far(port));
        lab.world.cut(port);
      } else if (!cut.empty()) {
        lab.plug(cut.back().first, cut.back().second);
        cut.pop_back();
      }
      lab.runtime.run_for(5s);
    }
    for (sim::NodeModel& node : lab.model.nodes) node.health.unheard = 0;
    for (const auto& [a, b] : cut) lab.plug(a, b);
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
    EXPECT_GT(walks, 100u);
  });
}

TEST(Faults, OwnPortGoesDownAndComesBack) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  const sim::PortIndex leaf = lab.far(lab.own());
  lab.world.cut(lab.own());
  lab.runtime.run_for(15s);
  EXPECT_TRUE(lab.says("SM port is down"));
  lab.plug(lab.own(), leaf);
  EXPECT_TRUE(lab.heals(1min)) << lab.complaint() << lab.tail();
  EXPECT_TRUE(lab.says("SM port is up"));
}

TEST(Faults, SilentHostDoesNotHoldUpTheOthersAndIsTakenInWhenItAnswers) {
  for (const bool half : {false, true}) {
    SCOPED_TRACE(half ? "answers NodeInfo only" : "answers nothing");
    Solo lab(tree());
    sim::Health& health = lab.model.nodes[9].health;
    (half ? health.deaf_agent : health.silent) = true;
    lab.start();
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 1min)) << lab.tail();
    for (sim::NodeIndex index = 0; index < lab.model.nodes.size(); ++index) {
      if (index == 9 || lab.model.nodes[index].is_switch()) continue;
      EXPECT_EQ(lab.info(lab.port(index)).port_state(), mad::PortState::active)
          << lab.model.nodes[index].description;
    }
    health.silent = health.deaf_agent = false;
    EXPECT_TRUE(lab.heals(1min)) << lab.complaint() << lab.tail();
  }
}

TEST(Faults, NodeThatVanishesInTheMiddleOfASweep) {
  seeds::for_each(60, [](std::uint64_t seed) {
    Solo lab(sim::random_graph({.switches = 8, .hosts = 12, .extra_links = 10, .seed = seed}),
             seed);
    sim::Random dice(seed);
    const auto victim = 1 + dice.below(lab.model.nodes.size() - 1);
    const auto when = 1 + dice.below(500u);
    bool gone = false;
    lab.start();
    lab.heddle().tap().on_request = [&, asked = 0u](mad::ConstSmpView) mutable {
      if (++asked == when) gone = lab.model.nodes[victim].health.silent = true;
    };
    // The rest comes up, as far as it does not hang on the victim.
    EXPECT_TRUE(lab.runtime.run_until(
        [&] { return lab.says("SUBNET UP") && lab.complaint().empty(); }, 10min))
        << lab.complaint() << lab.tail();
    lab.runtime.run_for(1min);
    EXPECT_EQ(lab.complaint(), "") << lab.tail();
    if (!gone) return;
    lab.heddle().tap().on_request = nullptr;
    lab.model.nodes[victim].health.silent = false;
    EXPECT_TRUE(lab.heals(10min)) << lab.complaint() << lab.tail();
  });
}

TEST(Faults, AnyChangesHealOnABadWire) {
  seeds::for_each(30, [](std::uint64_t seed) {
    Solo lab(sim::random_graph({.switches = 8, .hosts = 12, .extra_links = 10, .seed = seed}),
             seed);
    sim::Random dice(seed);
    const auto percent = [&dice](unsigned bound) { return dice.below(bound) / 100.0; };
    lab.set_wire({.lost = percent(8), .duplicated = percent(8), .late = percent(4)});
    lab.withhold_traps(!dice.percent(70));
    lab.start();
    ASSERT_TRUE(lab.comes_up(30min)) << lab.complaint() << lab.tail();
    std::vector<std::pair<sim::PortIndex, sim::PortIndex>> pulled;
    for (unsigned change = 0; change < 8; ++change) {
      const auto node = static_cast<sim::NodeIndex>(1 + dice.below(lab.model.nodes.size() - 1));
      const sim::PortIndex here =
          lab.port(node, 1 + dice.below(lab.model.nodes[node].port_count()));
      if (dice.percent(40) && !pulled.empty()) {
        lab.world.connect(pulled.back().first, pulled.back().second);
        pulled.pop_back();
      } else if (dice.percent(30)) {
        lab.world.reboot(node);
      } else if (lab.far(here) != sim::kNone && lab.neighbour(here) != 0) {
        pulled.emplace_back(here, lab.far(here));
        lab.world.cut(here);
      }
      if (dice.percent(50))
        lab.runtime.run_for(
            std::chrono::milliseconds(dice.below(20'000)));  // else in the middle of the reaction
    }
    lab.let_nodes_boot();
    EXPECT_TRUE(lab.heals(30min)) << lab.complaint() << lab.tail();
    lab.set_wire({});
    lab.runtime.run_for(2min);
    EXPECT_EQ(lab.complaint(), "") << lab.tail();
  });
}

TEST(Faults, DuplicateGuidEndsTheManagerBeforeItWritesAnything) {
  for (const bool node_guid : {true, false}) {
    Solo lab(tree());
    const mad::Guid guid = lab.model.ports[lab.port(5)].guid;
    if (node_guid) lab.model.nodes[14].info = lab.model.nodes[5].info;
    lab.model.ports[lab.port(14)].guid = guid;
    lab.options.exit_on_fatal = true;
    lab.start();
    EXPECT_EQ(lab.heddle().exit_code(), 1) << lab.tail();
    EXPECT_EQ(lab.sets(), 0u);
    EXPECT_TRUE(lab.says(fmt::format("{}", node_guid ? lab.model.nodes[5].info.node_guid() : guid)))
        << lab.tail();
  }
}

TEST(Faults, DuplicatePortGuidLeavesTheSecondPortOutIfTheOperatorWantsToGoOn) {
  Solo lab(tree());
  const sim::PortIndex first = lab.port(5), second = lab.port(14), leaf = lab.far(second);
  lab.model.ports[second].guid = lab.model.ports[first].guid;
  lab.options.exit_on_fatal = false;
  lab.start();
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 1min)) << lab.tail();
  EXPECT_EQ(lab.info(first).port_state(), mad::PortState::active);
  EXPECT_EQ(lab.info(second).port_state(), mad::PortState::init);
  EXPECT_EQ(lab.info(second).lid(), mad::Lid{});
  // The second one is exchanged for a host with a GUID of its own.
  lab.world.cut(second);
  lab.plug(leaf, lab.port(lab.world.add(new_host(1))));
  EXPECT_TRUE(lab.heals(1min)) << lab.complaint() << lab.tail();
}

TEST(Faults, TrapStormIsDampedAndAllTrapsAreRepressed) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  const std::uint64_t sweeps = lab.status().sweeps,
                      represses = lab.world.statistics.traps_repressed;
  const sim::PortIndex spine = lab.model.nodes.back().first_port;
  for (unsigned i = 0; i < 1000; ++i) {
    lab.raise_link_state_change(spine);
    lab.runtime.run_for(100ms);
  }
  EXPECT_EQ(lab.heddle().tap().responses.size(), 1000u);
  EXPECT_EQ(lab.world.statistics.traps_repressed - represses, 1000u) << "and the agents know";
  EXPECT_LE(lab.status().sweeps - sweeps, 11u);
  EXPECT_TRUE(lab.says("repeats this trap without end")) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u) << "there was nothing to do";
}

TEST(Faults, LinearFdbTopThatIsNotOursIsNoticedByTheLightSweep) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  for (const auto top : {std::uint16_t{0},
                         std::uint16_t{5}}) {  // a Set that was long on its way, or somebody else's
    lab.model.nodes.back().sw->info.set_linear_fdb_top(top);
    ASSERT_NE(lab.complaint(), "");
    EXPECT_TRUE(lab.heals(12s)) << lab.complaint() << lab.tail();
  }
}

TEST(Faults, ManyTrapsOfOneEventAreOneChange) {
  for (const bool repeated : {false, true}) {
    SCOPED_TRACE(repeated ? "traps are repeated until they are repressed"
                          : "each trap is sent once");
    Solo lab(tree());
    ASSERT_TRUE(lab.start_and_settle());
    if (!repeated) lab.world.timing.trap_repeat = 1h;
    const std::uint64_t sweeps = lab.status().sweeps;
    const auto spine = static_cast<sim::NodeIndex>(lab.model.nodes.size() - 1);
    for (unsigned number = 1; number <= lab.model.nodes[spine].port_count();
         ++number) {  // a dying switch
      lab.world.cut(lab.port(spine, number));
      lab.runtime.run_for(1ms);
    }
    EXPECT_TRUE(lab.heals(3s)) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.status().sweeps - sweeps, 1u) << lab.tail();
    lab.forget_counts();
    lab.settle();
    // TrapRepress goes by the tables, through the dead switch at first: what is repeated meanwhile
    // costs looks, and no writes.
    EXPECT_LE(lab.status().sweeps - sweeps, repeated ? 3u : 1u) << lab.tail();
    EXPECT_EQ(lab.sets(), 0u) << lab.tail();
  }
}

TEST(Faults, UnsolicitedNonsenseIsIgnored) {
  seeds::for_each(20, [](std::uint64_t seed) {
    Solo lab(tree());
    ASSERT_TRUE(lab.start_and_settle());
    sim::Random dice(seed);
    for (unsigned i = 0; i < 2000; ++i) {
      mad::MadBytes bytes;
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
      if (dice.percent(80)) {  // nearly right
        bytes[0] = 1;
        bytes[1] = dice.percent(50) ? 0x01 : dice.percent(50) ? 0x81 : 0x03;
        bytes[2] = 1;
        const std::uint8_t methods[]{0x01, 0x02, 0x05, 0x07, 0x81, 0x06};
        bytes[3] = methods[dice.below(6u)];
        bytes[16] = 0;
        const std::uint8_t attributes[]{0x02, 0x11, 0x15, 0x20};
        bytes[17] = attributes[dice.below(4u)];
        if (bytes[3] == 0x02 && bytes[17] == 0x20)
          bytes[3] = 0x01;  // orders of another manager are for election_test
      }
      lab.heddle().tap().inject(bytes, mad::Lid{static_cast<std::uint16_t>(dice.below(60))},
                                dice.percent(90) ? mad::kMadSizeBytes : dice.below(256));
    }
    lab.runtime.run_for(5min);
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_EQ(lab.status().state, mad::SmState::master);
  });
}

}  // namespace
