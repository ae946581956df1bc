#include "partitions/default_partition.h"

#include <gtest/gtest.h>

#include "support/fabrics.h"
#include "support/seeds.h"

namespace {

using config::PartEnforce;
using partitions::Enforcement;

mad::PKeyTable table(std::initializer_list<std::uint16_t> keys) {
  mad::PKeyTable out;
  unsigned index = 0;
  for (const std::uint16_t key : keys) out.set_p_key(index++, {key});
  return out;
}

TEST(DefaultPartition, EmptyTableGetsTheFullDefaultKeyFirst) {
  const auto blocks = partitions::p_key_blocks({}, 64);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0], table({0xFFFF}));
  EXPECT_EQ(blocks[1], mad::PKeyTable());
}

TEST(DefaultPartition, OtherKeysAndTheLimitedOneAreTakenOut) {
  const std::vector observed{table({0x7FFF, 0x8001, 0, 0x0002}), table({0x8003})};
  const auto blocks = partitions::p_key_blocks(observed, 64);
  EXPECT_EQ(blocks[0], table({0xFFFF}));
  EXPECT_EQ(blocks[1], mad::PKeyTable());
}

TEST(DefaultPartition, ATableThatIsRightComparesEqualWhateverLiesBeyondItsCapacity) {
  std::vector observed{table({0xFFFF}), mad::PKeyTable()};
  observed[1].set_p_key(3, {0x1234});
  observed[1].set_p_key(31, {0x8888});
  EXPECT_EQ(partitions::p_key_blocks(observed, 35), observed);
  observed[1].set_p_key(2, {0x8001});
  EXPECT_NE(partitions::p_key_blocks(observed, 35), observed);
}

TEST(DefaultPartition, TablesOfOddSizes) {
  EXPECT_TRUE(partitions::p_key_blocks({}, 0).empty());
  EXPECT_EQ(partitions::p_key_blocks({}, 1), std::vector{table({0xFFFF})});
  EXPECT_EQ(partitions::p_key_blocks({}, 65535).size(), 2048u);
  const std::vector more{mad::PKeyTable(), mad::PKeyTable()};  // more blocks than the capacity says
  EXPECT_EQ(partitions::p_key_blocks(more, 32), std::vector{table({0xFFFF})});
}

TEST(DefaultPartitionProperty, OneKeyAndIdempotent) {
  seeds::for_each(1000, [](std::uint64_t seed) {
    sim::Random random(seed);
    const unsigned capacity = random.below(200);
    std::vector<mad::PKeyTable> observed(random.below(8));
    for (auto& block : observed)
      for (auto& byte : block.bytes()) byte = static_cast<std::uint8_t>(random.below(256));
    const auto blocks = partitions::p_key_blocks(observed, capacity);
    ASSERT_EQ(blocks.size(), (capacity + 31) / 32);
    for (unsigned i = 0; i < capacity; ++i) ASSERT_EQ(blocks[i / 32].p_key(i % 32), i == 0 ? mad::kDefaultPKeyFull : mad::PKey{});
    ASSERT_EQ(partitions::p_key_blocks(blocks, capacity), blocks);
  });
}

class EnforcementTest : public testing::Test {
 protected:
  EnforcementTest() {
    const auto s1 = maker_.sw(8), s2 = maker_.sw(8), h = maker_.ca(), r = maker_.router();
    maker_.cable(s1, 1, h, 1);
    maker_.cable(s1, 2, r, 1);
    maker_.cable(s1, 3, s2, 1);
    fabric_ = maker_.build();
    set_caps(32, true, true);
  }
  void set_caps(std::uint16_t keys, bool in, bool out) {
    mad::SwitchInfo& info = fabric_.switches[0].info;
    info.set_partition_enforcement_cap(keys);
    info.set_inbound_enforcement_cap(in);
    info.set_outbound_enforcement_cap(out);
    fabric_.nodes[0].info.set_partition_cap(8);
    fabric_.nodes[2].info.set_partition_cap(128);
  }
  Enforcement at(std::uint8_t port, PartEnforce wanted = PartEnforce::both) const { return partitions::enforcement(fabric_, fabric_.port(0, {port}), wanted); }
  fabrics::Maker maker_;
  sm::Fabric fabric_;
};

TEST_F(EnforcementTest, OnlyPortsThatFaceEndPorts) {
  EXPECT_EQ(at(1), (Enforcement{true, true}));
  EXPECT_EQ(at(2), (Enforcement{true, true}));
  EXPECT_FALSE(at(0).any()) << "port 0";
  EXPECT_FALSE(at(3).any()) << "towards a switch";
  EXPECT_FALSE(at(4).any()) << "no cable";
  EXPECT_FALSE(partitions::enforcement(fabric_, fabric_.port(2, {1}), PartEnforce::both).any()) << "a CA";
}

TEST_F(EnforcementTest, FollowsTheOption) {
  EXPECT_EQ(at(1, PartEnforce::off), (Enforcement{false, false}));
  EXPECT_EQ(at(1, PartEnforce::in), (Enforcement{true, false}));
  EXPECT_EQ(at(1, PartEnforce::out), (Enforcement{false, true}));
}

TEST_F(EnforcementTest, FollowsWhatTheSwitchCan) {
  set_caps(32, false, true);
  EXPECT_EQ(at(1), (Enforcement{false, true}));
  set_caps(32, true, false);
  EXPECT_EQ(at(1), (Enforcement{true, false}));
  set_caps(0, true, true);
  EXPECT_FALSE(at(1).any()) << "no room for a table";
}

TEST_F(EnforcementTest, CapacityIsTheNodesOrTheSwitchsOwn) {
  EXPECT_EQ(partitions::p_key_capacity(fabric_, fabric_.port(0, {0})), 8u);
  EXPECT_EQ(partitions::p_key_capacity(fabric_, fabric_.port(0, {1})), 32u);
  EXPECT_EQ(partitions::p_key_capacity(fabric_, fabric_.port(2, {1})), 128u);
}

}  // namespace
