// Two subnet managers on one fabric: only one may write. OpenSM is always one of them.

#include "ibsim/fixture.h"

namespace harness {
namespace two_sms_test {

constexpr const char* kQuickPolling =
    "sweep_interval 1\n"
    "sminfo_polling_timeout 200\n"
    "polling_retry_number 2\n";
constexpr std::uint64_t kFirstPortGuid = 0x2c90000000001;  // H0-0 of the sample

class TwoSms : public OnIbsimWithEachSm {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (!has_ended()) start_fabric(sample_net("fattree2-16h"));
  }
  SmOptions at(SmKind kind, const std::string& host) {
    return {.kind = kind, .host = host, .conf = kQuickPolling};
  }
};

TEST_P(TwoSms, SecondOneStaysStandbyAndWritesNothing) {
  SubnetManager& master = start_sm(at(SmKind::opensm, "H0-0"));
  ASSERT_TRUE(master.wait_subnet_up());
  const std::filesystem::path counts_file = fabric().dir() / "counts";
  SmOptions options = at(GetParam(), "H1-1");
  options.env = count_smps_into(counts_file);
  SubnetManager& standby = start_sm(options);
  const std::optional<std::size_t> entered = standby.wait_log("Entering STANDBY state");
  ASSERT_TRUE(entered.has_value());
  EXPECT_FALSE(standby.wait_log("Entering MASTER state", *entered, Milliseconds(1'000))
                   .has_value());  // several polls long
  EXPECT_TRUE(check_sm(fabric(), kFirstPortGuid, "SMINFO_MASTER").empty());
  standby.signal(SIGTERM);
  ASSERT_TRUE(standby.wait_exit(Milliseconds(5'000)).has_value());
  const SmpCounts counts = read_smp_counts(counts_file);
  EXPECT_EQ(counts.sets, 0u);
  EXPECT_GT(counts.by_method_and_attribute.at({1, 0x20}), 1u)
      << "the standby must have polled SMInfo";
}

TEST_P(TwoSms, SecondOneTakesOverWhenTheFirstEnds) {
  SubnetManager& master = start_sm(at(SmKind::opensm, "H0-0"));
  ASSERT_TRUE(master.wait_subnet_up());
  SubnetManager& standby = start_sm(at(GetParam(), "H1-1"));
  ASSERT_TRUE(standby.wait_log("Entering STANDBY state").has_value());
  const std::size_t mark = standby.log_end();
  Problems problems;
  const Cabling before = discover(fabric(), {}, problems);
  master.kill();
  ASSERT_TRUE(standby.wait_log("Entering MASTER state", mark).has_value());
  expect_converges(standby, mark, {.host = "H1-1", .traces_max = 20});
  const Cabling after = discover(fabric(), "H1-1", problems);
  const PortId here{after.find_guid("H-0002c90000000050"), 1};
  problems = check_sm(fabric(), after.end_ports.at(here).port_guid, "SMINFO_MASTER", "H1-1");
  EXPECT_TRUE(problems.empty()) << text_of(problems);
  for (const auto& [port, end_port] : before.end_ports)
    EXPECT_EQ(after.end_ports.at(port).lid, end_port.lid) << port.text();
}

TEST_P(TwoSms, FirstOneIsKnownAsMasterToALaterOpenSm) {
  SubnetManager& master = start_sm(at(GetParam(), "H0-0"));
  ASSERT_TRUE(master.wait_subnet_up());
  SubnetManager& later = start_sm(at(SmKind::opensm, "H1-1"));
  const std::optional<std::size_t> entered = later.wait_log("Entering STANDBY state");
  ASSERT_TRUE(entered.has_value());
  EXPECT_FALSE(later.wait_log("Entering MASTER state", *entered, Milliseconds(1'000)).has_value());
  EXPECT_TRUE(check_sm(fabric(), kFirstPortGuid, "SMINFO_MASTER", "H1-1").empty());
}

/// One of each kind; the later one has the higher priority.
class Handover : public TwoSms {
 protected:
  static SmKind other(SmKind kind) {
    return kind == SmKind::heddle ? SmKind::opensm : SmKind::heddle;
  }
  SubnetManager& start_with(SmKind kind, const std::string& host, const char* priority) {
    SmOptions options = at(kind, host);
    options.args = {"-p", priority};
    return start_sm(options);
  }
  /// sminfo names `port_guid` as MASTER after its SUBNET UP: MasterSMLID is written then.
  void expect_master(SubnetManager& sm, std::size_t mark, std::uint64_t port_guid,
                     const std::string& from) {
    ASSERT_TRUE(sm.wait_log("SUBNET UP", mark).has_value()) << sm.tail();
    const Problems problems = check_sm(fabric(), port_guid, "SMINFO_MASTER", from);
    EXPECT_TRUE(problems.empty()) << text_of(problems);
  }
  static constexpr std::uint64_t kLaterPortGuid = 0x2c90000000051;  // H1-1 of the sample
};

TEST_P(Handover, ALaterOneOfHigherPriorityBecomesMaster) {
  SubnetManager& first = start_with(GetParam(), "H0-0", "0");
  ASSERT_TRUE(first.wait_subnet_up());
  Problems problems;
  const Cabling before = discover(fabric(), {}, problems);
  SubnetManager& later = start_with(other(GetParam()), "H1-1", "15");
  const std::optional<std::size_t> master = later.wait_log("Entering MASTER state");
  ASSERT_TRUE(master.has_value()) << first.tail() << later.tail();
  ASSERT_TRUE(first.wait_log("Entering STANDBY state").has_value());
  // OpenSM sweeps only when its trap 144 was repressed, and ibsim drops TrapRepress.
  if (other(GetParam()) == SmKind::opensm) return;
  expect_master(later, *master, kLaterPortGuid, "H1-1");
  const Cabling after = discover(fabric(), "H1-1", problems);
  for (const auto& [port, end_port] : before.end_ports)
    EXPECT_EQ(after.end_ports.at(port).lid, end_port.lid) << port.text();
}

/// ibsim lets no other OpenSM become MASTER while the stopped one does not read its socket.
class TwoHeddles : public Handover {};

TEST_P(TwoHeddles, AMasterThatIsStoppedReturnsAndOneThatIsKilledDoesNot) {
  SubnetManager& first = start_with(SmKind::heddle, "H0-0", "0");
  ASSERT_TRUE(first.wait_subnet_up());
  SubnetManager& later = start_with(SmKind::heddle, "H1-1", "15");
  ASSERT_TRUE(first.wait_log("Entering STANDBY state").has_value());
  ASSERT_TRUE(later.wait_subnet_up());

  // It is stopped and returns, still as MASTER: the two meet, and the higher one stays.
  std::size_t mark = first.log_end();
  later.stop();
  ASSERT_TRUE(first.wait_log("Entering MASTER state", mark).has_value()) << first.tail();
  ASSERT_TRUE(first.wait_log("SUBNET UP", mark).has_value());
  mark = first.log_end();
  const std::size_t continued = later.log_end();
  later.signal(SIGCONT);
  ASSERT_TRUE(first.wait_log("Entering STANDBY state", mark).has_value())
      << first.tail() << later.tail();
  expect_master(later, continued, kLaterPortGuid, "H1-1");

  mark = first.log_end();
  later.signal(SIGKILL);
  ASSERT_TRUE(first.wait_log("Entering MASTER state", mark).has_value()) << first.tail();
  expect_master(first, mark, kFirstPortGuid, "H0-0");
}

INSTANTIATE_TEST_SUITE_P(With, TwoHeddles, ::testing::Values(SmKind::heddle), sm_test_name);
INSTANTIATE_TEST_SUITE_P(With, Handover, ::testing::ValuesIn(available_sms()), sm_test_name);
INSTANTIATE_TEST_SUITE_P(With, TwoSms, ::testing::ValuesIn(available_sms()), sm_test_name);

}  // namespace two_sms_test
}  // namespace harness
