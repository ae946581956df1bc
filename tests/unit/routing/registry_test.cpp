#include "routing/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engines/distance/minhop.h"
#include "support/fabrics.h"

namespace registry_test {

using fabrics::Subnet;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

tl::expected<routing::RoutingResult, routing::Refusal> picky(const routing::RoutingInput&) {
  return tl::unexpected(routing::Refusal{"leaf \"S0\" has no up-link"});
}
tl::expected<routing::RoutingResult, routing::Refusal> careless(
    const routing::RoutingInput& input) {
  return routing::RoutingResult(sm::ForwardingTables(input.graph.switches(), input.lids.lid_top));
}
tl::expected<routing::RoutingResult, routing::Refusal> short_of_rows(
    const routing::RoutingInput& input) {
  return routing::RoutingResult(sm::ForwardingTables(1, input.lids.lid_top));
}

// A lane more than any cable has.
tl::expected<routing::RoutingResult, routing::Refusal> greedy(const routing::RoutingInput& input) {
  auto result = routing::minhop(input);
  result->vls = 9;
  return result;
}

constexpr std::array kTable{routing::Engine{"minhop", routing::minhop},
                            routing::Engine{"picky", picky}, routing::Engine{"careless", careless},
                            routing::Engine{"short", short_of_rows}};

class Chain : public testing::Test {
 protected:
  tl::expected<routing::ChainResult, routing::Refusal> run(std::vector<std::string> names,
                                                           bool no_fallback = false) {
    return routing::route_with_chain(
        names, no_fallback, {subnet_.fabric, subnet_.graph, subnet_.lids, options_, nullptr},
        kTable);
  }
  Subnet subnet_{fabrics::from_topology(sim::row({.switches = 3}))};
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
  const auto result = run({"picky", "careless", "short", "bogus", "minhop"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_FALSE(result->fell_back);
  EXPECT_THAT(
      result->refusals,
      ElementsAre(
          "picky: leaf \"S0\" has no up-link",
          HasSubstr("careless: its tables are not used: switch \"S0\""),
          HasSubstr("short: it made tables for 1 switches"),
          HasSubstr("bogus: there is no routing engine of this name; there are: minhop, ")));
}

TEST_F(Chain, FallsBackToMinhop) {
  const auto result = run({"picky"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_TRUE(result->fell_back);
}

TEST_F(Chain, NoFallbackIsAnError) {
  const auto result = run({"picky", "Minhop"}, true);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().why, HasSubstr("picky: leaf"));
  EXPECT_THAT(result.error().why, HasSubstr("Minhop: there is no"));
}

TEST_F(Chain, LanesThatAreNotThereAreRefused) {
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"greedy"}, true,
                                {subnet_.fabric, subnet_.graph, subnet_.lids, options_},
                                std::array{routing::Engine{"greedy", greedy}});
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.error().why,
      "greedy: it needs 9 virtual lanes, but 8 are all that every cable between switches has");
}

TEST(Promise, TablesThatBreakItAreRefusedOthersAreTold) {
  const Subnet ring(fabrics::from_topology(sim::torus({.dimensions = {5}})));
  const routing::RoutingOptions options;
  const std::array table{routing::Engine{"boaster", routing::minhop, true},
                         routing::Engine{"minhop", routing::minhop}};
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"boaster"}, false,
                                {ring.fabric, ring.graph, ring.lids, options}, table);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "minhop");
  EXPECT_TRUE(result->fell_back);
  EXPECT_THAT(
      result->refusals,
      ElementsAre(HasSubstr("boaster: its tables are not used: credit loop possible: \"S")));
  EXPECT_FALSE(result->credit_loops.ok());
  EXPECT_THAT(result->routing.notes,
              ElementsAre(HasSubstr("minhop does not keep fabrics like this one from deadlocks")));
}

TEST(Promise, EnginesOfTheRegistryKeepItWhereMinhopCannot) {
  const Subnet torus(fabrics::from_topology(sim::torus({.dimensions = {4, 4}})));
  const routing::RoutingOptions options;
  const auto result = routing::route_with_chain(std::vector<std::string>{"updn", "dfsssp"}, true,
                                                {torus.fabric, torus.graph, torus.lids, options});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.engine, "dfsssp");
  EXPECT_THAT(result->refusals,
              ElementsAre(HasSubstr("updn: no switch sees nearly all hosts at one distance")));
  EXPECT_TRUE(result->credit_loops.ok());
}

TEST(Registry, KnowsMinhop) {
  ASSERT_NE(routing::find_engine("minhop"), nullptr);
  EXPECT_EQ(routing::find_engine("MinHop"), nullptr);
}

}  // namespace registry_test
