// torus-2QoS on random tori and meshes with random damage.

#include <gtest/gtest.h>

#include "fabric/topology/random_source.h"
#include "mad/format.h"
#include "property/packets.h"
#include "routing/engines/torus/torus_2qos.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "support/seeds.h"
#include "support/tori.h"

namespace torus_property_test {

using fabric::kNoIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using packets::Hop;
using topology::Random;
using tori::At;
using tori::Lattice;

Lattice random_lattice(Random& random, std::size_t cells_max) {
  Lattice lattice;
  do {
    for (unsigned d = 0; d < 3; ++d) {
      lattice.radix[d] = random.percent(30) ? 1 : 2 + random.below(5);
      lattice.wraps[d] = random.percent(80);
    }
  } while (lattice.places().size() > cells_max || lattice.places().size() == 1);
  lattice.hosts_per_switch = 1 + random.below(2);
  lattice.cables = random.percent(80) ? 1 : 2;
  return lattice;
}

template <class T>
const T& any(Random& random, const std::vector<T>& list) {
  return list[random.below(static_cast<std::uint32_t>(list.size()))];
}

unsigned distance(const Lattice& lattice, At a, At b) {
  unsigned sum = 0;
  for (unsigned d = 0; d < 3; ++d) {
    const unsigned apart = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];
    sum += lattice.wraps[d] ? std::min(apart, lattice.radix[d] - apart) : apart;
  }
  return sum;
}

// Packets of a group with members on all switches, from each switch over the tree, with SL 0 or 8.
void trace_multicast(const Subnet& subnet, const routing::RoutingResult& result, unsigned sl,
                     packets::Findings& found) {
  const fabric::SwitchGraph& graph = subnet.graph;
  std::vector<std::vector<fabric::ChannelIndex>> channels(graph.switches());
  for (const SwitchIndex sw : graph.all_switches()) {
    if (result.multicast_up[sw] == kNoIndex) continue;
    channels[sw].push_back(result.multicast_up[sw]);
    channels[graph.neighbour[result.multicast_up[sw]]].push_back(
        graph.reverse[result.multicast_up[sw]]);
  }
  const auto flood = [&](auto&& self, SwitchIndex sw, fabric::ChannelIndex from, mad::PortNum in,
                         const Hop* before, std::size_t depth) -> void {
    ASSERT_LE(depth, graph.switches());
    for (const fabric::ChannelIndex channel : channels[sw]) {
      if (channel == from) continue;
      const Hop hop{sw, graph.port[channel], result.sl_to_vl.at(sw, in, graph.port[channel])[sl]};
      if (before != nullptr) found.edges[*before].insert(hop);
      self(self, graph.neighbour[channel], graph.reverse[channel],
           graph.port[graph.reverse[channel]], &hop, depth + 1);
    }
  };
  for (const SwitchIndex sw : graph.all_switches())
    flood(flood, sw, kNoIndex, mad::PortNum{0}, nullptr, 0);
}

struct Damaged {
  Random random;
  Lattice lattice;
  bool must_route = true;
  std::vector<At> seeds;
  unsigned vls = 8;
  unsigned lmc = 0;

  explicit Damaged(std::uint64_t seed) : random(seed * 977) {
    lattice = random_lattice(random, 48);
    const std::vector<At> places = lattice.places();
    const unsigned rings = rings_of(1), dimensions = static_cast<unsigned>(std::ranges::count_if(
                                            lattice.radix, [](unsigned n) { return n > 1; }));
    vls = random.percent(60) ? 8 : 1 + random.below(7);
    lmc = random.percent(80) ? 0 : 1;
    const unsigned kind = random.below(6);
    if (kind == 1 || kind == 4) lattice.lost_switches.insert(any(random, places));
    if (kind == 2 || kind == 4) lattice.lost_cables.insert({any(random, places), random.below(3)});
    if (kind == 3) {  // several in a row in the last dimension
      At at = any(random, places);
      const unsigned last = lattice.radix[2] > 1 ? 2 : lattice.radix[1] > 1 ? 1 : 0;
      for (unsigned i = 1 + random.below(lattice.radix[last]); i > 0; --i) {
        lattice.lost_switches.insert(at);
        at = lattice.next(at, last, true);
      }
    }
    if (kind == 5) {
      for (unsigned i = random.below(4); i > 0; --i)
        lattice.lost_switches.insert(any(random, places));
      for (unsigned i = random.below(6); i > 0; --i)
        lattice.lost_cables.insert({any(random, places), random.below(3)});
    }
    // Tables that are free of credit loops by the rules, on rings without a gap.
    must_route = kind == 0 ? vls >= 2
                           : (kind == 1 || kind == 2 || kind == 3) && rings == dimensions &&
                                 dimensions >= 2 && vls >= 4;
    for (const At at : places)
      if (!lattice.lost_switches.contains(at)) seeds.push_back(at);
    if (seeds.empty()) seeds.push_back({0, 0, 0});
    for (std::size_t i = seeds.size(); i > 1; --i)
      std::swap(seeds[i - 1], seeds[random.below(static_cast<std::uint32_t>(i))]);
  }

  // Dimensions that are rings, and longer than that.
  unsigned rings_of(unsigned longer_than) const {
    unsigned count = 0;
    for (unsigned d = 0; d < 3; ++d)
      count += lattice.wraps[d] && lattice.radix[d] > std::max(2u, longer_than) ? 1u : 0u;
    return count;
  }
};

std::string described(const Damaged& test) {
  const auto at = [](At place) { return fmt::format("({},{},{})", place[0], place[1], place[2]); };
  std::string text;
  for (unsigned d = 0; d < 3; ++d)
    text += fmt::format("{}{} ", test.lattice.radix[d], test.lattice.wraps[d] ? 't' : 'm');
  text += fmt::format("{} VLs", test.vls);
  for (const At place : test.lattice.lost_switches)
    text += fmt::format(", no switch {}", at(place));
  for (const auto& [place, dimension] : test.lattice.lost_cables)
    text += fmt::format(", no link {} {}", at(place), "xyz"[dimension]);
  return text;
}

TEST(TorusProperty, RoutesAllOrRefusesAndHasNoCreditLoop) {
  std::size_t routed = 0, refused = 0, damaged_and_routed = 0;
  seeds::for_each(3000, [&](std::uint64_t seed) {
    const Damaged test(seed);
    const Lattice& lattice = test.lattice;
    SCOPED_TRACE(described(test));
    const Subnet subnet(lattice.fabric(seed), test.lmc);
    routing::RoutingOptions options;
    options.torus = lattice.options(test.seeds);
    options.vls_max = test.vls;
    const auto result = routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options});
    if (!result) {
      ++refused;
      ASSERT_FALSE(result.error().why.empty());
      ASSERT_FALSE(test.must_route) << result.error().why;
      return;
    }
    ++routed;
    damaged_and_routed += lattice.lost_switches.empty() && lattice.lost_cables.empty() ? 0u : 1u;
    ASSERT_LE(result->vls, test.vls);
    const auto report = routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts);
    ASSERT_TRUE(report.ok()) << routing::describe(report, subnet.fabric, subnet.lids).front();
    packets::Findings found = packets::trace_all(subnet, *result);
    ASSERT_EQ(found.lost, 0u);
    ASSERT_FALSE(found.has_cycle());
    trace_multicast(subnet, *result, 0, found);
    trace_multicast(subnet, *result, 8, found);
    ASSERT_FALSE(found.has_cycle());
    // The tree reaches every switch.
    std::size_t roots = 0, cut_off = 0;
    for (const SwitchIndex sw : subnet.graph.all_switches()) {
      if (subnet.graph.degree(sw) == 0) {
        ++cut_off;
      } else {
        roots += result->multicast_up[sw] == kNoIndex ? 1u : 0u;
      }
    }
    ASSERT_EQ(roots, cut_off == subnet.graph.switches() ? 0u : 1u);
    // Every SL is that of the complete torus, for any complete seed, and paths are shortest if
    // nothing is lost.
    const bool whole = lattice.lost_switches.empty() && lattice.lost_cables.empty();
    for (const auto& from : subnet.graph.end_ports) {
      for (const auto& to : subnet.graph.end_ports) {
        if (from.out == mad::PortNum{0} || subnet.graph.degree(from.sw) == 0 ||
            subnet.graph.degree(to.sw) == 0)
          continue;
        const At a = Lattice::coordinates(subnet.fabric, from.sw),
                 b = Lattice::coordinates(subnet.fabric, to.sw);
        unsigned sl = 0;
        for (unsigned d = 0; d < 3; ++d) {
          const unsigned apart = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];
          if (lattice.radix[d] > 2 && lattice.radix[d] - apart < apart) sl |= 1u << d;
        }
        const mad::Lid lid = subnet.find_lid(to.port);
        ASSERT_EQ(result->sls.at(from.sw, lid, to.sw).value, sl);
        if (whole) {
          ASSERT_EQ(packets::walk(subnet, *result, from.sw, from.out, lid, sl).hops.size(),
                    distance(lattice, a, b));
        }
      }
    }
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(routed, 2000u);
  EXPECT_GT(damaged_and_routed, 1000u);
  EXPECT_GT(refused, 500u);
}

// Any fabric with any description of the torus.
TEST(TorusProperty, InvalidDescriptionIsRefusedOrRoutedWithoutCreditLoop) {
  std::size_t routed = 0;
  seeds::for_each(4000, [&](std::uint64_t seed) {
    Random random(seed * 31);
    const Subnet subnet(random.percent(50) ? fabrics::random_fabric(seed)
                                           : random_lattice(random, 30).fabric(seed));
    const auto some_guid = [&] {
      if (subnet.fabric.nodes.empty() || random.percent(3)) return mad::Guid{random.below(5)};
      return subnet.fabric
          .nodes[fabric::NodeIndex(
              random.below(static_cast<std::uint32_t>(subnet.fabric.nodes.size())))]
          .guid;
    };
    routing::RoutingOptions options;
    options.vls_max = 1 + random.below(8);
    for (auto& dimension : options.torus.dimensions)
      dimension = {random.percent(40) ? 1 : random.below(7), random.percent(70)};
    for (unsigned i = 1 + random.below(3); i > 0; --i) {
      auto& made = options.torus.seeds.emplace_back();
      const mad::Guid from = some_guid();
      for (unsigned d = 0; d < 3; ++d) {
        made.dateline[d] = static_cast<int>(random.below(13)) - 6;
        for (const bool plus : {true, false}) {
          if (options.torus.dimensions[d].radix == 1 || random.percent(plus ? 5 : 60)) continue;
          mad::Guid to = some_guid();
          const auto node = subnet.fabric.node_of_guid.find(from);  // mostly a neighbour
          if (node != subnet.fabric.node_of_guid.end() &&
              subnet.fabric.nodes[node->second].is_switch() && random.percent(90)) {
            const auto near =
                subnet.graph.neighbours(subnet.fabric.nodes[node->second].switch_index);
            if (!near.empty())
              to = subnet.fabric
                       .nodes[subnet.fabric
                                  .switches[near[random.below(
                                      static_cast<std::uint32_t>(near.size()))]]
                                  .node]
                       .guid;
          }
          made.links.push_back({d, plus, from, to});
        }
      }
    }
    const auto result = routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options});
    if (!result) {
      ASSERT_FALSE(result.error().why.empty());
      return;
    }
    ++routed;
    const auto report = routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts);
    ASSERT_TRUE(report.ok()) << routing::describe(report, subnet.fabric, subnet.lids).front();
    packets::Findings found = packets::trace_all(subnet, *result);
    trace_multicast(subnet, *result, 0, found);
    ASSERT_FALSE(found.has_cycle());
  });
  if (seeds::are_default()) {
    EXPECT_GT(routed, 20u);
  }
}

TEST(TorusProperty, TablesDoNotDependOnTheOrderOfNodes) {
  seeds::for_each(300, [](std::uint64_t seed) {
    const Damaged test(seed);
    const Subnet subnet(test.lattice.fabric(seed)), other = fabrics::renumbered(subnet, seed);
    routing::RoutingOptions options;
    options.torus = test.lattice.options(test.seeds);
    const auto one = routing::torus_2qos({subnet.fabric, subnet.graph, subnet.lids, options}),
               two = routing::torus_2qos({other.fabric, other.graph, other.lids, options});
    ASSERT_EQ(one.has_value(), two.has_value());
    if (!one) return;
    for (const SwitchIndex sw : subnet.graph.all_switches()) {
      const mad::Guid guid = subnet.fabric.nodes[subnet.fabric.switches[sw].node].guid;
      const SwitchIndex same = other.fabric.nodes[other.fabric.node_of_guid.at(guid)].switch_index;
      ASSERT_TRUE(std::ranges::equal(one->lfts.row(sw), two->lfts.row(same)));
    }
  });
}

}  // namespace torus_property_test
