#include <gtest/gtest.h>

#include <set>

#include "sim/surveys.h"
#include "support/seeds.h"

namespace {

using surveys::all_texts;
using surveys::compare;
using surveys::Observer;
using namespace std::chrono_literals;

/// What a partial survey may cost: what the affected nodes hold, read once, and a look behind their ports.
std::uint64_t cost_of(const fake::FakeFabric& fabric, const std::set<std::size_t>& affected) {
  std::uint64_t cost = 4;  // the own port
  for (const std::size_t index : affected) {
    const fake::Node& node = fabric.nodes[index];
    cost += 4 + 2 * node.ports.size();  // who it is, its description, SwitchInfo twice (clearing is a Set), ports, a look behind each
    cost += node.ports.size();          // P_Keys of enforcing ports
  }
  return cost;
}

/// A fabric that runs, was surveyed, and whose switches were told so.
struct Known : Observer {
  explicit Known(const sim::Topology& topology, std::uint64_t seed = 1, mad::SmpLimits limits = {}) : Observer(topology, seed, limits) {
    options.clear_port_state_change = true;
    activate();
    known = discover().fabric;
    known = discover().fabric;  // SwitchInfo as it is after clearing
    fabric.forget_counts();
  }

  /// Surveys what switches say has changed, and expects it to equal a survey of everything.
  void expect_partial_equals_full(const std::set<std::size_t>& affected) {
    const sm::Survey partial = rediscover(known, changed_switches());
    const std::uint64_t used = fabric.gets() + fabric.sets();
    EXPECT_LE(used, cost_of(fabric, affected));
    EXPECT_TRUE(changed_switches().empty()) << "PortStateChange must be cleared, or the next look finds it again";
    for (std::size_t index = 0; index < fabric.nodes.size(); ++index) {
      // A host that is only met again, and not new, answers NodeInfo at most.
      if (affected.contains(index) || index == fabric.own.node) continue;
      EXPECT_LE(fabric.nodes[index].gets + fabric.nodes[index].sets, 1u) << fabric.nodes[index].name;
    }
    const sm::Survey full = discover();
    EXPECT_EQ(compare(partial.fabric, full.fabric), "") << all_texts(partial.fabric);
    EXPECT_EQ(compare(full.fabric, fabric), "");
    EXPECT_TRUE(partial.sm_port_up);
    known = partial.fabric;
    fabric.forget_counts();
  }

  void activate() {
    for (fake::Node& node : fabric.nodes) {
      for (fake::Port& port : node.ports) {
        if (port.peer) port.info.set_port_state(mad::PortState::active);
      }
    }
  }

  sm::Fabric known;
};

sim::Topology tree() { return sim::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}); }

/// The cable between two switches after that many others (each is met from both ends), or the last one.
std::pair<sim::PortRef, sim::PortRef> switch_cable(const fake::FakeFabric& fabric, std::size_t skip = 0) {
  std::pair<sim::PortRef, sim::PortRef> last{fabric.own, fabric.own};
  for (std::size_t index = 0; index < fabric.nodes.size(); ++index) {
    for (unsigned number = 1; fabric.nodes[index].is_switch() && number < fabric.nodes[index].ports.size(); ++number) {
      const auto& peer = fabric.nodes[index].ports[number].peer;
      if (!peer || !fabric.nodes[peer->node].is_switch() || peer->node == index) continue;
      last = {{index, {static_cast<std::uint8_t>(number)}}, *peer};
      if (skip-- == 0) return last;
    }
  }
  return last;
}

TEST(Rediscovery, NothingChangedCostsNextToNothing) {
  Known world(tree());
  const sm::Survey survey = world.rediscover(world.known, {});
  EXPECT_LE(world.fabric.gets(), 4u);
  EXPECT_EQ(world.fabric.sets(), 0u);
  EXPECT_EQ(compare(survey.fabric, world.known), "");
}

TEST(Rediscovery, CableBetweenSwitchesIsCutAndComesBack) {
  Known world(tree());
  for (std::size_t skip = 0; skip < 18; skip += 5) {
    const auto [a, b] = switch_cable(world.fabric, skip);
    SCOPED_TRACE(world.fabric.nodes[a.node].name + " to " + world.fabric.nodes[b.node].name);
    world.fabric.cut(a);
    world.expect_partial_equals_full({a.node, b.node});
    world.fabric.connect(a, b);
    world.expect_partial_equals_full({a.node, b.node});
    world.activate();
    world.known = world.discover().fabric;
    world.fabric.forget_counts();
  }
}

TEST(Rediscovery, OneEndOfACutCableIsEnough) {
  Known world(tree());
  const auto [a, b] = switch_cable(world.fabric, 4);
  for (const bool back : {false, true}) {
    if (back) {
      world.fabric.connect(a, b);
    } else {
      world.fabric.cut(a);
    }
    // Only one switch told of it: the trap of the other one was lost.
    const sm::Survey partial = world.rediscover(world.known, {world.fabric.nodes[a.node].info.node_guid()});
    world.rediscover(partial.fabric, world.changed_switches());
    const sm::Survey full = world.discover();
    ASSERT_EQ(partial.fabric.nodes.size(), full.fabric.nodes.size());
    const sm::Fabric& fabric = partial.fabric;
    const sm::PortIndex far = fabric.port(fabric.node_of_guid.at(world.fabric.nodes[b.node].info.node_guid()), b.port);
    EXPECT_EQ(fabric.ports[far].peer != sm::kNoIndex, back);
    EXPECT_EQ(fabric.ports[far].info, world.fabric.at(b).info);
    world.known = full.fabric;
  }
}

TEST(Rediscovery, HostIsUnpluggedAndComesBack) {
  Known world(tree());
  const std::size_t host = world.fabric.nodes.size() > 7 ? 7 : 1;
  const sim::PortRef end{host, {1}};
  const sim::PortRef leaf = *world.fabric.at(end).peer;
  world.fabric.cut(end);
  world.expect_partial_equals_full({leaf.node, host});
  world.fabric.connect(leaf, end);
  world.expect_partial_equals_full({leaf.node, host});
}

TEST(Rediscovery, NewHostIsFound) {
  Known world(tree());
  const sim::PortRef end{5, {1}};
  const sim::PortRef leaf = *world.fabric.at(end).peer;
  world.fabric.cut(end);
  const std::size_t host = world.fabric.add(mad::NodeType::ca, "new host", mad::Guid{0xABCDEF00}, 2);
  world.fabric.connect(leaf, {host, {2}});
  world.expect_partial_equals_full({leaf.node, 5, host});
}

TEST(Rediscovery, ExchangedHostIsNoticedEvenIfThePortNeverRan) {
  Known world(tree());
  const sim::PortRef end{5, {1}};
  const sim::PortRef leaf = *world.fabric.at(end).peer;
  for (const sim::PortRef& port : {end, leaf}) world.fabric.at(port).info.set_port_state(mad::PortState::init);
  world.known = world.discover().fabric;
  world.fabric.at(end).peer.reset();
  const std::size_t host = world.fabric.add(mad::NodeType::ca, "other host", mad::Guid{0xABCDEF00}, 1);
  world.fabric.connect(leaf, {host, {1}});
  world.fabric.forget_counts();
  world.expect_partial_equals_full({leaf.node, 5, host});
}

TEST(Rediscovery, SwitchRebootsAndIsReadAgain) {
  Known world(tree());
  for (const char* kind : {"leaf", "spine"}) {
    SCOPED_TRACE(kind);
    const auto [a, b] = switch_cable(world.fabric, 3);
    const std::size_t victim = kind == std::string("leaf") ? a.node : b.node;
    std::set<std::size_t> affected{victim};
    for (const fake::Port& port : world.fabric.nodes[victim].ports) {
      if (port.peer) affected.insert(port.peer->node);
    }
    world.fabric.reboot(victim);
    world.expect_partial_equals_full(affected);
    world.activate();
    world.known = world.discover().fabric;
    world.fabric.forget_counts();
  }
}

TEST(Rediscovery, SwitchDisappearsWithWhatIsBehindItAndReturns) {
  Known world(sim::row({.switches = 4, .cables = 2, .hosts_per_switch = 2}));
  const std::size_t s1 = world.fabric.find("S1");
  std::vector<std::pair<sim::PortRef, sim::PortRef>> cables;
  std::set<std::size_t> affected{s1};
  for (unsigned number = 1; number < world.fabric.nodes[s1].ports.size(); ++number) {
    const sim::PortRef here{s1, {static_cast<std::uint8_t>(number)}};
    cables.emplace_back(here, *world.fabric.at(here).peer);
    affected.insert(world.fabric.at(here).peer->node);
    world.fabric.cut(here);
  }
  world.expect_partial_equals_full(affected);
  EXPECT_EQ(world.known.switches.size(), 1u);
  for (const auto& [a, b] : cables) world.fabric.connect(a, b);
  std::set<std::size_t> everything;
  for (std::size_t index = 0; index < world.fabric.nodes.size(); ++index) everything.insert(index);
  world.expect_partial_equals_full(everything);
  EXPECT_EQ(world.known.switches.size(), 4u);
}

TEST(Rediscovery, CablesThatChangedPlacesAreFollowed) {
  Known world(tree());
  const auto [a, b] = switch_cable(world.fabric, 0);
  const auto [c, d] = switch_cable(world.fabric, 7);
  ASSERT_NE(a.node, c.node);
  world.fabric.cut(a);
  world.fabric.cut(c);
  world.fabric.connect(a, d);
  world.fabric.connect(c, b);
  // Old routes lead to other switches now; their answers must not be mixed up, whatever that costs.
  const sm::Survey partial = world.rediscover(world.known, world.changed_switches());
  EXPECT_TRUE(world.changed_switches().empty());
  EXPECT_EQ(compare(partial.fabric, world.discover().fabric), "");
}

TEST(Rediscovery, AnyChangesInAnyOrder) {
  seeds::for_each(600, [](std::uint64_t seed) {
    fabrics::Random dice(seed);
    Known world(sim::random_graph({.switches = 10, .hosts = 15, .extra_links = 12, .seed = seed}), seed);
    std::vector<std::pair<sim::PortRef, sim::PortRef>> pulled;
    for (unsigned round = 0; round < 6; ++round) {
      world.fabric.forget_counts();
      for (unsigned changes = 1 + dice.below(3); changes > 0; --changes) {
        switch (dice.below(5)) {
          case 0:
          case 1: {
            const std::size_t node = 1 + dice.below(static_cast<std::uint32_t>(world.fabric.nodes.size() - 1));
            const auto number = dice.below(static_cast<std::uint32_t>(world.fabric.nodes[node].ports.size()));
            const sim::PortRef here{node, {static_cast<std::uint8_t>(number)}};
            if (!world.fabric.at(here).peer || world.fabric.at(here).peer->node == 0) break;
            pulled.emplace_back(here, *world.fabric.at(here).peer);
            world.fabric.cut(here);
            break;
          }
          case 2: {
            const std::size_t node = 1 + dice.below(static_cast<std::uint32_t>(world.fabric.nodes.size() - 1));
            if (world.fabric.at(world.fabric.own).peer->node != node) world.fabric.reboot(node);
            break;
          }
          case 3: {  // two cables change places
            const auto [a, b] = switch_cable(world.fabric, dice.below(5));
            const auto [c, d] = switch_cable(world.fabric, 5 + dice.below(5));
            world.fabric.cut(a);
            if (!world.fabric.at(c).peer) break;
            world.fabric.cut(c);
            world.fabric.connect(a, d);
            world.fabric.connect(c, b);
            break;
          }
          default: {
            if (pulled.empty() || world.fabric.at(pulled.back().first).peer || world.fabric.at(pulled.back().second).peer) break;
            world.fabric.connect(pulled.back().first, pulled.back().second);
            pulled.pop_back();
          }
        }
      }
      const sm::Survey partial = world.rediscover(world.known, world.changed_switches());
      const sm::Survey full = world.discover();
      ASSERT_EQ(compare(full.fabric, world.fabric), "");
      ASSERT_EQ(compare(partial.fabric, full.fabric), "") << "round " << round << ' ' << all_texts(partial.fabric);
      if (dice.chance(50)) {
        world.known = partial.fabric;
      } else {
        world.activate();
        world.known = world.discover().fabric;
      }
    }
  });
}

}  // namespace
