#include "man/completions.h"

#include <algorithm>
#include <string_view>

#include "config/command_line.h"
#include "config/schema.h"

namespace manual {
namespace {

using Option = Completed::Option;
using Positional = Completed::Positional;
using Kind = Completed::Positional::Kind;

/// "NAME<tab>GUID" a line; see ctl::node_names_text().
constexpr std::string_view kNames = "timeout 2 heddlectl nodes --names 2>/dev/null";

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

bool names_a_node(std::string_view argument) {
  return argument == "NODE" || argument == "NODE[:PORT]" || argument == "FROM" ||
         argument == "TO" || argument == "HOST";
}

bool has_nodes(const std::vector<Completed::Command>& commands) {
  return std::ranges::any_of(commands, [](const Completed::Command& command) {
    return has_nodes(command.actions) ||
           std::ranges::any_of(command.positionals,
                               [](const Positional& each) { return each.kind == Kind::node; });
  });
}

std::vector<std::string> words(const std::vector<Option>& options) {
  std::vector<std::string> all;
  for (const Option& option : options) {
    if (!option.letter.empty()) all.push_back("-" + option.letter);
    if (!option.name.empty()) all.push_back("--" + option.name);
  }
  return all;
}

/// The options whose next word is a value: a file, a node or something that is not completed.
std::string values_in_bash(const std::vector<Option>& options) {
  std::vector<std::string> files, nodes, others;
  for (const Option& option : options) {
    if (option.argument.empty()) continue;
    for (std::string& word : words({option}))
      (names_a_file(option)            ? files
       : names_a_node(option.argument) ? nodes
                                       : others)
          .push_back(std::move(word));
  }
  std::string out;
  if (!nodes.empty())
    out +=
        fmt::format("      {}) _heddlectl_nodes \"$word\"; return ;;\n", fmt::join(nodes, " | "));
  if (!files.empty())
    out += fmt::format("      {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n",
                       fmt::join(files, " | "));
  if (!others.empty()) out += fmt::format("      {}) return ;;\n", fmt::join(others, " | "));
  return out.empty() ? out : "    case $before in\n" + out + "    esac\n";
}

/// Arguments that are no options, by their place.
std::string positionals_in_bash(const std::vector<Positional>& positionals, unsigned first) {
  std::string cases;
  for (std::size_t at = 0; at < positionals.size(); ++at) {
    const Positional& each = positionals[at];
    std::string reply;
    if (each.kind == Kind::node) reply = "_heddlectl_nodes \"$word\"";
    if (each.kind == Kind::file) reply = "COMPREPLY=($(compgen -f -- \"$word\"))";
    if (each.kind == Kind::choice)
      reply = fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))",
                          in_quotes(fmt::format("{}", fmt::join(each.choices, " "))));
    if (!reply.empty()) cases += fmt::format("        {}) {}; return ;;\n", at, reply);
  }
  if (cases.empty()) return cases;
  return "    if [[ $word != -* ]]; then\n"
         "      local at=0 i\n" +
         fmt::format("      for ((i = {}; i < COMP_CWORD; i++)); do\n", first) +
         "        [[ ${COMP_WORDS[i]} == -* ]] || at=$((at + 1))\n"
         "      done\n"
         "      case $at in\n" +
         cases + "      esac\n    fi\n";
}

/// `first`: the place of the first word that may be an argument.
std::string words_in_bash(const std::vector<Option>& options,
                          const std::vector<Positional>& positionals = {}, unsigned first = 2) {
  return values_in_bash(options) + positionals_in_bash(positionals, first) +
         fmt::format("    COMPREPLY=($(compgen -W {} -- \"$word\"))\n",
                     in_quotes(fmt::format("{}", fmt::join(words(options), " "))));
}

/// A command whose next word says what to do.
std::string actions_in_bash(const Completed::Command& command) {
  std::vector<std::string> names = words(command.options);
  for (const Completed::Command& action : command.actions) names.push_back(action.name);
  std::string out = fmt::format(
      "    if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
      "      COMPREPLY=($(compgen -W {} -- \"$word\"))\n      return\n    fi\n"
      "    case ${{COMP_WORDS[2]}} in\n",
      in_quotes(fmt::format("{}", fmt::join(names, " "))));
  for (const Completed::Command& action : command.actions)
    out += fmt::format("    {})\n{}    ;;\n", action.name,
                       words_in_bash(action.options, action.positionals, 3));
  return out + "    esac\n";
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
  if (!option.argument.empty()) {
    std::string message = option.argument;
    std::ranges::replace(message, '=', ' ');
    std::ranges::replace(message, ':', ' ');
    value = fmt::format(":{}:{}", message,
                        names_a_file(option)            ? "_files"
                        : names_a_node(option.argument) ? "_heddlectl_nodes"
                                                        : "");
  }
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
  if (names_a_node(option.argument)) out += " -a '(__heddlectl_nodes)'";
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

/// "one, two or three", as the help of an argument has it; empty if that is something else.
std::vector<std::string> choices_in(std::string text) {
  constexpr std::string_view kOr = " or ";
  const std::size_t last = text.rfind(kOr);
  if (last == std::string::npos || text.find(", ") > last) return {};
  text.replace(last, kOr.size(), ", ");
  std::vector<std::string> choices;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(", ", at), text.size());
    choices.push_back(text.substr(at, end - at));
    if (choices.back().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") !=
        std::string::npos)
      return {};
    at = end + 2;
  }
  return choices;
}

std::vector<Positional> completed_positionals(const CLI::App& app) {
  std::vector<Positional> positionals;
  for (const CLI::Option* const option : app.get_options()) {
    if (!option->get_positional()) continue;
    Positional& each = positionals.emplace_back();
    each.name = option->get_name();
    each.choices = choices_in(option->get_description());
    each.kind = names_a_node(each.name) ? Kind::node
                : each.name == "FILE"   ? Kind::file
                : !each.choices.empty() ? Kind::choice
                                        : Kind::other;
  }
  return positionals;
}

std::vector<Completed::Command> completed_commands(const CLI::App& app) {
  std::vector<Completed::Command> commands;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back({command->get_name(), one_line(command->get_description()),
                        completed_options(*command), completed_positionals(*command),
                        completed_commands(*command)});
  return commands;
}

std::string nodes_in_bash() {
  return fmt::format(
      "_heddlectl_nodes() {{\n"
      "  local name guid\n"
      "  while IFS=$'\\t' read -r name guid; do\n"
      "    if [[ $name == \"$1\"* ]]; then\n"
      "      COMPREPLY+=(\"$name\")\n"
      "    elif [[ -n $1 && $guid == \"$1\"* ]]; then\n"
      "      COMPREPLY+=(\"$guid\")\n"
      "    fi\n"
      "  done < <({})\n"
      "}}\n",
      kNames);
}

std::string nodes_in_zsh() {
  return fmt::format(
      "_heddlectl_nodes() {{\n"
      "  local name guid\n"
      "  local -a names guids\n"
      "  while IFS=$'\\t' read -r name guid; do\n"
      "    names+=($name)\n"
      "    guids+=($guid)\n"
      "  done < <({})\n"
      "  compadd -a names\n"
      "  [[ $PREFIX != 0* ]] || compadd -a guids\n"
      "}}\n",
      kNames);
}

std::string nodes_in_fish() {
  return fmt::format(
      "function __heddlectl_nodes\n"
      "    if string match -q '0*' -- (commandline -ct)\n"
      "        {0} | string replace -r '^([^\\t]*)\\t(.*)$' '$2'\\t'$1'\n"
      "    end\n"
      "    {0}\n"
      "end\n",
      kNames);
}

/// The arguments that are no options: by how many words stand before.
std::string positionals_in_fish(std::string_view program, const Completed::Command& command) {
  std::string out;
  for (std::size_t at = 0; at < command.positionals.size(); ++at) {
    const Positional& each = command.positionals[at];
    std::string what;
    if (each.kind == Kind::node) what = "-f -a '(__heddlectl_nodes)'";
    if (each.kind == Kind::choice)
      what = fmt::format("-f -a {}", fish_quotes(fmt::format("{}", fmt::join(each.choices, " "))));
    if (what.empty()) continue;
    const bool is_last = at + 1 == command.positionals.size();
    out += fmt::format(
        "complete -c {} -n '__fish_seen_subcommand_from {}; and test (count (commandline -opc)) "
        "{} {}' {}\n",
        program, command.name, is_last ? "-ge" : "-eq", at + 2, what);
  }
  return out;
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
  return {.program = app.get_name(),
          .options = completed_options(app),
          .commands = completed_commands(app)};
}

std::string bash(const Completed& completed) {
  const std::string name = function_name(completed.program);
  std::string out = fmt::format(
      "# bash completion of {0}\n"
      "{2}{1}() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  COMPREPLY=()\n",
      completed.program, name, has_nodes(completed.commands) ? nodes_in_bash() : "");
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
      out +=
          fmt::format("  {})\n{}    ;;\n", command.name,
                      command.actions.empty() ? words_in_bash(command.options, command.positionals)
                                              : actions_in_bash(command));
    out += "  esac\n";
  }
  return out + fmt::format("}}\ncomplete -o default -F {} {}\n", name, completed.program);
}

std::string zsh(const Completed& completed) {
  const auto arguments = [](const std::vector<Option>& options,
                            const std::vector<Positional>& positionals) {
    std::string out = "_arguments -s";
    for (const Option& option : options) out += in_zsh(option);
    for (std::size_t at = 0; at < positionals.size(); ++at) {
      const Positional& each = positionals[at];
      const std::string what = each.kind == Kind::node   ? "_heddlectl_nodes"
                               : each.kind == Kind::file ? "_files"
                               : each.kind == Kind::choice
                                   ? fmt::format("({})", fmt::join(each.choices, " "))
                                   : "";
      if (!what.empty())
        out += fmt::format(" \\\n      {}",
                           in_quotes(fmt::format("{}:{}:{}", at + 1, each.name, what)));
    }
    return out + " \\\n      '*:file:_files'\n";
  };
  std::string out = fmt::format("#compdef {}\n{}", completed.program,
                                has_nodes(completed.commands) ? nodes_in_zsh() : "");
  if (completed.commands.empty()) return out + arguments(completed.options, {});
  out += "if (( CURRENT == 2 )); then\n  local -a commands=(\n";
  for (const Completed::Command& command : completed.commands)
    out += fmt::format("    {}\n", in_quotes(command.name + ":" + command.help));
  out += fmt::format("  )\n  _describe command commands\n  return\nfi\ncase $words[2] in\n");
  for (const Completed::Command& command : completed.commands) {
    out += fmt::format("  {})\n    shift words; (( CURRENT-- ))\n", command.name);
    if (command.actions.empty()) {
      out += "    " + arguments(command.options, command.positionals);
    } else {
      out += "    if (( CURRENT == 2 )); then\n      local -a actions=(\n";
      for (const Completed::Command& action : command.actions)
        out += fmt::format("        {}\n", in_quotes(action.name + ":" + action.help));
      out += "      )\n      _describe action actions\n      return\n    fi\n";
      out += "    case $words[2] in\n";
      for (const Completed::Command& action : command.actions)
        out += fmt::format("    {})\n      shift words; (( CURRENT-- ))\n      {}      ;;\n",
                           action.name, arguments(action.options, action.positionals));
      out += "    esac\n";
    }
    out += "    ;;\n";
  }
  return out + "esac\n";
}

std::string fish(const Completed& completed) {
  std::string out = fmt::format("# fish completion of {}\n{}", completed.program,
                                has_nodes(completed.commands) ? nodes_in_fish() : "");
  const std::string_view first = completed.commands.empty() ? "" : "__fish_use_subcommand";
  for (const Option& option : completed.options) out += in_fish(completed.program, option, first);
  for (const Completed::Command& command : completed.commands) {
    out += fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d {}\n",
                       completed.program, command.name, fish_quotes(command.help));
    for (const Option& option : command.options)
      out += in_fish(completed.program, option, "__fish_seen_subcommand_from " + command.name);
    out += positionals_in_fish(completed.program, command);
    const std::string seen = "__fish_seen_subcommand_from " + command.name;
    for (const Completed::Command& action : command.actions) {
      out += fmt::format(
          "complete -c {} -n '{}; and test (count (commandline -opc)) -eq 2' -f -a {} -d {}\n",
          completed.program, seen, action.name, fish_quotes(action.help));
      for (const Option& option : action.options)
        out += in_fish(completed.program, option,
                       fmt::format("{}; and __fish_seen_subcommand_from {}", seen, action.name));
    }
  }
  return out;
}

}  // namespace manual
