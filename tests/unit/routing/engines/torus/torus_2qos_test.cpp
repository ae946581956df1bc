#include "routing/engines/torus/torus_2qos.h"
#include "mad/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engines/torus/tree.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "support/conditions.h"
#include "support/tori.h"

namespace torus_2qos_test {

using fabric::kNoIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::RoutingOptions;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tori::At;
using tori::Lattice;

struct Routed {
  Subnet subnet;
  RoutingOptions options;
  tl::expected<routing::RoutingResult, routing::Refusal> result;

  explicit Routed(const Lattice& lattice, unsigned vls = 8, unsigned lmc = 0,
                  std::vector<At> seeds = {})
      : subnet(lattice.fabric(), lmc), result(tl::unexpected(routing::Refusal{})) {
    if (seeds.empty())
      for (const At at : lattice.places()) seeds.push_back(at);
    options.torus = lattice.options(seeds);
    options.vls_max = vls;
    result = routing::torus_2qos(input());
  }
  routing::RoutingInput input() const {
    return {subnet.fabric, subnet.graph, subnet.lids, options};
  }
  std::string why() const { return result ? "" : result.error().why; }

  routing::CreditLoops loops() const {
    return routing::find_credit_loops(
        subnet.graph, subnet.lids, result->lfts, {result->sls, result->sl_to_vl},
        routing::Traffic::all,
        routing::torus::tree_dependencies(input(), result->multicast_up, result->sl_to_vl));
  }
  // Every switch reaches every LID, without credit loops, multicast included.
  void expect_routed() const {
    ASSERT_TRUE(result) << why();
    const auto report = routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts);
    EXPECT_TRUE(report.ok()) << routing::describe(report, subnet.fabric, subnet.lids).front();
    const auto found = loops();
    EXPECT_TRUE(found.ok()) << routing::text(found.loops.front(), subnet.fabric, subnet.graph);
  }
};

unsigned ring_distance(unsigned a, unsigned b, unsigned radix) {
  return std::min((a + radix - b) % radix, (b + radix - a) % radix);
}

TEST(Torus2Qos, CompleteToriAndMeshesHaveShortestPaths) {
  for (const Lattice& lattice :
       {Lattice{{3, 3, 3}}, Lattice{{5, 5, 5}}, Lattice{{4, 4, 4}}, Lattice{{2, 5, 3}},
        Lattice{{8, 8, 1}}, Lattice{{1, 4, 5}}, Lattice{{7, 1, 1}}, Lattice{{4, 1, 1}},
        Lattice{{2, 2, 2}}, Lattice{{6, 4, 2}}, Lattice{{9, 10, 1}, {true, true, true}, 2, 3},
        Lattice{{3, 4, 5}, {false, false, false}}, Lattice{{3, 4, 5}, {true, false, true}},
        Lattice{{4, 4, 1}, {false, true, true}}}) {
    const Routed routed(lattice, 8, 0, {{0, 0, 0}});
    routed.expect_routed();
    EXPECT_THAT(texts(routed.result->conditions), IsEmpty());
    EXPECT_EQ(routed.result->vls, 8u);
    std::uint64_t hops = 0, expected = 0;
    const auto lengths =
        routing::path_lengths(routed.subnet.graph, routed.subnet.lids, routed.result->lfts);
    for (std::size_t length = 0; length < lengths.pairs.size(); ++length)
      hops += length * lengths.pairs[length];
    for (const At a : lattice.places())
      for (const At b : lattice.places())
        for (unsigned d = 0; d < 3; ++d) {
          const unsigned apart = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];
          expected += (lattice.wraps[d] ? ring_distance(a[d], b[d], lattice.radix[d]) : apart) *
                      lattice.hosts_per_switch * lattice.hosts_per_switch;
        }
    EXPECT_EQ(hops, expected);
  }
}

TEST(Torus2Qos, RoutesAroundEverySingleMissingSwitch) {
  for (const Lattice& whole : {Lattice{{5, 5, 5}}, Lattice{{6, 6, 1}}, Lattice{{3, 3, 3}},
                               Lattice{{4, 5, 6}}, Lattice{{7, 3, 1}}}) {
    for (const At lost : whole.places()) {
      Lattice lattice = whole;
      lattice.lost_switches = {lost};
      SCOPED_TRACE(testing::PrintToString(lost));
      Routed(lattice).expect_routed();
    }
  }
}

TEST(Torus2Qos, RoutesAroundAdjacentMissingSwitchesInTheLastDimension) {
  for (const Lattice& whole : {Lattice{{4, 4, 6}}, Lattice{{6, 6, 1}}}) {
    const unsigned last = whole.radix[2] > 1 ? 2 : 1;
    for (unsigned first = 0; first < whole.radix[last]; ++first) {
      for (unsigned count = 2; count <= whole.radix[last]; ++count) {
        Lattice lattice = whole;
        At at{1, 2, 0};
        at[last] = first;
        for (unsigned i = 0; i < count; ++i, at = whole.next(at, last, true))
          lattice.lost_switches.insert(at);
        Routed(lattice).expect_routed();
      }
    }
  }
}

TEST(Torus2Qos, TakesTheLongerDirectionWithoutChangingSls) {
  const Lattice whole{{5, 5, 5}};
  const Routed before(whole);
  for (const At at : whole.places()) {
    for (unsigned d = 0; d < 3; ++d) {
      Lattice lattice = whole;
      lattice.lost_cables = {{at, d}};
      const Routed routed(lattice);
      routed.expect_routed();
      ASSERT_EQ(routed.result->sls, before.result->sls);
      ASSERT_THAT(texts(routed.result->conditions),
                  ElementsAre(AllOf(HasSubstr("no link from"),
                                    HasSubstr(fmt::format("at ({},{},{})", at[0], at[1], at[2])))));
    }
  }
}

TEST(Torus2Qos, RefusesDisconnectedRingsAndNamesTheirSwitches) {
  Lattice lattice{{5, 5, 5}};
  lattice.lost_cables = {{{1, 2, 3}, 0}, {{3, 2, 3}, 0}};
  EXPECT_EQ(Routed(lattice).why(),
            "the ring in x through \"S0_2_3\" (0x0002c90200020300) at (0,2,3) is disconnected: "
            "none of its links lead to \"S2_2_3\" (0x0002c90202020300) at (2,2,3)");
}

TEST(Torus2Qos, RefusesMissingSwitchesThatAllowACreditLoop) {
  Lattice lattice{{5, 5, 5}};
  lattice.lost_switches = {{1, 2, 3}, {2, 2, 3}};  // a line in x
  EXPECT_THAT(Routed(lattice).why(), AllOf(HasSubstr("with no switch at (1,2,3), (2,2,3)"),
                                           HasSubstr("->"), HasSubstr("VL")));
  lattice.lost_switches = {{1, 2, 3}, {1, 3, 3}};  // in y
  EXPECT_THAT(Routed(lattice).why(), HasSubstr("with no switch at (1,2,3), (1,3,3)"));
}

TEST(Torus2Qos, FewerVlsSufficeWhereNothingIsMissing) {
  const Lattice whole{{5, 5, 5}};
  for (const auto& [vls, used] : {std::pair(2u, 2u), std::pair(3u, 2u), std::pair(4u, 4u),
                                  std::pair(7u, 4u), std::pair(15u, 8u)}) {
    const Routed routed(whole, vls);
    routed.expect_routed();
    EXPECT_EQ(routed.result->vls, used);
  }
  EXPECT_THAT(Routed(whole, 1).why(), HasSubstr("credit loops not excluded with 1 VLs"));
  Routed({{5, 5, 5}, {false, false, false}}, 1).expect_routed();  // a mesh needs one
  Lattice damaged = whole;
  damaged.lost_switches = {{1, 2, 3}};
  Routed(damaged, 4).expect_routed();
  EXPECT_THAT(Routed(damaged, 2).why(), HasSubstr("credit loops not excluded with 2 VLs, with no "
                                                  "switch at (1,2,3)"));
}

// As in opensm-sl2vl.dump of OpenSM 3.3.23 on a torus of 3 x 3 x 3.
TEST(Torus2Qos, VlsAreThoseOfOpenSm) {
  const Routed routed(Lattice{{3, 3, 3}});
  const auto& map = routed.result->sl_to_vl;
  ASSERT_EQ(map.classes(), 4u);
  for (unsigned in = 0; in < 4; ++in)
    EXPECT_THAT(map.row(in, 3), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(map.row(3, 0), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5));
  EXPECT_THAT(map.row(1, 0), ElementsAre(2, 3, 2, 3, 2, 3, 2, 3, 6, 7, 6, 7, 6, 7, 6, 7));
  EXPECT_THAT(map.row(1, 1), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 4, 4, 5, 5, 4, 4, 5, 5));
  EXPECT_THAT(map.row(2, 1), ElementsAre(2, 2, 3, 3, 2, 2, 3, 3, 6, 6, 7, 7, 6, 6, 7, 7));
  EXPECT_THAT(map.row(0, 2), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 4, 4, 4, 4, 5, 5, 5, 5));
  EXPECT_EQ(map.of_end_ports, map.row(3, 3));
  EXPECT_EQ(routed.result->sls.free_bits, 8);
}

TEST(Torus2Qos, EndPortsWithOneVlGetNoQosLevels) {
  const Lattice lattice{{3, 3, 1}};
  fabric::Fabric fabric = lattice.fabric();
  for (const fabric::PortIndex port : fabric.end_ports)
    if (!fabric.owning_node(port).is_switch()) fabric.ports[port].info.set_vl_cap(1);
  const Subnet subnet(fabric);
  RoutingOptions options;
  options.torus = lattice.options();
  const auto result = routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->sl_to_vl.of_end_ports, routing::SlToVlRow{});
  EXPECT_EQ(result->sl_to_vl.row(3, 0)[8], 4);  // links between switches have them
}

TEST(Torus2Qos, ParallelLinksAreBalancedInPortOrder) {
  const Lattice lattice{{3, 1, 1}, {true, true, true}, 4, 2};
  const auto ports_to = [&](std::vector<mad::PortNum> order) {
    const Subnet subnet(lattice.fabric());
    RoutingOptions options;
    options.torus = lattice.options();
    options.torus.port_order = std::move(order);
    const auto result = routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options});
    EXPECT_TRUE(result);
    std::vector<unsigned> out;  // of the first switch towards the second one's hosts, by port
    for (const auto& end : subnet.graph.end_ports)
      if (end.sw == 1)
        out.push_back(result->lfts.at(fabric::SwitchIndex{0}, subnet.find_lid(end.port)).value);
    return out;
  };
  const auto plain = ports_to({});  // port 0 comes first here
  EXPECT_EQ(plain[1], plain[3]);
  EXPECT_EQ(plain[2], plain[4]);
  EXPECT_NE(plain[1], plain[2]);
  const auto ordered =
      ports_to({mad::PortNum{2}, mad::PortNum{4}, mad::PortNum{1}, mad::PortNum{3}});
  EXPECT_EQ(ordered[2], ordered[1]);
  EXPECT_EQ(ordered[4], ordered[3]);
  EXPECT_NE(ordered[2], ordered[4]);
}

TEST(Torus2Qos, NamesMissingSwitchesAndLinksUpToMaxChanges) {
  Lattice lattice{{5, 5, 1}};
  lattice.lost_switches = {{2, 2, 0}};
  lattice.lost_cables = {{{0, 0, 0}, 0}, {{0, 1, 0}, 0}, {{0, 3, 0}, 0}};
  Routed routed(lattice);
  ASSERT_TRUE(routed.result) << routed.why();
  EXPECT_THAT(texts(routed.result->conditions),
              ElementsAre("torus-2QoS: no switch at (2,2,0)", HasSubstr("from \"S0_0_0\""),
                          HasSubstr("from \"S0_1_0\""), HasSubstr("from \"S0_3_0\"")));
  routed.options.torus.max_changes = 1;
  EXPECT_THAT(texts(routing::torus_2qos(routed.input())->conditions),
              ElementsAre("torus-2QoS: no switch at (2,2,0)", "and 3 more of this kind"));
}

TEST(Torus2Qos, RefusalWithoutAFileSaysWhatItNeeds) {
  const Subnet subnet(Lattice{{3, 3, 3}}.fabric());
  const RoutingOptions options;
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"torus-2QoS"}, true,
                                {subnet.fabric, subnet.graph, subnet.lids, options});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().why,
              AllOf(HasSubstr("torus_config"), HasSubstr("'torus 5 5 4'"), HasSubstr("xp_link")));
}

TEST(Torus2Qos, RefusesInvalidSizes) {
  const Subnet subnet(Lattice{{3, 3, 3}}.fabric());
  RoutingOptions options;
  options.torus = Lattice{{3, 3, 3}}.options();
  options.torus.dimensions[0].radix = 4'000'000'000u;
  EXPECT_THAT(routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options}).error().why,
              HasSubstr("too large"));
  options.torus.dimensions[0].radix = 3;
  options.torus.seeds.clear();
  EXPECT_THAT(routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options}).error().why,
              HasSubstr("names no switches"));
}

TEST(Torus2Qos, IsAcceptedByTheChain) {
  const Routed routed(Lattice{{5, 4, 3}});
  const auto result =
      routing::route_with_chain(std::vector<std::string>{"torus-2QoS"}, true, routed.input());
  ASSERT_TRUE(result) << result.error().why;
  EXPECT_EQ(result->routing.engine, "torus-2QoS");
}

}  // namespace torus_2qos_test
