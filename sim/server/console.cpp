#include "sim/server/console.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "mad/format.h"
#include "mad/number.h"

namespace sim::server {
namespace {

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
