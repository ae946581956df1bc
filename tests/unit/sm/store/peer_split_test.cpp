// Managers that led at the same time, or one after the other, are joined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "mad/format.h"
#include "sm/store/journal.h"
#include "unit/sm/store/peer_store_lab.h"

namespace sm::peers {
namespace peer_store_test {

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
  // The losing values are in a file, and a condition names it.
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

}  // namespace peer_store_test
}  // namespace sm::peers
