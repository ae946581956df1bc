// Subnet managers on heddle-sim: faults of the fabric or of another manager are detected and
// repaired.

#include <cstdio>
#include <cstring>

#include "ibsim/fixture.h"
#include "mad/format.h"

namespace harness {
namespace managers_test {

constexpr const char* kQuickPolling =
    "sweep_interval 1\n"
    "sminfo_polling_timeout 200\n"
    "polling_retry_number 2\n";
constexpr std::uint64_t kFirstPortGuid = 0x2c90000000001,
                        kOtherPortGuid = 0x2c90000000051;  // H0-0 and H1-1 of the sample

class OnHeddleSim : public OnIbsim {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (!has_ended()) start_fabric(IbsimStart{sample_net("fattree2-16h")});
  }
  struct IbsimStart {
    std::string net;
  };
  void start_fabric(const IbsimStart& start) { heddle_.emplace(start.net, HEDDLE_SIM_PROGRAM); }
  IbsimFabric& sim() { return *heddle_; }
  SubnetManager& start(SmOptions options) { return managers_.emplace_back(*heddle_, options); }
  void TearDown() override {
    if (HasFailure() && heddle_) {
      heddle_->keep_files();
      std::cerr << "files kept in " << heddle_->dir() << '\n' << heddle_->simulator_log() << '\n';
      for (const SubnetManager& each : managers_) std::cerr << each.tail() << '\n';
    }
    managers_.clear();
    heddle_.reset();
    OnIbsim::TearDown();
  }
  void expect_heals(SubnetManager& sm, std::size_t mark) {
    Problems problems{"no SUBNET UP after the change"};
    for (auto seen = sm.wait_log("SUBNET UP", mark); seen;
         seen = sm.wait_log("SUBNET UP", *seen, Milliseconds(8'000))) {
      problems = check_fabric(sim());
      if (problems.empty()) return;
    }
    ADD_FAILURE() << text_of(problems);
  }

 private:
  std::optional<IbsimFabric> heddle_;
  std::list<SubnetManager> managers_;
};

TEST_F(OnHeddleSim, OpenSmRepairsUnlinkAndRelink) {
  SubnetManager& sm = start({.kind = SmKind::opensm, .conf = kQuickPolling});
  ASSERT_TRUE(sm.wait_subnet_up());
  std::size_t mark = sm.log_end();
  sim().unlink("S1_0-0", 5);
  expect_heals(sm, mark);
  mark = sm.log_end();
  sim().relink("S1_0-0", 5);
  expect_heals(sm, mark);
}

TEST_F(OnHeddleSim, TrapRepressEndsTheRepetitionOfTraps) {
  for (const SmKind kind : available_sms()) {
    SubnetManager& sm = start({.kind = kind, .conf = "sweep_interval 0\n"});
    ASSERT_TRUE(sm.wait_subnet_up());
    sim().unlink("S1_0-0", 5);  // both ends send trap 128
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto all_repressed = [&](const std::string& text) {
      unsigned raised = 0, sent = 0, repressed = 0;
      const char* const traps = std::strstr(text.c_str(), "traps:");
      return traps != nullptr &&
             std::sscanf(traps, "traps: %u raised, %u sent, %u repressed", &raised, &sent,
                         &repressed) == 3 &&
             repressed >= 2 && repressed == raised;
    };
    std::string last;
    while (!all_repressed(last = sim().console("stat"))) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << find_name(kind) << ": " << last;
      short_pause();
    }
    sm.kill();
    start_fabric(IbsimStart{sample_net("fattree2-16h")});
  }
}

TEST_F(OnHeddleSim, OpenSmRepairsARebootedSwitch) {
  SubnetManager& sm = start({.kind = SmKind::opensm, .conf = kQuickPolling});
  ASSERT_TRUE(sm.wait_subnet_up());
  const std::size_t mark = sm.log_end();
  sim().console("reboot S2_0-1");
  // Before it has booted, there is nothing to repair: wait until the reference tools find it again.
  const std::uint64_t guid = sim().cabling().find_guid("S2_0-1");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (bool is_back = false; !is_back;) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the switch does not boot";
    Problems while_it_boots;
    is_back = discover(sim(), "", while_it_boots).nodes.contains(guid);
  }
  expect_heals(sm, mark);
}

TEST_F(OnHeddleSim, TheStandbyTakesOverFromAMasterThatEnded) {
  SubnetManager& master =
      start({.kind = SmKind::opensm, .host = "H0-0", .conf = kQuickPolling, .args = {"-p", "9"}});
  ASSERT_TRUE(master.wait_subnet_up());
  SubnetManager& standby =
      start({.kind = SmKind::opensm, .host = "H1-1", .conf = kQuickPolling, .args = {"-p", "5"}});
  ASSERT_TRUE(standby.wait_log("Entering STANDBY state"));
  EXPECT_TRUE(check_sm(sim(), kFirstPortGuid, "SMINFO_MASTER").empty());
  master.signal(SIGKILL);
  ASSERT_TRUE(master.wait_exit(Milliseconds(5'000)));
  ASSERT_TRUE(standby.wait_log("Entering MASTER state"));
  ASSERT_TRUE(standby.wait_log("SUBNET UP"));
  const Problems problems = check_sm(sim(), kOtherPortGuid, "SMINFO_MASTER", "H2-2");
  EXPECT_TRUE(problems.empty()) << text_of(problems);
  EXPECT_THAT(sim().simulator_log(), ::testing::HasSubstr("disappeared"));
}

/// The API of the first manager makes a host a member, and the second manager shares no state.
TEST_F(OnHeddleSim, KeysOfTheApiStayWhenAManagerWithoutThemTakesOver) {
  const std::filesystem::path first = sim().new_dir("run-first"),
                              second = sim().new_dir("run-second");
  const auto start_heddle = [&](const char* host, const char* priority,
                                const std::filesystem::path& run_dir) -> SubnetManager& {
    SmOptions options{
        .kind = SmKind::heddle, .host = host, .conf = kQuickPolling, .args = {"-p", priority}};
    options.env = {{"HEDDLE_RUN_DIR", run_dir.string()}};
    return start(std::move(options));
  };
  const auto heddlectl = [&](const std::filesystem::path& run_dir,
                             const std::vector<std::string>& words) {
    std::vector<std::string> command{"env", "-u", "LD_PRELOAD",
                                     "HEDDLE_RUN_DIR=" + run_dir.string(), HEDDLECTL_PROGRAM};
    command.insert(command.end(), words.begin(), words.end());
    const Finished done = sim().run(command);
    EXPECT_TRUE(done.ok()) << done.out << done.err;
    return done.out;
  };
  SubnetManager& master = start_heddle("H0-0", "9", first);
  ASSERT_TRUE(master.wait_subnet_up());
  SubnetManager& standby = start_heddle("H1-1", "5", second);
  ASSERT_TRUE(standby.wait_log("Entering STANDBY state"));

  Problems problems;
  const Cabling found = discover(sim(), "", problems);
  std::uint64_t member = 0;
  std::string lid;
  for (const auto& [port, end] : found.end_ports) {
    if (found.nodes.at(port.node_guid).is_switch || end.port_guid == kFirstPortGuid ||
        end.port_guid == kOtherPortGuid)
      continue;
    member = end.port_guid;
    lid = std::to_string(end.lid);
  }
  const auto has_key = [&] {
    return sim().run({"smpquery", "pkeys", lid}).out.find("0x8013") != std::string::npos;
  };
  heddlectl(first, {"partition", "create", "0x13"});
  heddlectl(first, {"partition", "add", "0x13", fmt::format("{:#018x}", member), "--wait"});
  ASSERT_TRUE(has_key());

  master.signal(SIGKILL);
  ASSERT_TRUE(master.wait_exit(Milliseconds(5'000)));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!standby.wait_log("SUBNET UP", 0, Milliseconds(50))) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << standby.tail();
    ASSERT_TRUE(has_key()) << standby.tail();
  }
  ASSERT_TRUE(standby.wait_log("SM-PARTITION-KEPT", 0, Milliseconds(10'000))) << standby.tail();
  const std::size_t mark = standby.log().size();
  heddlectl(second, {"resweep"});  // reads and decides all tables again
  ASSERT_TRUE(standby.wait_log("SUBNET UP", mark, Milliseconds(30'000))) << standby.tail();
  EXPECT_TRUE(has_key()) << standby.tail();
  EXPECT_THAT(heddlectl(second, {"security"}), ::testing::HasSubstr("0x0013"));
  heddlectl(second, {"partition", "discard", "0x13"});
  EXPECT_FALSE(has_key());
}

TEST_F(OnHeddleSim, ManagerAndToolsShareAPort) {
  SubnetManager& sm = start({.kind = SmKind::opensm});
  ASSERT_TRUE(sm.wait_subnet_up());
  for (int i = 0; i < 5; ++i) {
    const Finished query = sim().run({"saquery", "CPI"});
    EXPECT_TRUE(query.ok()) << query.err << query.out;
    EXPECT_THAT(query.out, ::testing::HasSubstr("ClassPortInfo"));
  }
  EXPECT_TRUE(sm.running());
}

}  // namespace managers_test
}  // namespace harness
