// OpenSM as the reference tool for files that Heddle writes: it reads one and writes its options,
// and both must be equal.
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "config/file_reader.h"
#include "config/option_files.h"
#include "config/schema.h"
#include "config/value.h"
#include "option_samples.h"
#include "support/require_tool.h"
#include "support/seeds.h"

namespace config {
namespace opensm_reference_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string read_output(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen((command + " 2>&1").c_str(), "r"), &pclose);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
    output.append(buffer.data(), got);
  return output;
}

class OpensmReference : public testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_REQUIRE_TOOL("opensm", "opensm");
    opensm_ = support::find_tool("opensm").string();
    directory_ = testing::TempDir() + "heddle_reference_" +
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override {
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  /// OpenSM reads Heddle's file of `options`; compares the file that it writes.
  void expect_same(const Options& options) {
    const std::string ours = directory_ + "/ours.conf", theirs = directory_ + "/theirs.conf";
    std::filesystem::remove(theirs);
    const auto text = dump_opensm_conf(options);
    ASSERT_TRUE(text) << testing::PrintToString(texts(text.error()));
    std::ofstream(ours) << *text;
    const std::string output = read_output(opensm_ + " -F " + ours + " -c " + theirs);
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

  std::string opensm_, directory_;
};

TEST_F(OpensmReference, ReadsOurDefaults) {
  expect_same(Options{});
  const std::string output =
      read_output(opensm_ + " -F " + directory_ + "/ours.conf -c " + directory_ + "/again.conf");
  EXPECT_THAT(output, Not(HasSubstr("Unrecognized token")));
  // Printed for a value other than the default: a log without limit fills the disk.
  EXPECT_THAT(output, HasSubstr("Loading Cached Option:log_max_size = 1024"));
  EXPECT_EQ(output.find("Loading Cached Option"), output.rfind("Loading Cached Option"));
}

TEST_F(OpensmReference, ReadsEveryKeyChanged) { expect_same(all_changed()); }

TEST_F(OpensmReference, ReadsRandomOptions) {
  seeds::for_each(25,
                  [&](std::uint64_t seed) { expect_same(random_options(seed, Reader::opensm)); });
}

TEST_F(OpensmReference, ItsDefaultFileEqualsOurs) {
  const std::string theirs = directory_ + "/theirs.conf";
  read_output(opensm_ + " -F " + directory_ + "/none -c " + theirs);
  Options understood;
  Diagnostics found;
  parse_opensm_conf({"theirs.conf", read_file(theirs).value()}, understood, found);
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_THAT(differences(Options{}, understood), testing::ElementsAre("log_max_size: 1024 / 0"));
  // Set in words: a limit that is 0, a window that does not adapt, no wildcards.
  EXPECT_THAT(
      understood.origins,
      testing::ElementsAre(testing::Key("log_max_size"), testing::Key("max_wire_smps"),
                           testing::Key("max_wire_smps2"), testing::Key("use_optimized_slvl")));
}

}  // namespace opensm_reference_test
}  // namespace config
