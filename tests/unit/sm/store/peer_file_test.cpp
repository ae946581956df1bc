// The file of a copy of the store: it is damaged, old, or cannot be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mad/format.h"
#include "sm/store/journal.h"
#include "support/full_disk.h"
#include "unit/sm/store/peer_store_lab.h"

namespace sm::peers {
namespace peer_store_test {

TEST_F(PeerStoreTest, RestartedManagerHasItsFile) {
  hosts = {"a"};
  Manager& a = start("a");
  lead(a);
  Content model;
  for (int number = 0; number < 300; ++number) {
    const std::string key = fmt::format("/p/{}", number % 50);
    ASSERT_TRUE(set(a, key, fmt::format("{}", number)));
    model[key] = fmt::format("{}", number);
  }
  const Position head = a.store->copy().head();
  end("a");
  Manager& again = start("a");
  EXPECT_EQ(again.store->copy().head(), head);
  EXPECT_EQ(read(again), model);
}

TEST_F(PeerStoreTest, FileIsRewrittenWhenItHasGrown) {
  hosts = {"a"};
  Manager& a = start("a");
  lead(a);
  for (int number = 0; number < 2000; ++number)
    ASSERT_TRUE(set(a, "/p/one", fmt::format("{} {}", number, std::string(500, 'x'))));
  EXPECT_LT(a.store->file_bytes(), 200'000u);
  end("a");
  EXPECT_THAT(read(start("a")).at("/p/one"), HasSubstr("1999 "));
}

TEST_F(PeerStoreTest, TruncatedBatchAtTheEndOfTheFileIsLeftOut) {
  hosts = {"a"};
  Manager& a = start("a");
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  const Position head = a.store->copy().head();
  ASSERT_TRUE(set(a, "/p/two", "2"));
  end("a");
  const std::filesystem::path path = file("a") / "peer-store";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  Manager& again = start("a");
  EXPECT_EQ(again.store->copy().head(), head);
  EXPECT_EQ(read(again), (Content{{"/p/one", "1"}}));
}

TEST_F(PeerStoreTest, DamagedFileIsReplacedByAFullCopy) {
  Manager& a = start("a");
  start("b");
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  ASSERT_TRUE(set(a, "/p/two", "2"));
  ASSERT_TRUE(set(a, "/p/three", "3"));
  end("b");
  std::string text = text_of(file("b") / "peer-store");
  text[text.find("/p/two")] = '#';
  write_text(file("b") / "peer-store", text);
  std::vector<StoreChange> deletion{{.key = "/p/one", .value = {}}};
  ASSERT_TRUE(commit(a, std::move(deletion)));
  Manager& b = start("b");
  EXPECT_FALSE(b.store->messages().empty());
  ASSERT_TRUE(agree());
  runtime.run_for(1s);
  EXPECT_EQ(read(b), (Content{{"/p/two", "2"}, {"/p/three", "3"}}));
  EXPECT_EQ(a.store->copies()->current, 1u);
  end("b");
  EXPECT_EQ(read(start("b")), (Content{{"/p/two", "2"}, {"/p/three", "3"}}));
}

/// No other manager is there to send its copy.
TEST_F(PeerStoreTest, ManagerWithADamagedFileKeepsItsLaterChanges) {
  hosts = {"a"};
  Manager& a = start("a");
  lead(a);
  claim(a);
  for (const char* const key : {"/p/one", "/p/two", "/p/three"}) ASSERT_TRUE(set(a, key, "old"));
  end("a");
  std::string text = text_of(file("a") / "peer-store");
  text[text.find("/p/two")] = '#';
  write_text(file("a") / "peer-store", text);
  Manager& again = start("a");
  lead(again);
  ASSERT_TRUE(set(again, "/p/one", "new"));
  const Content expected{{"/p/one", "new"}, {"/p/three", "old"}};
  EXPECT_EQ(read(again), expected);
  end("a");
  EXPECT_EQ(read(start("a")), expected);
}

TEST_F(PeerStoreTest, FileWithADamagedSubnetPrefixKeepsItsRecords) {
  hosts = {"a"};
  Manager& a = start("a");
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  end("a");
  std::string text = text_of(file("a") / "peer-store");
  text[text.find("subnet")] = '#';
  write_text(file("a") / "peer-store", text);
  Manager& again = start("a");
  EXPECT_EQ(read(again), (Content{{"/p/one", "1"}}));
  for (const std::string& message : again.store->messages())
    EXPECT_EQ(message.find("is of the subnet prefix"), std::string::npos) << message;
  lead(again);
  ASSERT_TRUE(set(again, "/p/two", "2"));
  end("a");
  EXPECT_EQ(read(start("a")), (Content{{"/p/one", "1"}, {"/p/two", "2"}}));
}

/// Its file says that deletions were forgotten, and has no records.
TEST_F(PeerStoreTest, WatchOfACopyWithoutHistoryWaitsForChanges) {
  hosts = {"a"};
  std::filesystem::create_directories(file("a"));
  {
    auto opened = Journal::open(file("a") / "peer-store", false);
    ASSERT_TRUE(opened);
    ASSERT_TRUE(opened->journal.append("subnet fe80000000000000\nforgotten 100000005\nlost\n"));
  }
  Manager& a = start("a");
  const mad::TimePoint begin = runtime.now();
  const auto events = runtime.run(a.store->watch("/p/", 0), 1min);
  ASSERT_TRUE(events && *events);
  EXPECT_GE(runtime.now() - begin, 1s);
}

TEST_F(PeerStoreTest, OldFileThatIsPutBackTakesNothingAway) {
  Manager& a = start("a");
  start("b");
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  ASSERT_TRUE(agree());
  end("b");
  const std::string old = text_of(file("b") / "peer-store");
  start("b");
  runtime.run_for(2s);
  ASSERT_TRUE(set(a, "/p/one", "2"));
  ASSERT_TRUE(set(a, "/p/two", "2"));
  ASSERT_TRUE(agree());
  end("b");
  write_text(file("b") / "peer-store", old);
  start("b");
  ASSERT_TRUE(agree());
  EXPECT_EQ(read(a), (Content{{"/p/one", "2"}, {"/p/two", "2"}}));
  EXPECT_EQ(read(managers.at("b")), read(a));
}

TEST_F(PeerStoreTest, FullDiskIsReportedAndMended) {
  Manager& a = start("a");
  start("b");
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  EXPECT_EQ(a.store->copies()->current, 1u);
  std::optional<StoreFault> fault;
  std::optional<unsigned> current;
  {
    const support::FullDisk full;
    if (const auto made = set(a, "/p/one", "2"); !made) fault = made.error().fault;
    current = a.store->copies()->current;
  }
  EXPECT_EQ(fault, StoreFault::full);
  EXPECT_EQ(current, 0u);
  runtime.run_for(1min);
  ASSERT_TRUE(set(a, "/p/two", "2"));
  EXPECT_EQ(a.store->copies()->current, 1u);
  for (const char* const host : {"a", "b"}) {
    end(host);
    EXPECT_THAT(text_of(file(host) / "peer-store"), HasSubstr("/p/one 2"));
  }
  EXPECT_EQ(read(start("a")), (Content{{"/p/one", "2"}, {"/p/two", "2"}}));
}

/// The open file still takes lines; a rewrite cannot create the new one.
TEST_F(PeerStoreTest, FileThatCannotBeRewrittenIsMended) {
  hosts = {"a"};
  Manager& a = start("a");
  lead(a);
  std::filesystem::remove_all(file("a"));
  for (int number = 0; number < 400; ++number)
    (void)set(a, "/p/one", fmt::format("{} {}", number, std::string(500, 'x')));
  runtime.run_for(5s);
  EXPECT_FALSE(std::filesystem::exists(file("a") / "peer-store"));
  std::filesystem::create_directories(file("a"));
  runtime.run_for(1min);
  ASSERT_TRUE(set(a, "/p/two", "2"));
  end("a");
  EXPECT_EQ(read(start("a")).at("/p/two"), "2");
}

TEST_F(PeerStoreTest, StandbyThatCannotWriteItsFileAcknowledgesNothing) {
  Manager& a = start("a");
  Manager& b = start("b");
  std::filesystem::remove_all(file("b"));  // the first changes need a new file
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  EXPECT_EQ(a.store->copies()->current, 0u);
  runtime.run_for(1s);
  EXPECT_EQ(read(b), (Content{{"/p/one", "1"}}));
  const auto conditions = b.store->conditions();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_THAT(conditions[0].text, HasSubstr("peer-store"));
  std::filesystem::create_directories(file("b"));
  runtime.run_for(40s);
  EXPECT_EQ(a.store->copies()->current, 1u);
  EXPECT_TRUE(b.store->conditions().empty());
}

// ------------------------------------------------------------------------------------------
// Bad input

TEST_F(PeerStoreTest, OneFileHasOneStore) {
  Manager& a = start("a");
  const auto again = [&] {
    return PeerStore::create(
        runtime,
        PeerSettings{
            .port_guid = {guid("a")}, .subnet_prefix = kSubnet, .file = file("a") / "peer-store"},
        network.attach("other"));
  };
  auto second = again();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error(), HasSubstr("peer-store.lock is locked by"));
  a.store->stop();  // the store itself stays in memory
  runtime.run_for(10ms);
  second = again();
  ASSERT_TRUE(second) << second.error();
  (*second)->stop();
  runtime.run_for(10ms);
}

}  // namespace peer_store_test
}  // namespace sm::peers
