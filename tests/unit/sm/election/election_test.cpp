#include "sm/election/election.h"

#include <gtest/gtest.h>

#include <map>

namespace election_test {

using mad::SmControl;
using mad::SmState;
using sm::elect;
using sm::SmRank;

mad::SmInfo manager(SmState state, std::uint8_t priority, std::uint64_t guid) {
  mad::SmInfo info;
  info.set_sm_state(state);
  info.set_priority(priority);
  info.set_guid(mad::Guid{guid});
  return info;
}

constexpr SmRank kSelf{.priority = 5, .guid = mad::Guid{100}};

TEST(Election, HigherPriorityThenLowerGuidRanksHigher) {
  EXPECT_TRUE(outranks({.priority = 6, .guid = mad::Guid{200}}, kSelf));
  EXPECT_TRUE(outranks({.priority = 5, .guid = mad::Guid{99}}, kSelf));
  EXPECT_FALSE(outranks({.priority = 5, .guid = mad::Guid{101}}, kSelf));
  EXPECT_FALSE(outranks({.priority = 4, .guid = mad::Guid{1}}, kSelf));
  EXPECT_FALSE(outranks(kSelf, kSelf));
}

TEST(Election, LeadsAloneAndAmongLowerRanks) {
  EXPECT_EQ(elect(kSelf, SmState::discovering, {}).next, SmState::master);
  const std::vector others{manager(SmState::standby, 4, 1), manager(SmState::discovering, 5, 101),
                           manager(SmState::not_active, 15, 1)};
  EXPECT_EQ(elect(kSelf, SmState::discovering, others).next, SmState::master);
}

TEST(Election, FollowsAnyMasterFirst) {
  const std::vector others{manager(SmState::standby, 15, 1), manager(SmState::master, 0, 500)};
  for (const SmState state : {SmState::discovering, SmState::master}) {
    const auto decision = elect(kSelf, state, others);
    EXPECT_EQ(decision.next, SmState::standby);
    EXPECT_EQ(decision.standby_of, 1u);
  }
}

TEST(Election, FollowsAHigherRankUnlessMasterAlready) {
  for (const SmState state : {SmState::standby, SmState::discovering}) {
    const std::vector others{manager(state, 4, 1), manager(state, 9, 500)};
    EXPECT_EQ(elect(kSelf, SmState::discovering, others).standby_of, 1u);
    EXPECT_EQ(elect(kSelf, SmState::master, others).next, SmState::master);
  }
}

TEST(Election, DoesNotFollowItsOwnGuid) {
  const std::vector others{manager(SmState::master, 5, 100)};
  EXPECT_EQ(elect(kSelf, SmState::discovering, others).next, SmState::master);
}

TEST(Election, ControlsAreAcceptedOnlyInLegalStates) {
  const std::map<std::pair<SmState, SmControl>, SmState> legal{
      {{SmState::discovering, SmControl::handover}, SmState::discovering},
      {{SmState::standby, SmControl::handover}, SmState::discovering},
      {{SmState::standby, SmControl::acknowledge}, SmState::standby},
      {{SmState::standby, SmControl::disable}, SmState::not_active},
      {{SmState::standby, SmControl::discover}, SmState::discovering},
      {{SmState::not_active, SmControl::standby}, SmState::standby},
      {{SmState::master, SmControl::handover}, SmState::master}};
  for (unsigned state = 0; state <= 15; ++state) {
    for (std::uint32_t control = 0; control <= 7; ++control) {
      const auto rule = legal.find({static_cast<SmState>(state), static_cast<SmControl>(control)});
      EXPECT_EQ(sm::on_control(static_cast<SmState>(state), control),
                rule == legal.end() ? std::nullopt : std::optional(rule->second))
          << state << ' ' << control;
    }
  }
  EXPECT_EQ(sm::on_control(SmState::standby, 0x80000001), std::nullopt);
}

}  // namespace election_test
