#include "routing/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engines/distance/distance_engines.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"

namespace verify_test {

using fabric::NodeIndex;
using fabrics::Maker;
using fabrics::Subnet;
using routing::TableProblem;
using routing::VerifyReport;
using testing::ElementsAre;
using testing::HasSubstr;

// Ring of four switches with a host each: LIDs 1..4 on 0..3, the switches 5..8. Port 1: to the
// previous switch, 2: to the next one, 3: host.
struct Ring {
  Maker maker;
  std::vector<NodeIndex> sw;
  Ring() {
    for (int i = 0; i < 4; ++i) sw.push_back(maker.sw(10));
    for (std::size_t i = 0; i < 4; ++i) maker.cable(sw[i], 2, sw[(i + 1) % 4], 1);
    for (const NodeIndex node : sw) maker.cable(maker.ca(), 1, node, 3);
  }
};

fabric::ForwardingTables route(const Subnet& subnet) {
  return routing::minhop({subnet.fabric, subnet.graph, subnet.lids, {}, nullptr})->lfts;
}
VerifyReport verify(const Subnet& subnet, const fabric::ForwardingTables& lfts) {
  return routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts);
}

TEST(Verify, CompleteTablesHaveNoProblem) {
  const Subnet subnet(Ring().maker.build());
  const VerifyReport report = verify(subnet, route(subnet));
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.lost, 0u);
  ASSERT_EQ(report.components.size(), 1u);
  EXPECT_EQ(report.components[0].lids, 8u);
  EXPECT_TRUE(routing::describe(report, subnet.fabric, subnet.lids).empty());
}

TEST(Verify, NoSwitchesNoProblem) {
  Maker maker;
  const NodeIndex a = maker.ca(), b = maker.ca();
  maker.cable(a, b);
  const Subnet subnet(maker.build());
  EXPECT_TRUE(verify(subnet, route(subnet)).ok());
}

TEST(Verify, MissingEntryIsReportedOnceAndLostPairsAreCounted) {
  const Subnet subnet(Ring().maker.build());
  auto lfts = route(subnet);
  lfts.writable_row(fabric::SwitchIndex{0})[1] =
      255;  // at the owner's own switch: LID 1 is not reachable
  const VerifyReport report = verify(subnet, lfts);
  EXPECT_THAT(report.problems,
              ElementsAre(TableProblem{TableProblem::Kind::no_entry, fabric::SwitchIndex{0},
                                       mad::Lid{1}, mad::kNoPort}));
  EXPECT_EQ(report.lost, 4u);
  EXPECT_THAT(routing::describe(report, subnet.fabric, subnet.lids),
              ElementsAre("switch \"S0\" (0x0002c90200000000) and LID 1 of \"H4\" "
                          "(0x0002c90000000400) port 1: no entry, although a path exists",
                          "4 pairs of switch and LID are cut off by them"));
}

/// Two leaves with a host each, two spines without: a spine may drop a host's LID if both leaves
/// send the LID to the other spine. OpenSM's tables of trees have such gaps.
TEST(Verify, SwitchesWithoutHostsMayHaveGapsWhereThatIsAllowed) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw(), used = maker.sw(), unused = maker.sw();
  for (const NodeIndex leaf : {a, b})
    for (const NodeIndex spine : {used, unused}) maker.cable(leaf, spine);
  maker.host(a);
  maker.host(b);
  const Subnet subnet(maker.build());
  auto lfts = route(subnet);
  for (const NodeIndex leaf : {a, b})
    for (const unsigned lid : {1u, 2u})
      if (lfts.at(subnet.sw(leaf), mad::Lid{static_cast<std::uint16_t>(lid)}) == mad::PortNum{2})
        lfts.writable_row(subnet.sw(leaf))[lid] = 1;
  lfts.writable_row(subnet.sw(unused))[1] = mad::kNoPort.value;
  EXPECT_FALSE(verify(subnet, lfts).ok());
  const routing::VerifyRules gaps{.switches_without_hosts_may_drop = true};
  const auto allowed = routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts, gaps);
  EXPECT_TRUE(allowed.ok());
  EXPECT_EQ(allowed.withheld_count, 1u);
  EXPECT_THAT(
      routing::describe(allowed, subnet.fabric, subnet.lids),
      ElementsAre(HasSubstr("1 pair from switches without hosts to hosts: no path in the tables")));
  lfts.writable_row(subnet.sw(used))[1] = mad::kNoPort.value;
  EXPECT_FALSE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts, gaps).ok())
      << "a host's packets pass this one";
}

TEST(Verify, DistinguishesDeadExits) {
  Ring ring;
  ring.maker.cable(ring.sw[1], 5, ring.sw[3], 5);
  ring.maker.set_state(ring.sw[3], 5, mad::PortState::down);
  ring.maker.cable(ring.sw[1], 6, ring.sw[1], 7);
  const Subnet subnet(ring.maker.build());
  const auto problem_of = [&](std::uint8_t out) {
    auto lfts = route(subnet);
    lfts.writable_row(fabric::SwitchIndex{1})[4] = out;
    const VerifyReport report = verify(subnet, lfts);
    EXPECT_EQ(report.problem_count, 1u);
    return report.problems.empty() ? ""
                                   : routing::text(report.problems[0], subnet.fabric, subnet.lids);
  };
  EXPECT_THAT(problem_of(11), HasSubstr("does not exist"));
  EXPECT_THAT(problem_of(8), HasSubstr("has no link"));
  EXPECT_THAT(problem_of(5), HasSubstr("not up"));
  EXPECT_THAT(problem_of(6), HasSubstr("back to the same switch"));
  EXPECT_THAT(problem_of(3), HasSubstr("port 3 delivers to another"));
  EXPECT_THAT(problem_of(0), HasSubstr("port 0 delivers to another"));
}

TEST(Verify, LoopIsOneProblem) {
  const Subnet subnet(Ring().maker.build());
  auto lfts = route(subnet);
  lfts.writable_row(fabric::SwitchIndex{1})[4] = 2;
  lfts.writable_row(fabric::SwitchIndex{2})[4] = 1;
  const VerifyReport report = verify(subnet, lfts);
  EXPECT_THAT(report.problems,
              ElementsAre(TableProblem{TableProblem::Kind::loop, fabric::SwitchIndex{1},
                                       mad::Lid{4}, mad::PortNum{2}}));
  EXPECT_EQ(report.lost, 2u);
}

TEST(Verify, DetourIsNoProblem) {
  const Subnet subnet(Ring().maker.build());
  auto lfts = route(subnet);
  lfts.writable_row(fabric::SwitchIndex{1})[1] = 2;  // the longer path to switch 0
  lfts.writable_row(fabric::SwitchIndex{2})[1] = 2;
  EXPECT_TRUE(verify(subnet, lfts).ok());
}

TEST(Verify, ReportsComponentsWithoutProblems) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw(), c = maker.sw();
  maker.cable(a, b);
  maker.host(a);
  maker.host(c);
  const Subnet subnet(maker.build());
  auto lfts = route(subnet);
  VerifyReport report = verify(subnet, lfts);
  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.components.size(), 2u);
  EXPECT_EQ(report.components[0].switches, 2u);
  EXPECT_EQ(report.components[1].first, subnet.sw(c));
  EXPECT_EQ(report.without_path, 3u * 1 + 2u * 2);
  EXPECT_THAT(
      routing::describe(report, subnet.fabric, subnet.lids),
      ElementsAre(HasSubstr("switch \"S2\" (0x0002c90200000200) is cut off from the fabric")));

  lfts.writable_row(subnet.sw(a))[2] =
      1;  // a loop of two switches for a LID of the other component
  lfts.writable_row(subnet.sw(b))[2] = 1;
  report = verify(subnet, lfts);
  EXPECT_THAT(report.problems, ElementsAre(TableProblem{TableProblem::Kind::loop, subnet.sw(a),
                                                        mad::Lid{2}, mad::PortNum{1}}));
  EXPECT_EQ(report.lost, 0u);
}

TEST(Verify, ReportsSmallTablesAndEntriesBeyondThem) {
  Ring ring;
  ring.maker.set_cap(ring.sw[2], 3);
  const Subnet subnet(ring.maker.build());
  auto lfts = route(subnet);
  VerifyReport report = verify(subnet, lfts);
  EXPECT_TRUE(report.ok());
  EXPECT_THAT(report.small_switches, ElementsAre(2u));
  EXPECT_GE(report.stopped_by_small, 6u);
  lfts.writable_row(fabric::SwitchIndex{2})[6] = 1;
  report = verify(subnet, lfts);
  EXPECT_THAT(report.problems,
              ElementsAre(TableProblem{TableProblem::Kind::beyond_table, fabric::SwitchIndex{2},
                                       mad::Lid{6}, mad::PortNum{1}}));
  EXPECT_THAT(routing::text(report.problems[0], subnet.fabric, subnet.lids),
              HasSubstr("table ends at LID 2"));
}

TEST(Verify, ListIsBoundedAndCountIsNot) {
  const Subnet subnet(
      fabrics::from_topology(topology::row({.switches = 20, .hosts_per_switch = 10})));
  const VerifyReport report = verify(subnet, fabric::ForwardingTables(20, subnet.lids.lid_top));
  EXPECT_EQ(report.problems.size(), VerifyReport::kProblemsListed);
  EXPECT_EQ(report.problem_count, 20u * 220);
  EXPECT_EQ(report.lost, 20u * 220);
  const auto lines = routing::describe(report, subnet.fabric, subnet.lids, 3);
  EXPECT_THAT(lines[3], HasSubstr("4397 more"));
}

TEST(Verify, TablesThatEndBelowTheHighestLidAreIncomplete) {
  const Subnet subnet(
      fabrics::from_topology(topology::row({.switches = 2, .hosts_per_switch = 40})));
  EXPECT_GT(verify(subnet, fabric::ForwardingTables(2, mad::Lid{10})).problem_count, 0u);
}

}  // namespace verify_test
