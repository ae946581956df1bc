// Managers that have led apart take changes from each other, over the stores that they hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "sm/store/peers/peer_store.h"
#include "support/simulated_network.h"
#include "unit/sm/store/replica_lab.h"

namespace sm {
namespace merged_store_test {

using namespace std::chrono_literals;
using replica_lab::kPrefix;

/// Two managers, each with its replica on its own copy of the store.
class MergedStores : public testing::Test {
 protected:
  struct Side {
    std::shared_ptr<peers::PeerStore> store;
    std::shared_ptr<StateReplica> replica;
  };
  ~MergedStores() override {
    for (Side* const side : {&a, &b}) side->replica.reset();
    runtime.run_for(10s);
  }
  void start(Side& side, const std::string& host) {
    const std::uint64_t guid = 0x1000u + static_cast<unsigned char>(host[0]);
    const std::filesystem::path directory = temporary.path() / host;
    std::filesystem::create_directories(directory);
    peers::PeerSettings settings{
        .port_guid = {guid}, .subnet_prefix = 0xfe80000000000000, .file = directory / "peer-store"};
    for (const char* const peer : {"a", "b"}) settings.peers.push_back({.host = peer, .port = 1});
    auto created = peers::PeerStore::create(runtime, std::move(settings), network.attach(host));
    ASSERT_TRUE(created) << created.error();
    side.store = *created;
    side.replica =
        StateReplica::start(runtime, side.store,
                            StateReplica::Settings{.prefix = std::string(kPrefix),
                                                   .seal = RecordSeal("secret"),
                                                   .port_guid = {guid},
                                                   .term_file = directory / "state-store"});
  }
  void lead(Side& side) {
    side.replica->lead();
    side.replica->replace(section::kPartitions, {});
    side.replica->replace(section::kRegistrations, {});
    side.replica->finish_sections({7});
    ASSERT_TRUE(settles(side));
  }
  bool settles(Side& side) {
    return runtime.run_until(
        [&] {
          const ReplicaStatus status = side.replica->status();
          return status.leading && status.reachable && status.pending == 0;
        },
        1min);
  }

  TemporaryDirectory temporary;
  sim::VirtualRuntime runtime;
  support::SimulatedNetwork network{runtime};
  Side a, b;
};

/// A merge takes some hundred records at a time. Members that come long after their partition are
/// passed on with it, and nothing is overwritten before.
TEST_F(MergedStores, AMergeIsPassedOnOnceWithAllOfItsRecords) {
  network.cut_both("a", "b");
  start(a, "a");
  start(b, "b");
  lead(a);
  lead(b);
  constexpr unsigned kRegistrations = 400;
  Records partitions{{"partitions/0010", "a partition"},
                     {"partitions/0010/0000000000000001", "a member"}};
  b.replica->replace(section::kPartitions, partitions);
  b.replica->replace(section::kRegistrations, replica_lab::some(kRegistrations));
  ASSERT_TRUE(settles(b));
  b.replica->set("partitions/0010/0000000000000002", "another member");
  partitions.emplace("partitions/0010/0000000000000002", "another member");
  ASSERT_TRUE(settles(b));

  std::vector<MergedRecords> passed;
  Records at_that_time;
  a.replica->set_on_merged([&](const MergedRecords& records) {
    passed.push_back(records);
    at_that_time = a.replica->records(section::kPartitions);
    a.replica->replace(section::kPartitions, partitions);
    a.replica->replace(section::kRegistrations, replica_lab::some(kRegistrations));
  });
  network.heal();
  b.replica->follow();
  runtime.run_for(1min);
  ASSERT_EQ(passed.size(), 1u);
  EXPECT_EQ(passed.front().size(), kRegistrations + partitions.size());
  EXPECT_EQ(at_that_time, partitions) << "nothing is written before";
  ASSERT_TRUE(settles(a));
  EXPECT_EQ(b.replica->records(section::kPartitions), partitions);
  EXPECT_EQ(b.replica->records(section::kRegistrations).size(), kRegistrations);
}
/// The records of a damaged file belong to no history. The watch does not show them, and waits
/// until a peer has the full copy.
TEST_F(MergedStores, AWatchWaitsWhileTheFileIsDamagedAndNoPeerIsThere) {
  network.cut_both("a", "b");
  start(a, "a");
  lead(a);
  a.replica->replace(section::kRegistrations, replica_lab::some(40));
  ASSERT_TRUE(settles(a));
  a.replica.reset();
  runtime.run_for(10s);
  const std::filesystem::path path = temporary.path() / "a" / "peer-store";
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path) / 2));
    file << "damage";
  }
  start(a, "a");
  runtime.run_for(20s);
  EXPECT_FALSE(a.replica->status().leading);
}

/// The disk takes no file for a while: all changes that came meanwhile are named, then and later.
TEST_F(MergedStores, LostChangesAreNamedWheneverTheDiskTakesThem) {
  start(a, "a");
  const std::filesystem::path home = temporary.path() / "a", moved = temporary.path() / "moved";
  std::filesystem::rename(home, moved);  // the open file still takes lines
  constexpr unsigned kChanges = 20;
  for (unsigned number = 0; number < kChanges; ++number)
    a.store->name_lost(false,
                       {{.key = fmt::format("/order{}", number), .kept = {}, .lost = "own"}});
  runtime.run_for(5s);
  EXPECT_EQ(a.store->conditions().size(), 2u);
  std::filesystem::rename(moved, home);
  runtime.run_for(5s);
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(home)) {
    if (!entry.path().filename().string().starts_with("state-conflicts-")) continue;
    std::ifstream file(entry.path());
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  for (unsigned number = 0; number < kChanges; ++number)
    EXPECT_THAT(
        text, testing::HasSubstr(fmt::format("/order{}\n  kept (deleted)\n  lost own\n", number)));
  for (const Condition& condition : a.store->conditions())
    EXPECT_THAT(condition.text, testing::HasSubstr("the value of the other one"));
}

}  // namespace merged_store_test
}  // namespace sm
