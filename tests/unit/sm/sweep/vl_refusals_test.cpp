#include "sm/sweep/devices/vl_refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fabrics.h"

namespace vl_refusals_test {

using sm::VlRefusals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class VlRefusalsTest : public testing::Test {
 protected:
  VlRefusalsTest() {
    fabrics::Maker maker;
    maker.sw(4);
    fabric = maker.build();
    table = {.node = fabric.nodes[fabric::NodeIndex{0}].guid,
             .attribute = mad::AttributeId::sl_to_vl_mapping_table,
             .modifier = 1};
  }
  void refuse() { refusals.note(table, wanted, 0x1C); }
  /// The texts after a sweep at this time that sends nothing.
  std::vector<std::string> texts_after(mad::TimePoint time) {
    refusals.begin(time);
    return refusals.texts(fabric, true);
  }

  fabric::Fabric fabric;
  VlRefusals refusals;
  VlRefusals::Table table;
  mad::SmpData wanted{};
  const mad::TimePoint start = mad::TimePoint() + 1h;
};

TEST_F(VlRefusalsTest, ATableIsDueAfterPausesThatGrow) {
  mad::TimePoint now = start;
  mad::Duration pause = VlRefusals::kPauseFirst;
  for (int attempt = 0; attempt < 12; ++attempt) {
    refusals.begin(now);
    EXPECT_FALSE(refusals.is_refused(table, wanted));
    refuse();
    EXPECT_TRUE(refusals.is_refused(table, wanted));
    EXPECT_THAT(refusals.texts(fabric, true), SizeIs(1));
    EXPECT_THAT(refusals.due(now + pause - 1ms), IsEmpty());
    EXPECT_THAT(refusals.due(now + pause), ElementsAre(table.node));
    now += pause;
    pause = std::min<mad::Duration>(2 * pause, VlRefusals::kPauseLast);
  }
  EXPECT_EQ(pause, VlRefusals::kPauseLast);
}

/// A read has shown the table as wanted, or no link needs it any more.
TEST_F(VlRefusalsTest, WhatWasDueAndIsNotRefusedAgainIsNeitherReportedNorDue) {
  refusals.begin(start);
  refuse();
  EXPECT_THAT(texts_after(start + 1s), SizeIs(1));
  const mad::TimePoint later = start + VlRefusals::kPauseFirst;
  EXPECT_THAT(texts_after(later), IsEmpty());
  EXPECT_THAT(refusals.due(later + 1h), IsEmpty());
  EXPECT_THAT(texts_after(later + 1s), IsEmpty());
}

TEST_F(VlRefusalsTest, OtherContentIsSentAtOnce) {
  refusals.begin(start);
  refuse();
  wanted[0] = 1;
  EXPECT_FALSE(refusals.is_refused(table, wanted));
}

}  // namespace vl_refusals_test
