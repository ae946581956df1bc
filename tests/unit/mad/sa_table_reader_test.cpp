#include "mad/sa_table_reader.h"

#include <gtest/gtest.h>

#include "mad/records/fabric_records.h"
#include "mad/rmpp/rmpp_sender.h"
#include "sim/world/virtual_runtime.h"

namespace sa_table_reader_test {

using namespace std::chrono_literals;
using mad::SaAttributeId;

constexpr mad::Lid kMaster{7};

/// Keeps what was sent; a test answers it.
class Wire final : public mad::MadTransport {
 public:
  struct Sent {
    mad::MadBytes bytes{};
    mad::MadAddress to;
    int timeout_ms = 0;
  };
  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to, int timeout_ms) override {
    Sent& last = sent.emplace_back();
    std::ranges::copy(mad, last.bytes.begin());
    last.to = to;
    last.timeout_ms = timeout_ms;
    return 0;
  }
  void set_receiver(std::function<void(std::span<const mad::ReceivedMad>)>) override {}

  std::vector<Sent> sent;
};

struct SaTableReader : testing::Test {
  void start() {
    const mad::SaTableQuery query{
        .attribute = SaAttributeId::link_record,
        .to = {.lid = kMaster, .qpn = 1, .qkey = mad::kQp1QKey, .pkey_index = 3},
        .sm_key = 0x5A};
    outcome = runtime.start(reader.read(query));
    runtime.run_for(1ms);
  }
  void TearDown() override {
    reader.abandon();
    runtime.run_for(1ms);
    EXPECT_EQ(wire.budget().under_way(), 0u);
  }
  bool has_table() const { return outcome->done && outcome->value->has_value(); }

  /// Returns the response to the latest request: LinkRecords whose FromLID counts from 1.
  mad::RmppSender response(std::size_t records) const {
    std::vector<std::uint8_t> message(mad::rmpp_header_bytes(mad::MgmtClass::sa));
    mad::MadBytes header = wire.sent.back().bytes;
    mad::SaView mad{std::span<std::uint8_t, mad::kMadBytes>(header)};
    mad.set_method(mad::Method::get_table_resp);
    mad.set_attribute_offset(1);
    std::copy_n(header.begin(), message.size(), message.begin());
    for (std::size_t at = 1; at <= records; ++at) {
      mad::LinkRecord record;
      record.set<"FromLID">(mad::Lid{static_cast<std::uint16_t>(at)});
      const std::size_t end = message.size();
      message.resize(end + 8);
      std::ranges::copy(std::as_const(record).bytes(),
                        message.begin() + static_cast<std::ptrdiff_t>(end));
    }
    mad::RmppSender sender;
    EXPECT_TRUE(sender.start(message, {}, runtime.now()));
    return sender;
  }
  bool deliver(const mad::MadBytes& bytes, mad::Lid from = kMaster, std::uint32_t qpn = 1) {
    mad::ReceivedMad received{.bytes = bytes, .size = mad::kMadBytes, .from = {}};
    received.from.lid = from;
    received.from.qpn = qpn;
    return reader.on_mad(received);
  }
  /// Delivers segments as the peer's window allows.
  void transfer(mad::RmppSender& sender) {
    mad::MadBytes segment{}, answer{};
    std::size_t acknowledged = wire.sent.size();
    while (sender.next_segment(segment, runtime.now())) {
      EXPECT_TRUE(deliver(segment));
      for (; acknowledged < wire.sent.size(); ++acknowledged)
        sender.on_mad(mad::ConstRmppView(wire.sent[acknowledged].bytes), runtime.now(), answer);
    }
    runtime.run_for(1ms);
  }

  sim::VirtualRuntime runtime;
  Wire wire;
  mad::SaTableReader reader{runtime, wire};
  std::shared_ptr<sim::VirtualRuntime::Outcome<std::optional<mad::SaTable>>> outcome;
};

TEST_F(SaTableReader, ReadsATableOfManySegments) {
  start();
  ASSERT_EQ(wire.sent.size(), 1u);
  const mad::ConstSaView request{
      std::span<const std::uint8_t, mad::kMadBytes>(wire.sent.front().bytes)};
  EXPECT_EQ(request.method(), mad::Method::get_table);
  EXPECT_EQ(request.sm_key(), 0x5Au);
  EXPECT_EQ(request.component_mask(), 0u);
  EXPECT_EQ(wire.sent.front().to.pkey_index, 3u);
  EXPECT_GT(wire.sent.front().timeout_ms, 0) << "the kernel keeps the transaction open";
  constexpr std::size_t kRecords = 10'000;
  mad::RmppSender sender = response(kRecords);
  transfer(sender);
  EXPECT_EQ(sender.state(), mad::RmppSender::State::done);
  ASSERT_TRUE(has_table());
  const mad::SaTable& table = **outcome->value;
  ASSERT_EQ(table.count(mad::LinkRecord::kBytes), kRecords);
  for (const std::size_t at : {std::size_t{0}, std::size_t{25}, kRecords - 1})
    EXPECT_EQ((table.record<mad::LinkRecord>(at).get<mad::Lid, "FromLID">().value), at + 1);
  EXPECT_EQ(table.count(16), 0u) << "the records are shorter";
}

TEST_F(SaTableReader, AnEmptyTableHasNoRecords) {
  start();
  mad::RmppSender sender = response(0);
  transfer(sender);
  ASSERT_TRUE(has_table());
  EXPECT_EQ((*outcome->value)->count(mad::LinkRecord::kBytes), 0u);
}

TEST_F(SaTableReader, EndsAfterTheLastAttemptWithoutAResponse) {
  start();
  runtime.run_for(mad::SaTableReader::kAttempts * mad::SaTableReader::kTimeout);
  EXPECT_TRUE(outcome->done);
  EXPECT_FALSE(has_table());
  EXPECT_EQ(wire.sent.size(), mad::SaTableReader::kAttempts);
}

/// The next attempt has another transaction id: the rest of the first response is not taken.
TEST_F(SaTableReader, BeginsAgainIfATransferStops) {
  start();
  mad::RmppSender first = response(1000);
  mad::MadBytes segment{};
  ASSERT_TRUE(first.next_segment(segment, runtime.now()));
  EXPECT_TRUE(deliver(segment));
  runtime.run_for(mad::SaTableReader::kTimeout + 100ms);
  EXPECT_FALSE(outcome->done) << "it waits longer for the next segment";
  runtime.run_for(mad::SaTableReader::kIdle);
  EXPECT_FALSE(deliver(segment));
  mad::RmppSender second = response(1000);
  transfer(second);
  EXPECT_TRUE(has_table());
}

TEST_F(SaTableReader, TakesNoResponseOfOthers) {
  start();
  mad::MadBytes segment{};
  mad::RmppSender sender = response(1);
  ASSERT_TRUE(sender.next_segment(segment, runtime.now()));
  EXPECT_FALSE(deliver(segment, mad::Lid{8})) << "from another LID";
  EXPECT_FALSE(deliver(segment, kMaster, 5)) << "from a program, not from queue pair 1";
  mad::MadBytes other = segment;
  mad::MadView(other).set_transaction_id(mad::MadView(other).transaction_id() ^ 1);
  EXPECT_FALSE(deliver(other)) << "of another transaction";
  other = segment;
  mad::MadView(other).set_attribute_id(static_cast<mad::AttributeId>(SaAttributeId::path_record));
  EXPECT_FALSE(deliver(other)) << "of another attribute";
  other = segment;
  mad::MadView(other).set_method(mad::Method::get_table);
  EXPECT_FALSE(deliver(other)) << "a request";
  EXPECT_FALSE(outcome->done);
  EXPECT_TRUE(deliver(segment));
  runtime.run_for(1ms);
  EXPECT_TRUE(has_table());
}

TEST_F(SaTableReader, AStatusEndsItAndBusyDoesNot) {
  start();
  mad::MadBytes bytes = wire.sent.back().bytes;
  mad::MadView mad(bytes);
  mad.set_method(mad::Method::get_table_resp);
  mad.set_status(mad::status::kBusy);
  EXPECT_TRUE(deliver(bytes));
  runtime.run_for(1ms);
  EXPECT_FALSE(outcome->done);
  mad.set_status(mad::sa_status::kReqInvalid);
  EXPECT_TRUE(deliver(bytes));
  runtime.run_for(1ms);
  EXPECT_TRUE(outcome->done);
  EXPECT_FALSE(has_table());
}

TEST_F(SaTableReader, AbandonEndsItAtOnce) {
  start();
  reader.abandon();
  runtime.run_for(1ms);
  EXPECT_TRUE(outcome->done);
  start();
  EXPECT_TRUE(outcome->done);
  EXPECT_EQ(wire.sent.size(), 1u);
}

}  // namespace sa_table_reader_test
