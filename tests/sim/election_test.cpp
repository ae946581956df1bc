#include <gtest/gtest.h>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"
#include "sm/election/election_conditions.h"
#include "support/hand_made_subnet.h"
#include "support/scripted_sm.h"

namespace election_test {

using laboratory::ScriptedSm;
using laboratory::Solo;
using namespace std::chrono_literals;

topology::Topology pair() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 3});
}

/// A subnet that another manager has brought up, at H4.
struct Ruled : Solo {
  explicit Ruled(std::uint8_t priority)
      : Solo(pair()), other(world, port("H4"), mad::SmState::master, priority) {
    hand_made::bring_up(model, port("H4"));
  }
  ScriptedSm other;
};

void poll_as_opensm(config::Options& options, unsigned period_ms = 10'000, unsigned retries = 4) {
  options.sminfo_polling_timeout = period_ms;
  options.polling_retry_number = retries;
  options.origins["sminfo_polling_timeout"] = options.origins["polling_retry_number"] = {};
}

mad::Lid own_lid(Solo& lab) { return lab.info(lab.own()).lid(); }
void let_it_answer(Solo& lab) { lab.runtime.run_for(100us); }
mad::ConstSmpView last_response(const ScriptedSm& sm) {
  return mad::ConstSmpView{std::span<const std::uint8_t, mad::kMadSizeBytes>(sm.responses.back())};
}

TEST(Election, NothingIsEverWrittenUnderAnotherMaster) {
  Ruled lab(0);  // of lower rank, but it leads
  lab.options.sm_priority = 15;
  lab.start();
  lab.runtime.run_for(1h);
  EXPECT_EQ(lab.sets(), 0u);
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
  EXPECT_TRUE(lab.says("Entering STANDBY state"));
  EXPECT_TRUE(lab.says("\"H4\"")) << "says who leads: " << lab.log();
  // Traps, changes and SIGHUP change nothing about that.
  lab.world.cut(lab.port("H5"));
  const sim::PortIndex sw = lab.port("S1", 0);
  lab.raise_link_state_change(sw);
  mad::LinkStateNotice notice;
  notice.set_is_generic(true);
  notice.set_trap_number(mad::TrapNumber::link_state_change);
  notice.set_lid(lab.info(sw).lid());
  mad::MadBytes trap;
  mad::make_lid_smp(trap, mad::Method::trap, mad::AttributeId::notice, 0, {}, 0x77)
      .set_data(notice.bytes());
  lab.heddle().tap().inject(trap,
                            lab.info(sw).lid());  // though it is not the master, to whom they go
  EXPECT_EQ(lab.heddle().tap().responses.size(), 1u) << "it was heard";
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(10min);
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(Election, TakesOverWhenTheMasterIsSilentForTooManyPolls) {
  Ruled lab(5);
  poll_as_opensm(lab.options);
  lab.start();
  lab.runtime.run_for(100s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  lab.other.answers = false;
  const mad::TimePoint gone = lab.runtime.now();
  ASSERT_TRUE(lab.comes_up(laboratory::kTakeover)) << lab.complaint() << lab.tail();
  const auto waited = lab.runtime.now() - gone;
  EXPECT_GE(waited, 4 * 10s) << "four polls may be missed";
  EXPECT_LE(waited, 65s);
  EXPECT_EQ(lab.status().state, mad::SmState::master);
}

TEST(Election, DeathOfTheMasterIsNoticedWithinThreeSeconds) {
  for (const std::chrono::milliseconds phase : {0ms, 130ms, 260ms, 390ms, 499ms}) {
    Ruled lab(5);
    lab.start();
    lab.runtime.run_for(20s + phase);
    ASSERT_EQ(lab.status().state, mad::SmState::standby);
    lab.other.answers = false;
    lab.runtime.run_for(3s);
    EXPECT_TRUE(lab.says("does not answer: taking over")) << lab.tail();
    lab.runtime.run_for(2s);  // its port still has IsSM: the survey reads SMInfo there
    EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
  }
}

TEST(Election, LossOfOnePercentIsNoDeath) {
  Ruled lab(5);
  for (sim::LinkQuality& quality : lab.world.qualities) quality.lost = 0.01;
  lab.start();
  lab.runtime.run_for(1h);
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
  EXPECT_FALSE(lab.says("taking over")) << lab.tail();
}

TEST(Election, PollsGoByLidAndByDirectedRouteInTurn) {
  Ruled lab(5);
  lab.start();
  lab.runtime.run_for(5s);
  for (const bool by_lid : {true, false}) {
    const auto received = [&] { return by_lid ? lab.other.by_lid : lab.other.by_route; };
    const unsigned before = received();
    lab.runtime.run_for(10s);
    EXPECT_GE(received() - before, 8u);
    EXPECT_LE(received() - before, 11u);
  }
}

TEST(Election, AMasterThatAnswersKeepsItsRoleThoughItsActCountDoesNotGrow) {
  Ruled lab(5);
  lab.start();
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
  EXPECT_TRUE(lab.says("SM-MASTER-STALLED")) << lab.tail();
  for (unsigned i = 0; i < 20; ++i) {
    lab.other.info.set_act_count(i + 1);
    lab.runtime.run_for(500ms);
  }
  EXPECT_TRUE(lab.says("cleared: ")) << lab.tail();
}

TEST(Election, MasterOfLowerRankIsAskedToHandOver) {
  Ruled lab(3);
  lab.options.sm_priority = 9;
  lab.start();
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
  EXPECT_GE(lab.other.traps, 5u) << "trap 144, repeated";
  EXPECT_LE(lab.other.traps, 12u);
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(Election, RunningMasterHandsOverToAStandbyOfHigherRank) {
  Solo lab(pair());
  lab.options.sm_priority = 3;
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 9);
  other.becomes_master = true;
  lab.heddle().reload(lab.options);
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  EXPECT_EQ(other.controls, std::vector<std::uint32_t>{1}) << "one HANDOVER";
  EXPECT_TRUE(
      lab.says("mastership lost: this manager handed the subnet over to the subnet manager "
               "at \"H4\" ("))
      << lab.tail();
  EXPECT_TRUE(
      lab.says(fmt::format("port 1 (PortGUID {}, LID {}, priority 9); this one has "
                           "priority 3 and PortGUID",
                           other.info.guid(), lab.info(lab.port("H4")).lid())))
      << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kMastershipConditions.mastership_lost), 1u);
  EXPECT_EQ(lab.raised(sm::kElectionConditions.master_unexpected), 0u);
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  EXPECT_EQ(other.controls.size(), 1u);
}

/// It accepts HANDOVER and does not become MASTER, or refuses it, or does not answer it.
TEST(Election, ManagerOfHigherRankThatDoesNotTakeOverLeavesTheSubnetWithItsMaster) {
  for (const std::uint16_t status : {mad::status::kOk, mad::status::kInvalidValue}) {
    Solo lab(pair());
    lab.options.sm_priority = 3;
    ASSERT_TRUE(lab.start_and_settle());
    ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 9);
    other.control_status = status;
    lab.heddle().reload(lab.options);
    mad::Duration without_master{};
    for (unsigned i = 0; i < 6000; ++i) {
      lab.runtime.run_for(100ms);
      if (lab.status().state != mad::SmState::master) without_master += 100ms;
    }
    EXPECT_LE(other.controls.size(), 8u) << "pauses grow";
    EXPECT_LE(without_master, status == mad::status::kOk ? mad::Duration(20s) : mad::Duration(0s))
        << "of ten minutes";
    EXPECT_EQ(lab.says("SM-HANDOVER-FAILED"), status != mad::status::kOk) << lab.tail();
  }
}

TEST(Election, AcknowledgeEndsTheHandoverWhoseResponsesAreLost) {
  Solo lab(pair());
  lab.options.sm_priority = 3;
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 9);
  other.answers_controls = false;
  lab.heddle().reload(lab.options);
  ASSERT_TRUE(lab.runtime.run_until([&] { return !other.controls.empty(); }, 5s)) << lab.tail();
  EXPECT_EQ(lab.status().state, mad::SmState::master);
  other.send_control(own_lid(lab), mad::SmControl::acknowledge);
  other.info.set_sm_state(mad::SmState::master);
  let_it_answer(lab);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
}

TEST(Election, SmInactiveIsObeyedWhileRunning) {
  Solo lab(pair());
  ASSERT_TRUE(lab.start_and_settle());
  lab.options.sm_inactive = true;
  lab.heddle().reload(lab.options);
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::not_active) << lab.tail();
  lab.forget_counts();
  lab.runtime.run_for(10min);
  EXPECT_EQ(lab.gets() + lab.sets(), 0u);
  lab.options.sm_inactive = false;
  lab.heddle().reload(lab.options);
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(Election, IgnoreOtherSmLeadsBesideAnyMaster) {
  Ruled lab(15);
  lab.options.ignore_other_sm = true;
  lab.start();
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
  EXPECT_TRUE(lab.other.controls.empty());
}

TEST(Election, MasterSmPriorityIsThatOfAMasterOnly) {
  Solo lab(pair());
  lab.options.sm_priority = 3;
  lab.options.master_sm_priority = 14;
  ASSERT_TRUE(lab.start_and_settle());
  EXPECT_EQ(lab.status().priority, 14);
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 13);
  lab.heddle().reload(lab.options);
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::master) << "13 is not more than 14";
  other.info.set_priority(15);
  other.becomes_master = true;
  lab.runtime.run_for(20s);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  EXPECT_EQ(lab.status().priority, 3);
}

TEST(Election, StatusAndLogNameAllOtherManagers) {
  Solo lab(pair());
  lab.options.sm_priority = 9;
  const ScriptedSm one(lab.world, lab.port("H4"), mad::SmState::standby, 5);
  ScriptedSm two(lab.world, lab.port("H5"), mad::SmState::standby, 7);
  two.info.set_sm_key(0x99);
  ScriptedSm three(lab.world, lab.port("H3"), static_cast<mad::SmState>(9), 15);
  ASSERT_TRUE(lab.start_and_settle());
  const std::vector<sm::KnownManager> managers = lab.status().managers;
  ASSERT_EQ(managers.size(), 3u);
  EXPECT_EQ(std::ranges::count(managers, true, &sm::KnownManager::counts), 1);
  EXPECT_TRUE(lab.says("subnet manager found: \"H4\"")) << lab.log();
  EXPECT_TRUE(lab.says("SM-KEY-MISMATCH")) << lab.log();
  EXPECT_TRUE(lab.says("SMState 9")) << lab.log();
}

TEST(Election, AMissedPollIsForgiven) {
  Ruled lab(5);
  poll_as_opensm(lab.options);
  lab.start();
  lab.runtime.run_for(15s);
  for (unsigned i = 0; i < 10; ++i) {
    lab.other.answers = false;
    lab.runtime.run_for(35s);
    lab.other.answers = true;
    lab.runtime.run_for(15s);
  }
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(Election, FollowsAManagerOfHigherRankThatIsAboutToLeadAndLeadsWhenItDoesNot) {
  for (const bool higher : {true, false}) {
    Solo lab(pair());
    lab.options.sm_priority = 5;
    poll_as_opensm(lab.options, 1'000, 4);
    const ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, higher ? 9 : 1);
    lab.start();
    lab.runtime.run_for(4s);
    EXPECT_EQ(lab.status().state, higher ? mad::SmState::standby : mad::SmState::master);
    EXPECT_EQ(lab.sets() == 0, higher);
    lab.runtime.run_for(4s);
    EXPECT_EQ(lab.status().state, mad::SmState::master) << "its turn has passed: " << lab.tail();
  }
}

TEST(Election, HandoverMakesAStandbyTakeOver) {
  Ruled lab(5);
  lab.options.sm_priority = 9;  // the master of lower rank hands over
  lab.start();
  lab.runtime.run_for(25s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  lab.other.send_control(own_lid(lab), mad::SmControl::handover);
  lab.other.info.set_sm_state(mad::SmState::standby);  // it steps down as it asks
  let_it_answer(lab);
  ASSERT_EQ(lab.other.responses.size(), 1u);
  EXPECT_EQ(last_response(lab.other).method(), mad::Method::get_resp);
  EXPECT_EQ(last_response(lab.other).status(), 0);
  lab.settle();  // at once, not after polls were missed
  EXPECT_TRUE(lab.says("Set(SMInfo) HANDOVER from the subnet manager")) << lab.log();
  EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(Election, IllegalOrdersAreRefused) {
  Solo lab(pair());
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 0);  // of lower rank
  for (const auto control : {mad::SmControl::disable, mad::SmControl::standby,
                             mad::SmControl::discover, mad::SmControl::acknowledge}) {
    other.responses.clear();
    other.send_control(own_lid(lab), control);
    let_it_answer(lab);
    ASSERT_EQ(other.responses.size(), 1u);
    EXPECT_EQ(last_response(other).status(), mad::status::kInvalidValue);
  }
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::master);
}

TEST(Election, DisableSilencesAStandbyAndStandbyWakesIt) {
  Ruled lab(5);
  lab.start();
  lab.runtime.run_for(25s);
  lab.other.send_control(own_lid(lab), mad::SmControl::disable);
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::not_active);
  lab.other.answers = false;
  lab.runtime.run_for(1h);
  EXPECT_EQ(lab.sets(), 0u) << "a disabled SM does not take over";
  lab.other.answers = true;
  lab.other.send_control(own_lid(lab), mad::SmControl::standby);
  lab.settle();
  EXPECT_EQ(lab.status().state, mad::SmState::standby);
}

TEST(Election, DisableIsObeyedWhileTheLastPollWaitsForItsAnswer) {
  Ruled lab(5);
  poll_as_opensm(lab.options);
  lab.options.transaction_retries = 3;
  lab.start();
  lab.runtime.run_for(25s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  lab.other.answers = false;
  lab.forget_counts();
  // The fifth poll that is missed ends STANDBY, after each of its SMPs was sent four times.
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.sent(mad::Method::get, mad::AttributeId::sm_info) == 4 * 4 + 1; }, 2min));
  lab.runtime.run_for(1ms);
  lab.other.send_control(own_lid(lab), mad::SmControl::disable);
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.status().state, mad::SmState::not_active) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(Election, SmInfoIsAnsweredTruthfully) {
  Solo lab(pair());
  lab.options.sm_priority = 7;
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::not_active, 0);
  std::uint32_t last = 0;
  for (unsigned i = 0; i < 3; ++i) {
    other.responses.clear();
    other.query(own_lid(lab));
    let_it_answer(lab);
    ASSERT_EQ(other.responses.size(), 1u);
    const mad::SmInfo info(last_response(other).data());
    EXPECT_EQ(last_response(other).transaction_id(), other.transaction_id());
    EXPECT_EQ(info.sm_state(), mad::SmState::master);
    EXPECT_EQ(info.priority(), 7);
    EXPECT_EQ(info.guid(), lab.model.ports[lab.own()].guid);
    EXPECT_GT(info.act_count(), last);
    last = info.act_count();
    lab.runtime.run_for(15s);
  }
}

TEST(Election, AMasterThatAppearsLaterStopsUs) {
  Solo lab(pair());
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::not_active, 1);
  lab.heddle().reload(lab.options);
  lab.settle();
  ASSERT_EQ(lab.status().state, mad::SmState::master);
  other.info.set_sm_state(mad::SmState::master);
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  EXPECT_TRUE(lab.says("mastership lost: the subnet manager at \"H4\" (")) << lab.tail();
  EXPECT_TRUE(lab.says("has taken the subnet over; this one has priority 0")) << lab.tail();
}

/// One condition says it, and not two.
TEST(Election, AnUnexpectedMasterIsNoLostMastership) {
  Solo lab(pair());
  ASSERT_TRUE(lab.start_and_settle());
  lab.runtime.run_for(sm::FollowedMasters::kLed);
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::master, 9);
  lab.heddle().reload(lab.options);
  lab.settle();
  ASSERT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
  EXPECT_EQ(lab.raised(sm::kElectionConditions.master_unexpected), 1u) << lab.tail();
  EXPECT_EQ(lab.occurred(sm::kMastershipConditions.mastership_lost), 0u) << lab.tail();
}

mad::SmState published_state(const Solo& lab) {
  const auto subnet = lab.status().subnet;
  return subnet->sms.size() == 1 ? subnet->sms.front().info.sm_state() : mad::SmState::not_active;
}

/// Subnet administration answers SMInfoRecords from this. No full survey is made.
TEST(Election, TheStateOfAStandbyIsPublishedAsSoonAsItPolls) {
  Solo lab(pair());
  lab.options.sweep_interval = 0;
  lab.options.sm_priority = 9;
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::discovering, 3);
  ASSERT_TRUE(lab.start_and_settle());
  ASSERT_EQ(published_state(lab), mad::SmState::discovering);
  const std::uint64_t sweeps = lab.status().sweeps;
  other.info.set_sm_state(mad::SmState::standby);
  other.query(own_lid(lab));
  lab.runtime.run_for(1s);
  EXPECT_EQ(published_state(lab), mad::SmState::standby) << lab.tail();
  EXPECT_EQ(lab.status().sweeps, sweeps) << lab.tail();
  const unsigned reads = other.by_route + other.by_lid;
  for (unsigned poll = 0; poll < 20; ++poll, lab.runtime.run_for(500ms)) other.query(own_lid(lab));
  EXPECT_EQ(other.by_route + other.by_lid, reads) << "its polls cost nothing more";
}

/// Returns the route from H4, at the second switch, to the own port, at the first one.
mad::DirectedRoute route_from_h4(Solo& lab) {
  const sim::Model& model = lab.model;
  const auto& own = model.ports[model.ports[lab.own()].peer];
  const auto& last = model.ports[model.ports[lab.port("H4")].peer];
  for (const auto& port : model.ports)
    if (port.node == last.node && port.peer != sim::kNone &&
        model.ports[port.peer].node == own.node)
      return *mad::DirectedRoute::of({1, port.number, own.number});
  return {};
}

class ElectionPolls : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ElectionPolls, testing::Values(false, true),
                         [](const auto& kind) { return kind.param ? "ByRoute" : "ByLid"; });

/// Its trap was lost. One that read the subnet before its MASTER had a LID polls by directed route.
TEST_P(ElectionPolls, OfAManagerThatNoSurveyHasFoundLeadToARead) {
  Solo lab(pair());
  lab.options.sweep_interval = 0;
  lab.options.sm_priority = 9;
  ASSERT_TRUE(lab.start_and_settle());
  mad::PortInfo& info = lab.model.ports[lab.port("H4")].info;
  info.set_capability_mask(info.capability_mask() | mad::capability::kIsSm);  // without a trap
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::discovering, 3);
  lab.runtime.run_for(1min);
  ASSERT_TRUE(lab.status().subnet->sms.empty()) << lab.tail();
  if (GetParam())
    other.query(route_from_h4(lab));
  else
    other.query(own_lid(lab));
  lab.runtime.run_for(1s);
  EXPECT_EQ(published_state(lab), mad::SmState::discovering) << lab.tail();
}

TEST(Election, TheStateOfAStandbyIsPublishedByTheNextLightSweep) {
  Solo lab(pair());
  lab.options.sweep_interval = 10;
  lab.options.sm_priority = 9;
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::not_active, 3);
  ASSERT_TRUE(lab.start_and_settle());
  const std::uint64_t sweeps = lab.status().sweeps;
  other.info.set_sm_state(mad::SmState::standby);
  lab.runtime.run_for(11s);
  EXPECT_EQ(published_state(lab), mad::SmState::standby) << lab.tail();
  EXPECT_EQ(lab.status().sweeps, sweeps) << lab.tail();
}

TEST(Election, OnceUnderAnotherMasterIsAFailure) {
  Ruled lab(5);
  lab.start(true);
  EXPECT_EQ(lab.heddle().exit_code(), 1);
  EXPECT_EQ(lab.sets(), 0u);
}

TEST(Election, InactiveManagerDoesNothing) {
  Solo lab(pair());
  lab.options.sm_inactive = true;
  lab.start();
  lab.runtime.run_for(1h);
  EXPECT_EQ(lab.gets() + lab.sets(), 0u);
  EXPECT_EQ(lab.status().state, mad::SmState::not_active);
}

}  // namespace election_test
