#pragma once
// One line of OpenSM's console: what it does, and what it answers.

#include <functional>
#include <string>
#include <string_view>

#include "sm/ops/console/console_text.h"
#include "sm/ops/operator_commands.h"

namespace sm::console {

using Outcome = OperatorCommands::Done;

/// Commands read and act by these functions. Both must be there; they are called on the control
/// thread, and return soon.
struct ConsoleActions {
  std::function<StatusFacts()> facts;
  std::function<OperatorCommands&()> commands;
};

/// A text that is made on another thread: it has all that it needs.
using Text = std::function<std::string()>;

struct Answer {
  Text text;                  // may be null: nothing is said
  bool ends_session = false;  // `quit`
  bool repeats = false;       // `status loop`: until a line "q"
};

/// Carries a line out, on the control thread. `local`: the session is the process's terminal. Any
/// user of the machine can open the others: they are shown no secret, and write no file.
Answer execute(std::string_view line, bool local, const ConsoleActions& actions);

/// "help".
std::string help_text();

}  // namespace sm::console
