#include "sim/server/console.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "mad/number.h"

namespace sim::server {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::optional<double> parse_real(std::string_view text) {
  const auto number = mad::parse_number<double>(text);
  return number && std::isfinite(*number) ? std::optional(*number) : std::nullopt;
}

/// Parses "[3]" or ":3".
std::optional<unsigned> port_suffix(std::string_view tail) {
  if (tail.starts_with('[') && tail.ends_with(']')) {
    tail = tail.substr(1, tail.size() - 2);
  } else if (tail.starts_with(':')) {
    tail.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  const auto number = mad::parse_hex_or_decimal(tail, 255);
  if (!number) return std::nullopt;
  return static_cast<unsigned>(*number);
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](char c) { return std::tolower(static_cast<unsigned char>(c)); },
      [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<Word> split_words(std::string_view line) {
  std::vector<Word> words;
  std::size_t at = 0;
  while (at < line.size()) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    if (line[at] == '#') break;
    Word word;
    if (line[at] == '"') {
      const std::size_t close = line.find('"', at + 1);
      if (close == std::string_view::npos)
        throw CommandError("a quote is not closed: " + config::printable(line.substr(at)));
      word.quoted = true;
      word.text = line.substr(at + 1, close - at - 1);
      at = close + 1;
    }
    std::string& part = word.quoted ? word.tail : word.text;
    while (at < line.size() && !is_blank(line[at])) part += line[at++];
    words.push_back(std::move(word));
  }
  return words;
}

mad::Duration parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    double ns;
  };
  constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  if (text == "0") return {};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = parse_real(text.substr(0, text.size() - unit.name.size()));
    if (number && *number >= 0 && *number * unit.ns < 1e18)
      return mad::Duration(static_cast<mad::Duration::rep>(*number * unit.ns));
  }
  throw CommandError(fmt::format("{} is not a time; write it as 300ns, 5us, 2ms or 1.5s",
                                 config::in_quotes(text)));
}

double parse_probability(std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_real(percent ? text.substr(0, text.size() - 1) : text);
  if (number && *number >= 0 && *number <= (percent ? 100 : 1))
    return percent ? *number / 100 : *number;
  throw CommandError(
      fmt::format("{} is not a probability; write it as 0.05 or 5%", config::in_quotes(text)));
}

std::string show(mad::Duration duration) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  if (ns % 1'000'000'000 == 0) return fmt::format("{}s", ns / 1'000'000'000);
  if (ns % 1'000'000 == 0) return fmt::format("{}ms", ns / 1'000'000);
  if (ns % 1'000 == 0) return fmt::format("{}us", ns / 1'000);
  return fmt::format("{}ns", ns);
}

const Word& Arguments::word(std::string_view what) {
  if (empty()) throw CommandError(fmt::format("a {} is missing", what));
  return words_[next_++];
}

std::string Arguments::rest() {
  std::string out;
  while (!empty()) {
    if (!out.empty()) out += ' ';
    out += words_[next_++].whole();
  }
  return out;
}

std::uint64_t Arguments::number(std::string_view what, std::uint64_t min, std::uint64_t max) {
  const std::string given = text(what);
  const auto number = mad::parse_hex_or_decimal(given, max);
  if (!number || *number < min)
    throw CommandError(
        fmt::format("{} is not a {} from {} to {}", config::in_quotes(given), what, min, max));
  return *number;
}

std::size_t Arguments::choice(std::string_view what, const std::vector<std::string_view>& choices) {
  const std::string given = text(what);
  const auto found = std::ranges::find_if(
      choices, [&](std::string_view each) { return same_letters(each, given); });
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  std::string all;
  for (const std::string_view each : choices) all += (all.empty() ? "" : ", ") + std::string(each);
  throw CommandError(
      fmt::format("{} is not a {}; these are: {}", config::in_quotes(given), what, all));
}

Target Arguments::target() {
  const Word& given = word("node");
  if (const auto node = names_.node(given.text)) {
    if (given.tail.empty()) return {*node, std::nullopt};
    if (const auto number = port_suffix(given.tail)) return {*node, number};
    throw CommandError(fmt::format("{} does not name a port; write \"{}\"[3]",
                                   config::in_quotes(given.tail), given.text));
  }
  if (!given.quoted) {
    const std::size_t cut =
        given.text.ends_with(']') ? given.text.rfind('[') : given.text.rfind(':');
    if (cut != std::string::npos) {
      const auto node = names_.node(given.text.substr(0, cut));
      const auto number = port_suffix(given.text.substr(cut));
      if (node && number) return {*node, number};
    }
  }
  throw CommandError(fmt::format("no node is called {}", config::in_quotes(given.text)));
}

PortIndex Arguments::port_of(const Target& target, bool management) const {
  const unsigned number = target.number.value_or(0);
  const PortIndex port = model_.port(target.node, number);
  if (port != kNone && (number != 0 || management)) return port;
  const NodeModel& node = model_.nodes[target.node];
  if (!target.number)
    throw CommandError(
        fmt::format("a port of \"{0}\" is missing; write \"{0}\"[1]", names_.id(target.node)));
  throw CommandError(fmt::format("\"{}\" has no such port: {} (it has {} to {})",
                                 names_.id(target.node), number,
                                 management && node.is_switch() ? 0 : 1, node.port_count()));
}

NodeIndex Arguments::node() {
  const Target given = target();
  if (given.number)
    throw CommandError(fmt::format("a node is wanted here, not a port of it: write \"{}\"",
                                   names_.id(given.node)));
  return given.node;
}

std::vector<NodeIndex> Arguments::nodes() {
  const Word where = word("node, or the word all");
  if (where.quoted || where.whole() != "all") return {Arguments({where}, names_, model_).node()};
  std::vector<NodeIndex> all;
  for (const NodeIndex node : model_.nodes.indices()) all.push_back(node);
  return all;
}

PortIndex Arguments::port(bool management) { return port_of(target(), management); }

PortIndex Arguments::end_port() {
  Target given = target();
  if (!given.number) given.number = model_.nodes[given.node].is_switch() ? 0 : 1;
  return model_.management_port(port_of(given, true));
}

std::vector<PortIndex> Arguments::ports() {
  const Target given = target();
  if (given.number) return {port_of(given, false)};
  std::vector<PortIndex> all;
  for (unsigned number = 1; number <= model_.nodes[given.node].port_count(); ++number)
    all.push_back(model_.port(given.node, number));
  return all;
}

void Arguments::finish() const {
  if (!empty())
    throw CommandError(fmt::format("{} is too much", config::in_quotes(words_[next_].whole())));
}

const Command& find_command(std::string_view word) {
  const std::string wanted = lower(word == "?" ? "help" : word);
  std::vector<const Command*> found;
  for (const auto table : {ibsim_commands(), fault_commands(), show_commands(), adaptive_commands(),
                           router_commands(), kernel_commands(), ethernet_commands()}) {
    const bool of_ibsim = table.data() == ibsim_commands().data();
    for (const Command& command : table) {
      const std::string name = lower(command.name);
      if (name == wanted) return command;
      if (!name.starts_with(wanted)) continue;
      if (of_ibsim && found.empty()) found.push_back(&command);
      if (!of_ibsim) found.push_back(&command);
    }
  }
  if (found.empty())
    throw CommandError(
        fmt::format("no command is called {}; `help` lists all", config::in_quotes(word)));
  const bool first_is_ibsims = found.front() >= ibsim_commands().data() &&
                               found.front() < ibsim_commands().data() + ibsim_commands().size();
  if (found.size() == 1 || first_is_ibsims) return *found.front();
  std::string all;
  for (const Command* each : found) all += (all.empty() ? "" : ", ") + std::string(each->name);
  throw CommandError(fmt::format("{} could be any of: {}", config::in_quotes(word), all));
}

void Console::run(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return;
  if (line.front() == '!') return run_file(std::string(trimmed(line.substr(1))));
  std::string name;
  try {
    std::vector<Word> words = split_words(line);
    name = words.front().whole();
    const Command& command = find_command(name);
    name = command.name;
    words.erase(words.begin());
    Arguments arguments(std::move(words), session_.names, session_.world.model);
    if (command.name == "Wait") {
      const std::string time = arguments.text("time");
      const auto seconds = mad::parse_hex_or_decimal(time, 1'000'000'000);
      resume_ = session_.world.events().now() +
                (seconds ? std::chrono::seconds(*seconds) : parse_duration(time));
      arguments.finish();
      return;
    }
    try {
      command.run(session_, arguments);
    } catch (const CommandError& error) {
      throw CommandError(
          fmt::format("{}\nusage: {} {}", error.what(), command.name, command.usage));
    }
  } catch (const std::exception& error) {
    session_.say("{}: {}", name.empty() ? "error" : name, error.what());
  }
}

/// The lines of the file run before lines that are pending already.
void Console::run_file(const std::string& path) {
  const auto text = config::read_file(path);
  if (!text)
    return session_.say("!: cannot open {}: {}", config::in_quotes(path), text.error().message());
  std::istringstream in(*text);
  std::vector<Line> lines;
  for (std::string line; std::getline(in, line);) lines.push_back({std::move(line), false});
  lines_.insert(lines_.begin(), std::make_move_iterator(lines.begin()),
                std::make_move_iterator(lines.end()));
}

void Console::run_due() {
  while (session_.world.events().now() >= resume_) {
    if (prompt_due_ && (lines_.empty() || lines_.front().typed)) {
      prompt_due_ = false;
      prompt();
    }
    if (lines_.empty()) return;
    const Line line = std::move(lines_.front());
    lines_.pop_front();
    prompt_due_ |= line.typed;
    run(line.text);
  }
}

std::optional<TimePoint> Console::next() const {
  if (lines_.empty() && !prompt_due_) return std::nullopt;
  return resume_;
}

void Console::prompt() {
  session_.print(!session_.controls.started || session_.controls.started() ? "sim> "
                                                                           : "sim (inactive)> ");
}

}  // namespace sim::server
