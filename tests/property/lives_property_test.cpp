// Every engine through the life of a fabric: after each change the incremental routing has the
// guarantees of one from the beginning. Reachability and credit loops by a reference that shares no
// code with routing/ (packets.h), lengths and loads against a routing from the beginning.

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "mad/format.h"
#include "property/adaptive_packets.h"
#include "property/changing_fabric.h"
#include "property/packets.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"
#include "support/tori.h"

namespace lives_property_test {

using changing::ChangingFabric;
using changing::Outcome;
using changing::route;
using fabrics::Subnet;
using routing::ChainResult;
using routing::Refusal;
using topology::Random;
struct Count {
  std::size_t steps = 0, incremental = 0, refused = 0;
  std::size_t other_rules = 0;           // than from the beginning, by which pairs turn
  double load = 0, load_anew = 0;        // sums over steps of the highest load of a link
  double hops = 0, hops_anew = 0;        // the same of the mean path length
  double entries = 0, entries_anew = 0;  // entries that a routing changes
};

std::size_t entries_changed(const Subnet& now, const fabric::ForwardingTables& a,
                            const fabric::ForwardingTables& b) {
  if (a.switches() != b.switches()) return 0;
  return routing::table_changes(now.graph, now.lids, a, b).entries;
}

/// One step of a life; returns what the next one starts from.
void check(const routing::Engine& engine, const Subnet& now, const routing::RoutingOptions& options,
           const Outcome& updated, const Outcome& anew, Count& count) {
  ++count.steps;
  // ftree refuses uneven trees that it has not routed before.
  if (!updated) {
    ASSERT_FALSE(anew.has_value()) << updated.error().why;
    ++count.refused;
    return;
  }
  if (!engine.name.ends_with("ftree")) {
    ASSERT_TRUE(anew.has_value()) << anew.error().why;
  }
  count.incremental += updated->incremental ? 1u : 0u;
  const routing::VerifyReport report = routing::verify(
      now.fabric, now.graph, now.lids, updated->routing.lfts,
      {.switch_lids_may_be_withheld = engine.may_withhold_switch_lids && !options.connect_roots});
  ASSERT_TRUE(report.ok()) << routing::describe(report, now.fabric, now.lids).front();
  EXPECT_EQ(updated->verification.components.size(), report.components.size());
  const packets::Findings found = packets::trace_all(now, updated->routing);
  ASSERT_EQ(found.lost, 0u);
  ASSERT_TRUE(!engine.promises_no_credit_loops || !found.has_cycle());
  ASSERT_EQ(updated->credit_loops.ok(), !found.has_cycle());
  if (updated->routing.adaptive != nullptr) {
    const adaptive_packets::Findings all = adaptive_packets::follow_all(now, updated->routing);
    ASSERT_EQ(all.lost, 0u);
    ASSERT_FALSE(all.dependencies.has_cycle());
  }
  if (!anew) return;
  const auto lengths = routing::path_lengths(now.graph, now.lids, updated->routing.lfts),
             lengths_anew = routing::path_lengths(now.graph, now.lids, anew->routing.lfts);
  const bool same_rule = updated->memory->turn_rule == anew->memory->turn_rule;
  count.other_rules += same_rule ? 0u : 1u;
  if (engine.name != "nue" && engine.name != "torus-2QoS" && same_rule) {
    EXPECT_EQ(lengths.pairs, lengths_anew.pairs);
  }
  count.hops += lengths.mean;
  count.hops_anew += lengths_anew.mean;
  count.load +=
      static_cast<double>(routing::all_to_all(now.graph, now.lids, updated->routing.lfts).worst);
  count.load_anew +=
      static_cast<double>(routing::all_to_all(now.graph, now.lids, anew->routing.lfts).worst);
}

/// The switches with other tables, by NodeGUID.
std::size_t differing_switches(const Subnet& a, const fabric::ForwardingTables& of_a,
                               const Subnet& b, const fabric::ForwardingTables& of_b) {
  std::size_t count = 0;
  for (const fabric::SwitchIndex sw : a.graph.all_switches()) {
    const fabric::NodeIndex other =
        b.fabric.node_of_guid.at(a.fabric.nodes[a.fabric.switches[sw].node].guid);
    count += std::ranges::equal(of_a.row(sw), of_b.row(b.fabric.nodes[other].switch_index)) ? 0 : 1;
  }
  return count;
}

void live(const routing::Engine& engine, std::uint64_t seed, Count& count) {
  const std::string name(engine.name);
  Random random(seed * 7919 + (name.starts_with("ar_") ? name.substr(3) : name).size());
  const bool trees = name.ends_with("ftree") || name == "dmodc";
  ChangingFabric fabric(
      random,
      trees ? topology::fat_tree({.hosts = 16, .radix = random.percent(50) ? 8u : 4u, .levels = 0})
            : changing::any_topology(random),
      !name.ends_with("ftree") && random.percent(15) ? 1 : 0);
  routing::RoutingOptions options;
  options.vls_max = 8;
  options.connect_roots = random.percent(20);
  if (name == "lash") {
    options.lash_start_vl = random.below(2);
    options.do_mesh_analysis = random.percent(30);
  }
  auto before = std::make_unique<Subnet>(fabric.subnet());
  Outcome last = route(name, *before, options, nullptr);
  for (int step = 0; step < 10; ++step) {
    SCOPED_TRACE(fmt::format("{} step {}", name, step));
    fabric.change(random.percent(40));
    auto now = std::make_unique<Subnet>(fabric.subnet());
    Outcome anew = route(name, *now, options, nullptr);
    Outcome updated =
        last ? route(name, *now, options, &*last) : route(name, *now, options, nullptr);
    check(engine, *now, options, updated, anew, count);
    if (testing::Test::HasFatalFailure()) return;
    if (last && updated && random.percent(25)) {
      const Subnet other = fabric.discovered_otherwise();
      const Outcome same = route(name, other, options, &*last);
      ASSERT_TRUE(same.has_value()) << same.error().why;
      ASSERT_EQ(differing_switches(*now, updated->routing.lfts, other, same->routing.lfts), 0u);
    }
    if (last && updated && anew) {
      count.entries +=
          static_cast<double>(entries_changed(*now, last->routing.lfts, updated->routing.lfts));
      count.entries_anew +=
          static_cast<double>(entries_changed(*now, last->routing.lfts, anew->routing.lfts));
    }
    last = std::move(updated);
    before = std::move(now);
  }
}

/// The highest load of a link after many changes, against that of a routing from the beginning.
constexpr double kDriftLimit = 1.2;

class Lives : public ::testing::TestWithParam<const char*> {};

TEST_P(Lives, KeepTheGuaranteesOfTheEngine) {
  const routing::Engine& engine = *routing::find_engine(GetParam());
  Count count;
  seeds::for_each(60, [&](std::uint64_t seed) { live(engine, seed, count); });
  const std::string figures = fmt::format(
      "{} steps, {} incremental, {} refused; entries {} of {}; highest load {:.3f}, mean length "
      "{:.4f} of those of a routing from the beginning",
      count.steps, count.incremental, count.refused, count.entries, count.entries_anew,
      count.load / count.load_anew, count.hops / count.hops_anew);
  RecordProperty("figures", figures);
  if (count.steps < 500) return;
  EXPECT_GT(count.incremental * 4, count.steps) << figures;
  EXPECT_LE(count.other_rules, count.steps / 100) << figures;
  EXPECT_LE(count.entries, count.entries_anew) << figures;
  EXPECT_LE(count.load, count.load_anew * kDriftLimit) << figures;
  EXPECT_LE(count.hops, count.hops_anew * 1.05) << figures;
}

INSTANTIATE_TEST_SUITE_P(Engines, Lives,
                         ::testing::Values("minhop", "updn", "dnup", "dor", "sssp", "dfsssp",
                                           "dmodc", "ftree", "lash", "nue", "ar_updn", "ar_ftree"),
                         [](const auto& test) { return std::string(test.param); });

// ---- drift

/// Loads after many changes, against a routing from the beginning.
TEST_P(Lives, DriftIsBounded) {
  const std::string name = GetParam();
  Count count;
  seeds::for_each(1, [&](std::uint64_t seed) {
    Random random(seed);
    ChangingFabric fabric(random, topology::fat_tree({.hosts = 128, .radix = 8, .levels = 3}), 0);
    const routing::RoutingOptions options;
    auto before = std::make_unique<Subnet>(fabric.subnet());
    Outcome last = route(name, *before, options, nullptr);
    ASSERT_TRUE(last);
    const int changes = seeds::share_of(name == "lash" || name == "nue" ? 200 : 1000);
    for (int change = 1; change <= changes; ++change) {
      fabric.change(false);
      // At most a few things are missing at a time, as in a fabric that is looked after.
      while (fabric.missing() > 6) fabric.repair_one();
      auto now = std::make_unique<Subnet>(fabric.subnet());
      Outcome updated = route(name, *now, options, last ? &*last : nullptr);
      if (change % 20 == 0 && updated) {
        if (const Outcome anew =
                route(name.ends_with("ftree") ? "dmodc" : name, *now, options, nullptr)) {
          ++count.steps;
          const auto worst = [&](const Outcome& of) {
            return static_cast<double>(
                routing::all_to_all(now->graph, now->lids, of->routing.lfts).worst);
          };
          count.load += worst(updated);
          count.load_anew += worst(anew);
        }
      }
      last = std::move(updated);
      before = std::move(now);
    }
  });
  if (count.steps < 10) return;  // no statistical sample
  RecordProperty("drift", fmt::format("{:.3f}", count.load / count.load_anew));
  EXPECT_LE(count.load, kDriftLimit * count.load_anew)
      << fmt::format("{:.3f} over {} comparisons", count.load / count.load_anew, count.steps);
}

// ---- a leaf

/// Entries of `now` for LIDs of hosts that were there that differ from those before. Paths between
/// switches of one level lead over leaves.
std::size_t entries_moved(const Subnet& now, const fabric::ForwardingTables& of_now,
                          const Subnet& before, const fabric::ForwardingTables& of_before) {
  std::size_t moved = 0;
  for (const fabric::SwitchIndex sw : now.graph.all_switches()) {
    const auto node =
        before.fabric.node_of_guid.find(now.fabric.nodes[now.fabric.switches[sw].node].guid);
    if (node == before.fabric.node_of_guid.end()) continue;
    const fabric::SwitchIndex then = before.fabric.nodes[node->second].switch_index;
    for (std::uint16_t lid = 1; lid <= now.lids.lid_top.value; ++lid) {
      const fabric::PortIndex owner = now.lids.owner(mad::Lid{lid});
      if (owner != fabric::kNoIndex && !now.fabric.owning_node(owner).is_switch() &&
          before.lids.owner(mad::Lid{lid}) != fabric::kNoIndex)
        moved += of_now.at(sw, mad::Lid{lid}) != of_before.at(then, mad::Lid{lid}) ? 1 : 0;
    }
  }
  return moved;
}

TEST_P(Lives, ALeafThatLeavesAndReturnsMovesNoPathOfOtherHosts) {
  const std::string name = GetParam();
  seeds::for_each(10, [&](std::uint64_t seed) {
    Random random(seed);
    ChangingFabric fabric(random, topology::fat_tree({.hosts = 128, .radix = 8, .levels = 3}), 0);
    const routing::RoutingOptions options;
    const Subnet whole = fabric.subnet();
    const Outcome first = route(name, whole, options, nullptr);
    ASSERT_TRUE(first);
    const std::uint32_t leaf = fabric.any_leaf();
    fabric.flip_node(leaf);
    const Subnet without = fabric.subnet();
    const Outcome second = route(name, without, options, &*first);
    ASSERT_TRUE(second) << second.error().why;
    EXPECT_TRUE(second->incremental);
    EXPECT_EQ(entries_moved(without, second->routing.lfts, whole, first->routing.lfts), 0u);
    fabric.flip_node(leaf);
    const Outcome third = route(name, whole, options, &*second);
    ASSERT_TRUE(third) << third.error().why;
    EXPECT_TRUE(third->incremental);
    EXPECT_EQ(entries_moved(whole, third->routing.lfts, without, second->routing.lfts), 0u);
  });
}

// ---- torus-2QoS

/// Ports keep their LIDs.
class KnownLids {
 public:
  fabric::LidMap of(const fabric::Fabric& fabric, const std::set<mad::Guid>& without) {
    fabric::LidMap lids;
    lids.of_end_port.resize(fabric.end_ports.size());
    for (const fabric::EndPortIndex i : fabric.end_ports.indices()) {
      const mad::Guid guid = fabric.ports[fabric.end_ports[i]].guid;
      const auto [known, is_new] = lid_of_.try_emplace(guid, next_);
      next_ = static_cast<std::uint16_t>(next_ + (is_new ? 1 : 0));
      if (without.contains(guid)) continue;
      lids.of_end_port[i] = {mad::Lid{known->second}, 0};
      lids.lid_top = std::max(lids.lid_top, mad::Lid{known->second});
    }
    lids.port_of_lid.assign(lids.lid_top.value + std::size_t{1}, fabric::kNoIndex);
    for (const fabric::EndPortIndex i : fabric.end_ports.indices())
      if (lids.of_end_port[i].count() > 0)
        lids.port_of_lid[lids.of_end_port[i].base.value] = fabric.end_ports[i];
    return lids;
  }

 private:
  std::map<mad::Guid, std::uint16_t> lid_of_;
  std::uint16_t next_ = 2;
};

TEST(TorusLives, KeepTheGuaranteesOfTheEngine) {
  const routing::Engine& engine = *routing::find_engine("torus-2QoS");
  Count count;
  std::size_t host_changes = 0, kept = 0;
  seeds::for_each(30, [&](std::uint64_t seed) {
    Random random(seed * 31);
    const tori::Lattice whole{{4, 3, 1 + random.below(3)}, {true, true, true}, 2};
    tori::Lattice lattice = whole;
    routing::RoutingOptions options;
    options.vls_max = 8;
    options.torus = whole.options({{0, 0, 0}, {2, 1, 0}});
    const std::uint64_t shuffle = random.percent(50) ? seed : 0;
    KnownLids known;
    std::set<mad::Guid> without;
    std::unique_ptr<Subnet> before;
    Outcome last = tl::unexpected(Refusal{});
    for (int step = 0; step < 10; ++step) {
      SCOPED_TRACE(fmt::format("step {}", step));
      const std::vector<tori::At> places = whole.places();
      const tori::At at = places[random.below(static_cast<std::uint32_t>(places.size()))];
      const auto flip = [](auto& set, const auto& value) {
        if (!set.erase(value)) set.insert(value);
      };
      const bool only_host = step > 0 && random.percent(50);
      if (step > 0 && !only_host && random.percent(30)) {
        flip(lattice.lost_switches, at);
        if (lattice.lost_switches.size() > 1)
          lattice.lost_switches.erase(lattice.lost_switches.begin());
      } else if (step > 0 && !only_host) {
        flip(lattice.lost_cables, std::pair(at, random.below(2)));
        if (lattice.lost_cables.size() > 2) lattice.lost_cables.erase(lattice.lost_cables.begin());
      }
      fabric::Fabric fabric = lattice.fabric(shuffle);
      if (only_host) {
        const fabric::PortIndex port = fabric.end_ports[fabric::EndPortIndex(
            random.below(static_cast<std::uint32_t>(fabric.end_ports.size())))];
        if (!fabric.owning_node(port).is_switch()) flip(without, fabric.ports[port].guid);
      }
      fabric::LidMap lids = known.of(fabric, without);
      auto now = std::make_unique<Subnet>(std::move(fabric), std::move(lids));
      const Outcome anew = route("torus-2QoS", *now, options, nullptr);
      Outcome updated = route("torus-2QoS", *now, options, last ? &*last : nullptr);
      check(engine, *now, options, updated, anew, count);
      if (testing::Test::HasFatalFailure()) return;
      if (only_host && updated && last) {
        ++host_changes;
        kept += updated->incremental ? 1u : 0u;
      }
      last = std::move(updated);
      before = std::move(now);
    }
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(host_changes, 50u);
  EXPECT_GT(kept * 4, host_changes) << kept << " of " << host_changes;
  EXPECT_LE(count.load, count.load_anew * 1.1);
}

}  // namespace lives_property_test
