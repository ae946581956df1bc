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
#include "config/nearest.h"

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

/// Returns "; did you mean --help?", or "" if no name is like the word.
inline std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto meant = nearest(word, candidates);
  return meant ? fmt::format("; did you mean {}?", *meant) : std::string();
}

/// Returns the options that the help of the command lists, as "--name".
inline std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Returns the line on standard error for a wrong command line: the mistake, the name that is most
/// like it, and the help that gives the correct form.
inline std::string mistake_text(const CLI::App* app, const CLI::Error& error) {
  const CLI::App* command = app;
  std::string program = app->get_name(), what = error.what();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    program += ' ' + command->get_name();
  }
  const std::vector<const CLI::App*> known = command->get_subcommands(
      [](const CLI::App* of) { return !of->get_group().empty() && !of->get_name().empty(); });
  const std::vector<std::string> unknown = app->remaining(true);
  if (!unknown.empty() && unknown.front().starts_with('-')) {
    const std::string name = unknown.front().substr(0, unknown.front().find('='));
    what = fmt::format("there is no option {}{}", name, suggestion(name, option_names(*command)));
  } else if (!unknown.empty() && !known.empty()) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const CLI::App* each : known) names.push_back(each->get_name());
    what = fmt::format("'{}' is not one of: {}{}", unknown.front(), fmt::join(names, ", "),
                       suggestion(unknown.front(), names));
  }
  return fmt::format("{}: {} (try {} --help)\n", app->get_name(), escape_lines(what), program);
}

/// Formats help; a command with an argument or else an action has a line of usage for each form.
class Formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, name);
    const std::string action = fmt::format(" [{}]", get_label("SUBCOMMAND"));
    const std::size_t at = usage.find(action);
    const bool has_argument =
        !app->get_options([](const CLI::Option* of) { return of->get_positional(); }).empty();
    if (at == std::string::npos || !has_argument) return usage;
    usage.erase(at, action.size());
    return usage + fmt::format("       {} {} [{}] ...\n", name, get_label("SUBCOMMAND"),
                               get_label("OPTIONS"));
  }
};

/// Sets up help and error messages as all programs have them; the help shows defaults. The caller
/// calls this before it adds options and subcommands, which inherit the settings.
inline void prepare(CLI::App& app) {
  constexpr std::size_t kDescriptionColumn = 30;
  const auto formatter = std::make_shared<Formatter>();
  formatter->column_width(kDescriptionColumn);
  formatter->label("Usage", "usage");
  app.formatter(formatter);
  app.failure_message(mistake_text);
  app.option_defaults()->always_capture_default();
}

}  // namespace config
