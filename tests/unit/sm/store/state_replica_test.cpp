// Replication of records between managers by a store that fails in all ways, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sm/store/atomic_file.h"
#include "sm/store/replica/cache_records.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/replica_conditions.h"
#include "unit/sm/store/replica_lab.h"

namespace sm {
namespace state_replica_test {

using namespace std::chrono_literals;
using namespace replica_lab;

class StateReplicaTest : public ReplicaLab {};
using testing::HasSubstr;

TEST_F(StateReplicaTest, StandbyHoldsWhatTheMasterGaveAndATakeoverLacksNothing) {
  Member& master = add(1);
  Member& standby = add(2);
  EXPECT_EQ(lead(master, some(3000)).manager, mad::Guid{});
  ASSERT_TRUE(settles(master));
  master.replica->set("registrations/0001", "other");
  master.replica->set("registrations/0002", {});
  runtime.run_for(100ms);
  EXPECT_EQ(standby.replica->records(section::kRegistrations).size(), 2999u);
  EXPECT_TRUE(standby.replica->conditions().empty());
  members.erase(members.begin());  // killed

  const FoundState found = lead(standby, {});
  EXPECT_EQ(found.manager, mad::Guid{1});
  EXPECT_EQ(found.manager_lid, mad::Lid{7});
  EXPECT_EQ(found.missing, "");
  EXPECT_EQ(found.records.at("registrations/0001"), "other");
  EXPECT_EQ(found.records.size(), 2999u);
  // It replaced them by none.
  ASSERT_TRUE(settles(standby));
  EXPECT_EQ(server.count("registrations"), 0u);
}

TEST_F(StateReplicaTest, MasterTakesRecordsOfSectionsThatItReplaced) {
  Member& master = add(1);
  EXPECT_FALSE(master.replica->takes(section::kRegistrations));
  lead(master, some(1));
  EXPECT_TRUE(master.replica->takes(section::kRegistrations));
  EXPECT_FALSE(master.replica->takes(section::kPartitions));
  ASSERT_TRUE(settles(master));
  master.replica->follow();
  EXPECT_FALSE(master.replica->takes(section::kRegistrations));
}

TEST_F(StateReplicaTest, SupersededMasterWritesNothing) {
  Member& old = add(1);
  lead(old, some(10));
  ASSERT_TRUE(settles(old));
  Member& next = add(2);
  runtime.run_for(1s);
  lead(next, some(20));
  ASSERT_TRUE(settles(next));
  // The old one believes that it is MASTER, and has not seen the claim yet.
  old.replica->set("registrations/0005", "of the old one");
  runtime.run_for(20s);
  EXPECT_EQ(server.count("registrations"), 20u);
  EXPECT_EQ(next.replica->status().pending, 0u);
  EXPECT_TRUE(next.replica->status().leading);
  EXPECT_TRUE(old.has(sm::kReplicaConditions.store_behind));
  old.replica->follow();
  runtime.run_for(20s);
  EXPECT_FALSE(old.has(sm::kReplicaConditions.store_behind));
  EXPECT_EQ(old.replica->records(section::kRegistrations).size(), 20u);
}

TEST_F(StateReplicaTest, ChangesWhileTheStoreIsAwayAreCoalescedAndWrittenWhenItIsBack) {
  Member& master = add(1);
  lead(master, some(100));
  ASSERT_TRUE(settles(master));
  master.store->set_reachable(false);
  for (unsigned round = 0; round < 1000; ++round) {
    master.replica->set("registrations/0000", fmt::format("round {}", round));
    master.replica->set(fmt::format("registrations/short {}", round), "lives briefly");
    master.replica->set(fmt::format("registrations/short {}", round), {});
    if (round % 100 == 0) runtime.run_for(100ms);
  }
  runtime.run_for(1min);
  EXPECT_EQ(master.replica->status().pending, 1u);
  EXPECT_GE(master.replica->status().behind, 1min);
  EXPECT_TRUE(master.has(sm::kReplicaConditions.store_unreachable));
  const std::size_t changes = server.changes;
  master.store->set_reachable(true);
  ASSERT_TRUE(settles(master));
  EXPECT_LE(server.changes - changes, 4u);
  EXPECT_TRUE(master.replica->conditions().empty());
}

TEST_F(StateReplicaTest, WhoFollowsChangesSeesThatAnAbsentStoreIsBack) {
  Member& master = add(1);
  lead(master, some(1));
  ASSERT_TRUE(settles(master));
  std::vector<Condition> shown;
  master.replica->set_on_change([&] { shown = master.replica->conditions(); });
  master.store->lose_answers = true;  // a server that hangs: what is watched stays connected
  master.replica->set("registrations/0000", "changed");
  EXPECT_TRUE(runtime.run_until([&] { return !shown.empty(); }, 10s));
  master.store->lose_answers = false;
  EXPECT_TRUE(runtime.run_until([&] { return master.replica->status().reachable; }, 10s));
  EXPECT_TRUE(shown.empty());
}

/// The announcement ends with its lease when the master cannot write.
TEST_F(StateReplicaTest, TakeoverAfterTheMasterWasCutOffSaysThatChangesMayBeMissing) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(10));
  ASSERT_TRUE(settles(master));
  master.store->set_reachable(false);
  master.replica->set("registrations/later", "not in the store");
  runtime.run_for(15s);
  EXPECT_TRUE(standby.has(sm::kReplicaConditions.store_behind));
  const FoundState found = lead(standby, {});
  EXPECT_EQ(found.manager, mad::Guid{1});
  EXPECT_EQ(found.records.size(), 10u);
  EXPECT_THAT(found.missing, HasSubstr("did not write all"));
}

TEST_F(StateReplicaTest, FullStoreIsAConditionAndTheAnnouncementEnds) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(10));
  ASSERT_TRUE(settles(master));
  server.full = true;
  master.replica->set("registrations/later", "no space");
  runtime.run_for(30s);
  EXPECT_TRUE(master.has(sm::kReplicaConditions.store_unreachable));
  EXPECT_EQ(master.replica->status().pending, 1u);
  EXPECT_TRUE(standby.has(sm::kReplicaConditions.store_behind));
  server.full = false;
  ASSERT_TRUE(settles(master));
  runtime.run_for(1s);
  EXPECT_TRUE(standby.replica->conditions().empty());
}

TEST_F(StateReplicaTest, StandbyHasWhatItKnewWhenTheStoreIsAwayAtTheTakeover) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(10));
  ASSERT_TRUE(settles(master));
  runtime.run_for(1s);
  standby.store->set_reachable(false);
  members.erase(members.begin());
  const mad::TimePoint begin = runtime.now();
  const FoundState found = lead(standby, {});
  EXPECT_LE(runtime.now() - begin, 500ms);
  EXPECT_EQ(found.records.size(), 10u);
  EXPECT_NE(found.missing, "");
}

TEST_F(StateReplicaTest, RecordsThatDoNotAuthenticateAreNamedAndReplaced) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(10));
  ASSERT_TRUE(settles(master));
  master.store->set_reachable(false);
  const std::string other = server.content.at(std::string(kPrefix) + "registrations/0003").value;
  server.write(std::string(kPrefix) + "registrations/0001", "heddle 1 nonsense");
  server.write(std::string(kPrefix) + "registrations/0002", other);  // of another key
  runtime.run_for(100ms);
  ASSERT_TRUE(standby.has(sm::kReplicaConditions.store_record_rejected));
  EXPECT_THAT(standby.replica->conditions().front().text, HasSubstr("registrations/0001"));
  EXPECT_EQ(standby.replica->records(section::kRegistrations).size(), 8u);
  master.store->set_reachable(true);
  runtime.run_for(30s);
  EXPECT_EQ(standby.replica->records(section::kRegistrations), some(10));
  EXPECT_TRUE(standby.replica->conditions().empty());
}

TEST_F(StateReplicaTest, OldValuesThatArePutBackAreNamedAndReplaced) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(10));
  ASSERT_TRUE(settles(master));
  const std::string first = std::string(kPrefix) + "registrations/0001",
                    second = std::string(kPrefix) + "registrations/0002",
                    old_first = server.content.at(first).value,
                    old_second = server.content.at(second).value;
  Records now = some(10);
  now["registrations/0001"] = "another text";
  now.erase("registrations/0002");
  master.replica->set("registrations/0001", "another text");
  runtime.run_for(1s);
  master.replica->set("registrations/0002", {});
  runtime.run_for(1s);
  ASSERT_EQ(standby.replica->records(section::kRegistrations), now);
  master.store->set_reachable(false);
  server.write(first, old_first);
  server.write(second, old_second);
  runtime.run_for(100ms);
  const Member& late = add(3);  // it has seen nothing of before
  runtime.run_for(100ms);
  for (const Member* member : {&std::as_const(standby), &late}) {
    EXPECT_TRUE(member->has(sm::kReplicaConditions.store_record_rejected));
    EXPECT_THAT(member->replica->conditions().front().text, HasSubstr("was put back"));
    EXPECT_EQ(member->replica->records(section::kRegistrations).size(), 8u);
  }
  master.store->set_reachable(true);
  runtime.run_for(30s);
  EXPECT_EQ(standby.replica->records(section::kRegistrations), now);
  EXPECT_TRUE(standby.replica->conditions().empty());
}

TEST_F(StateReplicaTest,
       OldValuesThatArePutBackAfterTheEndOfTheMasterAreNotUsedByOneThatStartsThen) {
  Member& master = add(1);
  lead(master, some(3));
  ASSERT_TRUE(settles(master));
  const std::string key = std::string(kPrefix) + "registrations/0001",
                    old = server.content.at(key).value;
  master.replica->set("registrations/0001", "the last change");
  runtime.run_for(5s);
  members.clear();
  runtime.run_for(20s);
  ASSERT_FALSE(server.content.contains(std::string(kPrefix) + "complete"));
  server.write(key, old);
  Member& late = add(3);
  runtime.run_for(100ms);
  EXPECT_TRUE(late.has(sm::kReplicaConditions.store_record_rejected));
  EXPECT_EQ(late.replica->records(section::kRegistrations).count("registrations/0001"), 0u);
}

TEST_F(StateReplicaTest, WhatAManagerWroteBeforeAnotherClaimedTheStoreDoesNotCountAfterwards) {
  Member& master = add(1);
  lead(master, some(3));
  ASSERT_TRUE(settles(master));
  const std::string key = std::string(kPrefix) + "registrations/0001",
                    old = server.content.at(key).value;
  master.replica->set("registrations/0001", {});
  runtime.run_for(1s);
  members.clear();
  Member& next = add(2);
  EXPECT_EQ(lead(next, {}).records.size(), 2u);
  ASSERT_TRUE(settles(next));
  server.write(key, old);
  Member& late = add(3);
  runtime.run_for(100ms);
  EXPECT_EQ(late.replica->records(section::kRegistrations).count("registrations/0001"), 0u);
}

/// All records of an earlier moment, in a store that was restored from a copy or written again.
TEST_F(StateReplicaTest, AnOldCopyOfTheWholeStoreIsNotUsedByOneThatHasSeenANewerOne) {
  for (const bool is_restored : {true, false}) {
    SCOPED_TRACE(is_restored ? "restored" : "written again");
    const std::uint64_t first = is_restored ? 1 : 11;  // GUIDs: each has a file of its own
    add(first);
    lead(*members.front(), some(3));
    ASSERT_TRUE(settles(*members.front()));
    add(first + 1);
    runtime.run_for(1s);
    const auto old = server.content;
    members.front()->replica->set("registrations/0001", "changed");
    runtime.run_for(2min);
    members.clear();
    runtime.run_for(20s);
    if (is_restored) {
      server.content = old;
    } else {
      // In the order in which they were written, the claim last: each of them authenticates.
      std::map<StoreRevision, std::vector<std::pair<std::string, std::string>>> in_order;
      for (const auto& [key, entry] : old)
        in_order[key.ends_with("mastership") ? entry.revision + 1'000'000 : entry.revision]
            .emplace_back(key, entry.value);
      for (const auto& [revision, entries] : in_order)
        for (const auto& [key, value] : entries) server.write(key, value);
    }
    Member& standby = add(first + 1);
    Member& fresh = add(first + 2);  // it has seen nothing before
    runtime.run_for(1s);
    EXPECT_TRUE(standby.has(sm::kReplicaConditions.store_record_rejected));
    EXPECT_THAT(standby.replica->conditions().front().text, HasSubstr("older state"));
    EXPECT_TRUE(standby.replica->records(section::kRegistrations).empty());
    EXPECT_EQ(fresh.replica->records(section::kRegistrations).size(), 3u)
        << "it cannot know (SECURITY.md)";
    const FoundState found = lead(standby, some(2));
    EXPECT_EQ(found.manager, mad::Guid{}) << "the local files count";
    EXPECT_THAT(found.missing, HasSubstr("older state"));
    ASSERT_TRUE(settles(standby));
    runtime.run_for(2min);
    EXPECT_TRUE(standby.replica->conditions().empty()) << "its own claim is newer";
    EXPECT_EQ(fresh.replica->records(section::kRegistrations).size(), 2u);
    members.clear();
    runtime.run_for(20s);
    server.wipe();
  }
}

/// A store that lost its data is no old copy: records that are written afterwards count.
TEST_F(StateReplicaTest, AStoreThatLostItsDataIsNotOld) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(3));
  ASSERT_TRUE(settles(master));
  runtime.run_for(2min);
  server.wipe();
  runtime.run_for(2min);
  EXPECT_TRUE(standby.replica->conditions().empty());
  EXPECT_EQ(standby.replica->records(section::kRegistrations).size(), 3u);
}

TEST_F(StateReplicaTest, ManagerWithAnotherKeyUsesNothing) {
  lead(add(1), some(10));
  ASSERT_TRUE(settles(*members.front()));
  Member& stranger = add(2, "another secret");
  runtime.run_for(1s);
  EXPECT_TRUE(stranger.has(sm::kReplicaConditions.store_record_rejected));
  const FoundState found = lead(stranger, some(5));
  EXPECT_EQ(found.manager, mad::Guid{});
  EXPECT_NE(found.missing, "");
}

/// The watch of a store that the managers hold shows changes that no disk has.
TEST_F(StateReplicaTest, ChangesThatTheDiskDoesNotHaveAreNotAnsweredAsStored) {
  server.held = StoreCopies{.configured = 1, .connected = 1, .current = 1};
  Member& master = add(1);
  lead(master, some(3));
  ASSERT_TRUE(settles(master));
  const auto store = [&](const std::string& text, mad::Duration limit) {
    master.replica->set("registrations/0001", text);
    const auto outcome =
        runtime.run(master.replica->stored({"registrations/0001"}, runtime.now() + limit), 2min);
    return outcome.value_or(StoredChanges{}).stored;
  };
  server.full_of_disk = true;
  EXPECT_FALSE(store("on a full disk", 12s));
  EXPECT_GT(master.replica->status().pending, 0u);
  server.full_of_disk = false;
  EXPECT_TRUE(store("on a full disk", 1min));
  EXPECT_EQ(master.replica->status().pending, 0u);
  EXPECT_TRUE(store("with room", 1s));
}

TEST_F(StateReplicaTest, StoreThatAlwaysAsksForAReadIsReadWithPauses) {
  Member& member = add(1);
  server.compacted = 1000;  // of a defect
  runtime.run_for(10s);
  EXPECT_LE(member.store->reads, 25u);
  server.compacted = 0;
  runtime.run_for(1min);
  EXPECT_TRUE(member.replica->status().reachable);
}

TEST_F(StateReplicaTest, CompactionAndLossOfAllDataAreMended) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(50));
  ASSERT_TRUE(settles(master));
  standby.store->set_reachable(false);
  master.replica->set("registrations/0001", {});
  runtime.run_for(10s);
  server.compact();
  standby.store->set_reachable(true);
  runtime.run_for(40s);
  EXPECT_EQ(standby.replica->records(section::kRegistrations).size(), 49u);

  server.wipe();
  ASSERT_TRUE(settles(master));
  runtime.run_for(40s);
  EXPECT_EQ(server.count("registrations"), 49u);
  EXPECT_EQ(standby.replica->records(section::kRegistrations).size(), 49u);
  EXPECT_TRUE(standby.replica->conditions().empty());
}

TEST_F(StateReplicaTest, WatchIsResumedWithoutReadingEverythingAgain) {
  Member& master = add(1);
  Member& standby = add(2);
  lead(master, some(50));
  ASSERT_TRUE(settles(master));
  runtime.run_for(1s);
  EXPECT_EQ(standby.store->reads, 1u);
  standby.store->set_reachable(false);
  runtime.run_for(1s);
  master.replica->set("registrations/0001", {});
  runtime.run_for(4s);
  standby.store->set_reachable(true);
  runtime.run_for(20s);
  EXPECT_EQ(standby.replica->records(section::kRegistrations).size(), 49u);
  // The mark of the master was compared, which is a read of one record.
  EXPECT_LE(standby.store->reads, 4u);
}

TEST_F(StateReplicaTest, LostAnswersOfWritesAreNoSecondMaster) {
  Member& master = add(1);
  master.store->lose_answers = true;
  lead(master, some(10));
  runtime.run_for(10s);
  master.store->lose_answers = false;
  ASSERT_TRUE(settles(master));
  EXPECT_EQ(server.count("registrations"), 10u);
}

/// It does not run for a while, and another one is MASTER then. What only that one changed counts,
/// deletions, too; what this one has changed since counts in its place.
TEST_F(StateReplicaTest, MasterTakesWhatAnotherOneChangedWhileItWasAway) {
  Member& away = add(1);
  Member& other = add(2);
  const auto give = [&](Member& member, const Records& partitions) {
    lead(member, {});
    member.replica->replace(section::kPartitions, partitions);
    ASSERT_TRUE(settles(member));
  };
  give(away, {{"partitions/1", "deleted there"},
              {"partitions/2", "changed there"},
              {"partitions/3", "changed by both"},
              {"partitions/4", "deleted here"}});
  std::vector<MergedRecords> taken;
  away.replica->set_on_merged([&](const MergedRecords& records) { taken.push_back(records); });
  away.store->set_reachable(false);
  away.replica->set("partitions/3", "here");
  away.replica->set("partitions/4", {});
  away.replica->set("partitions/5", "new here");
  give(other, {{"partitions/2", "there"},
               {"partitions/3", "there"},
               {"partitions/4", "deleted here"},
               {"partitions/6", "new there"}});
  other.replica->follow();
  runtime.run_for(15s);  // what it announced has ended
  away.store->set_reachable(true);
  runtime.run_for(1min);
  const MergedRecords expected{
      {"partitions/1", std::nullopt}, {"partitions/2", "there"}, {"partitions/6", "new there"}};
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken.front(), expected);
}

TEST_F(StateReplicaTest, LocalFilesCountUntilAnotherManagerHasClaimedTheStore) {
  lead(add(1), some(10));
  ASSERT_TRUE(settles(*members.front()));
  members.clear();
  runtime.run_for(1min);
  EXPECT_EQ(lead(add(1), some(10)).manager, mad::Guid{});
  members.clear();
  runtime.run_for(1min);
  lead(add(2), some(20));
  ASSERT_TRUE(settles(*members.front()));
  members.clear();
  runtime.run_for(1min);
  const FoundState found = lead(add(1), {});
  EXPECT_EQ(found.manager, mad::Guid{2});
  EXPECT_NE(found.missing, "");  // it was killed, and its lease has ended
}

TEST_F(StateReplicaTest, AfterARegularEndNothingIsMissing) {
  lead(add(1), some(10));
  ASSERT_TRUE(settles(*members.front()));
  members.front()->replica->set("registrations/0001", "in the last moment");
  runtime.start([](Member& member, mad::TimePoint deadline) -> boost::asio::awaitable<int> {
    co_await member.replica->close(deadline);
    co_return 0;
  }(*members.front(), runtime.now() + 1s));
  runtime.run_for(1s);
  members.clear();
  runtime.run_for(1h);
  const FoundState found = lead(add(2), {});
  EXPECT_EQ(found.missing, "");
  EXPECT_EQ(found.records.at("registrations/0001"), "in the last moment");
}

TEST_F(StateReplicaTest, MasterThatStandsDownWritesWhatItAcknowledgedBefore) {
  Member& old = add(1);
  lead(old, some(10));
  ASSERT_TRUE(settles(old));
  Member& next = add(2);
  runtime.run_for(1s);
  old.replica->set("registrations/0001", "acknowledged");
  old.replica->follow();
  runtime.run_for(100ms);
  EXPECT_EQ(lead(next, {}).records.at("registrations/0001"), "acknowledged");
}

/// Gives orders to isolate as a manager does: those of its file first, then one that a person
/// gives.
void order(StateReplica& replica, const std::string& reason) {
  replica.replace(section::kIsolations, {});
  replica.replace(section::kIsolations, {{"isolations/a", reason}});
}

TEST_F(StateReplicaTest, AnOrderThatTheStoreNeverTookIsNamedWhenAnotherManagerLeads) {
  server.held = StoreCopies{.configured = 1};
  Member &first = add(1), &second = add(2);
  lead(first, {});
  order(*first.replica, "first");
  ASSERT_TRUE(settles(first));
  first.replica->follow();
  server.full = true;
  second.replica->lead();
  order(*second.replica, "second");
  runtime.run_for(5s);
  second.replica->follow();
  EXPECT_EQ(first.store->lost.size(), 0u);
  ASSERT_EQ(second.store->lost.size(), 1u);
  const auto& [own_counts, change] = second.store->lost[0];
  EXPECT_FALSE(own_counts);
  EXPECT_EQ(change.key, std::string(kPrefix) + "isolations/a");
  EXPECT_EQ(change.kept, "first");
  EXPECT_EQ(change.lost, "second");
}

TEST_F(StateReplicaTest, AnOrderThatTheStoreTookIsNotNamed) {
  server.held = StoreCopies{.configured = 1};
  Member &first = add(1), &second = add(2);
  lead(first, {});
  order(*first.replica, "first");
  ASSERT_TRUE(settles(first));
  first.replica->follow();
  lead(second, {});
  order(*second.replica, "second");
  ASSERT_TRUE(settles(second));
  EXPECT_TRUE(first.store->lost.empty());
  EXPECT_TRUE(second.store->lost.empty());
}

TEST_F(StateReplicaTest, AnOrderThatAMergeMeetsBeforeTheStoreHasItStays) {
  server.held = StoreCopies{.configured = 1};
  Member& member = add(1);
  std::vector<MergedRecords> passed;
  member.replica->set_on_merged([&](const MergedRecords& records) { passed.push_back(records); });
  lead(member, {});
  member.replica->replace(section::kIsolations, {});
  ASSERT_TRUE(settles(member));
  server.full = true;
  member.replica->replace(section::kIsolations, {{"isolations/a", "own"}});
  runtime.run_for(1s);
  const auto record = [&](const std::string& key, const std::string& text) {
    const std::string at = std::string(kPrefix) + key;
    return StoreChange{.key = at, .value = RecordSeal("secret").seal(at, text, 0)};
  };
  server.merge({record("isolations/a", "other"), record("isolations/b", "other")});
  runtime.run_for(1s);
  ASSERT_EQ(passed.size(), 1u);
  EXPECT_THAT(passed[0], testing::ElementsAre(testing::Pair("isolations/b", "other")));
  ASSERT_EQ(member.store->lost.size(), 1u);
  EXPECT_TRUE(member.store->lost[0].first);
  EXPECT_EQ(member.store->lost[0].second.kept, "own");
  EXPECT_EQ(member.store->lost[0].second.lost, "other");
}

/// A manager that has an order in its file begins without the store. Another one that led since has
/// none, and has not announced that the store is complete.
class OrdersOfALateManager : public StateReplicaTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(TheStoreHadTheOrder, OrdersOfALateManager, testing::Bool(),
                         testing::PrintToStringParamName());

TEST_P(OrdersOfALateManager, AreReleasedIfTheStoreHadThem) {
  Member &other = add(2), &late = add(1);
  other.replica->lead();
  ASSERT_TRUE(runtime.run_until([&] { return other.replica->status().leading; }, 1min));
  other.replica->follow();
  late.store->set_reachable(false);
  std::vector<MergedRecords> passed;
  late.replica->set_on_merged([&](const MergedRecords& records) { passed.push_back(records); });
  late.replica->lead();
  const auto outcome = runtime.start(found_by(late, runtime.now() + 500ms));
  ASSERT_TRUE(runtime.run_until([&] { return outcome->done; }, 1min));
  if (GetParam()) late.replica->had_stored({"isolations/a"});
  late.replica->replace(section::kIsolations, {{"isolations/a", "own"}});
  late.replica->finish_sections({7});
  late.store->set_reachable(true);
  runtime.run_for(1min);
  const MergedRecords released{{"isolations/a", std::nullopt}};
  EXPECT_EQ(passed, GetParam() ? std::vector{released} : std::vector<MergedRecords>());
  EXPECT_TRUE(late.replica->has_section(section::kIsolations));
}

TEST(StoreVersions, WhatAnotherVersionWroteIsNotUsed) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "state-store";
  const StoredTerms terms{.complete = 5, .seen = 7, .position = 300};
  ASSERT_TRUE(write_terms(file, "/p/", terms));
  EXPECT_EQ(read_terms(file, "/p/"), terms);
  ASSERT_TRUE(write_file_atomically(file, "heddle-state-store 2 /p/ 0x5\n", false));
  EXPECT_EQ(read_terms(file, "/p/"), StoredTerms{}) << "the store's records decide";

  const RecordSeal seal("secret");
  std::string value = seal.seal("/a/b", "text", 4);
  value[std::string_view("heddle ").size()] = '1';
  const auto opened = seal.open("/a/b", value);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), "it has an unknown version");
}

TEST(RecordSeal, AValueCountsUnderItsKeyAndSecretOnly) {
  const RecordSeal seal("secret");
  const std::string value = seal.seal("/a/b", "text of it", 0x123456789abc);
  EXPECT_EQ(seal.open("/a/b", value),
            (RecordSeal::Opened{.text = "text of it", .position = 0x123456789abc}));
  EXPECT_FALSE(seal.open("/a/c", value));
  EXPECT_FALSE(RecordSeal("other").open("/a/b", value));
  for (std::size_t at = 0; at < value.size(); ++at) {
    std::string changed = value;
    changed[at] ^= 1;
    EXPECT_FALSE(seal.open("/a/b", changed)) << at;
    EXPECT_FALSE(seal.open("/a/b", value.substr(0, at))) << at;
  }
}

TEST(CacheRecords, LidsAndKeysAreReadBackAndDamageIsNamed) {
  Guid2Lid lids;
  lids.entries = {{.guid = {1}, .first = {4}, .last = {7}},
                  {.guid = {2}, .first = {8}, .last = {8}}};
  const Guid2MKey keys{{{1}, {0x10}}, {{3}, {0x30}}};
  Records records = records_of(lids);
  records.merge(records_of(keys));
  ASSERT_EQ(records.size(), 4u);
  std::vector<std::string> rejected;
  EXPECT_EQ(read_lids(records, rejected), lids);
  EXPECT_EQ(read_m_keys(records, rejected), keys);
  EXPECT_TRUE(rejected.empty());

  records["m_keys/0x0000000000000001"] = "0x0000000000000003 0x0000000000000001";  // of another
  records["m_keys/0x0000000000000003"] += "\n0x0000000000000009 0x0000000000000001";
  records["m_keys/0x0000000000000004"] = "0x0000000000000004 x";
  records["lids/0x0000000000000003"] = "0x0000000000000003 0x0006 0x0006";  // overlaps
  EXPECT_TRUE(read_m_keys(records, rejected).empty());
  EXPECT_TRUE(read_lids(records, rejected).entries.empty());
  EXPECT_EQ(rejected.size(), 4u);
}

TEST(CacheRecords, OrdersAndGroupNumbersAreReadBackAndDamageIsNamed) {
  using UnixTime = StoredIsolation::UnixTime;
  std::vector<StoredIsolation> orders{
      {.node = {1}, .port = {3}, .by = "alice", .reason = "cable 7", .since = UnixTime(5s)},
      {.node = {1}, .port = {30}, .since = UnixTime(6s), .until = UnixTime(90s)}};
  const GroupIds ids{{{1}, 7}, {{2}, 4095}};
  Records records = records_of(std::span<const StoredIsolation>(orders));
  records.merge(records_of(ids));
  ASSERT_EQ(records.size(), 4u);
  std::vector<std::string> rejected;
  for (StoredIsolation& order : orders) order.is_shared = true;
  EXPECT_EQ(records_of(std::span<const StoredIsolation>(orders)).size(), 2u);
  EXPECT_EQ(read_isolations(records, rejected), orders);
  EXPECT_EQ(read_group_ids(records, rejected), ids);
  EXPECT_TRUE(rejected.empty());

  records["isolations/0x0000000000000001/4"] = to_line(orders[0]);  // of another port
  records["isolations/0x0000000000000001/5"] = "{}";
  records["ar_groups/0x0000000000000003"] = "0x0000000000000003 7";  // that of another switch
  records["ar_groups/0x0000000000000004"] = "0x0000000000000005 8";
  EXPECT_EQ(read_isolations(records, rejected), orders);
  EXPECT_EQ(read_group_ids(records, rejected), ids);
  EXPECT_EQ(rejected.size(), 4u);
}

TEST(StoreMarks, AreReadBack) {
  const MasterClaim mark{.manager = {0x10}, .term = 3, .nonce = 0xfedc};
  EXPECT_EQ(parse_mastership(to_text(mark)), mark);
  const Announcement said{.manager = {0x10}, .term = 3, .lid = {9}};
  EXPECT_EQ(parse_announcement(to_text(said)), said);
  for (const char* text : {"", "master", "master 0x1 0x2", "master 0x1 0x2 0x3 0x4", "master 1 2 3",
                           "complete 0x1 0x2 0x10000", "complete 0x1  0x2 0x3",
                           "complete 0x1 0x2 0xc000", "master 0x1 0xffffffffffffffff 0x3"}) {
    EXPECT_FALSE(parse_mastership(text)) << text;
    EXPECT_FALSE(parse_announcement(text)) << text;
  }
}

}  // namespace state_replica_test
}  // namespace sm
