#include "fabric/vl_tables.h"

#include <gtest/gtest.h>

#include "support/fabrics.h"

namespace vl_tables_test {

TEST(VlTables, DropOnlyWhatTheyHoldNow) {
  fabrics::Maker maker;
  const auto sw = maker.sw(4);
  const fabric::Fabric fabric = maker.build();
  fabric::VlTables tables;
  tables.update_from(fabric);
  const fabric::PortIndex out = fabric.port(sw, {1});
  constexpr fabric::SlToVlBits kDropsSl0 = 0xF111'1111'1111'1111,
                               kDropsNone = 0x1111'1111'1111'1111;
  EXPECT_EQ(tables.dropped_sls(), 0u);
  tables.learn_sl_to_vl(out, {2}, kDropsSl0);
  EXPECT_EQ(tables.dropped_sls(), 1u);
  tables.learn_sl_to_vl(out, {2}, kDropsNone);
  EXPECT_EQ(tables.dropped_sls(), 0u) << "an answer of the past counts no more";
}

}  // namespace vl_tables_test
