#pragma once
// The console: lines in, effects and text out. ibsim's commands by its letters, and many more; see
// `help`.

#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "sim/server/arguments.h"
#include "sim/server/session.h"

namespace sim::server {

struct Command {
  std::string_view name;
  std::string_view usage;  // its arguments
  std::string_view help;
  void (*run)(Session& session, Arguments& arguments);
};

// The tables, by file.
std::span<const Command> ibsim_commands();  // commands_ibsim.cpp
std::span<const Command> fault_commands();  // commands_faults.cpp
std::span<const Command> show_commands();   // commands_show.cpp

/// The command that a word means: a name in full, or a beginning of it, in letters of any case.
/// Beginnings that ibsim takes mean what they mean there; others must be clear. Throws
/// CommandError, with what it could be.
const Command& find_command(std::string_view word);

class Console {
 public:
  explicit Console(Session& session) : session_(session) {}

  /// Takes a line (without its end) behind those that wait.
  void submit(std::string line) { lines_.push_back({std::move(line), false}); }
  /// The same; a prompt follows once it has run.
  void submit_typed(std::string line) { lines_.push_back({std::move(line), true}); }
  /// Runs what waits, up to a `wait` that is not over.
  void run_due();
  bool idle() const { return lines_.empty(); }
  /// When the pause ends, if there is one and something waits behind it.
  std::optional<TimePoint> next() const;
  /// Runs one line now. Errors become text.
  void run(std::string_view line);
  void prompt();

 private:
  struct Line {
    std::string text;
    bool typed = false;
  };
  void run_file(const std::string& path);
  Session& session_;
  std::deque<Line> lines_;
  bool prompt_due_ = false;
  TimePoint resume_{};
};

}  // namespace sim::server
