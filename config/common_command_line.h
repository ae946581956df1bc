#pragma once
// heddlectl, heddle-sim and heddle-topo share this part of their command lines. CLI11 takes seconds
// to compile: one file of a program includes this. The daemon has OpenSM's flags instead (flags.h).

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "config/control_characters.h"

namespace config {

/// Reads a number in decimal or, after 0x, in hexadecimal; returns false for any other text.
/// Refuses 010, which CLI11 takes for octal.
template <class Number>
bool read_number(const std::string& text, Number& number) {
  const bool octal = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  return !octal && CLI::detail::lexical_cast(text, number);
}

/// Accepts a number from `min` to `max`; "nan" is not a number.
template <class Number>
CLI::Validator between(Number min, Number max) {
  return {[min, max](std::string& text) {
            Number number{};
            const bool good = read_number(text, number) && number >= min && number <= max;
            return good ? std::string()
                        : fmt::format("'{}' is not a number from {} to {}", text, min, max);
          },
          ""};
}

/// Returns the line on standard error for a wrong command line: the mistake, and the help that
/// gives the correct form.
inline std::string mistake_text(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  const std::vector<const CLI::App*> known =
      app->get_subcommands([](const CLI::App*) { return true; });
  const std::vector<std::string> unknown = app->remaining(true);
  std::string program = app->get_name(), what = error.what();
  if (!chosen.empty()) program += ' ' + chosen.front()->get_name();
  if (!unknown.empty() && unknown.front().starts_with('-')) {
    what = fmt::format("there is no option {}", unknown.front());
  } else if (!unknown.empty() && !known.empty() && chosen.empty()) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const CLI::App* command : known) names.push_back(command->get_name());
    what = fmt::format("'{}' is not one of: {}", unknown.front(), fmt::join(names, ", "));
  }
  return fmt::format("{}: {} (try {} --help)\n", app->get_name(), escape_lines(what), program);
}

/// Sets up help and error messages as all programs have them; the help shows defaults. The caller
/// calls this before it adds options and subcommands, which inherit the settings.
inline void prepare(CLI::App& app) {
  constexpr std::size_t kDescriptionColumn = 30;
  const auto formatter = std::make_shared<CLI::Formatter>();
  formatter->column_width(kDescriptionColumn);
  formatter->label("Usage", "usage");
  app.formatter(formatter);
  app.failure_message(mistake_text);
  app.option_defaults()->always_capture_default();
}

}  // namespace config
