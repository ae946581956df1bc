#include "mad/transaction_table.h"

#include <gtest/gtest.h>

#include <set>

#include "mad/rate_limit.h"
#include "sim/world/virtual_runtime.h"

namespace transaction_table_test {

using namespace std::chrono_literals;
using Table = mad::TransactionTable<mad::Transaction>;

/// As a client that sends the next attempt.
std::uint32_t send(Table& table, std::uint32_t index) {
  const std::uint32_t id = table.next_id(index);
  ++table[index].attempts;
  return id;
}

TEST(TransactionTable, AResponseToAnyAttemptFindsItsRequest) {
  sim::VirtualRuntime runtime;
  Table table(runtime);
  const std::uint32_t index = table.open();
  std::set<std::uint32_t> ids;
  std::vector<std::uint32_t> sent;
  for (unsigned attempt = 0; attempt <= mad::Transaction::kAttemptMask; ++attempt)
    sent.push_back(send(table, index));
  for (unsigned attempt = 0; attempt < sent.size(); ++attempt) {
    EXPECT_TRUE(ids.insert(sent[attempt]).second) << "the kernel refuses an id that is open";
    // The upper half of the transaction id is the kernel's.
    const auto found = table.find(0xABCD'0000'0000'0000u | sent[attempt]);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->index, index);
    EXPECT_EQ(found->attempt, attempt);
  }
  // More attempts than ids: the response counts for the latest one with the id.
  EXPECT_EQ(send(table, index), sent[0]);
  EXPECT_EQ(table.find(sent[0])->attempt, mad::Transaction::kAttemptMask + 1);
}

TEST(TransactionTable, AResponseToAnEarlierUseOfASlotFindsNothing) {
  sim::VirtualRuntime runtime;
  Table table(runtime);
  const std::uint32_t first = table.open();
  const std::uint32_t id = send(table, first);
  table.close(first);
  EXPECT_FALSE(table.find(id));
  for (unsigned use = 0; use < 1000; ++use) {
    ASSERT_EQ(table.open(), first) << "slots are used again";
    ASSERT_NE(send(table, first), id);
    ASSERT_FALSE(table.find(id));
    table.close(first);
  }
  EXPECT_EQ(table.open_count(), 0u);
  EXPECT_FALSE(table.find(first + 1)) << "a slot that never was";
}

TEST(TransactionTable, RequestsAreInTheOrderOfTheirDeadlines) {
  sim::VirtualRuntime runtime;
  Table table(runtime);
  std::vector<std::uint32_t> open;
  std::uint64_t dice = 1;
  for (unsigned step = 0; step < 2000; ++step) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    if (dice >> 62 != 0 || open.empty()) {
      const std::uint32_t index = table.open();
      table[index].deadline = mad::TimePoint(std::chrono::milliseconds(dice >> 40 & 0xFFF));
      table.link(index);
      open.push_back(index);
    } else {
      const std::size_t at = (dice >> 33) % open.size();
      table.unlink(open[at]);
      table.close(open[at]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    }
    mad::TimePoint first = mad::TimePoint::max();
    for (const std::uint32_t index : open) first = std::min(first, table[index].deadline);
    if (open.empty()) {
      ASSERT_EQ(table.first(), Table::kNone);
    } else {
      ASSERT_EQ(table[table.first()].deadline, first);
    }
  }
}

TEST(RateLimit, AdmitsBurstsOfAFortiethOfASecondAndNothingBetweenThem) {
  mad::RateLimit rate;
  mad::TimePoint now{1h};
  for (unsigned i = 0; i < 100'000; ++i) {
    EXPECT_TRUE(rate.admits(now)) << "no limit";
    rate.spend();
  }
  // A limit that is set later does not begin with a debt.
  rate.set(1000);
  unsigned sent = 0;
  const mad::TimePoint end = now + 1s;
  while (now < end) {
    while (rate.admits(now)) {
      rate.spend();
      ++sent;
    }
    EXPECT_LE(rate.next(), now + 26ms);
    for (const auto later : {1ms, 5ms, 15ms}) EXPECT_FALSE(rate.admits(now + later));
    now = rate.next();
  }
  EXPECT_NEAR(sent, 1000, 20);
}

}  // namespace transaction_table_test
