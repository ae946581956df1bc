#include "man/completions.h"

#include <algorithm>
#include <string_view>

#include "config/command_line.h"
#include "config/schema.h"

namespace manual {
namespace {

using Option = Completed::Option;

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

/// In single quotes, for all three shells.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char character : text) {
    if (character == '\'') {
      out += "'\\''";
    } else {
      out += character;
    }
  }
  return out + "'";
}

/// fish has other rules in single quotes.
std::string fish_quotes(std::string_view text) {
  std::string out = "'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') out += '\\';
    out += character;
  }
  return out + "'";
}

bool names_a_file(const Option& option) {
  return option.argument == "file" || option.argument == "FILE";
}

std::vector<std::string> words(const std::vector<Option>& options) {
  std::vector<std::string> all;
  for (const Option& option : options) {
    if (!option.letter.empty()) all.push_back("-" + option.letter);
    if (!option.name.empty()) all.push_back("--" + option.name);
  }
  return all;
}

/// The options whose next word is a value: a file or something that is not completed.
std::string values_in_bash(const std::vector<Option>& options) {
  std::vector<std::string> files, others;
  for (const Option& option : options) {
    if (option.argument.empty()) continue;
    for (std::string& word : words({option}))
      (names_a_file(option) ? files : others).push_back(std::move(word));
  }
  std::string out;
  if (!files.empty())
    out += fmt::format("      {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n",
                       fmt::join(files, " | "));
  if (!others.empty()) out += fmt::format("      {}) return ;;\n", fmt::join(others, " | "));
  return out.empty() ? out : "    case $before in\n" + out + "    esac\n";
}

std::string words_in_bash(const std::vector<Option>& options) {
  return values_in_bash(options) +
         fmt::format("    COMPREPLY=($(compgen -W {} -- \"$word\"))\n",
                     in_quotes(fmt::format("{}", fmt::join(words(options), " "))));
}

std::string function_name(std::string_view program) {
  std::string name = "_" + std::string(program);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// A line of _arguments: '(-h --help)'{-h,--help}'[help]:FILE:_files'.
std::string in_zsh(const Option& option) {
  std::string help;
  for (const char character : option.help) {
    if (character == '[' || character == ']' || character == ':' || character == '\\') help += '\\';
    help += character;
  }
  std::string value;
  if (!option.argument.empty())
    value = fmt::format(":{}:{}", option.argument, names_a_file(option) ? "_files" : "");
  std::ranges::replace(value.begin() + (value.empty() ? 0 : 1), value.end(), '=', ' ');
  std::string out;
  for (const std::string& word : words({option}))
    out += fmt::format(" \\\n      {}", in_quotes(fmt::format("{}[{}]{}", word, help, value)));
  return out;
}

std::string in_fish(std::string_view program, const Option& option, std::string_view condition) {
  std::string out = fmt::format("complete -c {}", program);
  if (!condition.empty()) out += fmt::format(" -n {}", fish_quotes(condition));
  if (!option.letter.empty()) out += " -s " + option.letter;
  if (!option.name.empty()) out += " -l " + option.name;
  if (!option.argument.empty()) out += names_a_file(option) ? " -r -F" : " -x";
  return out + fmt::format(" -d {}\n", fish_quotes(option.help));
}

std::vector<Option> completed_options(const CLI::App& app) {
  std::vector<Option> options;
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    const std::string argument = !option->get_option_text().empty() ? option->get_option_text()
                                 : option->get_type_size() == 0     ? std::string()
                                                                    : option->get_type_name();
    options.push_back({.letter = option->get_snames().empty() ? "" : option->get_snames().front(),
                       .name = option->get_lnames().empty() ? "" : option->get_lnames().front(),
                       .argument = argument,
                       .help = one_line(option->get_description())});
  }
  return options;
}

}  // namespace

Completed completed_daemon() {
  Completed result{.program = "heddle", .options = {}, .commands = {}};
  for (const config::Flag& flag : config::flags()) {
    if (flag.hidden) continue;
    const config::Key* const key = flag.key.empty() ? nullptr : config::find_key(flag.key);
    result.options.push_back(
        {.letter = flag.letter == 0 ? "" : std::string(1, flag.letter),
         .name = std::string(flag.name),
         .argument = std::string(flag.argument),
         .help = std::string(flag.help.empty() && key != nullptr ? key->help : flag.help)});
  }
  return result;
}

Completed completed(const CLI::App& app) {
  Completed result{.program = app.get_name(), .options = completed_options(app), .commands = {}};
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    result.commands.push_back(
        {command->get_name(), one_line(command->get_description()), completed_options(*command)});
  return result;
}

std::string bash(const Completed& completed) {
  const std::string name = function_name(completed.program);
  std::string out = fmt::format(
      "# bash completion of {0}\n"
      "{1}() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  COMPREPLY=()\n",
      completed.program, name);
  if (completed.commands.empty()) {
    out += words_in_bash(completed.options);
  } else {
    std::vector<std::string> first = words(completed.options);
    for (const Completed::Command& command : completed.commands) first.push_back(command.name);
    out += fmt::format(
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "    COMPREPLY=($(compgen -W {} -- \"$word\"))\n    return\n  fi\n"
        "  case ${{COMP_WORDS[1]}} in\n",
        in_quotes(fmt::format("{}", fmt::join(first, " "))));
    for (const Completed::Command& command : completed.commands)
      out += fmt::format("  {})\n{}    ;;\n", command.name, words_in_bash(command.options));
    out += "  esac\n";
  }
  return out + fmt::format("}}\ncomplete -o default -F {} {}\n", name, completed.program);
}

std::string zsh(const Completed& completed) {
  const auto arguments = [](const std::vector<Option>& options) {
    std::string out = "_arguments -s";
    for (const Option& option : options) out += in_zsh(option);
    return out + " \\\n      '*:file:_files'\n";
  };
  std::string out = fmt::format("#compdef {}\n", completed.program);
  if (completed.commands.empty()) return out + arguments(completed.options);
  out += "if (( CURRENT == 2 )); then\n  local -a commands=(\n";
  for (const Completed::Command& command : completed.commands)
    out += fmt::format("    {}\n", in_quotes(command.name + ":" + command.help));
  out += fmt::format("  )\n  _describe command commands\n  return\nfi\ncase $words[2] in\n");
  for (const Completed::Command& command : completed.commands)
    out += fmt::format("  {})\n    shift words; (( CURRENT-- ))\n    {}    ;;\n", command.name,
                       arguments(command.options));
  return out + "esac\n";
}

std::string fish(const Completed& completed) {
  std::string out = fmt::format("# fish completion of {}\n", completed.program);
  const std::string_view first = completed.commands.empty() ? "" : "__fish_use_subcommand";
  for (const Option& option : completed.options) out += in_fish(completed.program, option, first);
  for (const Completed::Command& command : completed.commands) {
    out += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n",
                       completed.program, command.name, fish_quotes(command.help));
    for (const Option& option : command.options)
      out += in_fish(completed.program, option, "__fish_seen_subcommand_from " + command.name);
  }
  return out;
}

}  // namespace manual
