// HEDDLE_SEED, HEDDLE_SEEDS and HEDDLE_SEED_SHARE.

#include "support/seed_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace seed_selection_test {

using seeds::parse_selection;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(SeedSelection, DefaultsToOneUpToTheCount) {
  const auto selected = parse_selection(nullptr, nullptr, nullptr);
  ASSERT_TRUE(selected);
  EXPECT_TRUE(selected->is_default());
  EXPECT_THAT(selected->of(3), ElementsAre(1, 2, 3));
}

TEST(SeedSelection, OneSeedReplaysIt) {
  for (const char* text : {"7", "0x7"}) {
    const auto selected = parse_selection(text, nullptr, nullptr);
    ASSERT_TRUE(selected);
    EXPECT_FALSE(selected->is_default());
    EXPECT_THAT(selected->of(300), ElementsAre(7));
  }
}

TEST(SeedSelection, ARangeIncludesBothEndsWhateverTheDefaultCount) {
  const auto selected = parse_selection(nullptr, "1000..1003", nullptr);
  ASSERT_TRUE(selected);
  EXPECT_THAT(selected->of(1), ElementsAre(1000, 1001, 1002, 1003));
  EXPECT_THAT(parse_selection(nullptr, "5", nullptr)->of(20), ElementsAre(5));
}

TEST(SeedSelection, AnOpenRangeHasTheDefaultCount) {
  EXPECT_THAT(parse_selection(nullptr, "1000..", nullptr)->of(3), ElementsAre(1000, 1001, 1002));
}

TEST(SeedSelection, SharesAreDisjointAndTogetherComplete) {
  std::multiset<std::uint64_t> all;
  for (const char* share : {"0/3", "1/3", "2/3"}) {
    const auto selected = parse_selection(nullptr, nullptr, share);
    ASSERT_TRUE(selected);
    EXPECT_FALSE(selected->is_default());
    for (const std::uint64_t seed : selected->of(10)) all.insert(seed);
  }
  EXPECT_THAT(all, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(parse_selection(nullptr, "100..105", "1/3")->of(10), ElementsAre(101, 104));
}

TEST(SeedSelection, AShareOfFewSeedsHasOneAtLeast) {
  EXPECT_THAT(parse_selection(nullptr, nullptr, "7/10")->of(5), ElementsAre(3));
  EXPECT_THAT(parse_selection("42", nullptr, "7/10")->of(5), ElementsAre(42));
}

struct Wrong {
  const char *seed, *range, *share;
  const char* says;
};
class WrongSelection : public testing::TestWithParam<Wrong> {};
TEST_P(WrongSelection, SaysWhatWouldBeRight) {
  const auto selected = parse_selection(GetParam().seed, GetParam().range, GetParam().share);
  ASSERT_FALSE(selected);
  EXPECT_THAT(selected.error(), HasSubstr(GetParam().says));
}
INSTANTIATE_TEST_SUITE_P(
    Values, WrongSelection,
    testing::Values(
        Wrong{"seven", nullptr, nullptr, "HEDDLE_SEED: 'seven' is not a number; write one seed"},
        Wrong{"", nullptr, nullptr, "HEDDLE_SEED: '' is not a number"},
        Wrong{"-1", nullptr, nullptr, "HEDDLE_SEED: '-1' is not a number"},
        Wrong{nullptr, "5..x", nullptr, "the last seed is not a number; write FIRST..LAST"},
        Wrong{nullptr, "..5", nullptr, "the first seed is not a number"},
        Wrong{nullptr, "9..5", nullptr, "the last seed is before the first"},
        Wrong{nullptr, "0..999999999", nullptr, "more than 100 million seeds"},
        Wrong{nullptr, "18446744073709551616", nullptr, "the first seed is not a number"},
        Wrong{nullptr, nullptr, "1", "write K/N with K below N"},
        Wrong{nullptr, nullptr, "3/3", "write K/N with K below N"},
        Wrong{nullptr, nullptr, "0/0", "write K/N with K below N"},
        Wrong{"7", "1..2", nullptr, "HEDDLE_SEED and HEDDLE_SEEDS are both set"}));

}  // namespace seed_selection_test
