#include <gtest/gtest.h>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "support/hand_made_subnet.h"
#include "support/scripted_sm.h"

namespace election_test {

using laboratory::ScriptedSm;
using laboratory::Solo;
using namespace std::chrono_literals;

sim::Topology pair() { return sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 3}); }

/// A subnet that another manager has brought up, at H4.
struct Ruled : Solo {
  explicit Ruled(std::uint8_t priority)
      : Solo(pair()), other(world, port("H4"), mad::SmState::master, priority) {
    hand_made::bring_up(model, port("H4"));
  }
  ScriptedSm other;
};

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
  lab.options.sminfo_polling_timeout = 10'000;
  lab.options.polling_retry_number = 4;
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

TEST(Election, AMissedPollIsForgiven) {
  Ruled lab(5);
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
    const ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, higher ? 9 : 1);
    lab.start();
    lab.runtime.run_for(20s);
    EXPECT_EQ(lab.status().state, higher ? mad::SmState::standby : mad::SmState::master);
    EXPECT_EQ(lab.sets() == 0, higher);
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
  EXPECT_TRUE(lab.says("SMInfo control 1")) << lab.log();
  EXPECT_EQ(lab.status().state, mad::SmState::master) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(Election, IllegalOrdersAreRefused) {
  Solo lab(pair());
  ASSERT_TRUE(lab.start_and_settle());
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 5);
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
  lab.options.polling_retry_number = 4;
  lab.options.transaction_retries = 3;
  lab.start();
  lab.runtime.run_for(25s);
  ASSERT_EQ(lab.status().state, mad::SmState::standby);
  lab.other.answers = false;
  lab.forget_counts();
  // The fifth poll that is missed ends STANDBY, after each of its SMPs was sent four times.
  ASSERT_TRUE(lab.runtime.run_until(
      [&] { return lab.sent(mad::Method::get, mad::AttributeId::sm_info) == 4 * 4 + 1; }, 2min));
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
  ScriptedSm other(lab.world, lab.port("H4"), mad::SmState::standby, 1);
  lab.heddle().reload(lab.options);
  lab.settle();
  ASSERT_EQ(lab.status().state, mad::SmState::master);
  other.info.set_sm_state(mad::SmState::master);
  lab.runtime.run_for(1min);
  EXPECT_EQ(lab.status().state, mad::SmState::standby) << lab.tail();
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
