// Every engine on fabrics that are hard to route: it reaches all hosts (and has no credit loop if
// it guarantees that), or gives a reason for its refusal.

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "property/packets.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "sm/ctl/topology/topology.h"
#include "support/fabrics.h"
#include "support/tori.h"

namespace hard_cases_test {

using fabrics::Subnet;
using routing::RoutingOptions;

struct Case {
  const char* name;
  fabric::Fabric (*fabric)();
  std::vector<std::string> must_route;  // without credit loops, on 8 VLs
  RoutingOptions (*options)() = [] { return RoutingOptions{}; };
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

fabric::Fabric of(const topology::Topology& topology) { return fabrics::from_topology(topology); }
topology::Topology tree() { return topology::fat_tree({.hosts = 54, .radix = 6, .levels = 3}); }

/// Leaves with 3, 9 and 20 hosts and 2, 4 and 7 up-links.
fabric::Fabric uneven_leaves() {
  fabrics::Maker maker;
  std::vector<fabric::NodeIndex> spines;
  for (int i = 0; i < 4; ++i) spines.push_back(maker.sw(36));
  for (const auto& [hosts, links] : {std::pair{3u, 2u}, {9u, 4u}, {20u, 7u}, {20u, 7u}}) {
    const fabric::NodeIndex leaf = maker.sw(36);
    for (unsigned i = 0; i < hosts; ++i) maker.host(leaf);
    for (unsigned i = 0; i < links; ++i) maker.cable(leaf, spines[i % spines.size()]);
  }
  return maker.build();
}

/// 70 links between two switches, more than one word of candidates, and 64-port switches below a
/// 254-port one.
fabric::Fabric many_ports() {
  fabrics::Maker maker;
  const fabric::NodeIndex big = maker.sw(254), other = maker.sw(128);
  maker.cable(big, other, 70);
  for (int i = 0; i < 20; ++i) maker.host(other);
  for (int leaf = 0; leaf < 3; ++leaf) {
    const fabric::NodeIndex sw = maker.sw(64);
    maker.cable(big, sw, 40);
    for (int i = 0; i < 12; ++i) maker.host(sw);
  }
  return maker.build();
}

RoutingOptions torus_options() {
  RoutingOptions options;
  options.torus = tori::Lattice{{5, 5, 5}}.options();
  return options;
}
RoutingOptions lost_options() {
  RoutingOptions options;
  options.torus = tori::Lattice{{4, 4, 4}}.options();
  return options;
}

const std::vector<Case>& cases() {
  static const std::vector<std::string> trees{"updn",   "dnup", "dmodc", "ftree",
                                              "dfsssp", "lash", "nue",   "auto"},
      graphs{"dnup", "dfsssp", "lash", "nue", "auto"};
  static const std::vector<Case> all{
      {"one_switch",
       [] { return of(topology::row({.switches = 1, .cables = 1, .hosts_per_switch = 6})); },
       {"dnup", "dmodc", "dfsssp", "lash", "nue", "auto"}},
      {"two_switches_30_cables",
       [] { return of(topology::row({.switches = 2, .cables = 30, .hosts_per_switch = 6})); },
       graphs},
      {"tree", [] { return of(tree()); }, trees},
      {"tree_1_percent_lost",
       [] { return of(topology::degrade(tree(), 0.01, 1)); },
       {"updn", "dnup", "dmodc", "dfsssp", "nue", "auto"}},
      {"tree_5_percent_lost",
       [] { return of(topology::degrade(tree(), 0.05, 2)); },
       {"updn", "dnup", "dmodc", "dfsssp", "nue", "auto"}},
      {"tree_20_percent_lost",
       [] { return of(topology::degrade(tree(), 0.2, 3)); },
       {"dfsssp", "nue", "auto"}},
      {"uneven_leaves", uneven_leaves, {"updn", "dnup", "dmodc", "dfsssp", "lash", "nue", "auto"}},
      {"many_ports", many_ports, {"dnup", "dfsssp", "nue", "auto"}},
      {"torus_5x5x5",
       [] { return tori::Lattice{{5, 5, 5}}.fabric(); },
       {"torus-2QoS", "lash", "nue", "dnup", "auto"},
       torus_options},
      {"torus_4x4x4_switch_lost",
       [] { return tori::Lattice{.radix = {4, 4, 4}, .lost_switches = {{1, 2, 3}}}.fabric(); },
       {"torus-2QoS", "nue", "auto"},
       lost_options},
      {"torus_8x8",
       [] { return of(topology::torus({.dimensions = {8, 8}, .hosts_per_switch = 1})); },
       {"lash", "nue", "dnup", "auto"}},
      {"mesh_5x5",
       [] { return of(topology::mesh({.dimensions = {5, 5}, .hosts_per_switch = 1})); },
       {"lash", "nue", "dfsssp", "auto"}},
      {"hypercube_6",
       [] { return of(topology::hypercube({.dimensions = 6, .hosts_per_switch = 1})); },
       {"lash", "nue", "dfsssp", "auto"}},
      {"dragonfly",
       [] {
         return of(topology::dragonfly(
             {.switches_per_group = 4, .global_cables = 2, .hosts_per_switch = 2}));
       },
       graphs},
      {"dragonfly_plus",
       [] {
         return of(topology::dragonfly_plus({.leaves_per_group = 3,
                                             .spines_per_group = 3,
                                             .global_cables = 1,
                                             .hosts_per_leaf = 3}));
       },
       graphs},
      {"slim_fly", [] { return of(topology::slim_fly({.q = 5, .hosts_per_switch = 2})); }, graphs},
      {"jellyfish",
       [] {
         return of(topology::random_regular(
             {.switches = 40, .degree = 5, .hosts_per_switch = 2, .seed = 7}));
       },
       graphs},
  };
  return all;
}

class HardCases : public ::testing::TestWithParam<Case> {};

TEST_P(HardCases, EveryEngineRoutesOrGivesAReason) {
  const Case& test = GetParam();
  const Subnet subnet(test.fabric());
  const RoutingOptions options = test.options();
  const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  std::vector<std::string> names{"auto"};
  for (const routing::Engine& engine : routing::engines()) names.emplace_back(engine.name);
  std::map<std::string, std::string> refusals;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::vector<std::string> chain{name};
    const auto routed = routing::route_with_chain(chain, true, input);
    if (!routed) {
      refusals[name] = routed.error().why;
      EXPECT_GT(routed.error().why.size(), name.size() + 10);
      continue;
    }
    const packets::Findings found = packets::trace_all(subnet, routed->routing);
    EXPECT_EQ(found.lost, 0u);
    EXPECT_LE(routed->routing.vls, 8u);
    const routing::Engine& engine = *routing::find_engine(routed->routing.engine);
    if (engine.promises_no_credit_loops && !routed->routing.may_deadlock) {
      EXPECT_FALSE(found.has_cycle());
    }
    EXPECT_EQ(found.has_cycle(), !routed->credit_loops.ok());
  }
  for (const std::string& name : test.must_route)
    EXPECT_FALSE(refusals.contains(name)) << refusals[name];
}

INSTANTIATE_TEST_SUITE_P(Fabrics, HardCases, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return std::string(test.param.name); });

// Engines that guarantee shortest paths take no detour on any of them.
TEST(HardCases, ShortestPathEnginesTakeNoDetour) {
  for (const Case& test : cases()) {
    const Subnet subnet(test.fabric());
    const RoutingOptions options = test.options();
    const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
    const routing::PathLengths least = routing::path_lengths(
        subnet.graph, subnet.lids, routing::find_engine("minhop")->route(input)->lfts);
    for (const char* const name : {"dor", "sssp", "dfsssp", "lash"}) {
      const auto routed = routing::find_engine(name)->route(input);
      if (!routed) continue;
      EXPECT_EQ(routing::path_lengths(subnet.graph, subnet.lids, routed->lfts).pairs, least.pairs)
          << test.name << ' ' << name;
    }
  }
}

}  // namespace hard_cases_test
