#include "sm/ctl/commands/filter_options.h"

#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

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

}  // namespace sm::commands
