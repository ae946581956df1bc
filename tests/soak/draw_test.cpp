#include "soak/draw.h"

#include <gtest/gtest.h>

#include <set>

#include "config/check.h"
#include "sim/scenario/scenario.h"
#include "soak/bounds.h"
#include "support/seeds.h"

namespace draw_test {

TEST(SoakDraw, TheSameSeedGivesTheSameDraw) {
  seeds::for_each(50, [](std::uint64_t seed) {
    EXPECT_EQ(soak::describe(soak::draw(seed)), soak::describe(soak::draw(seed)));
    EXPECT_NE(soak::describe(soak::draw(seed)), soak::describe(soak::draw(seed + 1)));
  });
}

TEST(SoakDraw, EveryKindEveryActAndEveryNumberOfManagersOccur) {
  std::set<std::string> kinds, acts, fabrics;
  std::set<std::size_t> managers;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const soak::Draw draw = soak::draw(seed);
    managers.insert(draw.managers.size());
    fabrics.insert(draw.fabric.substr(0, draw.fabric.find(' ')));
    for (const soak::Phase& phase : draw.phases) {
      kinds.insert(phase.kinds.begin(), phase.kinds.end());
      for (const soak::Step& step : phase.steps) acts.emplace(soak::name(step.act));
    }
  }
  std::set<std::string> all(sim::random_kinds().begin(), sim::random_kinds().end());
  all.insert(sim::random_vport_kinds().begin(), sim::random_vport_kinds().end());
  EXPECT_EQ(kinds, all);
  EXPECT_EQ(acts, (std::set<std::string>{"reload", "restart", "stop", "start", "remove", "flood"}));
  EXPECT_EQ(managers, (std::set<std::size_t>{1, 2, 3}));
  EXPECT_GE(fabrics.size(), 8u);
}

TEST(SoakDraw, WorldsWithVPortsAreTheSameBesides) {
  std::set<std::string> kinds;
  seeds::for_each(50, [&](std::uint64_t seed) {
    const soak::Draw plain = soak::draw(seed, {{"vports", 0}}),
                     with = soak::draw(seed, {{"vports", 100}});
    EXPECT_TRUE(plain.vports.empty());
    EXPECT_EQ(with.fabric, plain.fabric);
    ASSERT_EQ(with.phases.size(), plain.phases.size());
    for (std::size_t number = 0; number < plain.phases.size(); ++number) {
      const auto &less = plain.phases[number].kinds, &more = with.phases[number].kinds;
      EXPECT_TRUE(std::equal(less.begin(), less.end(), more.begin()));
      kinds.insert(more.begin() + static_cast<std::ptrdiff_t>(less.size()), more.end());
    }
  });
  EXPECT_EQ(kinds, std::set<std::string>(sim::random_vport_kinds().begin(),
                                         sim::random_vport_kinds().end()));
}

TEST(SoakDraw, OptionsAreWhatTheDaemonAccepts) {
  seeds::for_each(300, [](std::uint64_t seed) {
    const soak::Draw draw = soak::draw(seed);
    EXPECT_FALSE(config::has_errors(config::check_options(draw.options)));
    for (const soak::Phase& phase : draw.phases) {
      for (const soak::Step& step : phase.steps)
        EXPECT_FALSE(config::has_errors(config::check_options(step.options)));
    }
  });
}

TEST(SoakDraw, FabricsAreSmall) {
  seeds::for_each(300, [](std::uint64_t seed) {
    const soak::Draw draw = soak::draw(seed);
    std::size_t switches = 0;
    for (const topology::Node& node : draw.topology.nodes)
      switches += node.type == topology::NodeType::switch_;
    EXPECT_GE(switches, 4u) << draw.fabric;
    EXPECT_LE(switches, 20u) << draw.fabric;
    EXPECT_GE(draw.topology.nodes.size() - switches, 5u) << draw.fabric;
    EXPECT_LE(draw.topology.nodes.size() - switches, 36u) << draw.fabric;
  });
}

TEST(SoakBounds, EveryFaultHasABoundAndItsReason) {
  std::vector<std::string> faults = sim::random_kinds();
  faults.insert(faults.end(), sim::random_vport_kinds().begin(), sim::random_vport_kinds().end());
  for (const soak::Act act : {soak::Act::reload, soak::Act::restart, soak::Act::stop,
                              soak::Act::start, soak::Act::remove, soak::Act::flood})
    faults.emplace_back(soak::name(act));
  EXPECT_EQ(soak::bounds().size(), faults.size());
  for (const std::string& fault : faults) EXPECT_GT(soak::bound_of(fault), mad::Duration{});
  for (const soak::Bound& bound : soak::bounds()) EXPECT_NE(bound.why, "") << bound.fault;
}

}  // namespace draw_test
