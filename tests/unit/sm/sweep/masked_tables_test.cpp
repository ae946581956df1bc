#include "sm/sweep/devices/masked_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fabrics.h"

namespace masked_tables_test {

using sm::LftDifference;
using testing::IsEmpty;
using testing::SizeIs;

class MaskedTablesTest : public testing::Test {
 protected:
  MaskedTablesTest() {
    fabrics::Maker maker;
    maker.sw(4);
    fabric = maker.build();
    sw = fabric.nodes[fabric::NodeIndex{0}].guid;
  }
  fabric::Fabric fabric;
  mad::Guid sw;
  sm::MaskedTables masked;
};

TEST_F(MaskedTablesTest, AConditionEndsWhenAllBlocksAreShownRight) {
  masked.note(sw, 0, LftDifference::unused);
  masked.note(sw, 3, LftDifference::unused);
  EXPECT_THAT(masked.conditions(fabric), SizeIs(1));
  EXPECT_TRUE(masked.note_match(sw, 0));
  EXPECT_THAT(masked.conditions(fabric), SizeIs(1));
  EXPECT_TRUE(masked.note_match(sw, 3));
  EXPECT_THAT(masked.conditions(fabric), IsEmpty());
  EXPECT_FALSE(masked.contains(sw));
  EXPECT_FALSE(masked.note_match(sw, 3)) << "nothing new";
}

TEST_F(MaskedTablesTest, LinearFdbTopIsRaisedFirstFromThenOn) {
  masked.note(sw, 1, LftDifference::above_top);
  EXPECT_TRUE(masked.needs_top_first(sw));
  masked.note_match(sw, 1);
  EXPECT_THAT(masked.conditions(fabric), IsEmpty());
  EXPECT_TRUE(masked.needs_top_first(sw));
}

TEST_F(MaskedTablesTest, BlocksThatAreNoMoreInTheTablesAreForgotten) {
  masked.note(sw, 5, LftDifference::unused);
  masked.update_from(fabric, 6);
  EXPECT_TRUE(masked.contains(sw));
  masked.update_from(fabric, 5);
  EXPECT_FALSE(masked.contains(sw));
}

}  // namespace masked_tables_test
