#pragma once
// The console: runs command lines and returns their text. It has ibsim's commands with the same
// letters, and others; see `help`.

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

// The tables of commands, by file.
std::span<const Command> ibsim_commands();   // commands_ibsim.cpp
std::span<const Command> fault_commands();   // commands_faults.cpp
std::span<const Command> show_commands();    // commands_show.cpp
std::span<const Command> kernel_commands();  // commands_kernel.cpp

/// The command of a word: a name or a prefix of it, in letters of any case. Prefixes that ibsim
/// takes have the same meaning as there; others must be unambiguous. Throws CommandError with the
/// candidates.
const Command& find_command(std::string_view word);

class Console {
 public:
  explicit Console(Session& session) : session_(session) {}

  /// Queues a line (without its end).
  void submit(std::string line) { lines_.push_back({std::move(line), false}); }
  /// Queues a line; a prompt follows once it has run.
  void submit_typed(std::string line) { lines_.push_back({std::move(line), true}); }
  /// Runs the queued lines, up to a `wait` that has not ended.
  void run_due();
  bool idle() const { return lines_.empty(); }
  /// End of the current pause, if there is one and lines are queued behind it.
  std::optional<TimePoint> next() const;
  /// Runs one line now. Errors are printed.
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
