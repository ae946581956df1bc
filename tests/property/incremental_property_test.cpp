// Incremental routing, from the previous routing, against routing from the beginning: the same
// tables after every change, and the same result of verification.

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "fabric/topology/topology.h"
#include "mad/format.h"
#include "routing/registry.h"
#include "routing/verify/changed_tables.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace incremental_property_test {

using fabrics::Subnet;
using routing::ChainResult;
using sim::Random;
using sm::SwitchIndex;

/// A fabric with random changes. Ports keep their LIDs, as with a subnet manager.
class ChangingFabric {
 public:
  explicit ChangingFabric(Random& random)
      : random_(random), whole_(kind(random)), lmc_(random.percent(15) ? 1 : 0) {
    link_is_up_.assign(whole_.links.size(), true);
    node_is_up_.assign(whole_.nodes.size(), true);
  }

  void change() {
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        return flip(link_is_up_, between_switches());
      case 3:
        return flip(link_is_up_, random_.below(static_cast<std::uint32_t>(whole_.links.size())));
      case 4:
        return flip(node_is_up_, random_.below(static_cast<std::uint32_t>(whole_.nodes.size())));
      case 5:
        return move_host();
      case 6:
        restore_all(random_.percent(50) ? link_is_up_ : node_is_up_);
        return;
      default:
        shift_ = random_.below(7);
        return;  // discovered in another order
    }
  }

  Subnet subnet() {
    sim::Topology now;
    std::vector<std::size_t> index(whole_.nodes.size());
    for (std::size_t i = 0; i < whole_.nodes.size(); ++i) {
      const std::size_t node = (i + shift_) % whole_.nodes.size();
      if (!node_is_up_[node]) continue;
      index[node] = now.nodes.size();
      now.nodes.push_back(whole_.nodes[node]);
    }
    for (std::size_t i = 0; i < whole_.links.size(); ++i) {
      sim::Link link = whole_.links[i];
      if (!link_is_up_[i] || !node_is_up_[link.a.node] || !node_is_up_[link.b.node]) continue;
      link.a.node = index[link.a.node];
      link.b.node = index[link.b.node];
      now.links.push_back(link);
    }
    sm::Fabric fabric = fabrics::from_topology(now);
    sm::LidMap lids;
    lids.of_end_port.resize(fabric.end_ports.size());
    for (const sm::EndPortIndex i : fabric.end_ports.indices()) {
      const sm::PortIndex port = fabric.end_ports[i];
      const std::uint8_t lmc = fabric.node_of(port).is_switch() ? 0 : lmc_;
      auto [known, is_new] = lid_of_.try_emplace(fabric.ports[port].guid.value, next_lid_);
      if (is_new) next_lid_ = static_cast<std::uint16_t>(next_lid_ + (1u << lmc_));
      lids.of_end_port[i] = {mad::Lid{known->second}, lmc};
      lids.lid_top = std::max(
          lids.lid_top, mad::Lid{static_cast<std::uint16_t>(known->second + (1u << lmc) - 1)});
    }
    lids.port_of_lid.assign(lids.lid_top.value + std::size_t{1}, sm::kNoIndex);
    for (const sm::EndPortIndex i : fabric.end_ports.indices())
      for (unsigned k = 0; k < lids.of_end_port[i].count(); ++k)
        lids.port_of_lid[lids.of_end_port[i].base.value + k] = fabric.end_ports[i];
    return {std::move(fabric), std::move(lids)};
  }

 private:
  static sim::Topology kind(Random& random) {
    switch (random.below(5)) {
      case 0:
        return sim::fat_tree({.hosts = 16, .radix = 8, .levels = 2});
      case 1:
        return sim::fat_tree({.hosts = 16, .radix = 4, .levels = 3});
      case 2:
        return sim::torus({.dimensions = {3, 4}, .hosts_per_switch = 1});
      case 3:
        return sim::dragonfly({.switches_per_group = 3, .global_cables = 1, .hosts_per_switch = 1});
      default:
        return sim::random_graph({.switches = 4 + random.below(8),
                                  .hosts = 12,
                                  .extra_links = random.below(10),
                                  .seed = random.below(1000)});
    }
  }
  bool is_switch(std::size_t node) const {
    return whole_.nodes[node].type == sim::NodeType::switch_;
  }
  std::uint32_t between_switches() {
    for (int tries = 0; tries < 50; ++tries) {
      const std::uint32_t link = random_.below(static_cast<std::uint32_t>(whole_.links.size()));
      if (is_switch(whole_.links[link].a.node) && is_switch(whole_.links[link].b.node)) return link;
    }
    return 0;
  }
  static void restore_all(std::vector<bool>& flags) { flags.assign(flags.size(), true); }
  static void flip(std::vector<bool>& flags, std::size_t at) { flags[at] = !flags[at]; }
  void move_host() {
    // Exchange two hosts.
    std::vector<sim::PortRef*> ends;
    for (sim::Link& link : whole_.links)
      for (sim::PortRef* end : {&link.a, &link.b})
        if (!is_switch(end->node)) ends.push_back(end);
    if (ends.size() < 2) return;
    sim::PortRef& one = *ends[random_.below(static_cast<std::uint32_t>(ends.size()))];
    sim::PortRef& other = *ends[random_.below(static_cast<std::uint32_t>(ends.size()))];
    std::swap(one, other);
  }

  Random& random_;
  sim::Topology whole_;
  std::uint8_t lmc_;
  std::vector<bool> link_is_up_, node_is_up_;
  std::size_t shift_ = 0;
  std::map<std::uint64_t, std::uint16_t> lid_of_;
  std::uint16_t next_lid_ = 2;
};

/// The previous tables, by the switch numbers of this fabric.
sm::ForwardingTables renumbered(const Subnet& now, const Subnet& before,
                                const sm::ForwardingTables& lfts) {
  sm::ForwardingTables out(now.graph.switches(), std::max(now.lids.lid_top, lfts.lid_top()));
  for (const SwitchIndex sw : now.graph.all_switches()) {
    const auto found =
        before.fabric.node_of_guid.find(now.fabric.nodes[now.fabric.switches[sw].node].guid);
    if (found != before.fabric.node_of_guid.end())
      std::ranges::copy(lfts.row(before.fabric.nodes[found->second].switch_index),
                        out.row(sw).begin());
  }
  return out;
}

/// The differences of two table sets, as text; entries above lid_top included.
std::string differences(const Subnet& subnet, const sm::ForwardingTables& previous,
                        const sm::ForwardingTables& one, const sm::ForwardingTables& other) {
  std::string out;
  for (const SwitchIndex sw : subnet.graph.all_switches())
    for (unsigned lid = 0; lid < one.pitch() && out.size() < 1000; ++lid) {
      const mad::Lid at{static_cast<std::uint16_t>(lid)};
      if (one.at(sw, at) == other.at(sw, at)) continue;
      const sm::PortIndex owner = subnet.lids.owner(at);
      out += fmt::format("{} LID {} of {}: {} before, {} and {}\n",
                         subnet.fabric.name(subnet.fabric.switches[sw].node), lid,
                         owner == sm::kNoIndex ? "no end port" : subnet.fabric.port_name(owner),
                         previous.at(sw, at), one.at(sw, at), other.at(sw, at));
    }
  return out;
}

struct Count {
  std::size_t steps = 0, incremental = 0, refused = 0, changed = 0;
};

void run(std::uint64_t seed, const std::string& engine, Count& count) {
  Random random(seed * 7919 + engine.size());
  ChangingFabric fabric(random);
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
                       .switches[sm::SwitchIndex(random.below(
                           static_cast<std::uint32_t>(before->fabric.switches.size())))]
                       .node]
            .guid};
  if (random.percent(15) && !before->fabric.switches.empty())
    options.port_prof_ignore = {
        {before->fabric.nodes[before->fabric.switches[sm::SwitchIndex{0}].node].guid,
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
    const routing::PreviousRouting from{*last->memory, last->routing.lfts, last->routing};
    routing::RoutingInput incremental = fresh;
    incremental.previous_routing = &from;
    auto updated = routing::route_with_chain(names, true, incremental);
    const sm::ForwardingTables previous = renumbered(*now, *before, last->routing.lfts);
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
    ASSERT_EQ(differences(*now, previous, updated->routing.lfts, complete->routing.lfts), "")
        << engine << " step " << step;
    ASSERT_EQ(updated->credit_loops.ok(), complete->credit_loops.ok());
    // The result is complete enough for the next incremental routing.
    const routing::VerifyReport report =
        routing::verify(now->fabric, now->graph, now->lids, updated->routing.lfts,
                        {.switch_lids_may_be_withheld = true});
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(updated->verification.components.size(), report.components.size());
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
    ChangingFabric fabric(random);
    const Subnet subnet = fabric.subnet();
    const routing::RoutingOptions options;
    const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
    const std::vector<std::string> names{"minhop"};
    const auto good = routing::route_with_chain(names, true, input);
    ASSERT_TRUE(good);
    const routing::PreviousRouting before{*good->memory, good->routing.lfts, good->routing};
    routing::RoutingInput incremental = input;
    incremental.previous_routing = &before;
    sm::ForwardingTables lfts = good->routing.lfts;
    for (unsigned i = 1 + random.below(3); i > 0; --i) {
      const auto sw = random.below(static_cast<std::uint32_t>(subnet.graph.switches()));
      lfts.row(sm::SwitchIndex{sw})[1 + random.below(subnet.lids.lid_top.value)] =
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

}  // namespace incremental_property_test
