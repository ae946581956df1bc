#include "sm/ops/console/console_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "config/build/build.h"
#include "config/control_characters.h"
#include "config/file_reader.h"
#include "config/option_files.h"
#include "config/value.h"
#include "sm/store/atomic_file.h"

namespace sm::console {
namespace {

using Words = std::span<const std::string>;

struct Context {
  const ConsoleActions& actions;
  bool local = false;
};

struct Command {
  std::string_view name;
  std::string_view syntax;  // behind the name
  Answer (*run)(Words, const Context&);
};

Answer say(std::string text) {
  return {.text = [text = std::move(text)] { return text; }};
}
/// Returns the answer of a command that prints nothing on success.
Answer outcome(const Outcome& done) { return done ? Answer{} : say(done.error().text + "\n"); }

Answer invalid(std::string_view command);

/// Refuses a command that writes a file with the daemon's rights. `instead`: what the user may do.
Answer refuse_file(std::string_view instead) {
  return say(
      fmt::format("a session over TCP has no password, and writes no file: use {} or the "
                  "console of the terminal (console local)\n",
                  instead));
}

std::optional<bool> on_or_off(Words words) {
  if (words.empty()) return std::nullopt;
  if (words[0] == "on") return true;
  if (words[0] == "off") return false;
  return std::nullopt;
}

/// Returns a GUID or nullopt; the second value is true if there is a word that is not a GUID.
std::pair<std::optional<mad::Guid>, bool> guid_in(Words words) {
  if (words.empty()) return {std::nullopt, false};
  const auto value = config::parse_number(words[0]);
  if (!value || *value == 0) return {std::nullopt, true};
  return {mad::Guid{*value}, false};
}

Answer run_help(Words words, const Context&);

Answer run_quit(Words, const Context& context) {
  if (context.local) return say("not valid in local mode; use ctl-c\n");
  return {.text = {}, .ends_session = true};
}

Answer run_loglevel(Words words, const Context& context) {
  if (words.empty())
    return say(fmt::format("Current log level is {:#x}\n", context.actions.facts().log_flags));
  const auto level = config::parse_number(words[0]);
  if (!level || *level > 0xFF)
    return say(
        fmt::format("Invalid log level {}: a number in 0..0xff\n", config::in_quotes(words[0])));
  const auto flags = static_cast<std::uint8_t>(*level);
  if (const auto done = context.actions.commands().set_log_flags(flags); !done)
    return outcome(done);
  return say(fmt::format("Setting log level to {:#x}\n", flags));
}

/// OpenSM prints its file of log levels for single modules; Heddle does not read it.
Answer run_permodlog(Words, const Context&) { return {}; }

Answer run_priority(Words words, const Context& context) {
  if (words.empty())
    return say(fmt::format("Current sm-priority is {}\n", context.actions.facts().status.priority));
  constexpr std::uint64_t kPriorityMax = 15;
  const auto priority = config::parse_number(words[0]);
  if (!priority || *priority > kPriorityMax)
    return say(
        fmt::format("Invalid sm-priority {}: a number in 0..15\n", config::in_quotes(words[0])));
  const auto done = context.actions.commands().set_priority(static_cast<std::uint8_t>(*priority));
  if (!done) return outcome(done);
  return say(fmt::format("Setting sm-priority to {}\n", *priority));
}

Answer run_resweep(Words words, const Context& context) {
  if (!words.empty() && words[0] == "heavy") return outcome(context.actions.commands().resweep());
  if (!words.empty() && words[0] == "light")
    return outcome(context.actions.commands().light_resweep());
  return invalid("resweep");
}

Answer run_reroute(Words, const Context& context) {
  return outcome(context.actions.commands().rebalance());
}

Answer run_sweep(Words words, const Context& context) {
  const auto on = on_or_off(words);
  if (!on) return invalid("sweep");
  return outcome(context.actions.commands().set_sweeping(*on));
}

Answer run_status(Words words, const Context& context) {
  return {.text = [facts = context.actions.facts()] { return status_text(facts); },
          .repeats = !words.empty() && words[0] == "loop"};
}

Answer run_logflush(Words words, const Context& context) {
  const auto on = on_or_off(words);
  return on ? outcome(context.actions.commands().set_log_flush(*on)) : invalid("logflush");
}

Answer run_querylid(Words words, const Context& context) {
  if (words.empty()) return invalid("querylid");
  const auto lid = config::parse_number(words[0]);
  if (!lid) return say(fmt::format("Invalid lid {}\n", config::in_quotes(words[0])));
  return {.text = [subnet = context.actions.facts().status.subnet, lid = *lid] {
    return lid_text(subnet.get(), lid);
  }};
}

Answer run_portstatus(Words words, const Context& context) {
  constexpr std::array<std::pair<std::string_view, NodeChoice>, 3> kChoices{
      {{"ca", NodeChoice::ca}, {"switch", NodeChoice::switch_}, {"router", NodeChoice::router}}};
  NodeChoice choice = NodeChoice::all;
  if (!words.empty()) {
    const auto found =
        std::ranges::find(kChoices, words[0], &std::pair<std::string_view, NodeChoice>::first);
    if (found == kChoices.end()) return invalid("portstatus");
    choice = found->second;
  }
  return {.text = [subnet = context.actions.facts().status.subnet, choice] {
    const Fabric nothing;
    const auto begin = std::chrono::steady_clock::now();
    const Fabric& fabric = subnet ? subnet->fabric : nothing;
    port_status_text(fabric, choice, 0);
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - begin);
    return port_status_text(fabric, choice, static_cast<std::uint64_t>(us.count()));
  }};
}

Answer run_switchbalance(Words words, const Context& context) {
  const bool verbose = !words.empty() && words[0] == "verbose";
  const auto [guid, is_wrong] = guid_in(verbose ? words.subspan(1) : words);
  if (is_wrong) return invalid("switchbalance");
  return {.text = [subnet = context.actions.facts().status.subnet, verbose, of = guid] {
    return subnet ? switch_balance_text(*subnet, verbose, of) : std::string();
  }};
}

Answer run_lidbalance(Words words, const Context& context) {
  const auto [guid, is_wrong] = guid_in(words);
  if (is_wrong) return invalid("lidbalance");
  return {.text = [subnet = context.actions.facts().status.subnet, of = guid] {
    return subnet ? lid_balance_text(*subnet, of) : std::string();
  }};
}

Answer run_dump_conf(Words, const Context& context) {
  const auto readers = context.local ? config::Readers::owner : config::Readers::others;
  return {.text = [configured = context.actions.facts().context, readers] {
    const auto text = config::dump_opensm_conf(configured->options, readers);
    if (text) return *text;
    std::string errors;
    for (const config::Diagnostic& each : text.error()) errors += each.text() + '\n';
    return errors;
  }};
}

Answer run_update_desc(Words, const Context& context) {
  return outcome(context.actions.commands().update_descriptions());
}

Answer run_version(Words, const Context&) {
  return say(fmt::format("Heddle {}\n", config::short_version()));
}

Answer run_perfmgr(Words words, const Context& context) {
  const ConsoleActions& actions = context.actions;
  const StatusFacts all = actions.facts();
  const PerformanceFacts& facts = all.performance;
  if (words.empty()) return say(performance_text(facts));
  const std::string_view what = words[0];
  const std::string name = words.size() > 1 ? words[1] : std::string();
  if (!facts.enabled) return say("perfmgr is not enabled\n");
  if (what == "sweep") return outcome(actions.commands().poll_counters());
  if (what == "dump_counters" && !context.local) return refuse_file("POST /v1/dump-counters");
  if (what == "dump_counters")
    return outcome(
        actions.commands().dump_counters(name == "mach" ? DumpShape::table : DumpShape::lines));
  const bool errors = what == "print_errors" || what == "pe";
  if (errors || what == "print_counters" || what == "pc") {
    if (!errors && name.empty()) return invalid("perfmgr");
    return {.text = [status = all.status, name, errors] {
      return counters_text(status, name, errors);
    }};
  }
  if (what == "sweep_time" && name.empty())
    return say(fmt::format("sweep time is {}s\n", facts.sweep_time.count()));
  constexpr std::array kByOption{"enable",         "disable",        "sweep_time",
                                 "set_rm_nodes",   "clear_rm_nodes", "set_query_cpi",
                                 "clear_query_cpi"};
  if (std::ranges::find(kByOption, what) != kByOption.end())
    return say("set perfmgr and the options perfmgr_* in the configuration, then send SIGHUP\n");
  if (what == "clear_counters")
    return say("counters are not cleared: other programs read them, too\n");
  if (what == "clear_inactive" || what == "dump_redir" || what == "clear_redir")
    return say(
        fmt::format("{} is not needed: nodes that are absent and redirections are followed "
                    "at each poll\n",
                    what));
  return invalid("perfmgr");
}

Answer run_dump_portguid(Words words, const Context& context) {
  std::string file;
  if (!words.empty() && words[0] == "file") {
    if (words.size() < 2) return invalid("dump_portguid");
    if (!context.local) return refuse_file("the command without \"file\", which shows the list,");
    file = words[1];
    words = words.subspan(2);
  }
  if (words.empty()) return invalid("dump_portguid");
  std::vector<std::string> expressions(words.begin(), words.end());
  return {.text = [subnet = context.actions.facts().status.subnet, file = std::move(file),
                   expressions = std::move(expressions)]() -> std::string {
    auto text = port_guids_text(subnet ? subnet->fabric : Fabric{}, expressions);
    if (!text) return text.error();
    if (file.empty()) return *text;
    const auto written = write_file_atomically(file, *text, false);
    return written ? std::string() : written.error() + "\n";
  }};
}

constexpr std::array kCommands{
    Command{"help", "[<command>]", run_help},
    Command{"quit", "(not valid in local mode; use ctl-c)", run_quit},
    Command{"loglevel", "[<log-level>]", run_loglevel},
    Command{"permodlog", "", run_permodlog},
    Command{"priority", "[<sm-priority>]", run_priority},
    Command{"resweep", "[heavy|light]", run_resweep},
    Command{"reroute", "", run_reroute},
    Command{"sweep", "[on|off]", run_sweep},
    Command{"status", "[loop]", run_status},
    Command{"logflush", "[on|off] -- whether each line of the log is written at once",
            run_logflush},
    Command{"querylid", "lid -- what is known of the port with this LID", run_querylid},
    Command{"portstatus", "[ca|switch|router]", run_portstatus},
    Command{"switchbalance", "[verbose] [guid]", run_switchbalance},
    Command{"lidbalance", "[switchguid]", run_lidbalance},
    Command{"dump_conf", "", run_dump_conf},
    Command{"update_desc", "", run_update_desc},
    Command{"version", "-- which version this is", run_version},
    Command{"perfmgr",
            "(pm) [enable|disable\n"
            "             |clear_counters|dump_counters|print_counters(pc)|print_errors(pe)\n"
            "             |set_rm_nodes|clear_rm_nodes|clear_inactive\n"
            "             |set_query_cpi|clear_query_cpi\n"
            "             |dump_redir|clear_redir\n"
            "             |sweep|sweep_time[seconds]]",
            run_perfmgr},
    Command{"dump_portguid",
            "[file filename] regexp1 [regexp2 [regexp3 ...]] -- port GUIDs of nodes whose "
            "description matches",
            run_dump_portguid},
};

const Command* find_command(std::string_view name) {
  if (name == "pm") name = "perfmgr";
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : &*found;
}

std::string syntax_of(const Command& command) {
  const std::string_view blank =
      command.syntax.empty() || command.syntax.starts_with("(pm)") ? "" : " ";
  return fmt::format("{}{}{}\n", command.name, blank, command.syntax);
}

Answer run_help(Words words, const Context&) {
  if (words.empty()) return say(help_text());
  const Command* const command = find_command(words[0]);
  if (command == nullptr)
    return say(fmt::format("{} : Command not found\n\n{}", words[0], help_text()));
  std::string text = syntax_of(*command);
  if (command->name == "status") text += "   loop -- again and again, until a line with q\n";
  return say(std::move(text));
}

Answer invalid(std::string_view command) {
  return say(fmt::format("Invalid {} command\n{}", command, syntax_of(*find_command(command))));
}

std::vector<std::string> list_words(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Control characters of a line must not move the cursor of its reader.
std::string plain(std::string_view word) { return config::without_control_characters(word); }

}  // namespace

std::string help_text() {
  std::string text = "Supported commands and syntax:\n";
  for (const Command& command : kCommands) text += syntax_of(command);
  return text;
}

Answer execute(std::string_view line, bool local, const ConsoleActions& actions) {
  std::vector<std::string> words = list_words(line);
  for (std::string& word : words) word = plain(word);
  if (words.empty()) return {};
  const Command* const command = find_command(words[0]);
  if (command == nullptr)
    return say(fmt::format("{} : Command not found\n\n{}", words[0], help_text()));
  return command->run(Words(words).subspan(1), {.actions = actions, .local = local});
}

}  // namespace sm::console
