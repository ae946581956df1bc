// A store that managers keep together, over links with faults, in virtual time.
#include "sm/store/peers/peer_store.h"
#include "mad/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

#include "sm/store/atomic_file.h"
#include "sm/store/journal.h"
#include "support/full_disk.h"
#include "support/simulated_network.h"
#include "unit/sm/temporary_directory.h"

namespace sm::peers {
namespace peer_store_test {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Content = std::map<std::string, std::string>;

constexpr std::uint64_t kSubnet = 0xfe80000000000000;
constexpr const char* kClaim = "/p/mastership";

struct Manager {
  std::string host;
  std::shared_ptr<PeerStore> store;
  StoreRevision claim = 0;
};

class PeerStoreTest : public testing::Test {
 protected:
  ~PeerStoreTest() override {
    for (const auto& [host, manager] : managers) manager.store->stop();
    runtime.run_for(10s);
  }

  static std::uint64_t guid(const std::string& host) { return 0x1000u + host[0]; }
  std::filesystem::path file(const std::string& host) { return directory.path() / host; }

  Manager& start(const std::string& host, std::uint64_t subnet = kSubnet,
                 ProtocolVersions versions = {}) {
    Manager& manager = managers[host];
    manager.host = host;
    manager.claim = 0;
    PeerSettings settings{.port_guid = {guid(host)},
                          .subnet_prefix = subnet,
                          .file = file(host) / "peer-store",
                          .only_seen = only_seen};
    std::filesystem::create_directories(file(host));
    for (const std::string& peer : hosts) settings.peers.push_back({.host = peer, .port = 1});
    auto created = PeerStore::create(runtime, std::move(settings), network.attach(host), versions);
    EXPECT_TRUE(created) << created.error();
    manager.store = *created;
    return manager;
  }
  /// Ends a manager without a last word; its file stays as it is.
  void end(const std::string& host) {
    managers.at(host).store->stop();
    runtime.run_for(10ms);
    managers.erase(host);
  }

  StoreResult<StoreRevision> commit(Manager& manager, std::vector<StoreChange> changes) {
    StoreGuard guard{.key = kClaim, .revision = manager.claim};
    const auto done =
        runtime.run(manager.store->commit(std::move(guard), std::move(changes)), 1min);
    return done.value_or(tl::unexpected(StoreError{StoreFault::unreachable, "does not end"}));
  }
  StoreResult<StoreRevision> set(Manager& manager, std::string key, std::string value) {
    std::vector<StoreChange> changes{{.key = std::move(key), .value = std::move(value)}};
    return commit(manager, std::move(changes));
  }
  /// Becomes the writer, as a manager that is MASTER does.
  void lead(Manager& manager) {
    manager.store->set_leading(true);
    claim(manager);
  }
  void claim(Manager& manager) {
    const StoreCopy::Entry* const there = manager.store->copy().find(kClaim);
    manager.claim = there == nullptr ? 0 : there->revision;
    const auto made = set(manager, kClaim, manager.host);
    ASSERT_TRUE(made) << made.error().text;
    manager.claim = *made;
  }
  Content read(Manager& manager) {
    const auto content = runtime.run(manager.store->read("/p/"), 1min);
    Content out;
    if (!content || !*content) return out;
    for (const StoreEntry& entry : (*content)->entries)
      if (entry.key != kClaim) out[entry.key] = entry.value;
    return out;
  }
  bool agree(mad::Duration limit = 30s) {
    return runtime.run_until(
        [&] {
          const Position first = managers.begin()->second.store->copy().head();
          return std::ranges::all_of(managers, [&](const auto& manager) {
            return manager.second.store->copy().head() == first;
          });
        },
        limit);
  }
  std::string why(Manager& manager, const std::string& part) {
    for (const StorePeer& peer : manager.store->peers())
      if (peer.address.starts_with(part)) return peer.why_not;
    return "(no such peer)";
  }
  std::size_t sent(const std::string& from, const std::string& to) {
    return network.sent[{from, to}];
  }

  TemporaryDirectory directory;
  sim::VirtualRuntime runtime;
  support::SimulatedNetwork network{runtime};
  std::vector<std::string> hosts{"a", "b"};
  std::map<std::string, Manager> managers;
  bool only_seen = false;
};

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

TEST_F(PeerStoreTest, SuccessorTakesWhatTheMasterHadAndAReturnedMasterFollows) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "1"));
  end("a");
  lead(b);
  ASSERT_TRUE(set(b, "/p/two", "2"));
  EXPECT_EQ(b.store->copies()->current, 0u);
  Manager& again = start("a");
  ASSERT_TRUE(agree());
  EXPECT_EQ(read(again), (Content{{"/p/one", "1"}, {"/p/two", "2"}}));
  EXPECT_TRUE(b.store->conditions().empty());
}

/// Both lead for a while without seeing each other.
class PeerStoreSplitTest : public PeerStoreTest, public testing::WithParamInterface<const char*> {
 protected:
  void split() {
    Manager& a = start("a");
    Manager& b = start("b");
    runtime.run_for(1s);
    lead(a);
    for (const char* const key : {"/p/both", "/p/deleted", "/p/kept", "/p/same"})
      ASSERT_TRUE(set(a, key, "before"));
    ASSERT_TRUE(agree());
    network.cut_both("a", "b");
    runtime.run_for(5s);
    lead(b);
    ASSERT_TRUE(set(a, "/p/only_a", "a"));
    ASSERT_TRUE(set(a, "/p/both", "a"));
    ASSERT_TRUE(set(b, "/p/only_b", "b"));
    ASSERT_TRUE(set(b, "/p/both", "b"));
    std::vector<StoreChange> deletion{{.key = "/p/deleted", .value = {}}};
    ASSERT_TRUE(commit(b, std::move(deletion)));
    for (Manager* const manager : {&a, &b}) ASSERT_TRUE(set(*manager, "/p/same", "equal"));
  }
};

TEST_P(PeerStoreSplitTest, ManagerThatLeadsWinsAndNothingIsLostInSilence) {
  split();
  const std::string winner = GetParam(), loser = winner == "a" ? "b" : "a";
  network.heal();
  runtime.run_for(40s);
  // Both lead: each keeps its own.
  EXPECT_EQ(read(managers.at("a")).at("/p/both"), "a");
  EXPECT_EQ(read(managers.at("b")).at("/p/both"), "b");
  const StoreRevision before = managers.at(winner).store->copy().head().revision;
  managers.at(loser).store->set_leading(false);
  ASSERT_TRUE(agree());
  runtime.run_for(5s);
  const Content content = read(managers.at("a"));
  EXPECT_EQ(content, read(managers.at("b")));
  Content expected{{"/p/both", winner},
                   {"/p/kept", "before"},
                   {"/p/same", "equal"},
                   {"/p/only_a", "a"},
                   {"/p/only_b", "b"}};
  EXPECT_EQ(content, expected);  // a deletion by the loser is taken, too
  // The other one's changes are named to the one that leads.
  const auto events = runtime.run(managers.at(winner).store->watch("/p/", before));
  ASSERT_TRUE(events && *events);
  const std::string only = "/p/only_" + loser;
  const auto taken = std::ranges::find((*events)->events, only, &StoreEvent::key);
  ASSERT_NE(taken, (*events)->events.end());
  EXPECT_TRUE(taken->merged);
  // What lost is in a file, and a condition names it.
  const auto conditions = managers.at(winner).store->conditions();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_THAT(conditions[0].text, HasSubstr("/p/both"));
  EXPECT_TRUE(managers.at(loser).store->conditions().empty());
  std::string kept;
  for (const auto& entry : std::filesystem::directory_iterator(file(winner)))
    if (entry.path().filename().string().starts_with("state-conflicts-"))
      kept += text_of(entry.path());
  EXPECT_THAT(kept, HasSubstr("/p/both\n  kept " + winner + "\n  lost " + loser + "\n"));
  EXPECT_EQ(kept.find("/p/same"), std::string::npos);
  EXPECT_EQ(kept.find("mastership"), std::string::npos);
  // The claim has another revision: the manager that leads claims again.
  EXPECT_EQ(set(managers.at(winner), "/p/new", "1").error().fault, StoreFault::fenced);
  claim(managers.at(winner));
  ASSERT_TRUE(set(managers.at(winner), "/p/new", "1"));
  EXPECT_EQ(managers.at(winner).store->copies()->current, 1u);
  for (const std::string& host : {winner, loser}) end(host);
  EXPECT_EQ(read(start("a")), read(start("b")));
}
/// The network between the managers is there: each of them sees what the other one does.
TEST_P(PeerStoreSplitTest, ManagersOfADividedFabricThatSeeEachOtherLoseNothingInSilence) {
  const std::string winner = GetParam(), loser = winner == "a" ? "b" : "a";
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/both", "before"));
  ASSERT_TRUE(agree());
  lead(b);
  for (Manager* const manager : {&a, &b}) {
    ASSERT_TRUE(set(*manager, "/p/only_" + manager->host, manager->host));
    EXPECT_EQ(manager->store->copies()->current, 0u);
    ASSERT_TRUE(set(*manager, "/p/both", manager->host));
  }
  runtime.run_for(40s);
  EXPECT_EQ(read(a), (Content{{"/p/both", "a"}, {"/p/only_a", "a"}}));
  EXPECT_EQ(read(b), (Content{{"/p/both", "b"}, {"/p/only_b", "b"}}));
  const StoreRevision before = managers.at(winner).store->copy().head().revision;
  managers.at(loser).store->set_leading(false);
  ASSERT_TRUE(agree());
  runtime.run_for(5s);
  const Content expected{{"/p/both", winner}, {"/p/only_a", "a"}, {"/p/only_b", "b"}};
  EXPECT_EQ(read(a), expected);
  EXPECT_EQ(read(b), expected);
  const auto events = runtime.run(managers.at(winner).store->watch("/p/", before));
  ASSERT_TRUE(events && *events);
  const std::string only = "/p/only_" + loser;
  const auto taken = std::ranges::find((*events)->events, only, &StoreEvent::key);
  ASSERT_NE(taken, (*events)->events.end());
  EXPECT_TRUE(taken->merged);
  const auto conditions = managers.at(winner).store->conditions();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_THAT(conditions[0].text, HasSubstr("/p/both"));
}

/// A merge that does not keep the values that lose does not count.
TEST_P(PeerStoreSplitTest, MergeWaitsForTheFileOfConflicts) {
  split();
  const std::string winner = GetParam(), loser = winner == "a" ? "b" : "a";
  Manager& leads = managers.at(winner);
  const std::filesystem::path moved = directory.path() / "moved";
  std::filesystem::rename(file(winner), moved);  // the open file still takes lines
  network.heal();
  managers.at(loser).store->set_leading(false);
  runtime.run_for(20s);
  EXPECT_EQ(read(managers.at(loser)).at("/p/both"), loser);
  EXPECT_THAT(why(leads, loser), HasSubstr("state-conflicts-"));
  EXPECT_TRUE(leads.store->conditions().empty());
  std::filesystem::rename(moved, file(winner));
  ASSERT_TRUE(agree(2min));
  EXPECT_EQ(read(managers.at(loser)).at("/p/both"), winner);
  ASSERT_EQ(leads.store->conditions().size(), 1u);
  EXPECT_THAT(leads.store->conditions()[0].text, HasSubstr("/p/both"));
  // A restarted manager still names them, until the file is removed.
  end(winner);
  const auto conditions = start(winner).store->conditions();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_THAT(conditions[0].text, HasSubstr("/p/both"));
  end(winner);
  for (const auto& entry : std::filesystem::directory_iterator(file(winner)))
    if (entry.path().filename().string().starts_with("state-conflicts-"))
      std::filesystem::remove(entry.path());
  EXPECT_TRUE(start(winner).store->conditions().empty());
}

/// The first one has changed nothing since: its manager would write over the other one's records.
TEST_P(PeerStoreSplitTest, ChangesThatFollowTheClaimOfAManagerThatLeadsAreMerged) {
  const std::string second = GetParam(), first = second == "a" ? "b" : "a";
  start("a");
  start("b");
  runtime.run_for(1s);
  Manager& leader = managers.at(first);
  lead(leader);
  ASSERT_TRUE(agree());
  lead(managers.at(second));
  ASSERT_TRUE(set(managers.at(second), "/p/one", "1"));
  runtime.run_for(2s);
  EXPECT_EQ(read(leader), Content());
  const StoreRevision before = leader.store->copy().head().revision;
  managers.at(second).store->set_leading(false);
  ASSERT_TRUE(agree());
  const auto events = runtime.run(leader.store->watch("/p/", before));
  ASSERT_TRUE(events && *events);
  const auto taken = std::ranges::find((*events)->events, "/p/one", &StoreEvent::key);
  ASSERT_NE(taken, (*events)->events.end());
  EXPECT_TRUE(taken->merged);
  EXPECT_EQ(leader.store->copy().find(kClaim)->value, first);
}
INSTANTIATE_TEST_SUITE_P(Winners, PeerStoreSplitTest, testing::Values("a", "b"));

TEST_F(PeerStoreTest, HandoverWithAnOverlapNeedsNoMerge) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  ASSERT_TRUE(set(a, "/p/one", "a"));
  const mad::TimePoint begin = runtime.now();
  lead(b);
  ASSERT_TRUE(set(b, "/p/one", "b"));
  EXPECT_LE(runtime.now() - begin, 100ms);
  EXPECT_EQ(b.store->copies()->current, 0u);
  a.store->set_leading(false);
  ASSERT_TRUE(agree(100ms));
  EXPECT_EQ(read(a), (Content{{"/p/one", "b"}}));
  EXPECT_EQ(read(b), (Content{{"/p/one", "b"}}));
  ASSERT_TRUE(set(b, "/p/two", "2"));
  EXPECT_EQ(b.store->copies()->current, 1u);
  for (Manager* const manager : {&a, &b}) EXPECT_TRUE(manager->store->conditions().empty());
}

/// The third one has copied everything from a manager that had forgotten the deletion.
TEST_F(PeerStoreTest, DeletedKeyDoesNotComeBackThroughAThirdManager) {
  hosts = {"a", "b", "c"};
  Manager& a = start("a");
  start("c");
  runtime.run_for(1s);
  lead(a);
  for (const char* const key : {"/p/deleted", "/p/kept"}) ASSERT_TRUE(set(a, key, "1"));
  ASSERT_TRUE(agree());
  end("c");
  std::vector<StoreChange> deletion{{.key = "/p/deleted", .value = {}}};
  ASSERT_TRUE(commit(a, std::move(deletion)));
  const StoreRevision deleted = a.store->copy().head().revision;
  end("a");
  {
    auto opened = Journal::open(file("a") / "peer-store", false);
    ASSERT_TRUE(opened);
    std::string lines = fmt::format("forgotten {:x}\n", static_cast<std::uint64_t>(deleted));
    for (const JournalLine& line : parse_journal(opened->text).lines)
      if (line.text.find("/p/deleted") == std::string_view::npos) (lines += line.text) += '\n';
    ASSERT_TRUE(opened->journal.replace(lines));
  }
  start("a");
  start("b");
  ASSERT_TRUE(agree());
  runtime.run_for(1s);
  end("a");
  Manager& c = start("c");
  ASSERT_TRUE(agree());
  runtime.run_for(1s);
  EXPECT_EQ(read(c), (Content{{"/p/kept", "1"}}));
  EXPECT_EQ(read(managers.at("b")), read(c));
}

TEST_F(PeerStoreTest, ManagersThatLedBeforeTheyKnewEachOtherAreMerged) {
  network.cut_both("a", "b");
  Manager& a = start("a");
  Manager& b = start("b");
  lead(a);
  lead(b);
  ASSERT_TRUE(set(a, "/p/a", "1"));
  ASSERT_TRUE(set(b, "/p/b", "2"));
  network.heal();
  b.store->set_leading(false);
  ASSERT_TRUE(agree(1min));
  EXPECT_EQ(read(b), (Content{{"/p/a", "1"}, {"/p/b", "2"}}));
}

TEST_F(PeerStoreTest, UnacknowledgedChangesOfAKilledMasterAreMergedWhenItReturns) {
  Manager& a = start("a");
  Manager& b = start("b");
  runtime.run_for(1s);
  lead(a);
  network.cut_both("a", "b");
  ASSERT_TRUE(set(a, "/p/late", "1"));
  end("a");
  lead(b);
  network.heal();
  start("a");
  ASSERT_TRUE(agree(1min));
  EXPECT_EQ(read(b), (Content{{"/p/late", "1"}}));
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
