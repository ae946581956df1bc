#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include <optional>
#include <set>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sim/laboratory.h"
#include "sim/world/forwarding.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/hand_made_subnet.h"
#include "support/scripted_sm.h"
#include "support/seeds.h"

namespace manager_faults_test {

using laboratory::Solo;
using namespace std::chrono_literals;

topology::Topology tree() {
  return topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
}

/// A link between two switches: the first one above the host's leaf, by the port at its lower end.
std::pair<sim::PortIndex, sim::PortIndex> uplink(const Solo& lab, sim::NodeIndex host) {
  const sim::NodeIndex leaf = lab.neighbour(lab.port(host));
  for (unsigned number = 1;; ++number) {
    const sim::PortIndex port = lab.port(leaf, number), far = lab.far(port);
    if (far != sim::kNone && lab.model.owning_node(far).is_switch()) return {port, far};
  }
}

topology::Node new_host(unsigned ports) {
  return {.type = topology::NodeType::ca,
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
  /// The time until a change must be noticed: traps report at once, light sweeps run every ten
  /// seconds.
  mad::Duration timeout() const { return GetParam() == By::trap ? 2s : 12s; }
  void expect_healed(const std::set<sim::NodeIndex>& affected) {
    expect_healed(affected, timeout());
  }
  void expect_healed(const std::set<sim::NodeIndex>& affected, mad::Duration timeout) {
    EXPECT_TRUE(lab.heals(timeout)) << lab.complaint() << lab.tail();
    lab.runtime.run_for(timeout);
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_TRUE(lab.heals());
    for (const sim::NodeIndex index : lab.model.nodes.indices()) {
      const sim::NodeModel& node = lab.model.nodes[index];
      // The manager does not read again what did not change: one SMP per light sweep, and tables
      // that change.
      if (affected.contains(index) || index == lab.owning_node(lab.own())) continue;
      EXPECT_LE(node.gets, 8u) << node.description;
      EXPECT_LE(node.sets, 3u) << node.description;
    }
    lab.forget_counts();
  }
  Solo lab;
};

TEST_P(Heals, UplinkIsLostAndRestored) {
  const auto [a, b] = uplink(lab, sim::NodeIndex{9});
  lab.world.cut(a);
  expect_healed({lab.owning_node(a), lab.owning_node(b)});
  lab.plug(a, b);
  expect_healed({lab.owning_node(a), lab.owning_node(b)});
}

TEST_P(Heals, HostIsLostAndRestored) {
  const sim::PortIndex host = lab.port(sim::NodeIndex{9}), leaf = lab.far(host);
  lab.world.cut(host);
  expect_healed({lab.owning_node(leaf), sim::NodeIndex{9}});
  lab.plug(leaf, host);
  expect_healed({lab.owning_node(leaf), sim::NodeIndex{9}});
}

TEST_P(Heals, HostReboots) {
  const sim::PortIndex host = lab.port(sim::NodeIndex{9});
  const mad::Lid lid = lab.info(host).lid();
  lab.reboot(sim::NodeIndex{9});
  ASSERT_TRUE(lab.model.link_up(host));
  expect_healed({lab.neighbour(host), sim::NodeIndex{9}});
  EXPECT_EQ(lab.info(host).lid(), lid);
}

TEST_P(Heals, SwitchReboots) {
  for (const sim::NodeIndex host : {sim::NodeIndex{1}, sim::NodeIndex{9}}) {
    SCOPED_TRACE(host == 1 ? "the manager's leaf" : "another leaf");
    const sim::NodeIndex leaf = lab.neighbour(lab.port(host));
    std::set<sim::NodeIndex> affected{leaf};
    for (unsigned number = 1; number <= lab.model.nodes[leaf].port_count(); ++number)
      affected.insert(lab.neighbour(lab.port(leaf, number)));
    // No trap passes a leaf that has lost its tables. The own port was restarted with it: then
    // everything is read.
    if (host == 1) {
      for (const sim::NodeIndex index : lab.model.nodes.indices()) affected.insert(index);
    }
    lab.reboot(leaf);
    expect_healed(affected, host == 1 ? 12s : timeout());
  }
}

TEST_P(Heals, NewHost) {
  const sim::PortIndex leaf = lab.far(lab.port(sim::NodeIndex{9}));
  lab.world.cut(leaf);
  const sim::NodeIndex fresh = lab.world.add(new_host(2));
  lab.model.nodes[fresh].health.withhold_traps = GetParam() == By::light_sweep;
  lab.plug(leaf, lab.port(fresh, 2));
  expect_healed({lab.owning_node(leaf), sim::NodeIndex{9}, fresh});
}

INSTANTIATE_TEST_SUITE_P(Changes, Heals, testing::Values(By::trap, By::light_sweep),
                         [](const auto& parameter) {
                           return parameter.param == By::trap ? "ByTrap" : "ByLightSweep";
                         });

TEST(Losses, AreConditionsUntilNodesAndLinksAreSeenAgain) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  const auto [a, b] = uplink(lab, sim::NodeIndex{9});
  const sim::PortIndex host = lab.port(sim::NodeIndex{10}), leaf = lab.far(host);
  lab.world.cut(a);
  lab.world.cut(host);
  ASSERT_TRUE(lab.heals()) << lab.tail();
  lab.settle();
  EXPECT_TRUE(lab.says("[SM-LINK-LOST]")) << lab.tail();
  EXPECT_TRUE(lab.says("[SM-NODE-LOST]")) << lab.tail();
  EXPECT_FALSE(lab.says("cleared: link lost: "));
  lab.plug(a, b);
  lab.plug(leaf, host);
  ASSERT_TRUE(lab.heals()) << lab.tail();
  lab.settle();
  EXPECT_TRUE(lab.says("cleared: link lost: ")) << lab.tail();
  EXPECT_TRUE(lab.says("cleared: node lost: ")) << lab.tail();
}

TEST(Losses, ALeafWithoutPowerIsOneConditionThatCountsItsHosts) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  const sim::NodeIndex leaf = lab.neighbour(lab.port(sim::NodeIndex{9}));
  lab.world.power(leaf, false);
  ASSERT_TRUE(lab.heals()) << lab.tail();
  lab.settle();
  std::size_t hosts = 0;
  for (const auto& raised : lab.status().conditions) {
    if (!raised.condition.caused_by) continue;
    ++hosts;
    EXPECT_EQ(raised.condition.caused_by->guid, lab.model.nodes[leaf].info.node_guid());
  }
  EXPECT_GT(hosts, 1u);
  EXPECT_TRUE(lab.says(fmt::format("{} hosts behind it (", hosts))) << lab.tail();
  EXPECT_FALSE(lab.says("node lost: ")) << "hosts have no lines of their own\n" << lab.tail();
  lab.world.power(leaf, true);
  ASSERT_TRUE(lab.heals()) << lab.tail();
  lab.settle();
  EXPECT_TRUE(lab.says("cleared: switch lost: ")) << lab.tail();
  for (const auto& raised : lab.status().conditions)
    EXPECT_NE(raised.condition.id, sm::kSweepConditions.node_lost) << raised.condition.text;
}

/// Links between switches fail and are restored, and switches lose some of the Sets: with every
/// SMP, unicast packets may be dropped, but there is never a forwarding loop.
TEST(Faults, NoForwardingLoopWhileForwardingTablesChange) {
  seeds::for_each(6, [](std::uint64_t seed) {
    Solo lab(seed % 2 == 0 ? topology::torus({.dimensions = {7}, .hosts_per_switch = 3})
                           : topology::torus({.dimensions = {4, 4}, .hosts_per_switch = 2}),
             seed);
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    topology::Random dice(seed);
    std::vector<sim::PortIndex> hosts, trunks;
    for (const sim::PortIndex port : lab.model.ports.indices()) {
      if (lab.far(port) == sim::kNone) continue;
      if (!lab.model.owning_node(port).is_switch()) hosts.push_back(port);
      if (lab.model.owning_node(port).is_switch() &&
          lab.model.owning_node(lab.far(port)).is_switch())
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
        node.health.ignored_probability = node.is_switch() && dice.percent(25) ? 0.5 : 0;
        node.health.ignored_attribute =
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
    for (sim::NodeModel& node : lab.model.nodes) node.health.ignored_probability = 0;
    for (const auto& [a, b] : cut) lab.plug(a, b);
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
    EXPECT_GT(walks, 100u);
    lab.heddle().tap().on_request = nullptr;  // before `hosts` ends: requests may still be sent
  });
}

TEST(Faults, ChangesDuringTheFirstSweepAreFound) {
  seeds::for_each(57, [](std::uint64_t seed) {
    const std::uint64_t when = 7 * seed - 6;  // index of a request of the sweep
    Solo lab(tree());
    lab.world.timing.training = 1us;
    ASSERT_TRUE(lab.start_and_settle());
    lab.heddle().stop();
    const sim::PortIndex host = lab.port(sim::NodeIndex{9}), leaf = lab.far(host);
    lab.world.cut(host);
    lab.runtime.run_for(1s);
    lab.heddle().start(lab.options);
    lab.heddle().tap().on_request = [&, requests = std::uint64_t{0}](mad::ConstSmpView) mutable {
      if (++requests == when) lab.world.connect(leaf, host);
    };
    EXPECT_TRUE(lab.heals(15s)) << "after request " << when << lab.complaint() << lab.tail();
    lab.heddle().tap().on_request = nullptr;
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
  EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  EXPECT_TRUE(lab.says("SM port is up"));
}

TEST(Faults, AHostThatHangsHasItsNameAsLongAsItIsSilent) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  lab.node("H7").health.silent = true;
  for (unsigned sweep = 0; sweep < 3; ++sweep) {
    lab.heddle().order_resweep();
    lab.runtime.run_for(20s);
  }
  ASSERT_EQ(lab.raised(fabric::kFabricConditions.node_silent), 1u) << lab.tail();
  EXPECT_EQ(lab.heddle().count("does not answer SubnGet(NodeInfo)"), 1u)
      << "its text stays the same; " << lab.tail();
  for (const auto& [condition, since, times] : lab.status().conditions) {
    if (condition.id == fabric::kFabricConditions.node_silent) {
      EXPECT_TRUE(condition.text.starts_with("\"H7\" (")) << condition.text;
    }
  }
  lab.node("H7").health.silent = false;
  EXPECT_TRUE(lab.heals(40s)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.node_silent), 0u) << lab.tail();
}

TEST(Faults, ASilentSubnetIsACriticalConditionAndIsReadAgain) {
  for (const bool running : {false, true}) {
    SCOPED_TRACE(running ? "a master whose switch hangs" : "from the start");
    Solo lab(tree());
    if (running) {
      ASSERT_TRUE(lab.start_and_settle());
    }
    const sim::NodeIndex leaf = lab.neighbour(lab.own());
    lab.model.nodes[leaf].health.silent = true;
    if (running) {
      lab.heddle().forget_log();
      lab.heddle().order_resweep();
    } else {
      lab.start();
    }
    lab.runtime.run_for(60s);
    EXPECT_FALSE(lab.says("SUBNET UP")) << lab.tail();
    EXPECT_TRUE(lab.says("[SM-SUBNET-SILENT]")) << lab.tail();
    EXPECT_TRUE(lab.says("port 1 does not answer SubnGet(NodeInfo)")) << lab.tail();
    const std::size_t sweeps = lab.heddle().count("sweep started");
    EXPECT_GE(sweeps, 3u);
    EXPECT_LE(sweeps, 12u) << "with growing pauses";
    lab.model.nodes[leaf].health.silent = false;
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 1min));
    EXPECT_TRUE(lab.says("cleared: nothing behind")) << lab.tail();
  }
}

/// A switch writes a block of its table to another place, and says so.
TEST(Faults, ABlockThatWasWrittenElsewhereIsReadAndWrittenAgain) {
  Solo lab(tree());
  lab.options.lmc = 3;  // LIDs in two blocks
  unsigned misplaced = 0;
  for (sim::NodeModel& node : lab.model.nodes) {
    if (!node.is_switch()) continue;
    node.health.edit_request = [&, wrong = true](mad::SmpView smp) mutable {
      if (smp.method() != mad::Method::set || smp.attribute_modifier() != 1 ||
          smp.attribute_id() != mad::AttributeId::linear_forwarding_table ||
          !std::exchange(wrong, false))
        return;
      smp.set_attribute_modifier(0);
      ++misplaced;
    };
  }
  lab.start();
  EXPECT_TRUE(lab.heals(20s)) << lab.complaint() << lab.tail();
  EXPECT_EQ(misplaced, 9u) << "once each switch";
  EXPECT_TRUE(
      lab.runtime.run_until([&] { return lab.says("with another attribute modifier"); }, 1min))
      << lab.tail();
}

TEST(Faults, SilentHostDoesNotDelayOthersAndIsAddedWhenItAnswers) {
  for (const bool half : {false, true}) {
    SCOPED_TRACE(half ? "answers NodeInfo only" : "answers nothing");
    Solo lab(tree());
    sim::Health& health = lab.model.nodes[sim::NodeIndex{9}].health;
    (half ? health.agent_ignores_requests : health.silent) = true;
    lab.start();
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 1min)) << lab.tail();
    for (const sim::NodeIndex index : lab.model.nodes.indices()) {
      if (index == 9 || lab.model.nodes[index].is_switch()) continue;
      EXPECT_EQ(lab.info(lab.port(index)).port_state(), mad::PortState::active)
          << lab.model.nodes[index].description;
    }
    health.silent = health.agent_ignores_requests = false;
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  }
}

/// Its links stay up, so that sweeps read it, time out, and are repeated, up to four times after 30
/// s: settings that were incomplete when it disappeared are correct after that. A shorter
/// kRetryLast would lower it.
constexpr mad::Duration kNodeWithoutAnswers = 130s;

TEST(Faults, NodeDisappearsDuringASweep) {
  seeds::for_each(60, [](std::uint64_t seed) {
    Solo lab(topology::random_graph({.switches = 8, .hosts = 12, .extra_links = 10, .seed = seed}),
             seed);
    topology::Random dice(seed);
    const auto victim = 1 + dice.below(lab.model.nodes.size() - 1);
    const auto when = 1 + dice.below(500u);
    bool disappeared = false;
    lab.start();
    lab.heddle().tap().on_request = [&, requests = 0u](mad::ConstSmpView) mutable {
      if (++requests == when)
        disappeared = lab.model.nodes[sim::NodeIndex{victim}].health.silent = true;
    };
    // All other nodes converge, except those reachable only through the faulty one. Behind the
    // manager's own switch that is all of them.
    const auto all_are_behind = [&] { return lab.says("[SM-SUBNET-SILENT]"); };
    EXPECT_TRUE(lab.runtime.run_until(
        [&] { return all_are_behind() || (lab.says("SUBNET UP") && lab.complaint().empty()); },
        kNodeWithoutAnswers))
        << lab.complaint() << lab.tail();
    lab.runtime.run_for(1min);  // a light sweep at its end may be when it disappears
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.complaint().empty() || all_are_behind(); },
                                      kNodeWithoutAnswers))
        << lab.complaint() << lab.tail();
    if (!disappeared) return;
    lab.heddle().tap().on_request = nullptr;
    lab.model.nodes[sim::NodeIndex{victim}].health.silent = false;
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  });
}

/// A write that a node does not take is a condition until it does.
TEST(Faults, AWriteThatANodeDoesNotTakeIsAConditionUntilItDoes) {
  for (const bool answers : {false, true}) {
    SCOPED_TRACE(answers ? "with a status" : "without a response");
    Solo lab(tree());
    sim::Health& health = lab.model.nodes[lab.model.find("S1-1")].health;
    if (answers) {
      health.reject = [](mad::ConstSmpView smp) -> std::optional<std::uint16_t> {
        if (smp.method() != mad::Method::set ||
            smp.attribute_id() != mad::AttributeId::linear_forwarding_table)
          return std::nullopt;
        return std::uint16_t{0x001C};
      };
    } else {
      health.ignored_probability = 1;
      health.ignored_attribute =
          static_cast<std::uint16_t>(mad::AttributeId::linear_forwarding_table);
    }
    const auto unwritten = [&] {
      return std::ranges::count_if(lab.status().conditions, [](const auto& raised) {
        return raised.condition.id == sm::kWriteConditions.write_failed;
      });
    };
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return unwritten() == 1; }, 30s)) << lab.tail();
    EXPECT_TRUE(lab.says("did not take SubnSet(LinearForwardingTable) [SM-WRITE-FAILED]"))
        << lab.tail();
    health = {};
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
    EXPECT_TRUE(lab.runtime.run_until([&] { return unwritten() == 0; }, 10s)) << lab.tail();
  }
}

/// Up to 7 % of all MADs are lost for as long as this takes, so that several sweeps in a row
/// end with errors, and traps may be withheld altogether.
constexpr mad::Duration kBadWire = 120s;

TEST(Faults, AnyChangesConvergeWithLossyLinks) {
  seeds::for_each(30, [](std::uint64_t seed) {
    Solo lab(topology::random_graph({.switches = 8, .hosts = 12, .extra_links = 10, .seed = seed}),
             seed);
    topology::Random dice(seed);
    const auto percent = [&dice](unsigned bound) { return dice.below(bound) / 100.0; };
    lab.set_wire({.lost = percent(8), .duplicated = percent(8), .late = percent(4)});
    lab.withhold_traps(!dice.percent(70));
    // The wire repeats Sets: one that clears PortStateChange hides what has changed since. Nothing
    // but the audit finds that.
    lab.options.audit_interval = 30;
    lab.start();
    ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
    std::vector<std::pair<sim::PortIndex, sim::PortIndex>> pulled;
    for (unsigned change = 0; change < 8; ++change) {
      const auto node = sim::NodeIndex(1 + dice.below(lab.model.nodes.size() - 1));
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
            std::chrono::milliseconds(dice.below(20'000)));  // otherwise during the reaction
    }
    lab.let_nodes_boot();
    EXPECT_TRUE(lab.heals(kBadWire)) << lab.complaint() << lab.tail();
    lab.set_wire({});
    lab.runtime.run_for(2min);
    EXPECT_EQ(lab.complaint(), "") << lab.tail();
  });
}

/// The option of OpenSM that ends it has no effect: any host can show any GUID.
TEST(Faults, DuplicateGuidDoesNotEndTheManagerWhateverTheOption) {
  for (const bool exits : {true, false}) {
    for (const bool node_guid : {true, false}) {
      Solo lab(tree());
      const mad::Guid guid = lab.model.ports[lab.port(sim::NodeIndex{5})].guid;
      if (node_guid)
        lab.model.nodes[sim::NodeIndex{14}].info = lab.model.nodes[sim::NodeIndex{5}].info;
      lab.model.ports[lab.port(sim::NodeIndex{14})].guid = guid;
      lab.options.exit_on_fatal = exits;
      lab.start();
      EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5s)) << lab.tail();
      lab.runtime.run_for(1min);
      EXPECT_FALSE(lab.heddle().ended()) << *lab.heddle().ended();
      EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 1u);
      EXPECT_TRUE(lab.says(fmt::format(
          "{}", node_guid ? lab.model.nodes[sim::NodeIndex{5}].info.node_guid() : guid)))
          << lab.tail();
    }
  }
}

TEST(Faults, DuplicateGuidThatIsSeenOnceIsManagedLater) {
  Solo lab(tree());
  const sim::PortIndex port = lab.port(sim::NodeIndex{14});
  const mad::Guid guid = lab.model.ports[port].guid;
  lab.model.ports[port].guid = lab.model.ports[lab.port(sim::NodeIndex{5})].guid;
  lab.start();
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("[SM-GUID-DUPLICATE]"); }, 5s))
      << lab.tail();
  lab.settle();
  lab.model.ports[port].guid = guid;
  EXPECT_TRUE(lab.heals(laboratory::kLightSweep)) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.guid_duplicate), 0u) << lab.tail();
}

TEST(Faults, DuplicatePortGuidIsolatesTheSecondPort) {
  Solo lab(tree());
  const sim::PortIndex first = lab.port(sim::NodeIndex{5}), second = lab.port(sim::NodeIndex{14}),
                       leaf = lab.far(second);
  lab.model.ports[second].guid = lab.model.ports[first].guid;
  lab.start();
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 1min)) << lab.tail();
  EXPECT_EQ(lab.info(first).port_state(), mad::PortState::active);
  EXPECT_EQ(lab.info(second).port_state(), mad::PortState::init);
  EXPECT_EQ(lab.info(second).lid(), mad::Lid{});
  // The second one is replaced by a host with another GUID.
  lab.world.cut(second);
  lab.plug(leaf, lab.port(lab.world.add(new_host(1))));
  EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
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
  EXPECT_EQ(lab.world.statistics.traps_repressed - represses, 1000u)
      << "and the agents have received them";
  EXPECT_LE(lab.status().sweeps - sweeps, 11u);
  EXPECT_TRUE(lab.says("its state is read once a second")) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u) << "nothing had to be written";
}

TEST(Faults, ForeignLinearFdbTopIsNoticedByTheLightSweep) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  for (const auto top :
       {std::uint16_t{0}, std::uint16_t{5}}) {  // a delayed Set, or one of another manager
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
    const auto spine = sim::NodeIndex(lab.model.nodes.size() - 1);
    for (unsigned number = 1; number <= lab.model.nodes[spine].port_count();
         ++number) {  // a failing switch
      lab.world.cut(lab.port(spine, number));
      lab.runtime.run_for(1ms);
    }
    EXPECT_TRUE(lab.heals(3s)) << lab.complaint() << lab.tail();
    EXPECT_LE(lab.status().sweeps - sweeps, 2u)
        << "the first one is handled at once, the others together" << lab.tail();
    lab.forget_counts();
    lab.settle();
    // TrapRepress is routed by the tables, at first through the failed switch: traps that are
    // repeated meanwhile cause reads, but no writes.
    EXPECT_LE(lab.status().sweeps - sweeps, repeated ? 4u : 2u) << lab.tail();
    EXPECT_EQ(lab.sets(), 0u) << lab.tail();
  }
}

TEST(Faults, ATrapThatNoTrapRepressReachesIsNoReasonForFurtherSweeps) {
  for (const char* engine : {"updn", "ftree", "dmodc"}) {
    SCOPED_TRACE(engine);
    Solo lab(topology::xgft({.children = {4, 4, 4}, .parents = {1, 4, 4}, .cables = {}}));
    lab.options.routing_engine = {engine};
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 1min)) << lab.tail();
    lab.runtime.run_for(10s);
    const std::uint64_t sweeps = lab.status().sweeps, sent = lab.world.statistics.traps_sent,
                        repressed = lab.world.statistics.traps_repressed;
    const auto [port, far] = uplink(lab, sim::NodeIndex{0});  // of the manager's own leaf
    lab.world.cut(port);
    lab.runtime.run_for(20s);
    EXPECT_EQ(lab.status().sweeps - sweeps, 1u) << lab.tail();
    EXPECT_GE(lab.world.statistics.traps_sent - sent, 20u) << "or there is a valley";
    EXPECT_EQ(lab.world.statistics.traps_repressed - repressed, 1u);
    // The manager still notices a change at that switch.
    const sim::NodeIndex above = lab.model.ports[far].node;
    for (unsigned number = lab.model.nodes[above].port_count(); number > 0; --number) {
      if (const sim::PortIndex other = lab.port(above, number); lab.far(other) != sim::kNone) {
        lab.world.cut(other);
        break;
      }
    }
    lab.runtime.run_for(3s);
    const std::uint64_t further = lab.status().sweeps - sweeps;
    EXPECT_GE(further, 2u) << lab.tail();
    EXPECT_LE(further, 4u) << "the switch at the other end reports the link, too" << lab.tail();
  }
}

/// A MAD of a subnet management class with random content in all fields that are not given.
/// Directed routes may be at their end or on the return path, and have up to 70 hops, more than the
/// field holds.
mad::MadBytes as_smp(topology::Random& dice, std::uint8_t mgmt_class, std::uint8_t class_version,
                     std::uint8_t method, std::uint16_t attribute) {
  mad::MadBytes bytes;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
  bytes[0] = mad::kBaseVersion;
  bytes[1] = mgmt_class;
  bytes[2] = class_version;
  bytes[3] = method;
  bytes[7] = static_cast<std::uint8_t>(dice.below(70u));  // HopCount of a directed route
  bytes[16] = static_cast<std::uint8_t>(attribute >> 8);
  bytes[17] = static_cast<std::uint8_t>(attribute & 0xFF);
  return bytes;
}

constexpr std::uint8_t kSmLidRouted = 0x01, kSmDirectedRoute = 0x81, kSubnAdm = 0x03;
constexpr std::uint8_t kMethodGet = 0x01, kMethodSet = 0x02, kMethodTrap = 0x05;
constexpr std::uint16_t kNotice = 0x0002, kSmInfo = 0x0020;

/// Whether a subnet manager answers (IBTA Vol 1, 13.4.5, 14.3 and 14.4): SMInfo, and traps of the
/// class version that it speaks, unless a directed route is on the return path or has no room for a
/// response. All other MADs to its queue pair are dropped.
bool is_answered(const mad::MadBytes& mad, std::size_t size = mad::kMadSizeBytes) {
  if (size < mad::kMadSizeBytes || mad[0] != 1) return false;
  if (mad[1] == kSmDirectedRoute ? (mad[4] & 0x80) != 0 || mad[7] > 63 : mad[1] != kSmLidRouted)
    return false;
  const unsigned attribute = mad[16] << 8u | mad[17];
  if (attribute == kSmInfo) return mad[3] == kMethodGet || mad[3] == kMethodSet;
  return attribute == kNotice && mad[3] == kMethodTrap && mad[2] == 1;
}

/// Every method, attribute and class version of both subnet management classes.
TEST(Faults, UnsolicitedSmpsOfAnyKindChangeNothing) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  topology::Random dice(1);
  const auto sender = [&] { return mad::Lid{static_cast<std::uint16_t>(dice.below(60u))}; };
  std::size_t answers = 0;
  const auto inject = [&](const mad::MadBytes& mad, std::size_t size = mad::kMadSizeBytes) {
    answers += is_answered(mad, size);
    lab.heddle().tap().inject(mad, sender(), size);
    ASSERT_EQ(lab.heddle().tap().responses.size(), answers)
        << fmt::format("{:02x}", fmt::join(std::span(mad).first(24), " "));
  };
  for (const std::uint8_t mgmt_class : {kSmLidRouted, kSmDirectedRoute}) {
    for (const int class_version : {1, 0, 2, 0xFF}) {
      for (unsigned method = 0; method < 256; ++method) {
        for (unsigned attribute = 0; attribute < 67; ++attribute) {
          static constexpr std::uint16_t kBeyond[]{0x1020, 0xFF20, 0xFFFF};
          ASSERT_NO_FATAL_FAILURE(inject(as_smp(
              dice, mgmt_class, static_cast<std::uint8_t>(class_version),
              static_cast<std::uint8_t>(method),
              attribute < 64 ? static_cast<std::uint16_t>(attribute) : kBeyond[attribute - 64])));
        }
        lab.runtime.run_for(1ms);
      }
      // Requests with an answer are sent again, with every modifier that is defined and others.
      for (unsigned i = 0; i < 60; ++i) {
        for (const std::uint8_t method : {kMethodGet, kMethodSet, kMethodTrap}) {
          mad::MadBytes mad = as_smp(dice, mgmt_class, static_cast<std::uint8_t>(class_version),
                                     method, method == kMethodTrap ? kNotice : kSmInfo);
          mad::SmpView{std::span<std::uint8_t, mad::kMadSizeBytes>(mad)}.set_attribute_modifier(
              i < 50 ? i % 10 : static_cast<std::uint32_t>(dice.next()));
          ASSERT_NO_FATAL_FAILURE(inject(mad));
        }
        lab.runtime.run_for(1ms);
      }
    }
    for (const int base_version : {0, 2, 0x81}) {
      for (const std::uint8_t method : {kMethodGet, kMethodSet, kMethodTrap}) {
        mad::MadBytes mad =
            as_smp(dice, mgmt_class, 1, method, method == kMethodTrap ? kNotice : kSmInfo);
        mad[0] = static_cast<std::uint8_t>(base_version);
        ASSERT_NO_FATAL_FAILURE(inject(mad));
      }
    }
    for (std::size_t size = 0; size < mad::kMadSizeBytes; ++size) {
      for (const std::uint8_t method : {kMethodGet, kMethodSet, kMethodTrap}) {
        ASSERT_NO_FATAL_FAILURE(inject(
            as_smp(dice, mgmt_class, 1, method, method == kMethodTrap ? kNotice : kSmInfo), size));
      }
    }
  }
  EXPECT_GT(answers, 500u);
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.sets(), 0u) << "nothing had changed: " << lab.tail();
  EXPECT_EQ(lab.status().state, mad::SmState::master);
  EXPECT_EQ(lab.heddle().count("Entering"), 2u) << "DISCOVERING and MASTER, at the start";
}

/// Traps of every number about every kind of LID: sweeps, and nothing to be written.
TEST(Faults, TrapsOfAnyNumberChangeNothing) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  topology::Random dice(1);
  const mad::Lid host = lab.info(lab.port(sim::NodeIndex{9})).lid(),
                 spine = lab.info(lab.model.nodes.back().first_port).lid();
  for (const mad::Lid lid : {mad::Lid{0}, lab.info(lab.own()).lid(), host, spine, mad::Lid{0xBFFF},
                             mad::Lid{0xC000}, mad::Lid{0xFFFF}}) {
    for (const unsigned number : {0u,   64u,  65u,  66u,  67u,  68u,  69u,  128u, 129u,  130u,
                                  131u, 144u, 145u, 256u, 257u, 258u, 259u, 512u, 1000u, 0xFFFFu}) {
      for (const bool generic : {true, false}) {
        mad::MadBytes bytes = as_smp(dice, kSmLidRouted, 1, kMethodTrap, kNotice);
        mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
        mad::LinkStateNotice notice;  // the LID is at the offset of most traps
        std::ranges::copy(smp.data(), notice.bytes().begin());
        notice.set_is_generic(generic);
        notice.set_trap_number(static_cast<mad::TrapNumber>(number));
        notice.set_lid(lid);
        notice.set_issuer_lid(lid);
        smp.set_data(notice.bytes());
        lab.heddle().tap().inject(bytes, lid);
      }
      lab.runtime.run_for(500ms);
    }
  }
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.sets(), 0u) << lab.tail();
  EXPECT_EQ(lab.status().state, mad::SmState::master);
}

/// Set(SMInfo) in each state with each AttributeModifier, by hand from IBTA Vol 1, 14.4.1; it is
/// answered in any case, and only the class version that it is defined for changes a state.
TEST(Faults, SetSmInfoChangesTheStateAsItsModifierAllowsAndNotOtherwise) {
  using mad::SmState;
  struct Row {
    SmState from;
    std::uint32_t modifier;
    std::optional<SmState> to;
  };
  constexpr Row kRows[]{
      {SmState::master, 1, SmState::master},   // HANDOVER
      {SmState::master, 2, {}},                // ACKNOWLEDGE: it sent no HANDOVER
      {SmState::master, 3, {}},                // DISABLE
      {SmState::master, 4, {}},                // STANDBY
      {SmState::master, 5, {}},                // DISCOVER
      {SmState::standby, 1, SmState::master},  // HANDOVER
      {SmState::standby, 2, SmState::standby},
      {SmState::standby, 3, SmState::not_active},
      {SmState::standby, 4, {}},
      {SmState::standby, 5, SmState::discovering},
      {SmState::not_active, 1, {}},
      {SmState::not_active, 2, {}},
      {SmState::not_active, 3, {}},
      {SmState::not_active, 4, SmState::standby},
      {SmState::not_active, 5, {}},
      {SmState::master, 0, {}},
      {SmState::standby, 0, {}},
      {SmState::not_active, 0, {}},
      {SmState::master, 6, {}},
      {SmState::standby, 6, {}},
      {SmState::not_active, 6, {}},
      {SmState::standby, 0x103, {}},
      {SmState::standby, 0x03000000, {}},
      {SmState::standby, 0x80000003, {}},
      {SmState::standby, 0xFFFFFFFF, {}},
      {SmState::not_active, 0x104, {}},
  };
  for (const Row& row : kRows) {
    for (const std::uint8_t mgmt_class : {kSmLidRouted, kSmDirectedRoute}) {
      for (const int version : {1, 0, 2}) {
        SCOPED_TRACE(fmt::format("from {} by {}, class {:#x} version {}", mad::name(row.from),
                                 row.modifier, mgmt_class, version));
        Solo lab(topology::row({.switches = 1, .cables = 1, .hosts_per_switch = 3}));
        const bool leads = row.from == SmState::master;
        hand_made::bring_up(lab.model, lab.port("H2"));
        laboratory::ScriptedSm master(lab.world, lab.port("H2"),
                                      leads ? SmState::standby : SmState::master, 0);
        lab.options.sm_priority = static_cast<std::uint8_t>(leads ? 9 : 0);
        lab.options.sm_inactive = row.from == SmState::not_active;
        lab.start();
        lab.runtime.run_for(3s);
        // The requests come from another master: one of lower rank beside a running one, and one
        // that an inactive manager has looked for after a first request.
        master.info.set_sm_state(SmState::master);
        if (leads) lab.heddle().reload(lab.options);
        if (lab.options.sm_inactive)
          master.send_control(lab.info(lab.own()).lid(), mad::SmControl::standby);
        lab.runtime.run_for(3s);
        ASSERT_EQ(lab.status().state, row.from) << lab.tail();
        lab.heddle().tap().responses.clear();
        topology::Random dice(row.modifier);
        mad::MadBytes bytes =
            as_smp(dice, mgmt_class, static_cast<std::uint8_t>(version), kMethodSet, kSmInfo);
        mad::SmpView smp{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
        smp.set_attribute_modifier(row.modifier);
        smp.set_status(0);
        mad::SmInfo sender = master.info;
        if (row.modifier == mad::SmInfo::modifier(mad::SmControl::acknowledge))
          sender.set_sm_state(SmState::standby);
        smp.set_data(sender.bytes());
        if (mgmt_class == kSmDirectedRoute) {
          smp.set_returning(false);
          smp.set_hop_count(2);
          smp.set_dr_slid(mad::kPermissiveLid);
          smp.set_dr_dlid(mad::kPermissiveLid);
          smp.return_path()[1] = lab.model.ports[lab.far(lab.port("H2"))].number;
          smp.return_path()[2] = lab.model.ports[lab.own()].number;
        }
        lab.heddle().tap().inject(bytes, mgmt_class == kSmDirectedRoute
                                             ? mad::kPermissiveLid
                                             : lab.info(lab.port("H2")).lid());
        EXPECT_EQ(lab.status().state, version == 1 ? row.to.value_or(row.from) : row.from);
        ASSERT_EQ(lab.heddle().tap().responses.size(), 1u);
        const mad::ConstSmpView response{std::span<const std::uint8_t, mad::kMadSizeBytes>(
            lab.heddle().tap().responses.front())};
        // Codes 1 and 7 of IBTA Vol 1, 13.4.7.
        constexpr std::uint16_t kBadVersion = 1 << 2, kInvalidValue = 7 << 2;
        EXPECT_EQ(response.status(), version != 1 ? kBadVersion : row.to ? 0 : kInvalidValue);
        EXPECT_EQ(response.method(), mad::Method::get_resp);
        EXPECT_EQ(response.transaction_id(), smp.transaction_id());
        const mad::SmInfo info(response.data());
        EXPECT_EQ(info.guid(), lab.model.ports[lab.own()].guid);
        if (version == 1 && row.to) continue;
        const std::uint64_t sets = lab.sets();
        lab.runtime.run_for(1min);
        EXPECT_EQ(lab.sets(), sets) << "a rejected Set changes nothing:  " << lab.tail();
        EXPECT_EQ(lab.status().state, row.from);
      }
    }
  }
}

/// Requests to subnet administration, of every method, attribute and class version. Requests that
/// are valid by chance may register something; forwarding and membership stay correct.
TEST(Faults, UnsolicitedSaMadsOfAnyKindChangeNothing) {
  seeds::for_each(3, [](std::uint64_t seed) {
    Solo lab(tree(), seed);
    ASSERT_TRUE(lab.start_and_settle());
    topology::Random dice(seed);
    for (const int class_version : {2, 1, 0, 3, 0xFF}) {
      lab.runtime.run_for(1min);  // RMPP responses to the previous version have ended
      lab.heddle().tap().responses.clear();
      for (unsigned method = 0; method < 256; ++method) {
        for (unsigned attribute = 0; attribute < 66; ++attribute) {
          mad::MadBytes bytes =
              as_smp(dice, kSubnAdm, static_cast<std::uint8_t>(class_version),
                     static_cast<std::uint8_t>(method), static_cast<std::uint16_t>(attribute));
          if (dice.percent(50)) std::fill(bytes.begin() + 24, bytes.begin() + 40, 0);  // no RMPP
          if (dice.percent(50)) std::fill(bytes.begin() + 40, bytes.begin() + 44, 0);  // no SM_Key
          const bool cut = dice.percent(10);
          lab.heddle().tap().inject(bytes, mad::Lid{static_cast<std::uint16_t>(dice.below(60u))},
                                    cut ? dice.below(256u) : mad::kMadSizeBytes);
        }
        lab.runtime.run_for(10ms);
      }
      if (class_version == 2) continue;
      EXPECT_FALSE(lab.heddle().tap().responses.empty());
      for (const mad::MadBytes& answer : lab.heddle().tap().responses) {
        if (answer[1] != kSubnAdm) continue;
        EXPECT_EQ(answer[4] << 8 | answer[5], 1 << 2) << "an unsupported class version";
      }
    }
    lab.runtime.run_for(5min);
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_EQ(lab.status().state, mad::SmState::master);
    EXPECT_EQ(lab.heddle().count("Entering"), 2u);
  });
}

/// As above in random order, also during a sweep, with content that may be valid.
TEST(Faults, UnsolicitedInvalidMadsAreIgnored) {
  seeds::for_each(20, [](std::uint64_t seed) {
    Solo lab(tree(), seed);
    topology::Random dice(seed);
    lab.start();
    for (unsigned i = 0; i < 2000; ++i) {
      mad::MadBytes bytes;
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(dice.next());
      if (dice.percent(80)) {  // nearly valid
        const std::uint8_t methods[]{0x01, 0x02, 0x05, 0x07, 0x81, 0x06, 0x12, 0x15};
        const std::uint16_t attributes[]{0x02, 0x11, 0x15, 0x20, 0x31, 0x35, 0x38};
        const std::uint8_t classes[]{kSmLidRouted, kSmDirectedRoute, kSubnAdm};
        const std::uint8_t mgmt_class = classes[dice.below(3u)];
        const std::uint8_t right = mgmt_class == kSubnAdm ? 2 : 1;
        const std::uint8_t version =
            dice.percent(10) ? static_cast<std::uint8_t>(dice.next()) : right;
        bytes =
            as_smp(dice, mgmt_class, version, methods[dice.below(8u)], attributes[dice.below(7u)]);
        // A Set(SMInfo) keeps its method; 1..5 are defined, and a master accepts none of them.
        std::fill(bytes.begin() + 20, bytes.begin() + 23, 0);
        bytes[23] = static_cast<std::uint8_t>(dice.below(8u));
      }
      lab.heddle().tap().inject(bytes, mad::Lid{static_cast<std::uint16_t>(dice.below(60u))},
                                dice.percent(90) ? mad::kMadSizeBytes : dice.below(256u));
      if (dice.percent(20)) lab.runtime.run_for(std::chrono::microseconds(dice.below(2000u)));
    }
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
    lab.runtime.run_for(5min);
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_EQ(lab.status().state, mad::SmState::master);
  });
}

topology::Topology two_switches() {
  return topology::row({.switches = 2, .cables = 2, .hosts_per_switch = 2});
}
/// The end of the second cable between both switches at the first one.
sim::PortIndex second_cable(const Solo& lab) {
  sim::PortIndex found = sim::kNone;
  const sim::NodeIndex sw = lab.model.find("S0");
  for (unsigned number = 1; number <= lab.model.nodes[sw].port_count(); ++number) {
    const sim::PortIndex port = lab.port(sw, number);
    if (lab.far(port) != sim::kNone && lab.model.owning_node(lab.far(port)).is_switch())
      found = port;
  }
  return found;
}

/// No trap, no PortStateChange that is left: between reading a port and clearing the bit.
TEST(LinkEnds, ThatComeUpAtAnyMomentOfTheFirstSweepAreUsed) {
  mad::Duration usual{};
  {
    Solo lab(two_switches());
    const mad::TimePoint begin = lab.runtime.now();
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5s)) << lab.tail();
    usual = lab.runtime.now() - begin;
  }
  constexpr int kMoments = 24;
  for (int moment = 0; moment < kMoments; ++moment) {
    SCOPED_TRACE(moment);
    Solo lab(two_switches());
    lab.withhold_traps(true);
    const sim::PortIndex here = second_cable(lab), there = lab.far(here);
    lab.world.cut(here);
    lab.world.timing.training = 10s;
    lab.world.connect(here, there);
    lab.runtime.run_for(10s - usual * moment / kMoments - 1us);
    ASSERT_FALSE(lab.model.link_up(here));
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5s)) << lab.tail();
    EXPECT_TRUE(lab.heals(laboratory::kLightSweep)) << lab.complaint() << lab.tail();
    EXPECT_EQ(lab.info(here).port_state(), mad::PortState::active) << lab.tail();
    EXPECT_EQ(lab.info(there).port_state(), mad::PortState::active) << lab.tail();
  }
}

TEST(LinkEnds, ThatDisagreeAreReadAgainUntilTheyAgree) {
  Solo lab(two_switches());
  lab.withhold_traps(true);
  const sim::PortIndex port = lab.far(second_cable(lab));
  const unsigned number = lab.model.ports[port].number;
  sim::Health& health = lab.model.owning_node(port).health;
  health.edit_response = [number](mad::SmpView smp) {
    if (smp.attribute_id() != mad::AttributeId::port_info ||
        (smp.attribute_modifier() & 0xFFu) != number)
      return;
    mad::PortInfo info(smp.data());
    info.set_port_state(mad::PortState::down);
    smp.set_data(info.bytes());
  };
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("SUBNET UP"); }, 5s)) << lab.tail();
  EXPECT_TRUE(lab.says("[SM-LINK-ENDS-DISAGREE]")) << lab.tail();
  const std::uint64_t sweeps = lab.status().sweeps;
  lab.runtime.run_for(5min);
  EXPECT_GE(lab.status().sweeps - sweeps, 8u) << lab.tail();
  EXPECT_LE(lab.status().sweeps - sweeps, 16u) << "after 1, 2, 4, ... 30 s; " << lab.tail();
  EXPECT_EQ(lab.heddle().count("[SM-LINK-ENDS-DISAGREE]"), 1u) << lab.tail();
  health.edit_response = {};
  EXPECT_TRUE(lab.runtime.run_until(
      [&] { return lab.info(port).port_state() == mad::PortState::active; }, 35s))
      << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.complaint(), "");
  lab.runtime.run_for(6min);  // after rebalance_quiet_time the link has its share
  EXPECT_TRUE(lab.status().conditions.empty()) << lab.tail();
}

/// In a triangle of switches the third one is asked over both others.
TEST(LinkEnds, OfALinkThatWasFoundFromTheOtherEndAreNotSilent) {
  for (const unsigned level : {0u, 2u}) {
    SCOPED_TRACE(level);
    Solo lab(topology::torus({.dimensions = {3}, .hosts_per_switch = 1}));
    lab.options.m_key = level == 0 ? 0 : 0x1234;
    lab.options.m_key_protection_level = static_cast<std::uint8_t>(level);
    const sim::NodeIndex first = lab.neighbour(lab.own());
    constexpr unsigned kRoundabout = 3;  // hops to a switch over another one
    for (sim::NodeModel& node : lab.model.nodes) {
      if (!node.is_switch() || &node == &lab.model.nodes[first]) continue;
      node.health.react = [](mad::SmpView smp, mad::PortNum) -> std::optional<sim::Reaction> {
        if (smp.attribute_id() != mad::AttributeId::node_info || smp.hop_count() < kRoundabout)
          return std::nullopt;
        return sim::Reaction{};
      };
      break;
    }
    lab.start();
    ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
    lab.settle();
    EXPECT_FALSE(lab.says("[SM-NODE-SILENT]")) << lab.tail();
    // Earlier it was known what is there: a survey of everything takes that for a foreign M_Key.
    lab.heddle().order_resweep();
    lab.settle();
    EXPECT_FALSE(lab.says("[SM-M-KEY-UNKNOWN]")) << lab.tail();
  }
}

}  // namespace manager_faults_test
