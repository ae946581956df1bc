#include "fabric/p_key_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fabric/topology/random_source.h"
#include "support/seeds.h"

namespace p_key_blocks_test {

using fabric::PKeyBlocks;

mad::PKeyTable block(unsigned kind) {
  mad::PKeyTable table;
  if (kind > 0)
    table.set_p_key(kind % mad::PKeyTable::kEntries, {static_cast<std::uint16_t>(kind)});
  return table;
}

TEST(PKeyBlocks, EqualBlocksAreOneInMemory) {
  PKeyBlocks blocks;
  blocks.resize(1000);
  for (std::size_t number = 0; number < 1000; number += 2) blocks.set(number, block(7));
  EXPECT_EQ(blocks.contents(), 2u);
  EXPECT_EQ(blocks[998], block(7));
  EXPECT_EQ(blocks[999], block(0));
}

TEST(PKeyBlocks, ContentsAreNeverManyMoreThanBlocks) {
  PKeyBlocks blocks;
  blocks.resize(100);
  for (unsigned kind = 1; kind < 5000; ++kind) blocks.set(kind % 100, block(kind));
  EXPECT_LT(blocks.contents(), 200u);
  EXPECT_EQ(blocks[4999 % 100], block(4999));
}

TEST(PKeyBlocks, ARearrangementLeavesUnusedContentsBehind) {
  PKeyBlocks blocks;
  blocks.resize(4);
  for (unsigned kind = 1; kind < 67; ++kind) blocks.set(2, block(kind));
  PKeyBlocks::Rearranged rearranged(blocks);
  rearranged.append(2, 2);
  rearranged.append(0, 1);
  const PKeyBlocks after = rearranged.take();
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after[0], block(66));
  EXPECT_EQ(after[1], block(0));
  EXPECT_EQ(after.contents(), 2u);
}

/// The blocks behave as a vector does, whatever the operations are.
TEST(PKeyBlocks, AreAVectorOfBlocks) {
  seeds::for_each(200, [](std::uint64_t seed) {
    topology::Random random(seed);
    const unsigned kinds = random.percent(50) ? 5 : 2000;
    const auto some = [&] { return block(random.below(kinds)); };
    PKeyBlocks blocks;
    std::vector<mad::PKeyTable> model;
    for (unsigned step = 0; step < 300; ++step) {
      const std::size_t size = model.size();
      switch (random.below(5)) {
        case 0: {
          const mad::PKeyTable added = some();
          blocks.push_back(added);
          model.push_back(added);
          break;
        }
        case 1: {
          const std::size_t wanted = random.below(static_cast<unsigned>(size + 10));
          blocks.resize(wanted);
          model.resize(wanted);
          break;
        }
        case 2: {
          const unsigned cut = random.below(static_cast<unsigned>(size + 1));
          PKeyBlocks::Rearranged rearranged(blocks);
          rearranged.append(cut, size - cut);
          rearranged.append(0, cut);
          blocks = rearranged.take();
          std::ranges::rotate(model, model.begin() + cut);
          break;
        }
        default:
          if (size == 0) break;
          const std::size_t number = random.below(static_cast<unsigned>(size));
          const mad::PKeyTable wanted = some();
          blocks.set(number, wanted);
          model[number] = wanted;
          break;
      }
      ASSERT_TRUE(std::ranges::equal(blocks.slice(0, blocks.size()), model));
    }
    PKeyBlocks same;
    for (const mad::PKeyTable& each : model) same.push_back(each);
    EXPECT_EQ(same, blocks);
    if (!model.empty()) {
      model[0].set_p_key(31, mad::PKey{0x7abc});
      same.set(0, model[0]);
      EXPECT_FALSE(same == blocks);
    }
  });
}

}  // namespace p_key_blocks_test
