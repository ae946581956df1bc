// Incremental routing, from the previous routing, against routing from the beginning: the same
// tables after every change, and the same result of verification.

#include <algorithm>

#include <gtest/gtest.h>

#include "mad/format.h"
#include "property/changing_fabric.h"
#include "property/dependencies.h"
#include "routing/registry.h"
#include "routing/verify/changed_tables.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace incremental_property_test {

using changing::ChangingFabric;
using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::ChainResult;
using topology::Random;

/// The previous tables, by the switch numbers of this fabric.
fabric::ForwardingTables renumbered(const Subnet& now, const Subnet& before,
                                    const fabric::ForwardingTables& lfts) {
  fabric::ForwardingTables out(now.graph.switches(), std::max(now.lids.lid_top, lfts.lid_top()));
  for (const SwitchIndex sw : now.graph.all_switches()) {
    const auto found =
        before.fabric.node_of_guid.find(now.fabric.nodes[now.fabric.switches[sw].node].guid);
    if (found != before.fabric.node_of_guid.end())
      std::ranges::copy(lfts.row(before.fabric.nodes[found->second].switch_index),
                        out.writable_row(sw).begin());
  }
  return out;
}

/// The differences of two table sets, as text; entries above lid_top included.
std::string differences(const Subnet& subnet, const fabric::ForwardingTables& previous,
                        const fabric::ForwardingTables& one,
                        const fabric::ForwardingTables& other) {
  std::string out;
  for (const SwitchIndex sw : subnet.graph.all_switches())
    for (unsigned lid = 0; lid < one.pitch() && out.size() < 1000; ++lid) {
      const mad::Lid at{static_cast<std::uint16_t>(lid)};
      if (one.at(sw, at) == other.at(sw, at)) continue;
      const fabric::PortIndex owner = subnet.lids.owner(at);
      out += fmt::format("{} LID {} of {}: {} before, {} and {}\n",
                         subnet.fabric.name(subnet.fabric.switches[sw].node), lid,
                         owner == fabric::kNoIndex ? "no end port" : subnet.fabric.port_name(owner),
                         previous.at(sw, at), one.at(sw, at), other.at(sw, at));
    }
  return out;
}

struct Count {
  std::size_t steps = 0, incremental = 0, refused = 0, changed = 0, other_rules = 0;
};

void run(std::uint64_t seed, const std::string& engine, Count& count) {
  Random random(seed * 7919 + engine.size());
  ChangingFabric fabric(random, changing::any_topology(random), random.percent(15) ? 1 : 0);
  routing::RoutingOptions options;
  options.lowest_port_first = random.percent(20);
  options.scatter_ports = random.percent(15) ? 5 : 0;
  options.port_profile_switch_nodes = random.percent(15);
  options.port_shifting = random.percent(15);
  options.connect_roots = random.percent(30);
  auto before = std::make_unique<Subnet>(fabric.subnet());
  if (engine == "updn" && !before->fabric.switches.empty())
    options.roots = {
        before->fabric
            .nodes[before->fabric
                       .switches[fabric::SwitchIndex(random.below(
                           static_cast<std::uint32_t>(before->fabric.switches.size())))]
                       .node]
            .guid};
  if (random.percent(15) && !before->fabric.switches.empty())
    options.port_prof_ignore = {
        {before->fabric.nodes[before->fabric.switches[fabric::SwitchIndex{0}].node].guid,
         mad::PortNum{1}}};
  const std::vector<std::string> names{engine};
  auto last = routing::route_with_chain(names, true,
                                        {before->fabric, before->graph, before->lids, options});
  for (int step = 0; step < 12; ++step) {
    fabric.change();
    if (random.percent(30)) fabric.change();
    auto now = std::make_unique<Subnet>(fabric.subnet());
    const routing::RoutingInput fresh{now->fabric, now->graph, now->lids, options};
    ++count.steps;
    if (!last) {
      last = routing::route_with_chain(names, true, fresh);
      before = std::move(now);
      continue;
    }
    // Without what returns_property_test.cpp is about.
    routing::RoutingState memory = *last->memory;
    memory.remembered.clear();
    const routing::PreviousRouting from{memory, last->routing.lfts, last->routing};
    routing::RoutingInput incremental = fresh;
    incremental.previous_routing = &from;
    auto updated = routing::route_with_chain(names, true, incremental);
    const fabric::ForwardingTables previous = renumbered(*now, *before, last->routing.lfts);
    routing::RoutingInput from_beginning = fresh;
    from_beginning.previous = &previous;
    auto complete = routing::route_with_chain(names, true, from_beginning);
    ASSERT_EQ(updated.has_value(), complete.has_value())
        << (updated ? complete.error().why : updated.error().why) << " seed " << seed << " step "
        << step;
    if (!updated) {
      ++count.refused;
      ASSERT_EQ(updated.error().why, complete.error().why);
      last = std::move(updated);
      before = std::move(now);
      continue;
    }
    // Whether packets that turn close a cycle depends on tables, and so on those before.
    if (updated->memory->turn_rule != complete->memory->turn_rule) {
      ++count.other_rules;
      last = std::move(updated);
      before = std::move(now);
      continue;
    }
    ASSERT_EQ(differences(*now, previous, updated->routing.lfts, complete->routing.lfts), "")
        << engine << " step " << step;
    ASSERT_EQ(updated->credit_loops.ok(), complete->credit_loops.ok());
    // The result is complete enough for the next incremental routing.
    const routing::VerifyReport report =
        routing::verify(now->fabric, now->graph, now->lids, updated->routing.lfts,
                        {.switch_lids_may_be_withheld = true});
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(updated->verification.components.size(), report.components.size());
    ASSERT_EQ(updated->verification.withheld, report.withheld) << engine << " step " << step;
    ASSERT_EQ(updated->verification.withheld_count, report.withheld_count);
    if (updated->incremental) {
      ASSERT_TRUE(dependencies::contain_all(*now, *updated)) << engine << " step " << step;
    }
    count.incremental += updated->incremental ? 1u : 0u;
    count.changed += updated->routing.lfts == previous ? 0u : 1u;
    last = std::move(updated);
    before = std::move(now);
  }
}

class IncrementalRouting : public ::testing::TestWithParam<const char*> {};

TEST_P(IncrementalRouting, EqualsRoutingFromTheBeginning) {
  Count count;
  seeds::for_each(400, [&](std::uint64_t seed) { run(seed, GetParam(), count); });
  RecordProperty("incremental", static_cast<int>(count.incremental));
  if (count.steps > 100) {
    EXPECT_GT(count.incremental, count.steps / 20)
        << "of " << count.steps << ", " << count.changed << " with changes, " << count.refused
        << " refused";
    EXPECT_GT(count.changed, count.steps / 10);
    EXPECT_LE(count.other_rules, count.steps / 200);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, IncrementalRouting,
                         ::testing::Values("minhop", "updn", "dnup", "dor"),
                         [](const auto& test) { return std::string(test.param); });

// ---- changed tables with errors are not accepted

TEST(ChangedTables, FindsPathsThatDoNotArrive) {
  std::size_t broken = 0;
  seeds::for_each(300, [&](std::uint64_t seed) {
    Random random(seed);
    ChangingFabric fabric(random, changing::any_topology(random), random.percent(15) ? 1 : 0);
    const Subnet subnet = fabric.subnet();
    const routing::RoutingOptions options;
    const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
    const std::vector<std::string> names{"minhop"};
    const auto good = routing::route_with_chain(names, true, input);
    ASSERT_TRUE(good);
    const routing::PreviousRouting before{*good->memory, good->routing.lfts, good->routing};
    routing::RoutingInput incremental = input;
    incremental.previous_routing = &before;
    fabric::ForwardingTables lfts = good->routing.lfts;
    for (unsigned i = 1 + random.below(3); i > 0; --i) {
      const auto sw = random.below(static_cast<std::uint32_t>(subnet.graph.switches()));
      lfts.writable_row(fabric::SwitchIndex{sw})[1 + random.below(subnet.lids.lid_top.value)] =
          static_cast<std::uint8_t>(random.percent(20) ? 255 : random.below(10));
    }
    const routing::ChangedTables changed(incremental, lfts, good->routing);
    const bool really = routing::verify(subnet.fabric, subnet.graph, subnet.lids, lfts).ok();
    EXPECT_EQ(changed.paths_arrive({}), really);
    broken += really ? 0u : 1u;
    // And the dependencies contain all those of a complete search.
    if (!really || !good->memory->dependencies) return;
    const routing::ChannelGraph part = changed.combined_dependencies(*good->memory->dependencies);
    const routing::ChannelGraph all = routing::find_dependencies(
        subnet.graph, subnet.lids, lfts, {{}, {}}, routing::Traffic::between_hosts);
    routing::ChannelGraph both = part;
    both.merge(all);
    EXPECT_EQ(both.dependencies(), part.dependencies());
  });
  EXPECT_TRUE(broken > 0 || !seeds::are_default());
}

/// Switches keep entries of LIDs that have left. When such a LID is back, packets use them again.
TEST(ChangedTables, HaveDependenciesOfEntriesThatWereThereBeforeTheirLid) {
  std::size_t with_new_dependencies = 0;
  seeds::for_each(300, [&](std::uint64_t seed) {
    Random random(seed);
    ChangingFabric fabric(random, changing::any_topology(random), 0);
    const Subnet whole = fabric.subnet();
    fabric.flip_node(fabric.any_leaf());
    const Subnet part = fabric.subnet();
    const routing::RoutingOptions options;
    const std::vector<std::string> names{"minhop"};
    const auto route = [&](const Subnet& subnet) {
      return routing::route_with_chain(names, true,
                                       {subnet.fabric, subnet.graph, subnet.lids, options});
    };
    auto before = route(part);
    const auto now = route(whole);
    if (!before || !now || !before->memory->dependencies) return;
    for (const SwitchIndex sw : part.graph.all_switches()) {
      const mad::Guid guid = part.fabric.nodes[part.fabric.switches[sw].node].guid;
      const SwitchIndex in_whole =
          whole.fabric.nodes[whole.fabric.node_of_guid.at(guid)].switch_index;
      for (unsigned value = 1; value < before->routing.lfts.pitch(); ++value) {
        const mad::Lid lid{static_cast<std::uint16_t>(value)};
        if (part.lids.owner(lid) == fabric::kNoIndex)
          before->routing.lfts.writable_row(sw)[value] = now->routing.lfts.at(in_whole, lid).value;
      }
    }
    const routing::PreviousRouting previous{*before->memory, before->routing.lfts, before->routing};
    routing::RoutingInput input{whole.fabric, whole.graph, whole.lids, options};
    input.previous_routing = &previous;
    const routing::ChangedTables changed(input, now->routing.lfts, now->routing);
    EXPECT_TRUE(changed.paths_arrive({}));
    const routing::ChannelGraph combined =
        changed.combined_dependencies(*before->memory->dependencies);
    routing::ChannelGraph all = routing::find_dependencies(
        whole.graph, whole.lids, now->routing.lfts, {{}, {}}, routing::Traffic::between_hosts);
    all.merge(combined);
    EXPECT_EQ(all.dependencies(), combined.dependencies());
    with_new_dependencies +=
        combined.dependencies() > before->memory->dependencies->dependencies() ? 1u : 0u;
  });
  EXPECT_TRUE(with_new_dependencies > 0 || !seeds::are_default());
}

}  // namespace incremental_property_test
