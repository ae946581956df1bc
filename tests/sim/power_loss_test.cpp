// All switches lose power at once and have it again in random order, with every engine: no link
// stays in Init, and no condition stays that does not hold.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/expected_of.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"
#include "support/check/checked_conditions.h"
#include "support/seeds.h"

namespace power_loss_test {

using namespace std::chrono_literals;

/// Four leaves with three hosts each below three spines.
topology::Topology tree() {
  return topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}});
}

/// A torus of 3 x 3 switches with two hosts each, or a tree where the engine needs one.
class PoweredFabric : public laboratory::Solo {
 public:
  PoweredFabric(const std::string& engine, std::uint64_t seed)
      : Solo(engine == "ftree" || engine == "updn"
                 ? tree()
                 : topology::torus({.dimensions = {3, 3}, .hosts_per_switch = 2}),
             seed),
        dice_(seed) {
    options.connect_roots = true;
    options.routing_engine = {engine, "no_fallback"};
    options.qos = true;
    if (engine == "torus-2QoS") options.qos_sets[0].max_vls = 8;
    Solo::start();
    if (engine == "torus-2QoS") heddle().files.torus = torus_file();
    heddle().start(options);
  }

  /// All switches lose power, the one in front of the manager included, and have it again in any
  /// order.
  void lose_power() {
    std::vector<sim::NodeIndex> switches;
    for (const sim::NodeIndex node : model.nodes.indices())
      if (model.nodes[node].is_switch()) switches.push_back(node);
    for (const sim::NodeIndex sw : switches) world.power(sw, false);
    runtime.run_for(pause(5s));
    dice_.shuffle(switches);
    world.timing.boot = 10ms + pause(2s);
    for (const sim::NodeIndex sw : switches) {
      world.power(sw, true);
      runtime.run_for(pause(dice_.percent(50) ? 20ms : 2s));
    }
    let_nodes_boot();
  }
  std::string false_conditions() const {
    sim::ObservedManager observed{.port = own(), .expected = laboratory::expected_of(options)};
    observed.expected.p_keys = default_partition();
    std::vector<fabric::Condition> active;
    for (const auto& raised : status().conditions) active.push_back(raised.condition);
    return sim::first_complaint(sim::check_conditions(model, observed, active));
  }

 private:
  mad::Duration pause(mad::Duration most) {
    return mad::Duration(
        static_cast<mad::Duration::rep>(dice_.below(static_cast<std::uint64_t>(most.count()))));
  }
  std::uint64_t guid(const std::string& name) { return node(name).info.node_guid().value; }
  config::TorusFile torus_file() {
    config::TorusFile file;
    file.dimensions = {{{.radix = 3}, {.radix = 3}, {.radix = 1}}};
    const std::uint64_t origin = guid("S0_0");
    file.seeds = {{.links = {{.dimension = 0, .plus = true, .from = origin, .to = guid("S1_0")},
                             {.dimension = 1, .plus = true, .from = origin, .to = guid("S0_1")}}}};
    return file;
  }

  topology::Random dice_;
};

class PowerLoss : public testing::TestWithParam<const char*> {};

TEST_P(PowerLoss, OfAllSwitchesLeavesNoLinkInInitAndNoFalseCondition) {
  seeds::for_each(3, [&](std::uint64_t seed) {
    PoweredFabric lab(GetParam(), seed);
    ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
    lab.settle();
    lab.lose_power();
    ASSERT_TRUE(lab.settles(laboratory::kSweepsWithErrors)) << lab.complaint() << lab.tail();
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.false_conditions().empty(); },
                                      laboratory::kSweepsWithErrors))
        << lab.false_conditions() << lab.tail();
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, PowerLoss,
                         testing::Values("torus-2QoS", "updn", "ftree", "minhop", "lash", "nue",
                                         "dfsssp"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace power_loss_test
