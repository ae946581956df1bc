// heddlectl migrate-from opensm: OpenSM leads, hosts have joined a group; after it Heddle leads, no
// forwarding table and no LID has changed, and the group has its members. What cannot be done, or
// fails, leaves OpenSM as it was.

#include <sys/wait.h>

#include <fstream>
#include <regex>
#include <sstream>

#include <nlohmann/json.hpp>

#include "ibsim/fixture.h"

namespace harness {
namespace migrate_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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
                         .args = {"-g", kMasterGuid, "-p", priority()}});
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
  virtual std::string priority() const { return "0"; }
  void TearDown() override {
    stop_heddle();
    for (const pid_t pid : later_opensms_) end(pid);
    OnIbsim::TearDown();
  }

  /// A process that is not this one's child. On a simulator that has gone OpenSM does not end.
  void end(pid_t pid) {
    kill(pid, SIGTERM);
    for (int i = 0; i < 100 && kill(pid, 0) == 0; ++i) short_pause();
    if (kill(pid, SIGKILL) == 0) fabric().detach(pid);
  }
  void join(const std::string& host, const std::string& guid) {
    const std::string record = std::string(kBroadcast) + "fe80000000000000" + guid +
                               std::string(32, '0') + "01" + std::string(6, '0');
    const Finished joined =
        fabric().run({SA_POKE_PROGRAM, "2", "0x38", "0", "0x10003", "0", record}, {.host = host});
    ASSERT_THAT(joined.out, HasSubstr("status 0x0000")) << joined.err;
  }
  /// Returns the members of the group that hosts have joined, by Heddle: through ibsim, saquery -m
  /// shows empty records.
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
  /// The OpenSM of this test among those that run on this machine.
  std::vector<std::string> this_opensm() const { return {"--pid", std::to_string(opensm_->pid())}; }
  /// A number that the output has behind a text, or 0.
  static pid_t pid_in(const std::string& text, const std::string& before) {
    std::smatch process;
    return std::regex_search(text, process, std::regex(before + "(\\d+)\\)"))
               ? std::stoi(process[1])
               : 0;
  }
  Finished heddlectl(const std::string& host, std::vector<std::string> more,
                     const std::vector<std::pair<std::string, std::string>>& env = {}) {
    counts_ = fabric().new_dir("counts") / "counts";
    RunOptions options{
        .host = host, .timeout = Milliseconds(60'000), .env = count_smps_into(counts_)};
    options.env.emplace_back("HEDDLE_RUN_DIR", run_dir_.string());
    options.env.insert(options.env.end(), env.begin(), env.end());
    more.insert(more.begin(), {HEDDLECTL_PROGRAM, "migrate-from", "opensm"});
    const Finished done = fabric().run(more, options);
    if (const pid_t pid = pid_in(done.out, "Heddle \\(process "); pid != 0) heddle_ = pid;
    if (const pid_t pid = pid_in(done.err, "command line \\(process "); pid != 0)
      later_opensms_.push_back(pid);
    return done;
  }
  Finished migrate(const std::string& host, std::vector<std::string> more) {
    const auto one = this_opensm();
    more.insert(more.begin(), one.begin(), one.end());
    return heddlectl(host, std::move(more));
  }
  /// The commands that the output says lead back, as one script.
  static std::string revert_commands(const std::string& out) {
    std::istringstream lines(out.substr(std::min(out.rfind("Back again:\n"), out.size())));
    std::string script, line;
    for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");)
      if (!line.starts_with("  (")) script += line + '\n';
    return script;
  }
  void expect_same_lids(const std::string& host) {
    for (const auto& [port, end_port] : cabling(host).end_ports)
      EXPECT_EQ(end_port.lid, cabling_.end_ports.at(port).lid) << port.text();
  }
  std::string opensm_log() const { return read_file(opensm_->home() / "opensm.log"); }
  /// OpenSM leads, and nothing was written by Heddle.
  void expect_opensm_as_before(const Finished& done) {
    EXPECT_EQ(done.exit.code, 2) << done.err << done.out;
    EXPECT_TRUE(opensm_->running());
    EXPECT_THAT(opensm_->log(), Not(HasSubstr("Entering STANDBY state")));
    EXPECT_EQ(read_smp_counts(counts_).sets, 0u);
  }
  /// Returns the SMPs that it sent.
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
    expect_same_lids(host);
    EXPECT_THAT(members(host),
                AllOf(HasSubstr("fe80::2:c900:0:1\""), HasSubstr("fe80::2:c900:0:51\""),
                      HasSubstr("\"member_count\":2"), HasSubstr("0xc000")));
    const SmpCounts sent = stop_heddle();
    EXPECT_FALSE(sent.by_method_and_attribute.contains({kSubnSet, kLinearForwardingTable}));
    EXPECT_GT(sent.sets, 0u) << "PortInfo, at least: it leads";
  }

  SubnetManager* opensm_ = nullptr;
  fs::path run_dir_, counts_;
  ForwardingTables tables_;
  Cabling cabling_;
  pid_t heddle_ = 0;
  std::vector<pid_t> later_opensms_;  // that heddlectl has started
};

TEST_F(Migrate, WithoutApplyItOnlySaysWhatIsTakenOver) {
  std::ofstream(opensm_->home() / "opensm.conf", std::ios::app)
      << "event_plugin_options token-of-a-plugin\n";
  const Finished said = migrate("H0-0", {});
  EXPECT_TRUE(said.ok()) << said.err << said.out;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr(std::string("port ") + kMasterGuid), HasSubstr("routing_engine updn"),
                    HasSubstr("with 2 members"), HasSubstr("0 entries in 0 blocks would change"),
                    HasSubstr("event_plugin_options MASKED"), Not(HasSubstr("token-of-a-plugin")),
                    HasSubstr("Back again")));
  EXPECT_TRUE(opensm_->running());
  EXPECT_EQ(read_smp_counts(counts_).sets, 0u);
  const auto json = nlohmann::json::parse(migrate("H0-0", {"--json"}).out);
  EXPECT_EQ(json["applied"], false);
  EXPECT_EQ(json["ports"][0]["port_guid"], kMasterGuid);
  EXPECT_EQ(json["ports"][0]["changes"], false);
  EXPECT_EQ(json["ports"][0]["plan"]["paths"]["changed"], 0);
  EXPECT_FALSE(json["revert_commands"].empty());
  EXPECT_THAT(json["report"].dump(), HasSubstr("routing_engine updn"));
}

TEST_F(Migrate, OnTheSamePortOpenSmIsStoppedFirst) {
  const Finished done = migrate("H0-0", {"--apply"});
  ASSERT_TRUE(done.ok()) << done.err << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("OpenSM has ended"), HasSubstr(" as before, 0 changed")));
  EXPECT_FALSE(opensm_->running());
  expect_nothing_changed("H0-0");
}

TEST_F(Migrate, TheWayBackThatItPrintsLeadsBack) {
  const Finished done = migrate("H0-0", {"--apply"});
  ASSERT_TRUE(done.ok()) << done.err << done.out;
  const std::string script = revert_commands(done.out);
  const std::size_t before = opensm_log().size();
  Process back(
      fabric().command({"sh", "-e", "-c", script}, {.host = "H0-0"}, fabric().new_dir("back")));
  EXPECT_TRUE(wait_for_text(opensm_->home() / "opensm.log", "SUBNET UP", before,
                            Milliseconds(30'000), [&] { return !back.running(); }))
      << script;
  EXPECT_NE(kill(heddle_, 0), 0) << "Heddle still runs";
  if (kill(heddle_, 0) != 0) heddle_ = 0;
  expect_same_lids("H1-1");
  const Finished sminfo = fabric().run({"sminfo"}, {.host = "H1-1"});
  EXPECT_THAT(sminfo.out, HasSubstr("SMINFO_MASTER")) << sminfo.err;
  // OpenSM is the shell's child.
  const std::string shell = std::to_string(back.pid());
  std::ifstream children(fs::path("/proc") / shell / "task" / shell / "children");
  for (pid_t pid = 0; children >> pid;) end(pid);
}

TEST_F(Migrate, WhatCannotBeDoneIsSaidAndNothingChanges) {
  // Neither routes nor LIDs are changed without being asked for.
  std::ofstream(opensm_->home() / "opensm.conf", std::ios::app) << "routing_adoption FALSE\n";
  for (const bool apply : {false, true}) {
    Finished done =
        migrate("H0-0", apply ? std::vector<std::string>{"--apply"} : std::vector<std::string>{});
    EXPECT_EQ(done.exit.code, 1) << done.out << done.err;
    EXPECT_THAT(done.out, Not(HasSubstr("forwarding tables: 0 entries")));
    EXPECT_EQ(done.err.find("--allow-changes") != std::string::npos, apply) << done.err;
    done.exit.code = 2;
    expect_opensm_as_before(done);
  }
  const Finished refused = heddlectl("H0-0", {"--pid", "1", "--apply"});
  EXPECT_THAT(refused.err, HasSubstr("process 1 is no OpenSM"));
  expect_opensm_as_before(refused);
}

TEST_F(Migrate, FilesThatOtherUsersCanChangeAreNotTakenOver) {
  const fs::path conf = opensm_->home() / "opensm.conf", command = opensm_->home() / "command";
  write_file(command, "#!/bin/sh\ntouch " + (opensm_->home() / "was-run").string() + "\n");
  fs::permissions(command, fs::perms{0757});
  std::ofstream(conf, std::ios::app) << "event_command " << command.string() << '\n';
  const Finished program = migrate("H0-0", {"--apply"});
  EXPECT_THAT(program.err, AllOf(HasSubstr("event_command " + command.string() + " is not run"),
                                 HasSubstr("(mode 0757)")));
  expect_opensm_as_before(program);
  fs::permissions(command, fs::perms{0755});
  fs::permissions(conf, fs::perms{0666});
  const Finished file = migrate("H0-0", {"--apply"});
  EXPECT_THAT(file.err, AllOf(HasSubstr(conf.string() + " is not read"), HasSubstr("(mode 0666)")));
  expect_opensm_as_before(file);
  EXPECT_FALSE(fs::exists(opensm_->home() / "was-run"));
}

TEST_F(Migrate, IfHeddleDoesNotLeadOpenSmIsStartedAgain) {
  // No control socket can be made there.
  run_dir_ = fabric().dir() / "a_file";
  write_file(run_dir_, "");
  const std::size_t before = opensm_log().size();
  const Finished done = migrate("H0-0", {"--apply", "--wait", "4"});
  EXPECT_EQ(done.exit.code, 2) << done.err << done.out;
  EXPECT_THAT(done.err, AllOf(HasSubstr("Heddle does not lead"), HasSubstr("started again")));
  EXPECT_TRUE(wait_for_text(opensm_->home() / "opensm.log", "Entering MASTER state", before,
                            Milliseconds(30'000), [] { return false; }));
  expect_same_lids("H1-1");
}

TEST_F(Migrate, AnOpenSmThatDoesNotEndIsStartedAgain) {
  const std::size_t before = opensm_log().size();
  opensm_->stop();
  const Finished done = migrate("H0-0", {"--apply", "--wait", "2"});
  fabric().detach(opensm_->pid());
  EXPECT_EQ(done.exit.code, 2) << done.err << done.out;
  EXPECT_THAT(done.err, AllOf(HasSubstr("has not ended"), HasSubstr("started again")));
  EXPECT_THAT(done.out, Not(HasSubstr("is MASTER")));
  EXPECT_TRUE(wait_for_text(opensm_->home() / "opensm.log", "Entering MASTER state", before,
                            Milliseconds(30'000), [] { return false; }));
  expect_same_lids("H1-1");
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

class MigrateFromPriority15 : public Migrate {
  std::string priority() const override { return "15"; }
};

TEST_F(MigrateFromPriority15, OnAnotherPortNoneIsAbove) {
  const Finished done = migrate("H1-1", {"--apply", "--guid", kAnotherGuid});
  EXPECT_THAT(done.err, AllOf(HasSubstr("priority 15"), HasSubstr("Heddle was stopped")));
  expect_opensm_as_before(done);
}

/// OpenSM belongs to opensm@GUID.service, as a /proc of our own says, and systemctl is a script
/// that does what these units do and writes down what it was asked for.
class MigrateService : public Migrate {
 protected:
  void SetUp() override {
    Migrate::SetUp();
    if (has_ended()) return;
    home_ = fabric().new_dir("machine");
    for (const char* const dir : {"bin", "proc", "etc/default", "etc/sysconfig"})
      fs::create_directories(home_ / dir);
    const std::string home = opensm_->home().string();
    std::ofstream(opensm_->home() / "opensm.conf", std::ios::app)
        << "cache_files_dir " << home << "/cache\n";
    write_file(home_ / "etc/default/opensm", std::string("PORTS=") + kMasterGuid + "\n");
    options("HEDDLE_OPTIONS=\"-F " + home + "/opensm.conf --dump_files_dir " + home +
            "/dumps -p 0\"\n");
    add_process(opensm_->pid(), std::string("opensm@") + kMasterGuid + ".service");
  }
  void options(const std::string& text) { write_file(home_ / "etc/default/heddle", text); }
  void add_process(pid_t pid, const std::string& unit) {
    const fs::path real = fs::path("/proc") / std::to_string(opensm_->pid()),
                   shown = home_ / "proc" / std::to_string(pid);
    fs::create_directories(shown);
    // Their size is not known before.
    for (const char* const file : {"cmdline", "environ", "status"})
      std::ofstream(shown / file, std::ios::binary)
          << std::ifstream(real / file, std::ios::binary).rdbuf();
    for (const char* const link : {"cwd", "exe"})
      fs::create_symlink(fs::read_symlink(real / link), shown / link);
    write_file(shown / "cgroup", "0::/system.slice/" + unit + "\n");
  }
  /// `start`: what `systemctl start heddle.service` does.
  void make_systemctl(const std::string& start) {
    const fs::path program = home_ / "bin" / "systemctl";
    write_file(program, "#!/bin/sh\necho \"$*\" >> " + (home_ / "calls").string() +
                            "\ncase \"$1 $2\" in\n\"stop opensm.service\") kill " +
                            std::to_string(opensm_->pid()) + ";;\n\"start heddle.service\") " +
                            start + ";;\nesac\n");
    fs::permissions(program, fs::perms::owner_all);
  }
  /// As the unit does it.
  std::string start_heddle() const {
    const std::string once = (run_dir_ / kMasterGuid).string() + ".once";
    return ". " + (home_ / "etc/default/heddle").string() + "; [ ! -r " + once + " ] || . " + once +
           "; setsid " HEDDLE_FOR_SERVICE " -g " + kMasterGuid + " -f " +
           (home_ / "heddle.log").string() +
           " $HEDDLE_OPTIONS $MIGRATION_OPTIONS < /dev/null > /dev/null 2>&1 & echo $! > " +
           (home_ / "heddle.pid").string();
  }
  Finished migrate_service(std::vector<std::string> more) {
    const Finished done =
        heddlectl("H0-0", std::move(more),
                  {{"PATH", (home_ / "bin").string() + ":/usr/sbin:/usr/bin:/sbin:/bin"},
                   {"HEDDLE_PROC", (home_ / "proc").string()},
                   {"HEDDLE_ETC", (home_ / "etc").string()},
                   {"HEDDLE_LAUNCH", LAUNCH_SCRIPT}});
    if (const std::string pid = read_file(home_ / "heddle.pid"); !pid.empty())
      heddle_ = std::stoi(pid);
    return done;
  }
  std::string calls() const { return read_file(home_ / "calls"); }

  fs::path home_;
};

constexpr const char* kLooked = "is-enabled opensm.service\ncat heddle.service\n";
constexpr const char* kStopped = "stop opensm.service opensm@0x0002c90000000001.service\n";

TEST_F(MigrateService, IsStoppedAndDisabledAndHeddlesIsStartedAndEnabled) {
  make_systemctl(start_heddle());
  const Finished done = migrate_service({"--apply"});
  ASSERT_TRUE(done.ok()) << done.err << done.out;
  EXPECT_EQ(calls(), std::string(kLooked) + kStopped +
                         "start heddle.service\ndisable opensm.service\nenable heddle.service\n");
  EXPECT_THAT(done.out, HasSubstr(" as before, 0 changed"));
  EXPECT_EQ(revert_commands(done.out),
            "  systemctl disable heddle.service\n"
            "  systemctl enable opensm.service\n"
            "  systemctl stop heddle.service heddle@0x0002c90000000001.service\n"
            "  systemctl start opensm.service opensm@0x0002c90000000001.service\n");
  EXPECT_FALSE(fs::exists(run_dir_ / (std::string(kMasterGuid) + ".once")));
  expect_nothing_changed("H0-0");
}

TEST_F(MigrateService, IsStartedAgainIfHeddleDoesNotLead) {
  make_systemctl("true");
  const Finished done = migrate_service({"--apply", "--wait", "1"});
  EXPECT_EQ(done.exit.code, 2) << done.err << done.out;
  EXPECT_EQ(calls(), std::string(kLooked) + kStopped +
                         "start heddle.service\n"
                         "stop heddle.service heddle@0x0002c90000000001.service\n"
                         "start opensm.service opensm@0x0002c90000000001.service\n");
  EXPECT_THAT(done.err, HasSubstr("opensm.service was started again"));
}

TEST_F(MigrateService, IsLeftAloneIfTheUnitsWouldDoSomethingElse) {
  make_systemctl("true");
  options("");
  Finished done = migrate_service({"--apply"});
  EXPECT_THAT(done.err, HasSubstr("would have routing_engine (null), this OpenSM has updn"));
  EXPECT_EQ(calls(), kLooked);
  expect_opensm_as_before(done);

  write_file(home_ / "etc/default/opensm", "PORTS=0x5\n");
  done = migrate_service({});
  EXPECT_THAT(done.err, HasSubstr("would not run on port 0x0002c90000000001"));
  expect_opensm_as_before(done);

  fs::remove_all(home_ / "proc" / std::to_string(opensm_->pid()));
  add_process(opensm_->pid(), "ufm-enterprise.service");
  done = migrate_service({});
  EXPECT_THAT(done.err, HasSubstr("may be more than OpenSM"));
  add_process(1, "opensm.service");
  done = migrate_service({});
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("several OpenSMs run here"), HasSubstr("1 (opensm.service)")));
  expect_opensm_as_before(done);
}

TEST_F(MigrateService, IfNoneRunsTheFilesOfServicesCount) {
  make_systemctl("true");
  fs::remove_all(home_ / "proc" / std::to_string(opensm_->pid()));
  write_file(home_ / "etc/sysconfig/opensm", "OSM_HOSTS=\"a b\"\nPRIORITY=3\n");
  const Finished done = migrate_service({});
  EXPECT_EQ(done.exit.code, 0) << done.err << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("none runs on this machine; port 0x0002c90000000001"),
                              HasSubstr("routing_engine updn"), HasSubstr("OSM_HOSTS: sldd"),
                              HasSubstr(" ports of "), HasSubstr("link ends of ")));
  EXPECT_EQ(read_smp_counts(counts_).sets, 0u);
}

}  // namespace migrate_test
}  // namespace harness
