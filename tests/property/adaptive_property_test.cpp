// Adaptive routing on random fabrics: groups, and what all choices of their members lead to,
// against a reference that shares no code with routing/ (adaptive_packets.h).

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/format.h"
#include "property/adaptive_packets.h"
#include "routing/adaptive/losses.h"
#include "routing/adaptive/verify_groups.h"
#include "routing/registry.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"
#include "support/tori.h"
#include "support/trees.h"

namespace adaptive_property_test {

using fabric::SwitchIndex;
using fabrics::Subnet;
using topology::Random;
using Outcome = tl::expected<routing::ChainResult, routing::Refusal>;

Outcome route(const char* engine, const Subnet& subnet,
              const routing::RoutingOptions& options = {}) {
  return routing::route_with_chain(std::vector<std::string>{engine}, true,
                                   {subnet.fabric, subnet.graph, subnet.lids, options});
}

/// Compares the product's verification with the reference.
void check(const Subnet& subnet, const routing::RoutingResult& result) {
  ASSERT_NE(result.adaptive, nullptr);
  const auto report = routing::verify_groups(subnet.fabric, subnet.graph, subnet.lids, result.lfts,
                                             result.adaptive.get(), {result.sls, result.sl_to_vl});
  const auto found = adaptive_packets::follow_all(subnet, result);
  ASSERT_EQ(report.outside, 0u);
  ASSERT_EQ(report.lost == 0, found.lost == 0);
  ASSERT_EQ(found.lost, 0u);
  ASSERT_EQ(report.longest, found.longest);
  ASSERT_EQ(report.credit_loops.dependencies, found.dependencies.dependencies());
  ASSERT_EQ(report.credit_loops.ok(), !found.dependencies.has_cycle());
}

/// A tree that may have lost links and switches, with its height, and its switches by level.
struct Tree {
  Subnet subnet;
  std::size_t levels;
  routing::RoutingOptions options = {};

  unsigned level(SwitchIndex sw) const {
    const std::string name(subnet.fabric.nodes[subnet.fabric.switches[sw].node].description.text());
    return static_cast<unsigned>(name[1] - '0');  // S<level>-<number>
  }
};

Tree random_tree(std::uint64_t seed, Random& random, bool degraded) {
  topology::XgftParams params;
  const std::size_t levels = 2 + random.below(2u);
  for (std::size_t level = 0; level < levels; ++level) {
    params.children.push_back(1 + random.below(level == 0 ? 3u : 4u));
    params.parents.push_back(level == 0 ? 1 : 1 + random.below(3u));
    params.cables.push_back(level == 0 ? 1 : 1 + (random.percent(40) ? random.below(3u) : 0));
  }
  topology::Topology topology = trees::scrambled(topology::xgft(params), seed);
  if (degraded)
    std::erase_if(topology.links, [&](const topology::Link& link) {
      return topology.nodes[link.a.node].type == topology::NodeType::switch_ &&
             topology.nodes[link.b.node].type == topology::NodeType::switch_ && random.percent(12);
    });
  Tree tree{Subnet(fabrics::from_topology(topology), random.percent(20) ? 1 : 0), levels};
  for (const SwitchIndex sw : tree.subnet.graph.all_switches())
    if (tree.level(sw) == levels)
      tree.options.roots.push_back(
          tree.subnet.fabric.nodes[tree.subnet.fabric.switches[sw].node].guid);
  return tree;
}

/// The levels are those that an engine counts from the top: each switch has a path up to it.
bool is_ranked(const Tree& tree) {
  const fabric::SwitchGraph& graph = tree.subnet.graph;
  std::vector<bool> ranked(graph.switches());
  for (std::size_t round = 0; round < tree.levels; ++round)
    for (const SwitchIndex sw : graph.all_switches()) {
      ranked[sw] = ranked[sw] || tree.level(sw) == tree.levels;
      for (const SwitchIndex other : graph.neighbours(sw))
        if (ranked[other] && tree.level(other) > tree.level(sw)) ranked[sw] = true;
    }
  return std::ranges::find(ranked, false) == ranked.end();
}

/// Ports on shortest legal paths by levels: down where a path goes down only, else up.
std::set<mad::PortNum> legal_ports(const Tree& tree, SwitchIndex from, SwitchIndex to) {
  const fabric::SwitchGraph& graph = tree.subnet.graph;
  constexpr unsigned kFar = 1000;
  std::vector<unsigned> down(graph.switches(), kFar), legal;
  down[to] = 0;
  const auto relax = [&](std::vector<unsigned>& length, bool up) {
    for (std::size_t round = 0; round < graph.switches(); ++round)
      for (const SwitchIndex sw : graph.all_switches())
        for (const SwitchIndex other : graph.neighbours(sw))
          if ((tree.level(other) > tree.level(sw)) == up && (!up || down[sw] == kFar))
            length[sw] = std::min(length[sw], length[other] + 1);
  };
  relax(down, false);
  legal = down;
  relax(legal, true);
  std::set<mad::PortNum> out;
  for (const fabric::ChannelIndex channel : graph.channels(from)) {
    const SwitchIndex other = graph.neighbour[channel];
    const bool up = tree.level(other) > tree.level(from);
    if (legal[from] >= kFar || from == to || up != (down[from] == kFar)) continue;
    if ((up ? legal : down)[other] + 1 == legal[from]) out.insert(graph.port[channel]);
  }
  return out;
}

TEST(AdaptiveProperty, GroupsOfTreesAreTheShortestLegalPathsAndAllChoicesArrive) {
  std::map<std::string_view, std::size_t> routed, with_choice;
  seeds::for_each(250, [&](std::uint64_t seed) {
    Random random(seed * 1409);
    const Tree tree = random_tree(seed, random, random.percent(70));
    for (const char* engine : {"ar_updn", "ar_ftree"}) {
      SCOPED_TRACE(engine);
      const Outcome result = route(engine, tree.subnet, tree.options);
      if (!result) continue;
      ++routed[engine];
      const routing::RoutingResult& routing = result->routing;
      ASSERT_EQ(routing.engine, engine);
      const Outcome plain = route(engine + 3, tree.subnet, tree.options);
      ASSERT_TRUE(plain);
      ASSERT_EQ(routing.lfts, plain->routing.lfts);
      ASSERT_NO_FATAL_FAILURE(check(tree.subnet, routing));
      const auto report =
          routing::verify_groups(tree.subnet.fabric, tree.subnet.graph, tree.subnet.lids,
                                 routing.lfts, routing.adaptive.get(), {routing.sls, {}});
      const auto bound = routing::path_bound(tree.subnet.fabric, tree.subnet.graph, routing.roots);
      if (bound && !routing.turns) {
        ASSERT_LE(report.longest, *bound);
      }
      if (!is_ranked(tree) || routing.turns) continue;
      ASSERT_LE(report.longest, 2 * (tree.levels - 1));
      for (const SwitchIndex to : tree.subnet.graph.all_switches()) {
        const fabric::GroupId group = routing.adaptive->group_to[to];
        ASSERT_EQ(group != 0, tree.level(to) == 1);
        if (group == 0) continue;
        for (const SwitchIndex from : tree.subnet.graph.all_switches()) {
          std::set<mad::PortNum> ports;
          for (unsigned port = 0; port < 256; ++port)
            if (routing.adaptive->ports(from, group)[port])
              ports.insert(mad::PortNum{static_cast<std::uint8_t>(port)});
          ASSERT_EQ(ports, legal_ports(tree, from, to));
          with_choice[engine] += ports.size() > 1 ? 1u : 0u;
        }
      }
    }
  });
  if (!seeds::are_default()) return;
  for (const char* engine : {"ar_updn", "ar_ftree"}) {
    EXPECT_GT(routed[engine], 100u) << engine;
    EXPECT_GT(with_choice[engine], 1000u) << engine;
  }
}

TEST(AdaptiveProperty, AllEnginesOnAnyFabricAreFreeOfCyclesOrRefuse) {
  std::map<std::string_view, std::size_t> routed;
  seeds::for_each(600, [&](std::uint64_t seed) {
    Random random(seed * 733);
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    fabric::LidMap lids = fabrics::assign_lids(fabric, random.percent(70) ? 0 : random.below(3u));
    const Subnet subnet(std::move(fabric), std::move(lids));
    const bool is_small = std::ranges::any_of(subnet.fabric.switches, [&](const auto& sw) {
      return sw.info.linear_fdb_cap() <= subnet.lids.lid_top.value;
    });
    if (is_small || subnet.fabric.switches.empty()) return;
    for (const char* engine : {"ar_updn", "ar_dor", "ar_minhop"}) {
      SCOPED_TRACE(engine);
      const Outcome result = route(engine, subnet);
      if (!result) continue;
      ++routed[engine];
      ASSERT_NO_FATAL_FAILURE(check(subnet, result->routing));
    }
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(routed["ar_updn"], 80u);
  EXPECT_GT(routed["ar_dor"], 100u);
  EXPECT_GT(routed["ar_minhop"], 50u);
}

TEST(AdaptiveProperty, MeshesAndToriByTheirEngines) {
  std::size_t refused = 0;
  seeds::for_each(30, [&](std::uint64_t seed) {
    Random random(seed * 57);
    tori::Lattice lattice{.radix = {3 + random.below(2u), 3 + random.below(2u), 1},
                          .wraps = {false, false, true},
                          .cables = 1 + random.below(3u)};
    {
      // Ports in order of the dimensions, as dor takes them.
      const Subnet mesh(lattice.fabric());
      const Outcome result = route("ar_dor", mesh);
      ASSERT_TRUE(result) << result.error().why;
      ASSERT_NO_FATAL_FAILURE(check(mesh, result->routing));
      ASSERT_EQ(result->routing.lfts, route("dor", mesh)->routing.lfts);
      for (const SwitchIndex from : mesh.graph.all_switches())
        for (const SwitchIndex to : mesh.graph.all_switches())
          ASSERT_EQ(
              result->routing.adaptive->ports(from, result->routing.adaptive->group_to[to]).count(),
              from == to ? 0u : lattice.cables);
    }
    lattice.wraps = {true, true, true};
    lattice.radix = {4 + random.below(2u), 4 + random.below(2u), 1};
    if (random.percent(50)) lattice.lost_cables.insert({{0, 1, 0}, 0});
    routing::RoutingOptions options;
    options.torus = lattice.options();
    const Subnet torus(lattice.fabric(seed));
    const Outcome dor = route("ar_dor", torus);
    if (dor) {  // by chance: ports in another order than dimensions
      ASSERT_NO_FATAL_FAILURE(check(torus, dor->routing));
    } else {
      ++refused;
      EXPECT_THAT(dor.error().why, testing::HasSubstr("credit loop possible: \"S"));
    }
    const Outcome result = route("ar_torus", torus, options);
    ASSERT_TRUE(result) << result.error().why;
    ASSERT_NO_FATAL_FAILURE(check(torus, result->routing));
    ASSERT_EQ(result->routing.lfts, route("torus-2QoS", torus, options)->routing.lfts);
  });
  if (seeds::are_default()) {
    EXPECT_EQ(refused, 30u);
  }
}

/// Tables and groups that are not those of an engine: both verifications find the same.
TEST(AdaptiveProperty, FindsTheSameCyclesAndLossesInDamagedGroups) {
  std::size_t with_loss = 0, with_cycle = 0;
  seeds::for_each(400, [&](std::uint64_t seed) {
    Random random(seed * 389);
    const Tree tree = random_tree(seed, random, false);
    const Outcome result = route("ar_updn", tree.subnet, tree.options);
    if (!result) return;
    routing::RoutingResult changed = result->routing;
    auto groups = std::make_shared<fabric::AdaptiveGroups>(*changed.adaptive);
    for (unsigned changes = 1 + random.below(3u); changes > 0; --changes) {
      const SwitchIndex sw(random.below(static_cast<std::uint32_t>(groups->rows.size())));
      auto row = std::make_shared<fabric::AdaptiveGroups::Row>(*groups->rows[sw]);
      const auto ports = tree.subnet.graph.out_ports(sw);
      if (row->sets.size() < 2 || ports.empty()) continue;
      row->sets[1 + random.below(static_cast<std::uint32_t>(row->sets.size() - 1))].set(
          ports[random.below(static_cast<std::uint32_t>(ports.size()))].value);
      groups->rows[sw] = std::move(row);
    }
    changed.adaptive = groups;
    const auto report =
        routing::verify_groups(tree.subnet.fabric, tree.subnet.graph, tree.subnet.lids,
                               changed.lfts, groups.get(), {changed.sls, changed.sl_to_vl});
    const auto found = adaptive_packets::follow_all(tree.subnet, changed);
    ASSERT_EQ(report.lost == 0, found.lost == 0);
    ASSERT_EQ(report.first_lost.has_value(), found.lost > 0);
    ASSERT_EQ(report.credit_loops.dependencies, found.dependencies.dependencies());
    ASSERT_EQ(report.credit_loops.ok(), !found.dependencies.has_cycle());
    with_loss += found.lost > 0 ? 1u : 0u;
    with_cycle += found.dependencies.has_cycle() ? 1u : 0u;
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(with_loss, 20u);
  EXPECT_GT(with_cycle, 20u);
}

/// Each link lost alone, and samples of two and three: the same pairs are kept, at risk and cut.
TEST(AdaptiveProperty, LossesWithoutTheManagerAffectTheSamePairs) {
  std::size_t kept = 0, at_risk = 0, cut = 0;
  seeds::for_each(60, [&](std::uint64_t seed) {
    Random random(seed * 211);
    const Tree tree = random_tree(seed, random, random.percent(30));
    const char* const engine = random.percent(20)   ? "updn"
                               : random.percent(50) ? "ar_updn"
                                                    : "ar_ftree";
    const Outcome result = route(engine, tree.subnet, tree.options);
    if (!result) return;
    const fabric::SwitchGraph& graph = tree.subnet.graph;
    std::vector<std::vector<fabric::ChannelIndex>> losses;
    for (const fabric::ChannelIndex channel : graph.port.indices())
      if (channel < graph.reverse[channel]) losses.push_back({channel});
    const std::size_t links = losses.size();
    for (std::size_t more = 0; links > 3 && more < 10; ++more) {
      std::set<fabric::ChannelIndex> several;
      while (several.size() < 2 + more % 2) several.insert(losses[random.below(links)].front());
      losses.emplace_back(several.begin(), several.end());
    }
    for (const bool recovers : {false, true})
      for (const auto& loss : losses) {
        routing::LossSettings settings;
        settings.losses = {loss};
        settings.choice =
            recovers ? routing::LocalChoice::recovery : routing::LocalChoice::any_member;
        const auto report = routing::lose_links(graph, tree.subnet.lids, result->routing.lfts,
                                                result->routing.adaptive.get(), settings);
        adaptive_packets::DownPorts down;
        for (const fabric::ChannelIndex channel : loss)
          for (const fabric::ChannelIndex end : {channel, graph.reverse[channel]})
            down.insert({graph.neighbour[graph.reverse[end]], graph.port[end]});
        const auto pairs =
            adaptive_packets::follow_pairs(tree.subnet, result->routing, down, recovers);
        ASSERT_EQ(report.kept, pairs.kept);
        ASSERT_EQ(report.at_risk, pairs.at_risk);
        ASSERT_EQ(report.cut, pairs.cut);
        ASSERT_EQ(report.examples.empty(), pairs.at_risk + pairs.cut == 0);
        kept += pairs.kept;
        at_risk += pairs.at_risk;
        cut += pairs.cut;
      }
    routing::LossSettings settings;
    ASSERT_EQ(routing::lose_links(graph, tree.subnet.lids, result->routing.lfts,
                                  result->routing.adaptive.get(), settings)
                  .losses,
              links);
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(kept, 1000u);
  EXPECT_GT(at_risk, 1000u);
  EXPECT_GT(cut, 1000u);
}

}  // namespace adaptive_property_test
