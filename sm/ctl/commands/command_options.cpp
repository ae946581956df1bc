#include "sm/ctl/commands/command_options.h"

#include <fmt/chrono.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "config/common_command_line.h"
#include "mad/number.h"
#include "sm/ops/web/exchange.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {
namespace {

/// Returns the values that a filter may have; empty means any value.
std::vector<std::string> filter_choices(const ListFilter& filter) {
  const auto schema = read_schema(filter.schema);
  return schema.contains("enum") ? schema.at("enum").get<std::vector<std::string>>()
                                 : std::vector<std::string>();
}

std::string option_name(const ListFilter& filter) {
  std::string name = "--" + std::string(filter.name);
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace

void FilterOptions::add(CLI::App& command, std::span<const ListFilter> filters) {
  constexpr const char* kGroup = "Only those with";
  for (const ListFilter& filter : filters) {
    if (filter.argument.empty()) continue;
    const std::vector<std::string> choices = filter_choices(filter);
    std::string what(filter.what);
    if (!choices.empty()) {
      const std::vector<std::string_view> names(choices.begin(), choices.end());
      what += ": " + web::one_of_text(names);
    }
    CLI::Option* const option =
        command.add_option(option_name(filter), values_[std::string(filter.name)], what)
            ->type_name(std::string(filter.argument))
            ->group(kGroup);
    if (!choices.empty()) option->check(CLI::IsMember(choices, CLI::ignore_case).description(""));
  }
}

std::string FilterOptions::target(std::string path, std::span<const ListFilter> filters) const {
  for (const ListFilter& filter : filters) {
    const auto value = values_.find(filter.name);
    if (value == values_.end() || value->second.empty()) continue;
    path += fmt::format("{}{}={}", path.find('?') == std::string::npos ? '?' : '&', filter.name,
                        web::percent_encoded(value->second));
  }
  return path;
}

void add_timeout(CLI::App& command, ManagerChoice& managers) {
  constexpr std::uint64_t kDaySeconds = 86'400;
  command
      .add_option_function<std::uint64_t>(
          "--timeout",
          [&](const std::uint64_t& seconds) {
            managers.silence_max = std::chrono::seconds(seconds);
          },
          fmt::format("seconds in which a daemon that sends nothing counts as not responding\n"
                      "(default {}; requests that take long have more)",
                      kSilenceMax.count()))
      ->type_name("SECONDS")
      ->check(config::between(std::uint64_t{1}, kDaySeconds));
}

void add_manager_choice(CLI::App& command, ManagerChoice& managers) {
  command.add_option("--guid", managers.guid, "the manager on the port with this GUID only")
      ->type_name("GUID")
      ->check(check_port_guid);
  add_timeout(command, managers);
}

void add_answer_options(CLI::App& command, bool& json, const char* what, ManagerChoice& managers) {
  command.add_flag("--json", json, what);
  add_manager_choice(command, managers);
}

void set_exit_codes(CLI::App& command, const std::string& sentence) {
  const std::string footer = command.get_footer();
  command.footer(footer.substr(0, footer.rfind("Exit codes: ")) + sentence);
}

std::optional<std::chrono::seconds> read_duration(std::string_view text) {
  constexpr std::uint64_t kMost = 100ULL * 366 * 86'400;
  constexpr std::pair<char, unsigned> kUnits[]{{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}};
  const auto number = mad::take_number(text);  // the unit is left
  if (!number || text.size() != 1 || *number == 0) return std::nullopt;
  for (const auto& [letter, seconds] : kUnits)
    if (text[0] == letter && *number <= kMost / seconds)
      return std::chrono::seconds(*number * seconds);
  return std::nullopt;
}

std::string time_text(const std::string& text, Direction direction) {
  const auto duration = read_duration(text);
  if (!duration) return text;
  const auto now = std::chrono::system_clock::now();
  const auto then = direction == Direction::ago
                        ? std::chrono::floor<std::chrono::seconds>(now) - *duration
                        : std::chrono::ceil<std::chrono::seconds>(now) + *duration;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(then.time_since_epoch().count()));
}

std::string check_duration(const std::string& text) {
  return read_duration(text) ? ""
                             : fmt::format("'{}' is not a time such as 90s, 15m, 12h or 7d", text);
}

std::string check_time(const std::string& text) {
  std::tm fields{};
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  const bool is_time = end != nullptr && *end == '\0' && text.size() == 20;
  return is_time || read_duration(text)
             ? ""
             : fmt::format("'{}' is not a time: 90s, 15m, 12h, 7d or 2026-11-24T12:00:00Z (UTC)",
                           text);
}

std::string check_port_guid(const std::string& text) {
  std::uint64_t value = 0;
  return config::read_number(text, value)
             ? ""
             : fmt::format("'{}' is not a GUID such as 0x0002c90300000001", text);
}

}  // namespace sm::commands
