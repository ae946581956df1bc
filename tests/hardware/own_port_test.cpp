// The manager's own port: it loses its link, its LID or its GUID while the manager runs.

#include <gtest/gtest.h>

#include "sim/laboratory.h"
#include "sm/ctl/topology/generators.h"

namespace own_port_test {

using namespace laboratory;

struct OwnPort : ::testing::Test {
  Solo lab{topology::row({.switches = 2, .cables = 2, .hosts_per_switch = 3})};
  void SetUp() override { ASSERT_TRUE(lab.start_and_settle()) << lab.tail(); }
  mad::Guid claimed() { return lab.status().port_guid; }
};

TEST_F(OwnPort, WithAnotherLidIsSetAgainByTheNextLightSweep) {
  const mad::Lid lid = lab.info(lab.own()).lid();
  lab.info(lab.own()).set_lid(mad::Lid{0x777});
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.info(lab.own()).lid() == lid; }, kLightSweep))
      << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.complaint(), "");
}

TEST_F(OwnPort, WithoutALinkIsAConditionUntilItIsBack) {
  const sim::PortIndex far = lab.far(lab.own());
  lab.world.cut(lab.own());
  ASSERT_TRUE(lab.runtime.run_until([&] { return !lab.status().conditions.empty(); }, kLightSweep))
      << lab.tail();
  lab.runtime.run_for(1min);
  EXPECT_LE(lab.heddle().count("the own port"), 5u) << "not a line for each query: " << lab.tail();
  lab.plug(lab.own(), far);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.complaint().empty(); }, kComesUp))
      << lab.complaint() << lab.tail();
}

TEST_F(OwnPort, WithAnotherGuidIsThatOfTheManager) {
  const sim::PortIndex far = lab.far(lab.own());
  const mad::Guid other{0x0002c90300abcdef};
  lab.world.cut(lab.own());
  lab.runtime.run_for(5s);
  lab.model.ports[lab.own()].guid = other;  // as after its firmware was configured
  lab.plug(lab.own(), far);
  ASSERT_TRUE(lab.runtime.run_until([&] { return claimed() == other; }, kLightSweep)) << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.complaint(), "");
}

}  // namespace own_port_test
