#include "sm/sa/report_sender.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/sm/sa/administrator/wire.h"

namespace {

using namespace sa_tests;

struct Bench {
  sim::VirtualRuntime runtime;
  Wire wire;
  std::map<std::uint64_t, int> delivered, given_up;
  sa::ReportSender reports{runtime, wire, [this](std::uint64_t subscription, bool ok) {
                             ++(ok ? delivered : given_up)[subscription];
                           }};

  void send(unsigned lid, std::uint64_t subscription, std::uint8_t mark = 0) {
    sa::ReportedNotice notice{};
    notice[79] = mark;
    reports.send(notice,
                 {.lid = mad::Lid{static_cast<std::uint16_t>(lid)}, .qpn = 1, .qkey = 0x80010000},
                 subscription);
  }
};

TEST(ReportSender, AnAnsweredReportIsSentOnce) {
  Bench bench;
  bench.send(5, 42, 0xAB);
  ASSERT_EQ(bench.wire.sent.size(), 1u);
  const auto& sent = bench.wire.sent.front();
  EXPECT_EQ(sent.mad().method(), mad::Method::report);
  EXPECT_EQ(sent.mad().mgmt_class(), mad::MgmtClass::sa);
  EXPECT_EQ(static_cast<unsigned>(sent.mad().attribute_id()), 2u);
  EXPECT_EQ(sent.mad().transaction_id(), 0x02DAB001u);
  EXPECT_EQ(sent.mad().data()[79], 0xAB);
  EXPECT_EQ(sent.to.lid.value, 5);
  EXPECT_TRUE(bench.reports.on_mad(back(sent)));
  bench.runtime.run_for(1min);
  EXPECT_EQ(bench.wire.sent.size(), 1u);
  EXPECT_EQ(bench.delivered[42], 1);
  EXPECT_FALSE(bench.reports.on_mad(back(sent))) << "a second answer is nobody's";
}

TEST(ReportSender, SilenceIsAskedAgainAndGivenUp) {
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

TEST(ReportSender, AnotherPortsAnswerCountsForNothing) {
  Bench bench;
  bench.send(5, 42);
  mad::ReceivedMad lie = back(bench.wire.sent.front());
  lie.from.lid = mad::Lid{6};
  EXPECT_FALSE(bench.reports.on_mad(lie));
  EXPECT_TRUE(bench.delivered.empty());
}

TEST(ReportSender, ASilentSubscriberHoldsUpNobodyElse) {
  Bench bench;
  bench.wire.on_send = [&](const Wire::Sent& sent) {
    if (sent.to.lid.value == 1) return;
    bench.runtime.after(1us, [&bench, sent] { bench.reports.on_mad(back(sent)); });
  };
  for (int i = 0; i < 1000; ++i) bench.send(1, 1);
  for (unsigned lid = 2; lid < 502; ++lid) bench.send(lid, lid);
  bench.runtime.run_for(100ms);
  for (unsigned lid = 2; lid < 502; ++lid) EXPECT_EQ(bench.delivered[lid], 1) << lid;
  EXPECT_EQ(bench.reports.in_flight(), 4u) << "no more than its share";
  bench.runtime.run_for(24h);
  EXPECT_EQ(bench.given_up[1], 1000);
  EXPECT_EQ(bench.reports.waiting(), 0u);
}

TEST(ReportSender, WhatCannotBeKeptIsDroppedAndCounted) {
  sim::VirtualRuntime runtime;
  Wire wire;
  sa::ReportSender reports(runtime, wire, [](std::uint64_t, bool) {}, {.waiting = 10});
  for (int i = 0; i < 20; ++i) reports.send({}, {.lid = mad::Lid{1}, .qpn = 1}, 1);
  EXPECT_EQ(reports.in_flight(), 4u);
  EXPECT_EQ(reports.waiting(), 10u);
  EXPECT_EQ(reports.dropped(), 6u);
}

}  // namespace
