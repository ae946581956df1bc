#pragma once
// Completion of command lines in bash, zsh and fish, from the same tables as the manual. Names of
// nodes are those that `heddlectl nodes --names` prints while the shell waits: without a daemon
// there are none, and one that does not answer is given up after two seconds.

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace manual {

struct Completed {
  struct Option {
    std::string letter, name;  // without dashes; either may be empty
    std::string argument;      // its name in the help; empty: none
    std::string help;          // one line
  };
  /// An argument that is no option, at its place.
  struct Positional {
    enum class Kind : std::uint8_t { other, file, node, choice };
    std::string name;
    Kind kind = Kind::other;
    std::vector<std::string> choices = {};  // Kind::choice
  };
  struct Command {
    std::string name, help;
    std::vector<Option> options;
    std::vector<Positional> positionals;
    std::vector<Command> actions = {};  // what follows it, as `add` of http-user
  };
  std::string program;
  std::vector<Option> options;    // without a command
  std::vector<Command> commands;  // may be empty
};

/// The daemon's flags.
Completed completed_daemon();
/// The commands and options of a program by CLI11.
Completed completed(const CLI::App& app);

std::string bash(const Completed& completed);
std::string zsh(const Completed& completed);
std::string fish(const Completed& completed);

}  // namespace manual
