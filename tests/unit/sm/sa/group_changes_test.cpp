#include "sm/sa/notices.h"

#include <gtest/gtest.h>

#include <set>

#include "fabric/topology/random_source.h"
#include "mad/attributes/notice.h"
#include "support/seeds.h"

namespace group_changes_test {

constexpr auto kCreated = mad::TrapNumber::multicast_group_created;
constexpr auto kDeleted = mad::TrapNumber::multicast_group_deleted;

sa::GroupNotice notice(mad::TrapNumber trap, std::uint64_t group, std::uint16_t p_key = 0xFFFF) {
  return {trap, {0xff12000000000000, mad::Guid{group}}, mad::PKey{p_key}};
}
using Notices = std::vector<sa::GroupNotice>;

/// As many other groups change in this period as are reported at once.
void use_up(sa::GroupChanges& changes) {
  for (std::size_t i = 0; i < sa::GroupChanges::kAtOnceMax; ++i)
    EXPECT_TRUE(changes.add(notice(kCreated, 1000 + i)));
}

TEST(GroupChanges, TheFirstChangeIsReportedAtOnceAndTheNextOnesAtTheEnd) {
  sa::GroupChanges changes;
  EXPECT_TRUE(changes.add(notice(kCreated, 1)));
  for (unsigned i = 0; i < 1000; ++i) {
    EXPECT_FALSE(changes.add(notice(kDeleted, 1, 0x8001)));
    EXPECT_FALSE(changes.add(notice(kCreated, 1, 0x8002)));
  }
  EXPECT_FALSE(changes.add(notice(kDeleted, 1)));
  EXPECT_EQ(changes.take(), (Notices{notice(kDeleted, 1)}));
  EXPECT_EQ(changes.take(), Notices{});
  EXPECT_TRUE(changes.add(notice(kCreated, 1))) << "another period";
  EXPECT_EQ(changes.take(), Notices{});
}

TEST(GroupChanges, OfManyOnlyTheDifferenceIsReported) {
  sa::GroupChanges changes;
  use_up(changes);
  EXPECT_FALSE(changes.add(notice(kCreated, 2, 0x8001)));
  EXPECT_FALSE(changes.add(notice(kDeleted, 1, 0x8002)));
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_FALSE(changes.add(notice(kCreated, 3)));
    EXPECT_FALSE(changes.add(notice(kDeleted, 3)));
  }
  EXPECT_EQ(changes.take(), (Notices{notice(kDeleted, 1, 0x8002), notice(kCreated, 2, 0x8001)}));
}

TEST(GroupChanges, AGroupThatIsDeletedAndCreatedIsReportedAsBoth) {
  sa::GroupChanges changes;
  use_up(changes);
  changes.add(notice(kDeleted, 1, 0x8001));
  changes.add(notice(kCreated, 1, 0x8002));
  EXPECT_EQ(changes.take(), (Notices{notice(kDeleted, 1, 0x8001), notice(kCreated, 1, 0x8002)}));
}

/// A subscriber that knew the groups before knows them afterwards, and is notified of few changes.
TEST(GroupChanges, SayWhichGroupsThereAre) {
  seeds::for_each(100, [](std::uint64_t seed) {
    topology::Random random(seed);
    sa::GroupChanges changes;
    std::set<std::uint64_t> groups, known;
    std::size_t notices = 0;
    const auto take = [&](const sa::GroupNotice& change) {
      ++notices;
      const std::uint64_t about = change.mgid.guid.value;
      if (change.trap == kDeleted) {
        EXPECT_EQ(known.erase(about), 1u);
      } else {
        EXPECT_TRUE(known.insert(about).second);
      }
    };
    for (unsigned step = 0; step < 400; ++step) {
      const std::uint64_t group = random.below(30u);
      const bool is_there = groups.erase(group) > 0;
      if (!is_there) groups.insert(group);
      const sa::GroupNotice change = notice(is_there ? kDeleted : kCreated, group);
      if (changes.add(change)) take(change);
      if (!random.percent(2)) continue;
      for (const sa::GroupNotice& merged : changes.take()) take(merged);
      ASSERT_EQ(known, groups);
    }
    EXPECT_LE(notices, 400u);
  });
}

}  // namespace group_changes_test
