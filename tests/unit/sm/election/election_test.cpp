#include "sm/election/election.h"

#include "sm/election/known_managers.h"

#include <gtest/gtest.h>

#include <map>

namespace election_test {

using mad::SmControl;
using mad::SmState;
using sm::elect;
using sm::SmAction;
using sm::SmEvent;
using sm::SmRank;

fabric::OtherSm manager(SmState state, std::uint8_t priority, std::uint64_t guid) {
  fabric::OtherSm other;
  other.info.set_sm_state(state);
  other.info.set_priority(priority);
  other.info.set_guid(mad::Guid{guid});
  return other;
}

constexpr SmRank kSelf{.priority = 5, .guid = mad::Guid{100}};

/// The GUID of the SM that leads, or to which this one hands over; 0: none.
std::uint64_t followed(SmState state, const std::vector<fabric::OtherSm>& others) {
  const sm::ElectionDecision decision = elect(kSelf, state, others);
  if (decision.event != SmEvent::found_master && decision.event != SmEvent::found_higher) return 0;
  return decision.other->info.guid().value;
}

SmEvent event(SmState state, const std::vector<fabric::OtherSm>& others,
              const std::vector<mad::Guid>& passed_over = {}) {
  return elect(kSelf, state, others, passed_over).event;
}

TEST(Election, HigherPriorityThenLowerGuidRanksHigher) {
  EXPECT_TRUE(outranks({.priority = 6, .guid = mad::Guid{200}}, kSelf));
  EXPECT_TRUE(outranks({.priority = 5, .guid = mad::Guid{99}}, kSelf));
  EXPECT_FALSE(outranks({.priority = 5, .guid = mad::Guid{101}}, kSelf));
  EXPECT_FALSE(outranks({.priority = 4, .guid = mad::Guid{1}}, kSelf));
  EXPECT_FALSE(outranks(kSelf, kSelf));
}

TEST(Election, LeadsAloneAndAmongLowerRanks) {
  EXPECT_EQ(event(SmState::discovering, {}), SmEvent::found_no_other);
  const std::vector others{manager(SmState::standby, 4, 1), manager(SmState::discovering, 5, 101),
                           manager(SmState::not_active, 15, 1)};
  EXPECT_EQ(event(SmState::discovering, others), SmEvent::found_no_other);
  EXPECT_EQ(event(SmState::master, others), SmEvent::found_no_other);
}

TEST(Election, StartingManagerFollowsTheHighestMasterFirst) {
  const std::vector others{manager(SmState::standby, 15, 1), manager(SmState::master, 0, 500),
                           manager(SmState::master, 1, 501)};
  EXPECT_EQ(event(SmState::discovering, others), SmEvent::found_master);
  EXPECT_EQ(followed(SmState::discovering, others), 501u);
}

TEST(Election, MasterYieldsToAMasterOfHigherRankOnly) {
  const std::vector lower{manager(SmState::master, 4, 1), manager(SmState::master, 5, 101)};
  EXPECT_EQ(event(SmState::master, lower), SmEvent::found_lower_master);
  EXPECT_EQ(event(SmState::master, lower, {mad::Guid{1}, mad::Guid{101}}), SmEvent::found_no_other);
  EXPECT_EQ(
      followed(SmState::master, {manager(SmState::master, 4, 1), manager(SmState::master, 5, 99)}),
      99u);
}

TEST(Election, FollowsAHigherRankThatRuns) {
  for (const SmState state : {SmState::standby, SmState::discovering}) {
    const std::vector others{manager(state, 4, 1), manager(state, 9, 500)};
    EXPECT_EQ(followed(SmState::discovering, others), 500u);
    EXPECT_EQ(event(SmState::discovering, others, {mad::Guid{500}}), SmEvent::found_no_other)
        << "it did not lead when it was its turn";
  }
}

TEST(Election, MasterHandsOverToTheHighestStandby) {
  const std::vector others{manager(SmState::standby, 9, 7), manager(SmState::standby, 9, 6),
                           manager(SmState::discovering, 15, 5),
                           manager(SmState::not_active, 15, 4)};
  EXPECT_EQ(event(SmState::master, others), SmEvent::found_higher);
  EXPECT_EQ(followed(SmState::master, others), 6u);
  EXPECT_EQ(event(SmState::master, others, {mad::Guid{6}, mad::Guid{7}}), SmEvent::found_no_other);
}

TEST(Election, DoesNotFollowItsOwnGuid) {
  const std::vector others{manager(SmState::master, 5, 100)};
  EXPECT_EQ(event(SmState::discovering, others), SmEvent::found_no_other);
}

/// By hand from IBTA Vol 1, 14.4.1.
TEST(StateMachine, ControlsAreAcceptedOnlyInLegalStates) {
  const std::map<std::pair<SmState, SmControl>, SmState> legal{
      {{SmState::discovering, SmControl::handover}, SmState::discovering},
      {{SmState::standby, SmControl::handover}, SmState::master},
      {{SmState::standby, SmControl::acknowledge}, SmState::standby},
      {{SmState::standby, SmControl::disable}, SmState::not_active},
      {{SmState::standby, SmControl::discover}, SmState::discovering},
      {{SmState::not_active, SmControl::standby}, SmState::standby},
      {{SmState::master, SmControl::acknowledge}, SmState::standby},
      {{SmState::master, SmControl::handover}, SmState::master}};
  for (unsigned state = 0; state <= 15; ++state) {
    for (std::uint32_t control = 0; control <= 20; ++control) {
      const auto expected =
          legal.find({static_cast<SmState>(state), static_cast<SmControl>(control)});
      const sm::SmRule* const rule = sm::rule_of_control(static_cast<SmState>(state), control);
      ASSERT_EQ(rule != nullptr, expected != legal.end()) << state << ' ' << control;
      if (rule == nullptr) continue;
      EXPECT_EQ(rule->to, expected->second) << state << ' ' << control;
    }
  }
  EXPECT_EQ(sm::rule_of_control(SmState::standby, 0x80000001), nullptr);
}

TEST(StateMachine, EachPairHasOneRowWithItsSource) {
  std::map<std::pair<SmState, SmEvent>, unsigned> rows;
  for (const sm::SmRule& rule : sm::sm_rules()) {
    ++rows[{rule.from, rule.on}];
    EXPECT_FALSE(rule.source.empty());
    EXPECT_EQ(find_rule(rule.from, rule.on), &rule);
    EXPECT_TRUE(rule.to != SmState::standby || rule.action == SmAction::poll ||
                rule.from == SmState::standby)
        << "who enters STANDBY polls";
  }
  for (const auto& [pair, count] : rows) EXPECT_EQ(count, 1u);
  for (const SmState state : {SmState::discovering, SmState::master})
    for (const SmEvent found :
         {SmEvent::found_no_other, SmEvent::found_master, SmEvent::found_higher})
      EXPECT_NE(sm::find_rule(state, found), nullptr) << "a survey always has a consequence";
}

TEST(Standby, MasterIsGoneAfterTooManyMissedPollsInARow) {
  constexpr mad::TimePoint kNow{};
  sm::Standby standby;
  EXPECT_TRUE(standby.polled(std::nullopt, 0, kNow)) << "no master is known";
  const fabric::OtherSm master = manager(SmState::master, 1, 7);
  standby.follow(master, nullptr);
  for (unsigned i = 0; i < 10; ++i) {
    EXPECT_FALSE(standby.polled(std::nullopt, 2, kNow));
    EXPECT_FALSE(standby.polled(std::nullopt, 2, kNow));
    EXPECT_FALSE(standby.polled(master.info, 2, kNow)) << "counted from 1 again";
  }
  EXPECT_FALSE(standby.polled(manager(SmState::standby, 1, 7).info, 2, kNow)) << "no longer MASTER";
  EXPECT_FALSE(standby.polled(manager(SmState::master, 1, 8).info, 2, kNow)) << "another manager";
  EXPECT_TRUE(standby.polled(manager(SmState::standby, 1, 7).info, 2, kNow));
  EXPECT_NE(standby.why_gone().find("no longer MASTER"), std::string::npos);
  standby.restart();
  EXPECT_FALSE(standby.polled(std::nullopt, 1, kNow));
  EXPECT_TRUE(standby.polled(std::nullopt, 1, kNow));
  EXPECT_NE(standby.why_gone().find("does not answer"), std::string::npos);
}

TEST(Standby, AMasterThatResignedIsGoneAtOnce) {
  sm::Standby standby;
  EXPECT_FALSE(standby.resigned(mad::Guid{7})) << "no master is known";
  const fabric::OtherSm master = manager(SmState::master, 1, 7);
  standby.follow(master, nullptr);
  EXPECT_FALSE(standby.resigned(mad::Guid{8})) << "another one";
  EXPECT_FALSE(standby.polled(master.info, 5, {}));
  EXPECT_TRUE(standby.resigned(mad::Guid{7}));
  EXPECT_TRUE(standby.polled(std::nullopt, 5, {}));
  EXPECT_NE(standby.why_gone().find("has lost its port"), std::string::npos);
  standby.follow(master, nullptr);
  EXPECT_FALSE(standby.polled(master.info, 5, {}));
}

TEST(Standby, WaitsForADiscoveringManagerUpToAMinute) {
  sm::Standby standby;
  const fabric::OtherSm other = manager(SmState::discovering, 9, 7);
  standby.follow(other, nullptr);
  mad::TimePoint now{};
  for (unsigned i = 0; i < 60; ++i) {
    EXPECT_FALSE(standby.polled(other.info, 0, now));
    now += std::chrono::seconds(1);
  }
  EXPECT_TRUE(standby.polled(other.info, 0, now));
  EXPECT_TRUE(standby.responds());
}

TEST(Standby, AMasterWhoseActCountDoesNotGrowIsStalledNotGone) {
  sm::Standby standby;
  fabric::OtherSm master = manager(SmState::master, 1, 7);
  standby.follow(master, nullptr);
  for (unsigned i = 0; i < 2 * sm::Standby::kStalledPolls; ++i) {
    EXPECT_EQ(standby.is_stalled(), i >= sm::Standby::kStalledPolls);
    EXPECT_FALSE(standby.polled(master.info, 0, {}));
  }
  master.info.set_act_count(1);
  EXPECT_FALSE(standby.polled(master.info, 0, {}));
  EXPECT_FALSE(standby.is_stalled());
}

TEST(PassedOver, PausesGrowAndStartAgainAfterALongTime) {
  using sm::PassedOver;
  PassedOver sms;
  mad::TimePoint now = mad::TimePoint{} + std::chrono::hours(1);
  const mad::Guid guid{7};
  for (mad::Duration pause = PassedOver::kPauseFirst; pause < PassedOver::kPauseLast; pause *= 2) {
    sms.add(guid, now);
    EXPECT_EQ(sms.at(now + pause - std::chrono::seconds(1)), std::vector{guid});
    now += pause;
    EXPECT_TRUE(sms.at(now).empty());
  }
  now += 2 * PassedOver::kPauseLast;
  sms.add(guid, now);
  EXPECT_TRUE(sms.at(now + PassedOver::kPauseFirst).empty());
}

TEST(KnownManagers, LinesSayWhatChanged) {
  sm::KnownManagers known;
  const sm::KnownManager h4{
      .guid = mad::Guid{4}, .name = "H4", .priority = 5, .state = SmState::standby};
  EXPECT_EQ(known.replace({h4}),
            std::vector<std::string>{"subnet manager found: H4: priority 5, STANDBY"});
  EXPECT_TRUE(known.replace({h4}).empty());
  EXPECT_EQ(known.update(manager(SmState::master, 5, 4).info),
            "subnet manager changed: H4: priority 5, MASTER (was priority 5, STANDBY)");
  EXPECT_EQ(known.update(manager(SmState::master, 5, 99).info), "");
  EXPECT_EQ(known.list().front().state, SmState::master);
  EXPECT_EQ(known.replace({}).size(), 1u);
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
  EXPECT_NE(requests.answer(SmState::master, 1, handover, now).rule, nullptr);
  now += sm::ControlRequests::kPause / 2;
  const sm::ControlAnswer busy = requests.answer(SmState::master, 1, handover, now);
  EXPECT_EQ(busy.status, mad::status::kBusy);
  EXPECT_EQ(busy.rule, nullptr);
  EXPECT_EQ(requests.answer(SmState::standby, 1, handover, now).rule->to, SmState::master);
  now += sm::ControlRequests::kPause / 2;
  EXPECT_NE(requests.answer(SmState::master, 1, handover, now).rule, nullptr);
}

TEST(ControlRequests, HandoverOfAnUnknownManagerToAMasterIsRefusedAndSurveyedOnceInAPause) {
  sm::ControlRequests requests;
  const sm::ControlRequest handover{.control = mad::SmInfo::modifier(SmControl::handover),
                                    .sender = manager(SmState::master, 1, 7).info};
  const mad::TimePoint now = mad::TimePoint{} + std::chrono::hours(1);
  EXPECT_FALSE(requests.answer(SmState::standby, 1, handover, now).survey);
  const sm::ControlAnswer first = requests.answer(SmState::master, 1, handover, now);
  EXPECT_EQ(first.rule, nullptr);
  EXPECT_FALSE(first.refused_for.empty());
  EXPECT_TRUE(first.survey);
  const mad::Duration pause = sm::ControlRequests::kSurveyPause;
  EXPECT_FALSE(requests.answer(SmState::master, 1, handover, now + pause / 2).survey);
  EXPECT_TRUE(requests.answer(SmState::master, 1, handover, now + pause).survey);
}

TEST(ControlRequests, AcknowledgeCountsOnlyFromTheOneToWhichAHandoverWasSent) {
  sm::ControlRequests requests;
  sm::ControlRequest acknowledge{.control = mad::SmInfo::modifier(SmControl::acknowledge),
                                 .sender = manager(SmState::standby, 9, 7).info};
  EXPECT_FALSE(requests.answer(SmState::master, 1, acknowledge, {}).refused_for.empty());
  acknowledge.from_successor = true;
  EXPECT_EQ(requests.answer(SmState::master, 1, acknowledge, {}).rule->to, SmState::standby);
  acknowledge.sender.set_sm_state(SmState::discovering);
  EXPECT_EQ(requests.answer(SmState::master, 1, acknowledge, {}).rule, nullptr);
}

TEST(ControlRequests, ADiscoveringManagerRepeatsItsSurveyAfterAnyHandover) {
  sm::ControlRequests requests;
  const sm::ControlRequest handover{.control = mad::SmInfo::modifier(SmControl::handover),
                                    .sender = manager(SmState::master, 1, 7).info};
  EXPECT_EQ(requests.answer(SmState::discovering, 1, handover, {}).rule->action, SmAction::survey);
  EXPECT_EQ(requests.answer(SmState::discovering, 1, handover, {}).status, mad::status::kBusy);
}

}  // namespace election_test
