#include "sm/sa/transfers.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "fabric/topology/random_source.h"
#include "mad/rmpp/receiver.h"
#include "support/seeds.h"
#include "unit/sm/sa/wire.h"

namespace transfers_test {

using namespace sa_tests;

std::vector<std::uint8_t> message(std::size_t bytes, std::uint64_t transaction) {
  std::vector<std::uint8_t> text(bytes);
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  std::vector<std::uint8_t> headed = text;
  headed.resize(std::max<std::size_t>(bytes, mad::kMadBytes));
  mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(headed.data(), mad::kMadBytes)};
  mad.set_base_version(mad::kBaseVersion);
  mad.set_mgmt_class(mad::MgmtClass::sa);
  mad.set_method(mad::Method::get_table_resp);
  mad.set_transaction_id(transaction);
  headed.resize(std::max<std::size_t>(bytes, mad::kMadBytes));
  return headed;
}

struct Bench {
  sim::VirtualRuntime runtime;
  Wire wire;
  sa::Transfers transfers{runtime, wire};
};

constexpr mad::MadAddress host(unsigned lid) {
  return {.lid = mad::Lid{static_cast<std::uint16_t>(lid)}, .qpn = 1, .qkey = 0x80010000};
}

/// The receiving clients: reassemble and acknowledge messages. A share of all packets is lost.
struct Clients {
  Bench& bench;
  topology::Random random;
  unsigned lost_percent;
  std::map<std::pair<unsigned, std::uint64_t>, mad::RmppReceiver> receivers;
  std::deque<mad::ReceivedMad> inbox;

  void listen() {
    bench.wire.on_send = [this](const Wire::Sent& sent) {
      if (random.percent(lost_percent)) return;
      bench.runtime.after(1us, [this, sent] {
        const auto [place, fresh] =
            receivers.try_emplace({sent.to.lid.value, sent.mad().transaction_id()});
        if (fresh) place->second.reset({});
        mad::ReceivedMad answer;
        answer.size = mad::kMadSizeBytes;
        answer.from = sent.to;
        if (!place->second.on_mad(sent.mad(), bench.runtime.now(), answer.bytes) ||
            random.percent(lost_percent))
          return;
        bench.runtime.after(1us, [this, answer] { bench.transfers.on_mad(answer); });
      });
    };
  }
};

TEST(Transfers, ConcurrentMessagesArriveComplete) {
  seeds::for_each(60, [](std::uint64_t seed) {
    Bench bench;
    Clients clients{.bench = bench,
                    .random = topology::Random(seed),
                    .lost_percent = seed % 3 == 0 ? 0u : 5u,
                    .receivers = {},
                    .inbox = {}};
    clients.listen();
    topology::Random random(seed + 1000);
    std::map<std::pair<unsigned, std::uint64_t>, std::vector<std::uint8_t>> expected;
    for (unsigned i = 0; i < 12; ++i) {
      const unsigned lid = 1 + i % 4;
      const auto text = message(random.below(40'000), i);
      ASSERT_TRUE(bench.transfers.start(text, host(lid), mad::Guid{lid}));
      expected[{lid, i}] = text;
    }
    bench.runtime.run_until([&] { return bench.transfers.running() == 0; }, 10min);
    ASSERT_EQ(bench.transfers.running(), 0u);
    for (const auto& [key, text] : expected) {
      const mad::RmppReceiver& receiver = clients.receivers.at(key);
      if (receiver.state() != mad::RmppReceiver::State::complete) {
        ASSERT_GT(bench.transfers.failed(), 0u) << "given up after its retries, and only then";
        continue;
      }
      const auto got = receiver.message();
      ASSERT_EQ(got.size(), text.size());
      ASSERT_TRUE(std::equal(got.begin() + 56, got.end(), text.begin() + 56));
    }
    if (seed % 3 == 0) {
      ASSERT_EQ(bench.transfers.failed(), 0u);
    }
  });
}

TEST(Transfers, BoundsHold) {
  Bench bench;
  for (std::size_t i = 0; i < sa::Transfers::kPlaces.per_port; ++i)
    EXPECT_TRUE(bench.transfers.start(message(1000, i), host(1), mad::Guid{1}));
  EXPECT_FALSE(bench.transfers.start(message(1000, 99), host(1), mad::Guid{1}))
      << "the requester's bound";
  EXPECT_TRUE(bench.transfers.start(message(1000, 99), host(2), mad::Guid{2}));
  for (unsigned lid = 3; bench.transfers.running() < sa::Transfers::kPlaces.total; ++lid)
    EXPECT_TRUE(bench.transfers.start(message(300, lid), host(lid), mad::Guid{lid}));
  EXPECT_FALSE(bench.transfers.start(message(300, 7), host(2), mad::Guid{2}))
      << "the total bound, for a port that has one";
}

/// Starts messages to ever new ports; returns how many before one is not started.
unsigned start_for_new_ports(Bench& bench, unsigned first) {
  unsigned started = 0;
  while (started < 1000 && bench.transfers.start(message(300, first + started),
                                                 host(first + started), mad::Guid{first + started}))
    ++started;
  return started;
}

TEST(Transfers, APortWithoutAnyEndsTheOldestOfThePortThatHasTheMost) {
  Bench bench;
  for (std::size_t i = 0; i < sa::Transfers::kPlaces.per_port; ++i) {
    EXPECT_TRUE(bench.transfers.start(message(1000, i), host(1), mad::Guid{1}));
    bench.runtime.run_for(1ms);
  }
  for (unsigned lid = 2; bench.transfers.running() < sa::Transfers::kPlaces.total; ++lid)
    EXPECT_TRUE(bench.transfers.start(message(300, lid), host(lid), mad::Guid{lid}));
  EXPECT_TRUE(bench.transfers.has_room(mad::Guid{4000}));
  EXPECT_TRUE(bench.transfers.start(message(300, 7), host(4000), mad::Guid{4000}));
  EXPECT_EQ(bench.transfers.running(), sa::Transfers::kPlaces.total);
  EXPECT_FALSE(bench.transfers.is_running(host(1), 0)) << "it has ended";
  EXPECT_TRUE(bench.transfers.is_running(host(1), 1));
  const bool is_aborted = std::ranges::any_of(bench.wire.sent, [](const Wire::Sent& sent) {
    const mad::ConstRmppView mad{std::span<const std::uint8_t, mad::kMadBytes>(sent.bytes)};
    return sent.to.lid.value == 1 && mad.rmpp_type() == mad::RmppType::abort;
  });
  EXPECT_TRUE(is_aborted) << "its requester need not wait for the rest";
  // The port keeps one, as all others, until none of them has been acknowledged for long.
  EXPECT_EQ(start_for_new_ports(bench, 5000), sa::Transfers::kPlaces.per_port - 2u);
  EXPECT_FALSE(bench.transfers.has_room(mad::Guid{4001}));
  bench.runtime.run_for(3s);
  EXPECT_GT(start_for_new_ports(bench, 6000), 100u);
  EXPECT_EQ(bench.transfers.running(), sa::Transfers::kPlaces.total);
}

/// One of them has many messages, whose windows have no end.
TEST(Transfers, PortsSendTheSameHoweverManyMessagesTheyHave) {
  Bench bench;
  std::map<unsigned, unsigned> sent;
  bench.wire.on_send = [&](const Wire::Sent& one) { ++sent[one.to.lid.value]; };
  std::vector<mad::ReceivedMad> acks;
  const auto start = [&](unsigned lid, std::uint64_t transaction) {
    bench.wire.sent.clear();
    ASSERT_TRUE(bench.transfers.start(message(1'000'000, transaction), host(lid), mad::Guid{lid}));
    mad::ReceivedMad& ack = acks.emplace_back(back(bench.wire.sent.back()));
    mad::write_rmpp_answer(ack.bytes, bench.wire.sent.back().mad(), mad::RmppType::ack,
                           mad::rmpp_status::kOk, 1, 0xFFFFFFFFu);
  };
  for (std::uint64_t i = 0; i < sa::Transfers::kPlaces.per_port; ++i) start(1, i);
  start(2, 99);
  for (const mad::ReceivedMad& ack : acks) EXPECT_TRUE(bench.transfers.on_mad(ack));
  bench.runtime.run_for(20ms);
  EXPECT_GT(sent[2], 100u);
  EXPECT_LE(sent[1], 3 * sent[2]);
}

TEST(Transfers, EndAfterAllRetriesWithoutAcknowledgement) {
  Bench bench;
  ASSERT_TRUE(bench.transfers.start(message(1000, 5), host(1), mad::Guid{1}));
  EXPECT_TRUE(bench.transfers.is_running(host(1), 5));
  EXPECT_FALSE(bench.transfers.is_running(host(2), 5));
  bench.runtime.run_for(1min);
  EXPECT_EQ(bench.transfers.running(), 0u);
  EXPECT_EQ(bench.transfers.failed(), 1u);
  EXPECT_EQ(bench.wire.sent.size(), 4u) << "the first segment and three repetitions";
}

TEST(Transfers, AcknowledgementsOfOthersAreIgnored) {
  Bench bench;
  ASSERT_TRUE(bench.transfers.start(message(1000, 5), host(1), mad::Guid{1}));
  mad::ReceivedMad ack = back(bench.wire.sent.front());
  ack.from.lid = mad::Lid{2};
  EXPECT_FALSE(bench.transfers.on_mad(ack));
  ack.from = host(1);
  ack.from.qpn = 77;
  EXPECT_FALSE(bench.transfers.on_mad(ack));
}

/// A vport that shares LID and queue pair number with others.
mad::MadAddress vport(std::uint64_t guid) {
  mad::MadAddress address = host(1);
  address.grh = mad::GlobalRoute{.peer = {1, mad::Guid{guid}}, .hop_limit = 255};
  return address;
}

TEST(Transfers, VportsWithOneLidAndTransactionAreDistinguishedByTheirGids) {
  Bench bench;
  const mad::Guid port{1};
  ASSERT_TRUE(bench.transfers.start(message(1000, 5), vport(100), {port, mad::Guid{100}}));
  EXPECT_TRUE(bench.transfers.is_running(vport(100), 5));
  EXPECT_FALSE(bench.transfers.is_running(vport(101), 5));
  EXPECT_FALSE(bench.transfers.is_running(host(1), 5)) << "the physical port";
  EXPECT_EQ(bench.wire.sent.front().to.grh, vport(100).grh);
  mad::ReceivedMad ack = back(bench.wire.sent.front());
  ack.from = vport(101);
  EXPECT_FALSE(bench.transfers.on_mad(ack));
  ack.from = vport(100);
  EXPECT_TRUE(bench.transfers.on_mad(ack));
}

TEST(Transfers, OfAVportLeaveRoomForThoseOfOthersAtItsPort) {
  Bench bench;
  const auto start = [&](std::uint64_t guid) {
    return bench.transfers.start(message(1000, 5), vport(guid), {mad::Guid{1}, mad::Guid{guid}});
  };
  for (std::size_t i = 0; i < sa::Transfers::kPlaces.per_vport; ++i) EXPECT_TRUE(start(100));
  EXPECT_FALSE(start(100));
  for (std::uint64_t guid = 101; bench.transfers.running() < sa::Transfers::kPlaces.per_port;
       ++guid)
    EXPECT_TRUE(start(guid));
  EXPECT_FALSE(start(200)) << "the bound of the port";
  EXPECT_TRUE(bench.transfers.start(message(1000, 5), host(2), mad::Guid{2}));
}

TEST(Transfers, AnAbortHasTheQKeyOfQp1) {
  Bench bench;
  ASSERT_TRUE(bench.transfers.start(message(1000, 5), host(1), mad::Guid{1}));
  mad::ReceivedMad ack = back(bench.wire.sent.front());
  mad::write_rmpp_answer(ack.bytes, bench.wire.sent.front().mad(), mad::RmppType::ack,
                         mad::rmpp_status::kOk, 2, 1);  // a window that ends before its segment
  ack.from.qkey = 0;  // umad does not say with which Q_Key a MAD was received
  bench.wire.sent.clear();
  EXPECT_TRUE(bench.transfers.on_mad(ack));
  ASSERT_EQ(bench.wire.sent.size(), 1u);
  const mad::ConstRmppView abort{
      std::span<const std::uint8_t, mad::kMadBytes>(bench.wire.sent.front().bytes)};
  EXPECT_EQ(abort.rmpp_type(), mad::RmppType::abort);
  EXPECT_EQ(bench.wire.sent.front().to.qkey, mad::kQp1QKey);
}

TEST(Transfers, AWindowWithoutEndSendsNoMoreThanABurst) {
  Bench bench;
  ASSERT_TRUE(bench.transfers.start(message(10'000'000, 5), host(1), mad::Guid{1}));
  mad::ReceivedMad ack = back(bench.wire.sent.front());
  mad::write_rmpp_answer(ack.bytes, bench.wire.sent.front().mad(), mad::RmppType::ack,
                         mad::rmpp_status::kOk, 1, 0xFFFFFFFFu);
  bench.wire.sent.clear();
  EXPECT_TRUE(bench.transfers.on_mad(ack));
  EXPECT_EQ(bench.wire.sent.size(), sa::Transfers::kSegmentsAtATime) << "then others have a turn";
  bench.runtime.run_for(1s);
  EXPECT_EQ(bench.wire.sent.size(), mad::RmppSender::kWindowMax);
}

TEST(Transfers, QueuePairsAndLidsOfAPortShareItsBounds) {
  Bench bench;
  for (unsigned i = 0; i < sa::Transfers::kPlaces.per_port; ++i)
    EXPECT_TRUE(bench.transfers.start(message(1000, i), host(1 + i), mad::Guid{1}));
  EXPECT_FALSE(bench.transfers.has_room(mad::Guid{1}));
  EXPECT_FALSE(bench.transfers.start(message(1000, 99), host(99), mad::Guid{1}));
  EXPECT_TRUE(bench.transfers.start(message(1000, 99), host(99), mad::Guid{2}));
}

}  // namespace transfers_test
