#include "routing/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/minhop.h"
#include "support/fabrics.h"

namespace {

using fabrics::Maker;
using fabrics::Subnet;

// Two switches, one cable, two hosts each: LIDs 1 2 | 3 4.
struct Line {
  Subnet subnet{fabrics::from_topology(sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 2}))};
  sm::ForwardingTables lfts = routing::minhop({subnet.fabric, subnet.graph, subnet.lids, {}, nullptr})->lfts;
};

TEST(Quality, CountsLidsPerCable) {
  const Line line;
  EXPECT_THAT(routing::lids_per_slot(line.subnet.graph, line.subnet.lids, line.lfts), testing::ElementsAre(2, 2));
}

TEST(Quality, ShiftLoadOfALine) {
  const Line line;
  const auto load = routing::shift_load(line.subnet.graph, line.subnet.lids, line.lfts);  // shifts 1, 2, 3: 1, 2, 1 pairs cross
  EXPECT_EQ(load.worst, 2u);
  EXPECT_DOUBLE_EQ(load.mean, 4.0 / 3);
}

TEST(Quality, BisectionOfALineIsBetweenHalfAndOne) {
  const Line line;
  const double value = routing::effective_bisection(line.subnet.graph, line.subnet.lids, line.lfts, 100, 1);
  EXPECT_GE(value, 0.5);
  EXPECT_LT(value, 1.0);
}

TEST(Quality, NothingToMeasureIsZero) {
  const Subnet subnet((Maker().build()));
  const sm::ForwardingTables none(0, mad::Lid{0});
  EXPECT_EQ(routing::shift_load(subnet.graph, subnet.lids, none).worst, 0u);
  EXPECT_EQ(routing::effective_bisection(subnet.graph, subnet.lids, none, 3, 1), 0);
}

}  // namespace
