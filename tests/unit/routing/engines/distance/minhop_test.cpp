#include "routing/engines/distance/distance_engines.h"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/graph/hops.h"
#include "routing/quality/quality.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "support/fabrics.h"

namespace minhop_test {

using fabric::NodeIndex;
using fabric::PortIndex;
using fabrics::Maker;
using fabrics::Subnet;
using routing::RoutingOptions;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

routing::RoutingResult route_all(const Subnet& subnet, const RoutingOptions& options = {},
                                 const fabric::ForwardingTables* previous = nullptr) {
  auto result = routing::minhop({subnet.fabric, subnet.graph, subnet.lids, options, previous});
  EXPECT_TRUE(result.has_value());
  const routing::VerifyReport report =
      routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts);
  EXPECT_TRUE(report.ok()) << testing::PrintToString(
      routing::describe(report, subnet.fabric, subnet.lids));
  return std::move(*result);
}

fabric::ForwardingTables route(const Subnet& subnet, const RoutingOptions& options = {},
                               const fabric::ForwardingTables* previous = nullptr) {
  return route_all(subnet, options, previous).lfts;
}

unsigned out(const Subnet& subnet, const fabric::ForwardingTables& lfts, NodeIndex sw,
             unsigned lid) {
  return lfts.at(subnet.sw(sw), mad::Lid{static_cast<std::uint16_t>(lid)}).value;
}

// By port: how many of the LIDs [first, last] leave the switch by it.
std::map<unsigned, unsigned> spread(const Subnet& subnet, const fabric::ForwardingTables& lfts,
                                    NodeIndex sw, unsigned first, unsigned last) {
  std::map<unsigned, unsigned> count;
  for (unsigned lid = first; lid <= last; ++lid) ++count[out(subnet, lfts, sw, lid)];
  return count;
}

unsigned worst_minus_best(const std::map<unsigned, unsigned>& count, std::size_t candidates) {
  unsigned low = count.size() < candidates ? 0 : ~0u, high = 0;
  for (const auto& [port, lids] : count) {
    low = std::min(low, lids);
    high = std::max(high, lids);
  }
  return high - low;
}

// Two switches with k links and hosts on both. The ports of the links come first.
struct Pair {
  Maker maker;
  NodeIndex a = maker.sw(200), b = maker.sw(200);
  std::vector<PortIndex> on_a, on_b;
  Pair(unsigned links, unsigned hosts) {
    maker.cable(a, b, links);
    for (unsigned i = 0; i < hosts; ++i) on_a.push_back(maker.host(a));
    for (unsigned i = 0; i < hosts; ++i) on_b.push_back(maker.host(b));
  }
};

TEST(Minhop, NoSwitchNeedsNoTables) {
  Maker maker;
  const NodeIndex a = maker.ca(), b = maker.ca();
  maker.cable(a, b);
  const Subnet subnet(maker.build());
  EXPECT_EQ(route(subnet).switches(), 0u);
}

TEST(Minhop, OneSwitchDeliversToItsPorts) {
  Maker maker;
  const NodeIndex sw = maker.sw(36);
  maker.cable(maker.ca(), 1, sw, 7);
  maker.cable(maker.ca(), 1, sw, 3);
  const Subnet subnet(maker.build());  // LIDs in port order, the switch last
  const auto lfts = route(subnet);
  EXPECT_EQ(out(subnet, lfts, sw, 1), 3u);
  EXPECT_EQ(out(subnet, lfts, sw, 2), 7u);
  EXPECT_EQ(out(subnet, lfts, sw, 3), 0u);
  EXPECT_EQ(out(subnet, lfts, sw, 0), 255u);
  EXPECT_THAT(lfts.row(fabric::SwitchIndex{0}).subspan(4), Each(255));
}

TEST(Minhop, SwitchWithoutHostsIsReached) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw(), c = maker.sw();
  maker.cable(a, b);
  maker.cable(b, c);
  const Subnet subnet(maker.build());
  const auto lfts = route(subnet);
  EXPECT_EQ(out(subnet, lfts, a, 3), 1u);
  EXPECT_EQ(out(subnet, lfts, b, 3), 2u);
  EXPECT_EQ(out(subnet, lfts, c, 3), 0u);
}

TEST(Minhop, BalancesOverParallelLinks) {
  for (const unsigned links : {1u, 2u, 3u, 5u, 30u, 65u, 130u}) {
    SCOPED_TRACE(links);
    const Pair pair(links, 24);
    const Subnet subnet(pair.maker.build());
    const auto lfts = route(subnet);
    EXPECT_LE(worst_minus_best(spread(subnet, lfts, pair.a, 25, 48), links), 1u);
    EXPECT_LE(worst_minus_best(spread(subnet, lfts, pair.b, 1, 24), links), 1u);
  }
}

TEST(Minhop, SwitchesStartAtDifferentLinks) {
  std::set<unsigned> first;
  for (unsigned i = 0; i < 40; ++i) {
    Maker maker;
    const NodeIndex a = maker.add(mad::NodeType::switch_, 36, "", mad::Guid{0x1000 + i}),
                    b = maker.sw();
    const NodeIndex c = maker.sw();  // a triangle is not a tree
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(a, c)})
      maker.cable(from, to, 8);
    for (const NodeIndex sw : {a, b, c}) maker.host(sw);
    const Subnet subnet(maker.build());
    first.insert(out(subnet, route(subnet), a, 2));
  }
  EXPECT_GE(first.size(), 6u);
}

TEST(Minhop, LowestPortFirstGivesOpenSmsTables) {
  const Pair pair(3, 4);
  const Subnet subnet(pair.maker.build());
  const auto lfts = route(subnet, {.lowest_port_first = true});
  EXPECT_EQ(out(subnet, lfts, pair.a, 5), 1u);
  EXPECT_EQ(out(subnet, lfts, pair.a, 6), 2u);
  EXPECT_EQ(out(subnet, lfts, pair.a, 7), 3u);
  EXPECT_EQ(out(subnet, lfts, pair.a, 8), 1u);
}

TEST(Minhop, RingTakesTheShortestPath) {
  Maker maker;
  std::vector<NodeIndex> ring;
  for (int i = 0; i < 7; ++i) ring.push_back(maker.sw());
  for (std::size_t i = 0; i < 7; ++i)
    maker.cable(ring[i], 2, ring[(i + 1) % 7], 1);  // 2: next, 1: last
  for (const NodeIndex sw : ring) maker.cable(maker.ca(), 1, sw, 3);
  const Subnet subnet(maker.build());
  const auto lfts = route(subnet);
  for (std::size_t from = 0; from < 7; ++from)
    for (std::size_t ahead = 1; ahead < 7; ++ahead)
      EXPECT_EQ(out(subnet, lfts, ring[from], static_cast<unsigned>((from + ahead) % 7 + 1)),
                ahead <= 3 ? 2u : 1u);
}

TEST(Minhop, RoutesEachConnectedComponent) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw(), c = maker.sw();
  maker.cable(a, 1, b, 1);
  maker.host(a);
  maker.host(c);
  const Subnet subnet(maker.build());  // LIDs: host on a, host on c, a, b, c
  const auto lfts = route(subnet);
  EXPECT_EQ(out(subnet, lfts, b, 1), 1u);
  EXPECT_EQ(out(subnet, lfts, b, 2), 255u);
  EXPECT_EQ(out(subnet, lfts, c, 1), 255u);
  EXPECT_EQ(out(subnet, lfts, c, 2), 1u);
}

TEST(Minhop, LinksThatAreDownAndLoopbackLinksAreNotUsed) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw();
  maker.cable(a, 1, b, 1);
  maker.cable(a, 2, b, 2);
  maker.cable(a, 3, a, 4);
  maker.set_state(b, 2, mad::PortState::down);
  maker.host(a);
  for (int i = 0; i < 6; ++i) maker.host(b);
  const Subnet subnet(maker.build());
  EXPECT_THAT(spread(subnet, route(subnet), a, 2, 7), UnorderedElementsAre(testing::Pair(1u, 6u)));
}

TEST(Minhop, BothPortsOfACaAndRoutersAreReached) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw(), two = maker.ca(2), same = maker.ca(2),
                  router = maker.router(2);
  maker.cable(a, 1, b, 1);
  maker.cable(two, 1, a, 2);
  maker.cable(two, 2, b, 2);
  maker.cable(same, 1, b, 3);
  maker.cable(same, 2, b, 4);
  maker.cable(router, 2, b, 5);
  const Subnet subnet(maker.build());  // LIDs: a2; b2 b3 b4 b5; a, b
  const auto lfts = route(subnet);
  EXPECT_THAT(lfts.row(subnet.sw(a)).subspan(1, 7), ElementsAre(2, 1, 1, 1, 1, 0, 1));
  EXPECT_THAT(lfts.row(subnet.sw(b)).subspan(1, 7), ElementsAre(1, 2, 3, 4, 5, 1, 0));
}

TEST(Minhop, EntriesEndAtLinearFdbCap) {
  Pair pair(1, 4);
  pair.maker.set_cap(pair.a, 5);
  const Subnet subnet(pair.maker.build());  // LIDs 1..4 on a, 5..8 on b, 9 and 10
  const auto lfts = route(subnet);
  EXPECT_EQ(out(subnet, lfts, pair.a, 4), 5u);
  EXPECT_THAT(lfts.row(subnet.sw(pair.a)).subspan(5), Each(255));
  EXPECT_EQ(out(subnet, lfts, pair.b, 9), 1u);
}

TEST(Minhop, EndPortsWithoutLidAreLeftOut) {
  const Pair pair(1, 2);
  Subnet subnet(pair.maker.build());
  subnet.lids.port_of_lid[3] = fabric::kNoIndex;
  for (auto& range : subnet.lids.of_end_port)
    if (range.base == mad::Lid{3}) range = {};
  const auto lfts = route(subnet);
  EXPECT_EQ(out(subnet, lfts, pair.a, 3), 255u);
  EXPECT_EQ(out(subnet, lfts, pair.a, 4), 1u);
}

// A leaf, four spines in two systems, a leaf.
TEST(Minhop, LidsOfOnePortTakeDifferentSystemsThenSwitchesThenLinks) {
  Maker maker;
  const NodeIndex from = maker.sw(), to = maker.sw();
  std::vector<NodeIndex> spines;
  for (unsigned i = 0; i < 4; ++i) {
    spines.push_back(maker.sw());
    maker.set_system(spines[i], mad::Guid{0x700u + i / 2});
    maker.cable(from, spines[i], 2);  // ports 1 2, 3 4, 5 6, 7 8
    maker.cable(spines[i], to, 2);
  }
  maker.host(to);
  maker.host(from);
  const Subnet subnet(maker.build(), 3);
  const unsigned base =
      subnet.lids.of_end_port[fabric::EndPortIndex(subnet.lids.of_end_port.size() - 2)].base.value;
  ASSERT_EQ(subnet.fabric.ports[subnet.lids.owner(mad::Lid{static_cast<std::uint16_t>(base)})].peer,
            subnet.fabric.port(to, mad::PortNum{9}));
  const auto lfts = route(subnet);
  std::vector<unsigned> ports, spine, system;
  for (unsigned k = 0; k < 8; ++k) {
    ports.push_back(out(subnet, lfts, from, base + k));
    spine.push_back((ports.back() - 1) / 2);
    system.push_back(spine.back() / 2);
  }
  EXPECT_NE(system[0], system[1]);
  EXPECT_THAT((std::set<unsigned>(spine.begin(), spine.begin() + 4)), testing::SizeIs(4));
  EXPECT_THAT(ports, UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Minhop, SystemGuidZeroIsNoCommonSystem) {
  Maker maker;
  const NodeIndex from = maker.sw(), to = maker.sw();
  for (unsigned i = 0; i < 4; ++i) {
    const NodeIndex spine = maker.sw();
    maker.set_system(spine, i < 3 ? mad::Guid{} : mad::Guid{0x700});
    maker.cable(from, spine);
    maker.cable(spine, to);
  }
  maker.host(to);
  const Subnet subnet(maker.build(), 2);
  EXPECT_THAT(spread(subnet, route(subnet), from, 4, 7), testing::SizeIs(4));
}

TEST(Minhop, KeepsRoutesThatAreStillShortest) {
  const Pair pair(4, 20);
  const Subnet before(pair.maker.build());
  auto old = route(before, {.lowest_port_first = true});
  Maker more = pair.maker;
  more.cable(pair.a, pair.b);  // a fifth
  for (int i = 0; i < 5; ++i) more.host(pair.b);
  fabric::Fabric fabric = more.build();
  fabric::LidMap lids = fabrics::assign_lids(fabric);  // a: 1..20, b: 21..45
  const Subnet after(std::move(fabric), std::move(lids));
  for (unsigned lid = 41; lid <= old.lid_top().value; ++lid)
    old.writable_row(fabric::SwitchIndex{0})[lid] = old.writable_row(fabric::SwitchIndex{1})[lid] =
        0xFF;  // were LIDs of switches
  const auto lfts = route(after, {}, &old);
  for (unsigned lid = 21; lid <= 40; ++lid)
    EXPECT_EQ(out(after, lfts, pair.a, lid), out(before, old, pair.a, lid));
  EXPECT_THAT(spread(after, lfts, pair.a, 21, 45),
              Each(testing::Pair(testing::_, 5u)));  // the new LIDs take the new link

  Maker fewer = pair.maker;
  fewer.set_state(pair.a, 2, mad::PortState::down);
  const Subnet broken(fewer.build());
  const auto repaired = route(broken, {}, &old);
  for (unsigned lid = 21; lid <= 40; ++lid)
    if (const unsigned was = out(before, old, pair.a, lid); was != 2) {
      EXPECT_EQ(out(broken, repaired, pair.a, lid), was);
    }
  EXPECT_LE(worst_minus_best(spread(broken, repaired, pair.a, 21, 40), 3), 1u);
}

TEST(Minhop, ReplacesRoutesThatBecameLonger) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw(), c = maker.sw();
  maker.cable(a, b);
  maker.cable(b, c);
  maker.host(c);
  const Subnet before(maker.build());
  const auto old = route(before);
  maker.cable(a, 2, c, 3);
  const Subnet after(maker.build());
  EXPECT_EQ(out(before, old, a, 1), 1u);
  EXPECT_EQ(out(after, route(after, {}, &old), a, 1), 2u);
}

TEST(Minhop, HopWeightsMakeDetoursShorter) {
  Maker maker;
  const NodeIndex a = maker.sw(), b = maker.sw(), c = maker.sw();
  maker.cable(a, 1, b, 1);
  maker.cable(a, 2, c, 1);
  maker.cable(c, 2, b, 2);
  maker.host(a);
  for (int i = 0; i < 4; ++i) maker.host(b);
  const Subnet subnet(maker.build());
  RoutingOptions options;
  options.hop_weights.push_back({{subnet.fabric.nodes[a].guid, mad::PortNum{1}}, 3});
  const auto lfts = route(subnet, options);
  EXPECT_THAT(spread(subnet, lfts, a, 2, 5),
              UnorderedElementsAre(testing::Pair(2u, 4u)));  // 1 + 1 < 3
  EXPECT_EQ(out(subnet, lfts, b, 1), 1u);                    // the other direction has weight 1
  options.hop_weights[0].weight = 2;
  EXPECT_THAT(spread(subnet, route(subnet, options), a, 2, 5),
              UnorderedElementsAre(testing::Pair(1u, 2u), testing::Pair(2u, 2u)));
}

TEST(Minhop, SearchOrderDecidesTies) {
  const Pair pair(4, 6);
  const Subnet subnet(pair.maker.build());
  RoutingOptions options;
  options.port_search_ordering.push_back(
      {subnet.fabric.nodes[pair.a].guid, {mad::PortNum{3}, mad::PortNum{99}, mad::PortNum{1}}});
  options.port_search_ordering.push_back(
      {subnet.fabric.nodes[pair.a].guid, {mad::PortNum{4}}});  // not the first of this switch
  const auto lfts = route(subnet, options);
  std::vector<unsigned> ports;
  for (unsigned lid = 7; lid <= 12; ++lid) ports.push_back(out(subnet, lfts, pair.a, lid));
  EXPECT_THAT(ports, ElementsAre(3, 1, 2, 4, 3, 1));
}

TEST(Minhop, IgnoredPortsHaveNoLoad) {
  const Pair pair(3, 9);
  const Subnet subnet(pair.maker.build());
  RoutingOptions options{.lowest_port_first = true};
  options.port_prof_ignore.push_back({subnet.fabric.nodes[pair.a].guid, mad::PortNum{2}});
  const auto count = spread(subnet, route(subnet, options), pair.a, 10, 18);
  EXPECT_EQ(count.at(2), 8u);  // 1, then always 2
  EXPECT_EQ(count.at(1), 1u);
}

TEST(Minhop, GuidOrderIsRoutedFirst) {
  const Pair pair(3, 6);
  const Subnet subnet(pair.maker.build());
  RoutingOptions options{.lowest_port_first = true};
  for (const std::size_t i : {4u, 2u, 5u})
    options.guid_routing_order.push_back(subnet.fabric.ports[pair.on_b[i]].guid);
  const auto lfts = route(subnet, options);
  std::vector<unsigned> ports;
  for (unsigned lid = 7; lid <= 12; ++lid) ports.push_back(out(subnet, lfts, pair.a, lid));
  EXPECT_THAT(ports, ElementsAre(1, 2, 2, 3, 1, 3));
}

TEST(Minhop, ScatterIsBalancedAndRepeats) {
  const Pair pair(5, 50);
  const Subnet subnet(pair.maker.build());
  const auto first = route(subnet, {.scatter_ports = 8}),
             again = route(subnet, {.scatter_ports = 8}),
             other = route(subnet, {.scatter_ports = 9});
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_LE(worst_minus_best(spread(subnet, first, pair.a, 51, 100), 5), 1u);
  RoutingOptions all_listed{.guid_routing_order_no_scatter = true};
  for (const PortIndex port : subnet.fabric.end_ports)
    all_listed.guid_routing_order.push_back(subnet.fabric.ports[port].guid);
  RoutingOptions all_listed_scatter = all_listed;
  all_listed_scatter.scatter_ports = 8;
  EXPECT_EQ(route(subnet, all_listed), route(subnet, all_listed_scatter));
}

TEST(Minhop, PortShiftingStaysBalanced) {
  const Pair pair(7, 40);
  const Subnet subnet(pair.maker.build());
  EXPECT_LE(
      worst_minus_best(spread(subnet, route(subnet, {.port_shifting = true}), pair.a, 41, 80), 7),
      1u);
}

TEST(Minhop, SwitchLidsCountOnlyWhenConfigured) {
  Maker maker;  // a has two links to b; eight switches and two hosts are connected to b
  const NodeIndex a = maker.sw(), b = maker.sw();
  maker.cable(a, b, 2);
  for (int i = 0; i < 8; ++i) maker.cable(maker.sw(), b);
  maker.host(b);
  maker.host(b);
  const Subnet subnet(maker.build());  // LIDs: 1 2 hosts, 3 a, 4 b, 5..12
  EXPECT_LE(worst_minus_best(spread(subnet, route(subnet), a, 1, 2), 2), 1u);
  auto count = spread(subnet, route(subnet, {.port_profile_switch_nodes = true}), a, 1, 12);
  EXPECT_EQ(count[0], 1u);
  count.erase(0);
  EXPECT_LE(worst_minus_best(count, 2), 1u);
}

TEST(Minhop, NamesUnknownSwitchesOfTheOptions) {
  const Pair pair(1, 1);
  const Subnet subnet(pair.maker.build());
  RoutingOptions options;
  for (unsigned i = 0; i < 15; ++i)
    options.hop_weights.push_back({{mad::Guid{0x10u + i}, mad::PortNum{1}}, 2});
  options.hop_weights.push_back(
      {{subnet.fabric.nodes[pair.a].guid, mad::PortNum{199}}, 2});  // has no link
  const auto notes = texts(route_all(subnet, options).conditions);
  ASSERT_EQ(notes.size(), 11u);
  EXPECT_THAT(notes[0], HasSubstr("0x0000000000000010"));
  EXPECT_THAT(notes[10], HasSubstr("5 more"));
}

TEST(Minhop, FullTreesGiveEachDestinationItsOwnDownwardPath) {
  for (const unsigned radix : {8u, 12u, 18u}) {
    SCOPED_TRACE(radix);
    const unsigned half = radix / 2;
    const Subnet subnet(fabrics::from_topology(
        topology::fat_tree({.hosts = 2 * half * half * half, .radix = radix})));
    const auto lfts = route(subnet);
    EXPECT_EQ(routing::shift_load(subnet.graph, subnet.lids, lfts).worst, 1u);
    const auto loads = routing::lids_per_channel(subnet.graph, subnet.lids, lfts);
    for (const fabric::SwitchIndex sw :
         subnet.graph.all_switches()) {  // up-links are the last half of the ports
      if (subnet.graph.degree(sw) == radix && routing::hops_to_leaf(subnet.graph)[sw] == 2)
        continue;
      const auto up = std::span(loads).subspan(subnet.graph.offsets[sw + 1] - half, half);
      EXPECT_LE(*std::ranges::max_element(up) - *std::ranges::min_element(up), 1u);
    }
  }
}

/// Trees of any radix and any number of pods, also fewer than the radix allows: their top switches
/// have parallel links, or ports without one.
TEST(Minhop, AShiftOnATreeWithFewPodsSharesNoLink) {
  const auto expect_one = [](unsigned hosts, unsigned radix) {
    SCOPED_TRACE(std::to_string(hosts) + " hosts, radix " + std::to_string(radix));
    const Subnet subnet(
        fabrics::from_topology(topology::fat_tree({.hosts = hosts, .radix = radix})));
    const auto lfts = route(subnet);
    EXPECT_LE(routing::shift_load(subnet.graph, subnet.lids, lfts, hosts / 20 + 1).worst, 1u);
  };
  for (unsigned radix = 8; radix <= 64; radix += 4)  // two levels
    for (const unsigned leaves : {2u, radix / 4, radix / 2, radix})
      if (radix % leaves == 0) expect_one(leaves * radix / 2, radix);
  for (const unsigned radix : {8u, 12u, 16u, 20u})  // three levels
    for (unsigned pods = 2; pods <= radix; ++pods)
      if (radix % pods == 0 && pods * radix / 2 > radix)
        expect_one(pods * radix / 2 * (radix / 2), radix);
}

/// A tree with aggregation nodes: paths between spines meet in one leaf, so that no credit loop is
/// possible.
TEST(Minhop, ChoosesPathsWithoutACreditLoopWhereThereAreSome) {
  Maker maker;
  std::vector<NodeIndex> leaves, spines;
  for (int i = 0; i < 4; ++i) spines.push_back(maker.sw());
  for (int i = 0; i < 6; ++i) {
    leaves.push_back(maker.sw());
    for (const NodeIndex spine : spines) maker.cable(leaves.back(), spine);
    for (int host = 0; host < 4; ++host) maker.host(leaves.back());
  }
  for (const auto* const some : {&leaves, &spines})
    for (const NodeIndex sw : *some) {
      const NodeIndex inside = maker.ca();
      maker.set_system(sw, mad::Guid{0x700 + sw});
      maker.set_system(inside, mad::Guid{0x700 + sw});
      maker.cable(sw, inside);
    }
  const Subnet subnet(maker.build());
  EXPECT_TRUE(routing::find_credit_loops(subnet.graph, subnet.lids, route(subnet), {{}, {}},
                                         routing::Traffic::between_hosts)
                  .ok());
}

TEST(Minhop, ChainsLongerThanAByteAreRouted) {
  Maker maker;
  NodeIndex last = maker.sw();
  maker.host(last);
  for (int i = 0; i < 299; ++i) {
    const NodeIndex next = maker.sw();
    maker.cable(last, next);
    last = next;
  }
  const Subnet subnet(maker.build());
  EXPECT_EQ(out(subnet, route(subnet), last, 1), 1u);
}

}  // namespace minhop_test
