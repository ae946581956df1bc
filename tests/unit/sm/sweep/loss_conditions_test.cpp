#include "sm/sweep/decide/loss_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "mad/format.h"
#include "sm/sweep/decide/changes.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/conditions.h"
#include "support/fabrics.h"

namespace loss_conditions_test {

using namespace std::chrono_literals;
using fabric::Condition;
using fabric::Severity;
using sm::Losses;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr unsigned kLeaves = 4, kSpines = 6, kHosts = 12;  // hosts of a leaf

/// A tree of leaves S1-1, S1-2, ..., spines S2-1, ... and hosts H1, H2, ..., with what is reached
/// from H1, where a manager runs. GUIDs and ports do not depend on what is off.
struct Tree {
  std::set<std::string> off = {};                    // names of nodes
  std::set<std::pair<unsigned, unsigned>> cut = {};  // leaf, spine: their link
  std::set<std::string> second_rail = {};            // hosts with a link to the next leaf

  fabric::Fabric build() const {
    std::map<std::string, std::set<std::string>> links = neighbours();
    std::set<std::string> reached{"H1"};
    for (std::vector<std::string> open{"H1"}; !open.empty();) {
      const std::string name = open.back();
      open.pop_back();
      for (const std::string& next : links[name])
        if (reached.insert(next).second && next[0] == 'S') open.push_back(next);
    }
    fabrics::Maker maker;
    std::map<std::string, fabric::NodeIndex> nodes;
    for (const std::string& name : reached) nodes[name] = add(maker, name);
    for (unsigned leaf = 0; leaf < kLeaves; ++leaf) {
      const auto cable = [&](const std::string& there, unsigned port, unsigned its_port,
                             unsigned at) {
        const std::string here = leaf_name(at);
        if (nodes.contains(here) && nodes.contains(there) && links[here].contains(there))
          maker.cable(nodes[here], port, nodes[there], its_port);
      };
      for (unsigned host = 0; host < kHosts; ++host) {
        const std::string name = fmt::format("H{}", leaf * kHosts + host + 1);
        cable(name, host + 1, 1, leaf);
        if (second_rail.contains(name)) cable(name, 30 + host, 2, (leaf + 1) % kLeaves);
      }
      for (unsigned spine = 0; spine < kSpines; ++spine)
        cable(fmt::format("S2-{}", spine + 1), 20 + spine, leaf + 1, leaf);
    }
    return maker.build();
  }

 private:
  static std::string leaf_name(unsigned leaf) { return fmt::format("S1-{}", leaf + 1); }
  static fabric::NodeIndex add(fabrics::Maker& maker, const std::string& name) {
    const bool is_switch = name[0] == 'S';
    const unsigned number = static_cast<unsigned>(std::stoul(name.substr(is_switch ? 3 : 1)));
    const std::uint64_t kind = !is_switch ? 0x10000u : name[1] == '1' ? 0x20000u : 0x30000u;
    return maker.add(is_switch ? mad::NodeType::switch_ : mad::NodeType::ca, is_switch ? 60 : 2,
                     name, mad::Guid{kind + 0x10 * number});
  }
  std::map<std::string, std::set<std::string>> neighbours() const {
    std::map<std::string, std::set<std::string>> links;
    const auto link = [&](const std::string& a, const std::string& b) {
      if (off.contains(a) || off.contains(b)) return;
      links[a].insert(b);
      links[b].insert(a);
    };
    for (unsigned leaf = 0; leaf < kLeaves; ++leaf) {
      for (unsigned host = 0; host < kHosts; ++host) {
        const std::string name = fmt::format("H{}", leaf * kHosts + host + 1);
        link(leaf_name(leaf), name);
        if (second_rail.contains(name)) link(leaf_name((leaf + 1) % kLeaves), name);
      }
      for (unsigned spine = 0; spine < kSpines; ++spine)
        if (!cut.contains({leaf + 1, spine + 1}))
          link(leaf_name(leaf), fmt::format("S2-{}", spine + 1));
    }
    return links;
  }
};

mad::TimePoint at(mad::Duration time) { return mad::TimePoint{} + time; }

/// The subnet through these states, a minute each.
class History {
 public:
  void goes_to(const Tree& tree) {
    fabric::Fabric next = tree.build();
    losses.update_from(now_, next, at(time_ += 1min));
    now_ = std::move(next);
  }
  /// Those without a cause.
  std::vector<Condition> roots() const {
    std::vector<Condition> all = losses.conditions();
    std::erase_if(all, [](const Condition& condition) { return condition.caused_by.has_value(); });
    return all;
  }
  std::vector<Condition> caused() const {
    std::vector<Condition> all = losses.conditions();
    std::erase_if(all, [](const Condition& condition) { return !condition.caused_by; });
    return all;
  }
  sm::LossCounts counts() const { return sm::loss_counts(losses.facts()); }

  Losses losses;

 private:
  fabric::Fabric now_ = Tree{}.build();
  mad::Duration time_ = 0min;
};

auto is_root(Severity severity, const char* text) {
  return AllOf(testing::ResultOf("severity", fabric::find_severity, severity),
               testing::Field(&Condition::text, HasSubstr(text)));
}

TEST(NameRanges, ShortenNamesThatDifferInTheirLastNumber) {
  EXPECT_EQ(sm::name_ranges({}), "");
  EXPECT_EQ(sm::name_ranges({"H7"}), "H7");
  EXPECT_EQ(sm::name_ranges({"H10 mlx5_0", "H9 mlx5_0", "H8 mlx5_0"}), "H8..H10");
  EXPECT_EQ(sm::name_ranges({"n-1-a", "n-2-a", "n-2-b"}), "n-1-a..n-2-a, n-2-b");
  EXPECT_EQ(sm::name_ranges({"H1", "H3", "H5", "H7", "H9"}), "H1, H3, H5 and 2 more");
  EXPECT_EQ(sm::name_ranges({"H009", "H010"}), "H009..H010");
  EXPECT_EQ(sm::name_ranges({"H9", "H010"}), "H9, H010");
  EXPECT_EQ(sm::name_ranges({"alpha", "beta", "gamma", "delta"}), "alpha, beta, delta and 1 more");
  EXPECT_EQ(sm::name_ranges({"H99999999999999999999999", "H1"}), "H99999999999999999999999, H1");
  EXPECT_EQ(sm::name_ranges({"H1 mlx5_0", "H1 mlx5_1"}), "H1") << "two adapters of one host";
}

TEST(LossConditions, ALeafIsTheCauseOfTheLossOfItsHosts) {
  History history;
  history.goes_to({.off = {"S1-4"}});
  EXPECT_THAT(history.roots(),
              ElementsAre(is_root(Severity::critical,
                                  "switch lost: \"S1-4\" (0x0000000000020040): 12 hosts behind it "
                                  "(H37..H48); it was behind \"S2-1\"")));
  const std::vector<Condition> caused = history.caused();
  EXPECT_THAT(caused, SizeIs(12));
  for (const Condition& condition : caused) {
    EXPECT_EQ(condition.caused_by,
              (fabric::ConditionSubject{sm::kSweepConditions.node_lost, mad::Guid{0x20040}}));
    EXPECT_EQ(fabric::find_severity(condition), Severity::info);
  }
  EXPECT_EQ(history.counts(),
            (sm::LossCounts{.switches = 1, .hosts = 12, .hosts_cut_off = 12, .capacity = 0.25}));
  history.goes_to({});
  EXPECT_THAT(history.losses.conditions(), IsEmpty());
  EXPECT_EQ(history.counts(), sm::LossCounts{});
}

TEST(LossConditions, ASpineHasItsShareOfTheBisection) {
  History history;
  history.goes_to({.off = {"S2-4"}});
  EXPECT_THAT(history.losses.conditions(),
              ElementsAre(is_root(Severity::error,
                                  "\"S2-4\" (0x0000000000030040): 1/6 of the "
                                  "bisection; it was behind")));
  // The share of the second one is of what was there before both.
  history.goes_to({.off = {"S2-4", "S2-5"}});
  EXPECT_THAT(texts(history.roots()), Each(HasSubstr(": 1/6 of the bisection")));
  EXPECT_EQ(history.counts(), (sm::LossCounts{.switches = 2, .capacity = 1.0 / 3}));
}

TEST(LossConditions, ALinkHasItsShareOfTheBisection) {
  History history;
  history.goes_to({.cut = {{2, 3}}});
  EXPECT_THAT(history.losses.conditions(),
              ElementsAre(is_root(Severity::warning, "port 2: 1/24 of the bisection")));
  EXPECT_EQ(history.counts(), (sm::LossCounts{.links_of_switches = 1, .capacity = 1.0 / 24}));
}

TEST(LossConditions, OneHostIsInformation) {
  History history;
  history.goes_to({.off = {"H40"}});
  EXPECT_THAT(history.losses.conditions(),
              ElementsAre(is_root(Severity::info, "node lost: \"H40\"")));
  EXPECT_EQ(history.counts(), (sm::LossCounts{.hosts = 1}));
}

TEST(LossConditions, HostsOfASwitchThatAnswersHaveOneCondition) {
  History history;
  history.goes_to({.off = {"H37", "H38", "H40"}});
  EXPECT_THAT(history.roots(), ElementsAre(is_root(Severity::warning,
                                                   "hosts lost: 3 behind \"S1-4\" "
                                                   "(0x0000000000020040), which answers: "
                                                   "H37..H38, H40")));
  EXPECT_THAT(history.caused(), SizeIs(3));
  EXPECT_THAT(history.caused(),
              Each(testing::Field(&Condition::caused_by,
                                  Eq(fabric::ConditionSubject{sm::kSweepConditions.hosts_lost,
                                                              mad::Guid{0x20040}}))));
}

TEST(LossConditions, AHostThatWasLostBeforeItsSwitchIsBehindItToo) {
  History history;
  history.goes_to({.off = {"H40"}});
  history.goes_to({.off = {"H40", "S1-4"}});
  EXPECT_THAT(history.roots(), ElementsAre(is_root(Severity::critical, "12 hosts behind it")));
}

TEST(LossConditions, WhatDoesNotReturnWithItsSwitchIsReportedByItself) {
  History history;
  history.goes_to({.off = {"S1-4"}});
  history.goes_to({.off = {"H37", "H38"}});
  EXPECT_THAT(history.roots(), ElementsAre(is_root(Severity::warning, "hosts lost: 2 behind")));
  history.goes_to({.off = {"H38"}});
  EXPECT_THAT(history.losses.conditions(),
              ElementsAre(is_root(Severity::info, "node lost: \"H38\"")));
  history.goes_to({});
  EXPECT_THAT(history.losses.conditions(), IsEmpty());
}

TEST(LossConditions, AHostWithAnotherLeafIsNotCutOff) {
  History history;
  history.goes_to({.second_rail = {"H40"}});
  history.goes_to({.off = {"S1-4"}, .second_rail = {"H40"}});
  EXPECT_THAT(texts(history.roots()),
              ElementsAre(HasSubstr("11 hosts behind it (H37..H39, H41..H48)")));
}

TEST(LossConditions, TwoLeavesAreTwoCauses) {
  History history;
  history.goes_to({.off = {"S1-3", "S1-4"}});
  EXPECT_THAT(texts(history.roots()),
              testing::UnorderedElementsAre(
                  AllOf(HasSubstr("\"S1-3\""), HasSubstr("12 hosts behind it (H25..H36)")),
                  AllOf(HasSubstr("\"S1-4\""), HasSubstr("12 hosts behind it (H37..H48)"))));
  // In whatever order they return.
  history.goes_to({.off = {"S1-3"}});
  EXPECT_THAT(texts(history.roots()), ElementsAre(HasSubstr("(H25..H36)")));
}

TEST(LossConditions, ASwitchWithoutUplinksCutsOffAsOneWithoutPower) {
  History history;
  Tree tree;
  for (unsigned spine = 1; spine < kSpines; ++spine) {
    tree.cut.insert({4, spine});
    history.goes_to(tree);
  }
  EXPECT_THAT(history.roots(), SizeIs(kSpines - 1)) << "links";
  tree.cut.insert({4, kSpines});
  history.goes_to(tree);
  EXPECT_THAT(texts(history.roots()), ElementsAre(AllOf(HasSubstr("switch lost: \"S1-4\""),
                                                        HasSubstr("12 hosts behind it"))));
  // With one link it is back, and the others are lost.
  tree.cut.erase({4, kSpines});
  history.goes_to(tree);
  EXPECT_THAT(texts(history.losses.conditions()),
              AllOf(SizeIs(kSpines - 1), Each(StartsWith("link lost: "))));
}

TEST(LossConditions, AManagerThatIsCutOffCountsAllBehindTheSwitchesNextToIt) {
  History history;
  Tree tree;
  for (unsigned spine = 1; spine <= kSpines; ++spine) tree.cut.insert({1, spine});
  history.goes_to(tree);
  const std::vector<Condition> roots = history.roots();
  ASSERT_THAT(roots, SizeIs(kSpines)) << "each spine had a link to the leaf that remains";
  EXPECT_THAT(texts(roots), Contains(HasSubstr("3 switches (S1-2..S1-4) and 36 hosts behind it "
                                               "(H13..H48)")));
  EXPECT_EQ(history.counts().hosts_cut_off, 36u);
}

TEST(LossConditions, ManyHostsAreNamedUpToABound) {
  const auto star = [](unsigned hosts) {
    fabrics::Maker maker;
    const auto hub = maker.sw(200, "hub");
    maker.cable(hub, 1, maker.ca(1, "manager"), 1);
    for (unsigned leaf = 0; leaf < 120; ++leaf) {
      const auto sw = maker.add(mad::NodeType::switch_, 36, fmt::format("leaf-{}", leaf),
                                mad::Guid{0x900000 + 0x100ull * leaf});
      maker.cable(hub, leaf + 2, sw, 36);
      for (unsigned host = 0; host < hosts; ++host)
        maker.cable(sw, host + 1,
                    maker.add(mad::NodeType::ca, 1, fmt::format("H{}", leaf * 20 + host),
                              mad::Guid{0x100000 + 0x1000ull * leaf + 0x10 * host}),
                    1);
    }
    return maker.build();
  };
  Losses losses;
  losses.update_from(star(20), star(2), at(0s));
  const std::vector<Condition> all = losses.conditions();
  EXPECT_THAT(all, SizeIs(sm::kLossesNamed + 1 + sm::kLossesBehind));
  EXPECT_THAT(texts(all), Contains("and 380 more nodes are lost")) << "18 hosts of 20 leaves each";
}

TEST(LossConditions, ForgettingASwitchForgetsWhatWasLostBehindIt) {
  History history;
  history.goes_to({.off = {"S1-4", "H20"}});
  EXPECT_TRUE(history.losses.forget("S1-4"));
  EXPECT_THAT(texts(history.losses.conditions()), ElementsAre(StartsWith("node lost: \"H20\"")));
}

TEST(LossConditions, TheListNamesTheCauseOfEach) {
  History history;
  history.goes_to({.off = {"S1-4", "H20"}});
  for (const sm::LostThing& lost : history.losses.list()) {
    const bool is_behind = !lost.is_switch && lost.name != "H20";
    EXPECT_EQ(lost.cause, is_behind ? std::optional(mad::Guid{0x20040}) : std::nullopt)
        << lost.name;
  }
}

}  // namespace loss_conditions_test
