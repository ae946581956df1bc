#include "sm/sweep/decide/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/sweep/devices/sweep_conditions.h"
#include "support/conditions.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace changes_test {

using namespace std::chrono_literals;
using sm::Losses;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

/// Two leaves with up to two links between them, a host at each.
struct Pair {
  bool second_link = true, second_host = true, second_leaf = true;
  fabric::Fabric build() const {
    fabrics::Maker maker;
    const auto a = maker.sw(8, "leaf-a");
    maker.cable(a, 1, maker.ca(1, "host-a"), 1);
    if (!second_leaf) return maker.build();
    const auto b = maker.sw(8, "leaf-b");
    maker.cable(a, 7, b, 7);
    if (second_link) maker.cable(a, 8, b, 8);
    if (second_host) maker.cable(b, 1, maker.ca(1, "host-b"), 1);
    return maker.build();
  }
};
const fabric::Fabric kWhole = Pair{}.build(), kOneLink = Pair{.second_link = false}.build(),
                     kOneHost = Pair{.second_host = false}.build(),
                     kOneLeaf = Pair{.second_leaf = false}.build();

mad::TimePoint at(mad::Duration time) { return mad::TimePoint{} + time; }

TEST(Arrivals, NoneWithoutChanges) { EXPECT_THAT(sm::arrivals(kWhole, kWhole), IsEmpty()); }

TEST(Arrivals, NameANodeWithItsNeighbour) {
  EXPECT_THAT(sm::arrivals(kOneHost, kWhole),
              ElementsAre(AllOf(StartsWith("node appeared: \"host-b\""),
                                HasSubstr(", behind \"leaf-b\""), EndsWith("port 1"))));
}

TEST(Arrivals, NameALinkByItsTwoPorts) {
  EXPECT_THAT(sm::arrivals(kOneLink, kWhole),
              ElementsAre(AllOf(StartsWith("link up: \"leaf-a\""),
                                HasSubstr("port 8 <-> \"leaf-b\""), EndsWith("port 8"))));
}

TEST(Losses, ALinkStandsUntilItIsUpAgain) {
  Losses losses;
  losses.update_from(kWhole, kOneLink, at(0s));
  ASSERT_THAT(losses.conditions(), SizeIs(1));
  const fabric::Condition link = losses.conditions().front();
  EXPECT_EQ(link.id, sm::kSweepConditions.link_lost);
  EXPECT_EQ(link.port, mad::PortNum{8});
  EXPECT_THAT(link.text,
              AllOf(StartsWith("link lost: \"leaf-a\""), HasSubstr("port 8 <-> \"leaf-b\""),
                    EndsWith("port 8: 1/2 of the links between switches")));
  losses.update_from(kOneLink, kOneLink, at(1h));
  EXPECT_THAT(losses.conditions(), ElementsAre(link));
  losses.update_from(kOneLink, kWhole, at(2h));
  EXPECT_THAT(losses.conditions(), IsEmpty());
}

TEST(Losses, ANodeStandsForItsLinksToo) {
  Losses losses;
  losses.update_from(kWhole, kOneLeaf, at(0s));
  EXPECT_THAT(texts(losses.conditions()), ElementsAre(AllOf(StartsWith("switch lost: \"leaf-b\""),
                                                            HasSubstr("behind \"leaf-a\"")),
                                                      StartsWith("node lost: \"host-b\"")));
  for (const fabric::Condition& condition : losses.conditions())
    EXPECT_EQ(condition.id, sm::kSweepConditions.node_lost);
}

TEST(Losses, ALinkThatDoesNotComeBackWithItsNodeIsLost) {
  Losses losses;
  losses.update_from(kWhole, kOneLeaf, at(0s));
  losses.update_from(kOneLeaf, kOneLink, at(1min));
  EXPECT_THAT(texts(losses.conditions()), ElementsAre(StartsWith("link lost: \"leaf-a\"")));
}

TEST(Losses, APortWithAnotherLinkHasLostNone) {
  fabrics::Maker maker;
  const auto a = maker.sw(8, "leaf-a"), host = maker.ca(1, "host-a"), b = maker.sw(8, "leaf-b"),
             other = maker.ca(1, "host-b");
  maker.cable(a, 1, host, 1);
  maker.cable(a, 7, b, 7);
  maker.cable(a, 8, b, 6);  // port 8 of leaf-a has another link, port 8 of leaf-b has none
  maker.cable(b, 1, other, 1);
  Losses losses;
  losses.update_from(kWhole, maker.build(), at(0s));
  EXPECT_THAT(losses.conditions(), IsEmpty());
}

TEST(Losses, AreListedWithTheirNeighbours) {
  Losses losses;
  losses.update_from(kWhole, kOneLeaf, at(5s));
  const std::vector<sm::LostThing> nodes = losses.list();
  ASSERT_EQ(nodes.size(), 2u) << "links of a lost node are not listed";
  EXPECT_EQ(nodes[0].name, "leaf-b");
  EXPECT_FALSE(nodes[0].port);
  EXPECT_EQ(nodes[0].peer, "leaf-a");
  EXPECT_EQ(nodes[0].since, at(5s));
  EXPECT_EQ(nodes[1].name, "host-b");
  losses = {};
  losses.update_from(kWhole, kOneLink, at(0s));
  const std::vector<sm::LostThing> links = losses.list();
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0].name, "leaf-a");
  EXPECT_EQ(links[0].port, mad::PortNum{8});
  EXPECT_EQ(links[0].peer, "leaf-b");
  EXPECT_EQ(links[0].peer_port, mad::PortNum{8});
}

TEST(Losses, AreForgottenByName) {
  Losses losses;
  losses.update_from(kWhole, kOneLeaf, at(0s));
  EXPECT_FALSE(losses.forget("leaf"));
  EXPECT_FALSE(losses.forget("leaf-b:8")) << "its links are not lost by themselves";
  EXPECT_TRUE(losses.forget("leaf-b"));
  EXPECT_FALSE(losses.forget("leaf-b"));
  EXPECT_THAT(losses.conditions(), IsEmpty()) << "host-b was lost behind it";
  losses = {};
  losses.update_from(kWhole, kOneLink, at(0s));
  EXPECT_FALSE(losses.forget("leaf-b:7"));
  EXPECT_TRUE(losses.forget("leaf-b:8")) << "by either end";
  EXPECT_THAT(losses.conditions(), IsEmpty());
}

TEST(Losses, EndAfterSevenDays) {
  Losses losses;
  losses.update_from(kWhole, kOneHost, at(0s));
  losses.update_from(kOneHost, kOneHost, at(Losses::kRetention - 1s));
  EXPECT_THAT(losses.conditions(), SizeIs(1));
  losses.update_from(kOneHost, kOneHost, at(Losses::kRetention));
  EXPECT_THAT(losses.conditions(), IsEmpty());
}

TEST(Losses, AreTheArrivalsOfTheReverseOnAnyFabrics) {
  seeds::for_each(200, [](std::uint64_t seed) {
    const fabric::Fabric a = fabrics::random_fabric(seed), b = fabrics::random_fabric(seed + 1);
    Losses none, some;
    none.update_from(a, a, at(0s));
    EXPECT_THAT(none.conditions(), IsEmpty());
    some.update_from(a, b, at(0s));
    some.update_from(b, a, at(1s));
    // All nodes and links of `a` are back: only those of `b` are lost now.
    std::vector<fabric::Condition> lost = some.conditions();
    std::erase_if(lost, [](const fabric::Condition& condition) {
      return condition.id == sm::kSweepConditions.hosts_lost;  // beside those of its hosts
    });
    EXPECT_LE(lost.size(), sm::arrivals(a, b).size());
  });
}

}  // namespace changes_test
