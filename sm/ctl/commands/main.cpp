// heddlectl, the operator's tool: queries a running Heddle, checks configuration without one, and
// shows routing before it is written.

#include <exception>

#include "sm/ctl/commands/command_line.h"
#include "sm/ctl/commands/commands.h"

int main(int argc, char** argv) {
  try {
    return sm::commands::CommandLine().run(argc, argv);
  } catch (const std::exception& error) {
    sm::commands::complain(error.what());
    return sm::commands::kFailed;
  }
}
