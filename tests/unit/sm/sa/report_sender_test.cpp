#include "sm/sa/report_sender.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/sm/sa/wire.h"

namespace report_sender_test {

using namespace sa_tests;

struct Bench {
  sim::VirtualRuntime runtime;
  Wire wire;
  std::map<std::uint64_t, int> delivered, given_up, dropped;
  sa::ReportSender reports;

  explicit Bench(const sa::ReportSender::Limits& limits = {})
      : reports(
            runtime, wire,
            [this](std::uint64_t subscription, sa::ReportSender::End end) {
              auto& ended = end == sa::ReportSender::End::delivered  ? delivered
                            : end == sa::ReportSender::End::given_up ? given_up
                                                                     : dropped;
              ++ended[subscription];
            },
            limits) {}

  /// To a vport at the port with this LID.
  void send_to_vport(unsigned lid, mad::Guid vport, std::uint64_t subscription) {
    reports.send({},
                 {.lid = mad::Lid{static_cast<std::uint16_t>(lid)},
                  .qpn = 1,
                  .qkey = 0x80010000,
                  .grh = mad::GlobalRoute{.peer = {1, vport}, .hop_limit = 2}},
                 {mad::Guid{lid}, vport}, subscription);
  }
  void send(unsigned lid, std::uint64_t subscription, std::uint8_t mark = 0) {
    sa::ReportedNotice notice{};
    notice[79] = mark;
    reports.send(notice,
                 {.lid = mad::Lid{static_cast<std::uint16_t>(lid)}, .qpn = 1, .qkey = 0x80010000},
                 mad::Guid{lid}, subscription);
  }
};

TEST(ReportSender, AnAcknowledgedReportIsSentOnce) {
  Bench bench;
  bench.send(5, 42, 0xAB);
  ASSERT_EQ(bench.wire.sent.size(), 1u);
  const auto& sent = bench.wire.sent.front();
  EXPECT_EQ(sent.mad().method(), mad::Method::report);
  EXPECT_EQ(sent.mad().mgmt_class(), mad::MgmtClass::sa);
  EXPECT_EQ(static_cast<unsigned>(sent.mad().attribute_id()), 2u);
  EXPECT_EQ(sent.mad().data()[79], 0xAB);
  EXPECT_EQ(sent.to.lid.value, 5);
  EXPECT_TRUE(bench.reports.on_mad(back(sent)));
  bench.runtime.run_for(1min);
  EXPECT_EQ(bench.wire.sent.size(), 1u);
  EXPECT_EQ(bench.delivered[42], 1);
  EXPECT_FALSE(bench.reports.on_mad(back(sent))) << "a second acknowledgement matches no report";
}

TEST(ReportSender, UnacknowledgedReportsAreRepeatedAndGivenUp) {
  Bench bench;
  bench.send(5, 42);
  bench.runtime.run_for(1min);
  EXPECT_EQ(bench.wire.sent.size(), 4u);
  std::set<std::uint64_t> transactions;
  for (const auto& sent : bench.wire.sent) transactions.insert(sent.mad().transaction_id());
  EXPECT_EQ(transactions.size(), 4u) << "the kernel refuses a transaction that is still open";
  EXPECT_EQ(bench.given_up[42], 1);
  EXPECT_EQ(bench.reports.in_flight(), 0u);
}

TEST(ReportSender, ALateAcknowledgementOfAnyAttemptCounts) {
  for (std::size_t attempt = 0; attempt < 3; ++attempt) {
    Bench bench;
    bench.send(5, 42);
    bench.runtime.run_for(1100ms);  // two more attempts
    ASSERT_EQ(bench.wire.sent.size(), 3u);
    for (std::size_t sent = 0; sent < 3; ++sent)
      EXPECT_EQ(bench.wire.sent[sent].timeout_ms, 2050 - 500 * static_cast<int>(sent))
          << "the kernel takes a response until the last attempt is over";
    EXPECT_TRUE(bench.reports.on_mad(back(bench.wire.sent[attempt])));
    EXPECT_EQ(bench.delivered[42], 1);
    bench.runtime.run_for(1min);
    EXPECT_EQ(bench.wire.sent.size(), 3u);
  }
}

/// It takes 900 ms for each: the first report is repeated, later ones wait as long as it takes.
TEST(ReportSender, ASlowSubscriberGetsEachReportOnceWhenItsTimeIsKnown) {
  Bench bench;
  std::vector<std::size_t> attempts;
  for (std::uint64_t number = 0; number < 10; ++number) {
    const std::size_t before = bench.wire.sent.size();
    bench.send(5, number);
    bench.runtime.run_for(900ms);
    EXPECT_TRUE(bench.reports.on_mad(back(bench.wire.sent.at(before))));
    attempts.push_back(bench.wire.sent.size() - before);
    EXPECT_EQ(bench.delivered[number], 1);
  }
  EXPECT_EQ(attempts.front(), 2u);
  for (std::size_t number = 1; number < attempts.size(); ++number)
    EXPECT_EQ(attempts[number], 1u) << number;

  // It stops answering: its reports end within the bound of five usual timeouts an attempt.
  const std::size_t before = bench.wire.sent.size();
  bench.send(5, 99);
  bench.send(6, 100);
  bench.runtime.run_for(501ms);
  EXPECT_EQ(bench.wire.sent.size(), before + 3) << "another subscriber has the usual time";
  bench.runtime.run_for(4 * 2500ms);
  EXPECT_EQ(bench.given_up[99], 1);

  // It answers at once again.
  for (std::uint64_t number = 200; number < 240; ++number) {
    bench.send(5, number);
    EXPECT_TRUE(bench.reports.on_mad(back(bench.wire.sent.back())));
  }
  const std::size_t quick = bench.wire.sent.size();
  bench.send(5, 300);
  bench.runtime.run_for(501ms);
  EXPECT_EQ(bench.wire.sent.size(), quick + 2);
}

TEST(ReportSender, AnAcknowledgementOfAnAttemptThatWasNotMadeIsIgnored) {
  Bench bench;
  bench.send(5, 42);
  mad::ReceivedMad early = back(bench.wire.sent.front());
  mad::MadView mad{std::span<std::uint8_t, mad::kMadBytes>(early.bytes)};
  mad.set_transaction_id(mad.transaction_id() + 1);
  EXPECT_FALSE(bench.reports.on_mad(early));
}

TEST(ReportSender, WhatWaitsForASubscriberFollowsItsLid) {
  Bench bench;
  const auto send_to = [&](std::uint16_t lid, std::uint64_t subscription) {
    bench.reports.send({}, {.lid = mad::Lid{lid}, .qpn = 1, .qkey = 0x80010000}, mad::Guid{7},
                       subscription);
  };
  bench.wire.on_send = [&](const Wire::Sent& sent) {
    if (sent.to.lid.value == 20)
      bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
  };
  for (std::uint64_t number = 1; number <= 20; ++number) send_to(10, number);
  bench.runtime.run_for(100ms);
  send_to(20, 21);
  bench.runtime.run_for(1s);
  for (std::uint64_t number = 1; number <= 21; ++number) EXPECT_EQ(bench.delivered[number], 1);
}

TEST(ReportSender, AcknowledgementsOfOtherPortsAreIgnored) {
  Bench bench;
  bench.send(5, 42);
  mad::ReceivedMad lie = back(bench.wire.sent.front());
  lie.from.lid = mad::Lid{6};
  EXPECT_FALSE(bench.reports.on_mad(lie));
  EXPECT_TRUE(bench.delivered.empty());
}

TEST(ReportSender, ASilentSubscriberDelaysNoOther) {
  Bench bench;
  bench.wire.on_send = [&](const Wire::Sent& sent) {
    if (sent.to.lid.value == 1) return;
    bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
  };
  for (int i = 0; i < 1000; ++i) bench.send(1, 1);
  for (unsigned lid = 2; lid < 502; ++lid) bench.send(lid, lid);
  bench.runtime.run_for(100ms);
  for (unsigned lid = 2; lid < 502; ++lid) EXPECT_EQ(bench.delivered[lid], 1) << lid;
  EXPECT_EQ(bench.reports.in_flight(), 4u) << "no more than the bound per subscriber";
  bench.runtime.run_for(24h);
  EXPECT_EQ(bench.given_up[1], 1000);
  EXPECT_EQ(bench.reports.waiting(), 0u);
}

TEST(ReportSender, SendsNoMoreThanItsRateAfterABurst) {
  Bench bench;
  bench.wire.on_send = [&](const Wire::Sent& sent) {
    bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
  };
  bench.runtime.run_for(1s);
  for (unsigned i = 0; i < 5000; ++i) bench.send(1 + i % 100, i);
  bench.runtime.run_for(100ms);
  EXPECT_GE(bench.wire.sent.size(), 1000u);
  EXPECT_LE(bench.wire.sent.size(), 1000u + 256u);
  bench.runtime.run_for(500ms);
  EXPECT_EQ(bench.wire.sent.size(), 5000u) << "none is lost";
  EXPECT_EQ(bench.delivered.size(), 5000u);
}

/// A report for a full queue is dropped at once, and no queued one.
TEST(ReportSender, DropsAndCountsReportsAboveTheBound) {
  Bench bench({.waiting = {.total = 10, .per_port = 10, .few = 10}});
  for (std::uint64_t i = 0; i < 20; ++i)
    bench.send(1, i, static_cast<std::uint8_t>(i));  // 4 in flight, 10 queued, 6 dropped
  EXPECT_EQ(bench.reports.in_flight(), 4u);
  EXPECT_EQ(bench.reports.waiting(), 10u);
  EXPECT_EQ(bench.reports.statistics().dropped, 6u);
  const std::map<std::uint64_t, int> last{{14, 1}, {15, 1}, {16, 1}, {17, 1}, {18, 1}, {19, 1}};
  EXPECT_EQ(bench.dropped, last);
  EXPECT_TRUE(bench.delivered.empty() && bench.given_up.empty());
  // Another subscriber's report is dropped, too, until one has been sent.
  bench.send(2, 20);
  EXPECT_EQ(bench.dropped[20], 1);
  ASSERT_EQ(bench.wire.sent.size(), 4u);
  EXPECT_TRUE(bench.reports.on_mad(back(bench.wire.sent[1])));
  EXPECT_EQ(bench.delivered, (std::map<std::uint64_t, int>{{1, 1}}));
  bench.send(2, 21);
  EXPECT_EQ(bench.reports.statistics().dropped, 7u);
  // Each of the others has one outcome, too, in the order of send().
  bench.wire.on_send = [&](const Wire::Sent& sent) {
    bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
  };
  bench.runtime.run_for(1min);
  std::map<std::uint64_t, int> others{{21, 1}};
  for (std::uint64_t i = 0; i < 14; ++i) others[i] = 1;
  EXPECT_EQ(bench.delivered, others);
  EXPECT_TRUE(bench.given_up.empty());
  EXPECT_EQ(bench.dropped.size(), 7u);
  EXPECT_EQ(bench.reports.waiting() + bench.reports.in_flight(), 0u);
  EXPECT_EQ(bench.wire.sent.back().mad().data()[79], 13) << "the last one that was queued";
}

TEST(ReportSender, OneSubscriberFillsNoMoreThanItsShareOfTheQueue) {
  Bench bench({.waiting = {.total = 20, .per_port = 10, .few = 20}});
  for (std::uint64_t i = 0; i < 100; ++i) bench.send(1, 1);
  EXPECT_EQ(bench.reports.waiting(), 10u);
  EXPECT_EQ(bench.dropped[1], 86);
  bench.send(2, 2);
  EXPECT_EQ(bench.dropped[2], 0);
}

/// Each silent subscriber has more reports than it may have in flight.
TEST(ReportSender, ReportsOfOthersDoNotWaitForManySilentSubscribers) {
  for (const unsigned silent : {16u, 100u}) {
    SCOPED_TRACE(silent);
    Bench bench;
    constexpr unsigned kHonest = 1000;
    bench.wire.on_send = [&](const Wire::Sent& sent) {
      if (sent.to.lid.value == kHonest)
        bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
    };
    for (unsigned i = 0; i < 50; ++i)
      for (unsigned lid = 1; lid <= silent; ++lid) bench.send(lid, lid);
    bench.runtime.run_for(10s);
    for (unsigned i = 0; i < 20; ++i) bench.send(kHonest, kHonest);
    bench.runtime.run_for(100ms);
    EXPECT_EQ(bench.delivered[kHonest], 20);
    EXPECT_LE(bench.reports.in_flight(), sa::ReportSender::Limits{}.late);
    bench.runtime.run_for(24h);
    for (unsigned lid = 1; lid <= silent; ++lid) EXPECT_EQ(bench.given_up[lid], 50) << lid;
  }
}

TEST(ReportSender, SilentSubscribersLeavePlacesInTheQueueToOthers) {
  Bench bench;
  for (unsigned lid = 1; lid <= 4; ++lid)
    for (unsigned i = 0; i < 20'000; ++i) bench.send(lid, lid);
  EXPECT_GT(bench.dropped[1], 0);
  for (unsigned lid = 100; lid < 200; ++lid)
    for (unsigned i = 0; i < 100; ++i) bench.send(lid, lid);
  for (unsigned lid = 100; lid < 200; ++lid) EXPECT_EQ(bench.dropped[lid], 0) << lid;
}

TEST(ReportSender, ASubscriberThatAcknowledgesAgainHasAsManyReportsInFlightAsBefore) {
  Bench bench;
  for (std::uint64_t number = 1; number <= 20; ++number) bench.send(5, number);
  bench.runtime.run_for(600ms);
  EXPECT_EQ(bench.reports.in_flight(), 4u) << "what was sent before it was late";
  ASSERT_TRUE(bench.reports.on_mad(back(bench.wire.sent.back())));
  EXPECT_EQ(bench.reports.in_flight(), 4u);
  bench.wire.on_send = [&](const Wire::Sent& sent) {
    bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
  };
  bench.runtime.run_for(2s);
  EXPECT_EQ(bench.delivered.size(), 20u);
}

TEST(ReportSender, VportsOfOnePortShareItsPartOfWhatIsInFlight) {
  Bench bench;
  constexpr std::uint64_t kVports = 20;
  for (std::uint64_t i = 0; i < 10 * kVports; ++i)
    bench.send_to_vport(1, mad::Guid{100 + i % kVports}, 1000 + i % kVports);
  EXPECT_EQ(bench.reports.in_flight(), 4u);
  bench.send(2, 2);
  EXPECT_EQ(bench.wire.sent.back().to.lid.value, 2) << "no report of another port waits for theirs";
  std::map<mad::Guid, int> first;
  for (const auto& sent : bench.wire.sent)
    if (sent.to.grh) ++first[sent.to.grh->peer.guid];
  EXPECT_EQ(first.size(), 4u) << "each vport in its turn";
  // One acknowledges nothing: it delays the others, and takes no report from them.
  bench.wire.on_send = [&](const Wire::Sent& sent) {
    if (sent.to.grh && sent.to.grh->peer.guid != mad::Guid{100})
      bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
  };
  bench.runtime.run_for(1min);
  EXPECT_EQ(bench.given_up, (std::map<std::uint64_t, int>{{2, 1}, {1000, 10}}));
  for (std::uint64_t i = 1; i < kVports; ++i) EXPECT_EQ(bench.delivered[1000 + i], 10) << i;
  EXPECT_EQ(bench.reports.in_flight() + bench.reports.waiting(), 0u);
}

TEST(ReportSender, AVportIsAcknowledgedByItselfOnly) {
  Bench bench;
  bench.send_to_vport(1, mad::Guid{100}, 7);
  mad::ReceivedMad ack = back(bench.wire.sent.front());
  ack.from.grh->peer.guid = mad::Guid{101};
  EXPECT_FALSE(bench.reports.on_mad(ack)) << "another vport with the same LID";
  ack.from.grh = std::nullopt;
  EXPECT_FALSE(bench.reports.on_mad(ack)) << "its physical port";
  EXPECT_TRUE(bench.reports.on_mad(back(bench.wire.sent.front())));
  EXPECT_EQ(bench.delivered[7], 1);
}

TEST(ReportSender, AfterClearNothingIsSentAndNoOutcomeFollows) {
  Bench bench;
  for (std::uint64_t i = 0; i < 8; ++i) bench.send(1, i);
  const std::size_t sent = bench.wire.sent.size();
  bench.reports.clear();
  bench.runtime.run_for(1min);
  EXPECT_EQ(bench.wire.sent.size(), sent);
  EXPECT_FALSE(bench.reports.on_mad(back(bench.wire.sent.front())));
  EXPECT_TRUE(bench.delivered.empty() && bench.given_up.empty() && bench.dropped.empty());
}

}  // namespace report_sender_test
