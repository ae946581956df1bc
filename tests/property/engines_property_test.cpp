// All engines on random fabrics, against a reference that shares no code with routing/: packets
// followed hop by hop, and a simple search for cycles.

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "property/packets.h"
#include "routing/engines/virtual_lanes/virtual_lane_engines.h"
#include "routing/graph/up_down.h"
#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace engines_property_test {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using packets::attachment_of;
using packets::Findings;
using packets::Hop;
using packets::trace_all;
using packets::Walk;
using packets::walk;
using routing::RoutingOptions;
using topology::Random;

// The switch that a LID's owner is attached to or is.
SwitchIndex find_last_switch(const Subnet& subnet, mad::Lid lid) {
  const PortIndex owner = subnet.lids.owner(lid);
  if (owner == kNoIndex) return kNoIndex;
  return subnet.fabric.owning_node(owner).is_switch()
             ? subnet.fabric.owning_node(owner).switch_index
             : attachment_of(subnet, owner).first;
}

// The channel dependencies of packets between all hosts on the multicast tree of an engine, on VL
// 0.
void add_multicast(const Subnet& subnet, const routing::RoutingResult& result, Findings& findings) {
  const auto way_up = [&](SwitchIndex sw) {
    std::vector<SwitchIndex> path{sw};
    while (result.multicast_up[path.back()] != kNoIndex && path.size() <= subnet.graph.switches())
      path.push_back(subnet.graph.neighbour[result.multicast_up[path.back()]]);
    return path;
  };
  std::set<SwitchIndex> leaves;
  for (const PortIndex port : subnet.fabric.end_ports)
    if (!subnet.fabric.owning_node(port).is_switch() && subnet.find_lid(port) != mad::Lid{} &&
        attachment_of(subnet, port).first != kNoIndex)
      leaves.insert(attachment_of(subnet, port).first);
  for (const SwitchIndex from : leaves) {
    for (const SwitchIndex to : leaves) {
      std::vector<SwitchIndex> up = way_up(from), down = way_up(to);
      if (up.back() != down.back()) continue;
      while (up.size() > 1 && down.size() > 1 && up[up.size() - 2] == down[down.size() - 2]) {
        up.pop_back();
        down.pop_back();
      }
      std::vector<Hop> hops;
      for (std::size_t i = 0; i + 1 < up.size(); ++i)
        hops.push_back({up[i], subnet.graph.port[result.multicast_up[up[i]]], 0});
      for (std::size_t i = down.size(); i-- > 1;)
        hops.push_back({down[i],
                        subnet.graph.port[subnet.graph.reverse[result.multicast_up[down[i - 1]]]],
                        0});
      for (std::size_t i = 1; i < hops.size(); ++i) findings.edges[hops[i - 1]].insert(hops[i]);
    }
  }
}

struct Case {
  Random random;
  Subnet subnet;
  RoutingOptions options;
  explicit Case(std::uint64_t seed) : random(seed * 131), subnet(make(seed, random)) {
    options.vls_max = 1 + random.below(8);
    options.connect_roots = random.percent(30);
    options.lowest_port_first = random.percent(20);
    options.scatter_ports = random.percent(20) ? 7 : 0;
    options.avoid_throttled_links = random.percent(20);
    options.max_reverse_hops = random.percent(20) ? 1 + random.below(3) : 0;
    options.nue_max_num_vls = random.below(4);
    options.nue_include_switches = random.percent(20);
    options.do_mesh_analysis = random.percent(30);
    options.lash_start_vl = random.percent(20) ? random.below(3) : 0;
    const auto some_switch = [&] {
      return subnet.fabric
          .nodes[subnet.fabric
                     .switches[fabric::SwitchIndex(
                         random.below(static_cast<std::uint32_t>(subnet.fabric.switches.size())))]
                     .node]
          .guid;
    };
    if (subnet.fabric.switches.empty()) return;
    if (random.percent(60))
      for (unsigned i = 1 + random.below(3); i > 0; --i) options.roots.push_back(some_switch());
    if (random.percent(30))
      for (unsigned i = random.below(5); i > 0; --i)
        options.node_ids.push_back({some_switch(), random.below(4)});
    for (const PortIndex port : subnet.fabric.end_ports)
      if (random.percent(10)) options.compute_nodes.push_back(subnet.fabric.ports[port].guid);
    add_steps(seed);
  }
  routing::RoutingInput input() const {
    return {subnet.fabric, subnet.graph, subnet.lids, options};
  }

 private:
  /// For the engine chain: the fabric, and then any parts of it.
  void add_steps(std::uint64_t seed) {
    Random dice(seed * 7919);
    options.chain_steps.push_back({.id = 1, .engine = "minhop"});
    for (std::uint64_t id = 3 + dice.below(3); id > 1; --id) {
      routing::FabricPart part;
      for (const fabric::Switch& sw : subnet.fabric.switches) {
        if (!dice.percent(60)) continue;
        part.switches.push_back({.sw = subnet.fabric.nodes[sw.node].guid});
        for (unsigned port = dice.percent(80) ? 0 : 1 + dice.below(6); port > 0; --port)
          part.switches.back().ports.push_back(mad::PortNum{static_cast<std::uint8_t>(port)});
      }
      for (const PortIndex port : subnet.fabric.end_ports)
        if (dice.percent(80)) part.end_ports.push_back(subnet.fabric.ports[port].guid);
      constexpr std::array kEngines{"updn", "dnup", "dor", "ftree", "dmodc", "sssp", "minhop"};
      options.chain_steps.push_back({.id = id,
                                     .engine = kEngines[dice.below(kEngines.size())],
                                     .part = std::make_shared<const routing::FabricPart>(part)});
    }
  }

  static Subnet make(std::uint64_t seed, Random& random) {
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    const unsigned lmc = random.percent(70) ? 0 : random.below(4),
                   gap = random.percent(70) ? 0 : random.below(40);
    fabric::LidMap lids = fabrics::assign_lids(fabric, lmc, gap);
    return {std::move(fabric), std::move(lids)};
  }
};

bool has_small_switch(const Subnet& subnet) {
  return std::ranges::any_of(subnet.fabric.switches, [&](const fabric::Switch& sw) {
    return sw.info.linear_fdb_cap() <= subnet.lids.lid_top.value;
  });
}

TEST(EnginesProperty, EnginesReachAllHostsAndHaveNoCreditLoopWherePromised) {
  std::map<std::string_view, std::size_t> routed;
  seeds::for_each(
      3000, [&](std::uint64_t seed) {
        const Case test(seed);
        for (const routing::Engine& engine : routing::engines()) {
          if (engine.groups != routing::GroupRule::none) continue;  // has the same tables
          SCOPED_TRACE(engine.name);
          const auto result = engine.route(test.input());
          if (!result) {
            ASSERT_FALSE(result.error().why.empty());
            continue;
          }
          ++routed[engine.name];
          const auto report =
              routing::verify(test.subnet.fabric, test.subnet.graph, test.subnet.lids, result->lfts,
                              {.switch_lids_may_be_withheld =
                                   engine.promises_no_credit_loops && !test.options.connect_roots});
          ASSERT_TRUE(report.ok())
              << routing::describe(report, test.subnet.fabric, test.subnet.lids).front();
          ASSERT_LE(result->vls, test.options.vls_max);
          Findings found = trace_all(test.subnet, *result);
          if (!result->multicast_up.empty()) add_multicast(test.subnet, *result, found);
          if (!has_small_switch(test.subnet)) {
            ASSERT_EQ(found.lost, 0u);
          }
          if (engine.promises_no_credit_loops && !result->may_deadlock && !result->turns) {
            ASSERT_FALSE(found.has_cycle());
          }
        }
      });
  if (!seeds::are_default()) return;
  for (const char* name :
       {"minhop", "updn", "dnup", "dor", "sssp", "dfsssp", "lash", "nue", "dmodc"})
    EXPECT_GT(routed[name], 500u) << name;
  EXPECT_EQ(routed["nue"], 3000u);     // it never refuses
  EXPECT_GT(routed["chain"], 2'500u);  // parts may contradict each other
}

TEST(EnginesProperty, CreditLoopsEqualThoseOfASimpleSearch) {
  std::size_t with_loops = 0;
  seeds::for_each(3000, [&](std::uint64_t seed) {
    Case test(seed);
    auto result = routing::find_engine(seed % 2 == 0 ? "minhop" : "sssp")->route(test.input());
    ASSERT_TRUE(result);
    // Any tables, any VLs.
    Random& random = test.random;
    if (result->lfts.switches() > 0 && random.percent(40))
      for (unsigned i = random.below(10); i > 0; --i) {
        const fabric::SwitchIndex sw(
            random.below(static_cast<std::uint32_t>(result->lfts.switches())));
        // A switch holds no entry beyond its LinearFDBCap.
        const unsigned lids =
            std::min<unsigned>(test.subnet.lids.lid_top.value + 1u,
                               test.subnet.fabric.switches[sw].info.linear_fdb_cap());
        if (lids > 0)
          result->lfts.writable_row(sw)[random.below(lids)] =
              static_cast<std::uint8_t>(random.below(12));
      }
    if (random.percent(50)) {
      result->sls = random.percent(50)
                        ? routing::PathSls::by_destination(test.subnet.lids.lid_top)
                        : routing::PathSls::by_source_and_lid(test.subnet.graph.switches(),
                                                              test.subnet.lids.lid_top);
      const std::size_t rows = result->sls.shape() == routing::PathSls::Shape::destination
                                   ? 1
                                   : test.subnet.graph.switches();
      for (std::size_t row = 0; row < rows; ++row)
        for (std::uint8_t& sl : result->sls.row(row))
          sl = static_cast<std::uint8_t>(random.below(3));
    }
    if (random.percent(30)) {
      result->sl_to_vl = routing::SlToVl::identity(1 + random.below(4));
    } else if (random.percent(50)) {
      result->sl_to_vl = routing::SlToVl::by_class(test.subnet.graph.switches(), 3);
      for (const SwitchIndex sw : test.subnet.graph.all_switches())
        for (unsigned port = 0; port < 40; ++port)
          result->sl_to_vl.set_port_class(sw, mad::PortNum{static_cast<std::uint8_t>(port)},
                                          random.below(3));
      for (unsigned in = 0; in < 3; ++in)
        for (unsigned out = 0; out < 3; ++out)
          for (std::uint8_t& vl : result->sl_to_vl.row(in, out))
            vl = static_cast<std::uint8_t>(random.below(3));
    }
    const auto found = routing::find_credit_loops(test.subnet.graph, test.subnet.lids, result->lfts,
                                                  {result->sls, result->sl_to_vl},
                                                  routing::Traffic::between_hosts);
    const Findings plain = trace_all(test.subnet, *result);
    ASSERT_EQ(found.dependencies, plain.dependencies());
    ASSERT_EQ(!found.ok(), plain.has_cycle());
    with_loops += found.ok() ? 0u : 1u;
    // Each reported cycle is one.
    for (const auto& loop : found.loops) {
      ASSERT_GE(loop.cycle.size(), 1u);
      for (std::size_t i = 0; i < loop.cycle.size(); ++i) {
        const auto hop = [&](const routing::Channel& channel) {
          return Hop{test.subnet.graph.neighbour[test.subnet.graph.reverse[channel.channel]],
                     test.subnet.graph.port[channel.channel], channel.vl};
        };
        const auto next = plain.edges.find(hop(loop.cycle[i]));
        ASSERT_NE(next, plain.edges.end());
        ASSERT_TRUE(next->second.contains(hop(loop.cycle[(i + 1) % loop.cycle.size()])));
      }
    }
  });
  if (seeds::are_default()) {
    EXPECT_GT(with_loops, 100u);
  }
}

// The length of the shortest path that goes up and then down, where a packet goes down as soon as
// it can; by trying all hops.
TEST(EnginesProperty, UpDownPathsAreTheShortestLegalOnes) {
  seeds::for_each(2000, [](std::uint64_t seed) {
    const Case test(seed);
    const fabric::SwitchGraph& graph = test.subnet.graph;
    routing::UpDownOrder order(graph.switches());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    Random random(seed);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    std::vector<std::uint8_t> complete(graph.switches());
    for (std::uint8_t& wanted : complete) wanted = random.percent(50) ? 1 : 0;
    std::vector<std::uint32_t> hosts(graph.switches());
    for (std::uint32_t& count : hosts) count = random.percent(70) ? 1 + random.below(3) : 0;
    const auto distances = routing::up_down_distances(graph, order, {complete, hosts, {}});
    ASSERT_TRUE(distances);
    constexpr unsigned kFar = 1000;
    for (const SwitchIndex to : graph.all_switches()) {
      std::vector<unsigned> down(graph.switches(), kFar), legal;
      down[to] = 0;
      const auto relax = [&](auto&& allowed, std::vector<unsigned>& length) {
        for (std::size_t round = 0; round <= graph.switches(); ++round)
          for (const SwitchIndex sw : graph.all_switches())
            for (const SwitchIndex other : graph.neighbours(sw))
              if (allowed(sw, other)) length[sw] = std::min(length[sw], length[other] + 1);
      };
      relax([&](SwitchIndex sw, SwitchIndex other) { return order[other] > order[sw]; }, down);
      legal = down;
      relax([&](SwitchIndex sw,
                SwitchIndex other) { return order[other] < order[sw] && down[sw] == kFar; },
            legal);
      for (const SwitchIndex sw : graph.all_switches()) {
        ASSERT_EQ(distances->down.row(sw)[to], down[sw] >= kFar ? 255u : down[sw]);
        ASSERT_EQ(distances->legal.row(sw)[to], legal[sw] >= kFar ? 255u : legal[sw]);
        if (legal[sw] < kFar || complete[to] == 0) {
          ASSERT_EQ(distances->completed.row(sw)[to], distances->legal.row(sw)[to]);
        }
      }
    }
  });
}

TEST(EnginesProperty, SsspHasNoLongerPathsAndNoWorseBalanceThanMinhop) {
  std::uint64_t worst_sssp = 0, worst_minhop = 0;
  seeds::for_each(1500, [&](std::uint64_t seed) {
    const Case test(seed);
    RoutingOptions options;
    const routing::RoutingInput input{test.subnet.fabric, test.subnet.graph, test.subnet.lids,
                                      options};
    const auto best = routing::find_engine("minhop")->route(input), result = routing::sssp(input);
    ASSERT_TRUE(best && result);
    std::map<Hop, std::uint64_t> load_best, load;
    for (const PortIndex source : test.subnet.fabric.end_ports) {
      if (test.subnet.fabric.owning_node(source).is_switch()) continue;
      const auto [from, in] = attachment_of(test.subnet, source);
      if (from == kNoIndex) continue;
      for (unsigned value = 1; value <= test.subnet.lids.lid_top.value; ++value) {
        const mad::Lid lid{static_cast<std::uint16_t>(value)};
        const PortIndex owner = test.subnet.lids.owner(lid);
        if (owner == kNoIndex || test.subnet.fabric.owning_node(owner).is_switch()) continue;
        const Walk a = walk(test.subnet, *best, from, in, lid, 0),
                   b = walk(test.subnet, *result, from, in, lid, 0);
        ASSERT_EQ(a.arrives, b.arrives);
        if (!a.arrives) continue;
        ASSERT_EQ(a.hops.size(), b.hops.size());
        for (const Hop& hop : a.hops) ++load_best[hop];
        for (const Hop& hop : b.hops) ++load[hop];
      }
    }
    const auto highest = [](const std::map<Hop, std::uint64_t>& loads) {
      std::uint64_t most = 0;
      for (const auto& [hop, count] : loads) most = std::max(most, count);
      return most;
    };
    worst_sssp += highest(load);
    worst_minhop += highest(load_best);
  });
  if (!seeds::are_default()) return;  // few fabrics are no statistical sample
  EXPECT_LE(worst_sssp, worst_minhop);
}

TEST(EnginesProperty, TablesOfAFileFollowPortsToOtherLids) {
  seeds::for_each(1000, [](std::uint64_t seed) {
    Case test(seed);
    const auto before = routing::find_engine("minhop")->route(test.input());
    ASSERT_TRUE(before);
    auto file = std::make_shared<routing::ForwardingFile>();
    for (const SwitchIndex sw : test.subnet.graph.all_switches()) {
      const auto row = before->lfts.row(sw);
      file->rows.push_back({test.subnet.fabric.nodes[test.subnet.fabric.switches[sw].node].guid,
                            {row.begin(), row.end()}});
    }
    for (const PortIndex port : test.subnet.lids.port_of_lid)
      file->owner_of_lid.push_back(port == kNoIndex ? mad::Guid{}
                                                    : test.subnet.fabric.ports[port].guid);
    test.options.lfts = file;
    const unsigned lmc =
        test.subnet.lids.of_end_port.empty()
            ? 0u
            : std::ranges::max(test.subnet.lids.of_end_port, {}, &fabric::LidMap::Range::lmc).lmc;
    const Subnet moved(test.subnet.fabric, fabrics::assign_lids(test.subnet.fabric, lmc, 7));
    if (has_small_switch(test.subnet) || has_small_switch(moved) ||
        test.subnet.graph.switches() == 0)
      return;
    const auto after =
        routing::find_engine("file")->route({moved.fabric, moved.graph, moved.lids, test.options});
    ASSERT_TRUE(after) << after.error().why;
    for (const fabric::EndPortIndex i : moved.lids.of_end_port.indices())
      for (unsigned k = 0; k < moved.lids.of_end_port[i].count(); ++k)
        for (const SwitchIndex sw : moved.graph.all_switches()) {
          const auto lid = [&](const Subnet& subnet) {
            return mad::Lid{static_cast<std::uint16_t>(subnet.lids.of_end_port[i].base.value + k)};
          };
          ASSERT_EQ(after->lfts.at(sw, lid(moved)), before->lfts.at(sw, lid(test.subnet)));
        }
  });
}

TEST(EnginesProperty, TablesDoNotDependOnTheOrderOfDiscovery) {
  seeds::for_each(800, [](std::uint64_t seed) {
    const Case test(seed);
    const Subnet other = fabrics::renumbered(test.subnet, seed);
    for (const routing::Engine& engine : routing::engines()) {
      SCOPED_TRACE(engine.name);
      const auto a = engine.route(test.input()),
                 b = engine.route({other.fabric, other.graph, other.lids, test.options});
      ASSERT_EQ(a.has_value(), b.has_value());
      if (!a) continue;
      for (const SwitchIndex sw : test.subnet.graph.all_switches()) {
        const mad::Guid guid = test.subnet.fabric.nodes[test.subnet.fabric.switches[sw].node].guid;
        const SwitchIndex there =
            other.fabric.nodes[other.fabric.node_of_guid.at(guid)].switch_index;
        ASSERT_TRUE(std::ranges::equal(a->lfts.row(sw), b->lfts.row(there)));
        for (std::uint16_t lid = 1; lid <= test.subnet.lids.lid_top.value; ++lid) {
          const SwitchIndex last_switch = find_last_switch(test.subnet, mad::Lid{lid}),
                            last_switch_there = find_last_switch(other, mad::Lid{lid});
          if (last_switch == kNoIndex) continue;
          ASSERT_EQ(a->sls.at(sw, mad::Lid{lid}, last_switch),
                    b->sls.at(there, mad::Lid{lid}, last_switch_there));
        }
        ASSERT_EQ(a->multicast_up.empty(), b->multicast_up.empty());
        if (a->multicast_up.empty()) continue;
        const fabric::ChannelIndex up = a->multicast_up[sw], up_there = b->multicast_up[there];
        ASSERT_EQ(up == kNoIndex, up_there == kNoIndex);
        if (up != kNoIndex) {
          ASSERT_EQ(test.subnet.graph.port[up], other.graph.port[up_there]);
        }
      }
    }
  });
}

}  // namespace engines_property_test
