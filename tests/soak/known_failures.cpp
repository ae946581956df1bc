#include "soak/known_failures.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace soak {
namespace {

/// Complaints that have only their format in common.
constexpr const char* kUnrelated[]{
    "phase 1 [1 manager; ]: not converged within 10 s: x",
    "phase 2 [1 manager; flap hang; reload]: not converged within 25 s: link: S0 port 1 is Init",
    "phase 3 [2 managers; loss; stop]: not converged within 55 s: manager: 0 masters",
    "exception: x",
    "ends with signal 11",
    "phase 1 [3 managers; reboot]: report: H1 port 1 has no report of a new group"};
constexpr std::ptrdiff_t kMatchesMax = 2;  // of these by one expression

}  // namespace

tl::expected<KnownFailures, std::string> KnownFailures::parse(std::string_view text) {
  KnownFailures known;
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto wrong = [&](std::string_view why) {
      return tl::unexpected(fmt::format("line {}: {}: {}", number, why, line));
    };
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || colon == 0 ||
        !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return c >= '0' && c <= '9'; }))
      return wrong("write '<number of the issue>: <regular expression>'");
    try {
      const std::regex expression(line.substr(colon + 2));
      const auto matches = std::ranges::count_if(kUnrelated, [&](const char* complaint) {
        return std::regex_search(complaint, expression);
      });
      if (matches > kMatchesMax) return wrong("matches unrelated failures");
      known.entries_.push_back({line.substr(0, colon), expression});
    } catch (const std::regex_error& error) {
      return wrong(error.what());
    }
  }
  return known;
}

tl::expected<KnownFailures, std::string> KnownFailures::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) return tl::unexpected(path + " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  auto known = parse(text.view());
  if (!known) return tl::unexpected(path + ": " + known.error());
  return known;
}

std::optional<std::string> KnownFailures::issue_of(const std::string& failure) const {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return std::regex_search(failure, entry.expression); });
  return found == entries_.end() ? std::nullopt : std::optional(found->issue);
}

}  // namespace soak
