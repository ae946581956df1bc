#include "sm/sweep/devices/multicast_memory.h"

#include <gtest/gtest.h>

#include "support/fabrics.h"

namespace multicast_memory_test {

constexpr fabric::SwitchIndex kS0{0}, kS1{1}, kS2{2};

using fabric::MftUnit;
using routing::MftContent;
using routing::MftKnowledge;

MftContent content(std::uint8_t value) {
  MftContent bytes;
  bytes.fill(value);
  return bytes;
}

/// Switches with these GUIDs and 36 ports, in this order.
fabric::Fabric switches(std::initializer_list<std::uint64_t> guids, unsigned ports = 36) {
  fabrics::Maker maker;
  for (const std::uint64_t guid : guids)
    maker.add(mad::NodeType::switch_, ports, "", mad::Guid{guid});
  return maker.build();
}

TEST(MulticastMemory, RowsFollowTheirSwitches) {
  sm::MulticastMemory memory;
  memory.update_from(switches({1, 2, 3}));
  memory.held().grow(2);
  memory.held().learn({.sw = kS0, .block = 1, .position = 2}, content(7));
  memory.held().mark_unknown({.sw = kS0, .block = 1, .position = 2}, content(8));
  memory.held().learn({.sw = kS2, .block = 0, .position = 0}, content(9));
  fabric::MulticastTables wanted(3, 3);
  wanted.grow(1);
  wanted.set(kS2, mad::kMlidMin, {20});
  memory.want(std::make_shared<const fabric::MulticastTables>(wanted));

  memory.update_from(switches({3, 9, 1}));
  EXPECT_EQ(memory.held().of({.sw = kS0, .block = 0, .position = 0}), MftKnowledge::exact);
  EXPECT_TRUE(std::ranges::equal(memory.held().tables.bytes({.sw = kS0, .block = 0, .position = 0}),
                                 content(9)));
  EXPECT_EQ(memory.held().of({.sw = kS2, .block = 1, .position = 2}), MftKnowledge::at_most);
  EXPECT_TRUE(std::ranges::equal(memory.held().tables.bytes({.sw = kS2, .block = 1, .position = 2}),
                                 content(15)));
  EXPECT_EQ(memory.held().of({.sw = kS1, .block = 0, .position = 0}), MftKnowledge::unknown)
      << "a new switch";
  EXPECT_TRUE(memory.start().test(kS0, mad::kMlidMin, {20}));
  EXPECT_FALSE(memory.start().test(kS2, mad::kMlidMin, {20}));
}

TEST(MulticastMemory, ARestartedSwitchIsUnknownAndItsTreesAreStillWanted) {
  sm::MulticastMemory memory;
  memory.update_from(switches({1, 2}));
  memory.held().grow(1);
  memory.held().learn({.sw = kS0, .block = 0, .position = 0}, content(1));
  memory.held().learn({.sw = kS1, .block = 0, .position = 0}, content(2));
  fabric::MulticastTables wanted(2, 3);
  wanted.grow(1);
  wanted.set(kS0, mad::kMlidMin, {1});
  memory.want(std::make_shared<const fabric::MulticastTables>(wanted));
  memory.forget(kS0);
  EXPECT_EQ(memory.held().of({.sw = kS0, .block = 0, .position = 0}), MftKnowledge::unknown);
  EXPECT_EQ(memory.held().of({.sw = kS1, .block = 0, .position = 0}), MftKnowledge::exact);
  memory.invalidate();
  EXPECT_EQ(memory.held().of({.sw = kS1, .block = 0, .position = 0}), MftKnowledge::unknown);
  EXPECT_EQ(memory.start(), wanted);
  memory.forget_all();
  EXPECT_EQ(memory.start().top().value, 0xBFFF) << "trees start from what is found";
}

TEST(MulticastMemory, SwitchesWithMorePortsWidenTheTables) {
  sm::MulticastMemory memory;
  memory.update_from(switches({1}, 8));
  memory.held().grow(1);
  memory.held().learn({.sw = kS0, .block = 0, .position = 0}, content(3));
  memory.update_from(switches({1, 2}, 64));
  EXPECT_EQ(memory.held().tables.positions(), 5u);
  EXPECT_EQ(memory.held().of({.sw = kS0, .block = 0, .position = 0}), MftKnowledge::exact);
  EXPECT_EQ(memory.held().of({.sw = kS0, .block = 0, .position = 1}), MftKnowledge::unknown);
}

}  // namespace multicast_memory_test
