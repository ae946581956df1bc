#include "soak/test_report.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace soak {
namespace {

/// The trace of a failing seed is part of each failure's text: "replay with HEDDLE_SEED=7 ...".
std::string seed_in(std::string_view text) {
  constexpr std::string_view kMark = "replay with HEDDLE_SEED=";
  const std::size_t at = text.find(kMark);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + kMark.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789")));
}

std::uint64_t number_in(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

tl::expected<void, std::string> add_test_report(std::string_view json, const std::string& program,
                                                const std::string& seeds, double seconds,
                                                Table& table) {
  const std::string name = program.substr(program.find_last_of('/') + 1);
  try {
    RunRow row{.program = name, .seeds = seeds, .seconds = seconds};
    const nlohmann::json report = nlohmann::json::parse(json);
    for (const auto& suite : report.at("testsuites")) {
      for (const auto& test : suite.at("testsuite")) {
        const bool failed = test.contains("failures");
        if (!test.contains("seeds") && !failed) continue;
        row.runs += number_in(test.value("seeds", "1"));
        if (!failed) continue;
        ++row.failures;
        const auto text = test.at("failures").at(0).at("failure").get<std::string>();
        const std::string which = fmt::format("{}.{}", suite.at("name").get<std::string>(),
                                              test.at("name").get<std::string>());
        const std::string seed = seed_in(text);
        table.add(FailureRow{.program = name,
                             .seed = seed.empty() ? "-" : seed,
                             .issue = "new",
                             .complaint = fmt::format("{}: {}", which, text.substr(0, 300)),
                             .replay = fmt::format("{}{} --gtest_filter={}",
                                                   seed.empty() ? "" : "HEDDLE_SEED=" + seed + " ",
                                                   program, which)});
      }
    }
    table.add(std::move(row));
  } catch (const nlohmann::json::exception& error) {
    return tl::unexpected(fmt::format("no report of GoogleTest: {}", error.what()));
  }
  return {};
}

}  // namespace soak
