// Updates of forwarding tables, one write after the other, in any order within a phase, some lost:
// no state has a forwarding loop.

#include "routing/verify/unicast_update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "routing/core/engine.h"
#include "routing/registry.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace unicast_update_property_test {

using fabric::ForwardingTables;
using fabric::kLftBlockLids, fabric::kNoIndex;
using fabric::SwitchIndex;
using routing::LftUnit;

/// A link in Init forwards no data packets.
bool is_idle(const fabric::Fabric& fabric, fabric::PortIndex port) {
  return fabric.ports[port].info.port_state() == mad::PortState::init;
}

/// The real tables of switches, independent of what the update assumes.
struct Hardware {
  const fabric::Fabric& fabric;
  ForwardingTables tables;
  const fabric::AdaptiveGroups* chosen = nullptr;  // ports that switches may choose, too

  void take(const LftUnit& unit, std::span<const std::uint8_t, kLftBlockLids> content) {
    std::ranges::copy(content, tables.writable_block(unit.sw, unit.block).begin());
  }
  SwitchIndex behind(SwitchIndex sw, mad::PortNum out) const {
    const fabric::Node& node = fabric.nodes[fabric.switches[sw].node];
    if (out.value == 0 || out.value > node.num_ports) return kNoIndex;
    const fabric::PortIndex port = fabric.port(fabric.switches[sw].node, out);
    return fabric.is_link_up(port) && !is_idle(fabric, port)
               ? fabric.owning_node(fabric.ports[port].peer).switch_index
               : kNoIndex;
  }
  std::vector<SwitchIndex> next(SwitchIndex sw, mad::Lid lid) const {
    std::vector<SwitchIndex> out{behind(sw, tables.at(sw, lid))};
    if (chosen != nullptr)
      for (unsigned port = 1; port < 255; ++port)
        if (chosen->ports(sw, chosen->find_group(lid))[port])
          out.push_back(behind(sw, mad::PortNum{static_cast<std::uint8_t>(port)}));
    std::erase(out, kNoIndex);
    return out;
  }
  /// True if packets at the switch can come back to a switch where they were.
  bool returns(SwitchIndex sw, mad::Lid lid, std::vector<std::uint8_t>& seen) const {
    if (seen[sw] != 0) return seen[sw] == 1;
    seen[sw] = 1;  // on this path
    for (const SwitchIndex to : next(sw, lid))
      if (returns(to, lid, seen)) return true;
    seen[sw] = 2;  // known to end
    return false;
  }
  /// A LID of the block with a forwarding loop, if there is one.
  std::optional<mad::Lid> loop(std::uint32_t block) const {
    for (std::size_t i = 0; i < kLftBlockLids; ++i) {
      const mad::Lid lid{static_cast<std::uint16_t>(block * kLftBlockLids + i)};
      std::vector<std::uint8_t> seen(fabric.switches.size(), 0);
      for (SwitchIndex from{0}; from < seen.size(); ++from)
        if (returns(from, lid, seen)) return lid;
    }
    return std::nullopt;
  }
};

struct Case {
  fabric::Fabric fabric;
  fabric::SwitchGraph graph;
  fabric::LidMap lids;
  ForwardingTables held, wanted;
  std::vector<bool> known;
  std::vector<bool> idle;                                // by channel
  std::shared_ptr<const fabric::AdaptiveGroups> groups;  // of the wanted routing, or null
  fabric::AdaptiveGroups chosen;                         // what switches hold of them

  std::vector<LftUnit> units() const {
    std::vector<LftUnit> out;
    for (std::uint32_t block = 0; block < wanted.blocks(); ++block)
      for (const SwitchIndex sw : wanted.all_switches())
        if (!known[sw * held.blocks() + block] ||
            !std::ranges::equal(held.block(sw, block), wanted.block(sw, block)))
          out.push_back({sw, block});
    return out;
  }
};

fabric::Fabric build_fabric(topology::Random& random, std::uint64_t seed) {
  switch (random.below(5)) {
    case 0:
      return fabrics::from_topology(topology::torus({.dimensions = {4, 4}, .hosts_per_switch = 3}));
    case 1:
      return fabrics::from_topology(
          topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {1, 2}}));
    case 2:
      return fabrics::from_topology(topology::torus({.dimensions = {9}, .hosts_per_switch = 4}));
    case 3:
      return fabrics::from_topology(
          topology::random_graph({.switches = 12, .hosts = 24, .extra_links = 8, .seed = seed}));
    default:
      return fabrics::random_fabric(seed);
  }
}

/// Removes links between switches at random.
void cut(fabric::Fabric& fabric, topology::Random& random, unsigned percent) {
  for (const fabric::PortIndex port : fabric.ports.indices()) {
    const fabric::PortIndex peer = fabric.ports[port].peer;
    if (peer == kNoIndex || peer < port || !fabric.owning_node(port).is_switch() ||
        !fabric.owning_node(peer).is_switch() || !random.percent(percent))
      continue;
    for (const fabric::PortIndex end : {port, peer})
      fabric.ports[end].info.set_port_state(mad::PortState::down);
  }
}

/// Leaves links between switches in Init at random: by channel of the graph.
std::vector<bool> leave_in_init(fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                                topology::Random& random, unsigned percent) {
  for (const fabric::PortIndex port : fabric.ports.indices()) {
    const fabric::PortIndex peer = fabric.ports[port].peer;
    if (peer == kNoIndex || peer < port || !random.percent(percent)) continue;
    for (const fabric::PortIndex end : {port, peer})
      fabric.ports[end].info.set_port_state(mad::PortState::init);
  }
  std::vector<bool> idle(graph.port.size(), false);
  for (const SwitchIndex sw : fabric.switches.indices())
    for (fabric::ChannelIndex channel(graph.offsets[sw]); channel < graph.offsets[sw + 1];
         ++channel)
      idle[channel] = is_idle(fabric, fabric.port(fabric.switches[sw].node, graph.port[channel]));
  return idle;
}

std::optional<routing::RoutingResult> routed(
    const fabric::Fabric& fabric, const fabric::LidMap& lids, const char* engine,
    std::uint32_t scatter, std::shared_ptr<const routing::GroupIds> group_ids = nullptr) {
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  routing::RoutingOptions options;
  options.scatter_ports = scatter;
  const std::array<std::string, 1> names{engine};
  routing::RoutingInput input{fabric, graph, lids, options};
  input.group_ids = std::move(group_ids);
  auto result = routing::route_with_chain(names, false, input);
  if (!result) return std::nullopt;
  return std::move(result->routing);
}

/// Entries of the old tables that lead to where a cable was plugged in since.
void lead_over_idle_links(Case& test, topology::Random& random) {
  for (const SwitchIndex sw : test.fabric.switches.indices())
    for (fabric::ChannelIndex channel(test.graph.offsets[sw]); channel < test.graph.offsets[sw + 1];
         ++channel) {
      if (!test.idle[channel]) continue;
      for (std::uint32_t block = 0; block < test.held.blocks(); ++block)
        for (std::uint8_t& entry : test.held.writable_block(sw, block))
          if (random.percent(60)) entry = test.graph.port[channel].value;
    }
}

/// What switches hold of groups while tables change: some of the members before and after.
/// Precondition: groups of the same switches have the same numbers in both.
fabric::AdaptiveGroups some_of(const fabric::AdaptiveGroups& before,
                               const fabric::AdaptiveGroups& wanted, topology::Random& random) {
  fabric::AdaptiveGroups some = wanted;
  for (const SwitchIndex sw : wanted.rows.indices()) {
    auto row = std::make_shared<fabric::AdaptiveGroups::Row>();
    const bool is_without = random.percent(20);
    for (std::uint16_t group = 1; group <= wanted.top() && !is_without; ++group) {
      fabric::PortSet ports = before.ports(sw, group) & wanted.ports(sw, group);
      for (unsigned port = 1; port < 255; ++port)
        if (ports[port] && random.percent(15)) ports.reset(port);
      row->set_of.resize(group + std::size_t{1});
      row->set_of[group] = static_cast<std::uint16_t>(row->sets.size());
      row->sets.push_back(ports);
    }
    some.rows[sw] = std::move(row);
  }
  return some;
}

/// Tables for a fabric with some links removed, to replace those of another engine for the fabric
/// with other links removed.
std::optional<Case> make_case(std::uint64_t seed) {
  topology::Random random(seed);
  constexpr std::array kEngines{"minhop", "sssp", "updn", "dnup"};
  constexpr std::array kAdaptive{"ar_updn", "ar_dor", "ar_minhop"};
  Case test;
  test.fabric = build_fabric(random, seed);
  if (test.fabric.switches.empty()) return std::nullopt;
  test.lids = fabrics::assign_lids(test.fabric, random.below(2));
  fabric::Fabric before = test.fabric;
  cut(before, random, random.percent(30) ? 0 : 15);
  cut(test.fabric, random, random.percent(30) ? 0 : 15);
  test.graph = fabric::make_switch_graph(test.fabric);
  test.idle = leave_in_init(test.fabric, test.graph, random, random.percent(50) ? 0 : 30);
  const bool is_adaptive = random.percent(40);
  const auto engine = [&] {
    return is_adaptive ? kAdaptive[random.below(kAdaptive.size())]
                       : kEngines[random.below(kEngines.size())];
  };
  auto held = routed(before, test.lids, engine(), static_cast<std::uint32_t>(random.below(3)));
  auto wanted =
      routed(test.fabric, test.lids, engine(), static_cast<std::uint32_t>(random.below(3)),
             held ? held->group_ids : nullptr);
  if (!held || !wanted) return std::nullopt;
  test.held = std::move(held->lfts);
  lead_over_idle_links(test, random);
  test.wanted = std::move(wanted->lfts);
  if (held->adaptive && wanted->adaptive) {
    test.groups = wanted->adaptive;
    test.chosen = some_of(*held->adaptive, *wanted->adaptive, random);
  }
  test.known.assign(test.held.switches() * test.held.blocks(), true);
  for (const SwitchIndex sw : test.held.all_switches()) {
    if (!random.percent(10)) continue;  // it has restarted
    if (test.groups) test.chosen.rows[sw] = std::make_shared<const fabric::AdaptiveGroups::Row>();
    for (std::uint32_t block = 0; block < test.held.blocks(); ++block) {
      test.known[sw * test.held.blocks() + block] = false;
      std::ranges::fill(test.held.writable_block(sw, block), mad::kNoPort.value);
    }
  }
  return test;
}

struct Outcome {
  std::size_t phases = 0, writes = 0;
};

/// Runs the update. `lost_percent` of the writes get no response; half of these arrive
/// nevertheless.
Outcome run(const Case& test, std::uint64_t seed, unsigned lost_percent) {
  topology::Random random(seed + 1000);
  Hardware hardware{test.fabric, test.held, test.groups ? &test.chosen : nullptr};
  routing::HeldUnicast held{&test.held, test.known, test.idle};
  if (test.groups) {
    held.choices = [&test](SwitchIndex sw, mad::Lid lid) -> const fabric::PortSet& {
      return test.chosen.ports(sw, test.chosen.find_group(lid));
    };
    if (random.percent(70)) held.wanted_groups = test.groups.get();
  }
  routing::UnicastUpdate update(test.graph, held, test.wanted, test.units());
  Outcome outcome;
  for (std::vector<std::uint32_t> phase = update.next_phase(); !phase.empty();
       phase = update.next_phase()) {
    ++outcome.phases;
    for (std::size_t i = phase.size(); i > 1; --i) std::swap(phase[i - 1], phase[random.below(i)]);
    std::vector<bool> answers;
    for (const std::uint32_t unit : phase) {
      ++outcome.writes;
      const bool lost = random.percent(lost_percent);
      answers.push_back(!lost);
      if (lost && random.percent(50)) continue;
      hardware.take(update.units()[unit], update.content(unit));
      const auto loop = hardware.loop(update.units()[unit].block);
      EXPECT_FALSE(loop) << "LID " << (loop ? loop->value : 0) << " in phase " << outcome.phases;
      if (loop) return outcome;
    }
    for (std::size_t i = 0; i < phase.size(); ++i)
      answers[i] ? update.acknowledged(phase[i]) : update.lost(phase[i]);
    EXPECT_LE(outcome.phases, 200u);
    if (outcome.phases > 200) break;
  }
  for (const auto& left : update.left()) {
    EXPECT_GT(lost_percent, 0u) << "all writes were acknowledged, and some are left";
    const LftUnit& unit = update.units()[left.unit];
    EXPECT_TRUE(left.sent || std::ranges::equal(hardware.tables.block(unit.sw, unit.block),
                                                test.held.block(unit.sw, unit.block)));
  }
  EXPECT_TRUE(lost_percent > 0 || hardware.tables == test.wanted);
  return outcome;
}

TEST(UnicastUpdate, NoPrefixOfTheWritesHasAForwardingLoop) {
  std::size_t phased = 0, cases = 0;
  seeds::for_each(500, [&](std::uint64_t seed) {
    const auto test = make_case(seed);
    if (!test) return;
    const Outcome outcome = run(*test, seed, 0);
    ++cases;
    phased += outcome.phases > 1;
  });
  if (seeds::are_default()) {
    EXPECT_GT(cases, 250u);
    EXPECT_GT(phased, 20u) << "few of these updates need an order";
  }
}

TEST(UnicastUpdate, LostWritesCauseNoForwardingLoop) {
  seeds::for_each(500, [&](std::uint64_t seed) {
    if (const auto test = make_case(seed)) run(*test, seed, 20);
  });
}

/// Check of the test itself: written in any order, some of these updates have forwarding loops.
TEST(UnicastUpdate, WithoutAnOrderThereAreForwardingLoops) {
  std::size_t loops = 0;
  for (std::uint64_t seed = 1; seed <= 60 && loops == 0; ++seed) {
    const auto test = make_case(seed);
    if (!test) continue;
    topology::Random random(seed);
    Hardware hardware{test->fabric, test->held};
    std::vector<LftUnit> units = test->units();
    for (std::size_t i = units.size(); i > 1; --i) std::swap(units[i - 1], units[random.below(i)]);
    for (const LftUnit& unit : units) {
      hardware.take(unit, test->wanted.block(unit.sw, unit.block));
      loops += hardware.loop(unit.block).has_value();
    }
  }
  EXPECT_GT(loops, 0u);
}

TEST(UnicastUpdate, FirstTablesAreOnePhaseAndTheBlockOfTheSmIsLast) {
  topology::Random random(1);
  const fabrics::Subnet subnet(
      fabrics::from_topology(topology::torus({.dimensions = {5, 5}, .hosts_per_switch = 3})));
  const auto result = routed(subnet.fabric, subnet.lids, "minhop", 0);
  ASSERT_TRUE(result);
  const ForwardingTables* const wanted = &result->lfts;
  ASSERT_GT(wanted->blocks(), 1u);
  std::vector<LftUnit> units;
  for (std::uint32_t block = 0; block < wanted->blocks(); ++block)
    for (SwitchIndex sw{0}; sw < wanted->switches(); ++sw) units.push_back({sw, block});
  const routing::HeldUnicast nothing;
  routing::UnicastUpdate update(subnet.graph, nothing, *wanted, units);
  EXPECT_EQ(update.next_phase().size(), units.size());
  routing::UnicastUpdate ordered(subnet.graph, nothing, *wanted, units, mad::Lid{5});
  const auto first = ordered.next_phase();
  EXPECT_EQ(first.size(), units.size() - wanted->switches());
  for (const std::uint32_t unit : first) EXPECT_NE(units[unit].block, 0u);
  for (const std::uint32_t unit : first) ordered.acknowledged(unit);
  EXPECT_EQ(ordered.next_phase().size(), wanted->switches());
}

}  // namespace unicast_update_property_test
