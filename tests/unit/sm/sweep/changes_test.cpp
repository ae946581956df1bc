#include "sm/sweep/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fabrics.h"
#include "support/seeds.h"

namespace changes_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

auto loss(const std::string& text) {
  return AllOf(Field(&sm::Change::loss, true), Field(&sm::Change::text, HasSubstr(text)));
}
auto gain(const std::string& text) {
  return AllOf(Field(&sm::Change::loss, false), Field(&sm::Change::text, HasSubstr(text)));
}

/// Two leaves with two cables between them, a host at each.
fabrics::Maker pair(bool second_host = true, bool second_cable = true) {
  fabrics::Maker maker;
  const auto a = maker.sw(8, "leaf-a"), b = maker.sw(8, "leaf-b");
  const auto first = maker.ca(1, "host-a");
  maker.cable(a, 1, first, 1);
  maker.cable(a, 7, b, 7);
  if (second_cable) maker.cable(a, 8, b, 8);
  if (second_host) maker.cable(b, 1, maker.ca(1, "host-b"), 1);
  return maker;
}

TEST(Changes, NothingChangedIsNothingToSay) {
  EXPECT_THAT(sm::changes(pair().build(), pair().build()), IsEmpty());
}

TEST(Changes, ANodeThatCameOrWentIsNamedWithItsPlace) {
  EXPECT_THAT(sm::changes(pair().build(), pair(false).build()), ElementsAre(loss("\"host-b\"")));
  EXPECT_THAT(sm::changes(pair().build(), pair(false).build()).front().text,
              AllOf(HasSubstr("is gone; it was behind \"leaf-b\""), HasSubstr("port 1")));
  EXPECT_THAT(sm::changes(pair(false).build(), pair().build()),
              ElementsAre(gain("is new, behind \"leaf-b\"")));
}

TEST(Changes, ALinkIsToldOnceAndByItsTwoPorts) {
  EXPECT_THAT(sm::changes(pair().build(), pair(true, false).build()),
              ElementsAre(loss("link lost: \"leaf-a\"")));
  const std::string text = sm::changes(pair().build(), pair(true, false).build()).front().text;
  EXPECT_THAT(text, AllOf(HasSubstr("port 8 to \"leaf-b\""), testing::EndsWith("port 8")));
  EXPECT_THAT(sm::changes(pair(true, false).build(), pair().build()),
              ElementsAre(gain("link up: \"leaf-a\"")));
}

TEST(Changes, AreTheSameBothWaysOnAnyFabrics) {
  seeds::for_each(200, [](std::uint64_t seed) {
    const sm::Fabric a = fabrics::random_fabric(seed), b = fabrics::random_fabric(seed + 1);
    EXPECT_THAT(sm::changes(a, a), IsEmpty());
    const auto there = sm::changes(a, b), back = sm::changes(b, a);
    EXPECT_EQ(there.size(), back.size());
    EXPECT_EQ(std::ranges::count(there, true, &sm::Change::loss),
              std::ranges::count(back, false, &sm::Change::loss));
  });
}

}  // namespace changes_test
