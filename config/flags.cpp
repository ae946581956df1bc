#include "config/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <getopt.h>

#include <algorithm>
#include <optional>

#include "config/check.h"
#include "config/nearest.h"
#include "config/schema.h"
#include "config/value.h"

namespace config {
namespace {

constexpr int kExitUsage = 2, kExitValue = 255, kExitFile = 1;
constexpr int kFirstLongValue =
    1000;  // getopt's value for the first entry of flags(); above all letters

/// Holds the words of the command line before interpretation.
struct Scan {
  std::vector<GivenFlag> given;        // up to the first --help, --version or fault
  std::optional<Diagnostic> fault;     // an unknown or malformed flag
  std::vector<std::string> not_flags;  // words without a dash
};

Diagnostic complaint(Severity severity, std::string what, std::string remedy = {}) {
  return {severity, "command line", 0, 0, std::move(what), std::move(remedy)};
}

// An alias in getopt's table would make abbreviations of both names ambiguous, so it is replaced
// before getopt runs. So is -?, which getopt does not distinguish from an error.
std::string without_alias(std::string word) {
  if (word == "-?") return "-h";
  const std::size_t dashes = word.starts_with("--") ? 2 : word.starts_with('-') ? 1 : 0;
  const std::string name = word.substr(dashes, word.find('=') - dashes);
  const auto found = std::ranges::find_if(
      flags(), [&](const Flag& f) { return !f.alias.empty() && f.alias == name; });
  if (dashes > 0 && found != flags().end()) word.replace(dashes, name.size(), found->name);
  return word;
}

const Flag* flag_of(int value) {
  if (value >= kFirstLongValue) return &flags()[static_cast<std::size_t>(value - kFirstLongValue)];
  const auto found =
      std::ranges::find_if(flags(), [&](const Flag& f) { return f.letter == value; });
  return value == 0 || found == flags().end() ? nullptr : &*found;
}

/// Returns the flag of a word such as --smkey=0x1: the value may be a secret.
std::string_view without_value(std::string_view word) { return word.substr(0, word.find('=')); }

Diagnostic not_understood(int result, const std::string& word) {
  if (const Flag* const known = flag_of(optopt)) {
    if (result == ':')
      return complaint(Severity::error, fmt::format("--{} needs an argument", known->name),
                       fmt::format("write --{} <{}>", known->name, known->argument));
    return complaint(Severity::error, fmt::format("--{} takes no argument", known->name),
                     fmt::format("write --{}", known->name));
  }
  if (optopt != 0)
    return complaint(Severity::error,
                     fmt::format("unknown option '-{}'", static_cast<char>(optopt)),
                     "--help lists all");
  const std::string_view name =
      std::string_view(word).substr(std::min(word.find_first_not_of('-'), word.size()));
  const std::string_view stem = name.substr(0, name.find('='));
  std::vector<std::string> candidates;
  for (const Flag& flag : flags()) {
    if (flag.name.starts_with(stem)) candidates.push_back(fmt::format("--{}", flag.name));
  }
  if (candidates.empty()) {
    std::vector<std::string> names;
    for (const Flag& flag : flags())
      if (!flag.hidden && !flag.name.empty()) names.push_back(fmt::format("--{}", flag.name));
    const std::vector<std::string_view> views(names.begin(), names.end());
    // Any letter is near any other one.
    const auto meant = stem.size() > 1 ? nearest(fmt::format("--{}", stem), views) : std::nullopt;
    return complaint(Severity::error,
                     fmt::format("unknown option {}", in_quotes(without_value(word))),
                     meant ? fmt::format("did you mean {}?", *meant) : "--help lists all");
  }
  return complaint(Severity::error,
                   fmt::format("flag {} is ambiguous", in_quotes(without_value(word))),
                   fmt::format("write one of {}", fmt::join(candidates, ", ")));
}

/// Holds the argument of -D.
struct LogFlagWords {
  std::optional<std::string> number;  // not checked yet
  unsigned mask = 0;                  // of names
  std::optional<std::string> wrong;   // the word that is neither
  std::string_view remedy;
};

LogFlagWords read_log_flag_words(std::string_view text) {
  constexpr std::pair<std::string_view, unsigned> kLevels[] = {
      {"ERROR", 0x01},  {"INFO", 0x02},    {"VERBOSE", 0x04}, {"DEBUG", 0x08}, {"FUNCS", 0x10},
      {"FRAMES", 0x20}, {"ROUTING", 0x40}, {"SYS", 0x80},     {"ALL", 0xff}};
  if (text.empty())
    return {.number = {},
            .wrong = "",
            .remedy = "write a number in 0..255, or names such as ERROR,INFO"};
  LogFlagWords result;
  for (const std::string_view word : split(text, ",")) {
    const auto level =
        std::ranges::find(kLevels, word, [](const auto& entry) { return entry.first; });
    if (level == std::ranges::end(kLevels)) {
      const bool is_number =
          !word.empty() && word.find_first_not_of("0123456789abcdefABCDEFxX+") == word.npos;
      if (is_number && word == trim(text))
        return {.number = std::string(word), .wrong = {}, .remedy = {}};
      return {.number = {},
              .wrong = std::string(word),
              .remedy =
                  "write a number in 0..255, or of ERROR, INFO, VERBOSE, DEBUG, FUNCS, "
                  "FRAMES, ROUTING, SYS, ALL some with commas between"};
    }
    result.mask |= level->second;
  }
  return result;
}

Scan scan(std::span<const char* const> args) {
  std::string letters = ":";  // distinguishes a missing argument from an unknown option
  std::vector<option> table;
  for (const Flag& flag : flags()) {
    const int has_argument = flag.argument.empty() ? no_argument : required_argument;
    const int value = kFirstLongValue + static_cast<int>(table.size());
    // Names are literals, so they end with a zero.
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
    table.push_back({flag.name.data(), has_argument, nullptr, value});
    if (flag.letter != 0)
      letters += std::string(1, flag.letter) + (flag.argument.empty() ? "" : ":");
  }
  table.push_back({});

  std::vector<std::string> words;
  words.reserve(args.size());
  for (const char* arg : args) words.push_back(without_alias(arg));
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(words.size());

  Scan result;
  optind = 0;  // start over (GNU)
  opterr = 0;
  int value = 0;
  while ((value = getopt_long_only(argc, argv.data(), letters.c_str(), table.data(), nullptr)) !=
         -1) {
    if (value == '?' || value == ':') {
      result.fault =
          not_understood(value, argv[static_cast<std::size_t>(optind > 1 ? optind - 1 : 1)]);
      return result;
    }
    const Flag* const flag = flag_of(value);
    result.given.push_back({flag, optarg == nullptr || flag->argument.empty() ? "" : optarg});
    if (flag->action == FlagAction::help || flag->action == FlagAction::version) return result;
  }
  result.not_flags.assign(argv.begin() + optind, argv.end() - 1);
  return result;
}

/// Applies flags in order to a command line whose options hold defaults and file.
class Applier {
 public:
  explicit Applier(CommandLine& line) : line_(line) {}

  void apply(const GivenFlag& given) {
    const Flag& flag = *given.flag;
    switch (flag.action) {
      case FlagAction::set:
        set(flag, flag.argument.empty() ? std::string(flag.fixed) : given.argument);
        break;
      case FlagAction::set_hex:
        set_hex(flag, given.argument);
        break;
      case FlagAction::more_verbose:
        set(flag, fmt::to_string((line_.options.log_flags << 1 | 1) & 0xff));
        break;
      case FlagAction::most_verbose:
        line_.options.force_log_flush = true;
        came_from_flag("force_log_flush");
        set(flag, "0xff");
        break;
      case FlagAction::log_flags:
        set_log_flags(flag, given.argument);
        break;
      case FlagAction::debug:
        set_debug(flag, given.argument);
        break;
      case FlagAction::once:
        line_.once = true;
        echo(flag, {});
        break;
      case FlagAction::create_config:
        line_.create_file = given.argument;
        echo(flag, given.argument);
        break;
      case FlagAction::config_file:  // done in the first pass
      case FlagAction::version:
      case FlagAction::help:
        break;
    }
  }

 private:
  void error(const Flag& flag, std::string_view what, std::string remedy) {
    line_.diagnostics.push_back(
        complaint(Severity::error, fmt::format("--{}: {}", flag.name, what), std::move(remedy)));
  }
  void echo(const Flag& flag, std::string_view value) {
    if (!flag.echo.empty()) line_.banner.push_back(fmt::format(fmt::runtime(flag.echo), value));
  }
  void came_from_flag(std::string_view key) {
    line_.options.origins.insert_or_assign(std::string(key), Origin{"command line"});
  }

  /// Suggests the flag with the same letter in the other case, which the user may have meant: `-p
  /// FILE`.
  static std::string other_case(const Flag& flag, std::string_view text) {
    if (flag.letter == 0 || text.empty() || parse_number(text)) return {};
    const char other = static_cast<char>(flag.letter ^ ('a' ^ 'A'));
    const auto meant = std::ranges::find(flags(), other, &Flag::letter);
    if (meant == flags().end()) return {};
    Options scratch;
    const Key* const key = find_key(meant->key);
    const bool takes_it =
        meant->argument == "file" ||
        (meant->action == FlagAction::log_flags && !read_log_flag_words(text).wrong) ||
        (meant->action == FlagAction::set && !meant->argument.empty() && key != nullptr &&
         !assign(*key, text, scratch));
    if (!takes_it) return {};
    return fmt::format("; -{} is --{}, -{} is --{} <{}>", flag.letter, flag.name, other,
                       meant->name, meant->argument);
  }

  bool set(const Flag& flag, const std::string& text) {
    const Key& key = *find_key(flag.key);
    if (const auto finding = assign(key, text, line_.options)) {
      error(flag, finding->what, finding->remedy + other_case(flag, text));
      return false;
    }
    if (!key.built && !asks_for_nothing(key)) {
      error(flag, fmt::format("what it configures ({}) is not built yet", key.name),
            "leave the flag out");
      return false;
    }
    if (!imply(flag)) return false;
    came_from_flag(key.name);
    const bool is_as_written = flag.action == FlagAction::set_hex && !key.is_secret;
    echo(flag, is_as_written ? text : shown_value(key, line_.options));
    return true;
  }

  // True for a number or word that is the default; a named file is always used.
  bool asks_for_nothing(const Key& key) {
    return !std::holds_alternative<std::string*>(key.ref(line_.options)) &&
           value_text(key, line_.options) == value_text(key, Options{});
  }

  // Applies the effects of a flag on other options.
  bool imply(const Flag& flag) {
    Options& options = line_.options;
    if (flag.key == "max_wire_smps" && options.max_wire_smps == 0)
      options.max_wire_smps = 0x7fffffff;
    if (flag.key == "no_partition_enforcement") options.part_enforce = PartEnforce::off;
    if (flag.key == "part_enforce") options.no_partition_enforcement = false;
    if (flag.key == "guid") line_.prompt_for_guid = options.guid.empty();
    if (flag.key != "routing_engine") return true;
    for (const std::string& engine : options.routing_engine) {
      if (engine == "no_fallback" ||
          std::ranges::find(built_engines(), engine) != built_engines().end())
        continue;
      error(flag, fmt::format("routing engine {} {}", in_quotes(engine), why_not_built(engine)),
            engine_remedy(engine));
      return false;
    }
    return true;
  }

  void set_hex(const Flag& flag, std::string_view text) {
    std::vector<std::string> numbers;
    for (const std::string_view word : split(text, ",")) {
      const auto number = parse_number(word, 16);
      if (!number)
        return error(
            flag,
            fmt::format("{} is not a hexadecimal number of 64 bits",
                        find_key(flag.key)->is_secret ? std::string(kMasked) : in_quotes(word)),
            "write it as in 0x0002c90300a1b2c3" + other_case(flag, text));
      numbers.push_back(fmt::format("0x{:x}", *number));
    }
    set(flag, fmt::format("{}", fmt::join(numbers, ",")));
  }

  void set_log_flags(const Flag& flag, std::string_view text) {
    const LogFlagWords words = read_log_flag_words(text);
    if (words.number) return void(set(flag, *words.number));
    if (words.wrong)
      return error(flag, fmt::format("{} is not a log level", in_quotes(*words.wrong)),
                   std::string(words.remedy) + other_case(flag, text));
    set(flag, fmt::format("0x{:02x}", words.mask));
  }

  void set_debug(const Flag& flag, const std::string& text) {
    constexpr std::string_view kDebugKeys[] = {"ignore_other_sm", "single_thread",
                                               "force_log_flush", "disable_multicast"};
    const auto level = parse_number(text);
    if (!level)
      return error(flag, fmt::format("{} is not a number", in_quotes(text)),
                   "write a number in 0..3" + other_case(flag, text));
    echo(flag, fmt::format("0x{:x}", *level));
    if (*level >= std::size(kDebugKeys)) {
      line_.diagnostics.push_back(complaint(
          Severity::warning, fmt::format("--debug: there is no debug option {}, ignored", *level),
          "write a number in 0..3"));
      return;
    }
    const std::string_view key = kDebugKeys[*level];
    assign(*find_key(key), "TRUE", line_.options);
    came_from_flag(key);
  }

  CommandLine& line_;
};

// Adds the banner above the flags: the file that was read, and the keys that it changed.
void describe_file(bool is_named, bool was_read, CommandLine& line) {
  if (is_named) line.banner.push_back(fmt::format("Config file is `{}`:", line.config_file));
  if (!was_read) return;
  line.banner.push_back(fmt::format(" Reading Cached Option File: {}", line.config_file));
  for (const Key& key : keys()) {
    if (line.from_file.is_set(key.name))
      line.banner.push_back(fmt::format(" Loading Cached Option:{} = {}", key.name,
                                        shown_value(key, line.from_file)));
  }
}

// Checks for contradictions that need more than the options.
void check_run(CommandLine& line) {
  if (line.prompt_for_guid && line.options.daemon) {
    line.diagnostics.push_back(complaint(Severity::error,
                                         "Invalid GUID specified; exiting because of daemon mode: "
                                         "-g 0 prompts for a port, and a daemon has no terminal",
                                         "name a port GUID with -g, or leave -g out"));
  }
  if (line.once && line.options.sm_inactive) {
    line.diagnostics.push_back(complaint(Severity::error,
                                         "an inactive SM never sweeps, so --once would never end",
                                         "leave --inactive or --once out"));
  }
}

/// Reads the file and applies the flags over it. Returns the number of findings about the file.
std::size_t evaluate(bool is_named, const FileReader& reader, CommandLine& line) {
  line.from_file = line.defaults;
  line.was_read = load_config(line.config_file, reader, line.from_file, line.diagnostics);
  if (has_errors(line.diagnostics)) line.exit_code = kExitFile;
  line.options = line.from_file;
  describe_file(is_named, line.was_read, line);

  const std::size_t of_file = line.diagnostics.size();
  line.banner.emplace_back("Command Line Arguments:");
  for (const GivenFlag& given : line.flags) Applier(line).apply(given);
  return of_file;
}

/// Checks the options as a whole, and decides what to do.
void decide(std::size_t findings_of_file, CommandLine& line) {
  for (Diagnostic& contradiction : check_options(line.options))
    line.diagnostics.push_back(std::move(contradiction));
  check_run(line);

  if (has_errors(std::span(line.diagnostics).subspan(findings_of_file)))
    line.exit_code = kExitValue;
  line.action = has_errors(line.diagnostics) ? CommandLine::Action::refuse
                : line.create_file.empty()   ? CommandLine::Action::run
                                             : CommandLine::Action::create_config;
}

}  // namespace

CommandLine parse_command_line(std::span<const char* const> args, const FileReader& reader,
                               const Options& defaults) {
  using enum CommandLine::Action;
  CommandLine line;
  line.defaults = line.options = line.from_file = defaults;

  Scan found = scan(args);
  if (found.fault) {
    line.diagnostics.push_back(*found.fault);
    line.action = refuse;
    line.exit_code = kExitUsage;
    return line;
  }
  if (!found.given.empty()) {
    const FlagAction last = found.given.back().flag->action;
    if (last == FlagAction::version) line.action = show_version;
    if (last == FlagAction::help) {
      line.action = show_help;
      line.exit_code = kExitUsage;
    }
    if (line.action != run) return line;
  }

  line.flags = std::move(found.given);
  bool is_named = false;
  for (const GivenFlag& given : line.flags) {
    if (given.flag->action != FlagAction::config_file) continue;
    line.config_file = given.argument;
    is_named = true;
  }
  const std::size_t of_file = evaluate(is_named, reader, line);
  for (const std::string& word : found.not_flags) {
    line.diagnostics.push_back(complaint(Severity::warning,
                                         fmt::format("{} is not a flag, ignored", in_quotes(word)),
                                         "flags begin with a dash"));
  }
  line.banner.push_back(fmt::format(" Log File: {}", line.options.log_file));
  decide(of_file, line);
  return line;
}

CommandLine evaluate_again(const CommandLine& start, const FileReader& reader) {
  CommandLine line;
  line.defaults = start.defaults;
  line.flags = start.flags;
  line.config_file = start.config_file;
  const std::size_t of_file = evaluate(true, reader, line);
  decide(of_file, line);
  return line;
}

tl::expected<std::uint8_t, std::string> read_log_flags(std::string_view text) {
  const LogFlagWords words = read_log_flag_words(text);
  if (words.wrong)
    return tl::unexpected(fmt::format("'{}' is not a log level; {}", *words.wrong, words.remedy));
  if (!words.number) return static_cast<std::uint8_t>(words.mask);
  Options options;
  if (const auto fault = assign(*find_key("log_flags"), *words.number, options))
    return tl::unexpected(fmt::format("{}; {}", fault->what, fault->remedy));
  return options.log_flags;
}

}  // namespace config
