// heddlectl complete WORD... prints candidates for the last word of a command line of heddlectl or
// heddle; completions of shells (man/completions/) call it. It prints none for a file or an unknown
// kind of word.

#include <algorithm>
#include <cctype>
#include <functional>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/common_command_line.h"
#include "config/engine_names.h"
#include "config/flags.h"
#include "config/schema.h"
#include "fabric/condition.h"
#include "mad/format.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/lists_text.h"
#include "sm/ops/condition_kinds.h"
#include "sm/ops/rows.h"
#include "sm/ops/web/request_target.h"

namespace sm::commands {

namespace {

using Words = std::span<const std::string>;
struct Candidate {
  std::string word, help;
};
using Candidates = std::vector<Candidate>;
constexpr std::string_view kConditionArgument = "CONDITION", kEnginesArgument = "NAME[,NAME...]";
/// Shells give a completion two seconds.
const ManagerChoice kManagers{.guid = "", .silence_max = std::chrono::seconds(1)};

bool names_a_file(std::string_view argument) { return argument == "file" || argument == "FILE"; }

bool names_a_node(std::string_view argument) {
  return argument == "NODE" || argument == "NODE[:PORT]" || argument == "FROM" ||
         argument == "TO" || argument == "HOST" || argument == "GROUP" || argument == "PORT";
}

Candidates condition_ids() {
  Candidates all;
  for (const ConditionId kind : condition_kinds())
    all.push_back({std::string(kind->name), std::string(kind->meaning)});
  return all;
}

/// Returns names of nodes, and their GUIDs if the word begins as one. Returns none without a
/// daemon.
Candidates nodes(std::string_view word) {
  Candidates all;
  with_first_api(kManagers, [&](const ManagerApi& api) -> tl::expected<void, std::string> {
    const auto answer = api.all_rows("/v1/nodes", "nodes");
    if (!answer) return tl::unexpected(answer.error());
    std::istringstream lines(ctl::node_names_text(*answer));
    std::string name, guid;
    while (std::getline(lines, name, '\t') && std::getline(lines, guid)) {
      all.push_back({name, guid});
      if (word.starts_with('0')) all.push_back({guid, name});
    }
    return {};
  });
  return all;
}

/// Returns "NODE:PORT" for each port of the node whose name is before the last colon of the word,
/// with what the port is linked to. Returns none without a daemon, or if there is no such node.
Candidates ports_of_node(std::string_view word) {
  Candidates all;
  const std::string node(word.substr(0, word.rfind(':')));
  with_first_api(kManagers, [&](const ManagerApi& api) -> tl::expected<void, std::string> {
    const auto answer = api.get("/v1/nodes/" + web::percent_encoded(node));
    if (!answer) return tl::unexpected(answer.error());
    for (const Json& port : answer->at("physical_ports")) {
      const std::string peer = port.contains("peer") ? end_text(port.at("peer")) : "no link";
      all.push_back({fmt::format("{}:{}", node, port.at("port").dump()), peer});
    }
    return {};
  });
  return all;
}

/// Returns what may stand for NODE or NODE:PORT.
Candidates places(std::string_view word) {
  return word.find(':') == std::string_view::npos ? nodes(word) : ports_of_node(word);
}

/// Returns routing engines after those that the word has already.
Candidates routing_engines(std::string_view word) {
  Candidates all;
  for (const config::EngineRow& row : config::engine_rows())
    all.push_back({fmt::format("{}{}", word.substr(0, word.rfind(',') + 1), row.name),
                   std::string(row.what)});
  return all;
}

/// Splits "one, two or three" in the help of an argument, also after "what it is: "; returns
/// nothing for any other text.
Candidates choices_in(std::string text) {
  constexpr std::string_view kOr = " or ";
  if (const std::size_t colon = text.rfind(": "); colon != std::string::npos)
    text.erase(0, colon + 2);
  const std::size_t last = text.rfind(kOr);
  if (last == std::string::npos || text.find(", ") > last) return {};
  text.replace(last, kOr.size(), ", ");
  Candidates choices;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(", ", at), text.size());
    choices.push_back({text.substr(at, end - at), ""});
    if (!std::ranges::all_of(choices.back().word,
                             [](unsigned char c) { return std::isalnum(c) != 0; }))
      return {};
    at = end + 2;
  }
  return choices;
}

/// Returns the text that --help shows after the names of an option.
std::string argument_of(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  return option.get_type_size() == 0 ? std::string() : option.get_type_name();
}

Candidates make_options(const CLI::App& command) {
  Candidates all;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    for (const std::string& name : option->get_snames())
      all.push_back({"-" + name, option->get_description()});
    for (const std::string& name : option->get_lnames())
      all.push_back({"--" + name, option->get_description()});
  }
  return all;
}

const CLI::App* subcommand(const CLI::App& app, std::string_view name) {
  for (const CLI::App* const each : app.get_subcommands([](const CLI::App*) { return true; }))
    if (each->get_name() == name) return each;
  return nullptr;
}

/// Describes the position of the next word.
struct Place {
  const CLI::App* command;
  const CLI::Option* find_value = nullptr;  // null: not behind an option that has a value
  std::size_t arguments = 0;                // before it, of the command
};

Place place_after(const CLI::App& app, Words words) {
  Place place{&app};
  for (const std::string& word : words) {
    if (place.find_value != nullptr) {
      place.find_value = nullptr;
    } else if (word.starts_with('-')) {
      const CLI::Option* const option = place.command->get_option_no_throw(word);
      if (option != nullptr && option->get_type_size() != 0) place.find_value = option;
    } else if (const CLI::App* const next = subcommand(*place.command, word);
               next != nullptr && place.arguments == 0) {
      place.command = next;
    } else {
      ++place.arguments;
    }
  }
  return place;
}

Candidates candidates(const CLI::App& app, Words before, const std::string& word) {
  const Place place = place_after(app, before);
  if (place.find_value != nullptr) {
    const std::string argument = argument_of(*place.find_value);
    if (argument == kConditionArgument) return condition_ids();
    if (argument == kEnginesArgument) {
      Candidates engines = routing_engines(word);
      if (word.find(',') == std::string::npos) engines.push_back({"all", "each of them"});
      return engines;
    }
    return names_a_node(argument) ? places(word) : choices_in(place.find_value->get_description());
  }
  Candidates all;
  if (!word.starts_with('-')) {
    for (const CLI::App* const each : place.command->get_subcommands(
             [](const CLI::App* of) { return !of->get_group().empty(); }))
      all.push_back({each->get_name(), each->get_description()});
    std::vector<const CLI::Option*> arguments;
    for (const CLI::Option* const option : place.command->get_options())
      if (option->get_positional()) arguments.push_back(option);
    if (place.arguments < arguments.size()) {
      const CLI::Option& argument = *arguments[place.arguments];
      if (names_a_node(argument.get_name())) return places(word);
      if (argument.get_name() == kConditionArgument) return condition_ids();
      if (names_a_file(argument.get_name())) return {};
      Candidates choices = choices_in(argument.get_description());
      if (!choices.empty()) return choices;
    }
  }
  Candidates options = make_options(*place.command);
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

/// Returns the flags of the daemon.
Candidates daemon_candidates(Words before, std::string_view word) {
  Candidates all;
  for (const config::Flag& flag : config::flags()) {
    if (flag.hidden) continue;
    const std::string letter = flag.letter == 0 ? "" : fmt::format("-{}", flag.letter);
    const std::string name = flag.name.empty() ? "" : fmt::format("--{}", flag.name);
    const bool is_before = !before.empty() && (before.back() == letter || before.back() == name);
    if (is_before && flag.key == "routing_engine") return routing_engines(word);
    if (is_before && !flag.argument.empty()) return {};
    const config::Key* const key = flag.key.empty() ? nullptr : config::find_key(flag.key);
    const std::string help(flag.help.empty() && key != nullptr ? key->help : flag.help);
    for (const std::string& option : {letter, name})
      if (!option.empty()) all.push_back({option, help});
  }
  return all;
}

}  // namespace

int complete(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() < 2) return kUsage;
  const std::string& word = words.back();
  const Words before = Words(words).subspan(1, words.size() - 2);
  for (auto& [text, help] : words.front() == "heddle" ? daemon_candidates(before, word)
                                                      : candidates(app, before, word)) {
    if (!text.starts_with(word)) continue;
    std::string line = help;
    std::ranges::replace(line, '\n', ' ');
    std::cout << text << '\t' << line << '\n';
  }
  return kOk;
}

}  // namespace sm::commands
