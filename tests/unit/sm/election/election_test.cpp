#include "sm/election/election.h"

#include "sm/election/control.h"
#include "sm/election/standby.h"

#include <gtest/gtest.h>

#include <map>

namespace election_test {

using mad::SmControl;
using mad::SmState;
using sm::elect;
using sm::SmRank;

sm::OtherSm manager(SmState state, std::uint8_t priority, std::uint64_t guid) {
  sm::OtherSm other;
  other.info.set_sm_state(state);
  other.info.set_priority(priority);
  other.info.set_guid(mad::Guid{guid});
  return other;
}

constexpr SmRank kSelf{.priority = 5, .guid = mad::Guid{100}};

/// The GUID of the SM that is followed; 0: none.
std::uint64_t followed(SmState state, const std::vector<sm::OtherSm>& others) {
  const sm::ElectionDecision decision = elect(kSelf, state, others);
  EXPECT_EQ(decision.next, decision.standby_of ? SmState::standby : SmState::master);
  return decision.standby_of ? decision.standby_of->info.guid().value : 0;
}

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

TEST(Election, StartingManagerFollowsAnyMasterFirst) {
  const std::vector others{manager(SmState::standby, 15, 1), manager(SmState::master, 0, 500)};
  EXPECT_EQ(followed(SmState::discovering, others), 500u);
}

TEST(Election, RunningMasterFollowsOnlyAMasterOfHigherRank) {
  EXPECT_EQ(followed(SmState::master, {manager(SmState::master, 4, 1)}), 0u);
  EXPECT_EQ(followed(SmState::master, {manager(SmState::master, 5, 101)}), 0u);
  EXPECT_EQ(
      followed(SmState::master, {manager(SmState::master, 4, 1), manager(SmState::master, 5, 99)}),
      99u);
}

TEST(Election, FollowsAHigherRankUnlessMasterAlready) {
  for (const SmState state : {SmState::standby, SmState::discovering}) {
    const std::vector others{manager(state, 4, 1), manager(state, 9, 500)};
    EXPECT_EQ(followed(SmState::discovering, others), 500u);
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

TEST(Standby, MasterIsGoneAfterTooManyMissedPollsInARow) {
  sm::Standby standby;
  EXPECT_TRUE(standby.polled(std::nullopt, 0)) << "no master is known";
  const sm::OtherSm master = manager(SmState::master, 1, 7);
  standby.follow(master, nullptr);
  for (unsigned i = 0; i < 10; ++i) {
    EXPECT_FALSE(standby.polled(std::nullopt, 2));
    EXPECT_FALSE(standby.polled(std::nullopt, 2));
    EXPECT_FALSE(standby.polled(master.info, 2)) << "counted anew";
  }
  EXPECT_FALSE(standby.polled(manager(SmState::standby, 1, 7).info, 2)) << "no longer MASTER";
  EXPECT_FALSE(standby.polled(manager(SmState::master, 1, 8).info, 2)) << "another manager";
  EXPECT_TRUE(standby.polled(manager(SmState::standby, 1, 7).info, 2));
  EXPECT_NE(standby.why_gone().find("no longer MASTER"), std::string::npos);
  standby.restart();
  EXPECT_FALSE(standby.polled(std::nullopt, 1));
  EXPECT_TRUE(standby.polled(std::nullopt, 1));
  EXPECT_NE(standby.why_gone().find("does not answer"), std::string::npos);
}

TEST(Standby, SurveysForUnknownManagersAreRare) {
  sm::Standby standby;
  const mad::TimePoint now = mad::TimePoint{} + std::chrono::hours(1);
  EXPECT_FALSE(standby.take_survey_request());
  EXPECT_TRUE(standby.request_survey(now));
  EXPECT_TRUE(standby.take_survey_request());
  EXPECT_FALSE(standby.take_survey_request());
  EXPECT_FALSE(standby.request_survey(now + sm::Standby::kSurveyPause / 2));
  EXPECT_TRUE(standby.request_survey(now + sm::Standby::kSurveyPause));
}

TEST(ControlRequests, HandoverToAMasterCountsOnceInAPause) {
  sm::ControlRequests requests;
  const mad::SmInfo other = manager(SmState::master, 1, 7).info;
  const sm::ControlRequest handover{
      .control = mad::SmInfo::modifier(SmControl::handover), .sender = other, .master = other};
  mad::TimePoint now = mad::TimePoint{} + std::chrono::hours(1);
  EXPECT_EQ(requests.answer(SmState::master, 1, handover, now).next, SmState::master);
  now += sm::ControlRequests::kPause / 2;
  const sm::ControlAnswer busy = requests.answer(SmState::master, 1, handover, now);
  EXPECT_EQ(busy.status, mad::status::kBusy);
  EXPECT_EQ(busy.next, std::nullopt);
  EXPECT_EQ(requests.answer(SmState::standby, 1, handover, now).next, SmState::discovering);
  now += sm::ControlRequests::kPause / 2;
  EXPECT_EQ(requests.answer(SmState::master, 1, handover, now).next, SmState::master);
}

}  // namespace election_test
