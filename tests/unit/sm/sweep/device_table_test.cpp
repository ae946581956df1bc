#include "sm/sweep/devices/device_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/attributes/adaptive_routing.h"
#include "support/fabrics.h"

namespace device_table_test {

using mad::AdaptiveRoutingInfo;
using sm::Failure;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

class OptionalAttributes : public testing::Test {
 protected:
  OptionalAttributes() {
    fabrics::Maker maker;
    maker.host(maker.sw(4));
    fabric = maker.build();
    key.place.node = fabric.nodes[fabric.switches[fabric::SwitchIndex{0}].node].guid;
  }
  void begin(mad::Duration after) { table.begin(fabric, start + after); }

  const mad::TimePoint start{1h};
  fabric::Fabric fabric;
  sm::DeviceTable table;
  sm::BlockKey key{.place = {}, .attribute = AdaptiveRoutingInfo::kId};
};

TEST_F(OptionalAttributes, KeepsBytesUntilAPartIsStale) {
  EXPECT_TRUE(table.is_due(key));
  AdaptiveRoutingInfo info;
  info.set_group_cap(7);
  table.blocks[key].store(info.bytes());
  EXPECT_FALSE(table.is_due(key));
  EXPECT_EQ(table.read<AdaptiveRoutingInfo>(key.place), info);
  table.blocks[key].stale = 2;
  EXPECT_EQ(table.read<AdaptiveRoutingInfo>(key.place), info) << "another part";
  EXPECT_FALSE(table.read<AdaptiveRoutingInfo>(key.place, 0, 2));
  EXPECT_TRUE(table.is_due(key, 2));
  table.forget({key.attribute}, mad::Guid{0x7777});
  EXPECT_FALSE(table.is_due(key));
  table.forget({key.attribute}, key.place.node);
  EXPECT_TRUE(table.is_due(key));
}

TEST_F(OptionalAttributes, RetriesWithPausesThatDoubleUntilAnAnswer) {
  for (const mad::Duration pause : {0s, 5s, 15s, 35s}) {
    table.blocks[key].fail(0, Failure::retried);
    if (pause > 0s) {
      begin(pause - 1s);
      EXPECT_FALSE(table.is_due(key));
      EXPECT_THAT(table.due(start + pause - 1s), IsEmpty());
    }
    EXPECT_THAT(table.due(start + pause), ElementsAre(key.place.node));
    begin(pause);
    EXPECT_TRUE(table.is_due(key));
  }
  table.blocks[key].store(AdaptiveRoutingInfo{}.bytes());
  begin(36s);
  table.blocks[key].fail(0, Failure::retried);
  EXPECT_THAT(table.due(start + 37s), ElementsAre(key.place.node));
}

TEST_F(OptionalAttributes, AsksForWhatIsUnsupportedAgainOnlyAfterItIsForgotten) {
  table.blocks[key].fail(0x0C, Failure::unsupported);
  begin(24h);
  EXPECT_FALSE(table.is_due(key));
  EXPECT_THAT(table.due(start + 24h), IsEmpty());
  EXPECT_EQ(table.retried(key.place.node), mad::AttributeId{});
  table.forget({key.attribute});
  EXPECT_TRUE(table.is_due(key));
}

TEST_F(OptionalAttributes, ForgetsNodesThatDisappeared) {
  table.blocks[key].store(AdaptiveRoutingInfo{}.bytes());
  fabric.node_of_guid.clear();
  begin(0s);
  EXPECT_TRUE(table.blocks.empty());
}

}  // namespace device_table_test
