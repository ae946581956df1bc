// Wrong options and files: Heddle reports the error, and exits as OpenSM would or as its manual
// says.

#include "ibsim/fixture.h"
#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

namespace harness {
namespace bad_input_test {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BadInput : public OnIbsim {
 protected:
  void SetUp() override {
    OnIbsim::SetUp();
    if (has_ended()) return;
    start_fabric(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2}));
  }
  // Log, stdout and stderr of the SM.
  static std::string said(const SubnetManager& sm) { return sm.out() + sm.err() + sm.log(); }
  SmOptions heddle(std::vector<std::string> args = {}, std::string conf = {}) {
    return {.kind = SmKind::heddle, .once = true, .conf = std::move(conf), .args = std::move(args)};
  }
  SubnetManager& run(const SmOptions& options, int& code) {
    SubnetManager& sm = start_sm(options);
    const std::optional<Exit> exit = sm.wait_exit(Milliseconds(20'000));
    EXPECT_TRUE(exit.has_value()) << "still running";
    code = exit ? exit->code : -1;
    return sm;
  }
};

TEST_F(BadInput, WithoutADeviceItReportsAnError) {
  const std::filesystem::path home = fabric().new_dir("no-device");
  Command command;
  command.argv = {program_of(SmKind::heddle), "-f", (home / "opensm.log").string()};
  command.env = {{"OSM_CACHE_DIR", home.string()}, {"OSM_TMP_DIR", home.string()}};
  command.cwd = home;
  command.out = home / "stdout";
  command.err = home / "stderr";
  Process process(command);
  const std::optional<Exit> exit = process.wait(Milliseconds(10'000));
  ASSERT_TRUE(exit.has_value()) << "still running";
  EXPECT_EQ(exit->code, 0);  // as OpenSM
  EXPECT_THAT(read_file(home / "stdout") + read_file(home / "stderr"),
              HasSubstr("No local ports detected! Is there an HCA"));
}

TEST_F(BadInput, UnknownPortGuidIsRefusedWithTheExistingOnes) {
  int code = -1;
  const SubnetManager& sm = run(heddle({"-g", "0xdeadbeef"}), code);
  EXPECT_NE(code, 0);
  EXPECT_THAT(said(sm), AllOf(HasSubstr("deadbeef"), HasSubstr("2c90000000001")));
  EXPECT_THAT(sm.log(), Not(HasSubstr("SUBNET UP")));
}

TEST_F(BadInput, SmPortThatIsDownEndsRunOnceWithAnError) {
  fabric().unlink("H0", 1);
  int code = -1;
  const SubnetManager& sm = run(heddle({}, "sweep_interval 1\n"), code);
  EXPECT_NE(code, 0);
  EXPECT_THAT(said(sm), HasSubstr("SM port is down"));
}

TEST_F(BadInput, MissingConfigurationIsAWarning) {
  const std::string missing = (fabric().dir() / "nowhere/opensm.conf").string();
  int code = -1;
  const SubnetManager& sm = run(heddle({"-F", missing}), code);
  EXPECT_EQ(code, 0);
  EXPECT_THAT(said(sm), HasSubstr(missing));
  EXPECT_THAT(sm.log(), HasSubstr("SUBNET UP"));
}

TEST_F(BadInput, MalformedConfigurationIsRefusedWithItsLine) {
  int code = -1;
  const SubnetManager& sm = run(heddle({}, "# a comment\nsweep_interval soon\n"), code);
  EXPECT_NE(code, 0);
  EXPECT_THAT(said(sm), AllOf(HasSubstr("opensm.conf:2:"), HasSubstr("sweep_interval")));
  EXPECT_THAT(sm.log(), Not(HasSubstr("SUBNET UP")));
}

TEST_F(BadInput, UnknownKeyIsAWarningWithItsLine) {
  int code = -1;
  const SubnetManager& sm = run(heddle({}, "sweep_intervall 5\n"), code);
  EXPECT_EQ(code, 0);
  EXPECT_THAT(said(sm), AllOf(HasSubstr("opensm.conf:1"), HasSubstr("sweep_interval")));
}

TEST_F(BadInput, UnwritableCacheDirectoryIsAWarning) {
  SmOptions options = heddle();
  options.env = {{"OSM_CACHE_DIR", "/dev/null/cache"}};  // root cannot create this either
  int code = -1;
  const SubnetManager& sm = run(options, code);
  EXPECT_EQ(code, 0);
  EXPECT_THAT(said(sm), HasSubstr("/dev/null/cache"));
  EXPECT_THAT(sm.log(), HasSubstr("SUBNET UP"));
  expect_good_fabric();
}

TEST_F(BadInput, CorruptGuid2lidIsReportedMovedAsideAndNotUsed) {
  SmOptions options = heddle();
  options.home = fabric().new_dir("heddle");
  const std::filesystem::path cache = options.home / "cache";
  const std::string garbage = "0x0002c90000000001 0x0005 0x0005\nthis is no line of guid2lid\n";
  std::filesystem::create_directories(cache);
  write_file(cache / "guid2lid", garbage);
  int code = -1;
  const SubnetManager& sm = run(options, code);
  EXPECT_EQ(code, 0);
  EXPECT_THAT(said(sm), HasSubstr("guid2lid"));
  EXPECT_NE(read_file(cache / "guid2lid"), garbage);
  bool kept = false;
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    kept = kept || (entry.path().filename() != "guid2lid" && read_file(entry.path()) == garbage);
  }
  EXPECT_TRUE(kept) << "the corrupt file was removed";
  expect_good_fabric();
}

TEST_F(BadInput, UnwritableLogFileIsRefused) {
  int code = -1;
  const SubnetManager& sm = run(heddle({"-f", "/dev/null/opensm.log"}), code);
  EXPECT_NE(code, 0);
  EXPECT_THAT(sm.out() + sm.err(), HasSubstr("/dev/null/opensm.log"));
}

}  // namespace bad_input_test
}  // namespace harness
