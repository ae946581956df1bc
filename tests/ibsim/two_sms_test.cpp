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
  const PortId here{after.guid_of("H-0002c90000000050"), 1};
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

/// It sends trap 144 (SMPriority) to its master of lower rank, again and again.
TEST_P(TwoSms, LaterOpenSmOfHigherPriorityCausesNoSweepsOfHeddle) {
  if (GetParam() != SmKind::heddle) GTEST_SKIP() << "OpenSM hands over";
  SubnetManager& master =
      start_sm({.kind = SmKind::heddle, .host = "H0-0", .conf = "sweep_interval 0\n"});
  ASSERT_TRUE(master.wait_subnet_up());
  SmOptions options = at(SmKind::opensm, "H1-1");
  options.conf += "sm_priority 9\n";
  SubnetManager& later = start_sm(options);
  const std::optional<std::size_t> entered = later.wait_log("Entering STANDBY state");
  ASSERT_TRUE(entered.has_value());
  ASSERT_TRUE(master.wait_log("num:144", 0, Milliseconds(5'000)).has_value()) << later.tail();
  EXPECT_FALSE(later.wait_log("Entering MASTER state", *entered, Milliseconds(2'000)).has_value());
  const std::string log = master.log();
  std::size_t sweeps = 0;
  for (std::size_t at = log.find("sweep begins"); at != std::string::npos;
       at = log.find("sweep begins", at + 1))
    ++sweeps;
  EXPECT_LE(sweeps, 2u) << "the first one, and one because a manager appeared: " << log;
}

INSTANTIATE_TEST_SUITE_P(With, TwoSms, ::testing::ValuesIn(available_sms()), sm_test_name);

}  // namespace two_sms_test
}  // namespace harness
