// Replication by a store that the managers themselves hold: acknowledgements and merges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/store/replica/replica_conditions.h"
#include "unit/sm/store/replica_lab.h"

namespace sm {
namespace held_store_test {

using namespace std::chrono_literals;
using namespace replica_lab;

class HeldStore : public ReplicaLab {
 protected:
  HeldStore() { server.held = StoreCopies{}; }
};

boost::asio::awaitable<StoredChanges> set_and_store(Member& member, std::string key,
                                                    mad::TimePoint deadline) {
  member.replica->set(key, "text");
  std::vector<std::string> keys{std::move(key)};
  co_return co_await member.replica->stored(std::move(keys), deadline);
}

/// The watch shows a change before the other manager has acknowledged it.
TEST_F(HeldStore, AChangeIsStoredWhenTheOtherManagersHaveIt) {
  Member& master = add(1);
  master.store->held = StoreCopies{.configured = 1, .connected = 1, .current = 1};
  EXPECT_FALSE(master.store->leading);
  lead(master, {});
  EXPECT_TRUE(master.store->leading);
  ASSERT_TRUE(settles(master));
  master.store->acknowledged_after = 1s;
  const auto first = runtime.start(set_and_store(master, "registrations/1", runtime.now() + 5s)),
             second = runtime.start(set_and_store(master, "registrations/2", runtime.now() + 5s));
  runtime.run_for(500ms);
  EXPECT_EQ(server.count("registrations/1"), 1u);
  EXPECT_FALSE(first->done);
  master.store->held->current = 0;  // it was too slow
  runtime.run_for(3s);
  ASSERT_TRUE(first->done && second->done) << "several may wait";
  EXPECT_TRUE(first->value->stored && second->value->stored);
  EXPECT_EQ(first->value->replicated, 0u);
  master.replica->follow();
  EXPECT_FALSE(master.store->leading);
}

/// Both were MASTER. The other one's records, of a lower position, arrive with a new revision.
TEST_F(HeldStore, ChangesOfAnotherMasterArePassedOnAndTheRestIsOverwritten) {
  Member& master = add(1);
  lead(master, {{"registrations/1", "kept"}, {"registrations/2", "also"}});
  master.replica->replace(section::kLids, {{"lids/1", "own"}});
  ASSERT_TRUE(settles(master));
  const std::uint64_t term = master.replica->status().term;
  const auto sealed = [&](const std::string& key, const std::string& text) {
    std::string at = std::string(kPrefix) + key;
    std::string value = RecordSeal("secret").seal(at, text, 0);
    return StoreChange{.key = std::move(at), .value = std::move(value)};
  };
  MergedRecords passed;
  master.replica->set_on_merged([&](const MergedRecords& records) {
    passed = records;
    master.replica->replace(section::kRegistrations,
                            {{"registrations/2", "also"}, {"registrations/3", "theirs"}});
  });
  std::vector<StoreChange> merged{sealed("lids/2", "theirs"),
                                  sealed("registrations/3", "theirs"),
                                  {.key = std::string(kPrefix) + "registrations/1", .value = {}}};
  const std::string claim = std::string(kPrefix) + "mastership";
  merged.push_back({.key = claim, .value = server.content.at(claim).value});
  server.merge(merged);
  runtime.run_for(20s);
  EXPECT_EQ(passed.at("registrations/3"), "theirs");
  EXPECT_EQ(passed.at("registrations/1"), std::nullopt);
  EXPECT_EQ(passed.at("lids/2"), "theirs");
  EXPECT_EQ(master.replica->records(section::kRegistrations),
            (Records{{"registrations/2", "also"}, {"registrations/3", "theirs"}}));
  EXPECT_EQ(master.replica->records(section::kLids), (Records{{"lids/1", "own"}}));
  EXPECT_TRUE(master.replica->conditions().empty());
  EXPECT_GT(master.replica->status().term, term) << "the claim is above those of both";
}

/// The one that kept mastership led fewer times.
TEST_F(HeldStore, AfterASplitTheRecordsOfTheOtherManagerCountWhateverItsTerm) {
  Member& loser = add(1);
  for (int time = 0; time < 3; ++time) {
    lead(loser, some(1));
    ASSERT_TRUE(settles(loser));
    loser.replica->follow();
    runtime.run_for(1s);
  }
  support::FakeStore merged{runtime};
  merged.held = StoreCopies{};
  {
    Member winner(runtime, merged, 2);
    lead(winner, some(5));
    runtime.run_for(5s);
    winner.replica->follow();
    runtime.run_for(5s);
  }
  members.clear();
  runtime.run_for(10s);
  Member again(runtime, merged, 1, directory.path() / "1");
  runtime.run_for(1s);
  EXPECT_TRUE(again.has(kReplicaConditions.store_behind)) << "the other one is gone";
  EXPECT_FALSE(again.has(kReplicaConditions.store_record_rejected));
  const FoundState found = lead(again, {});
  EXPECT_EQ(found.manager, mad::Guid{2});
  EXPECT_EQ(found.records.size(), 5u);
  again.replica.reset();
  runtime.run_for(10s);
}

TEST_F(HeldStore, ManagersWithoutTheChangesAreNamed) {
  Member& master = add(1);
  master.store->others = {{.address = "192.0.2.7:6312", .connected = false, .why_not = "no route"},
                          {.address = "192.0.2.8:6312",
                           .port_guid = {8},
                           .connected = true,
                           .behind_records = 2,
                           .behind = 11s},
                          {.address = "192.0.2.9:6312",
                           .port_guid = {9},
                           .connected = true,
                           .behind_records = 2,
                           .behind = 9s},
                          {.address = "192.0.2.10", .is_configured = false, .why_not = "refused"}};
  runtime.run_for(1s);
  EXPECT_FALSE(master.has(kReplicaConditions.store_behind)) << "it has no changes";
  lead(master, {});
  ASSERT_TRUE(settles(master));
  const std::vector<Condition> active = master.replica->conditions();
  ASSERT_EQ(active.size(), 2u);
  EXPECT_THAT(active[0].text,
              testing::HasSubstr("the manager at 192.0.2.7:6312 is not connected: no route;"));
  EXPECT_THAT(active[1].text, testing::HasSubstr("has lacked 2 changes for 11 s;"));
  EXPECT_EQ(active[1].guid, mad::Guid{8});
  EXPECT_EQ(master.replica->status().peers.size(), 4u);
}

}  // namespace held_store_test
}  // namespace sm
