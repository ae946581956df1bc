#include "mad/gsi_client.h"

#include <gtest/gtest.h>

#include "mad/attributes/vnic.h"
#include "sim/world/virtual_runtime.h"

namespace gsi_client_test {

using namespace std::chrono_literals;

/// Keeps what was sent; a test answers it.
class Wire final : public mad::GsiTransport {
 public:
  int send(std::span<const std::uint8_t> mad, const mad::MadAddress& to, int timeout_ms) override {
    sent.push_back({{mad.begin(), mad.end()}, to});
    timeouts.push_back(timeout_ms);
    return 0;
  }
  void set_receiver(std::function<void(const mad::GsiMad&)>) override {}
  mad::GsiPortState state() const override { return {}; }

  std::vector<mad::GsiMad> sent;
  std::vector<int> timeouts;
};

struct GsiClient : testing::Test {
  mad::GsiClient::Request request() {
    mad::GsiClient::Request made;
    made.bytes.assign(mad::kOpaMadBytes, 0);
    mad::write_ethernet_header(made.bytes, mad::Method::get, mad::EthernetAttribute::mac_table, 3);
    made.to.lid = {7};
    made.timeout = 100ms;
    return made;
  }
  mad::GsiMad response(std::size_t to) {
    mad::GsiMad made = wire.sent.at(to);
    made.from.lid = {7};
    mad::MadView(std::span(made.bytes).first<mad::kMadBytes>()).set_method(mad::Method::get_resp);
    return made;
  }
  void start() { outcome = runtime.start(client.exchange(request())); }
  /// Requests that are open end, as they do before a program ends.
  void TearDown() override {
    client.abandon();
    runtime.run_for(1ms);
  }

  sim::VirtualRuntime runtime;
  Wire wire;
  mad::GsiClient client{runtime, wire};
  std::shared_ptr<sim::VirtualRuntime::Outcome<std::optional<std::vector<std::uint8_t>>>> outcome;
};

TEST_F(GsiClient, RepeatsUntilTheLastAttemptHasNoResponse) {
  start();
  runtime.run_for(1s);
  EXPECT_TRUE(outcome->done);
  EXPECT_FALSE(outcome->value->has_value());
  EXPECT_EQ(wire.sent.size(), 3u);
  EXPECT_EQ(wire.timeouts, (std::vector<int>{300, 200, 100})) << "late responses count";
  EXPECT_NE(wire.sent[0].bytes, wire.sent[1].bytes) << "each attempt has an id of its own";
}

TEST_F(GsiClient, ALateResponseToTheFirstAttemptCounts) {
  start();
  runtime.run_for(150ms);
  EXPECT_TRUE(client.on_mad(response(0)));
  runtime.run_for(1ms);
  ASSERT_TRUE(outcome->done);
  EXPECT_EQ((*outcome->value)->size(), mad::kOpaMadBytes);
  EXPECT_FALSE(client.on_mad(response(1))) << "nothing waits for it any more";
}

TEST_F(GsiClient, ResponsesOfOthersAreNotTaken) {
  start();
  runtime.run_for(10ms);
  mad::GsiMad other = response(0);
  other.from.lid = {8};
  EXPECT_FALSE(client.on_mad(other)) << "from another LID";
  other = response(0);
  other.bytes[17] ^= 1;
  EXPECT_FALSE(client.on_mad(other)) << "of another attribute";
  other = response(0);
  other.bytes[23] ^= 1;
  EXPECT_FALSE(client.on_mad(other)) << "of another VNIC";
  other = response(0);
  other.bytes.resize(100);
  EXPECT_FALSE(client.on_mad(other)) << "not a whole header";
  EXPECT_EQ(client.statistics().stray, 3u);
  EXPECT_FALSE(outcome->done);
  other = response(0);
  other.bytes[5] = 1;
  EXPECT_TRUE(client.on_mad(other));
  runtime.run_for(10ms);
  EXPECT_FALSE(outcome->done) << "BUSY: it is sent again";
}

TEST_F(GsiClient, AbandonEndsOpenRequestsAtOnce) {
  start();
  runtime.run_for(10ms);
  client.abandon();
  runtime.run_for(1ms);
  EXPECT_TRUE(outcome->done);
  start();
  runtime.run_for(1ms);
  EXPECT_TRUE(outcome->done);
  EXPECT_EQ(wire.sent.size(), 1u);
}

}  // namespace gsi_client_test
