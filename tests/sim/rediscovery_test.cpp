#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fabric/fabric_conditions.h"
#include "sim/surveys.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"

namespace rediscovery_test {

using surveys::all_texts;
using surveys::compare;
using surveys::Observer;
using namespace std::chrono_literals;

/// The bound of a partial survey: one read of the affected nodes, and one of the nodes beyond their
/// ports.
std::uint64_t cost_of(const sim::Model& model, const std::set<sim::NodeIndex>& affected) {
  std::uint64_t cost = 8;  // the own port
  for (const sim::NodeIndex index : affected) {
    const sim::NodeModel& node = model.nodes[index];
    cost += 4 + 2 * (node.port_count() + 1);  // NodeInfo, NodeDescription, SwitchInfo twice
                                              // (clearing is a Set), ports, NodeInfo of each peer
    for (unsigned number = node.is_switch() ? 0 : 1; number <= node.port_count(); ++number)
      cost += model.p_key_blocks(node.first_port + number);
  }
  return cost;
}

/// A running fabric that was surveyed, with PortStateChange cleared.
struct Known : Observer {
  explicit Known(const topology::Topology& topology, std::uint64_t seed = 1,
                 mad::SmpLimits limits = {})
      : Observer(topology, seed, limits) {
    options.clear_port_state_change = true;
    world.timing.boot = 10ms;
    activate();
    known = discover().fabric;
    known = discover().fabric;  // SwitchInfo as it is after clearing
    forget_counts();
  }

  /// Surveys the changes that switches report, and expects the result of a full survey.
  void expect_partial_equals_full(const std::set<sim::NodeIndex>& affected) {
    const sm::Survey partial = rediscover(known, changed_switches());
    EXPECT_LE(attachment->gets() + attachment->sets(), cost_of(model, affected));
    EXPECT_TRUE(changed_switches().empty())
        << "PortStateChange must be cleared, or the next survey finds it again";
    for (const sim::NodeIndex index : model.nodes.indices()) {
      // A host that is known already answers NodeInfo at most, and a switch on the way PortInfo of
      // the ports by which requests leave it.
      if (affected.contains(index) || index == owning_node(own())) continue;
      EXPECT_LE(model.nodes[index].gets + model.nodes[index].sets,
                model.nodes[index].is_switch() ? model.nodes[index].port_count() : 1u)
          << model.nodes[index].description;
    }
    const sm::Survey full = discover();
    EXPECT_EQ(compare(partial.fabric, full.fabric), "") << all_texts(partial.fabric);
    EXPECT_EQ(compare(full.fabric, *this), "");
    EXPECT_TRUE(partial.sm_port_up);
    known = partial.fabric;
    forget_counts();
  }

  void activate() {
    for (const sim::PortIndex port : model.ports.indices()) {
      if (model.link_up(port)) info(port).set_port_state(mad::PortState::active);
    }
  }

  /// Converges, and surveys the fabric.
  void run_and_know() {
    activate();
    known = discover().fabric;
    forget_counts();
  }

  fabric::Fabric known;
};

topology::Topology tree() {
  return topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
}

using Cable = std::pair<sim::PortIndex, sim::PortIndex>;

/// The link between two switches after that many others (each is counted from both ends), or the
/// last one; kNone if there is none.
Cable switch_cable(const sim::Model& model, std::size_t skip = 0) {
  Cable last{sim::kNone, sim::kNone};
  for (const sim::PortIndex port : model.ports.indices()) {
    const sim::PortIndex far = model.ports[port].peer;
    if (far == sim::kNone || !model.owning_node(port).is_switch() ||
        !model.owning_node(far).is_switch() || model.ports[far].node == model.ports[port].node)
      continue;
    last = {port, far};
    if (skip-- == 0) return last;
  }
  return last;
}

/// The node and its neighbours.
std::set<sim::NodeIndex> surroundings(const laboratory::Hardware& hardware, sim::NodeIndex node) {
  std::set<sim::NodeIndex> all{node};
  for (unsigned number = 1; number <= hardware.model.nodes[node].port_count(); ++number) {
    if (const sim::PortIndex port = hardware.port(node, number); hardware.far(port) != sim::kNone)
      all.insert(hardware.neighbour(port));
  }
  return all;
}

TEST(Rediscovery, WithoutAChangeReadsOnlyTheOwnPort) {
  Known lab(tree());
  const sm::Survey survey = lab.rediscover(lab.known, {});
  EXPECT_LE(lab.attachment->gets(), 2 + lab.model.p_key_blocks(lab.own()))
      << "the own port: NodeInfo, PortInfo, P_Keys";
  EXPECT_EQ(lab.attachment->sets(), 0u);
  EXPECT_EQ(compare(survey.fabric, lab.known), "");
}

TEST(Rediscovery, SwitchLinkIsLostAndRestored) {
  Known lab(tree());
  for (std::size_t skip = 0; skip < 18; skip += 5) {
    const auto [a, b] = switch_cable(lab.model, skip);
    SCOPED_TRACE(lab.model.name(a) + " to " + lab.model.name(b));
    lab.world.cut(a);
    lab.expect_partial_equals_full({lab.owning_node(a), lab.owning_node(b)});
    lab.plug(a, b);
    lab.expect_partial_equals_full({lab.owning_node(a), lab.owning_node(b)});
    lab.run_and_know();
  }
}

TEST(Rediscovery, ReportOfOneEndOfALostLinkIsEnough) {
  Known lab(tree());
  const auto [a, b] = switch_cable(lab.model, 4);
  for (const bool back : {false, true}) {
    if (back) {
      lab.plug(a, b);
    } else {
      lab.world.cut(a);
    }
    // Only one switch reports it: the trap of the other one was lost.
    const sm::Survey partial =
        lab.rediscover(lab.known, {lab.model.owning_node(a).info.node_guid()});
    lab.rediscover(partial.fabric, lab.changed_switches());
    const sm::Survey full = lab.discover();
    ASSERT_EQ(partial.fabric.nodes.size(), full.fabric.nodes.size());
    const fabric::Fabric& fabric = partial.fabric;
    const fabric::PortIndex far =
        fabric.port(fabric.node_of_guid.at(lab.model.owning_node(b).info.node_guid()),
                    {lab.model.ports[b].number});
    EXPECT_EQ(fabric.ports[far].peer != fabric::kNoIndex, back);
    EXPECT_TRUE(surveys::same(fabric.ports[far].info, lab.info(b)));
    lab.known = full.fabric;
  }
}

TEST(Rediscovery, HostIsUnpluggedAndRestored) {
  Known lab(tree());
  const sim::PortIndex host = lab.port(sim::NodeIndex{7}), leaf = lab.far(host);
  lab.world.cut(host);
  lab.expect_partial_equals_full({lab.owning_node(leaf), sim::NodeIndex{7}});
  lab.plug(leaf, host);
  lab.expect_partial_equals_full({lab.owning_node(leaf), sim::NodeIndex{7}});
}

/// A switch that answered nothing is found by one of its links: the other ones lead to it, too.
TEST(Rediscovery, ANodeThatIsFoundIsSilentBehindNoOtherPort) {
  Observer lab(topology::torus({.dimensions = {3}}));
  const sim::NodeIndex own_switch = lab.neighbour(lab.own());
  std::vector<sim::NodeIndex> others;
  for (const sim::NodeIndex node : lab.model.nodes.indices())
    if (lab.model.nodes[node].is_switch() && node != own_switch) others.push_back(node);
  ASSERT_EQ(others.size(), 2u);
  lab.model.nodes[others[0]].health.silent = true;
  const sm::Survey first = lab.discover();
  EXPECT_EQ(surveys::count(first.fabric, fabric::kFabricConditions.node_silent), 2u)
      << all_texts(first.fabric);
  lab.model.nodes[others[0]].health.silent = false;
  const sm::Survey second =
      lab.rediscover(first.fabric, {lab.model.nodes[others[1]].info.node_guid()});
  EXPECT_TRUE(second.fabric.node_of_guid.contains(lab.model.nodes[others[0]].info.node_guid()));
  EXPECT_EQ(surveys::count(second.fabric, fabric::kFabricConditions.node_silent), 0u)
      << all_texts(second.fabric);
}

TEST(Rediscovery, NewHostIsFound) {
  Known lab(tree());
  const sim::PortIndex leaf = lab.far(lab.port(sim::NodeIndex{5}));
  lab.world.cut(leaf);
  const sim::NodeIndex host = lab.world.add({.type = topology::NodeType::ca,
                                             .name = "new host",
                                             .guid = mad::Guid{0xABCDEF00},
                                             .port_count = 2});
  lab.plug(leaf, lab.port(host, 2));
  lab.expect_partial_equals_full({lab.owning_node(leaf), sim::NodeIndex{5}, host});
}

/// A host with two ports answers NodeInfo at both, and PortInfo at one of them: the other one stays
/// unread while surveys read the host by the first.
TEST(Rediscovery, APortOfAHostWithoutPortInfoStaysUnreadUntilItIsRead) {
  Known lab(tree());
  const sim::NodeIndex host = lab.world.add({.type = topology::NodeType::ca,
                                             .name = "two ports",
                                             .guid = mad::Guid{0xABCDEF00},
                                             .port_count = 2});
  std::vector<sim::PortIndex> leaves;
  for (const sim::NodeIndex other : lab.model.nodes.indices()) {
    if (lab.model.nodes[other].is_switch() || other == host || other == lab.owning_node(lab.own()))
      continue;
    const sim::PortIndex leaf = lab.far(lab.port(other));
    if (leaves.size() == 1 && lab.owning_node(leaf) == lab.owning_node(leaves.front())) continue;
    leaves.push_back(leaf);
    if (leaves.size() == 2) break;
  }
  ASSERT_EQ(leaves.size(), 2u);
  for (unsigned number = 1; number <= 2; ++number) {
    lab.world.cut(leaves[number - 1]);
    lab.plug(leaves[number - 1], lab.port(host, number));
  }
  lab.activate();
  lab.model.nodes[host].health.react = [](mad::SmpView smp,
                                          mad::PortNum entry) -> std::optional<sim::Reaction> {
    if (smp.attribute_id() != mad::AttributeId::port_info || entry != mad::PortNum{1})
      return std::nullopt;
    return sim::Reaction{mad::status::kInvalidValue};
  };
  const mad::Guid guid = lab.model.nodes[host].info.node_guid();
  sm::Survey survey = lab.discover();
  EXPECT_THAT(survey.unread, testing::Contains(guid));

  lab.model.nodes[host].health.react = nullptr;
  const auto read_by_second_port = [&] {
    return lab.rediscover(survey.fabric,
                          {lab.model.nodes[lab.owning_node(leaves[1])].info.node_guid()});
  };
  lab.world.cut(leaves[1]);
  survey = read_by_second_port();
  lab.plug(leaves[1], lab.port(host, 2));
  survey = read_by_second_port();
  EXPECT_THAT(survey.read_again, testing::Contains(guid));
  EXPECT_THAT(survey.unread, testing::Contains(guid));

  survey = lab.rediscover(survey.fabric, {guid});
  EXPECT_THAT(survey.unread, testing::IsEmpty());
  EXPECT_EQ(compare(survey.fabric, lab.discover().fabric), "");
}

TEST(Rediscovery, ReplacedHostIsNoticedEvenIfThePortWasNeverActive) {
  Known lab(tree());
  const sim::PortIndex end = lab.port(sim::NodeIndex{5}), leaf = lab.far(end);
  for (const sim::PortIndex port : {end, leaf}) lab.info(port).set_port_state(mad::PortState::init);
  lab.known = lab.discover().fabric;
  lab.world.cut(leaf);
  const sim::NodeIndex host = lab.world.add({.type = topology::NodeType::ca,
                                             .name = "other host",
                                             .guid = mad::Guid{0xABCDEF00},
                                             .port_count = 1});
  lab.plug(leaf, lab.port(host));
  ASSERT_EQ(lab.info(leaf).port_state(), mad::PortState::init) << "as at the last survey";
  lab.forget_counts();
  lab.expect_partial_equals_full({lab.owning_node(leaf), sim::NodeIndex{5}, host});
}

TEST(Rediscovery, SwitchRebootsAndIsReadAgain) {
  Known lab(tree());
  for (const char* kind : {"leaf", "spine"}) {
    SCOPED_TRACE(kind);
    const auto [a, b] = switch_cable(lab.model, 3);
    const sim::NodeIndex victim = lab.owning_node(kind == std::string("leaf") ? a : b);
    lab.reboot(victim);
    lab.expect_partial_equals_full(surroundings(lab, victim));
    lab.run_and_know();
  }
}

TEST(Rediscovery, SwitchDisappearsWithTheNodesBeyondItAndReturns) {
  Known lab(topology::row({.switches = 4, .cables = 2, .hosts_per_switch = 2}));
  const sim::NodeIndex s1 = lab.model.find("S1");
  const std::set<sim::NodeIndex> affected = surroundings(lab, s1);
  std::vector<Cable> cables;
  for (unsigned number = 1; number <= lab.model.nodes[s1].port_count(); ++number) {
    cables.emplace_back(lab.port(s1, number), lab.far(lab.port(s1, number)));
    lab.world.cut(cables.back().first);
  }
  lab.expect_partial_equals_full(affected);
  EXPECT_EQ(lab.known.switches.size(), 1u);
  for (const auto& [a, b] : cables) lab.plug(a, b);
  std::set<sim::NodeIndex> everything;
  for (const sim::NodeIndex index : lab.model.nodes.indices()) everything.insert(index);
  lab.expect_partial_equals_full(everything);
  EXPECT_EQ(lab.known.switches.size(), 4u);
}

TEST(Rediscovery, ExchangedLinksAreFollowed) {
  Known lab(tree());
  const auto [a, b] = switch_cable(lab.model, 0);
  const auto [c, d] = switch_cable(lab.model, 7);
  ASSERT_NE(lab.owning_node(a), lab.owning_node(c));
  lab.world.cut(a);
  lab.world.cut(c);
  lab.plug(a, d);
  lab.plug(c, b);
  // Old routes lead to other switches now; their answers must not be mixed up, at any cost.
  const sm::Survey partial = lab.rediscover(lab.known, lab.changed_switches());
  EXPECT_TRUE(lab.changed_switches().empty());
  EXPECT_EQ(compare(partial.fabric, lab.discover().fabric), "");
}

/// One random change, not at the manager's own link.
void change_something(Known& lab, topology::Random& dice, std::vector<Cable>& pulled) {
  switch (dice.below(5)) {
    case 0:
    case 1: {
      const auto node = sim::NodeIndex(1 + dice.below(lab.model.nodes.size() - 1));
      const sim::PortIndex here =
          lab.port(node, 1 + dice.below(lab.model.nodes[node].port_count()));
      if (lab.far(here) == sim::kNone || lab.neighbour(here) == 0) return;
      pulled.emplace_back(here, lab.far(here));
      return lab.world.cut(here);
    }
    case 2: {
      const auto node = sim::NodeIndex(1 + dice.below(lab.model.nodes.size() - 1));
      if (lab.neighbour(lab.own()) != node) lab.world.reboot(node);
      return;
    }
    case 3: {  // two links are exchanged
      const auto [a, b] = switch_cable(lab.model, dice.below(5u));
      const auto [c, d] = switch_cable(lab.model, 5 + dice.below(5u));
      if (a == sim::kNone) return;
      lab.world.cut(a);
      if (lab.far(c) == sim::kNone) return;
      lab.world.cut(c);
      lab.world.connect(a, d);
      return lab.world.connect(c, b);
    }
    default: {
      if (pulled.empty() || lab.far(pulled.back().first) != sim::kNone ||
          lab.far(pulled.back().second) != sim::kNone)
        return;
      lab.world.connect(pulled.back().first, pulled.back().second);
      pulled.pop_back();
    }
  }
}

TEST(Rediscovery, AnyChangesInAnyOrder) {
  seeds::for_each(300, [](std::uint64_t seed) {
    topology::Random dice(seed);
    Known lab(
        topology::random_graph({.switches = 10, .hosts = 15, .extra_links = 12, .seed = seed}),
        seed);
    std::vector<Cable> pulled;
    for (unsigned round = 0; round < 6; ++round) {
      lab.forget_counts();
      for (unsigned changes = 1 + dice.below(3u); changes > 0; --changes)
        change_something(lab, dice, pulled);
      lab.let_nodes_boot();
      const sm::Survey partial = lab.rediscover(lab.known, lab.changed_switches());
      const sm::Survey full = lab.discover();
      ASSERT_EQ(compare(full.fabric, lab), "");
      ASSERT_EQ(compare(partial.fabric, full.fabric), "")
          << "round " << round << ' ' << all_texts(partial.fabric);
      if (dice.percent(50)) {
        lab.known = partial.fabric;
      } else {
        lab.run_and_know();
      }
    }
  });
}

}  // namespace rediscovery_test
