#include "sim/umad/transactions.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "sim/umad/agent_table.h"
#include "support/seeds.h"

namespace pending_requests_test {

using namespace std::chrono_literals;
using sim::umad::Agent;
using sim::umad::PendingRequests;
using Clock = PendingRequests::Clock;

const Clock::time_point kStart{};

PendingRequests::Request request(std::uint64_t transaction, std::chrono::milliseconds timeout,
                                 Agent* agent = nullptr) {
  PendingRequests::Request out;
  out.key = {.transaction = transaction, .mgmt_class = mad::MgmtClass::sm_directed};
  out.agent = agent;
  out.timeout = timeout;
  return out;
}

TEST(UmadPending, TheTop16BitsOfATransactionDoNotCount) {
  std::array<std::uint8_t, 256> mad{};
  mad[1] = 0x81;
  for (unsigned i = 8; i < 16; ++i) mad[i] = static_cast<std::uint8_t>(i);
  const auto sent = PendingRequests::make_key(mad);
  mad[8] = 0xAA;
  mad[9] = 0xBB;
  EXPECT_EQ(PendingRequests::make_key(mad), sent);
  mad[10] = 0xCC;
  EXPECT_NE(PendingRequests::make_key(mad), sent);
}

TEST(UmadPending, ARequestIsDueAgainAfterAnotherTimeout) {
  PendingRequests pending;
  pending.add(request(1, 100ms), kStart);
  EXPECT_EQ(pending.deadline(), kStart + 100ms);
  EXPECT_EQ(pending.next_due(kStart + 99ms), nullptr);
  ASSERT_NE(pending.next_due(kStart + 100ms), nullptr);
  EXPECT_EQ(pending.next_due(kStart + 100ms), nullptr);
  EXPECT_EQ(pending.deadline(), kStart + 200ms);
  pending.remove(request(1, 100ms).key);
  EXPECT_EQ(pending.deadline(), std::nullopt);
}

TEST(UmadPending, ExtensionRestartsTheTimeout) {
  PendingRequests pending;
  pending.add(request(1, 100ms), kStart);
  pending.add(request(2, 100ms), kStart);
  pending.extend(*pending.find(request(1, 100ms).key), kStart + 50ms);
  EXPECT_EQ(pending.next_due(kStart + 100ms)->key.transaction, 2u);
  EXPECT_EQ(pending.next_due(kStart + 100ms), nullptr);
  EXPECT_EQ(pending.next_due(kStart + 150ms)->key.transaction, 1u);
}

TEST(UmadPending, RemovalOfAnAgentRemovesItsRequests) {
  PendingRequests pending;
  Agent a, b;
  pending.add(request(1, 100ms, &a), kStart);
  pending.add(request(2, 100ms, &b), kStart);
  pending.remove_all_of(a);
  EXPECT_EQ(pending.find(request(1, 100ms).key), nullptr);
  EXPECT_NE(pending.find(request(2, 100ms).key), nullptr);
}

TEST(UmadPendingProperty, EveryRequestIsDueExactlyAtItsTimeout) {
  seeds::for_each(50, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    PendingRequests pending;
    std::map<std::uint64_t, Clock::time_point> model;
    Clock::time_point now = kStart;
    for (std::uint64_t id = 0; id < 3'000; ++id) {
      const auto timeout =
          std::chrono::milliseconds(1 + random() % (random() % 4 == 0 ? 1'000 : 5));
      pending.add(request(id, timeout), now);
      model[id] = now + timeout;
      if (random() % 3 == 0 && !model.empty()) {
        const auto victim =
            std::next(model.begin(), static_cast<std::ptrdiff_t>(
                                         random() % std::min<std::size_t>(model.size(), 20)))
                ->first;
        pending.remove(request(victim, 0ms).key);
        model.erase(victim);
      }
      now += std::chrono::milliseconds(random() % 3);
      while (const auto* due = pending.next_due(now)) {
        const std::uint64_t transaction = due->key.transaction;
        ASSERT_TRUE(model.contains(transaction));
        ASSERT_LE(model[transaction], now);
        model.erase(transaction);
        pending.remove(PendingRequests::Key(due->key));
      }
      for (const auto& [transaction, deadline] : model) ASSERT_GT(deadline, now);
    }
  });
}

}  // namespace pending_requests_test
