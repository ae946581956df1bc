// RMPP sender and receiver: each against a faulty peer, and together over a link with loss,
// duplication and reordering.

#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "mad/rmpp/receiver.h"
#include "mad/rmpp/rmpp_sender.h"
#include "support/seeds.h"

namespace rmpp_test {

using namespace std::chrono_literals;
using Clock = mad::RmppSender::Clock;
using Mad = std::array<std::uint8_t, mad::kMadBytes>;
using Bytes = std::vector<std::uint8_t>;

const Clock::time_point kStart{};

Bytes sa_message(std::size_t data_bytes, std::uint64_t seed = 1) {
  Bytes message(56 + data_bytes);
  std::mt19937_64 random(seed);
  for (std::uint8_t& byte : message) byte = static_cast<std::uint8_t>(random());
  const std::array<std::uint8_t, 4> start{1, 3, 2, 0x92};  // GetTableResp of subnet administration
  std::copy(start.begin(), start.end(), message.begin());
  return message;
}

/// The expected message, without the RMPP header, which the sender fills.
Bytes without_rmpp_header(Bytes message) {
  std::fill(message.begin() + 24, message.begin() + 36, std::uint8_t{0});
  return message;
}
Bytes without_rmpp_header(std::span<const std::uint8_t> message) {
  return without_rmpp_header(Bytes(message.begin(), message.end()));
}

struct Pair {
  mad::RmppSender sender;
  mad::RmppReceiver receiver;
  Clock::time_point now = kStart;

  void start(const Bytes& message, std::uint32_t window = 64) {
    mad::RmppReceiver::Options options;
    options.window_segments = window;
    receiver.reset(options);
    ASSERT_TRUE(sender.start(message, {.ack_timeout = 100ms, .retries_max = 3}, now));
  }
  /// Delivers all segments that may be sent, in order.
  void run() {
    Mad segment{}, answer{}, end{};
    while (sender.next_segment(segment, now))
      if (receiver.on_mad(mad::ConstRmppView(segment), now, answer))
        sender.on_mad(mad::ConstRmppView(answer), now, end);
  }
};

TEST(Rmpp, MessagesOfAnyLengthArriveUnchanged) {
  for (const std::size_t bytes :
       {0u, 1u, 199u, 200u, 201u, 400u, 12'799u, 12'800u, 12'801u, 100'000u}) {
    SCOPED_TRACE(bytes);
    Pair pair;
    const Bytes message = sa_message(bytes);
    pair.start(message);
    pair.run();
    EXPECT_EQ(pair.sender.state(), mad::RmppSender::State::done);
    ASSERT_EQ(pair.receiver.state(), mad::RmppReceiver::State::complete);
    EXPECT_EQ(without_rmpp_header(pair.receiver.message()), without_rmpp_header(message));
  }
}

TEST(Rmpp, FirstSegmentAnnouncesTheWholeLengthAndLastItsOwn) {
  Pair pair;
  pair.start(sa_message(500));  // 200 + 200 + 100
  Mad segment{}, answer{}, end{};
  std::vector<std::uint32_t> lengths, flags;
  while (pair.sender.next_segment(segment, pair.now)) {
    lengths.push_back(mad::ConstRmppView(segment).payload_length());
    flags.push_back(mad::ConstRmppView(segment).rmpp_flags());
    if (pair.receiver.on_mad(mad::ConstRmppView(segment), pair.now, answer))
      pair.sender.on_mad(mad::ConstRmppView(answer), pair.now, end);
  }
  EXPECT_EQ(lengths, (std::vector<std::uint32_t>{
                         560, 0, 120}));  // 20 bytes of SA header in each of the three
  EXPECT_EQ(flags, (std::vector<std::uint32_t>{3, 1, 5}));
}

TEST(Rmpp, ClassesWithoutRmppAndShortMessagesAreNotStarted) {
  mad::RmppSender sender;
  Bytes smp = sa_message(300);
  smp[1] = 0x81;
  EXPECT_FALSE(sender.start(smp, {}, kStart));
  const Bytes headers = sa_message(0);
  EXPECT_FALSE(sender.start(std::span(headers).first(55), {}, kStart));
  EXPECT_FALSE(sender.start(std::span<const std::uint8_t>(), {}, kStart));
}

TEST(Rmpp, OnlyTheFirstSegmentIsSentBeforeAnAck) {
  mad::RmppSender sender;
  ASSERT_TRUE(sender.start(sa_message(10'000), {}, kStart));
  Mad out{};
  EXPECT_TRUE(sender.next_segment(out, kStart));
  EXPECT_FALSE(sender.next_segment(out, kStart));
}

TEST(Rmpp, AckInvertsTheDirectionAndHasTheWindow) {
  Pair pair;
  pair.start(sa_message(10'000), 16);
  Mad segment{}, answer{};
  ASSERT_TRUE(pair.sender.next_segment(segment, pair.now));
  ASSERT_TRUE(pair.receiver.on_mad(mad::ConstRmppView(segment), pair.now, answer));
  const mad::ConstRmppView ack(answer);
  EXPECT_EQ(mad::to_raw(ack.method()), 0x12);
  EXPECT_EQ(ack.rmpp_type(), mad::RmppType::ack);
  EXPECT_EQ(ack.segment_number(), 1u);
  EXPECT_EQ(ack.new_window_last(), 16u);
  EXPECT_EQ(ack.transaction_id(), mad::ConstRmppView(segment).transaction_id());
}

TEST(Rmpp, SilentPeerEndsTheTransferAfterAllRetries) {
  mad::RmppSender sender;
  ASSERT_TRUE(sender.start(sa_message(1'000), {.ack_timeout = 100ms, .retries_max = 2}, kStart));
  Mad out{};
  Clock::time_point now = kStart;
  unsigned sent = 0;
  while (sender.state() == mad::RmppSender::State::sending) {
    while (sender.next_segment(out, now)) ++sent;
    now = *sender.deadline();
    sender.on_timer(now);
  }
  EXPECT_EQ(sender.state(), mad::RmppSender::State::timed_out);
  EXPECT_EQ(sent, 3u);
  EXPECT_EQ(now - kStart, 300ms);
}

TEST(Rmpp, StopAndAbortEndTheTransfer) {
  for (const auto type : {mad::RmppType::stop, mad::RmppType::abort}) {
    Pair pair;
    pair.start(sa_message(1'000));
    Mad segment{}, answer{};
    ASSERT_TRUE(pair.sender.next_segment(segment, pair.now));
    mad::RmppView(segment).set_rmpp_type(type);
    mad::RmppView(segment).set_rmpp_status(mad::rmpp_status::kResourcesExhausted);
    EXPECT_FALSE(pair.sender.on_mad(mad::ConstRmppView(segment), pair.now, answer));
    EXPECT_EQ(pair.sender.state(), mad::RmppSender::State::refused);
    EXPECT_EQ(pair.sender.refused_with(), mad::rmpp_status::kResourcesExhausted);
  }
}

struct Lie {
  const char* what;
  std::uint32_t segment, window;
  std::uint8_t status, expected;
};

TEST(Rmpp, SenderAbortsOnInvalidAcks) {
  for (const Lie& lie : {Lie{"window below segment", 1, 0, 0, mad::rmpp_status::kWindowTooSmall},
                         Lie{"more than there is", 400, 500, 0, mad::rmpp_status::kSegmentTooBig},
                         Lie{"more than was allowed", 2, 9, 0, mad::rmpp_status::kSegmentTooBig},
                         Lie{"with a status", 1, 9, 3, mad::rmpp_status::kIllegalStatus}}) {
    SCOPED_TRACE(lie.what);
    Pair pair;
    pair.start(sa_message(1'000));
    Mad ack{}, answer{};
    ASSERT_TRUE(pair.sender.next_segment(ack, pair.now));
    mad::RmppView view(ack);
    view.set_rmpp_type(mad::RmppType::ack);
    view.set_segment_number(lie.segment);
    view.set_new_window_last(lie.window);
    view.set_rmpp_status(lie.status);
    EXPECT_TRUE(pair.sender.on_mad(mad::ConstRmppView(ack), pair.now, answer));
    EXPECT_EQ(mad::ConstRmppView(answer).rmpp_type(), mad::RmppType::abort);
    EXPECT_EQ(mad::ConstRmppView(answer).rmpp_status(), lie.expected);
    EXPECT_EQ(pair.sender.state(), mad::RmppSender::State::refused);
  }
}

/// Segments of a message of 5, as a correct sender makes them.
std::vector<Mad> five_segments() {
  Pair pair;
  pair.start(sa_message(950));
  std::vector<Mad> out;
  Mad segment{}, answer{}, end{};
  while (pair.sender.next_segment(segment, pair.now)) {
    out.push_back(segment);
    if (pair.receiver.on_mad(mad::ConstRmppView(segment), pair.now, answer))
      pair.sender.on_mad(mad::ConstRmppView(answer), pair.now, end);
  }
  return out;
}

template <class Change>
std::uint8_t receiver_fails_with(std::size_t changed, Change change) {
  std::vector<Mad> segments = five_segments();
  change(mad::RmppView(segments[changed]));
  mad::RmppReceiver receiver;
  receiver.reset({});
  Mad answer{};
  for (const Mad& segment : segments) {
    receiver.on_mad(mad::ConstRmppView(segment), kStart, answer);
    if (receiver.state() == mad::RmppReceiver::State::failed) {
      EXPECT_EQ(mad::ConstRmppView(answer).rmpp_status(), receiver.failed_with());
      return receiver.failed_with();
    }
  }
  return 0;
}

TEST(Rmpp, ReceiverAbortsOnMalformedSegments) {
  using namespace mad;
  EXPECT_EQ(receiver_fails_with(0, [](RmppView s) { s.set_rmpp_flags(rmpp_flag::kActive); }),
            rmpp_status::kInconsistentFirst);
  EXPECT_EQ(receiver_fails_with(
                2, [](RmppView s) { s.set_rmpp_flags(rmpp_flag::kActive | rmpp_flag::kFirst); }),
            rmpp_status::kInconsistentFirst);
  EXPECT_EQ(receiver_fails_with(2, [](RmppView s) { s.set_segment_number(0); }),
            rmpp_status::kInconsistentFirst);
  EXPECT_EQ(receiver_fails_with(
                1, [](RmppView s) { s.set_rmpp_flags(rmpp_flag::kActive | rmpp_flag::kLast); }),
            rmpp_status::kInconsistentLast);
  EXPECT_EQ(receiver_fails_with(4, [](RmppView s) { s.set_payload_length(221); }),
            rmpp_status::kInconsistentLast);
  EXPECT_EQ(receiver_fails_with(4, [](RmppView s) { s.set_payload_length(19); }),
            rmpp_status::kInconsistentLast);
  EXPECT_EQ(receiver_fails_with(3, [](RmppView s) { s.set_rmpp_type(static_cast<RmppType>(9)); }),
            rmpp_status::kBadType);
  EXPECT_EQ(receiver_fails_with(3, [](RmppView s) { s.set_rmpp_version(2); }),
            rmpp_status::kUnsupportedVersion);
  EXPECT_EQ(receiver_fails_with(3, [](RmppView s) { s.set_rmpp_status(7); }),
            rmpp_status::kIllegalStatus);
}

TEST(Rmpp, ReceiverStopsAMessageThatIsTooLong) {
  Pair pair;
  ASSERT_TRUE(pair.sender.start(sa_message(100'000), {}, kStart));
  pair.receiver.reset({.window_segments = 64, .message_bytes_max = 50'000, .idle_timeout = 40s});
  pair.run();
  EXPECT_EQ(pair.receiver.state(), mad::RmppReceiver::State::failed);
  EXPECT_EQ(pair.sender.state(), mad::RmppSender::State::refused);
  EXPECT_EQ(pair.sender.refused_with(), mad::rmpp_status::kResourcesExhausted);
  EXPECT_LE(pair.receiver.message().size(), 50'000u);
}

TEST(Rmpp, ReceiverAbortsWhenTheSenderStopsSending) {
  mad::RmppReceiver receiver;
  receiver.reset({});
  Mad answer{};
  receiver.on_mad(mad::ConstRmppView(five_segments()[0]), kStart, answer);
  ASSERT_TRUE(receiver.deadline().has_value());
  EXPECT_TRUE(receiver.on_timer(*receiver.deadline(), answer));
  EXPECT_EQ(mad::ConstRmppView(answer).rmpp_type(), mad::RmppType::abort);
  EXPECT_EQ(mad::ConstRmppView(answer).rmpp_status(), mad::rmpp_status::kTooLong);
}

TEST(Rmpp, RepeatedSegmentsOfACompleteMessageAreAcknowledgedAgain) {
  mad::RmppReceiver receiver;
  receiver.reset({});
  Mad answer{};
  for (const Mad& segment : five_segments())
    receiver.on_mad(mad::ConstRmppView(segment), kStart, answer);
  ASSERT_EQ(receiver.state(), mad::RmppReceiver::State::complete);
  const Bytes before(receiver.message().begin(), receiver.message().end());
  EXPECT_TRUE(receiver.on_mad(mad::ConstRmppView(five_segments()[1]), kStart, answer));
  EXPECT_EQ(mad::ConstRmppView(answer).segment_number(), 5u);
  EXPECT_TRUE(std::ranges::equal(receiver.message(), before));
}

/// One direction of a link with loss, duplication and reordering.
struct Pipe {
  std::mt19937_64& random;
  unsigned lost_percent, doubled_percent, overtaken_percent;
  std::deque<Mad> on_the_way{};

  bool dice(unsigned percent) { return random() % 100 < percent; }
  void put(const Mad& mad) {
    if (dice(lost_percent)) return;
    for (int copies = dice(doubled_percent) ? 2 : 1; copies > 0; --copies) {
      if (dice(overtaken_percent) && !on_the_way.empty())
        on_the_way.insert(
            on_the_way.begin() + static_cast<std::ptrdiff_t>(random() % on_the_way.size()), mad);
      else
        on_the_way.push_back(mad);
    }
  }
};

TEST(RmppProperty, AFaultyLinkDeliversExactlyTheBytesOrNothing) {
  seeds::for_each(300, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Pipe there{random, static_cast<unsigned>(random() % 30), static_cast<unsigned>(random() % 30),
               static_cast<unsigned>(random() % 30)};
    Pipe back{random, static_cast<unsigned>(random() % 30), static_cast<unsigned>(random() % 30),
              static_cast<unsigned>(random() % 30)};
    const Bytes message = sa_message(random() % 60'000, seed);
    Pair pair;
    mad::RmppReceiver::Options options;
    options.window_segments = 1 + static_cast<std::uint32_t>(random() % 70);
    pair.receiver.reset(options);
    const mad::RmppSender::Options patient{.ack_timeout = 100ms, .retries_max = 50};
    const std::span<const std::uint8_t> all(message);
    const bool is_produced_meanwhile = seed % 2 == 0;
    if (is_produced_meanwhile) {
      ASSERT_TRUE(pair.sender.start(all.first(56), message.size() - 56, patient, pair.now));
    } else {
      ASSERT_TRUE(pair.sender.start(message, patient, pair.now));
    }
    constexpr std::size_t kAhead = 70 * 200;  // the largest window
    std::size_t held_most = 0;
    Mad mad{}, answer{};
    for (unsigned steps = 0; pair.sender.state() == mad::RmppSender::State::sending; ++steps) {
      ASSERT_LT(steps, 1'000'000u) << "the transfer does not end";
      bool moved = false;
      if (const std::size_t missing = pair.sender.missing_bytes();
          missing > 0 && pair.sender.held_bytes() < kAhead) {
        const std::size_t some = std::min<std::size_t>(missing, random() % 1'000);
        pair.sender.supply(all.subspan(message.size() - missing, some));
        moved = some > 0;
      }
      if (is_produced_meanwhile) held_most = std::max(held_most, pair.sender.held_bytes());
      while (pair.sender.next_segment(mad, pair.now)) {
        there.put(mad);
        moved = true;
      }
      if (!there.on_the_way.empty()) {
        mad = there.on_the_way.front();
        there.on_the_way.pop_front();
        if (pair.receiver.on_mad(mad::ConstRmppView(mad), pair.now, answer)) back.put(answer);
        moved = true;
      }
      if (!back.on_the_way.empty()) {
        mad = back.on_the_way.front();
        back.on_the_way.pop_front();
        pair.sender.on_mad(mad::ConstRmppView(mad), pair.now, answer);
        moved = true;
      }
      if (!moved) {
        pair.now = *pair.sender.deadline();
        pair.sender.on_timer(pair.now);
      }
    }
    ASSERT_EQ(pair.sender.state(), mad::RmppSender::State::done);
    ASSERT_EQ(pair.receiver.state(), mad::RmppReceiver::State::complete);
    EXPECT_EQ(without_rmpp_header(pair.receiver.message()), without_rmpp_header(message));
    EXPECT_LE(held_most, kAhead + 1'000) << "what was acknowledged is forgotten";
  });
}

TEST(Rmpp, APeerThatWaitsForDataWhichIsNotProducedYetIsNotGivenUp) {
  const Bytes message = sa_message(100'000);
  const std::span<const std::uint8_t> all(message);
  mad::RmppSender sender;
  ASSERT_TRUE(
      sender.start(all.first(56), 100'000, {.ack_timeout = 100ms, .retries_max = 3}, kStart));
  Clock::time_point now = kStart;
  Mad segment{}, answer{};
  EXPECT_FALSE(sender.next_segment(segment, now));
  for (int i = 0; i < 20; ++i) sender.on_timer(now += 100ms);
  ASSERT_EQ(sender.state(), mad::RmppSender::State::sending);
  sender.supply(all.subspan(56, 300));
  ASSERT_TRUE(sender.next_segment(segment, now));
  const mad::ConstRmppView first(segment);
  EXPECT_EQ(first.payload_length(), 100'000u + 500u * 20u) << "the whole, as is known";
  EXPECT_FALSE(first.is_last());
  sender.abort(answer);
  EXPECT_EQ(sender.state(), mad::RmppSender::State::refused);
  const mad::ConstRmppView abort(answer);
  EXPECT_EQ(abort.rmpp_type(), mad::RmppType::abort);
  EXPECT_EQ(abort.method(), first.method()) << "in the direction of the segments";
  EXPECT_EQ(abort.transaction_id(), first.transaction_id());
}

TEST(Rmpp, AMessageTooLongForItsLengthFieldIsRefused) {
  mad::RmppSender sender;
  const Bytes message = sa_message(0);
  EXPECT_FALSE(sender.start(message, std::size_t{4'000'000'000}, {}, kStart));
  EXPECT_TRUE(sender.start(message, std::size_t{3'900'000'000}, {}, kStart));
}

TEST(RmppProperty, AnyBytesLeadToBoundedMemoryAndNoCrash) {
  seeds::for_each(300, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    mad::RmppReceiver receiver;
    mad::RmppSender sender;
    receiver.reset({.window_segments = 8, .message_bytes_max = 100'000, .idle_timeout = 1s});
    ASSERT_TRUE(sender.start(sa_message(random() % 5'000), {.ack_timeout = 10ms, .retries_max = 3},
                             kStart));
    Clock::time_point now = kStart;
    Mad mad{}, answer{};
    for (int i = 0; i < 2'000; ++i) {
      for (std::uint8_t& byte : mad) byte = static_cast<std::uint8_t>(random());
      mad[1] = random() % 10 == 0 ? mad[1] : 3;
      mad::RmppView view(mad);
      if (random() % 8 != 0) {
        view.set_rmpp_version(1);
        view.set_rmpp_type(
            static_cast<mad::RmppType>(random() % 16 == 0 ? random() % 6 : 1 + random() % 2));
        view.set_rmpp_status(0);
        const bool first = random() % 4 == 0;
        view.set_segment_number(static_cast<std::uint32_t>(first ? 1 : 2 + random() % 40));
        view.set_new_window_last(view.segment_number() + static_cast<std::uint32_t>(random() % 10));
        view.set_rmpp_flags(
            static_cast<std::uint8_t>(1 | (first ? 2 : 0) | (random() % 32 == 0 ? 4 : 0)));
      }
      receiver.on_mad(mad::ConstRmppView(mad), now, answer);
      sender.on_mad(mad::ConstRmppView(mad), now, answer);
      while (sender.next_segment(answer, now)) {
      }
      now += 1ms;
      if (const auto deadline = receiver.deadline(); deadline && *deadline <= now)
        receiver.on_timer(now, answer);
      if (const auto deadline = sender.deadline(); deadline && *deadline <= now)
        sender.on_timer(now);
      ASSERT_LE(receiver.message().size(), 100'000u);
      if (receiver.state() == mad::RmppReceiver::State::failed ||
          receiver.state() == mad::RmppReceiver::State::complete)
        receiver.reset({.window_segments = 8, .message_bytes_max = 100'000, .idle_timeout = 1s});
    }
  });
}

}  // namespace rmpp_test
