#include "sim/server/client_requests.h"

#include <gtest/gtest.h>

namespace sim::server {
namespace pending_test {

using namespace std::chrono_literals;

const TimePoint kNow = EventQueue::kStart;

TEST(SimServerPending, ExpiresInOrderOfAge) {
  PendingRequests pending;
  wire::RoutedPacket packet;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    packet.mad[0] = static_cast<std::uint8_t>(id);
    pending.add(id, packet, 7, kNow + id * 1ms);
  }
  pending.answered(2);
  pending.answered(99);
  EXPECT_EQ(pending.next(), kNow + 1ms);
  EXPECT_FALSE(pending.take_expired(kNow));
  EXPECT_EQ(pending.take_expired(kNow + 5ms)->packet.mad[0], 1);
  EXPECT_EQ(pending.take_expired(kNow + 5ms)->packet.mad[0], 3);
  EXPECT_FALSE(pending.take_expired(kNow + 5ms));
  EXPECT_FALSE(pending.next());
}

TEST(SimServerPending, ARetransmissionReplacesTheFirst) {
  PendingRequests pending;
  pending.add(1, {}, 0, kNow + 1ms);
  pending.add(1, {}, 0, kNow + 9ms);
  EXPECT_EQ(pending.size(), 1u);
  EXPECT_EQ(pending.next(), kNow + 9ms);
}

TEST(SimServerPending, StaysBoundedAndRemovesClients) {
  PendingRequests pending;
  for (std::uint64_t id = 0; id < PendingRequests::kMax + 100; ++id)
    pending.add(id << 20 | id, {}, static_cast<unsigned>(id % 2), kNow + 1s);
  EXPECT_EQ(pending.size(), PendingRequests::kMax);
  pending.forget_client(0);
  EXPECT_EQ(pending.size(), PendingRequests::kMax / 2);
  while (const auto one = pending.take_expired(kNow + 2s)) ASSERT_EQ(one->client, 1u);
  EXPECT_EQ(pending.size(), 0u);
}

TEST(SimServerPending, RecognisesRequestsWithAResponse) {
  std::array<std::uint8_t, mad::kMadBytes> bytes{};
  mad::MadView mad(bytes);
  const auto expects = [&](mad::Method method) {
    mad.set_method(method);
    return expects_answer(mad::ConstMadView(bytes));
  };
  EXPECT_TRUE(expects(mad::Method::get));
  EXPECT_TRUE(expects(mad::Method::set));
  EXPECT_TRUE(expects(mad::Method::get_table));
  EXPECT_FALSE(expects(mad::Method::get_resp));
  EXPECT_FALSE(expects(mad::Method::trap));
  EXPECT_FALSE(expects(mad::Method::trap_repress));
  bytes[25] = 2;  // an RMPP ACK
  EXPECT_FALSE(expects(mad::Method::get_table));
}

}  // namespace pending_test
}  // namespace sim::server
