#include "routing/engines/distance/distance_engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/format.h"
#include "routing/engines/trees/tree_engines.h"
#include "routing/graph/up_down.h"
#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "support/fabrics.h"

namespace updn_test {

using fabric::NodeIndex;
using fabrics::Maker;
using fabrics::Subnet;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Result = tl::expected<routing::RoutingResult, routing::Refusal>;

Result run(Result (*engine)(const routing::RoutingInput&), const Subnet& subnet,
           const routing::RoutingOptions& options = {}) {
  return engine({subnet.fabric, subnet.graph, subnet.lids, options});
}
routing::VerifyReport verify(const Subnet& subnet, const fabric::ForwardingTables& lfts) {
  return routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts,
                         {.switch_lids_may_be_withheld = true});
}
bool has_loops(const Subnet& subnet, const fabric::ForwardingTables& lfts) {
  return !routing::find_credit_loops(subnet.graph, subnet.lids, lfts, {{}, {}},
                                     routing::Traffic::between_hosts)
              .ok();
}

// Two leaves (0, 1) with two hosts each under two spines (2, 3).
struct Tree {
  Maker maker;
  std::vector<NodeIndex> sw;
  Tree() {
    for (int i = 0; i < 4; ++i) sw.push_back(maker.sw(8));
    for (const int leaf : {0, 1}) {
      for (const int spine : {2, 3})
        maker.cable(sw[static_cast<std::size_t>(leaf)], sw[static_cast<std::size_t>(spine)]);
      for (int host = 0; host < 2; ++host) maker.host(sw[static_cast<std::size_t>(leaf)]);
    }
  }
  mad::Guid guid(std::size_t i) const { return mad::Guid{0x0002c90200000000u + 0x100 * i}; }
};

TEST(Updn, FindsTheSpinesAndHasNoPathsBetweenThem) {
  const Tree tree;
  const Subnet subnet(tree.maker.build());
  const Result result = run(routing::updn, subnet);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->roots, ElementsAre(tree.guid(2), tree.guid(3)));
  const auto report = verify(subnet, result->lfts);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.withheld_count, 2u);  // from each spine to the other
  ASSERT_FALSE(report.withheld.empty());
  EXPECT_EQ(report.withheld[0].first, 3u);
  EXPECT_THAT(
      routing::describe(report, subnet.fabric, subnet.lids),
      Contains(HasSubstr("2 pairs from switches to LIDs of switches: no path without a possible "
                         "credit loop")));
}

TEST(Updn, AnIncrementalRoutingCountsPairsWithoutAPathAgain) {
  Tree tree;
  const Subnet divided(tree.maker.build());
  tree.maker.cable(tree.sw[2], tree.sw[3]);
  const Subnet joined(tree.maker.build());
  routing::RoutingOptions options;
  options.roots = {tree.guid(2), tree.guid(3)};
  const std::vector<std::string> names{"updn"};
  auto last = routing::route_with_chain(names, true,
                                        {divided.fabric, divided.graph, divided.lids, options});
  ASSERT_TRUE(last);
  EXPECT_EQ(last->verification.withheld_count, 2u);
  for (const Subnet* const subnet : {&joined, &divided}) {
    const routing::PreviousRouting before{*last->memory, last->routing.lfts, last->routing};
    auto now = routing::route_with_chain(
        names, true,
        {subnet->fabric, subnet->graph, subnet->lids, options, &last->routing.lfts, &before});
    ASSERT_TRUE(now);
    EXPECT_TRUE(now->incremental);
    EXPECT_EQ(now->verification.withheld_count, subnet == &joined ? 0u : 2u);
    EXPECT_EQ(now->verification.withheld.size(), now->verification.withheld_count);
    last = std::move(now);
  }
}

TEST(Updn, ConnectsRootsWhenConfigured) {
  const Subnet subnet(Tree().maker.build());
  routing::RoutingOptions options;
  options.connect_roots = true;
  const Result result = run(routing::updn, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts).ok());
  EXPECT_FALSE(has_loops(subnet, result->lfts));
}

TEST(Updn, TakesNamedRootsAndLeavesOutWhatIsAbsent) {
  const Tree tree;
  const Subnet subnet(tree.maker.build());
  routing::RoutingOptions options;
  options.roots = {tree.guid(0), mad::Guid{42}};
  Result result = run(routing::updn, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->roots, ElementsAre(tree.guid(0)));
}

TEST(Updn, AHostIsNotARoot) {
  const Tree tree;
  const Subnet subnet(tree.maker.build());
  mad::Guid host;
  for (const auto& end : subnet.graph.end_ports)
    if (end.sw == 1 && end.out != mad::PortNum{0}) host = subnet.fabric.ports[end.port].guid;
  routing::RoutingOptions options;
  options.roots = {host, tree.guid(0)};
  Result result = run(routing::updn, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->roots, ElementsAre(tree.guid(0))) << "its switch is not a root either";
  options.roots = {mad::Guid{42}, host};
  for (const auto engine : {routing::updn, routing::ftree, routing::dmodc}) {
    const auto refused = run(engine, subnet, options);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().why,
                testing::AllOf(HasSubstr("root_guid_file names no switch of the fabric"),
                               HasSubstr(fmt::format("{}", host)), HasSubstr("a host")));
  }
  options.roots = {mad::Guid{42}};
  EXPECT_TRUE(run(routing::updn, subnet, options)) << "nothing of the file is here: as without it";
}

TEST(Updn, RefusesWhereNoRootIsFound) {
  const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {4, 4}})));
  const Result result = run(routing::updn, subnet);
  ASSERT_FALSE(result);
  EXPECT_THAT(
      result.error().why,
      testing::AllOf(HasSubstr("no switch has nearly all hosts at one distance: the best is \"S"),
                     HasSubstr("root_guid_file")));
}

TEST(Updn, HostsWithoutALegalPathFromTheNamedRootsTurn) {
  // Roots at both ends of a line of three switches: each end is reached only by going up, the hosts
  // of the other end only by going down first.
  Maker maker;
  std::vector<NodeIndex> sw{maker.sw(), maker.sw(), maker.sw()};
  maker.cable(sw[0], sw[1]);
  maker.cable(sw[1], sw[2]);
  for (const NodeIndex node : sw) maker.host(node);
  const Subnet subnet(maker.build());
  routing::RoutingOptions options;
  options.roots = {mad::Guid{0x0002c90200000000u}, mad::Guid{0x0002c90200000200u}};
  const Result result = run(routing::updn, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->turns);
  EXPECT_TRUE(verify(subnet, result->lfts).ok());
  EXPECT_FALSE(has_loops(subnet, result->lfts));
  EXPECT_THAT(
      texts(result->conditions),
      Contains(HasSubstr("no Up*/Down* path for 2 pairs of switches with end ports, such as "
                         "\"S0\" (0x0002c90200000000) and \"S2\"")));
}

TEST(Updn, IdsDecideBetweenEqualRanks) {
  // A square: root 0, then 1 and 2 next to it and a link between them. Host traffic 1 - 2 takes
  // that link whichever is higher.
  Maker maker;
  std::vector<NodeIndex> sw{maker.sw(), maker.sw(), maker.sw()};
  maker.cable(sw[0], sw[1]);
  maker.cable(sw[0], sw[2]);
  maker.cable(sw[1], sw[2]);
  for (const NodeIndex node : sw) maker.host(node);
  const Subnet subnet(maker.build());
  routing::RoutingOptions options;
  options.roots = {mad::Guid{0x0002c90200000000u}};
  options.node_ids = {{mad::Guid{0x0002c90200000100u}, 7}, {mad::Guid{0x0002c90200000200u}, 3}};
  EXPECT_TRUE(run(routing::updn, subnet, options));
  const std::vector<std::uint32_t> rank{0, 1, 1};
  const std::vector<std::uint64_t> guid{10, 20, 30}, id{0, 7, 3};
  EXPECT_THAT(routing::order_by_rank(rank, guid, guid), ElementsAre(0, 1, 2));
  EXPECT_THAT(routing::order_by_rank(rank, id, guid), ElementsAre(0, 2, 1));
}

TEST(UpDown, ADownwardPathIsTakenEvenIfGoingUpIsShorter) {
  // 0 is above 1 and 4; 1 - 2 - 3 - 4 go down to 4 in three hops: 1 must take these, although the
  // path up over 0 has two hops.
  Maker maker;
  std::vector<NodeIndex> sw;
  for (int i = 0; i < 5; ++i) sw.push_back(maker.sw());
  for (const auto& [a, b] :
       {std::pair(0, 1), std::pair(0, 4), std::pair(1, 2), std::pair(2, 3), std::pair(3, 4)})
    maker.cable(sw[static_cast<std::size_t>(a)], sw[static_cast<std::size_t>(b)]);
  const Subnet subnet(maker.build());
  const auto distances = routing::up_down_distances(
      subnet.graph, {0, 1, 2, 3, 4},
      {std::vector<std::uint8_t>(5, 0), std::vector<std::uint32_t>(5, 0), {}});
  ASSERT_TRUE(distances);
  EXPECT_EQ(distances->down.row(fabric::SwitchIndex{1})[4], 3);
  EXPECT_EQ(distances->legal.row(fabric::SwitchIndex{1})[4], 3);
  EXPECT_EQ(distances->legal.row(fabric::SwitchIndex{4})[1], 2);  // up over 0, then down
  EXPECT_EQ(distances->down.row(fabric::SwitchIndex{4})[1], 255);
}

TEST(Dnup, RoutesHostsAttachedToTopSwitches) {
  Tree tree;
  tree.maker.host(tree.sw[2]);
  const Subnet subnet(tree.maker.build());
  const Result result = run(routing::dnup, subnet);
  ASSERT_TRUE(result);
  EXPECT_TRUE(verify(subnet, result->lfts).ok());
  EXPECT_FALSE(has_loops(subnet, result->lfts));
}

TEST(Dor, RoutesDimensionsInOrderWithoutCreditLoopOnAMesh) {
  // 3 x 3 mesh. Ports: 1 x-, 2 x+, 3 y-, 4 y+, 5 host.
  Maker maker;
  std::vector<NodeIndex> sw;
  for (int i = 0; i < 9; ++i) sw.push_back(maker.sw(5));
  for (std::size_t i = 0; i < 9; ++i) {
    if (i % 3 < 2) maker.cable(sw[i], 2, sw[i + 1], 1);
    if (i / 3 < 2) maker.cable(sw[i], 4, sw[i + 3], 3);
  }
  for (const NodeIndex node : sw) maker.cable(maker.ca(), 1, node, 5);
  const Subnet subnet(maker.build());
  const Result result = run(routing::dor, subnet);
  ASSERT_TRUE(result);
  for (std::uint32_t from = 0; from < 9; ++from)
    for (std::uint32_t to = 0; to < 9; ++to) {
      const unsigned x = to % 3 < from % 3 ? 1 : 2, y = to / 3 < from / 3 ? 3 : 4;
      EXPECT_EQ(result->lfts.row(fabric::SwitchIndex{from})[to + 1], to == from           ? 5
                                                                     : to % 3 != from % 3 ? x
                                                                                          : y);
    }
  EXPECT_TRUE(verify(subnet, result->lfts).ok());
  EXPECT_FALSE(has_loops(subnet, result->lfts));
}

TEST(Dor, OnATorusTheChainReportsTheCreditLoop) {
  const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {5, 5}})));
  const std::vector<std::string> names{"dor"};
  const auto result =
      routing::route_with_chain(names, true, {subnet.fabric, subnet.graph, subnet.lids, {}});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->credit_loops.ok());
  EXPECT_THAT(texts(result->routing.conditions),
              Contains(AllOf(HasSubstr("dor: "), HasSubstr(" excludes it"))));
}

TEST(Dor, BalancesOverParallelLinksOnly) {
  const Subnet subnet(
      fabrics::from_topology(topology::row({.switches = 2, .cables = 4, .hosts_per_switch = 8})));
  const Result result = run(routing::dor, subnet);
  ASSERT_TRUE(result);
  std::map<unsigned, int> load;
  for (const auto& end : subnet.graph.end_ports)
    if (end.sw == 1 && end.out != mad::PortNum{0})
      ++load[result->lfts.at(fabric::SwitchIndex{0}, subnet.find_lid(end.port)).value];
  EXPECT_EQ(load.size(), 4u);
  for (const auto& [port, lids] : load) EXPECT_EQ(lids, 2) << port;
}

TEST(File, RefusesWithoutAFile) {
  const Subnet subnet(Tree().maker.build());
  EXPECT_FALSE(run(routing::file, subnet));
  routing::RoutingOptions options;
  options.lfts =
      std::make_shared<routing::ForwardingFile>(routing::ForwardingFile{{{mad::Guid{5}, {}}}, {}});
  const Result result = run(routing::file, subnet, options);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().why, HasSubstr("no table of a switch of the fabric"));
}

TEST(File, RoutesLidsThatTheFileDoesNotHaveByMinhop) {
  const Tree tree;
  const Subnet subnet(tree.maker.build());
  auto file = std::make_shared<routing::ForwardingFile>();
  file->rows.push_back(
      {tree.guid(0),
       {255, 1}});  // LID 1 leaves leaf 0 by port 1, to a spine; other switches have no entry
  routing::RoutingOptions options;
  options.lfts = file;
  const Result result = run(routing::file, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->lfts.at(fabric::SwitchIndex{0}, mad::Lid{1}), mad::PortNum{1});
  EXPECT_EQ(result->lfts.at(fabric::SwitchIndex{1}, mad::Lid{1}), mad::kNoPort);
  EXPECT_NE(result->lfts.at(fabric::SwitchIndex{1}, mad::Lid{2}), mad::kNoPort);
  EXPECT_THAT(texts(result->conditions), Contains(HasSubstr("no entry for 7 LIDs")));
  EXPECT_FALSE(verify(subnet, result->lfts).ok());  // so the chain would reject it
}

TEST(File, HopCountsChooseThePorts) {
  const Tree tree;
  const Subnet subnet(tree.maker.build());
  auto hops = std::make_shared<routing::HopFile>();
  // From leaf 0 to leaf 1 only over port 2; leaf 1 over both.
  hops->rows.push_back({tree.guid(0), {{mad::Lid{6}, tree.guid(1), {2, 255, 2, 255, 255}}}});
  hops->rows.push_back({tree.guid(1), {{mad::Lid{5}, tree.guid(0), {2, 2, 2, 255, 255}}}});
  routing::RoutingOptions options;
  options.hops = hops;
  const Result result = run(routing::file, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->lfts.at(fabric::SwitchIndex{0}, mad::Lid{3}), mad::PortNum{2});
  EXPECT_EQ(result->lfts.at(fabric::SwitchIndex{0}, mad::Lid{4}), mad::PortNum{2});
  EXPECT_NE(result->lfts.at(fabric::SwitchIndex{1}, mad::Lid{1}),
            result->lfts.at(fabric::SwitchIndex{1}, mad::Lid{2}));
  EXPECT_EQ(result->lfts.at(fabric::SwitchIndex{2}, mad::Lid{1}), mad::kNoPort);
}

}  // namespace updn_test
