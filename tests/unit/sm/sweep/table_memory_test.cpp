#include "sm/sweep/devices/table_memory.h"

#include <gtest/gtest.h>

#include "support/fabrics.h"
#include "support/seeds.h"

namespace table_memory_test {

constexpr fabric::SwitchIndex kS0{0}, kS1{1}, kS2{2};

using Block = std::array<std::uint8_t, fabric::kLftBlockLids>;

Block block_index(std::uint8_t value) {
  Block block;
  block.fill(value);
  return block;
}

/// A fabric of switches with these GUIDs, in this order.
fabric::Fabric switches(std::initializer_list<std::uint64_t> guids) {
  fabric::Fabric fabric;
  for (const std::uint64_t guid : guids) {
    fabric::Node node;
    node.type = mad::NodeType::switch_;
    node.guid = mad::Guid{guid};
    node.switch_index = fabric.switches.next_index();
    fabric.switches.push_back({fabric.nodes.next_index(), {}});
    fabric.nodes.push_back(node);
  }
  return fabric;
}

TEST(TableMemory, KnowsNothingAtFirst) {
  sm::TableMemory memory;
  memory.update_from(switches({1, 2}));
  EXPECT_EQ(memory.tables(), nullptr);
  EXPECT_FALSE(memory.knows_any_block(kS0));
  EXPECT_FALSE(memory.holds(kS0, 0, block_index(0xFF)))
      << "an unknown block differs from everything, empty ones included";
  memory.read_back(kS0, 0, block_index(1));  // without room: not kept
  EXPECT_FALSE(memory.knows_any_block(kS0));
}

TEST(TableMemory, KeepsWhatWasReadBackBlockByBlock) {
  sm::TableMemory memory;
  memory.update_from(switches({1, 2}));
  memory.make_room(mad::Lid{200});
  memory.read_back(kS1, 2, block_index(7));
  memory.read_back(kS1, 99, block_index(7));
  EXPECT_TRUE(memory.holds(kS1, 2, block_index(7)));
  EXPECT_FALSE(memory.holds(kS1, 2, block_index(8)));
  EXPECT_FALSE(memory.holds(kS1, 1, block_index(0xFF)));
  EXPECT_FALSE(memory.holds(kS0, 2, block_index(7)));
  EXPECT_FALSE(memory.holds(kS1, 99, block_index(7)));
  EXPECT_TRUE(memory.knows_any_block(kS1));
  EXPECT_FALSE(memory.knows_any_block(kS0));
}

TEST(TableMemory, RowsFollowTheirSwitches) {
  sm::TableMemory memory;
  memory.update_from(switches({1, 2, 3}));
  memory.make_room(mad::Lid{100});
  for (const fabric::SwitchIndex sw : {kS0, kS1, kS2})
    memory.read_back(sw, sw % 2, block_index(static_cast<std::uint8_t>(10 + sw)));
  memory.update_from(switches({3, 9, 1}));
  EXPECT_TRUE(memory.holds(kS0, 0, block_index(12)));
  EXPECT_FALSE(memory.knows_any_block(kS1)) << "a new switch";
  EXPECT_TRUE(memory.holds(kS2, 0, block_index(10)));
  memory.update_from(switches({1, 2, 3}));
  EXPECT_FALSE(memory.knows_any_block(kS1)) << "a switch that was away may have been restarted";
}

TEST(TableMemory, RoomGrowsAndNeverShrinks) {
  sm::TableMemory memory;
  memory.update_from(switches({1, 2}));
  memory.make_room(mad::Lid{10});
  memory.read_back(kS1, 0, block_index(5));
  memory.make_room(mad::Lid{1000});
  EXPECT_TRUE(memory.holds(kS1, 0, block_index(5)));
  EXPECT_FALSE(memory.holds(kS1, 1, block_index(0xFF)));
  memory.read_back(kS0, 15, block_index(6));
  memory.make_room(mad::Lid{10});
  EXPECT_TRUE(memory.holds(kS0, 15, block_index(6)));
}

TEST(TableMemory, AdoptsWhatWasWrittenButForWhatFailed) {
  sm::TableMemory memory;
  memory.update_from(switches({1, 2}));
  auto tables = std::make_shared<fabric::ForwardingTables>(2, mad::Lid{100});
  std::ranges::fill(tables->writable_row(kS1), std::uint8_t{4});
  memory.adopt(tables);
  memory.forget_block(kS1, 1);
  EXPECT_TRUE(memory.holds(kS0, 1, block_index(0xFF)));
  EXPECT_TRUE(memory.holds(kS1, 0, block_index(4)));
  EXPECT_FALSE(memory.holds(kS1, 1, block_index(4)));
  memory.forget(kS1);
  EXPECT_FALSE(memory.knows_any_block(kS1));
  EXPECT_TRUE(memory.knows_any_block(kS0));
  memory.forget_all();
  EXPECT_FALSE(memory.knows_any_block(kS0));
  EXPECT_EQ(memory.tables(), nullptr);
}

TEST(TableMemory, NeverChangesTablesThatOthersLookAt) {
  sm::TableMemory memory;
  memory.update_from(switches({1}));
  auto published = std::make_shared<fabric::ForwardingTables>(1, mad::Lid{63});
  const fabric::ForwardingTables before = *published;
  memory.adopt(published);
  memory.read_back(kS0, 0, block_index(9));
  EXPECT_EQ(*published, before);
  EXPECT_TRUE(memory.holds(kS0, 0, block_index(9)));
}

/// Against a map of blocks, through any sequence of calls.
TEST(TableMemory, AgreesWithAPlainMap) {
  seeds::for_each(500, [](std::uint64_t seed) {
    topology::Random dice(seed);
    sm::TableMemory memory;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint8_t>
        model;  // (GUID, block) -> value
    std::vector<std::uint64_t> guids{1, 2, 3};
    const auto follow = [&] {
      fabric::Fabric fabric;
      for (const std::uint64_t guid : guids) {
        fabric::Node node;
        node.guid = mad::Guid{guid};
        fabric.switches.push_back({fabric.nodes.next_index(), {}});
        fabric.nodes.push_back(node);
      }
      memory.update_from(fabric);
      std::erase_if(model, [&](const auto& entry) {
        return std::ranges::find(guids, entry.first.first) == guids.end();
      });
    };
    follow();
    std::uint32_t blocks = 0;
    for (unsigned step = 0; step < 60; ++step) {
      const auto sw = dice.below(static_cast<std::uint32_t>(guids.size()));
      const auto block = dice.below(6);
      const auto value = static_cast<std::uint8_t>(dice.below(3));
      switch (dice.below(8)) {
        case 0:
          guids.clear();
          for (std::uint64_t guid = 1; guid <= 6; ++guid) {
            if (dice.percent(60) || guid == 6)
              guids.insert(guids.begin() + dice.below(static_cast<std::uint32_t>(guids.size() + 1)),
                           guid);
          }
          follow();
          break;
        case 1:
          memory.make_room(mad::Lid{static_cast<std::uint16_t>(block * 64)});
          blocks = std::max(blocks, block + 1);
          break;
        case 2:
          memory.forget(fabric::SwitchIndex{sw});
          std::erase_if(model, [&](const auto& entry) { return entry.first.first == guids[sw]; });
          break;
        case 3:
          memory.forget_block(fabric::SwitchIndex{sw}, block);
          model.erase({guids[sw], block});
          break;
        case 4:
          if (!dice.percent(20)) break;
          memory.forget_all();
          model.clear();
          blocks = 0;
          break;
        default:
          memory.read_back(fabric::SwitchIndex{sw}, block, block_index(value));
          if (block < blocks) model[{guids[sw], block}] = value;
      }
      for (fabric::SwitchIndex i{0}; i < guids.size(); ++i) {
        bool any = false;
        for (std::uint32_t b = 0; b < 6; ++b) {
          const auto known = model.find({guids[i], b});
          any = any || known != model.end();
          for (std::uint8_t v = 0; v < 3; ++v)
            ASSERT_EQ(memory.holds(i, b, block_index(v)),
                      known != model.end() && known->second == v);
        }
        ASSERT_EQ(memory.knows_any_block(i), any);
      }
    }
  });
}

}  // namespace table_memory_test
