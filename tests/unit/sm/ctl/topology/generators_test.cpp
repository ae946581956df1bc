#include "sm/ctl/topology/topology.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/fabric/topology/sound.h"

namespace topology {
namespace generators_test {

using ::testing::HasSubstr;

// Largest number of ports of any switch.
unsigned radix_of(const Topology& topology) {
  unsigned radix = 0;
  for (const Node& node : topology.nodes) {
    if (node.type == NodeType::switch_) radix = std::max(radix, node.port_count);
  }
  return radix;
}

TEST(Topology, BackToBackIsTwoHostsAndOneLink) {
  const Topology topology = back_to_back();
  expect_sound(topology);
  EXPECT_EQ(topology.count(NodeType::ca), 2u);
  EXPECT_EQ(topology.count(NodeType::switch_), 0u);
  EXPECT_EQ(topology.links.size(), 1u);
}

TEST(Topology, RowHasParallelLinks) {
  const Topology topology = row({.switches = 3, .cables = 4, .hosts_per_switch = 2});
  expect_sound(topology);
  EXPECT_EQ(topology.links.size(), 3u * 2 + 2 * 4);
}

TEST(Topology, RowWithTwoPortHostsReachesTheNextSwitch) {
  const Topology topology =
      row({.switches = 2, .cables = 1, .hosts_per_switch = 1, .ports_per_host = 2});
  expect_sound(topology);
  EXPECT_EQ(topology.nodes[0].port_count, 2u);
  EXPECT_EQ(topology.links[0].b.node, topology.find("S0"));
  EXPECT_EQ(topology.links[1].b.node, topology.find("S1"));
}

struct FatTreeCase {
  FatTreeParams params;
  std::size_t switches, cables;
};

class FatTree : public ::testing::TestWithParam<FatTreeCase> {};

TEST_P(FatTree, HasFullBandwidthAndTheGivenRadix) {
  const auto& [params, switches, cables] = GetParam();
  const Topology topology = fat_tree(params);
  expect_sound(topology);
  EXPECT_EQ(topology.count(NodeType::ca), params.hosts);
  EXPECT_EQ(topology.count(NodeType::switch_), switches);
  EXPECT_EQ(topology.links.size(), cables);
  EXPECT_LE(radix_of(topology), params.radix);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, FatTree,
    ::testing::Values(
        FatTreeCase{{.hosts = 20, .radix = 36, .levels = 0}, 1, 20},
        FatTreeCase{{.hosts = 324, .radix = 36, .levels = 0}, 18 + 9, 2 * 324},
        FatTreeCase{{.hosts = 648, .radix = 36, .levels = 2}, 36 + 18, 2 * 648},
        FatTreeCase{{.hosts = 1728, .radix = 24, .levels = 3}, 144 + 144 + 72, 3 * 1728},
        FatTreeCase{{.hosts = 11664, .radix = 36, .levels = 0}, 648 + 648 + 324, 3 * 11664}));

TEST(Topology, FatTreeReportsInvalidParameters) {
  const auto message_of = [](const FatTreeParams& params) -> std::string {
    try {
      fat_tree(params);
    } catch (const TopologyError& error) {
      return error.what();
    }
    return "built";
  };
  EXPECT_THAT(message_of({.hosts = 325, .radix = 36, .levels = 2}), HasSubstr("multiple of 18"));
  EXPECT_THAT(message_of({.hosts = 700, .radix = 36, .levels = 2}), HasSubstr("carry 648 hosts"));
  EXPECT_THAT(message_of({.hosts = 4, .radix = 7, .levels = 0}), HasSubstr("radix must be even"));
}

TEST(Topology, XgftOfOneParentPerLevelIsATree) {
  const Topology topology = xgft({.children = {4, 4, 4}, .parents = {1, 4, 4}, .cables = {}});
  expect_sound(topology);
  EXPECT_EQ(topology.count(NodeType::ca), 64u);
  EXPECT_EQ(topology.count(NodeType::switch_), 48u);
  EXPECT_EQ(topology.links.size(), 64u + 64 + 64);
}

TEST(Topology, TorusOfLengthTwoHasNoDoubledLinks) {
  const Topology topology = torus({.dimensions = {3, 2, 1}, .hosts_per_switch = 1});
  expect_sound(topology);
  EXPECT_EQ(topology.links.size(), 6u + 6 + 3);  // hosts, dimension of 3, dimension of 2
}

TEST(Topology, RandomGraphRepeatsFromItsSeed) {
  const auto text = [](std::uint64_t seed) {
    const Topology topology =
        random_graph({.switches = 20, .hosts = 40, .extra_links = 20, .seed = seed});
    expect_sound(topology);
    std::ostringstream out;
    write_ibsim(topology, out);
    return out.str();
  };
  EXPECT_EQ(text(7), text(7));
  EXPECT_NE(text(7), text(8));
}

TEST(Topology, WritesInputOfIbsim) {
  std::ostringstream out;
  write_ibsim(row({.switches = 1, .cables = 0, .hosts_per_switch = 1}), out);
  EXPECT_EQ(out.str(),
            "caguid=0x2c90000000000\nCa\t1 \"H0\"\t\t# \"H0\"\n[1]\t\"S0\"[1]\n\n"
            "switchguid=0x2c90200000000\nSwitch\t1 \"S0\"\t\t# \"S0\"\n[1]\t\"H0\"[1]\n\n");
}

}  // namespace generators_test
}  // namespace topology
