#pragma once
// The fixture of all tests on ibsim: a fabric, subnet managers on it, and logs for a failed test.

#include <csignal>
#include <iostream>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ibsim/fabric.h"
#include "ibsim/reference_checks.h"
#include "ibsim/smp_counts.h"
#include "ibsim/subnet_manager.h"
#include "sm/ctl/topology/topology.h"
#include "support/require_tool.h"

namespace harness {

/// Recorded topologies in tests/data/topologies.
inline std::string sample_net(const std::string& name) {
  return read_file(std::filesystem::path(HEDDLE_TEST_DATA) / "topologies" / (name + ".net"));
}

class OnIbsim : public ::testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_REQUIRE(!umad2sim_library().empty(), "libumad2sim.so", "ibsim-utils");
    HEDDLE_REQUIRE_TOOL("opensm", "opensm");
    HEDDLE_REQUIRE_TOOL("ibnetdiscover", "infiniband-diags");
  }

  /// For SetUp() of derived classes: skips the test if a tool is missing.
  static bool has_ended() { return IsSkipped() || HasFatalFailure(); }

  template <class Net>
  void start_fabric(const Net& net) {
    fabric_.emplace(net);
  }
  IbsimFabric& fabric() { return *fabric_; }

  SubnetManager& start_sm(const SmOptions& options) { return sms_.emplace_back(*fabric_, options); }

  /// Runs an SM with -o until it has exited.
  SubnetManager& bring_up_once(SmOptions options) {
    options.once = true;
    SubnetManager& sm = start_sm(options);
    const std::optional<Exit> exit = sm.wait_exit();
    EXPECT_TRUE(exit.has_value()) << "still running";
    if (exit) {
      EXPECT_EQ(exit->code, 0);
    }
    EXPECT_THAT(sm.log(), ::testing::HasSubstr("SUBNET UP"));
    return sm;
  }

  void expect_good_fabric(const CheckOptions& options = {}) {
    const Problems problems = check_fabric(fabric(), options);
    EXPECT_TRUE(problems.empty()) << text_of(problems);
  }

  /// After a change: waits for SUBNET UP after offset `mark` of the log and checks the fabric. If
  /// there are problems, the check may have run during a sweep; so it is repeated at each further
  /// SUBNET UP.
  void expect_converges(SubnetManager& sm, std::size_t mark, const CheckOptions& options = {}) {
    Problems problems{"no SUBNET UP after the change"};
    for (std::optional<std::size_t> seen = sm.wait_log("SUBNET UP", mark); seen;
         seen = sm.wait_log("SUBNET UP", *seen, Milliseconds(8'000))) {
      problems = check_fabric(fabric(), options);
      if (problems.empty()) return;
    }
    ADD_FAILURE() << text_of(problems);
  }

  void TearDown() override {
    if (HasFailure() && fabric_) {
      fabric_->keep_files();
      std::cerr << "files kept in " << fabric_->dir() << '\n';
      for (const SubnetManager& sm : sms_) std::cerr << sm.tail() << '\n';
    }
    sms_.clear();
    fabric_.reset();
  }

 private:
  std::optional<IbsimFabric> fabric_;
  std::list<SubnetManager> sms_;
};

/// A test that runs once per subnet manager that this build has.
class OnIbsimWithEachSm : public OnIbsim, public ::testing::WithParamInterface<SmKind> {};

inline std::string sm_test_name(const ::testing::TestParamInfo<SmKind>& test) {
  return find_name(test.param);
}

}  // namespace harness
