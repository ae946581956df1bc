// Engines that route incrementally by load or on virtual lanes, against a routing from the
// beginning: after every change of a fabric the same hosts are reached, by paths of the same
// length, without a credit loop where that is guaranteed, and the loads do not grow with the number
// of changes.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "property/changing_fabric.h"
#include "routing/engines/virtual_lanes/lash_result.h"
#include "routing/engines/virtual_lanes/path_changes.h"
#include "routing/graph/hops.h"
#include "routing/graph/in_tree.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace load_changes_property_test {

using fabrics::Subnet;
using routing::ChainResult;
using topology::Random;

struct Totals {
  std::size_t steps = 0, incremental = 0, changed = 0;
  std::uint64_t highest = 0, highest_fresh = 0;  // sums of the highest loads
  std::uint64_t vls = 0, vls_fresh = 0;
  double length = 0, length_fresh = 0;
};

void run(std::uint64_t seed, const std::string& engine, Totals& totals) {
  Random random(seed * 6007 + engine.size());
  topology::Topology topology = changing::any_topology(random);
  const unsigned lmc = random.percent(15) ? 1 : 0;
  changing::ChangingFabric fabric(random, std::move(topology), lmc);
  routing::RoutingOptions options;
  options.nue_max_num_vls = 1 + random.below(3);
  const std::vector<std::string> names{engine};
  const bool is_free_of_loops = routing::find_engine(engine)->promises_no_credit_loops;
  auto before = std::make_unique<Subnet>(fabric.subnet());
  auto last = routing::route_with_chain(names, true,
                                        {before->fabric, before->graph, before->lids, options});
  for (int step = 0; step < 16; ++step) {
    SCOPED_TRACE(step);
    fabric.change();
    auto now = std::make_unique<Subnet>(fabric.subnet());
    const routing::RoutingInput fresh{now->fabric, now->graph, now->lids, options};
    const auto complete = routing::route_with_chain(names, true, fresh);
    tl::expected<ChainResult, routing::Refusal> updated = complete;
    if (last) {
      const routing::PreviousRouting from{*last->memory, last->routing.lfts, last->routing};
      routing::RoutingInput incremental = fresh;
      incremental.previous_routing = &from;
      updated = routing::route_with_chain(names, true, incremental);
    }
    ASSERT_EQ(updated.has_value(), complete.has_value())
        << (updated ? complete.error().why : updated.error().why);
    if (updated) {
      ++totals.steps;
      totals.incremental += updated->incremental ? 1u : 0u;
      totals.changed += updated->incremental && last && updated->routing.lfts != last->routing.lfts;
      const fabric::ForwardingTables& lfts = updated->routing.lfts;
      const routing::VerifyReport report =
          routing::verify(now->fabric, now->graph, now->lids, lfts,
                          {.switch_lids_may_be_withheld = is_free_of_loops});
      ASSERT_TRUE(report.ok()) << routing::describe(report, now->fabric, now->lids).front();
      if (is_free_of_loops) {
        ASSERT_TRUE(routing::find_credit_loops(now->graph, now->lids, lfts,
                                               {updated->routing.sls, updated->routing.sl_to_vl},
                                               routing::Traffic::between_hosts)
                        .ok());
      }
      ASSERT_LE(updated->routing.vls, options.vls_max);
      const auto lengths = [&](const ChainResult& of) {
        return routing::path_lengths(now->graph, now->lids, of.routing.lfts);
      };
      totals.length += lengths(*updated).mean;
      totals.length_fresh += lengths(*complete).mean;
      if (engine != "nue") {
        ASSERT_EQ(lengths(*updated).mean, lengths(*complete).mean);
      }
      totals.highest += routing::all_to_all(now->graph, now->lids, lfts).worst;
      totals.highest_fresh +=
          routing::all_to_all(now->graph, now->lids, complete->routing.lfts).worst;
      totals.vls += updated->routing.vls;
      totals.vls_fresh += complete->routing.vls;
    }
    last = std::move(updated);
    before = std::move(now);
  }
}

class LoadChanges : public ::testing::TestWithParam<const char*> {};

TEST_P(LoadChanges, KeepTheGuaranteesOfARoutingFromTheBeginning) {
  Totals totals;
  seeds::for_each(80, [&](std::uint64_t seed) { run(seed, GetParam(), totals); });
  RecordProperty("incremental", static_cast<int>(totals.incremental));
  RecordProperty("changed", static_cast<int>(totals.changed));
  RecordProperty("highest_load", std::to_string(totals.highest));
  RecordProperty("highest_load_fresh", std::to_string(totals.highest_fresh));
  if (!seeds::are_default()) return;  // few fabrics are no statistical sample
  EXPECT_GT(totals.incremental, totals.steps / 3) << "of " << totals.steps;
  EXPECT_GT(totals.changed, totals.steps / 20) << "of " << totals.steps;
  EXPECT_LE(10 * totals.highest, 11 * totals.highest_fresh) << "within 10 %";
  EXPECT_LE(10 * totals.vls, 11 * totals.vls_fresh);
  EXPECT_LE(totals.length, 1.1 * totals.length_fresh);
}

/// By channel: pairs of hosts whose packets the tables lead over it.
std::vector<double> counted(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts,
                            const std::vector<routing::TableState::Attachment>& attachments) {
  std::vector<double> loads(graph.port.size(), 0), hosts(graph.switches(), 0);
  for (const auto& at : attachments)
    if (at.sw != fabric::kNoIndex && at.out != 0) ++hosts[at.sw];
  routing::InTree tree(graph, lfts);
  for (std::size_t lid = 1; lid < attachments.size(); ++lid) {
    const auto& at = attachments[lid];
    if (at.sw == fabric::kNoIndex || at.out == 0) continue;
    tree.trace(mad::Lid{static_cast<std::uint16_t>(lid)}, at.sw, mad::PortNum{at.out});
    std::vector<double> carried = hosts;
    const auto near_first = tree.near_first();
    for (std::size_t i = near_first.size(); i-- > 0;) {
      const fabric::ChannelIndex channel = tree.channel(near_first[i]);
      loads[channel] += carried[near_first[i]];
      carried[graph.neighbour[channel]] += carried[near_first[i]];
    }
  }
  return loads;
}

/// The next change starts from these loads; it moves fewer entries than a routing from the
/// beginning.
TEST_P(LoadChanges, LoadsAreThoseOfTheTables) {
  const std::vector<std::string> names{GetParam()};
  std::size_t moved = 0, moved_anew = 0;
  seeds::for_each(20, [&](std::uint64_t seed) {
    Random random(seed * 17);
    changing::ChangingFabric fabric(random,
                                    topology::fat_tree({.hosts = 128, .radix = 8, .levels = 3}), 0);
    const routing::RoutingOptions options;
    std::optional<ChainResult> last;
    std::unique_ptr<Subnet> before;
    std::uint32_t lost = 0;
    for (int step = 0; step < 12; ++step) {
      SCOPED_TRACE(step);
      auto now = std::make_unique<Subnet>(fabric.subnet());
      routing::RoutingInput input{now->fabric, now->graph, now->lids, options};
      const auto anew = routing::route_with_chain(names, true, input);
      std::optional<routing::PreviousRouting> from;
      if (last) from.emplace(*last->memory, last->routing.lfts, last->routing);
      if (from) input.previous_routing = &*from;
      auto routed = routing::route_with_chain(names, true, input);
      ASSERT_TRUE(routed) << routed.error().why;
      ASSERT_TRUE(anew) << anew.error().why;
      const auto* const state =
          dynamic_cast<const routing::LoadState*>(routed->memory->rows->own.get());
      ASSERT_NE(state, nullptr);
      EXPECT_EQ(state->loads,
                counted(now->graph, routed->routing.lfts, routed->memory->rows->attachments));
      if (before && before->graph.switches() == now->graph.switches()) {
        const auto entries = [&](const ChainResult& of) {
          return routing::table_changes(now->graph, now->lids, last->routing.lfts, of.routing.lfts)
              .entries;
        };
        moved += entries(*routed);
        moved_anew += entries(*anew);
      }
      last = std::move(*routed);
      before = std::move(now);
      // A cable, or a switch that is lost and returns.
      if (step % 4 == 1) lost = random.percent(50) ? fabric.any_leaf() : fabric.any_spine();
      if (step % 4 == 0 || step % 4 == 3)
        fabric.flip_a_cable();
      else
        fabric.flip_node(lost);
    }
  });
  if (seeds::are_default()) {  // true of many seeds together
    EXPECT_LT(2 * moved, moved_anew);
  }
}

/// A switch in the middle of a tree that returns has its share of what its neighbours send.
TEST_P(LoadChanges, ASwitchThatReturnsCarriesPackets) {
  const std::vector<std::string> names{GetParam()};
  seeds::for_each(20, [&](std::uint64_t seed) {
    Random random(seed * 23);
    changing::ChangingFabric fabric(
        random,
        random.percent(50) ? topology::fat_tree({.hosts = 128, .radix = 8, .levels = 3})
                           : topology::fat_tree({.hosts = 128, .radix = 16, .levels = 2}),
        0);
    const routing::RoutingOptions options;
    const std::uint32_t spine = fabric.any_spine();
    fabric.flip_node(spine);
    const Subnet without = fabric.subnet();
    const auto first = routing::route_with_chain(
        names, true, {without.fabric, without.graph, without.lids, options});
    ASSERT_TRUE(first);
    fabric.flip_node(spine);
    const Subnet whole = fabric.subnet();
    const routing::PreviousRouting from{*first->memory, first->routing.lfts, first->routing};
    const routing::RoutingInput input{whole.fabric, whole.graph, whole.lids,
                                      options,      nullptr,     &from};
    const auto second = routing::route_with_chain(names, true, input);
    ASSERT_TRUE(second);
    const std::vector<double> loads =
        counted(whole.graph, second->routing.lfts, second->memory->rows->attachments);
    const fabric::NodeIndex node = whole.fabric.node_of_guid.at(fabric.guid(spine));
    const fabric::SwitchIndex sw = whole.fabric.nodes[node].switch_index;
    const auto passing = [&](fabric::SwitchIndex at) {
      double sum = 0;
      for (const fabric::ChannelIndex channel : whole.graph.channels(at)) sum += loads[channel];
      return sum;
    };
    double most = 0;  // of switches without hosts
    const std::vector<std::uint32_t> hops = routing::hops_to_leaf(whole.graph);
    for (const fabric::SwitchIndex other : whole.graph.all_switches())
      if (hops[other] == hops[sw]) most = std::max(most, passing(other));
    EXPECT_GT(passing(sw), most / 4);
  });
}

/// lash keeps its loads by pairs of switches.
TEST(LashChanges, LoadsAreThoseOfThePaths) {
  const std::vector<std::string> names{"lash"};
  seeds::for_each(20, [&](std::uint64_t seed) {
    Random random(seed * 29);
    changing::ChangingFabric fabric(random,
                                    topology::fat_tree({.hosts = 32, .radix = 8, .levels = 2}), 0);
    const routing::RoutingOptions options;
    std::optional<ChainResult> last;
    std::uint32_t lost = 0;
    for (int step = 0; step < 12; ++step) {
      SCOPED_TRACE(step);
      const Subnet now = fabric.subnet();
      routing::RoutingInput input{now.fabric, now.graph, now.lids, options};
      std::optional<routing::PreviousRouting> from;
      if (last) from.emplace(*last->memory, last->routing.lfts, last->routing);
      if (from) input.previous_routing = &*from;
      auto routed = routing::route_with_chain(names, true, input);
      ASSERT_TRUE(routed) << routed.error().why;
      const auto* const state =
          dynamic_cast<const routing::LashState*>(routed->memory->rows->own.get());
      ASSERT_NE(state, nullptr);
      const fabric::SwitchGraph& graph = state->bundles.graph;
      std::vector<std::uint64_t> loads(graph.port.size(), 0);
      for (const fabric::SwitchIndex a : graph.all_switches())
        for (const fabric::SwitchIndex b : graph.all_switches())
          for (fabric::SwitchIndex sw = a;
               sw != b && state->paths.position(0, sw, b) != routing::LashPaths::kNone;) {
            const fabric::ChannelIndex channel = state->paths.channel(0, sw, b);
            loads[channel] += std::uint64_t{state->hosts[a]} * state->hosts[b];
            sw = graph.neighbour[channel];
          }
      EXPECT_EQ(state->paths.loads, loads);
      last = std::move(*routed);
      if (step % 4 == 1) lost = random.percent(50) ? fabric.any_leaf() : fabric.any_spine();
      if (step % 4 == 0 || step % 4 == 3)
        fabric.flip_a_cable();
      else
        fabric.flip_node(lost);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, LoadChanges, ::testing::Values("sssp", "dfsssp", "nue"),
                         [](const auto& test) { return std::string(test.param); });

// The tables, SLs and what is found about them, for any number of processors; also where
// destinations are routed two at a time.
TEST(Processors, DoNotDecideTheResult) {
  const Subnet large(fabrics::from_topology(topology::degrade(
      topology::xgft({.children = {2, 16, 16}, .parents = {1, 2, 2}, .cables = {}}), 0.03, 5)));
  const auto compare = [](const Subnet& subnet, std::string_view name) {
    SCOPED_TRACE(name);
    const routing::RoutingOptions options;
    const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
    std::optional<tl::expected<ChainResult, routing::Refusal>> first;
    for (const std::size_t processors : {1u, 2u, 16u}) {
      const fabric::ProcessorsForTest as_if(processors);
      auto result = routing::route_with_chain(std::vector{std::string(name)}, true, input);
      if (!first) {
        first = std::move(result);
        continue;
      }
      ASSERT_EQ(result.has_value(), first->has_value());
      if (!result) continue;
      ASSERT_TRUE(result->routing.lfts == (*first)->routing.lfts) << processors;
      ASSERT_TRUE(result->routing.sls == (*first)->routing.sls) << processors;
      ASSERT_EQ(result->routing.multicast_up, (*first)->routing.multicast_up) << processors;
      ASSERT_EQ(result->credit_loops.dependencies, (*first)->credit_loops.dependencies);
    }
  };
  for (const char* const name : {"sssp", "dfsssp", "nue"}) compare(large, name);
  seeds::for_each(8, [&](std::uint64_t seed) {
    const Subnet subnet(fabrics::random_fabric(seed));
    for (const routing::Engine& engine : routing::engines()) compare(subnet, engine.name);
  });
}

// A tree of 1,000 changes of links: the loads are about those of a routing from the beginning.
TEST(LoadChangesOfATree, DoNotAddUp) {
  for (const char* const engine : {"sssp", "dfsssp", "nue"}) {
    SCOPED_TRACE(engine);
    Random random(11);
    const topology::Topology whole = topology::fat_tree({.hosts = 54, .radix = 6});
    std::vector<std::size_t> links;
    for (std::size_t i = 0; i < whole.links.size(); ++i)
      if (whole.nodes[whole.links[i].a.node].type == topology::NodeType::switch_ &&
          whole.nodes[whole.links[i].b.node].type == topology::NodeType::switch_)
        links.push_back(i);
    std::vector<bool> is_down(whole.links.size(), false);
    const auto subnet_now = [&] {
      topology::Topology now = whole;
      std::erase_if(now.links, [&, i = std::size_t{0}](const topology::Link&) mutable {
        return is_down[i++];
      });
      return std::make_unique<Subnet>(fabrics::from_topology(now));
    };
    const routing::RoutingOptions options;
    const std::vector<std::string> names{engine};
    auto before = subnet_now();
    auto last = routing::route_with_chain(names, true,
                                          {before->fabric, before->graph, before->lids, options});
    std::size_t down = 0, compared = 0;
    double load = 0, load_fresh = 0, length = 0, length_fresh = 0;
    const int changes = seeds::share_of(1000);
    for (int change = 0; change < changes; ++change) {
      const std::size_t link = links[random.below(static_cast<std::uint32_t>(links.size()))];
      if (!is_down[link] && down == links.size() / 12) continue;
      down = is_down[link] ? down - 1 : down + 1;
      is_down[link] = !is_down[link];
      auto now = subnet_now();
      ASSERT_TRUE(last) << last.error().why;
      const routing::PreviousRouting from{*last->memory, last->routing.lfts, last->routing};
      last = routing::route_with_chain(
          names, true, {now->fabric, now->graph, now->lids, options, nullptr, &from});
      before = std::move(now);
      if (change % 10 != 0) continue;
      ASSERT_TRUE(last);
      const auto fresh = routing::route_with_chain(
          names, true, {before->fabric, before->graph, before->lids, options});
      ASSERT_TRUE(fresh);
      ++compared;
      const auto worst = [&](const ChainResult& of) {
        return static_cast<double>(
            routing::all_to_all(before->graph, before->lids, of.routing.lfts).worst);
      };
      const auto mean_length = [&](const ChainResult& of) {
        return routing::path_lengths(before->graph, before->lids, of.routing.lfts).mean;
      };
      load += worst(*last);
      load_fresh += worst(*fresh);
      length += mean_length(*last);
      length_fresh += mean_length(*fresh);
    }
    RecordProperty(engine, fmt::format("{:.3f}", load / load_fresh));
    if (compared < 50) continue;  // no statistical sample
    EXPECT_LE(load, 1.1 * load_fresh);
    EXPECT_LE(length, 1.1 * length_fresh);
  }
}

}  // namespace load_changes_property_test
