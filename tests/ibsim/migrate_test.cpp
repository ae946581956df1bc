// heddlectl migrate-from opensm: OpenSM leads, hosts have joined a group; after it Heddle leads, no
// forwarding table and no LID has changed, and the group has its members.

#include <sys/wait.h>

#include <regex>

#include "ibsim/fixture.h"

namespace harness {
namespace migrate_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr unsigned kSubnSet = 2, kLinearForwardingTable = 0x19;
constexpr const char* kMasterGuid = "0x0002c90000000001";   // H0-0 of the sample
constexpr const char* kAnotherGuid = "0x0002c90000000051";  // H1-1
constexpr const char* kBroadcast = "ff12401bffff000000000000ffffffff";

class Migrate : public OnIbsim {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (has_ended()) return;
    start_fabric(sample_net("fattree2-16h"));
    opensm_ = &start_sm({.kind = SmKind::opensm,
                         .host = "H0-0",
                         .conf = "sweep_interval 1\nsa_db_dump TRUE\nrouting_engine updn\n",
                         .args = {"-g", kMasterGuid}});
    ASSERT_TRUE(opensm_->wait_subnet_up());
    join("H0-0", "0002c90000000001");
    join("H1-1", "0002c90000000051");
    // OpenSM writes its registrations at the end of a light sweep.
    ASSERT_TRUE(wait_for_text(opensm_->home() / "dumps" / "opensm-sa.dump", "2c90000000051", 0,
                              Milliseconds(20'000), [] { return false; })
                    .has_value());
    tables_ = tables("H0-0");
    cabling_ = cabling("H0-0");
    run_dir_ = fabric().new_dir("run");
  }
  void TearDown() override {
    stop_heddle();
    OnIbsim::TearDown();
  }

  void join(const std::string& host, const std::string& guid) {
    const std::string record = std::string(kBroadcast) + "fe80000000000000" + guid +
                               std::string(32, '0') + "01" + std::string(6, '0');
    const Finished joined =
        fabric().run({SA_POKE_PROGRAM, "2", "0x38", "0", "0x10003", "0", record}, {.host = host});
    ASSERT_THAT(joined.out, HasSubstr("status 0x0000")) << joined.err;
  }
  /// Of the group that hosts have joined, by Heddle: through ibsim, saquery -m shows
  /// empty records.
  std::string members(const std::string& host) {
    const Finished found =
        fabric().run({"env", "-u", "LD_PRELOAD", "HEDDLE_RUN_DIR=" + run_dir_.string(),
                      HEDDLECTL_PROGRAM, "groups", "--json", "ff12:401b:ffff::ffff:ffff"},
                     {.host = host});
    EXPECT_TRUE(found.ok()) << found.err;
    return found.out;
  }
  ForwardingTables tables(const std::string& host) {
    const Finished dumped = fabric().run({"dump_fts"}, {.host = host});
    EXPECT_TRUE(dumped.ok()) << dumped.err;
    return parse_dump_fts(dumped.out);
  }
  Cabling cabling(const std::string& host) {
    Problems problems;
    Cabling found = discover(fabric(), host, problems);
    EXPECT_TRUE(problems.empty()) << text_of(problems);
    return found;
  }
  Finished migrate(const std::string& host, std::vector<std::string> more) {
    counts_ = fabric().new_dir("counts") / "counts";
    RunOptions options{
        .host = host, .timeout = Milliseconds(60'000), .env = count_smps_into(counts_)};
    options.env.emplace_back("HEDDLE_RUN_DIR", run_dir_.string());
    more.insert(more.begin(), {HEDDLECTL_PROGRAM, "migrate-from", "opensm", "--pid",
                               std::to_string(opensm_->pid())});
    const Finished done = fabric().run(more, options);
    std::smatch process;
    if (std::regex_search(done.out, process, std::regex("Heddle \\(process (\\d+)\\) is MASTER")))
      heddle_ = std::stoi(process[1]);
    return done;
  }
  /// What it sent.
  SmpCounts stop_heddle() {
    if (heddle_ == 0) return {};
    kill(heddle_, SIGTERM);
    while (kill(heddle_, 0) == 0) {
      waitpid(heddle_, nullptr, WNOHANG);
      short_pause();
    }
    heddle_ = 0;
    return read_smp_counts(counts_);
  }
  void expect_nothing_changed(const std::string& host) {
    EXPECT_EQ(tables(host), tables_);
    for (const auto& [port, end_port] : cabling(host).end_ports)
      EXPECT_EQ(end_port.lid, cabling_.end_ports.at(port).lid) << port.text();
    EXPECT_THAT(members(host),
                AllOf(HasSubstr("fe80::2:c900:0:1\""), HasSubstr("fe80::2:c900:0:51\""),
                      HasSubstr("\"member_count\":2"), HasSubstr("0xc000")));
    const SmpCounts sent = stop_heddle();
    EXPECT_FALSE(sent.by_method_and_attribute.contains({kSubnSet, kLinearForwardingTable}));
    EXPECT_GT(sent.sets, 0u) << "PortInfo, at least: it leads";
  }

  SubnetManager* opensm_ = nullptr;
  std::filesystem::path run_dir_, counts_;
  ForwardingTables tables_;
  Cabling cabling_;
  pid_t heddle_ = 0;
};

TEST_F(Migrate, WithoutApplyItOnlySaysWhatIsTakenOver) {
  const Finished said = migrate("H0-0", {});
  EXPECT_TRUE(said.ok()) << said.err << said.out;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr(std::string("port ") + kMasterGuid), HasSubstr("routing_engine updn"),
                    HasSubstr("with 2 members"), HasSubstr("0 entries in 0 blocks would change"),
                    HasSubstr("Back again")));
  EXPECT_TRUE(opensm_->running());
  EXPECT_EQ(read_smp_counts(counts_).sets, 0u);
}

TEST_F(Migrate, OnTheSamePortOpenSmIsStoppedFirst) {
  const Finished done = migrate("H0-0", {"--apply"});
  ASSERT_TRUE(done.ok()) << done.err << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("OpenSM has ended"), HasSubstr(" as before, 0 changed")));
  EXPECT_FALSE(opensm_->running());
  expect_nothing_changed("H0-0");
}

TEST_F(Migrate, OnAnotherPortOpenSmHandsOver) {
  const Finished done = migrate("H1-1", {"--apply", "--guid", kAnotherGuid});
  ASSERT_TRUE(done.ok()) << done.err << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("stands by; taking over would write"),
                              HasSubstr(" as before, 0 changed")));
  EXPECT_TRUE(opensm_->wait_log("Entering STANDBY state")) << opensm_->tail();
  expect_nothing_changed("H1-1");
  // It stands by, so that it can lead again.
  EXPECT_TRUE(opensm_->running());
}

}  // namespace migrate_test
}  // namespace harness
