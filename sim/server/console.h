#pragma once
// The console: runs command lines and returns their text. It has ibsim's commands with the same
// letters, and others; see `help`.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/format.h"
#include "sim/server/names.h"
#include "sim/server/pace.h"
#include "sim/server/socket_server.h"
#include "sim/world/subnet_routers.h"
#include "sim/world/world.h"

namespace sim::server {

/// An error in a console command, with its message.
class CommandError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A word of a line. `"some node"[3]` has the text `some node` and the tail `[3]`; a word without
/// quotes is all text.
struct Word {
  std::string text, tail;
  bool quoted = false;
  std::string whole() const { return text + tail; }
};

/// Throws CommandError if a quote is not closed. A '#' at the start of a word begins a comment.
std::vector<Word> split_words(std::string_view line);

/// Parses "300ns", "5us", "2ms", "1.5s"; throws CommandError. "0" needs no unit.
mad::Duration parse_duration(std::string_view text);
/// Parses "0.05" or "5%"; throws CommandError.
double parse_probability(std::string_view text);
std::string show(mad::Duration duration);

/// A node, or a port of it.
struct Target {
  NodeIndex node = kNone;
  std::optional<unsigned> number;
};

/// Takes the words of a line from left to right, and reports words that are missing, invalid or
/// superfluous.
class Arguments {
 public:
  Arguments(std::vector<Word> words, const Names& names, const Model& model)
      : words_(std::move(words)), names_(names), model_(model) {}

  bool empty() const { return next_ == words_.size(); }
  const Word& word(std::string_view what);
  std::string text(std::string_view what) { return word(what).whole(); }
  /// Takes all remaining words, with single blanks.
  std::string rest();
  std::uint64_t number(std::string_view what, std::uint64_t min, std::uint64_t max);
  mad::Duration duration() { return parse_duration(text("time")); }
  double probability() { return parse_probability(text("probability")); }
  /// Takes one of `choices`; returns its index.
  std::size_t choice(std::string_view what, const std::vector<std::string_view>& choices);

  /// Takes NAME, NAME:PORT or NAME[PORT], the name with or without quotes; or a GUID with 0x.
  Target target();
  NodeIndex node();
  /// Takes one node, or all of them with the word all.
  std::vector<NodeIndex> nodes();
  /// Takes a port that exists: any port of a switch (0 included, if `management`), 1... of others.
  PortIndex port(bool management = false);
  /// Takes the end port of a program: a node stands for its port 1 (switch: 0).
  PortIndex end_port();
  /// Takes a target and returns its ports: one, or all but a switch's port 0.
  std::vector<PortIndex> ports();

  void finish() const;

 private:
  PortIndex port_of(const Target& target, bool management) const;
  std::vector<Word> words_;
  std::size_t next_ = 0;
  const Names& names_;
  const Model& model_;
};

class KernelDevice;

/// Holds functions of the simulator that commands call; a command whose function is not set reports
/// "not available".
struct Controls {
  std::function<std::vector<ClientInfo>()> clients;
  std::function<bool(unsigned number)> disconnect;
  std::function<void()> start, quit;
  std::function<bool()> started;
  /// Schedules the scenario of a file. The error is a text with file:line:column.
  std::function<tl::expected<void, std::string>(const std::string& path)> run_scenario;
  /// Traces every event to this file; an empty path ends the trace.
  std::function<tl::expected<void, std::string>(const std::string& path)> trace_to;
};

struct Session {
  World& world;
  const Names& names;
  const Topology& plan;  // as in the topology file
  Pace& pace;
  Controls controls;
  KernelDevice* kernel = nullptr;    // with --kernel; not owned
  GsiNetwork* gsi = nullptr;         // with --omni-path; not owned
  SubnetRouters* routers = nullptr;  // where the fabric has some; not owned
  std::function<void(std::string_view)> print;

  unsigned verbosity = 0;
  struct Cable {
    PortIndex a = kNone, b = kNone;
    LinkWidth width = LinkWidth::x4;
    LinkSpeed speed = LinkSpeed::qdr;
  };
  std::vector<Cable> unplugged{};  // by commands; ReLink plugs them in again
  std::uint32_t flaps = 0;

  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    print(fmt::format(text, std::forward<Args>(args)...) + '\n');
  }
  /// Pulls the cable out, and records it for ReLink.
  void unplug(PortIndex end);
};

struct Command {
  std::string_view name;
  std::string_view usage;  // its arguments
  std::string_view help;
  void (*run)(Session& session, Arguments& arguments);
};

// The tables of commands, by file.
std::span<const Command> ibsim_commands();     // commands_ibsim.cpp
std::span<const Command> fault_commands();     // commands_faults.cpp
std::span<const Command> show_commands();      // commands_show.cpp
std::span<const Command> kernel_commands();    // commands_kernel.cpp
std::span<const Command> adaptive_commands();  // commands_adaptive.cpp
std::span<const Command> router_commands();    // commands_routers.cpp
std::span<const Command> ethernet_commands();  // commands_ethernet.cpp

/// Finds a command by its name or a prefix of it, ignoring case. Prefixes that ibsim takes keep
/// their meaning; others must be unambiguous. Throws CommandError with the candidates.
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
  /// Returns the end of the current pause, if there is one and lines are queued behind it.
  std::optional<TimePoint> next() const;
  /// Runs one line now, and prints errors.
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
