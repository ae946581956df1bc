#include "sm/sa/request_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "fabric/topology/random_source.h"
#include "support/seeds.h"

namespace request_queue_test {

constexpr mad::Guid port(unsigned number) { return mad::Guid{number}; }

mad::ReceivedMad from(unsigned lid, std::uint8_t mark) {
  mad::ReceivedMad mad;
  mad.from.lid = mad::Lid{static_cast<std::uint16_t>(lid)};
  mad.bytes[0] = mark;
  return mad;
}

TEST(RequestQueue, OneRequesterIsServedInOrder) {
  sa::RequestQueue queue;
  EXPECT_EQ(queue.front(), nullptr);
  for (std::uint8_t i = 0; i < 5; ++i) EXPECT_TRUE(queue.push(port(7), from(7, i), {}));
  for (std::uint8_t i = 0; i < 5; ++i, queue.pop()) {
    ASSERT_NE(queue.front(), nullptr);
    EXPECT_EQ(queue.front()->mad.bytes[0], i);
  }
  EXPECT_EQ(queue.front(), nullptr);
  queue.pop();
  EXPECT_EQ(queue.size(), 0u);
}

TEST(RequestQueue, RequestersAreServedRoundRobin) {
  sa::RequestQueue queue;
  for (std::uint8_t i = 0; i < 100; ++i) EXPECT_TRUE(queue.push(port(1), from(1, i), {}));
  EXPECT_TRUE(queue.push(port(2), from(2, 200), {}));
  EXPECT_EQ(queue.front()->mad.from.lid.value, 1);
  queue.pop();
  EXPECT_EQ(queue.front()->mad.from.lid.value, 2)
      << "the second requester, although 99 requests of the first are queued";
}

TEST(RequestQueue, BoundsHold) {
  sa::RequestQueue queue({.total = 10, .per_port = 4});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(queue.push(port(1), from(1, 0), {}));
  EXPECT_FALSE(queue.push(port(1), from(1, 0), {})) << "the requester's bound";
  for (int i = 0; i < 6; ++i)
    EXPECT_TRUE(queue.push(port(10 + static_cast<unsigned>(i)), from(10, 0), {}));
  EXPECT_FALSE(queue.push(port(2), from(2, 0), {})) << "the total bound";
  queue.pop();
  EXPECT_TRUE(queue.push(port(2), from(2, 0), {}));
}

TEST(RequestQueue, AgreesWithAModel) {
  seeds::for_each(300, [](std::uint64_t seed) {
    topology::Random random(seed);
    const std::uint32_t share = static_cast<std::uint32_t>(random.below(4));
    sa::RequestQueue queue(
        {.total = 20, .per_port = 6, .free_share = share, .reserved = 5, .few = 2});
    std::map<unsigned, std::deque<std::uint8_t>> waiting;
    std::deque<unsigned> turns;
    std::size_t total = 0;
    for (int step = 0; step < 400; ++step) {
      if (random.percent(55)) {
        const auto lid = 1 + static_cast<unsigned>(random.below(6));
        const auto mark = static_cast<std::uint8_t>(random.below(256));
        const std::size_t own = waiting[lid].size();
        const bool shares = own < 2 || (total + 5 < 20 && own * share < 15 - total);
        const bool fits = total < 20 && own < 6 && shares;
        ASSERT_EQ(queue.push(port(lid), from(lid, mark), {}), fits);
        if (!fits) continue;
        if (waiting[lid].empty()) turns.push_back(lid);
        waiting[lid].push_back(mark);
        ++total;
      } else if (total > 0) {
        const unsigned lid = turns.front();
        turns.pop_front();
        ASSERT_EQ(queue.front()->mad.from.lid.value, lid);
        ASSERT_EQ(queue.front()->mad.bytes[0], waiting[lid].front());
        waiting[lid].pop_front();
        if (!waiting[lid].empty()) turns.push_back(lid);
        queue.pop();
        --total;
      }
      ASSERT_EQ(queue.size(), total);
    }
  });
}

/// How many requests of the port are queued before one is not.
unsigned fill(sa::RequestQueue& queue, unsigned number) {
  unsigned queued = 0;
  while (queue.push(port(number), from(1, 0), {})) ++queued;
  return queued;
}

TEST(RequestQueue, ThousandsWaitForOnePort) {
  sa::RequestQueue queue;
  EXPECT_GT(fill(queue, 1), 2500u);
}

TEST(RequestQueue, PortsThatFloodTogetherLeaveRoomForOthers) {
  sa::RequestQueue queue;
  for (unsigned attacker = 1; attacker <= 400; ++attacker) fill(queue, attacker);
  for (unsigned host = 1000; host < 1100; ++host)
    for (unsigned i = 0; i < 10; ++i)
      ASSERT_TRUE(queue.push(port(host), from(1, 0), {})) << host << " " << i;
  EXPECT_LE(queue.size(), sa::RequestQueue::kLimits.total);
}

TEST(RequestQueue, AllLidsOfAPortShareOneQueue) {
  sa::RequestQueue queue({.total = 10, .per_port = 4});
  for (unsigned lid = 1; lid <= 4; ++lid) EXPECT_TRUE(queue.push(port(1), from(lid, 0), {}));
  EXPECT_FALSE(queue.push(port(1), from(5, 0), {}));
}

TEST(RequestQueue, VportsShareTheQueueOfTheirPortAndHaveABoundOfTheirOwn) {
  sa::RequestQueue queue({.total = 20, .per_port = 8, .per_vport = 3});
  const auto push = [&](std::uint64_t vport, std::uint8_t mark) {
    return queue.push({port(1), mad::Guid{vport}}, from(1, mark), {});
  };
  for (std::uint8_t i = 0; i < 3; ++i) EXPECT_TRUE(push(100, i));
  EXPECT_FALSE(push(100, 9)) << "the vport's bound";
  for (std::uint8_t i = 3; i < 6; ++i) EXPECT_TRUE(push(101, i));
  for (std::uint8_t i = 6; i < 8; ++i) EXPECT_TRUE(queue.push(port(1), from(1, i), {}));
  EXPECT_FALSE(push(102, 9)) << "the port's bound";
  EXPECT_TRUE(queue.push(port(2), from(2, 200), {}));
  for (const unsigned mark : {0, 200, 1, 2}) {
    EXPECT_EQ(queue.front()->mad.bytes[0], mark) << "another port waits for one request";
    queue.pop();
  }
  EXPECT_TRUE(push(100, 0)) << "what is answered counts no more";
}

TEST(RequestQueue, AnUnfinishedRequestStaysAndTheNextRequesterHasItsTurn) {
  sa::RequestQueue queue;
  for (std::uint8_t i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(port(1), from(1, i), {}));
  EXPECT_TRUE(queue.push(port(2), from(2, 9), {}));
  const sa::Waiting* const first = queue.front();
  queue.rotate();
  EXPECT_EQ(queue.front()->mad.bytes[0], 9);
  queue.pop();
  EXPECT_EQ(queue.front(), first) << "where it was";
  queue.rotate();
  EXPECT_EQ(queue.front(), first) << "no other requester waits";
  queue.pop();
  EXPECT_EQ(queue.front()->mad.bytes[0], 1);
}

}  // namespace request_queue_test
