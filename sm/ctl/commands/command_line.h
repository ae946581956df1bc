#pragma once
// heddlectl's command line.

#include <memory>

namespace CLI {
class App;
}

namespace sm::commands {

class CommandLine {
 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// For the manual: commands, options and their texts.
  CLI::App& app();
  /// Runs the command that the arguments name. Returns the exit code of the process.
  int run(int argc, const char* const* argv);

 private:
  class Commands;
  std::unique_ptr<Commands> commands_;
};

}  // namespace sm::commands
