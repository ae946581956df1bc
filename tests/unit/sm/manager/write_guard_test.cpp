#include "sm/manager/write_guard.h"

#include <gtest/gtest.h>

namespace write_guard_test {

TEST(WriteGuard, PortInfoNamesAnotherMasterIfItIsNewAndNotTheOwnPort) {
  mad::PortInfo own;
  own.set_lid(mad::Lid{5});
  const mad::Lid before{9};  // the master whose place was taken; the own port is not written yet
  EXPECT_FALSE(sm::names_another_master(own, before)) << "no MasterSMLID";
  own.set_master_sm_lid(mad::Lid{5});
  EXPECT_FALSE(sm::names_another_master(own, before));
  own.set_master_sm_lid(before);
  EXPECT_FALSE(sm::names_another_master(own, before));
  own.set_master_sm_lid(mad::Lid{7});
  EXPECT_TRUE(sm::names_another_master(own, before));
}

}  // namespace write_guard_test
