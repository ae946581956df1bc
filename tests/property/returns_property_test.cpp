// A link that returns has its share again: random sequences of losses and returns of links, spines
// and leaves that end in the first fabric, with every engine.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mad/format.h"
#include "property/changing_fabric.h"
#include "property/dependencies.h"
#include "property/packets.h"
#include "routing/core/remembered_routings.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"
#include "support/tori.h"

namespace returns_property_test {

using changing::ChangingFabric;
using changing::Outcome;
using changing::route;
using fabrics::Subnet;
using routing::ChainResult;
using topology::Random;
/// Entries of switches that both have, by NodeGUID.
std::size_t entries_changed(const Subnet& a, const fabric::ForwardingTables& of_a, const Subnet& b,
                            const fabric::ForwardingTables& of_b) {
  std::size_t changed = 0;
  for (const fabric::SwitchIndex sw : a.graph.all_switches()) {
    const auto node = b.fabric.node_of_guid.find(a.fabric.nodes[a.fabric.switches[sw].node].guid);
    if (node == b.fabric.node_of_guid.end()) continue;
    const fabric::SwitchIndex other = b.fabric.nodes[node->second].switch_index;
    for (std::uint16_t lid = 1; lid <= std::max(a.lids.lid_top, b.lids.lid_top).value; ++lid)
      changed += of_a.at(sw, mad::Lid{lid}) != of_b.at(other, mad::Lid{lid}) ? 1u : 0u;
  }
  return changed;
}

/// A fabric that is routed after each change, as a manager does.
class Life {
 public:
  Life(std::string engine, ChangingFabric& fabric, routing::RoutingOptions options)
      : engine_(std::move(engine)), fabric_(fabric), options_(std::move(options)) {
    routed_ = std::make_unique<Subnet>(fabric_.subnet());
    auto first = route(engine_, *routed_, options_, nullptr);
    if (first) last_.emplace(std::move(*first));
  }

  bool is_routed() const { return last_.has_value(); }
  const ChainResult& last() const { return *last_; }
  const Subnet& subnet() const { return *routed_; }

  /// Entries that the routing changes; nothing: it is refused, and all stays as it is.
  std::optional<std::size_t> step() {
    auto now = std::make_unique<Subnet>(fabric_.subnet());
    Outcome next = route(engine_, *now, options_, &*last_);
    if (!next) return std::nullopt;
    const std::size_t changed =
        entries_changed(*routed_, last_->routing.lfts, *now, next->routing.lfts);
    last_.emplace(std::move(*next));
    routed_ = std::move(now);
    return changed;
  }

  void expect_guarantees() const {
    const routing::Engine& engine = *routing::find_engine(engine_);
    const routing::VerifyReport report =
        routing::verify(routed_->fabric, routed_->graph, routed_->lids, last_->routing.lfts,
                        {.switch_lids_may_be_withheld = engine.may_withhold_switch_lids});
    ASSERT_TRUE(report.ok()) << routing::describe(report, routed_->fabric, routed_->lids).front();
    const packets::Findings found = packets::trace_all(*routed_, last_->routing);
    ASSERT_EQ(found.lost, 0u);
    ASSERT_TRUE(!engine.promises_no_credit_loops || !found.has_cycle());
    ASSERT_LE(last_->memory->remembered.size(), routing::kRememberedMax);
    ASSERT_TRUE(dependencies::contain_all(*routed_, *last_));
  }

 private:
  const std::string engine_;
  ChangingFabric& fabric_;
  const routing::RoutingOptions options_;
  std::unique_ptr<Subnet> routed_;
  std::optional<ChainResult> last_;
};

struct Element {
  std::uint32_t which = 0;
  bool is_node = false;
  std::optional<std::size_t> cost = {};  // entries that its loss changed
  void flip(ChangingFabric& fabric) const {
    is_node ? fabric.flip_node(which) : fabric.flip_cable(which);
  }
};

Element any_element(ChangingFabric& fabric, Random& random, bool has_spines) {
  const std::uint32_t kind = random.below(10);
  if (kind < 5) return {.which = fabric.any_cable()};
  if (kind < 8 && has_spines) return {.which = fabric.any_spine(), .is_node = true};
  return {.which = fabric.any_leaf(), .is_node = true};
}

struct Count {
  std::size_t sequences = 0, events = 0, refused = 0, lost = 0, returned = 0;
  std::size_t costly = 0;  // returns that changed more than 1.1 times the entries of their loss
};

/// Loses some elements and has them back, in any order.
void live(const std::string& engine, std::uint64_t seed, Count& count) {
  Random random(seed * 104'729 + engine.size());
  const bool trees = engine.ends_with("ftree") || engine == "dmodc";
  topology::Topology whole =
      trees || random.percent(40)
          ? topology::fat_tree({.hosts = 16, .radix = random.percent(50) ? 8u : 4u, .levels = 0})
          : changing::any_topology(random);
  ChangingFabric fabric(random, std::move(whole),
                        !engine.ends_with("ftree") && random.percent(20) ? 1 : 0);
  routing::RoutingOptions options;
  options.vls_max = 8;
  Life life(engine, fabric, options);
  if (!life.is_routed()) return;
  const fabric::ForwardingTables first = life.last().routing.lfts;
  const fabric::PathSls sls = life.last().routing.sls;
  const bool has_spines = !fabric.spines().empty();
  ++count.sequences;

  std::vector<Element> missing;
  bool was_first_loss = false;  // the step before: nothing else was missing
  std::size_t left = 2 + random.below(5);
  bool is_refused = false;
  while (left > 0 || !missing.empty()) {
    const bool loses = left > 0 && (missing.empty() || random.percent(60));
    const auto at = loses ? missing.end()
                          : missing.begin() + static_cast<std::ptrdiff_t>(random.below(
                                                  static_cast<std::uint32_t>(missing.size())));
    Element element = loses ? any_element(fabric, random, has_spines) : *at;
    if (loses && std::ranges::any_of(missing, [&](const Element& other) {
          return other.is_node == element.is_node && other.which == element.which;
        }))
      continue;
    element.flip(fabric);
    const auto changed = life.step();
    ++count.events;
    count.refused += changed ? 0u : 1u;
    is_refused = is_refused || !changed;
    if (loses) {
      element.cost = changed;
      missing.push_back(element);
      --left;
    } else {
      // A link that is missing when a routing is refused is lost later, all at once.
      if (!is_refused) {
        if (was_first_loss && missing.size() == 1) {
          ASSERT_LE(10 * *changed, 11 * *element.cost);
        }
        count.lost += *element.cost;
        count.returned += *changed;
        count.costly += *changed * 10 > *element.cost * 11 + 10 ? 1u : 0u;
      }
      missing.erase(at);
    }
    was_first_loss = loses && missing.size() == 1;
    if (changed) {
      ASSERT_NO_FATAL_FAILURE(life.expect_guarantees());
    }
  }
  ASSERT_EQ(life.last().routing.lfts, first);
  ASSERT_EQ(life.last().routing.sls, sls);
  ASSERT_TRUE(life.last().memory->remembered.empty());
  ASSERT_FALSE(life.last().memory->gained);
}

class Returns : public ::testing::TestWithParam<const char*> {};

TEST_P(Returns, EndWithTheFirstTablesAndMoveNoMoreThanTheLosses) {
  Count count;
  seeds::for_each(100, [&](std::uint64_t seed) { live(GetParam(), seed, count); });
  Count regression;  // the first tables of minhop have a credit loop here
  if (seeds::are_default()) live(GetParam(), 57'679'279, regression);
  const std::string figures = fmt::format(
      "{} sequences of {} events, {} refused; entries changed by losses {}, by returns {}; {} "
      "returns above 1.1 times their loss",
      count.sequences, count.events, count.refused, count.lost, count.returned, count.costly);
  RecordProperty("figures", figures);
  if (!seeds::are_default()) return;  // losses overlap: few sequences are no statistical sample
  EXPECT_LE(10 * count.returned, 11 * count.lost) << figures;
}

/// The shifts of a fabric whose spines were rebooted one after the other are those of fresh tables,
/// and so are all entries.
TEST_P(Returns, ARebootOfEverySpineInTurnLeavesTheTablesAsTheyWere) {
  const std::string engine = GetParam();
  seeds::for_each(1, [&](std::uint64_t seed) {
    Random random(seed);
    ChangingFabric fabric(random, topology::fat_tree({.hosts = 128, .radix = 16, .levels = 2}), 0);
    Life life(engine, fabric, {});
    ASSERT_TRUE(life.is_routed());
    const fabric::ForwardingTables first = life.last().routing.lfts;
    for (const std::uint32_t spine : fabric.spines()) {
      fabric.flip_node(spine);
      const auto lost = life.step();
      ASSERT_TRUE(lost);
      EXPECT_FALSE(life.last().memory->remembered.empty());
      fabric.flip_node(spine);
      const auto returned = life.step();
      ASSERT_TRUE(returned);
      EXPECT_LE(10 * *returned, 11 * *lost);
      ASSERT_EQ(life.last().routing.lfts, first);
    }
    const auto shifts = routing::shift_load(life.subnet().graph, life.subnet().lids, first);
    const Outcome fresh = route(engine, life.subnet(), {}, nullptr);
    ASSERT_TRUE(fresh);
    EXPECT_EQ(
        shifts.worst,
        routing::shift_load(life.subnet().graph, life.subnet().lids, fresh->routing.lfts).worst);
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, Returns,
                         ::testing::Values("minhop", "updn", "dnup", "dor", "sssp", "dfsssp",
                                           "dmodc", "ftree", "lash", "nue", "ar_updn", "ar_ftree"),
                         [](const auto& test) { return std::string(test.param); });

TEST(TorusReturns, EndWithTheFirstTables) {
  seeds::for_each(20, [&](std::uint64_t seed) {
    Random random(seed * 41);
    const tori::Lattice whole{{4, 3, 1 + random.below(3)}, {true, true, true}, 2};
    routing::RoutingOptions options;
    options.vls_max = 8;
    options.torus = whole.options({{0, 0, 0}, {2, 1, 0}});
    const auto subnet = [&](const tori::Lattice& lattice) {
      fabric::Fabric fabric = lattice.fabric(0);
      fabric::LidMap lids = fabrics::assign_lids(fabric, 0);
      return std::make_unique<Subnet>(std::move(fabric), std::move(lids));
    };
    const auto first = subnet(whole);
    const Outcome fresh = route("torus-2QoS", *first, options, nullptr);
    ASSERT_TRUE(fresh) << fresh.error().why;
    tori::Lattice lattice = whole;
    const std::vector<tori::At> places = whole.places();
    const auto place = [&] {
      return places[random.below(static_cast<std::uint32_t>(places.size()))];
    };
    Outcome last = fresh;
    for (int losses = 0; losses < 2; ++losses) {
      lattice.lost_cables.insert(std::pair(place(), random.below(2)));
      const auto now = subnet(lattice);
      if (Outcome next = route("torus-2QoS", *now, options, &*last)) last = std::move(next);
    }
    while (!lattice.lost_cables.empty()) {
      lattice.lost_cables.erase(lattice.lost_cables.begin());
      const auto now = subnet(lattice);
      Outcome next = route("torus-2QoS", *now, options, &*last);
      ASSERT_TRUE(next || !lattice.lost_cables.empty()) << next.error().why;
      if (next) last = std::move(next);
    }
    EXPECT_EQ(last->routing.lfts, fresh->routing.lfts);
    EXPECT_EQ(last->routing.sls, fresh->routing.sls);
  });
}

/// A chain that falls back while something is missing returns to the tables of its first engine.
TEST(Returns, TheFirstEngineOfAChainHasItsTablesAgain) {
  seeds::for_each(20, [&](std::uint64_t seed) {
    Random random(seed * 43);
    ChangingFabric fabric(random, topology::fat_tree({.hosts = 32, .radix = 8, .levels = 3}), 0);
    const routing::RoutingOptions options;
    const std::vector<std::string> chain{"ftree"};
    const auto run = [&](const Subnet& subnet, const ChainResult* last) {
      routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
      if (last == nullptr) return routing::route_with_chain(chain, false, input);
      const routing::PreviousRouting before{*last->memory, last->routing.lfts, last->routing};
      input.previous_routing = &before;
      return routing::route_with_chain(chain, false, input);
    };
    const Subnet whole = fabric.subnet();
    const Outcome first = run(whole, nullptr);
    ASSERT_TRUE(first);
    ASSERT_EQ(first->routing.engine, "ftree");
    std::vector<std::uint32_t> lost;
    Outcome last = first;
    std::vector<std::unique_ptr<Subnet>> fabrics;
    for (int i = 0; i < 6; ++i) {
      lost.push_back(fabric.any_cable());
      fabric.flip_cable(lost.back());
      fabrics.push_back(std::make_unique<Subnet>(fabric.subnet()));
      last = run(*fabrics.back(), &*last);
      ASSERT_TRUE(last);
    }
    for (const std::uint32_t link : lost) {
      fabric.flip_cable(link);
      fabrics.push_back(std::make_unique<Subnet>(fabric.subnet()));
      last = run(*fabrics.back(), &*last);
      ASSERT_TRUE(last);
    }
    EXPECT_EQ(last->routing.engine, "ftree");
    EXPECT_EQ(last->routing.lfts, first->routing.lfts);
  });
}

}  // namespace returns_property_test
