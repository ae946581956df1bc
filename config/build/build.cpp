#include "config/build/build.h"

#include <fmt/format.h>

#include "config/build/commit.h"
#include "config/build/facts.h"

namespace config {
namespace {

// Marks a build that is not meant for production.
constexpr std::string_view kChecks =
#ifdef NDEBUG
    "";
#else
    ", assertions";
#endif

constexpr std::size_t kShortDigits = 12;

}  // namespace

std::string short_version() {
  return fmt::format("{} ({}{})", kBuildVersion, kCommit.substr(0, kShortDigits),
                     kChanged ? ", changed" : "");
}

std::string version_text(std::string_view program) {
  return fmt::format("{} {}\ncommit: {}{}{}{}\nfeatures: {}\ncompiler: {} for {}{}", program,
                     kBuildVersion, kCommit, kCommitDate.empty() ? "" : " of ", kCommitDate,
                     kChanged ? ", with changes" : "", kFeatures, kCompiler, kProcessor, kChecks);
}

}  // namespace config
