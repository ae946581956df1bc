#include "config/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>

#include "config/control_characters.h"

namespace config {

std::string Diagnostic::text() const {
  std::string place;
  if (line > 0) {
    place = fmt::format("{}:{}:{}: ", file, line, column);
  } else if (!file.empty()) {
    place = fmt::format("{}: ", file);
  }
  return escape_control_characters(fmt::format("{}{}: {}{}{}", place,
                                               severity == Severity::error ? "error" : "warning",
                                               what, remedy.empty() ? "" : "; ", remedy));
}

bool has_errors(std::span<const Diagnostic> diagnostics) {
  return std::ranges::any_of(diagnostics,
                             [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void sort_by_position(Diagnostics& diagnostics) {
  std::vector<std::string> files;
  for (const Diagnostic& diagnostic : diagnostics)
    if (!diagnostic.file.empty() && std::ranges::find(files, diagnostic.file) == files.end())
      files.push_back(diagnostic.file);
  using Place = std::tuple<std::ptrdiff_t, int, int, std::size_t>;
  std::vector<Place> places;
  for (std::size_t i = 0; i < diagnostics.size(); ++i)
    places.emplace_back(std::ranges::find(files, diagnostics[i].file) - files.begin(),
                        diagnostics[i].line, diagnostics[i].column, i);
  std::ranges::sort(places);  // stable by its last member
  Diagnostics sorted;
  for (const Place& place : places) sorted.push_back(std::move(diagnostics[std::get<3>(place)]));
  diagnostics = std::move(sorted);
}

namespace {

std::string counted(std::ptrdiff_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

Verdict judge(std::span<const Diagnostic> diagnostics, bool strict) {
  const auto errors = std::ranges::count(diagnostics, Severity::error, &Diagnostic::severity);
  const auto ineffective = std::ranges::count_if(diagnostics, [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::warning && diagnostic.without_effect;
  });
  const auto warnings = std::ssize(diagnostics) - errors - ineffective;
  if (errors > 0) return {.usable = false, .text = "not usable: " + counted(errors, "error")};
  const std::string features = counted(ineffective, "feature") + " without effect";
  if (strict && ineffective > 0) return {.usable = false, .text = "not usable: " + features};
  Verdict verdict{.usable = true, .text = "usable"};
  if (ineffective > 0) verdict.text += ", " + features;
  if (warnings > 0) verdict.text += ", " + counted(warnings, "warning");
  return verdict;
}

Diagnostics as_warnings(Diagnostics diagnostics, std::string_view effect) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::error) continue;
    diagnostic.severity = Severity::warning;
    diagnostic.what += fmt::format(": {}", effect);
  }
  return diagnostics;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kShownMax = 80;
  return escape_control_characters(text.substr(0, kShownMax)) +
         (text.size() > kShownMax ? "..." : "");
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", printable(text)); }

}  // namespace config
