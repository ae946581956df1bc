#include "sm/manager/sweep_scheduler.h"
#include "sm/manager/upkeep.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sm/manager/trap_intake.h"

namespace sweep_scheduler_test {

using namespace std::chrono_literals;
using sm::SweepScheduler;
using Action = SweepScheduler::Action;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr mad::Guid kA{1}, kB{2};
const mad::TimePoint kStart{1h};

/// The first sweep has succeeded.
SweepScheduler settled() {
  SweepScheduler scheduler;
  scheduler.take_sweep(false);
  scheduler.sweep_succeeded(kStart, 10s);
  return scheduler;
}

TEST(SweepScheduler, BeginsWithASweepOfEverything) {
  SweepScheduler scheduler;
  EXPECT_EQ(scheduler.next(), Action::sweep);
  const sm::PassRequest order = scheduler.take_sweep(false);
  EXPECT_TRUE(order.everything && order.trust_tables);
  EXPECT_EQ(order.why, "start");
  EXPECT_EQ(scheduler.next(), Action::rest);
}

TEST(SweepScheduler, VPortsOfABusyHostArePaced) {
  SweepScheduler scheduler = settled();
  scheduler.request_vports(kA);
  EXPECT_EQ(scheduler.next(), Action::program_vports);
  EXPECT_THAT(scheduler.take_vports(kStart), ElementsAre(kA));
  EXPECT_TRUE(scheduler.request_vports_of_trap(kA, kStart, true));
  EXPECT_FALSE(scheduler.request_vports_of_trap(kB, kStart + 1ms, true))
      << "the deadline is the same";
  EXPECT_EQ(scheduler.next(), Action::rest);
  const mad::TimePoint due = kStart + SweepScheduler::kVPortsPause;
  EXPECT_EQ(scheduler.deadline(10s), due);
  EXPECT_FALSE(scheduler.on_deadline(due, 10s, true, false));
  EXPECT_EQ(scheduler.next(), Action::program_vports);
  EXPECT_THAT(scheduler.take_vports(kStart), ElementsAre(kA, kB));
}

TEST(SweepScheduler, AFloodAboutVPortsOfOneHostDelaysNoOther) {
  SweepScheduler scheduler = settled();
  unsigned times = 0;
  mad::TimePoint now = kStart;
  const auto flood_until = [&](mad::TimePoint end) {
    for (; now < end; now += 1ms) {
      scheduler.request_vports_of_trap(kA, now, true);
      if (now >= scheduler.deadline(0s)) scheduler.on_deadline(now, 0s, true, false);
      times += !scheduler.take_vports(now).empty();
    }
  };
  flood_until(kStart + 60s);
  EXPECT_LE(times, sm::VPortPace::kAtOnce + 35) << "once in 2 s";
  EXPECT_GE(times, sm::VPortPace::kAtOnce + 25) << "and no less";
  EXPECT_TRUE(scheduler.request_vports_of_trap(kB, now, false));
  EXPECT_THAT(scheduler.take_vports(now), ElementsAre(kB)) << "at once";
  // It is served like others when it has been quiet.
  now += 10s;
  scheduler.on_deadline(now, 0s, true, false);
  scheduler.take_vports(now);
  EXPECT_TRUE(scheduler.request_vports_of_trap(kA, now, false));
  EXPECT_THAT(scheduler.take_vports(now), ElementsAre(kA));
}

TEST(SweepScheduler, NodesAreCollectedIntoOneSweep) {
  SweepScheduler scheduler = settled();
  scheduler.request_node(kB, "trap 128");
  scheduler.request_node(kA, "trap 144");
  scheduler.request_node(kB, "trap 128");
  const sm::PassRequest order = scheduler.take_sweep(true);
  EXPECT_FALSE(order.everything);
  EXPECT_THAT(order.changed, ElementsAre(kA, kB));
  EXPECT_EQ(scheduler.next(), Action::rest);
  scheduler.request_node(kA, "trap 128");
  EXPECT_TRUE(scheduler.take_sweep(false).everything) << "without a subnet there is no difference";
}

TEST(SweepScheduler, ASweepIncludesPKeysAndVlTablesButNotGroups) {
  SweepScheduler scheduler = settled();
  scheduler.request_p_keys();
  scheduler.request_vl_tables();
  scheduler.request_groups();
  EXPECT_EQ(scheduler.next(), Action::program_parts);
  scheduler.request_everything("SIGHUP", false);
  EXPECT_EQ(scheduler.next(), Action::sweep);
  const sm::PassRequest order = scheduler.take_sweep(true);
  EXPECT_FALSE(order.trust_tables);
  EXPECT_FALSE(order.audits_tables);
  EXPECT_EQ(scheduler.next(), Action::program_groups);
  EXPECT_TRUE(scheduler.take_groups());
  EXPECT_EQ(scheduler.next(), Action::rest);
  scheduler.request_vl_tables();
  EXPECT_EQ(scheduler.next(), Action::program_parts);
}

TEST(SweepScheduler, TablesAreNotTrustedIfOneRequestDoesNotTrustThem) {
  SweepScheduler scheduler = settled();
  scheduler.request_everything("SIGHUP", false);
  scheduler.request_everything("trap 128 from an unknown node");
  EXPECT_FALSE(scheduler.take_sweep(true).trust_tables);
  scheduler.request_everything("again");
  EXPECT_TRUE(scheduler.take_sweep(true).trust_tables);
}

TEST(SweepScheduler, TablesAreLeftToTheAuditIfNoRequestReadsThem) {
  SweepScheduler scheduler = settled();
  scheduler.request_everything("SIGHUP", false, true);
  const sm::PassRequest audited = scheduler.take_sweep(true);
  EXPECT_TRUE(!audited.trust_tables && audited.audits_tables);
  scheduler.request_everything("SIGHUP", false, true);
  scheduler.request_everything("resweep", false);
  EXPECT_FALSE(scheduler.take_sweep(true).audits_tables);
}

TEST(SweepScheduler, ARebalanceIsOneSweepOfEverythingThatReroutes) {
  SweepScheduler scheduler = settled();
  scheduler.request_rebalance();
  scheduler.request_node(kA, "trap 128");
  ASSERT_EQ(scheduler.next(), Action::sweep);
  const sm::PassRequest order = scheduler.take_sweep(true);
  EXPECT_TRUE(order.everything && order.reroute && order.trust_tables);
  scheduler.request_everything("again");
  EXPECT_FALSE(scheduler.take_sweep(true).reroute);
}

TEST(SweepScheduler, FailedSweepsAreRepeatedWithGrowingPauses) {
  SweepScheduler scheduler = settled();
  std::vector<mad::Duration> pauses;
  for (unsigned i = 0; i < 8; ++i) {
    scheduler.sweep_failed(kStart);
    pauses.push_back(scheduler.deadline(10s) - kStart);
  }
  EXPECT_THAT(pauses, ElementsAre(1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s));
  EXPECT_FALSE(scheduler.on_deadline(kStart + 1h, 10s, true, false));
  EXPECT_EQ(scheduler.take_sweep(true).why, "the last sweep left errors");
  scheduler.sweep_succeeded(kStart, 10s);
  EXPECT_EQ(scheduler.failures(), 0u);
  EXPECT_EQ(scheduler.deadline(10s), kStart + 10s);
}

TEST(SweepScheduler, NodesThatLeftWritesUnansweredAreTriedBeforeEverythingIsReadAgain) {
  SweepScheduler scheduler = settled();
  const std::array silent{kA, kB};
  for (unsigned i = 0; i < 6; ++i) {
    scheduler.sweep_failed(kStart, silent);
    EXPECT_FALSE(scheduler.on_deadline(scheduler.deadline(10s), 10s, true, false));
    const sm::PassRequest order = scheduler.take_sweep(true);
    EXPECT_EQ(order.everything, i % 2 == 1) << "what else changed is found meanwhile";
    EXPECT_EQ(order.changed.size(), i % 2 == 1 ? 0u : 2u);
  }
  scheduler.sweep_succeeded(kStart, 10s);
  scheduler.sweep_failed(kStart, silent);
  scheduler.port_is_down(kStart);
  EXPECT_FALSE(scheduler.on_deadline(kStart + 1h, 10s, true, false));
  EXPECT_TRUE(scheduler.take_sweep(true).everything) << "the port may be in another fabric";
}

TEST(SweepScheduler, ANodeThatChangesAllTheTimeDoesNotPutLightSweepsOff) {
  SweepScheduler scheduler = settled();
  for (const mad::Duration at : {3s, 6s, 9s}) {
    scheduler.request_node(kA, "trap 128");
    scheduler.take_sweep(true);
    scheduler.sweep_succeeded(kStart + at, 10s);
  }
  EXPECT_EQ(scheduler.deadline(10s), kStart + 10s);
  EXPECT_TRUE(scheduler.on_deadline(kStart + 10s, 10s, true, false));
  scheduler.light_sweep_done(kStart + 10s, 10s);
  EXPECT_EQ(scheduler.deadline(10s), kStart + 20s);
}

TEST(SweepScheduler, APortThatIsDownIsQueriedEverySecondEvenWithoutLightSweeps) {
  SweepScheduler scheduler = settled();
  EXPECT_EQ(scheduler.deadline(0s), mad::TimePoint::max());
  for (unsigned i = 0; i < 5; ++i) scheduler.port_is_down(kStart);
  EXPECT_EQ(scheduler.deadline(0s), kStart + 1s);
  EXPECT_FALSE(scheduler.on_deadline(kStart + 1h, 10s, true, false));
  EXPECT_EQ(scheduler.take_sweep(true).why, "the port was down");
}

TEST(SweepScheduler, NodesThatLeftRequestsWithoutAResponseAreReadAgainWithGrowingPauses) {
  SweepScheduler scheduler = settled();
  sm::UnreadNodes& unread = scheduler.unread();
  mad::TimePoint now = kStart;
  std::vector<mad::Duration> pauses;
  unread.note_all(std::vector{kA}, now);
  for (unsigned i = 0; i < 8; ++i) {
    pauses.push_back(unread.next() - now);
    EXPECT_THAT(unread.take_due(now), testing::IsEmpty());
    EXPECT_THAT(unread.waiting(now), ElementsAre(kA));
    now = unread.next();
    EXPECT_THAT(unread.waiting(now), testing::IsEmpty());
    EXPECT_THAT(unread.take_due(now), ElementsAre(kA));
    unread.note(std::vector{kA}, std::vector{kA}, now);
  }
  EXPECT_THAT(pauses, ElementsAre(1s, 2s, 4s, 8s, 16s, 30s, 30s, 30s));
  unread.note({}, std::vector{kA}, now);
  EXPECT_EQ(unread.next(), mad::TimePoint::max()) << "it answered";
}

TEST(SweepScheduler, ALightSweepForUnreadNodesPutsNothingOff) {
  SweepScheduler scheduler = settled();
  const mad::TimePoint deadline = scheduler.deadline(10s);
  scheduler.unread().note_all(std::vector{kA}, deadline - 5s);
  EXPECT_EQ(scheduler.deadline(10s), deadline - 4s);
  EXPECT_EQ(scheduler.deadline(0s), deadline - 4s) << "even without light sweeps";
  EXPECT_TRUE(scheduler.on_deadline(deadline - 4s, 10s, true, true)) << "no sweep of everything";
  EXPECT_THAT(scheduler.unread().take_due(deadline - 4s), ElementsAre(kA));
  scheduler.light_sweep_done(deadline - 4s, 10s);
  EXPECT_EQ(scheduler.deadline(10s), deadline - 2s);
  scheduler.unread().note_all({}, deadline - 2s);
  EXPECT_EQ(scheduler.deadline(10s), deadline);
  scheduler.light_sweep_done(deadline, 10s);
  EXPECT_EQ(scheduler.deadline(10s), deadline + 10s);
  EXPECT_FALSE(scheduler.on_deadline(deadline + 10s, 10s, true, true)) << "force_heavy_sweep";
  EXPECT_TRUE(scheduler.take_sweep(true).everything);
}

TEST(SweepScheduler, GroupsThatWereNotWrittenAreTriedAgainSoon) {
  SweepScheduler scheduler = settled();
  scheduler.groups_done(false, kStart + 2s);
  EXPECT_EQ(scheduler.deadline(10s), kStart + 3s);
  EXPECT_FALSE(scheduler.on_deadline(kStart + 3s, 10s, true, false));
  EXPECT_EQ(scheduler.next(), Action::program_groups);
}

TEST(SweepScheduler, GroupsThatFailAgainAndAgainDelayNoSweep) {
  SweepScheduler scheduler = settled();
  scheduler.sweep_failed(kStart);
  unsigned sweeps = 0, groups = 0;
  for (mad::TimePoint now = kStart; now < kStart + 10min;) {
    scheduler.on_deadline(now, 10s, true, false);
    if (scheduler.next() == Action::sweep) {
      (void)scheduler.take_sweep(true);
      ++sweeps;
      scheduler.sweep_failed(now);
    } else if (scheduler.take_groups()) {
      ++groups;
    }
    scheduler.groups_done(false, now);
    now = std::max(now + 1ms, scheduler.deadline(10s));
  }
  EXPECT_GE(sweeps, 15u) << "one in 30 s";
  EXPECT_LE(groups, 50u);
}

TEST(SweepScheduler, TrapsRequestAtMostOneLightSweepInASecond) {
  SweepScheduler scheduler = settled();
  scheduler.request_light_sweep(kStart);
  EXPECT_EQ(scheduler.deadline(0s), kStart) << "without periodic ones, too";
  EXPECT_TRUE(scheduler.on_deadline(kStart, 10s, true, false));
  scheduler.light_sweep_done(kStart, 0s);
  EXPECT_EQ(scheduler.deadline(0s), mad::TimePoint::max());
  scheduler.request_light_sweep(kStart + 1ms);
  EXPECT_EQ(scheduler.deadline(0s), kStart + SweepScheduler::kTrapPause);
  EXPECT_TRUE(scheduler.on_deadline(kStart + 1s, 10s, true, false));
  scheduler.sweep_failed(kStart);
  scheduler.request_light_sweep(kStart + 2s);
  EXPECT_EQ(scheduler.deadline(10s), kStart + 1s) << "does not shorten the pause after errors";
}

TEST(SweepScheduler, ChecksOfNodesAreCollectedForASecond) {
  SweepScheduler scheduler = settled();
  EXPECT_TRUE(scheduler.request_check(kA, kStart));
  EXPECT_FALSE(scheduler.request_check(kB, kStart + 500ms));
  EXPECT_FALSE(scheduler.request_check(kA, kStart + 600ms));
  EXPECT_EQ(scheduler.next(), Action::rest);
  EXPECT_EQ(scheduler.deadline(0s), kStart + SweepScheduler::kTrapPause);
  EXPECT_FALSE(scheduler.on_deadline(kStart + 1s, 10s, true, false)) << "no light sweep";
  EXPECT_EQ(scheduler.next(), Action::read_single);
  EXPECT_THAT(scheduler.take_reads(kStart + 1s).states, ElementsAre(kA, kB));
  EXPECT_EQ(scheduler.next(), Action::rest);
  scheduler.request_description(kB);
  scheduler.request_manager(kA);
  EXPECT_EQ(scheduler.next(), Action::read_single);
  const sm::SingleReads reads = scheduler.take_reads(kStart + 1s);
  EXPECT_THAT(reads.descriptions, ElementsAre(kB));
  EXPECT_THAT(reads.managers, ElementsAre(kA));
  EXPECT_THAT(reads.states, IsEmpty());
}

TEST(SweepScheduler, PKeyTablesAreReadAtOnceAndThenOnceASecond) {
  SweepScheduler scheduler = settled();
  EXPECT_TRUE(scheduler.request_p_key_check({.port = kA}, kStart));
  EXPECT_FALSE(scheduler.request_p_key_check({.port = kA, .vport = std::uint16_t{7}}, kStart));
  ASSERT_EQ(scheduler.next(), Action::read_single);
  EXPECT_THAT(scheduler.take_reads(kStart).p_keys,
              ElementsAre(sm::PKeyCheck{.port = kA, .vport = std::uint16_t{7}}));
  // However many ports request it until then, and whatever else is read.
  EXPECT_TRUE(scheduler.request_p_key_check({.port = kB}, kStart + 1ms));
  EXPECT_FALSE(scheduler.request_p_key_check({.port = kA}, kStart + 2ms));
  EXPECT_EQ(scheduler.next(), Action::rest);
  scheduler.request_description(kA);
  ASSERT_EQ(scheduler.next(), Action::read_single);
  EXPECT_THAT(scheduler.take_reads(kStart + 3ms).p_keys, IsEmpty());
  EXPECT_EQ(scheduler.deadline(0s), kStart + SweepScheduler::kTrapPause);
  EXPECT_FALSE(scheduler.on_deadline(kStart + 1s, 10s, true, false)) << "no light sweep";
  ASSERT_EQ(scheduler.next(), Action::read_single);
  EXPECT_THAT(scheduler.take_reads(kStart + 1s).p_keys,
              ElementsAre(sm::PKeyCheck{.port = kB}, sm::PKeyCheck{.port = kA}));
  EXPECT_EQ(scheduler.next(), Action::rest);
}

TEST(SweepScheduler, PortsThatRequestPKeyChecksWithoutPauseKeepNoOtherFromItsTurn) {
  SweepScheduler scheduler = settled();
  constexpr std::size_t kFlooding = 2 * SweepScheduler::kPKeyChecksMax;
  constexpr mad::Guid kLast{kFlooding + 1};
  mad::TimePoint now = kStart;
  scheduler.request_p_key_check({.port = kLast}, now);
  unsigned seconds = 0;
  for (bool is_read = false; !is_read && seconds < 10; ++seconds, now += 1s) {
    for (std::uint64_t port = 1; port <= kFlooding; ++port)
      scheduler.request_p_key_check({.port = mad::Guid{port}}, now);
    if (now >= scheduler.deadline(0s)) scheduler.on_deadline(now, 0s, true, false);
    ASSERT_EQ(scheduler.next(), Action::read_single);
    const std::vector<sm::PKeyCheck> taken = scheduler.take_reads(now).p_keys;
    EXPECT_EQ(taken.size(), SweepScheduler::kPKeyChecksMax);
    is_read = std::ranges::find(taken, kLast, &sm::PKeyCheck::port) != taken.end();
  }
  EXPECT_EQ(seconds, 3u);
}

TEST(AuditPace, DistributesAPassOverItsInterval) {
  sm::AuditPace pace;
  mad::TimePoint now = kStart;
  EXPECT_EQ(pace.due(0s), mad::TimePoint::max());
  EXPECT_LE(pace.due(1h), now);
  ASSERT_TRUE(pace.begins(now, 1h));
  pace.begin(now, 1h, 360'000);
  EXPECT_EQ(pace.due(1h), now + 1280ms) << "100 a second, in bursts of 128";
  now = pace.due(1h);
  EXPECT_FALSE(pace.begins(now, 1h));
  EXPECT_EQ(pace.take(now), 128u);
  EXPECT_EQ(pace.due(1h), now + 1280ms);
  pace.pass_is_over(now);
  EXPECT_EQ(pace.due(1h), kStart + 1h);
  EXPECT_TRUE(pace.begins(kStart + 1h, 1h));
  EXPECT_LE(pace.due(10s), now) << "SIGHUP with another interval begins a new pass";
  pace.begin(now, 10s, 5);
  EXPECT_EQ(pace.due(10s), now + 2s);
  EXPECT_EQ(pace.take(now), 1u);
  pace.begin(now, 1s, 1'000'000);
  EXPECT_EQ(pace.take(now), 50u) << "500 SMPs per second";
  pace.begin(now, 1h, 7200);
  EXPECT_EQ(pace.take(now), 20u);
  EXPECT_EQ(pace.due(1h), now + 10s) << "a small fabric: six bursts a minute";
}

TEST(TrapQueue, HoldsTrapsDuringASweepUpToABound) {
  sm::TrapQueue queue;
  EXPECT_FALSE(queue.is_holding());
  queue.hold();
  for (std::size_t i = 0; i < sm::TrapQueue::kHeldMax; ++i)
    EXPECT_TRUE(queue.keep({}, mad::Lid{static_cast<std::uint16_t>(i)}, {}));
  EXPECT_TRUE(queue.keep({}, mad::Lid{1}, {})) << "a repeat";
  EXPECT_FALSE(queue.keep({}, mad::Lid{5000}, {}));
  const auto held = queue.release();
  ASSERT_EQ(held.size(), sm::TrapQueue::kHeldMax);
  EXPECT_EQ(held[7].issuer, mad::Lid{7}) << "by issuer";
  EXPECT_FALSE(queue.is_holding());
  EXPECT_THAT(queue.release(), IsEmpty());
}

TEST(AuditPace, ARequestedPassBeginsThenAndIsFast) {
  constexpr mad::TimePoint start = mad::TimePoint{} + 10h;
  sm::AuditPace pace;
  pace.begin(start, 1h, 3600);
  pace.request_pass(start + 500ms);
  EXPECT_EQ(pace.due(1h), start + 500ms);
  EXPECT_EQ(pace.due(0s), mad::TimePoint::max()) << "there is no audit";
  EXPECT_FALSE(pace.begins(start + 499ms, 1h));
  ASSERT_TRUE(pace.begins(start + 500ms, 1h));
  pace.begin(start + 500ms, 1h, 3600);
  EXPECT_FALSE(pace.begins(start + 500ms, 1h)) << "once";
  EXPECT_EQ(pace.due(1h), start + 500ms + 256ms);
  EXPECT_EQ(pace.take(start + 756ms), 128u) << "500 a second";
}

}  // namespace sweep_scheduler_test
