// The program heddle-topo: exit codes, one line per error, formats that can be read again.

#include <sys/wait.h>

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/topology/read.h"
#include "mad/format.h"

namespace topology {
namespace program_test {

using ::testing::HasSubstr;

struct Result {
  int code = -1;
  std::string out;
};

// Standard error is part of the output; the shell parses `arguments`.
Result run(const std::string& arguments) {
  Result result;
  FILE* pipe = popen(fmt::format("{} {} 2>&1", HEDDLE_TOPO_PROGRAM, arguments).c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    result.out.append(buffer, n);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

struct Wrong {
  std::string arguments, message;
  int code;
};

class TopoRefuses : public ::testing::TestWithParam<Wrong> {};

TEST_P(TopoRefuses, WithOneLine) {
  const Result result = run(GetParam().arguments);
  EXPECT_EQ(result.code, GetParam().code);
  EXPECT_THAT(result.out, HasSubstr(GetParam().message));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 1) << result.out;
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, TopoRefuses,
    ::testing::Values(
        Wrong{"", "a kind of fabrics, or a file to --read, is required", 2},
        Wrong{"moebius", "'moebius' is not one of: back-to-back, row, torus", 2},
        Wrong{"row --what 3", "there is no option --what (try heddle-topo row --help)", 2},
        Wrong{"row --switches", "--switches: 1 required N missing", 2},
        Wrong{"row --switches x", "--switches: 'x' is not a number from 0 to 1000000", 2},
        Wrong{"row --radix 3", "there is no option --radix", 2},
        Wrong{"row 5", "was not expected: 5", 2}, Wrong{"torus", "DIMENSIONS is required", 2},
        Wrong{"torus 4,x", "'4,x' is not a list of numbers such as 4,4,4", 2},
        Wrong{"row --read a.net", "--read excludes row", 2},
        Wrong{"row --seed 1 --seed 2", "--seed", 2},
        Wrong{"row --drop-link S0", "'S0' is not NAME:PORT", 2},
        Wrong{"row --width 3x", "'3x' is not 1x, 2x, 4x, 8x or 12x", 2},
        Wrong{"row --format png", "'png' is not one of: ibnetdiscover, yaml, dot, svg", 2},
        Wrong{"row --degrade 2", "'2' is not a number from 0 to 1", 2},
        Wrong{"row --degrade 1", "cannot be removed without disconnecting", 1},
        Wrong{"row --drop-node X", "no node is called 'X'", 1},
        Wrong{"row --multi-port", "--multi-port requires --rails", 2},
        Wrong{"slim-fly --q 6", "q is 6; it must be a power of a prime", 1},
        Wrong{"--read /nowhere", "/nowhere: error: cannot be read", 1}));

TEST(Topo, HelpNamesEveryKindAndOption) {
  const Result help = run("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"back-to-back",   "row",       "fat-tree",  "xgft",
                           "torus",          "mesh",      "hypercube", "dragonfly",
                           "dragonfly-plus", "slim-fly",  "random",    "random-regular",
                           "--rails",        "--routers", "--degrade", "--seed",
                           "--read",         "--format",  "--stats",   "--ports-per-host"}) {
    EXPECT_THAT(help.out, HasSubstr(word));
  }
}

TEST(Topo, HelpOfAKindHasItsOptionsWithDefaultsAndAnExample) {
  const Result help = run("fat-tree --help");
  EXPECT_EQ(help.code, 0);
  for (const char* text : {"usage: heddle-topo fat-tree [OPTIONS]", "--hosts N=324", "--radix N=36",
                           "heddle-topo fat-tree --hosts 324"}) {
    EXPECT_THAT(help.out, HasSubstr(text));
  }
}

TEST(Topo, ChangesOfNodesComeInTheOrderOfTheCommandLine) {
  // H4 is the name that a new host gets; dropped before it is there, it is unknown.
  EXPECT_EQ(run("row --add-host S0 --drop-node H4").code, 0);
  const Result early = run("row --drop-node H4 --add-host S0");
  EXPECT_EQ(early.code, 1);
  EXPECT_THAT(early.out, HasSubstr("no node is called 'H4'"));
}

/// The quick start names a size that this tool makes in its next command.
TEST(Topo, MakesTheFabricThatTheQuickStartNames) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/packaging/quickstart.sh");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::smatch size;
  ASSERT_TRUE(std::regex_search(text, size, std::regex("quickstart.sh ([0-9]+)")));
  EXPECT_EQ(run(fmt::format("fat-tree --hosts {} > /dev/null", size[1].str())).code, 0);
}

TEST(Topo, ChangesAFileThatIsRead) {
  const std::string directory =
      fmt::format("{}/topo-{}", std::filesystem::temp_directory_path().string(), getpid());
  std::filesystem::create_directory(directory);
  const std::string net = directory + "/a.net", yaml = directory + "/b.yaml";
  EXPECT_EQ(run("torus 4,4 > " + net).code, 0);
  EXPECT_EQ(run(fmt::format("--read {} --degrade 0.25 --drop-node H3 --drop-link S0_0:1 --add-host "
                            "S1_1 --add-host S1_1 --format yaml > {}",
                            net, yaml))
                .code,
            0);
  const TopologyFile file = read_topology(yaml);
  EXPECT_TRUE(file.ok());
  EXPECT_EQ(file.topology.count(NodeType::ca), 17u);
  EXPECT_EQ(file.topology.links.size(), 16u + 32 - 8 - 1 - 1 + 2);
  EXPECT_THAT(run(fmt::format("--read {} --rails 2 --routers 1 --stats --format dot", yaml)).out,
              HasSubstr("34 hosts, 32 switches, 1 routers"));
  std::ofstream(net, std::ios::app) << "Switch x\n";
  const Result broken = run("--read " + net);
  EXPECT_EQ(broken.code, 1);
  EXPECT_THAT(broken.out, HasSubstr("a.net:"));
  EXPECT_THAT(broken.out, HasSubstr(":8: error: the number of ports is not 1 to 254"));
  std::filesystem::remove_all(directory);
}

}  // namespace program_test
}  // namespace topology
