// Random fabrics against simple reference implementations.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "routing/engines/distance/distance_engines.h"
#include "routing/graph/hops.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "routing/verify/verify.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace routing_property_test {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::RoutingOptions;
using topology::Random;

constexpr unsigned kFar = 1u << 30;

RoutingOptions random_options(const Subnet& subnet, Random& random) {
  RoutingOptions options;
  const auto some_switch = [&] {
    return subnet.fabric
        .nodes[subnet.fabric
                   .switches[fabric::SwitchIndex(
                       random.below(static_cast<std::uint32_t>(subnet.fabric.switches.size())))]
                   .node]
        .guid;
  };
  const auto some_port = [&] {
    return mad::PortNum{static_cast<std::uint8_t>(1 + random.below(200))};
  };
  if (random.percent(20)) options.scatter_ports = 1 + random.below(1000);
  options.port_shifting = random.percent(20);
  options.port_profile_switch_nodes = random.percent(20);
  options.lowest_port_first = random.percent(20);
  options.guid_routing_order_no_scatter = random.percent(30);
  if (random.percent(30))
    for (const PortIndex port : subnet.fabric.end_ports)
      if (random.percent(30)) options.guid_routing_order.push_back(subnet.fabric.ports[port].guid);
  if (subnet.fabric.switches.empty()) return options;
  const auto& graph = subnet.graph;
  const auto some_channel = [&]() -> routing::SwitchPort {
    if (graph.port.empty() || random.percent(10)) return {some_switch(), some_port()};
    const fabric::ChannelIndex channel(random.below(static_cast<std::uint32_t>(graph.port.size())));
    const SwitchIndex sw(std::ranges::upper_bound(graph.offsets, channel) - graph.offsets.begin() -
                         1);
    return {subnet.fabric.nodes[subnet.fabric.switches[sw].node].guid, graph.port[channel]};
  };
  if (random.percent(30))
    for (unsigned i = random.below(10); i > 0; --i)
      options.hop_weights.push_back(
          {some_channel(), static_cast<std::uint8_t>(random.percent(50) ? 1 + random.below(4)
                                                                        : random.below(256))});
  if (random.percent(20))
    for (unsigned i = random.below(10); i > 0; --i)
      options.port_prof_ignore.push_back(some_channel());
  if (random.percent(20)) {
    for (unsigned i = random.below(6); i > 0; --i) {
      options.port_search_ordering.push_back({some_switch(), {}});
      for (unsigned k = random.below(8); k > 0; --k)
        options.port_search_ordering.back().ports.push_back(random.percent(50) ? some_channel().port
                                                                               : some_port());
    }
  }
  return options;
}

// [switch][port] -> weight of the link.
unsigned weight_of(const Subnet& subnet, const RoutingOptions& options, SwitchIndex sw,
                   mad::PortNum port) {
  unsigned weight = 1;
  for (const auto& hop : options.hop_weights)
    if (hop.from ==
        routing::SwitchPort{subnet.fabric.nodes[subnet.fabric.switches[sw].node].guid, port})
      weight = std::max(1u, unsigned{hop.weight});
  return weight;
}

// Distances by Floyd and Warshall, from the ports.
std::vector<std::vector<unsigned>> reference_hops(const Subnet& subnet,
                                                  const RoutingOptions& options) {
  const fabric::Fabric& fabric = subnet.fabric;
  const std::size_t n = fabric.switches.size();
  std::vector<std::vector<unsigned>> hops(n, std::vector<unsigned>(n, kFar));
  for (std::size_t s = 0; s < n; ++s) hops[s][s] = 0;
  for (const fabric::Port& port : fabric.ports) {
    if (port.peer == kNoIndex || !port.is_up() || !fabric.ports[port.peer].is_up() ||
        fabric.ports[port.peer].node == port.node)
      continue;
    const SwitchIndex from = fabric.nodes[port.node].switch_index,
                      to = fabric.owning_node(port.peer).switch_index;
    if (from == kNoIndex || to == kNoIndex) continue;
    hops[from][to] = std::min(hops[from][to], weight_of(subnet, options, from, port.number));
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        hops[i][j] = std::min(hops[i][j], hops[i][k] + hops[k][j]);
  return hops;
}

struct Walk {
  bool arrives = false;
  unsigned length = 0;  // by weights
  SwitchIndex end{0};   // the switch where it stops, or kNoIndex for a loop
};

// Follows one packet hop by hop, as the hardware does.
Walk walk(const Subnet& subnet, const RoutingOptions& options, const fabric::ForwardingTables& lfts,
          SwitchIndex from, mad::Lid lid) {
  const fabric::Fabric& fabric = subnet.fabric;
  const PortIndex owner = subnet.lids.owner(lid);
  Walk out;
  SwitchIndex sw = from;
  for (std::size_t hops = 0; hops <= fabric.switches.size(); ++hops) {
    out.end = sw;
    const fabric::Node& node = fabric.nodes[fabric.switches[sw].node];
    const mad::PortNum exit =
        lid.value < fabric.switches[sw].info.linear_fdb_cap() ? lfts.at(sw, lid) : mad::kNoPort;
    if (exit == mad::PortNum{0}) {
      out.arrives = owner == node.first_port;
      return out;
    }
    if (exit.value > node.num_ports) return out;
    const fabric::Port& port = fabric.ports[node.first_port + exit.value];
    if (port.peer == kNoIndex || !port.is_up() || !fabric.ports[port.peer].is_up() ||
        fabric.ports[port.peer].node == port.node)
      return out;
    if (port.peer == owner && !fabric.owning_node(port.peer).is_switch()) {
      out.arrives = true;
      return out;
    }
    if (!fabric.owning_node(port.peer).is_switch()) return out;
    out.length += weight_of(subnet, options, sw, exit);
    sw = fabric.owning_node(port.peer).switch_index;
  }
  out.end = kNoIndex;
  return out;
}

// The switch that a LID's owner is attached to or is; kNoIndex if there is none.
SwitchIndex find_last_switch(const Subnet& subnet, mad::Lid lid) {
  const PortIndex owner = subnet.lids.owner(lid);
  if (owner == kNoIndex) return kNoIndex;
  if (subnet.fabric.owning_node(owner).is_switch())
    return subnet.fabric.owning_node(owner).switch_index;
  return subnet.fabric.is_link_up(owner)
             ? subnet.fabric.owning_node(subnet.fabric.ports[owner].peer).switch_index
             : kNoIndex;
}

template <class Visit>
void for_each_pair(const Subnet& subnet, Visit&& visit) {
  for (unsigned lid = 0; lid <= subnet.lids.lid_top.value; ++lid)
    for (const SwitchIndex sw : subnet.fabric.switches.indices())
      visit(sw, mad::Lid{static_cast<std::uint16_t>(lid)});
}

struct Case {
  Random random;
  Subnet subnet;
  RoutingOptions options;
  explicit Case(std::uint64_t seed)
      : random(seed * 77), subnet(make(seed, random)), options(random_options(subnet, random)) {}
  fabric::ForwardingTables route(const fabric::ForwardingTables* previous = nullptr) const {
    return routing::minhop({subnet.fabric, subnet.graph, subnet.lids, options, previous})->lfts;
  }
  routing::VerifyReport verify(const fabric::ForwardingTables& lfts) const {
    return routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts);
  }

 private:
  static Subnet make(std::uint64_t seed, Random& random) {
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    const unsigned lmc = random.percent(70) ? 0 : random.below(4),
                   gap = random.percent(70) ? 0 : random.below(40);
    fabric::LidMap lids = fabrics::assign_lids(fabric, lmc, gap);
    return {std::move(fabric), std::move(lids)};
  }
};

// Valid and invalid tables: some entries of a valid set changed at random.
void damage(const Case& test, Random& random, fabric::ForwardingTables& lfts) {
  if (lfts.switches() == 0) return;
  for (unsigned i = 1 + random.below(6); i > 0; --i) {
    auto row = lfts.writable_row(
        fabric::SwitchIndex(random.below(static_cast<std::uint32_t>(lfts.switches()))));
    std::uint8_t& entry = row[random.below(test.subnet.lids.lid_top.value + 1u)];
    if (random.percent(20) || test.subnet.graph.port.empty())
      entry = static_cast<std::uint8_t>(random.next());
    else
      entry = test.subnet.graph
                  .port[fabric::ChannelIndex(
                      random.below(static_cast<std::uint32_t>(test.subnet.graph.port.size())))]
                  .value;
  }
}

void expect_shortest(const Case& test, const fabric::ForwardingTables& lfts) {
  const auto hops = reference_hops(test.subnet, test.options);
  for_each_pair(test.subnet, [&](SwitchIndex sw, mad::Lid lid) {
    const SwitchIndex last_switch = find_last_switch(test.subnet, lid);
    if (last_switch == kNoIndex || hops[sw][last_switch] >= kFar) {
      ASSERT_EQ(lfts.at(sw, lid), mad::kNoPort) << "switch " << sw.value << " LID " << lid.value;
      return;
    }
    const Walk path = walk(test.subnet, test.options, lfts, sw, lid);
    ASSERT_TRUE(path.arrives) << "switch " << sw.value << " LID " << lid.value;
    ASSERT_EQ(path.length, hops[sw][last_switch]) << "switch " << sw.value << " LID " << lid.value;
  });
}

TEST(RoutingProperty, MinhopUsesShortestPathsOnAnyFabric) {
  seeds::for_each(3000, [](std::uint64_t seed) {
    const Case test(seed);
    expect_shortest(test, test.route());
  });
}

TEST(RoutingProperty, KeptRoutesAreShortestAndNoShortestRouteMoves) {
  seeds::for_each(2000, [](std::uint64_t seed) {
    Case test(seed);
    auto previous = test.route();
    damage(test, test.random, previous);
    const auto lfts = test.route(&previous);
    expect_shortest(test, lfts);
    const auto hops = reference_hops(test.subnet, test.options);
    for_each_pair(test.subnet, [&](SwitchIndex sw, mad::Lid lid) {
      const SwitchIndex last_switch = find_last_switch(test.subnet, lid);
      if (last_switch == kNoIndex || last_switch == sw || hops[sw][last_switch] >= kFar ||
          previous.at(sw, lid) == lfts.at(sw, lid))
        return;
      // It moved: then the old port was not on a shortest path.
      fabric::ForwardingTables tried = lfts;
      tried.writable_row(sw)[lid.value] = previous.at(sw, lid).value;
      const Walk path = walk(test.subnet, test.options, tried, sw, lid);
      ASSERT_FALSE(path.arrives && path.length == hops[sw][last_switch])
          << "switch " << sw.value << " LID " << lid.value;
    });
    ASSERT_EQ(test.route(&lfts), lfts);
  });
}

TEST(RoutingProperty, SwitchesWithoutConstraintsAreBalanced) {
  seeds::for_each(2000, [](std::uint64_t seed) {
    Case test(seed);
    if (test.subnet.lids.lid_top.value >= 300) return;
    test.options = {};
    // Without any such option, hosts of a tree are distributed by their numbers.
    test.options.guid_routing_order = {mad::Guid{1}};
    const auto lfts = test.route();
    const auto hops = reference_hops(test.subnet, test.options);
    const Subnet& subnet = test.subnet;
    // Greedy per switch: at the end no LID could move to another of its candidates that has two
    // LIDs fewer. (First LIDs only.)
    for (const SwitchIndex sw : subnet.graph.all_switches()) {
      std::map<unsigned, int> load;
      bool further_lids = false;
      for (unsigned lid = 1; lid <= subnet.lids.lid_top.value; ++lid) {
        const PortIndex owner = subnet.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)});
        if (owner == kNoIndex || subnet.fabric.owning_node(owner).is_switch()) continue;
        ++load[lfts.row(sw)[lid]];
        further_lids |=
            lid > 1 && subnet.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid - 1)}) == owner;
      }
      if (further_lids) continue;
      // Hosts of one switch share their candidates: those ports that only they use differ by one at
      // most.
      std::map<std::vector<unsigned>, std::vector<unsigned>> classes;
      std::map<unsigned, int> classes_of_port;
      for (const SwitchIndex last_switch : subnet.graph.all_switches()) {
        std::vector<unsigned> candidates;
        for (const fabric::ChannelIndex channel : subnet.graph.channels(sw))
          if (last_switch != sw && hops[sw][last_switch] < kFar &&
              hops[subnet.graph.neighbour[channel]][last_switch] + 1 == hops[sw][last_switch])
            candidates.push_back(subnet.graph.port[channel].value);
        if (candidates.empty() || classes.contains(candidates)) continue;
        classes[candidates] = candidates;
        for (const unsigned port : candidates) ++classes_of_port[port];
      }
      for (const auto& [candidates, ports] : classes) {
        int low = 1 << 20, high = 0;
        bool alone = true;
        for (const unsigned port : ports) {
          alone &= classes_of_port[port] == 1;
          low = std::min(low, load[port]);
          high = std::max(high, load[port]);
        }
        if (alone) {
          ASSERT_LE(high - low, 1) << "switch " << sw.value;
        }
      }
    }
  });
}

TEST(RoutingProperty, TablesDoNotDependOnTheOrderOfDiscovery) {
  seeds::for_each(1500, [](std::uint64_t seed) {
    Case test(seed);
    auto previous = test.route();
    damage(test, test.random, previous);
    const Subnet other = fabrics::renumbered(test.subnet, seed);
    const bool keep = test.random.percent(50);
    fabric::ForwardingTables previous_there(previous.switches(), test.subnet.lids.lid_top);
    const auto there = [&](SwitchIndex sw) {
      return other.fabric
          .nodes[other.fabric.node_of_guid.at(
              test.subnet.fabric.nodes[test.subnet.fabric.switches[sw].node].guid)]
          .switch_index;
    };
    for (const SwitchIndex sw : previous.all_switches())
      std::ranges::copy(previous.row(sw), previous_there.writable_row(there(sw)).begin());
    const auto here = test.route(keep ? &previous : nullptr);
    const auto result = routing::minhop(
        {other.fabric, other.graph, other.lids, test.options, keep ? &previous_there : nullptr});
    for (const SwitchIndex sw : here.all_switches())
      ASSERT_TRUE(std::ranges::equal(here.row(sw), result->lfts.row(there(sw))))
          << "switch " << sw.value;
  });
}

TEST(RoutingProperty, VerifyEqualsFollowingEachPacket) {
  seeds::for_each(4000, [](std::uint64_t seed) {
    Case test(seed);
    auto lfts = test.route();
    if (test.random.percent(80)) damage(test, test.random, lfts);
    if (test.random.percent(5))
      lfts = fabric::ForwardingTables(lfts.switches(),
                                      mad::Lid{static_cast<std::uint16_t>(test.random.below(100))});
    if (test.random.percent(15) && !test.subnet.fabric.switches.empty()) {
      auto& sw = test.subnet.fabric.switches[fabric::SwitchIndex(
          test.random.below(static_cast<std::uint32_t>(test.subnet.fabric.switches.size())))];
      sw.info.set_linear_fdb_cap(static_cast<std::uint16_t>(test.random.below(60)));
    }
    const auto report = test.verify(lfts);
    const auto hops = reference_hops(test.subnet, {});
    std::uint64_t cut_off = 0, without_path = 0, loops = 0;
    for_each_pair(test.subnet, [&](SwitchIndex sw, mad::Lid lid) {
      const SwitchIndex last_switch = find_last_switch(test.subnet, lid);
      if (last_switch == kNoIndex) return;
      const Walk path = walk(test.subnet, {}, lfts, sw, lid);
      if (hops[sw][last_switch] >= kFar)
        ++without_path;
      else if (!path.arrives)
        ++cut_off;
      loops += path.end == kNoIndex ? 1u : 0u;
    });
    ASSERT_EQ(report.lost + report.stopped_by_small, cut_off);
    ASSERT_EQ(report.without_path, without_path);
    if (report.problem_count <= report.problems.size()) {
      ASSERT_EQ(std::ranges::count(report.problems, routing::TableProblem::Kind::loop,
                                   &routing::TableProblem::kind) > 0,
                loops > 0);
    }
    ASSERT_TRUE(report.lost == 0 || !report.ok());
    ASSERT_EQ(
        report.problems.size(),
        std::min<std::uint64_t>(report.problem_count, routing::VerifyReport::kProblemsListed));
    for (const auto& line : routing::describe(report, test.subnet.fabric, test.subnet.lids))
      ASSERT_FALSE(line.empty());
  });
}

TEST(RoutingProperty, VerifyFindsEverySingleWrongEntry) {
  seeds::for_each(300, [](std::uint64_t seed) {
    Case test(seed);
    test.options = {};
    auto lfts = test.route();
    if (lfts.switches() == 0) return;
    ASSERT_TRUE(test.verify(lfts).ok());
    for (int i = 0; i < 40; ++i) {
      const SwitchIndex sw(test.random.below(static_cast<std::uint32_t>(lfts.switches())));
      const mad::Lid lid{
          static_cast<std::uint16_t>(test.random.below(test.subnet.lids.lid_top.value + 1u))};
      std::uint8_t& entry = lfts.writable_row(sw)[lid.value];
      const std::uint8_t was = entry;
      entry = static_cast<std::uint8_t>(test.random.percent(50) ? test.random.next()
                                                                : test.random.below(30));
      if (find_last_switch(test.subnet, lid) != kNoIndex) {
        // Without a path, packets may be dropped by 0xFF, but neither loop nor leave by a wrong
        // port.
        const Walk path = walk(test.subnet, {}, lfts, sw, lid);
        const bool has_path = was != mad::kNoPort.value;
        const bool harm = has_path ? !path.arrives
                                   : path.end == kNoIndex || lfts.at(path.end, lid) != mad::kNoPort;
        ASSERT_EQ(!test.verify(lfts).ok(), harm)
            << "switch " << sw.value << " LID " << lid.value << " port " << int{entry};
      }
      entry = was;
    }
  });
}

TEST(RoutingProperty, HopTablesEqualTheReference) {
  seeds::for_each(1500, [](std::uint64_t seed) {
    const Case test(seed);
    const Subnet& subnet = test.subnet;
    std::vector<std::uint8_t> weights;
    for (const SwitchIndex sw : subnet.graph.all_switches())
      for (const mad::PortNum port : subnet.graph.out_ports(sw))
        weights.push_back(static_cast<std::uint8_t>(weight_of(subnet, test.options, sw, port)));
    const auto plain = routing::unit_hops(subnet.graph);
    const auto weighted = routing::weighted_hops(subnet.graph, weights);
    const auto plain_reference = reference_hops(subnet, {}),
               weighted_reference = reference_hops(subnet, test.options);
    ASSERT_TRUE(plain);
    for (const SwitchIndex from : subnet.graph.all_switches()) {
      for (const SwitchIndex to : subnet.graph.all_switches()) {
        ASSERT_EQ(plain->row(from)[to],
                  plain_reference[from][to] >= kFar ? 255u : plain_reference[from][to]);
        ASSERT_EQ(weighted.row(from)[to],
                  weighted_reference[from][to] >= kFar ? 65535u : weighted_reference[from][to]);
      }
    }
  });
}

}  // namespace routing_property_test
