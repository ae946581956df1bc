#include "routing/registry.h"

#include <fmt/ranges.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/engine_names.h"
#include "routing/core/routing_conditions.h"
#include "routing/engines/distance/distance_engines.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "support/fabrics.h"

namespace registry_test {

using fabrics::Subnet;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

tl::expected<routing::RoutingResult, routing::Refusal> refusing(const routing::RoutingInput&) {
  return tl::unexpected(routing::Refusal{"leaf \"S0\" has no up-link"});
}
tl::expected<routing::RoutingResult, routing::Refusal> incomplete(
    const routing::RoutingInput& input) {
  return routing::RoutingResult(
      fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top));
}
tl::expected<routing::RoutingResult, routing::Refusal> short_of_tables(
    const routing::RoutingInput& input) {
  return routing::RoutingResult(fabric::ForwardingTables(1, input.lids.lid_top));
}

// Needs one VL more than the links have.
tl::expected<routing::RoutingResult, routing::Refusal> many_vls(
    const routing::RoutingInput& input) {
  auto result = routing::minhop(input);
  result->vls = 9;
  return result;
}

constexpr std::array kTable{
    routing::Engine{"minhop", routing::minhop}, routing::Engine{"refusing", refusing},
    routing::Engine{"incomplete", incomplete}, routing::Engine{"short", short_of_tables}};

class Chain : public testing::Test {
 protected:
  tl::expected<routing::ChainResult, routing::Refusal> run(std::vector<std::string> names,
                                                           bool no_fallback = false) {
    return routing::route_with_chain(
        names, no_fallback, {subnet_.fabric, subnet_.graph, subnet_.lids, options_, nullptr},
        kTable);
  }
  Subnet subnet_{fabrics::from_topology(topology::row({.switches = 3}))};
  routing::RoutingOptions options_;
};

TEST_F(Chain, NoNamesMeanMinhop) {
  const auto result = run({});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_FALSE(result->fell_back);
  EXPECT_THAT(result->refusals, IsEmpty());
  EXPECT_TRUE(result->verification.ok());
  EXPECT_EQ(run({}, true)->routing.engine, "minhop");
}

TEST_F(Chain, TriesInOrderAndKeepsTheReasons) {
  const auto result = run({"refusing", "incomplete", "short", "bogus", "minhop"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_FALSE(result->fell_back);
  EXPECT_THAT(result->refusals,
              ElementsAre("refusing: leaf \"S0\" has no up-link",
                          HasSubstr("incomplete: tables rejected: switch \"S0\""),
                          HasSubstr("short: tables rejected: made for 1 switches"),
                          HasSubstr("bogus: unknown routing engine; known: minhop, ")));
}

TEST_F(Chain, FallsBackToMinhop) {
  const auto result = run({"refusing"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_TRUE(result->fell_back);
}

TEST_F(Chain, NoFallbackIsAnError) {
  const auto result = run({"refusing", "Minhop"}, true);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().why, HasSubstr("refusing: leaf"));
  EXPECT_THAT(result.error().why, HasSubstr("Minhop: unknown routing engine"));
}

TEST_F(Chain, RefusesMoreVlsThanAvailable) {
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"many_vls"}, true,
                                {subnet_.fabric, subnet_.graph, subnet_.lids, options_},
                                std::array{routing::Engine{"many_vls", many_vls}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().why,
            "many_vls: 9 VLs needed, 8 available on every link between switches");
}

TEST(Promise, RejectsTablesThatBreakItAndReportsLoopsOfOtherEngines) {
  const Subnet ring(fabrics::from_topology(topology::torus({.dimensions = {5}})));
  const routing::RoutingOptions options;
  const std::array table{routing::Engine{"wrong_promise", routing::minhop, true},
                         routing::Engine{"minhop", routing::minhop}};
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"wrong_promise"}, false,
                                {ring.fabric, ring.graph, ring.lids, options}, table);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_TRUE(result->fell_back);
  EXPECT_THAT(result->refusals, ElementsAre(AllOf(HasSubstr("wrong_promise: tables rejected: "),
                                                  HasSubstr(" -> \"S"))));
  EXPECT_FALSE(result->credit_loops.ok());
  EXPECT_THAT(
      texts(result->routing.conditions),
      ElementsAre(AllOf(HasSubstr("minhop: "),
                        HasSubstr("; no engine that auto would take excludes it on this fabric"))));
}

/// The advice is an engine that does it, and never the one that runs.
TEST(Promise, TheReportOfALoopNamesAnEngineThatExcludesIt) {
  const Subnet torus(fabrics::from_topology(topology::torus({.dimensions = {4, 4}})));
  const routing::RoutingOptions options;
  const routing::RoutingInput input{torus.fabric, torus.graph, torus.lids, options};
  const auto advised = [&](const std::string& engine) {
    const auto result = routing::route_with_chain(std::vector<std::string>{engine}, true, input);
    EXPECT_TRUE(result && !result->credit_loops.ok()) << engine;
    if (!result) return std::string();
    for (const std::string& text : texts(result->routing.conditions))
      if (const std::size_t at = text.find("; routing_engine "); at != std::string::npos)
        return text.substr(at + 17, text.find(" excludes it") - at - 17);
    return std::string();
  };
  for (const std::string engine : {"minhop", "sssp"}) {
    const std::string other = advised(engine);
    EXPECT_NE(other, engine);
    const auto without = routing::route_with_chain(std::vector<std::string>{other}, true, input);
    ASSERT_TRUE(without) << other;
    EXPECT_TRUE(without->credit_loops.ok()) << other;
  }
}

/// With one VL no engine for a torus that needs several does it.
TEST(Promise, TheReportOfALoopNamesNoEngineThatTheFabricRefuses) {
  const Subnet torus(fabrics::from_topology(topology::torus({.dimensions = {4, 4}})));
  routing::RoutingOptions options;
  options.vls_max = 1;
  const routing::RoutingInput input{torus.fabric, torus.graph, torus.lids, options};
  const auto result = routing::route_with_chain(std::vector<std::string>{"minhop"}, true, input);
  ASSERT_TRUE(result);
  const auto dfsssp = routing::route_with_chain(std::vector<std::string>{"dfsssp"}, true, input);
  EXPECT_FALSE(dfsssp);
  EXPECT_THAT(texts(result->routing.conditions),
              testing::Not(testing::Contains(HasSubstr("routing_engine dfsssp"))));
}

TEST(Promise, EnginesOfTheRegistryKeepItWhereMinhopHasALoop) {
  const Subnet torus(fabrics::from_topology(topology::torus({.dimensions = {4, 4}})));
  const routing::RoutingOptions options;
  const auto result = routing::route_with_chain(std::vector<std::string>{"updn", "dfsssp"}, true,
                                                {torus.fabric, torus.graph, torus.lids, options});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "dfsssp");
  EXPECT_THAT(result->refusals,
              ElementsAre(HasSubstr("updn: no switch has nearly all hosts at one distance")));
  EXPECT_TRUE(result->credit_loops.ok());
}

TEST(Registry, FindsMinhopByExactName) {
  ASSERT_NE(routing::find_engine("minhop"), nullptr);
  EXPECT_EQ(routing::find_engine("MinHop"), nullptr);
}

TEST(Engines, TheCauseOfCreditLoopsNamesThoseThatDoNotExcludeThem) {
  std::vector<std::string_view> names;
  for (const routing::Engine& engine : routing::engines())
    if (!engine.promises_no_credit_loops && !config::routes_adaptively(engine.name))
      names.push_back(engine.name);
  EXPECT_THAT(std::string(routing::kRoutingConditions.routing_limit.cause),
              HasSubstr(fmt::format("loops ({}; ", fmt::join(names, ", "))));
}

}  // namespace registry_test
