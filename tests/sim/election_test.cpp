#include <gtest/gtest.h>

#include "sim/world.h"

namespace {

using world::put_sm;
using world::World;
using namespace std::chrono_literals;

sim::Topology pair() { return sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 3}); }

TEST(Election, NothingIsEverWrittenUnderAnotherMaster) {
  World world(pair());
  put_sm(world, "H4", mad::SmState::master, 0);  // of lower rank, but it leads
  world.options.sm_priority = 15;
  world.start();
  world.runtime.run_for(1h);
  EXPECT_EQ(world.fabric.sets(), 0u);
  EXPECT_EQ(world.manager().status().state, mad::SmState::standby);
  EXPECT_TRUE(world.says("Entering STANDBY state"));
  EXPECT_TRUE(world.says("\"H4\"")) << "says who leads: " << world.log();
  // Traps, changes and SIGHUP change nothing about that.
  world.fabric.cut(world.fabric.ref("H5", 1));
  world.fabric.send_trap_128(world.fabric.find("S1"));
  world.manager().reload(world.options, {});
  world.runtime.run_for(10min);
  EXPECT_EQ(world.fabric.sets(), 0u);
}

TEST(Election, TakesOverWhenTheMasterIsSilentForTooManyPolls) {
  World world(pair());
  put_sm(world, "H4", mad::SmState::master, 5);
  world.options.sminfo_polling_timeout = 10'000;
  world.options.polling_retry_number = 4;
  world.start();
  world.runtime.run_for(100s);
  ASSERT_EQ(world.manager().status().state, mad::SmState::standby);
  world.fabric.nodes[world.fabric.find("H4")].sm.reset();
  const mad::TimePoint gone = world.runtime.now();
  ASSERT_TRUE(world.comes_up(10min)) << world.tail();
  const auto waited = world.runtime.now() - gone;
  EXPECT_GE(waited, 4 * 10s) << "four polls may be missed";
  EXPECT_LE(waited, 65s);
  EXPECT_EQ(world.manager().status().state, mad::SmState::master);
}

TEST(Election, AMissedPollIsForgiven) {
  World world(pair());
  put_sm(world, "H4", mad::SmState::master, 5);
  world.start();
  world.runtime.run_for(15s);
  auto& sm = world.fabric.nodes[world.fabric.find("H4")].sm;
  for (unsigned i = 0; i < 10; ++i) {
    const auto running = std::exchange(sm, std::nullopt);
    world.runtime.run_for(35s);
    sm = running;
    world.runtime.run_for(15s);
  }
  EXPECT_EQ(world.manager().status().state, mad::SmState::standby);
  EXPECT_EQ(world.fabric.sets(), 0u);
}

TEST(Election, FollowsAManagerOfHigherRankThatIsAboutToLeadAndLeadsWhenItDoesNot) {
  for (const bool higher : {true, false}) {
    World world(pair());
    world.options.sm_priority = 5;
    put_sm(world, "H4", mad::SmState::standby, higher ? 9 : 1);
    world.start();
    world.runtime.run_for(20s);
    EXPECT_EQ(world.manager().status().state, higher ? mad::SmState::standby : mad::SmState::master);
    EXPECT_EQ(world.fabric.sets() == 0, higher);
  }
}

TEST(Election, HandoverMakesAStandbyTakeOver) {
  World world(pair());
  world.options.sm_priority = 9;  // the master of lower rank hands over
  put_sm(world, "H4", mad::SmState::master, 5);
  world.start();
  world.runtime.run_for(25s);
  ASSERT_EQ(world.manager().status().state, mad::SmState::standby);
  const std::size_t host = world.fabric.find("H4");
  world.fabric.responses.clear();
  world.fabric.nodes[host].sm->set_sm_state(mad::SmState::standby);  // it steps down as it asks
  world.fabric.send_sm_control(host, mad::SmControl::handover);
  ASSERT_EQ(world.fabric.responses.size(), 1u);
  const mad::ConstSmpView answer{std::span<const std::uint8_t, mad::kMadSizeBytes>(world.fabric.responses[0])};
  EXPECT_EQ(answer.method(), mad::Method::get_resp);
  EXPECT_EQ(answer.status(), 0);
  world.settle();  // at once, not after polls were missed
  EXPECT_TRUE(world.says("SMInfo control 1")) << world.log();
  EXPECT_EQ(world.manager().status().state, mad::SmState::master) << world.tail();
  EXPECT_EQ(world.fabric.complaint(), "");
}

TEST(Election, IllegalOrdersAreRefused) {
  World world(pair());
  ASSERT_TRUE(world.start_and_settle());
  put_sm(world, "H4", mad::SmState::standby, 5);
  for (const auto control : {mad::SmControl::disable, mad::SmControl::standby, mad::SmControl::discover, mad::SmControl::acknowledge}) {
    world.fabric.responses.clear();
    world.fabric.send_sm_control(world.fabric.find("H4"), control);
    ASSERT_EQ(world.fabric.responses.size(), 1u);
    const mad::ConstSmpView answer{std::span<const std::uint8_t, mad::kMadSizeBytes>(world.fabric.responses[0])};
    EXPECT_EQ(answer.status(), mad::status::kInvalidValue);
  }
  world.settle();
  EXPECT_EQ(world.manager().status().state, mad::SmState::master);
}

TEST(Election, DisableSilencesAStandbyAndStandbyWakesIt) {
  World world(pair());
  put_sm(world, "H4", mad::SmState::master, 5);
  world.start();
  world.runtime.run_for(25s);
  const std::size_t host = world.fabric.find("H4");
  world.fabric.send_sm_control(host, mad::SmControl::disable);
  world.settle();
  EXPECT_EQ(world.manager().status().state, mad::SmState::not_active);
  world.fabric.nodes[host].sm.reset();
  world.runtime.run_for(1h);
  EXPECT_EQ(world.fabric.sets(), 0u) << "whoever was disabled does not take over";
  put_sm(world, "H4", mad::SmState::master, 5);
  world.fabric.send_sm_control(host, mad::SmControl::standby);
  world.settle();
  EXPECT_EQ(world.manager().status().state, mad::SmState::standby);
}

TEST(Election, SmInfoIsAnsweredTruthfully) {
  World world(pair());
  world.options.sm_priority = 7;
  ASSERT_TRUE(world.start_and_settle());
  std::uint32_t last = 0;
  for (unsigned i = 0; i < 3; ++i) {
    mad::MadBytes bytes;
    mad::make_lid_smp(bytes, mad::Method::get, mad::AttributeId::sm_info, 0, {}, 0x1234);
    world.fabric.responses.clear();
    world.fabric.deliver(bytes, mad::Lid{4});
    ASSERT_EQ(world.fabric.responses.size(), 1u);
    const mad::ConstSmpView answer{std::span<const std::uint8_t, mad::kMadSizeBytes>(world.fabric.responses[0])};
    const mad::SmInfo info(answer.data());
    EXPECT_EQ(answer.transaction_id(), 0x1234u);
    EXPECT_EQ(info.sm_state(), mad::SmState::master);
    EXPECT_EQ(info.priority(), 7);
    EXPECT_EQ(info.guid(), world.own_guid());
    EXPECT_GT(info.act_count(), last);
    last = info.act_count();
    world.runtime.run_for(15s);
  }
}

TEST(Election, AMasterThatAppearsLaterStopsUs) {
  World world(pair());
  ASSERT_TRUE(world.start_and_settle());
  put_sm(world, "H4", mad::SmState::standby, 1);
  world.manager().reload(world.options, {});
  world.settle();
  ASSERT_EQ(world.manager().status().state, mad::SmState::master);
  world.fabric.nodes[world.fabric.find("H4")].sm->set_sm_state(mad::SmState::master);
  world.runtime.run_for(1min);
  EXPECT_EQ(world.manager().status().state, mad::SmState::standby) << world.tail();
}

TEST(Election, OnceUnderAnotherMasterIsAFailure) {
  World world(pair());
  put_sm(world, "H4", mad::SmState::master, 5);
  world.start(true);
  EXPECT_EQ(world.exit_code(), 1);
  EXPECT_EQ(world.fabric.sets(), 0u);
}

TEST(Election, InactiveManagerDoesNothing) {
  World world(pair());
  world.options.sm_inactive = true;
  world.start();
  world.runtime.run_for(1h);
  EXPECT_EQ(world.fabric.gets() + world.fabric.sets(), 0u);
  EXPECT_EQ(world.manager().status().state, mad::SmState::not_active);
}

}  // namespace
