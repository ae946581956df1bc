// heddlectl record and heddle-sim --replay with real programs, OpenSM and ibnetdiscover among them.

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "ibsim/fixture.h"
#include "sim_server/preloaded.h"

namespace harness {
namespace recordings_test {

using ::testing::HasSubstr;

/// Returns the lines that ibnetdiscover prints, sorted: its order depends on which node answers
/// first.
std::vector<std::string> netdiscover_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && !line.starts_with('#')) lines.push_back(line);
  }
  std::ranges::sort(lines);
  return lines;
}

/// Nodes as the replay names them: a host's description is not unique on real fabrics.
std::string id_of_first_host(const std::string& recording) {
  constexpr std::string_view kNodeInfo = "NodeInfo 0x00000000 ok ", kData = "data=";
  const std::size_t line = recording.find(kNodeInfo), data = recording.find(kData, line);
  if (line == std::string::npos || data == std::string::npos) return "no NodeInfo";
  constexpr std::size_t kNodeGuidDigits = 24;  // byte 12
  return "H-" + recording.substr(data + kData.size() + kNodeGuidDigits, 16);
}

/// heddle-sim under ibsim's command line, on a recording instead of a topology.
std::string replayer(const std::filesystem::path& dir, const std::filesystem::path& recording) {
  const std::filesystem::path script = dir / "replay.sh";
  write_file(script, fmt::format("#!/bin/sh\nexec '{}' -s --replay '{}'\n", HEDDLE_SIM_PROGRAM,
                                 recording.string()));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script.string();
}

class OfEachSimulator : public ::testing::TestWithParam<std::string> {};

TEST_P(OfEachSimulator, AFabricUnderOpenSmIsReplayedAsIbnetdiscoverSeesIt) {
  Preloaded original(sample_net("fattree2-16h"), GetParam());
  ASSERT_TRUE(original.start_opensm("H1-0").says("SUBNET UP"));
  const std::filesystem::path file = original.fabric().new_dir("recording") / "fabric.rec";
  const Finished recorded = original.run({HEDDLECTL_PROGRAM, "record", file.string()}, "H0-0");
  ASSERT_TRUE(recorded.ok()) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("24 nodes, "));
  EXPECT_THAT(recorded.err, HasSubstr(", 0 without an answer)"));
  const std::string text = read_file(file);
  EXPECT_THAT(text, HasSubstr("\nSMInfo 0x00000000 ok ")) << "that of OpenSM";
  EXPECT_THAT(text, HasSubstr("\nend nodes=24 "));
  const std::string seen = original.out({"ibnetdiscover"}, "H0-0");

  Preloaded replay(sample_net("fattree2-16h"), replayer(file.parent_path(), file));
  const std::string host = id_of_first_host(text);
  EXPECT_EQ(netdiscover_lines(replay.out({"ibnetdiscover"}, host)), netdiscover_lines(seen));
  const std::filesystem::path again = file.parent_path() / "again.rec";
  ASSERT_TRUE(replay.run({HEDDLECTL_PROGRAM, "record", again.string()}, host).ok());
  EXPECT_THAT(read_file(again), HasSubstr("\nend nodes=24 "));
}

INSTANTIATE_TEST_SUITE_P(Simulators, OfEachSimulator,
                         ::testing::Values("ibsim", HEDDLE_SIM_PROGRAM), [](const auto& test) {
                           return test.param == "ibsim" ? "Ibsim" : "HeddleSim";
                         });

TEST(AnonymousRecording, NamesNoHost) {
  Preloaded ibsim(sample_net("fattree2-16h"), "ibsim");
  const Finished recorded = ibsim.run({HEDDLECTL_PROGRAM, "record", "--anonymous", "-"}, "H0-0");
  ASSERT_TRUE(recorded.ok()) << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("\nend nodes=24 "));
  EXPECT_THAT(recorded.out, ::testing::Not(HasSubstr("0002c9000000")));
  EXPECT_THAT(recorded.out, ::testing::Not(HasSubstr("data=48302d30"))) << "H0-0";
}

/// heddle-sim under ibsim's command line, with a trace of all that reaches the fabric.
std::string traced(const std::filesystem::path& dir, const std::string& options = "") {
  const std::filesystem::path script = dir / "traced.sh";
  write_file(script, fmt::format("#!/bin/sh\nexec '{}' {} --trace '{}' \"$@\"\n",
                                 HEDDLE_SIM_PROGRAM, options, (dir / "trace").string()));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script.string();
}

TEST(HardwareReport, ReadsOnlyBesideOpenSmAndNamesNothing) {
  ScratchDir dir;
  Preloaded original(sample_net("fattree2-16h"), traced(dir.path()));
  const auto opensm = original.start_opensm("H1-0");
  ASSERT_TRUE(opensm.says("SUBNET UP"));
  Preloaded::wait_quiet(opensm);
  const auto archive = (dir.path() / "report.tar.gz").string();
  const Finished unasked = original.run({HEDDLECTL_PROGRAM, "hardware-report", archive}, "H0-0");
  EXPECT_FALSE(unasked.ok());
  EXPECT_THAT(unasked.err, HasSubstr("--yes goes on without the question"));

  original.out({"ibnetdiscover"}, "H0-0");  // pushes out what was before it
  const std::size_t before = read_file(dir.path() / "trace").size();
  const Finished made = original.run(
      {HEDDLECTL_PROGRAM, "hardware-report", "--yes", "--json", "--per-second", "500", archive},
      "H0-0");
  ASSERT_TRUE(made.ok()) << made.err;
  EXPECT_THAT(made.err, HasSubstr("24 nodes, "));
  const auto answers = nlohmann::json::parse(made.out, nullptr, false);
  ASSERT_TRUE(answers.is_object()) << made.out;
  EXPECT_EQ(answers.at("file"), archive);
  EXPECT_EQ(answers.at("answers").at(0).at("id"), "HW-AGGREGATION-NODE");
  original.out({"ibnetdiscover"}, "H0-0");
  std::istringstream trace(read_file(dir.path() / "trace").substr(before));
  std::size_t gets = 0, sets = 0;
  for (std::string line; std::getline(trace, line);) {
    const bool of_reporter = line.find("H0-0") != std::string::npos;
    gets += of_reporter && line.find(" Get ") != std::string::npos ? 1u : 0u;
    sets += of_reporter && line.find(" Set ") != std::string::npos ? 1u : 0u;
  }
  EXPECT_GT(gets, 500u);
  EXPECT_EQ(sets, 0u);
  EXPECT_TRUE(opensm.process.running());
  EXPECT_THAT(original.out({"sminfo"}, "H0-0"), HasSubstr("SMINFO_MASTER"));

  ASSERT_TRUE(original.fabric()
                  .run({"tar", "-C", dir.path().string(), "--strip-components=1", "-xzf", archive})
                  .ok());
  for (const char* const file : {"README", "answers.txt", "fabric.rec", "version.txt"}) {
    const std::string text = read_file(dir.path() / file);
    EXPECT_FALSE(text.empty()) << file;
    EXPECT_THAT(text, ::testing::Not(HasSubstr("0002c9000000"))) << file;
    EXPECT_THAT(text, ::testing::Not(HasSubstr("H0-0"))) << file;
  }
  Preloaded replay(sample_net("fattree2-16h"), replayer(dir.path(), dir.path() / "fabric.rec"));
  const std::string host = id_of_first_host(read_file(dir.path() / "fabric.rec"));
  EXPECT_THAT(replay.out({"ibnetdiscover"}, host), HasSubstr("Switch"));
}

TEST(HardwareReport, WritesOnlyWithoutAManagerAndTakesBack) {
  ScratchDir dir;
  Preloaded lab(sample_net("fattree2-16h"), traced(dir.path(), "--adaptive-routing pfrn"));
  const auto opensm = lab.start_opensm("H1-0");
  ASSERT_TRUE(opensm.says("SUBNET UP"));
  Preloaded::wait_quiet(opensm);
  const auto report = [&](const std::string& file) {
    return lab.run({HEDDLECTL_PROGRAM, "hardware-report", "--writes", "--yes", "--per-second",
                    "20000", (dir.path() / file).string()},
                   "H0-0");
  };
  const Finished refused = report("refused.tar.gz");
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.err,
              HasSubstr("nothing was written: H1-0 mlx5_0 runs a subnet manager (Master)"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "refused.tar.gz"));
  const std::string links = lab.out({"iblinkinfo"}, "H0-0");
  EXPECT_THAT(read_file(dir.path() / "trace"),
              ::testing::Not(HasSubstr("H0-0 port 1 sends class 0x81 Set")));

  opensm.process.kill();
  lab.out({"ibnetdiscover"}, "H0-0");  // the simulator notices the end at the next request to it
  const Finished made = report("made.tar.gz");
  ASSERT_TRUE(made.ok()) << made.err << made.out;
  for (const char* const step : {"FORWARDING", "MULTICAST", "ENFORCEMENT", "ADAPTIVE",
                                 "ADAPTIVE-COPY", "TRAINING", "SPEED", "LOAD"})
    EXPECT_THAT(made.out, HasSubstr(fmt::format("HW-WRITE-{}: as expected\n", step)));
  EXPECT_THAT(made.out, HasSubstr("Settings that differ from before the steps: 0\n"));
  EXPECT_EQ(netdiscover_lines(lab.out({"iblinkinfo"}, "H0-0")), netdiscover_lines(links));
  EXPECT_THAT(read_file(dir.path() / "trace"), HasSubstr(" sends class 0x81 Set ARGroupTable "));
}

TEST(Replay, ReportsABadFileByLineAndColumn) {
  ScratchDir dir;
  write_file(dir.path() / "bad.rec", "heddle-recording 1\nnode 0 port x route 0\n");
  Process process({.argv = {HEDDLE_SIM_PROGRAM, "-s", "--replay", "bad.rec"},
                   .env = {},
                   .cwd = dir.path(),
                   .out = dir.path() / "out",
                   .err = dir.path() / "err"});
  const auto exit = process.wait(Milliseconds(10'000));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 2);
  EXPECT_THAT(read_file(dir.path() / "err"),
              HasSubstr("bad.rec:2:13: error: 'x' is not a number up to 254"));
}

}  // namespace recordings_test
}  // namespace harness
