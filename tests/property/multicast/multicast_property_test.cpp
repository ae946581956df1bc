// Thousands of joins, leaves and failures on many fabrics. After every single write, packets are
// followed through the simulated hardware.

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "fabric/topology/graph.h"
#include "property/multicast/multicast_lab.h"
#include "routing/multicast/multicast_dependencies.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"

namespace multicast_property_test {

using multicast_lab::Lab;
using multicast_lab::Losses;

constexpr mad::Mlid mlid(unsigned index) {
  return {static_cast<std::uint16_t>(mad::kMlidMin.value + index)};
}

topology::Topology some_topology(std::uint64_t seed) {
  topology::Random random(seed * 7919);
  switch (seed % 10) {
    case 0:
      return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
    case 1:
      return topology::xgft({.children = {2, 2, 3}, .parents = {1, 2, 2}, .cables = {}});
    case 2:
      return topology::xgft({.children = {3, 3}, .parents = {1, 2}, .cables = {1, 3}});
    case 3:
      return topology::torus({.dimensions = {3, 4}, .hosts_per_switch = 1});
    case 4:
      return topology::dragonfly(
          {.switches_per_group = 3, .global_cables = 1, .hosts_per_switch = 1, .groups = 4});
    case 5:
      return topology::hypercube({.dimensions = 3, .hosts_per_switch = 2});
    case 6:
      return topology::row({.switches = 4, .cables = 3, .hosts_per_switch = 3});
    case 7:
      return topology::dragonfly_plus({.leaves_per_group = 2,
                                       .spines_per_group = 2,
                                       .global_cables = 1,
                                       .hosts_per_leaf = 2,
                                       .groups = 3});
    case 8:  // a server on a spine
      return topology::add_host(
          topology::xgft({.children = {2, 3}, .parents = {1, 2}, .cables = {}}), "S2-0");
    default: {
      const unsigned switches = 2 + random.below(10u);
      return topology::random_graph({.switches = switches,
                                     .hosts = 4 + random.below(12u),
                                     .extra_links = random.below(2 * switches),
                                     .seed = random.next()});
    }
  }
}

/// Some of the MLIDs in use: neighbours in one block, and one in a block of its own.
mad::Mlid some_mlid(topology::Random& random) {
  static constexpr std::array kMlids{mlid(0), mlid(1), mlid(31), mlid(40)};
  return kMlids[random.below(kMlids.size())];
}

void toggle(std::vector<fabric::PortIndex>& ports, fabric::PortIndex port) {
  const auto found = std::ranges::find(ports, port);
  if (found == ports.end()) {
    ports.push_back(port);
  } else {
    ports.erase(found);
  }
}

/// One random change of a group. Returns its MLID.
mad::Mlid join_or_leave(Lab& lab) {
  const mad::Mlid of = some_mlid(lab.random);
  routing::MulticastGroup& group = lab.groups[of];
  group.mlid = of;
  const unsigned what = lab.random.below(20u);
  if (what == 0) {
    group.receivers = lab.hosts;
    group.senders.clear();
  } else if (what == 1) {
    group.receivers.clear();
    group.senders.clear();
  } else {
    for (unsigned times = 1 + lab.random.below(3u); times > 0; --times) {
      if (lab.random.percent(8)) {  // port 0 of a switch
        toggle(group.receivers, lab.fabric
                                    .nodes[lab.fabric
                                               .switches[fabric::SwitchIndex(
                                                   lab.random.below(lab.fabric.switches.size()))]
                                               .node]
                                    .first_port);
        continue;
      }
      const fabric::PortIndex host = lab.hosts[lab.random.below(lab.hosts.size())];
      if (lab.random.percent(80) && std::ranges::find(group.senders, host) == group.senders.end()) {
        toggle(group.receivers, host);
      } else if (std::ranges::find(group.receivers, host) == group.receivers.end()) {
        toggle(group.senders, host);
      }
    }
  }
  return of;
}

void break_or_mend(Lab& lab) {
  const std::vector<fabric::PortIndex> links = lab.links();
  if (links.empty()) return;
  const fabric::PortIndex link = links[lab.random.below(links.size())];
  const unsigned what = lab.random.below(10u);
  if (what < 5) {
    lab.set_link_state(link, !lab.is_up(link));
  } else if (what < 8) {
    for (const fabric::PortIndex each : links) {
      if (!lab.is_up(each)) lab.set_link_state(each, true);
    }
  } else {  // a switch disappears, or reappears without tables
    const fabric::SwitchIndex sw = lab.fabric.owning_node(link).switch_index;
    lab.reboot(sw);
    const bool up = lab.random.percent(50);
    for (const fabric::PortIndex each : links) {
      if (lab.fabric.owning_node(each).switch_index == sw ||
          lab.fabric.owning_node(lab.fabric.ports[each].peer).switch_index == sw)
        lab.set_link_state(each, up);
    }
  }
}

/// After a change the switches are programmed. No packet that is sent in the meantime loops, and
/// none from a switch of the trees is delivered twice.
void expect_safe_programming(Lab& lab, const Losses& losses, bool& all_well) {
  all_well = lab.program(losses, [&] {
    for (const auto& [of, group] : lab.groups) ASSERT_EQ(lab.fault_of_some(of, 2), "");
  });
  lab.activate();
  for (const auto& [of, group] : lab.groups) {
    for (const fabric::PortIndex host : lab.hosts) ASSERT_EQ(lab.fault_now(of, host), "");
  }
}

void run(std::uint64_t seed, const Losses& losses, unsigned steps) {
  Lab lab(some_topology(seed), seed);
  for (unsigned step = 0; step < steps; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    if (lab.random.percent(70)) {
      lab.change(join_or_leave(lab));
    } else {
      break_or_mend(lab);
      lab.sweep();
    }
    bool all_well = false;
    expect_safe_programming(lab, losses, all_well);
    if (testing::Test::HasFatalFailure()) return;
    if (all_well) {
      ASSERT_TRUE(lab.all_active());
      ASSERT_EQ(lab.complaint(), "");
    }
  }
  // In the end all switches respond.
  bool all_well = false;
  expect_safe_programming(lab, {}, all_well);
  if (testing::Test::HasFatalFailure()) return;
  ASSERT_TRUE(all_well);
  ASSERT_EQ(lab.complaint(), "");
  if (!lab.is_connected()) return;
  std::vector<sim::ExpectedGroup> expected;
  for (const auto& [of, group] : lab.groups) {
    if (!group.senders.empty()) continue;
    sim::ExpectedGroup& as_seen = expected.emplace_back();
    as_seen.mlid = of;
    for (const fabric::PortIndex port : group.receivers) as_seen.members.insert(lab.sim_port(port));
  }
  EXPECT_EQ(sim::first_complaint(sim::check_multicast(lab.model(), expected)), "");
}

TEST(MulticastUpdate, IsSafeAfterEveryWrite) {
  seeds::for_each(600, [](std::uint64_t seed) { run(seed, {}, 25); });
}

TEST(MulticastUpdate, IsSafeWithLostWritesAndResponses) {
  seeds::for_each(600, [](std::uint64_t seed) {
    run(seed,
        {.lost_percent = static_cast<unsigned>(seed % 40),
         .unacknowledged_percent = static_cast<unsigned>(seed % 23)},
        25);
  });
}

/// Trees of another SM are read back, or cleared where reading fails, and replaced.
TEST(MulticastUpdate, ReplacesForeignTreesSafely) {
  seeds::for_each(270, [](std::uint64_t seed) {
    Lab lab(some_topology(seed), seed);
    for (unsigned i = 0; i < 12; ++i) lab.change(join_or_leave(lab));
    bool all_well = false;
    expect_safe_programming(lab, {}, all_well);
    ASSERT_TRUE(all_well);
    // They are unknown to this SM, and its loads of links are of other groups.
    lab.held = routing::HeldMulticast(lab.graph.switches(), lab.router.tables().positions());
    lab.router = routing::MulticastRouter(lab.fabric, lab.graph, {});
    for (unsigned i = 50; i < 56; ++i) {
      lab.router.route({.mlid = mlid(i),
                        .receivers = {lab.hosts[lab.random.below(lab.hosts.size())],
                                      lab.hosts[lab.random.below(lab.hosts.size())]},
                        .senders = {}},
                       lab.findings);
    }
    for (const auto& [of, group] : lab.groups) lab.change(of);
    const Losses losses{.lost_percent = seed % 2 == 0 ? 30u : 0u, .unacknowledged_percent = 0};
    for (unsigned attempt = 0; attempt < 60 && (attempt == 0 || !all_well); ++attempt) {
      expect_safe_programming(lab, losses, all_well);
      if (testing::Test::HasFatalFailure()) return;
    }
    ASSERT_TRUE(all_well);
    ASSERT_EQ(lab.complaint(), "");
  });
}

/// On a connected fabric a join removes no port, changes no other MLID, and writes only switches
/// between the new member and the root.
TEST(MulticastTrees, JoinChangesOnlyItsBranch) {
  seeds::for_each(270, [](std::uint64_t seed) {
    if (seed % 9 == 8)
      return;  // random graphs may be ordered by levels and have members without a common switch
               // above
    Lab lab(some_topology(seed), seed);
    for (unsigned i = 0; i < 10; ++i) lab.change(join_or_leave(lab));
    bool all_well = false;
    expect_safe_programming(lab, {}, all_well);
    for (unsigned step = 0; step < 30; ++step) {
      const mad::Mlid of = some_mlid(lab.random);
      routing::MulticastGroup& group = lab.groups[of];
      group.mlid = of;
      const fabric::PortIndex host = lab.hosts[lab.random.below(lab.hosts.size())];
      if (std::ranges::find(group.receivers, host) != group.receivers.end() ||
          std::ranges::find(group.senders, host) != group.senders.end())
        continue;
      group.receivers.push_back(host);
      const fabric::MulticastTables before = lab.router.tables();
      lab.change(of);
      const fabric::MulticastTables& after = lab.router.tables();
      std::size_t changed = 0;
      for (const fabric::SwitchIndex sw : lab.graph.all_switches()) {
        bool differs = false;
        for (std::size_t position = 0; position < after.positions(); ++position) {
          ASSERT_EQ(before.mask(sw, of, position) & ~after.mask(sw, of, position), 0);
          differs = differs || before.mask(sw, of, position) != after.mask(sw, of, position);
          for (const auto& [other, ignored] : lab.groups) {
            ASSERT_TRUE(other == of ||
                        before.mask(sw, other, position) == after.mask(sw, other, position));
          }
        }
        changed += differs;
      }
      ASSERT_GE(changed, 1u);
      const unsigned diameter = topology::switch_diameter(some_topology(seed));
      ASSERT_LE(changed, 2 * diameter + 1);
      const std::size_t writes = lab.writes;
      expect_safe_programming(lab, {}, all_well);
      if (testing::Test::HasFatalFailure()) return;
      ASSERT_TRUE(all_well);
      ASSERT_EQ(lab.writes - writes, changed)
          << "one write for each of them (all have fewer than 16 ports)";
      ASSERT_EQ(lab.complaint(), "");
    }
  });
}

/// A join, a leave or another group never moves a tree: with the same members and links, a sweep
/// changes nothing.
TEST(MulticastTrees, SweepChangesNothing) {
  seeds::for_each(270, [](std::uint64_t seed) {
    Lab lab(some_topology(seed), seed);
    for (unsigned i = 0; i < 20; ++i) lab.change(join_or_leave(lab));
    if (seed % 3 == 0) break_or_mend(lab);
    lab.sweep();
    const fabric::MulticastTables before = lab.router.tables();
    lab.sweep();
    ASSERT_EQ(lab.router.tables(), before);
  });
}

std::vector<routing::MulticastGroup> all_groups(const Lab& lab) {
  std::vector<routing::MulticastGroup> all;
  for (const auto& [mlid, group] : lab.groups) all.push_back(group);
  return routing::joined_by_mlid(std::move(all));
}

std::set<std::array<std::uint32_t, 4>> dependencies_of(
    const Lab& lab, const routing::MulticastRouter& router,
    const std::vector<routing::MulticastGroup>& groups) {
  std::set<std::array<std::uint32_t, 4>> found;
  for (const auto& [from, to] : routing::multicast_dependencies(lab.graph, router.tables(), groups,
                                                                routing::SlToVl::identity(4)))
    found.insert({from.channel.value, from.vl, to.channel.value, to.vl});
  return found;
}

/// Trees that are updated after hosts came and left and groups changed are those of a new router,
/// and channel dependencies that were not there before are said to be new.
TEST(MulticastTrees, AnUpdateIsASweepWhereSwitchesAndTheirLinksStay) {
  std::size_t updates = 0, with_same_dependencies = 0;
  seeds::for_each(300, [&](std::uint64_t seed) {
    Lab lab(some_topology(seed), seed);
    for (unsigned i = 0; i < 20; ++i) join_or_leave(lab);
    lab.sweep();
    const std::vector<routing::MulticastGroup> known = all_groups(lab);
    const auto dependencies = dependencies_of(lab, lab.router, known);
    lab.router.note_dependencies_checked();
    for (unsigned i = lab.random.below(4u); i > 0; --i) {
      routing::MulticastGroup& group = lab.groups[join_or_leave(lab)];
      if (lab.random.percent(20)) group.sls = 2;
    }
    for (unsigned i = lab.random.below(3u); i > 0; --i)
      lab.set_link_state(lab.hosts[lab.random.below(lab.hosts.size())], lab.random.percent(30));
    if (seed % 4 == 0) break_or_mend(lab);
    lab.graph = fabric::make_switch_graph(lab.fabric);
    const std::vector<routing::MulticastGroup> groups = all_groups(lab);
    std::vector<routing::MulticastFinding> found, expected;
    const auto updated =
        lab.router.updated(lab.fabric, lab.graph, known, lab.findings, groups, found);
    if (!updated) return;
    ++updates;
    routing::MulticastRouter from_tables(lab.fabric, lab.graph, lab.router.tables(),
                                         lab.router.centres());
    from_tables.route_all(groups, expected);
    ASSERT_EQ(updated->tables(), from_tables.tables());
    ASSERT_EQ(found, expected);
    if (updated->has_new_dependencies()) return;
    ++with_same_dependencies;
    ASSERT_TRUE(std::ranges::includes(dependencies, dependencies_of(lab, from_tables, groups)));
  });
  EXPECT_GT(updates, 0U);
  EXPECT_GT(with_same_dependencies, 0U);
}

/// The dependencies of all groups together are those of each group's tree, found link by link.
TEST(MulticastProperty, DependenciesOfAllGroupsAreThoseOfEachTree) {
  seeds::for_each(60, [](std::uint64_t seed) {
    Lab lab(some_topology(seed), seed);
    std::vector<routing::MulticastGroup> groups;
    for (unsigned i = 0; i < 1 + lab.random.below(70u); ++i) {
      lab.random.shuffle(lab.hosts);
      groups.push_back(
          {.mlid = mlid(i * (1 + lab.random.below(3u))),
           .receivers = {lab.hosts.begin(),
                         lab.hosts.begin() + 1 +
                             lab.random.below(static_cast<std::uint32_t>(lab.hosts.size()))},
           .senders = {},
           .sls = static_cast<std::uint16_t>(1u << lab.random.below(3u) | lab.random.below(8u))});
    }
    groups = routing::joined_by_mlid(std::move(groups));
    lab.router.route_all(groups, lab.findings);
    const routing::SlToVl vls = routing::SlToVl::identity(4);
    std::set<std::array<std::uint32_t, 4>> expected, found;
    for (const routing::MulticastGroup& group : groups) {
      std::vector<routing::ChannelDependency> of_group;
      routing::multicast_dependencies(lab.graph, lab.router.tables(), group.mlid, of_group);
      for (const auto& [from, to] : of_group)
        for (unsigned sl = 0; sl < 16; ++sl)
          if ((group.sls >> sl & 1u) != 0) expected.insert({from.value, sl, to.value, sl});
    }
    const auto all = routing::multicast_dependencies(lab.graph, lab.router.tables(), groups, vls);
    for (const auto& [from, to] : all)
      found.insert({from.channel.value, from.vl, to.channel.value, to.vl});
    ASSERT_EQ(found, expected);
    ASSERT_EQ(all.size(), found.size()) << "each once";
    routing::ChannelGraph channels(lab.graph, 4, false);
    routing::add_multicast_dependencies(lab.graph, lab.router.tables(), groups, vls, channels);
    ASSERT_EQ(channels.dependencies(), found.size());
  });
}

}  // namespace multicast_property_test
