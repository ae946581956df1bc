#include "fabric/forwarding_tables.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace fabric {
namespace forwarding_tables_test {

constexpr SwitchIndex kFirst{0}, kSecond{1};

TEST(SharedBytes, AreOneInMemoryUntilOneWrites) {
  SharedBytes a(100, 7);
  SharedBytes b = a;
  EXPECT_TRUE(b.is_shared_with(a));
  b.writable()[3] = 8;
  EXPECT_FALSE(b.is_shared_with(a));
  EXPECT_EQ(a.bytes()[3], 7);
  EXPECT_EQ(b.bytes()[3], 8);
  EXPECT_EQ(b.bytes()[4], 7);
  EXPECT_NE(a, b);
  a.writable()[3] = 8;
  EXPECT_EQ(a, b) << "equal in content, not in memory";
  EXPECT_FALSE(b.is_shared_with(a));
}

TEST(SharedBytes, WhoIsAloneWritesInPlace) {
  SharedBytes a(100, 7);
  const std::uint8_t* const before = a.bytes().data();
  {
    const SharedBytes other = a;
  }
  EXPECT_EQ(a.writable().data(), before);
  SharedBytes moved = std::move(a);
  EXPECT_EQ(moved.writable().data(), before);
  EXPECT_TRUE(SharedBytes().bytes().empty());
  EXPECT_TRUE(SharedBytes().writable().empty());
  EXPECT_NE(moved, SharedBytes());
}

/// Each thread has a copy; what it writes the others do not see.
TEST(SharedBytes, CopiesAreUsedByThreads) {
  const SharedBytes all(1000, 1);
  std::vector<SharedBytes> copies(4, all);
  std::vector<std::jthread> threads;
  for (std::uint8_t i = 0; i < copies.size(); ++i)
    threads.emplace_back([&own = copies[i], i] {
      for (int round = 0; round < 100; ++round) {
        const SharedBytes before = own;
        own.writable()[5] = i;
        own.writable()[6] = before.bytes()[5];
      }
    });
  threads.clear();
  EXPECT_EQ(all.bytes()[5], 1);
  for (std::uint8_t i = 0; i < copies.size(); ++i) EXPECT_EQ(copies[i].bytes()[6], i);
}

TEST(ForwardingTables, CopiesShareTheTablesThatAreTheSame) {
  ForwardingTables before(2, mad::Lid{100});
  EXPECT_TRUE(before.shares_row(kFirst, before, kSecond)) << "all are empty";
  before.writable_row(kFirst)[70] = 3;
  const ForwardingTables copy = before;
  EXPECT_EQ(copy, before);
  before.writable_block(kFirst, 1)[70 - kLftBlockLids] = 4;
  EXPECT_EQ(copy.at(kFirst, mad::Lid{70}), mad::PortNum{3});
  EXPECT_EQ(before.at(kFirst, mad::Lid{70}), mad::PortNum{4});
  EXPECT_FALSE(copy.shares_row(kFirst, before, kFirst));
  EXPECT_TRUE(copy.shares_row(kSecond, before, kSecond));
  before.own_rows();
  EXPECT_FALSE(copy.shares_row(kSecond, before, kSecond));
}

TEST(ForwardingTables, ARowOfOtherTablesIsCutOrPadded) {
  ForwardingTables from(2, mad::Lid{100}), same(1, mad::Lid{127}), shorter(1, mad::Lid{10}),
      longer(1, mad::Lid{200});
  from.writable_row(kSecond)[5] = 6;
  from.writable_row(kSecond)[100] = 7;
  same.take_row(kFirst, from, kSecond);
  EXPECT_TRUE(same.shares_row(kFirst, from, kSecond)) << "LIDs 0 to 127 are two blocks";
  shorter.take_row(kFirst, from, kSecond);
  EXPECT_EQ(shorter.row(kFirst).size(), kLftBlockLids);
  EXPECT_EQ(shorter.at(kFirst, mad::Lid{5}), mad::PortNum{6});
  longer.writable_row(kFirst)[180] = 9;
  longer.take_row(kFirst, from, kSecond);
  EXPECT_EQ(longer.at(kFirst, mad::Lid{100}), mad::PortNum{7});
  EXPECT_EQ(longer.at(kFirst, mad::Lid{180}), mad::kNoPort);
}

}  // namespace forwarding_tables_test
}  // namespace fabric
