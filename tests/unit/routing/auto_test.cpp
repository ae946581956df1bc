// "auto": the topology that is recognised, and the engine that the chain selects.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/graph/grid_shape.h"
#include "routing/registry.h"
#include "routing/topology_kind.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/trees.h"

namespace auto_test {

using fabrics::Subnet;
using routing::RoutingOptions;
using routing::TopologyKind;
using testing::ElementsAre;
using testing::HasSubstr;

routing::Topology recognised(const Subnet& subnet) {
  const RoutingOptions options;
  return routing::recognise({subnet.fabric, subnet.graph, subnet.lids, options});
}
tl::expected<routing::ChainResult, routing::Refusal> route(const Subnet& subnet,
                                                           bool no_fallback = true) {
  const RoutingOptions options;
  return routing::route_with_chain(std::vector<std::string>{"auto"}, no_fallback,
                                   {subnet.fabric, subnet.graph, subnet.lids, options});
}
Subnet make_subnet(const topology::Topology& topology) {
  return Subnet(fabrics::from_topology(trees::scrambled(topology, 4)));
}

TEST(Auto, RecognisesTrees) {
  const routing::Topology whole =
      recognised(make_subnet(topology::fat_tree({.hosts = 432, .radix = 12})));
  EXPECT_EQ(whole.kind, TopologyKind::tree);
  EXPECT_EQ(whole.what, "a fat tree of 3 levels, leaves with 6 up-links");
  const topology::Topology tree = topology::fat_tree({.hosts = 432, .radix = 12});
  EXPECT_EQ(recognised(make_subnet(topology::degrade(tree, 0.05, 1))).what,
            "a fat tree of 3 levels, leaves with 6 up-links, 43 of its links missing");
  EXPECT_EQ(recognised(make_subnet(topology::degrade(tree, 3 / 864.0, 1))).what,
            "a fat tree of 3 levels, leaves with 6 up-links, 3 of its links missing");
  EXPECT_EQ(recognised(make_subnet(topology::xgft(
                           {.children = {8, 4}, .parents = {1, 2}, .cables = {1, 3}})))
                .what,
            "a fat tree of 2 levels, leaves with 6 up-links");
  EXPECT_EQ(recognised(make_subnet(topology::row({.switches = 1}))).kind, TopologyKind::one_switch);
  EXPECT_EQ(recognised(make_subnet(topology::row({.switches = 2, .cables = 30}))).kind,
            TopologyKind::tree);
}

TEST(Auto, RecognisesGrids) {
  EXPECT_EQ(recognised(make_subnet(topology::torus({.dimensions = {5, 3, 6}}))).what,
            "a torus of 6 x 5 x 3 switches");
  EXPECT_EQ(recognised(make_subnet(topology::torus({.dimensions = {3, 3, 3}}))).what,
            "a torus of 3 x 3 x 3 switches");
  EXPECT_EQ(recognised(make_subnet(topology::mesh({.dimensions = {5, 4}}))).what,
            "a mesh of 5 x 4 switches");
  EXPECT_EQ(recognised(make_subnet(topology::hypercube({.dimensions = 5}))).what,
            "a hypercube of 5 dimensions");
  EXPECT_EQ(recognised(make_subnet(topology::torus({.dimensions = {7}}))).what,
            "a torus of 7 switches");
  EXPECT_EQ(recognised(
                make_subnet(topology::degrade(topology::torus({.dimensions = {5, 5, 5}}), 0.02, 1)))
                .kind,
            TopologyKind::other);
  using routing::GridDimension;
  EXPECT_EQ(routing::grid_shape(make_subnet(topology::torus({.dimensions = {4, 5}})).graph),
            (std::vector<GridDimension>{{5, true}, {2, false}, {2, false}}))
      << "a ring of four is a square";
  EXPECT_EQ(routing::grid_shape(make_subnet(topology::slim_fly({.q = 5})).graph), std::nullopt);
}

TEST(Auto, RecognisesDragonfliesAndReportsUnknownTopologies) {
  EXPECT_EQ(recognised(make_subnet(topology::dragonfly({}))).what,
            "a dragonfly of 9 groups with 4 switches each");
  EXPECT_THAT(recognised(make_subnet(topology::slim_fly({.q = 5}))).what,
              HasSubstr("50 switches with 7 to 7 links to others"));
  EXPECT_EQ(recognised(make_subnet(topology::dragonfly_plus({}))).kind, TopologyKind::other);
  EXPECT_EQ(recognised(make_subnet(topology::random_graph({}))).kind, TopologyKind::other);
}

TEST(Auto, TakesTheEngineThatSuitsTheTopologyAndAddsANote) {
  const auto tree = route(
      make_subnet(topology::degrade(topology::fat_tree({.hosts = 432, .radix = 12}), 0.02, 1)));
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->routing.engine, "dmodc");
  EXPECT_FALSE(tree->fell_back);
  ASSERT_FALSE(tree->routing.conditions.empty());
  EXPECT_EQ(tree->routing.conditions.front().text,
            "auto: a fat tree of 3 levels, leaves with 6 up-links, 17 of its links missing: dmodc");
  for (const topology::Topology& topology :
       {topology::torus({.dimensions = {4, 4, 3}}), topology::dragonfly({}),
        topology::slim_fly({.q = 5}), topology::hypercube({.dimensions = 5}),
        topology::random_graph({}), topology::row({.switches = 1}),
        topology::row({.switches = 2, .cables = 30})}) {
    const auto other = route(make_subnet(topology));
    ASSERT_TRUE(other) << other.error().why;
    EXPECT_TRUE(other->credit_loops.ok());
    EXPECT_THAT(other->routing.conditions.front().text, testing::StartsWith("auto: "));
  }
}

TEST(Auto, IsTriedInOrderWithOtherEnginesOfTheChain) {
  const Subnet torus = make_subnet(topology::torus({.dimensions = {5}}));
  const RoutingOptions options;
  const routing::RoutingInput input{torus.fabric, torus.graph, torus.lids, options};
  using Result = tl::expected<routing::RoutingResult, routing::Refusal>;
  const auto refuse = [](const routing::RoutingInput&) -> Result {
    return tl::unexpected(routing::Refusal{"never"});
  };
  const std::array table{routing::Engine{"dfsssp", refuse, true},
                         routing::Engine{"minhop", routing::find_engine("minhop")->route}};
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"auto"}, false, input, table);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_TRUE(result->fell_back);
  EXPECT_THAT(result->refusals, ElementsAre("auto: dfsssp: never"));
}

TEST(Auto, PrefersTheTorusEngineWhereItIsConfigured) {
  RoutingOptions options;
  const routing::Topology torus{TopologyKind::torus, "a torus"};
  EXPECT_EQ(routing::engines_for(torus, options).front(), "dfsssp");
  options.torus.dimensions[0].radix = 5;
  EXPECT_EQ(routing::engines_for(torus, options).front(), "torus-2QoS");
}

}  // namespace auto_test
