// OpenSM is the judge of the files that Heddle writes: it reads one, dumps what it understood, and
// both must say the same.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "config/dump.h"
#include "config/file_reader.h"
#include "config/opensm_conf.h"
#include "config/schema.h"
#include "config/value.h"
#include "option_samples.h"
#include "support/require_tool.h"
#include "support/seeds.h"

namespace config {
namespace opensm_judge_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen((command + " 2>&1").c_str(), "r"), &pclose);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    output.append(buffer.data(), got);
  return output;
}

class OpensmJudge : public testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_REQUIRE_TOOL("opensm", "opensm");
    opensm_ = support::find_tool("opensm").string();
    folder_ = testing::TempDir() + "heddle_judge_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  /// Has OpenSM read what we write for `options`; compares what it writes.
  void expect_same(const Options& options) {
    const std::string ours = folder_ + "/ours.conf", theirs = folder_ + "/theirs.conf";
    std::filesystem::remove(theirs);
    const auto text = dump_opensm_conf(options);
    ASSERT_TRUE(text) << testing::PrintToString(texts(text.error()));
    std::ofstream(ours) << *text;
    const std::string output = output_of(opensm_ + " -F " + ours + " -c " + theirs);
    for (const char* complaint : {"Parsing error", "Invalid Cached", "out of range"})
      EXPECT_THAT(output, Not(HasSubstr(complaint)));
    const auto answer = read_file(theirs);
    ASSERT_TRUE(answer) << output;
    Options understood;
    Diagnostics found;
    parse_opensm_conf({"theirs.conf", *answer}, understood, found);
    EXPECT_FALSE(has_errors(found)) << testing::PrintToString(texts(found));
    for (const Key& key : keys()) {
      if (!key.in_opensm) copy_value(key, options, understood);
    }
    EXPECT_THAT(differences(options, understood), IsEmpty()) << output;
  }

  std::string opensm_, folder_;
};

TEST_F(OpensmJudge, ReadsOurDefaults) {
  expect_same(Options{});
  const std::string output =
      output_of(opensm_ + " -F " + folder_ + "/ours.conf -c " + folder_ + "/again.conf");
  EXPECT_THAT(output, Not(HasSubstr("Unrecognized token")));
  EXPECT_THAT(output,
              Not(HasSubstr(
                  "Loading Cached Option")));  // what it prints for a value that is not its default
}

TEST_F(OpensmJudge, ReadsEveryKeyChanged) { expect_same(all_changed()); }

TEST_F(OpensmJudge, ReadsRandomOptions) {
  seeds::for_each(25,
                  [&](std::uint64_t seed) { expect_same(random_options(seed, Reader::opensm)); });
}

TEST_F(OpensmJudge, ItsOwnDefaultFileIsOurs) {
  const std::string theirs = folder_ + "/theirs.conf";
  output_of(opensm_ + " -F " + folder_ + "/none -c " + theirs);
  Options understood;
  Diagnostics found;
  parse_opensm_conf({"theirs.conf", read_file(theirs).value()}, understood, found);
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_THAT(differences(Options{}, understood), IsEmpty());
  EXPECT_THAT(understood.origins, IsEmpty());
}

}  // namespace opensm_judge_test
}  // namespace config
