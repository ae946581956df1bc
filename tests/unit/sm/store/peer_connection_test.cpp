// Peers that must not be served or read, and bytes that no manager sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sm/store/peers/seen_managers.h"
#include "unit/sm/store/peer_store_lab.h"

namespace sm::peers {
namespace peer_store_test {

TEST_F(PeerStoreTest, PeerOfAnotherSubnetIsNamedAndNothingIsTaken) {
  Manager& a = start("a");
  Manager& b = start("b", 0xfe80000000000001);
  lead(a);
  lead(b);
  ASSERT_TRUE(set(b, "/p/one", "1"));
  runtime.run_for(5s);
  EXPECT_THAT(why(a, "b:"), HasSubstr("0xfe80000000000001"));
  EXPECT_EQ(read(a), Content());
  EXPECT_EQ(a.store->copies()->connected, 0u);
}

TEST_F(PeerStoreTest, OwnAddressIsNotAPeer) {
  Manager& a = start("a");
  runtime.run_for(5s);
  EXPECT_EQ(a.store->copies()->configured, 1u);
  EXPECT_EQ(why(a, "a:"), "(no such peer)");
  EXPECT_THAT(why(a, "b:"), HasSubstr("refused"));
}

TEST_F(PeerStoreTest, NeighbouringVersionsOfTheProtocolWorkTogether) {
  Manager& a = start("a", kSubnet, {.newest = 2, .oldest = 1});
  start("b", kSubnet, {.newest = 1, .oldest = 1});
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  EXPECT_EQ(a.store->copies()->current, 1u);
  end("b");
  start("b", kSubnet, {.newest = 4, .oldest = 3});
  runtime.run_for(5s);
  EXPECT_THAT(why(a, "b:"), HasSubstr("version"));
}

/// Returns the messages that a stream has; a program of the test has connected.
std::vector<Message> messages_of(sim::VirtualRuntime& runtime, ByteStream& stream) {
  FrameBuffer frames;
  std::vector<Message> out;
  for (;;) {
    const auto bytes = runtime.run(stream.read(), 500ms);
    if (!bytes || !*bytes) return out;
    frames.append(**bytes);
    for (auto frame = frames.next(); frame && *frame; frame = frames.next())
      if (auto message = parse_message(**frame)) out.push_back(std::move(*message));
  }
}

TEST_F(PeerStoreTest, ManagersThatAreNotServedHearWhy) {
  start("a");
  runtime.run_for(100ms);  // it has connected to its own address
  const auto client = network.attach("x");
  std::vector<std::shared_ptr<ByteStream>> streams;
  for (std::size_t number = 0; number <= kSessionsMax; ++number) {
    PeerAddress address{.host = "a", .port = 1};
    auto stream = runtime.run(client->connect(std::move(address)), 1s);
    ASSERT_TRUE(stream && *stream);
    streams.push_back(**stream);
  }
  runtime.run_for(10ms);
  const auto refusal = [&](ByteStream& stream) {
    for (const Message& message : messages_of(runtime, stream))
      if (const auto* const why = std::get_if<Refusal>(&message)) return why->why;
    return std::string();
  };
  EXPECT_EQ(refusal(*streams.back()), "too many managers are connected");
  const Hello hello{.versions = {.newest = 9, .oldest = 8},
                    .subnet_prefix = kSubnet,
                    .port = {0x1234},
                    .leader = {}};
  ASSERT_EQ(runtime.run(streams.front()->write(to_frame(hello)), 1s), true);
  EXPECT_THAT(refusal(*streams.front()), HasSubstr("version"));
}

TEST_F(PeerStoreTest, GarbageIsNamedAndRetriedWithBackOff) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(b);
  ASSERT_TRUE(agree());
  unsigned attempts = 0;
  network.on_send = [&](const std::string& from, const std::string&, std::string& bytes) {
    if (from != "b") return true;
    ++attempts;
    bytes = std::string("\x00\x00\x00\x04!!!!", 8);
    return true;
  };
  (void)set(b, "/p/one", "1");
  runtime.run_for(2min);
  EXPECT_NE(why(a, "b:"), "");
  EXPECT_EQ(read(a), Content());
  EXPECT_LT(attempts, 100u);
  network.on_send = {};
  ASSERT_TRUE(agree(1min));
  EXPECT_EQ(read(a), (Content{{"/p/one", "1"}}));
}

TEST_F(PeerStoreTest, FrameThatIsTooLongEndsTheConnection) {
  Manager& a = start("a");
  start("b");
  network.on_send = [&](const std::string& from, const std::string&, std::string& bytes) {
    if (from == "b") bytes = std::string("\x40\x00\x00\x00", 4);  // 1 GB
    return true;
  };
  runtime.run_for(1s);
  EXPECT_THAT(why(a, "b:"), HasSubstr("1073741824"));
}

TEST_F(PeerStoreTest, StopInTheMiddleOfAFrameTakesNothingOfIt) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(b);
  ASSERT_TRUE(agree());
  network.on_send = [&](const std::string& from, const std::string&, std::string& bytes) {
    if (from != "b" || bytes.find("/p/one") == std::string::npos) return true;
    bytes.resize(bytes.find("/p/one") + 8);
    return false;
  };
  (void)set(b, "/p/one", "1");
  runtime.run_for(100ms);
  EXPECT_EQ(read(a), Content());
  network.on_send = {};
  ASSERT_TRUE(agree(1min));
  EXPECT_EQ(read(a), (Content{{"/p/one", "1"}}));
}

/// A peer sends batches of its present journal, and those of an earlier one again.
TEST_F(PeerStoreTest, OldJournalThatIsReplayedIsNamedAndNothingOfItIsTaken) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(b);
  std::string old;
  bool replays = false;
  network.on_send = [&](const std::string& from, const std::string&, std::string& bytes) {
    if (from != "b" || bytes.find("/p/one") == std::string::npos) return true;
    if (old.empty()) old = bytes;
    if (replays) bytes += old;
    return true;
  };
  ASSERT_TRUE(set(b, "/p/one", "old"));
  ASSERT_TRUE(set(b, "/p/one", "new"));
  ASSERT_TRUE(agree());
  replays = true;
  (void)set(b, "/p/one", "newest");
  runtime.run_for(100ms);
  EXPECT_THAT(why(a, "b:"), HasSubstr("does not follow"));
  EXPECT_EQ(read(a), (Content{{"/p/one", "newest"}}));
  network.on_send = {};
  ASSERT_TRUE(set(b, "/p/one", "last"));
  ASSERT_TRUE(agree(1min));
  EXPECT_EQ(read(a), (Content{{"/p/one", "last"}}));
}

TEST_F(PeerStoreTest, OnlyManagersThatWereFoundInTheSubnetAreServedAndRead) {
  only_seen = true;
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(3s);
  EXPECT_EQ(a.store->copies()->connected, 0u);
  EXPECT_THAT(why(a, "b"), HasSubstr("has not found another one in its subnet yet"));
  a.store->set_leading(true);
  a.store->set_known_managers({mad::Guid{1}});
  runtime.run_for(1s);
  EXPECT_THAT(why(a, "b"), HasSubstr("was never found to have a subnet manager in this subnet"));
  EXPECT_EQ(a.store->peers().size(), 1u) << "a client is not listed for that";
  a.store->set_known_managers({mad::Guid{guid("b")}});
  runtime.run_for(1s);
  EXPECT_THAT(why(a, "b"), HasSubstr("it refuses: "));
  EXPECT_EQ(a.store->copies()->connected, 0u);
  b.store->set_known_managers({mad::Guid{guid("a")}});
  runtime.run_for(1s);
  EXPECT_EQ(why(a, "b"), "");
  EXPECT_EQ(a.store->copies()->connected, 1u);
  EXPECT_EQ(b.store->copies()->connected, 1u);
  for (const char* const host : {"a", "b"}) end(host);
  Manager& again = start("a");
  start("b");
  runtime.run_for(2s);
  EXPECT_EQ(again.store->copies()->connected, 1u) << "the files name those that were found";
}

TEST(SeenManagers, FirstOnesAreForgottenAndDamagedLinesAreLeftOut) {
  SeenManagers seen = SeenManagers::parse("0000000000000001\nx\n0\n00000000000000ff");
  EXPECT_TRUE(seen.has({1}));
  EXPECT_TRUE(seen.has({0xFF}));
  EXPECT_FALSE(seen.has({0}));
  EXPECT_FALSE(seen.add({mad::Guid{1}}));
  EXPECT_EQ(SeenManagers::parse(seen.text()).text(), seen.text());
  std::set<mad::Guid> many;
  for (std::uint64_t guid = 0x1000; guid < 0x1000 + SeenManagers::kMax; ++guid)
    many.insert(mad::Guid{guid});
  EXPECT_TRUE(seen.add(many));
  EXPECT_FALSE(seen.has({1}));
  EXPECT_TRUE(seen.has({0x1000}));
}

}  // namespace peer_store_test
}  // namespace sm::peers
