// The program heddle-sim: messages about bad input, exit codes, end.

#include <unistd.h>

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ibsim/process.h"

namespace harness {
namespace program_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HeddleSimProgram : public ::testing::Test {
 protected:
  struct Result {
    std::optional<Exit> exit;
    std::string out, err;
  };
  Command command(std::vector<std::string> args) {
    args.insert(args.begin(), HEDDLE_SIM_PROGRAM);
    return {.argv = args,
            .env = {{"IBSIM_SOCKNAME", "heddle-program-" + std::to_string(getpid())}},
            .cwd = dir_.path(),
            .out = dir_.path() / "out",
            .err = dir_.path() / "err"};
  }
  Result run(const std::vector<std::string>& args) {
    Process process(command(args));
    const auto exit = process.wait(Milliseconds(10'000));
    return {exit, read_file(dir_.path() / "out"), read_file(dir_.path() / "err")};
  }
  void write(const std::string& name, const std::string& text) {
    write_file(dir_.path() / name, text);
  }

  ScratchDir dir_;
};

constexpr const char* kPair =
    "Ca 1 \"A\"\n"
    "[1] \"B\"[1]\n"
    "\n"
    "Ca 1 \"B\"\n"
    "[1] \"A\"[1]\n";

TEST_F(HeddleSimProgram, ReportsTheLineOfATopologyError) {
  write("bad.net", "Ca 1 \"A\"\n[1] \"B\"[7]\n\nCa 1 \"B\"\n");
  const Result result = run({"-s", "bad.net"});
  ASSERT_TRUE(result.exit);
  EXPECT_EQ(result.exit->code, 2);
  EXPECT_THAT(result.err, StartsWith("bad.net:2:"));
}

TEST_F(HeddleSimProgram, ReportsTheLineOfAScenarioError) {
  write("good.net", kPair);
  write("bad.yaml", "events:\n  - {at: 1s, do: explode}\n");
  const Result result = run({"-s", "good.net", "--scenario", "bad.yaml"});
  ASSERT_TRUE(result.exit);
  EXPECT_EQ(result.exit->code, 2);
  EXPECT_THAT(result.err, StartsWith("bad.yaml:2:"));
}

TEST_F(HeddleSimProgram, MissingFilesAndWrongOptionsHaveTheirCodes) {
  EXPECT_EQ(run({"-s", "nowhere.net"}).exit->code, 2);
  EXPECT_EQ(run({"--bogus"}).exit->code, 1);
  EXPECT_EQ(run({"--help"}).exit->code, 0);
}

TEST_F(HeddleSimProgram, CommandsRunAtTheStartAndQuitEnds) {
  write("good.net", kPair);
  const Result result =
      run({"--daemon", "good.net", "-c", "Wait 20ms", "-c", "stat", "-c", "Quit"});
  ASSERT_TRUE(result.exit);
  EXPECT_EQ(result.exit->code, 0);
  EXPECT_THAT(result.out, HasSubstr("2 nodes, 1 cables (1 up, 0 active)"));
}

TEST_F(HeddleSimProgram, EndOfInputDoesNotEndItAndSigtermDoes) {
  write("good.net", kPair);
  Process process(command({"-s", "good.net"}));  // stdin is /dev/null
  EXPECT_FALSE(process.wait(Milliseconds(700)));
  process.signal(SIGTERM);
  const auto exit = process.wait(Milliseconds(5'000));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 0);
  EXPECT_LT(exit->user_s + exit->sys_s, 0.3);
}

TEST_F(HeddleSimProgram, ASecondSimulatorWithTheSameNameIsRefused) {
  write("good.net", kPair);
  Process first(command({"--daemon", "good.net"}));
  ASSERT_FALSE(first.wait(Milliseconds(300)));
  const Result second = run({"--daemon", "good.net"});
  ASSERT_TRUE(second.exit);
  EXPECT_EQ(second.exit->code, 3);
  EXPECT_THAT(second.err, HasSubstr("in use"));
}

}  // namespace program_test
}  // namespace harness
