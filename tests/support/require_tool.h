#pragma once
// Reference tools that tests compare Heddle with. Without the tool the test is skipped; in CI
// (packaging/test.sh sets HEDDLE_REQUIRE_TOOLS=1) it fails.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

namespace support {

inline bool tools_are_required() {
  for (const char* name : {"HEDDLE_REQUIRE_TOOLS", "CI"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text(value);
    if (!text.empty() && text != "0" && text != "false") return true;
  }
  return false;
}

/// A program in PATH or in the directories of system administration; empty if there is none.
inline std::filesystem::path find_tool(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream directories((path != nullptr ? std::string(path) : std::string()) +
                                 ":/usr/local/sbin:/usr/sbin:/sbin");
  std::error_code ignored;
  for (std::string directory; std::getline(directories, directory, ':');) {
    std::filesystem::path file = std::filesystem::path(directory) / name;
    if (!directory.empty() && std::filesystem::is_regular_file(file, ignored)) return file;
  }
  return {};
}

inline std::string missing_tool(std::string_view tool, std::string_view package) {
  return std::string(tool) + " of package " + std::string(package) +
         " is not installed (packaging/install-deps.sh --test)";
}

}  // namespace support

/// Ends the test, or the fixture's SetUp(), unless `found`: as a failure where tools are required,
/// else as skipped.
#define HEDDLE_REQUIRE(found, tool, package)                                                 \
  do {                                                                                       \
    if (!(found)) {                                                                          \
      if (support::tools_are_required()) FAIL() << support::missing_tool((tool), (package)); \
      GTEST_SKIP() << support::missing_tool((tool), (package));                              \
    }                                                                                        \
  } while (false)
#define HEDDLE_REQUIRE_TOOL(tool, package) \
  HEDDLE_REQUIRE(!support::find_tool(tool).empty(), tool, package)
