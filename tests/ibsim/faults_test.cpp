// Links and switches disappear and reappear, packets are lost: the fabric must converge again,
// checked by infiniband-diags.

#include "ibsim/fixture.h"

namespace harness {
namespace faults_test {

constexpr const char* kDaemonConf =
    "sweep_interval 1\n"
    "transaction_timeout 100\n";

class Faults : public OnIbsimWithEachSm {
 protected:
  SubnetManager& start_daemon() {
    start_fabric(sample_net("fattree2-16h"));
    SubnetManager& sm = start_sm({.kind = GetParam(), .conf = kDaemonConf});
    EXPECT_TRUE(sm.wait_subnet_up());
    return sm;
  }
  // Injects a fault and waits until the SM has repaired the fabric.
  template <class Change>
  void expect_converges_after(SubnetManager& sm, const char* what, Change change,
                              const CheckOptions& options = {.traces_max = 20}) {
    SCOPED_TRACE(what);
    if (HasFailure()) return;
    const std::size_t mark = sm.log_end();
    change();
    expect_converges(sm, mark, options);
  }
};

TEST_P(Faults, SwitchLinkIsLostAndRestored) {
  SubnetManager& sm = start_daemon();
  expect_converges_after(sm, "unlink", [&] { fabric().unlink("S2_0-1", 2); });
  expect_converges_after(sm, "relink", [&] { fabric().relink("S2_0-1", 2); });
}

TEST_P(Faults, HostLinkIsLostAndRestored) {
  SubnetManager& sm = start_daemon();
  expect_converges_after(sm, "unlink", [&] { fabric().unlink("H2-3", 1); });
  expect_converges_after(sm, "relink", [&] { fabric().relink("H2-3", 1); });
}

TEST_P(Faults, SpineIsLostAndRestored) {
  SubnetManager& sm = start_daemon();
  expect_converges_after(sm, "unlink", [&] { fabric().unlink("S2_0-2"); });
  expect_converges_after(sm, "relink", [&] { fabric().relink("S2_0-2"); });
}

TEST_P(Faults, LeafWithItsHostsIsLostAndRestored) {
  SubnetManager& sm = start_daemon();
  expect_converges_after(sm, "unlink", [&] { fabric().unlink("S1_0-3"); });
  expect_converges_after(sm, "relink", [&] { fabric().relink("S1_0-3"); });
}

TEST_P(Faults, LinkFlapsFasterThanTheSmSweeps) {
  SubnetManager& sm = start_daemon();
  expect_converges_after(sm, "flap", [&] {
    for (int i = 0; i < 5; ++i) {
      fabric().unlink("S2_0-0", 3);
      fabric().relink("S2_0-0", 3);
    }
  });
}

TEST_P(Faults, LinksChangeWithoutASubnetManager) {
  SubnetManager& sm = start_daemon();
  const std::filesystem::path home = sm.home();
  sm.kill();
  fabric().unlink("S2_0-3");
  fabric().unlink("H1-1", 1);
  fabric().relink("H1-1", 1);
  bring_up_once({.kind = GetParam(), .home = home});
  expect_good_fabric();
}

TEST_P(Faults, SighupSweepsAgain) {
  SubnetManager& sm = start_daemon();
  const std::size_t mark = sm.log_end();
  sm.signal(SIGHUP);
  expect_converges(sm, mark, {.traces_max = 5});
}

INSTANTIATE_TEST_SUITE_P(With, Faults, ::testing::ValuesIn(available_sms()), sm_test_name);

// The umad device goes away, as when a driver is unloaded. Only for Heddle: OpenSM does not notice.
class LostDevice : public OnIbsim {
 protected:
  SubnetManager& start_daemon() {
    start_fabric(sample_net("fattree2-16h"));
    gone_ = fabric().new_dir("device") / "gone";
    SubnetManager& sm =
        start_sm({.kind = SmKind::heddle,
                  .conf = kDaemonConf,
                  .env = {{"LD_PRELOAD", LOSE_DEVICE_LIBRARY},
                          {"LOSE_DEVICE_FILE", gone_.string()},
                          {"LOSE_QUIETLY_FILE", (gone_.parent_path() / "quietly").string()},
                          {"THROW_FILE", (gone_.parent_path() / "throw").string()},
                          {"NO_ACCEPT_FILE", (gone_.parent_path() / "no-accept").string()},
                          {"HEDDLE_RUN_DIR", gone_.parent_path().string()}}});
    EXPECT_TRUE(sm.wait_subnet_up());
    return sm;
  }
  std::filesystem::path gone_;
};

TEST_F(LostDevice, TheManagerStartsAgainWhenItIsBack) {
  SubnetManager& sm = start_daemon();
  std::size_t mark = sm.log_end();
  write_file(gone_, "");
  const auto lost = sm.wait_log("is lost: ", mark);
  ASSERT_TRUE(lost.has_value());
  ASSERT_TRUE(sm.wait_log("Exiting SM", *lost).has_value());  // no master without a port
  std::filesystem::remove(gone_);
  const auto back = sm.wait_log("is back", *lost);
  ASSERT_TRUE(back.has_value());
  expect_converges(sm, *back);
}

/// On kernels from 4.x to RHEL 8.
TEST_F(LostDevice, IsNoticedWhereOnlyWritesFail) {
  SubnetManager& sm = start_daemon();
  const std::size_t mark = sm.log_end();
  const std::filesystem::path quietly = gone_.parent_path() / "quietly";
  write_file(quietly, "");
  sm.signal(SIGHUP);
  const auto lost = sm.wait_log("is lost: ", mark);
  ASSERT_TRUE(lost.has_value()) << sm.tail();
  std::filesystem::remove(quietly);
  const auto back = sm.wait_log("is back", *lost);
  ASSERT_TRUE(back.has_value());
  expect_converges(sm, *back);
}

TEST_F(LostDevice, TheProcessEndsOnSigtermWhileItWaits) {
  SubnetManager& sm = start_daemon();
  const std::size_t mark = sm.log_end();
  write_file(gone_, "");
  ASSERT_TRUE(sm.wait_log("Exiting SM", mark).has_value());
  sm.signal(SIGTERM);
  const std::optional<Exit> exit = sm.wait_exit(Milliseconds(5'000));
  ASSERT_TRUE(exit.has_value());
  EXPECT_EQ(exit->code, 0);
}

TEST_F(LostDevice, AnExceptionEndsTheProcess) {
  SubnetManager& sm = start_daemon();
  const std::size_t mark = sm.log_end();
  write_file(gone_.parent_path() / "throw", "");
  sm.signal(SIGHUP);
  fabric().unlink("S2_0-1");
  const std::optional<Exit> exit = sm.wait_exit(Milliseconds(20'000));
  ASSERT_TRUE(exit.has_value()) << sm.tail();
  EXPECT_EQ(exit->code, 1) << "a service manager restarts it";
  EXPECT_TRUE(sm.wait_log("internal error: ", mark).has_value());
}

TEST_F(LostDevice, TheControlSocketSurvivesALackOfDescriptors) {
  SubnetManager& sm = start_daemon();
  write_file(gone_.parent_path() / "no-accept", "");
  const auto status = [&](Milliseconds timeout) {
    return fabric().run(
        {"env", "HEDDLE_RUN_DIR=" + gone_.parent_path().string(), HEDDLECTL_PROGRAM, "status"},
        {.timeout = timeout});
  };
  EXPECT_FALSE(status(Milliseconds(1'000)).ok());
  EXPECT_TRUE(sm.running());
  std::filesystem::remove(gone_.parent_path() / "no-accept");
  const Finished answered = status(Milliseconds(10'000));
  EXPECT_TRUE(answered.ok()) << answered.err;
}

// Lost packets. Only for Heddle: OpenSM gives up on a packet that its kernel reports as timed out,
// as ibsim does.
class Drops : public OnIbsim, public ::testing::WithParamInterface<unsigned> {
 protected:
  SmOptions daemon() { return {.kind = SmKind::heddle, .conf = kDaemonConf}; }
  // Lost packets cost timeouts, whose number has no bound.
  static constexpr Milliseconds kWaitMax{120'000};
};

TEST_P(Drops, DoNotPreventBringUp) {
  start_fabric(sample_net("fattree2-16h"));
  fabric().set_drop_percent(GetParam());
  SubnetManager& sm = start_sm(daemon());
  ASSERT_TRUE(sm.wait_subnet_up(kWaitMax));
  fabric().set_drop_percent(0);  // the tools' packets would be lost, too
  expect_converges(sm, 0);
}

TEST_P(Drops, DoNotPreventRepair) {
  start_fabric(sample_net("fattree2-16h"));
  SubnetManager& sm = start_sm(daemon());
  ASSERT_TRUE(sm.wait_subnet_up());
  fabric().set_drop_percent(GetParam());
  std::size_t mark = sm.log_end();
  fabric().unlink("S2_0-1");
  ASSERT_TRUE(sm.wait_log("SUBNET UP", mark, kWaitMax));
  mark = sm.log_end();
  fabric().relink("S2_0-1");
  ASSERT_TRUE(sm.wait_log("SUBNET UP", mark, kWaitMax));
  fabric().set_drop_percent(0);
  expect_converges(sm, mark);
}

INSTANTIATE_TEST_SUITE_P(Percent, Drops, ::testing::Values(1u, 3u, 10u),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace faults_test
}  // namespace harness
