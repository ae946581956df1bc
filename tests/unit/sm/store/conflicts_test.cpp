#include "sm/store/replica/conflicts.h"

#include <gtest/gtest.h>

#include <string>

#include "partitions/runtime_partitions.h"
#include "sm/store/replica/record_seal.h"

namespace conflicts_test {

using sm::is_count;
using sm::RecordSeal;
using sm::say_the_same;

const std::string kPrefix = "/heddle/fe80000000000000/";

/// The record of partition 0x10 after `changes` changes of its members, sealed at that position.
std::string partition(unsigned changes, std::string name = "storage") {
  using namespace partitions;
  RuntimePartitions all;
  std::vector<Step> steps{step::Define{.key = 0x10, .name = std::move(name)}};
  for (unsigned change = 0; change <= changes; ++change) {
    auto delta = all.delta({.steps = steps});
    EXPECT_TRUE(delta);
    all = all.with(*delta);
    steps = {step::Put{.key = 0x10, .guid = mad::Guid{change + 1}}};
  }
  for (const RecordChange& record : all_records("partitions", all))
    if (record.key == "partitions/0010")
      return RecordSeal("secret").seal(kPrefix + record.key, *record.text, changes);
  ADD_FAILURE() << "no record";
  return {};
}

TEST(Conflicts, NeitherSealsNorRevisionsOfPartitionsContradict) {
  const std::string key = kPrefix + "partitions/0010";
  EXPECT_NE(partition(1), partition(3));
  EXPECT_TRUE(say_the_same(key, partition(1), partition(3)));
  EXPECT_FALSE(say_the_same(key, partition(1), partition(1, "other")));
  EXPECT_FALSE(say_the_same(key, partition(1), std::nullopt)) << "one manager deleted it";
  EXPECT_TRUE(say_the_same(key, std::nullopt, std::nullopt));
}
TEST(Conflicts, TheThirdWordOfOtherRecordsCounts) {
  EXPECT_FALSE(say_the_same(kPrefix + "partitions/0010/0000000000000001", "member 10 1 1 0 0 0 -",
                            "member 10 1 0 0 0 0 -"));
  EXPECT_FALSE(say_the_same(kPrefix + "isolations/0x1/2", "a b c d", "a b x d"));
  EXPECT_FALSE(say_the_same(kPrefix + "partitions/0010", "", "partition 10 1 0 4 3 0 -"));
  EXPECT_FALSE(say_the_same(kPrefix + "partitions/0010", "partition", "partition 10"));
}
TEST(Conflicts, CountsOfManagersAreNoChangesOfClients) {
  for (const char* const key : {"partitions/revision", "registrations/next", "changes/017",
                                "registrations/acknowledged/2c903000000001"})
    EXPECT_TRUE(is_count(kPrefix + key)) << key;
  for (const char* const key :
       {"partitions/0010", "partitions/0010/0000000000000001", "isolations/0x1/2", "lids/1"})
    EXPECT_FALSE(is_count(kPrefix + key)) << key;
  EXPECT_TRUE(is_count("partitions/revision"));
}

}  // namespace conflicts_test
