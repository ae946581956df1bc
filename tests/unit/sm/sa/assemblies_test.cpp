#include "sm/sa/transfers.h"

#include <gtest/gtest.h>

#include "mad/sa_attribute.h"

namespace assemblies_test {

using sa::Assemblies;
using sa::Client;
using namespace std::chrono_literals;

/// A segment of a request with this transaction; two segments make a request.
mad::ReceivedMad segment(std::uint64_t transaction, unsigned number = 1, unsigned lid = 1) {
  constexpr std::uint32_t kLastBytes = 40;
  mad::ReceivedMad received;
  received.size = mad::kMadBytes;
  received.from = {.lid = mad::Lid{static_cast<std::uint16_t>(lid)}, .qpn = 1, .qkey = 0x80010000};
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(received.bytes)};
  mad.set_base_version(mad::kBaseVersion);
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_class_version(mad::kSaClassVersion);
  mad.set_method(mad::Method::get_multi);
  mad.set_transaction_id(transaction);
  mad.set_rmpp_version(mad::kRmppVersion);
  mad.set_rmpp_type(mad::RmppType::data);
  mad.set_rmpp_flags(mad::rmpp_flag::kActive |
                     (number == 1 ? mad::rmpp_flag::kFirst : mad::rmpp_flag::kLast));
  mad.set_segment_number(number);
  mad.set_payload_length(number == 1 ? 0 : kLastBytes);
  return received;
}

const Client kHost{mad::Guid{0x11}};
Client vport(unsigned number) { return {mad::Guid{0x11}, mad::Guid{0x1000 + number}}; }
const mad::TimePoint kStart{};

TEST(Assemblies, ARequestIsCompleteOnce) {
  Assemblies all;
  const auto first = all.take(segment(1), kHost, kStart);
  EXPECT_TRUE(first.has_room);
  EXPECT_TRUE(first.answer) << "it is acknowledged";
  EXPECT_FALSE(first.message);
  const auto last = all.take(segment(1, 2), kHost, kStart);
  ASSERT_TRUE(last.message);
  EXPECT_GT(last.message->size(), mad::kMadBytes);
  const auto again = all.take(segment(1, 2), kHost, kStart);
  EXPECT_TRUE(again.answer) << "the ACK was lost";
  EXPECT_FALSE(again.message);
}

TEST(Assemblies, ARequestThatIsNotCompleteInTimeMakesRoom) {
  Assemblies all;
  for (unsigned i = 0; i < Assemblies::kLimits.per_port; ++i)
    EXPECT_TRUE(all.take(segment(i), kHost, kStart).has_room);
  EXPECT_FALSE(all.take(segment(100), kHost, kStart + Assemblies::kLife).has_room);
  EXPECT_TRUE(all.take(segment(100), kHost, kStart + Assemblies::kLife + 1ms).has_room);
  EXPECT_EQ(all.size(), 1u);
}

TEST(Assemblies, BoundsHoldForPortsVportsAndInTotal) {
  Assemblies all;
  for (unsigned i = 0; i < Assemblies::kLimits.per_vport; ++i)
    EXPECT_TRUE(all.take(segment(i), vport(1), kStart).has_room);
  EXPECT_FALSE(all.take(segment(50), vport(1), kStart).has_room) << "the bound of the vport";
  EXPECT_TRUE(all.take(segment(0), vport(1), kStart).has_room) << "it has begun";
  for (unsigned i = Assemblies::kLimits.per_vport; i < Assemblies::kLimits.per_port; ++i)
    EXPECT_TRUE(all.take(segment(i), kHost, kStart).has_room) << "of the port itself";
  EXPECT_FALSE(all.take(segment(51), kHost, kStart).has_room) << "the bound of the port";
  EXPECT_FALSE(all.take(segment(51), vport(2), kStart).has_room) << "its vports share it";
  for (unsigned i = Assemblies::kLimits.per_port; i < Assemblies::kLimits.total; ++i)
    EXPECT_TRUE(all.take(segment(i, 1, 2 + i), mad::Guid{0x2000 + i}, kStart).has_room);
  EXPECT_EQ(all.size(), Assemblies::kLimits.total);
  EXPECT_FALSE(all.take(segment(51, 1, 900), mad::Guid{0x2000 + 20}, kStart).has_room)
      << "a port that has one";
  all.clear();
  EXPECT_TRUE(all.take(segment(1, 1, 900), mad::Guid{0x9000}, kStart).has_room);
}

/// Begins requests of ever new ports; returns how many before one has no room.
unsigned begin_of_new_ports(Assemblies& all, unsigned first, mad::TimePoint now) {
  unsigned begun = 0;
  while (begun < 1000 &&
         all.take(segment(1, 1, first + begun), mad::Guid{first + begun}, now).has_room)
    ++begun;
  return begun;
}

TEST(Assemblies, APortWithoutAnyDisplacesTheOldestOfThePortThatHasTheMost) {
  Assemblies all;
  for (unsigned i = 0; i < Assemblies::kLimits.per_port; ++i)
    EXPECT_TRUE(all.take(segment(i), kHost, kStart + i * 1us).has_room);
  constexpr std::size_t others = Assemblies::kLimits.total - Assemblies::kLimits.per_port;
  for (unsigned i = 0; i < others; ++i)
    EXPECT_TRUE(all.take(segment(1, 1, 2000 + i), mad::Guid{2000 + i}, kStart + 1ms).has_room);
  EXPECT_TRUE(all.take(segment(1, 1, 5000), mad::Guid{5000}, kStart + 2ms).has_room);
  EXPECT_TRUE(all.take(segment(1, 2, 5000), mad::Guid{5000}, kStart + 2ms).message)
      << "a port that does its part has its request handled";
  EXPECT_FALSE(all.take(segment(0, 2), kHost, kStart + 2ms).message) << "its oldest was dropped";
  // The others of kHost follow, until it has one as all others. Those have their time.
  EXPECT_EQ(begin_of_new_ports(all, 6000, kStart + 2ms), Assemblies::kLimits.per_port - 1u);
  EXPECT_GT(begin_of_new_ports(all, 8000, kStart + 3s), 100u) << "none of them was completed";
  EXPECT_LE(all.size(), Assemblies::kLimits.total);
}

TEST(Assemblies, WhatIsCompleteTakesNoRoomFromOtherRequests) {
  Assemblies all;
  for (unsigned i = 0; i < 2 * Assemblies::kLimits.total; ++i) {
    ASSERT_TRUE(all.take(segment(i), kHost, kStart).has_room) << i;
    ASSERT_TRUE(all.take(segment(i, 2), kHost, kStart).message) << i;
  }
  EXPECT_LE(all.size(), Assemblies::kLimits.total);
  const auto again = all.take(segment(2 * Assemblies::kLimits.total - 1, 2), kHost, kStart);
  EXPECT_TRUE(again.answer) << "the ACK was lost";
  EXPECT_FALSE(again.message);
}

}  // namespace assemblies_test
