// A store that managers keep together: changes, connections that are lost, and leases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "mad/format.h"
#include "unit/sm/store/peer_store_lab.h"

namespace sm::peers {
namespace peer_store_test {

TEST_F(PeerStoreTest, CommittedChangesAreOnTheOtherManagersDisk) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  EXPECT_EQ(a.store->copies()->current, 1u);
  EXPECT_EQ(a.store->copies()->connected, 1u);
  EXPECT_EQ(a.store->copies()->configured, 1u);  // its own address is configured, too
  EXPECT_THAT(text_of(file("b") / "peer-store"), HasSubstr("/p/one 1"));
  EXPECT_EQ(read(b), (Content{{"/p/one", "1"}}));
  struct stat status{};
  ASSERT_EQ(::stat((file("b") / "peer-store").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
}

TEST_F(PeerStoreTest, ManagerThatIsNotListedIsConnectedAndHasNoLag) {
  hosts = {"a"};
  Manager& a = start("a");
  start("b");
  runtime.run_for(2s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  const std::vector<StorePeer> peers = a.store->peers();
  ASSERT_EQ(peers.size(), 1u) << "its own address is left out";
  EXPECT_FALSE(peers[0].is_configured);
  EXPECT_TRUE(peers[0].connected);
  EXPECT_EQ(peers[0].port_guid, mad::Guid{guid("b")});
  EXPECT_EQ(find_lag(peers[0]), "");
}

TEST_F(PeerStoreTest, WatchReturnsChangesOfOtherManagers) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  const StoreRevision before = b.store->copy().head().revision;
  ASSERT_TRUE(set(a, "/p/one", "1"));
  std::vector<StoreChange> deletion{{.key = "/p/one", .value = {}}};
  ASSERT_TRUE(commit(a, std::move(deletion)));
  const auto events = runtime.run(b.store->watch("/p/", before));
  ASSERT_TRUE(events && *events);
  ASSERT_EQ((*events)->events.size(), 1u);
  EXPECT_EQ((*events)->events[0].value, std::nullopt);
  EXPECT_EQ((*events)->revision, a.store->copy().head().revision);
}

TEST_F(PeerStoreTest, ManagerThatDidNotClaimWritesNothing) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  lead(b);  // knows of the first claim
  a.store->set_leading(false);
  runtime.run_for(100ms);
  const auto made = set(a, "/p/one", "1");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().fault, StoreFault::fenced);
  EXPECT_EQ(read(b), Content());
}

TEST_F(PeerStoreTest, ReconnectSendsOnlyWhatIsMissing) {
  Manager& a = start("a");
  start("b");
  runtime.run_for(1s);
  lead(a);
  for (int number = 0; number < 500; ++number) {
    const std::string key = fmt::format("/p/{:04}", number);
    ASSERT_TRUE(set(a, key, std::string(200, 'x')));
  }
  ASSERT_TRUE(agree());
  end("b");
  ASSERT_TRUE(set(a, "/p/0007", "changed"));
  std::vector<StoreChange> deletion{{.key = "/p/0008", .value = {}}};
  ASSERT_TRUE(commit(a, std::move(deletion)));
  const std::size_t before = sent("a", "b");
  start("b");
  ASSERT_TRUE(agree());
  EXPECT_LT(sent("a", "b") - before, 4000u);
  EXPECT_EQ(read(managers.at("b")), read(a));
}

TEST_F(PeerStoreTest, ChangesAreNotSentBackToWhereTheyCameFrom) {
  Manager& a = start("a");
  start("b");
  runtime.run_for(1s);
  lead(a);
  const std::size_t before = sent("b", "a");
  for (int number = 0; number < 20; ++number)
    ASSERT_TRUE(set(a, fmt::format("/p/{}", number), std::string(10'000, 'x')));
  runtime.run_for(5s);
  EXPECT_LT(sent("b", "a") - before, 10'000u);
}

TEST_F(PeerStoreTest, DeadPeerDelaysOneCommitForTwoSeconds) {
  Manager& a = start("a");
  start("b");
  runtime.run_for(1s);
  lead(a);
  network.cut_both("a", "b");
  mad::TimePoint begin = runtime.now();
  ASSERT_TRUE(set(a, "/p/one", "1"));
  EXPECT_LE(runtime.now() - begin, 2s);
  EXPECT_EQ(a.store->copies()->current, 0u);
  begin = runtime.now();
  ASSERT_TRUE(set(a, "/p/two", "2"));
  EXPECT_LE(runtime.now() - begin, 10ms);
  runtime.run_for(4s);
  EXPECT_EQ(a.store->copies()->connected, 0u);
  EXPECT_NE(why(a, "b"), "");
  network.heal();
  ASSERT_TRUE(agree(1min));
  runtime.run_for(100ms);
  EXPECT_EQ(a.store->copies()->current, 1u);
}

TEST_F(PeerStoreTest, LinkThatIsCutInOneDirectionIsNotConnected) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  network.cut("a", "b");
  runtime.run_for(5s);
  EXPECT_EQ(a.store->copies()->connected, 0u);
  for (Manager* const manager : {&a, &b})
    for (const StorePeer& peer : manager->store->peers()) EXPECT_FALSE(peer.connected);
}

TEST_F(PeerStoreTest, SlowPeerDoesNotDelayAnotherOne) {
  hosts = {"a", "b", "c"};
  Manager& a = start("a");
  start("b");
  start("c");
  runtime.run_for(1s);
  lead(a);
  network.bytes_per_second["c"] = 20'000;
  for (int number = 0; number < 20; ++number) {
    const std::string key = fmt::format("/p/{}", number);
    ASSERT_TRUE(set(a, key, std::string(100'000, 'x')));
  }
  EXPECT_EQ(managers.at("b").store->copy().head(), a.store->copy().head());
  EXPECT_NE(managers.at("c").store->copy().head(), a.store->copy().head());
  const mad::TimePoint begin = runtime.now();
  ASSERT_TRUE(set(a, "/p/last", "1"));
  EXPECT_LE(runtime.now() - begin, 50ms);
  network.bytes_per_second.clear();
  EXPECT_TRUE(agree(2min));
}

TEST_F(PeerStoreTest, ThirdManagerGetsWhatTheMasterCouldNotSendIt) {
  hosts = {"a", "b", "c"};
  Manager& a = start("a");
  start("b");
  Manager& c = start("c");
  runtime.run_for(1s);
  lead(a);
  network.cut_both("a", "c");
  ASSERT_TRUE(set(a, "/p/one", "1"));
  runtime.run_for(5s);
  EXPECT_EQ(read(c), (Content{{"/p/one", "1"}}));
}

TEST_F(PeerStoreTest, LeasesEndAtTheMasterAndAtManagersThatNoLongerHearIt) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  const auto put_with_lease = [&](const std::string& key) {
    const auto lease = runtime.run(a.store->grant(10s));
    std::vector<StoreChange> changes{{.key = key, .value = "1", .lease = **lease}};
    EXPECT_TRUE(commit(a, std::move(changes)));
    return **lease;
  };
  put_with_lease("/p/short");
  const StoreLease kept = put_with_lease("/p/kept");
  for (int second = 0; second < 15; ++second) {
    EXPECT_TRUE(**runtime.run(a.store->keep_alive(kept)));
    runtime.run_for(1s);
  }
  EXPECT_EQ(read(b), (Content{{"/p/kept", "1"}}));
  end("a");
  runtime.run_for(5s);
  EXPECT_EQ(read(b), (Content{{"/p/kept", "1"}}));
  const StoreRevision before = b.store->copy().head().revision;
  runtime.run_for(10s);
  EXPECT_EQ(read(b), Content());
  const auto events = runtime.run(b.store->watch("/p/", before));
  ASSERT_TRUE(events && *events);
  ASSERT_EQ((*events)->events.size(), 1u);
  EXPECT_EQ((*events)->events[0].value, std::nullopt);
  // A standby that starts later does not take an ended lease for a valid one.
  end("b");
  EXPECT_EQ(read(start("b")), Content());
}

TEST_F(PeerStoreTest, RandomFaultsLoseNoChangeThatAnotherManagerHeld) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    Manager* master = &start("a");
    start("b");
    runtime.run_for(2s);
    lead(*master);
    Content held;
    for (int step = 0; step < 200; ++step) {
      const std::string key = fmt::format("/p/{}", random() % 20);
      const std::string value = fmt::format("{} {}", seed, step);
      const std::string other = master->host == "a" ? "b" : "a";
      switch (random() % 12) {
        case 0:  // the standby restarts
          end(other);
          start(other);
          runtime.run_for(std::chrono::seconds(random() % 3));
          break;
        case 1: {  // the master is killed when the standby is current
          if (master->store->copies()->current != 1) break;
          const std::string killed = master->host;
          end(killed);
          master = &managers.at(other);
          lead(*master);
          start(killed);
          break;
        }
        case 2:
          network.cut_both("a", "b");
          runtime.run_for(std::chrono::seconds(random() % 5));
          network.heal();
          break;
        default:
          if (const auto made = set(*master, key, value); !made) {
            claim(*master);  // after a merge
            ASSERT_TRUE(set(*master, key, value));
          }
          held[key] = value;
      }
    }
    ASSERT_TRUE(agree(2min));
    EXPECT_EQ(read(managers.at("a")), held);
    EXPECT_EQ(read(managers.at("b")), held);
    for (const char* const host : {"a", "b"}) {
      end(host);
      std::filesystem::remove_all(file(host));
    }
  }
}

}  // namespace peer_store_test
}  // namespace sm::peers
