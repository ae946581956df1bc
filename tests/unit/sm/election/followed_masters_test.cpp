#include "sm/election/election_conditions.h"
#include "sm/election/known_managers.h"

#include <gtest/gtest.h>

namespace followed_masters_test {

using namespace std::chrono_literals;
using sm::FollowedMasters;

constexpr mad::Guid kFirst{0x1}, kOther{0x2};
mad::TimePoint at(mad::Duration time) { return mad::TimePoint{1h} + time; }

TEST(FollowedMasters, OneThatTakesOverWithoutHavingBeenFollowedIsUnexpected) {
  FollowedMasters masters;
  masters.lead(at(0s));
  masters.follow(kOther, "\"H2\" port 1", at(FollowedMasters::kLed));
  const auto condition = masters.unexpected({});
  ASSERT_TRUE(condition);
  EXPECT_EQ(condition->id, sm::kElectionConditions.master_unexpected);
  EXPECT_EQ(condition->guid, kOther);
  EXPECT_NE(condition->text.find("\"H2\" port 1"), std::string::npos);
  const std::uint64_t allowed[]{kOther.value};
  EXPECT_FALSE(masters.unexpected(allowed)) << "the operator names it";
  masters.lead(at(1h));
  EXPECT_FALSE(masters.unexpected({}));
}

TEST(FollowedMasters, TheMasterOfTheStandbyMayTakeOverAgain) {
  FollowedMasters masters;
  masters.follow(kFirst, "", at(0s));
  EXPECT_FALSE(masters.unexpected({}));
  masters.lead(at(1min));  // the master ended
  masters.follow(kFirst, "", at(1h));
  EXPECT_FALSE(masters.unexpected({}));
}

TEST(FollowedMasters, ManagersThatBeginTogetherSettleTheirRanks) {
  FollowedMasters masters;
  masters.lead(at(0s));
  masters.follow(kOther, "", at(FollowedMasters::kLed - 1s));
  EXPECT_FALSE(masters.unexpected({}));
}

TEST(FollowedMasters, OnlyAMasterLosesItsMastership) {
  FollowedMasters masters;
  EXPECT_FALSE(masters.follow(kFirst, "", at(0s))) << "it begins as a standby";
  masters.lead(at(1s));
  EXPECT_TRUE(masters.follow(kOther, "", at(2s)));
  EXPECT_FALSE(masters.follow(kFirst, "", at(3s))) << "the master has changed";
  masters.lead(at(4s));
  masters.resign();
  EXPECT_FALSE(masters.follow(kOther, "", at(1h))) << "sm_inactive";
}

TEST(FollowedMasters, ManyNamesDoNotFillTheMemory) {
  FollowedMasters masters;
  masters.follow(kFirst, "", at(0s));
  for (std::uint64_t guid = 10; guid < 10 + FollowedMasters::kRemembered; ++guid)
    masters.follow(mad::Guid{guid}, "", at(0s));
  masters.lead(at(0s));
  masters.follow(kFirst, "", at(1h));
  EXPECT_TRUE(masters.unexpected({})) << "the first one is forgotten";
}

}  // namespace followed_masters_test
