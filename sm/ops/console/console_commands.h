#pragma once
// One line of OpenSM's console: what it does, and what it answers.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "sm/context/sweep_context.h"
#include "sm/ops/console/performance_text.h"
#include "sm/ops/operator_commands.h"
#include "sm/ops/status.h"

namespace sm::console {

using Outcome = OperatorCommands::Done;

/// Commands read and act by these functions. All must be there; they are called on the control
/// thread, and return soon.
struct ConsoleActions {
  std::function<ManagerStatus()> status;
  std::function<SharedContext()> context;
  std::function<bool()> answers;   // subnet administration
  std::function<bool()> sweeping;  // `sweep on`
  std::function<bool()> has_errors;
  std::function<unsigned()> log_flags;
  std::function<PerformanceFacts()> performance;
  std::function<OperatorCommands&()> commands;
};

/// A text that is made on another thread: it has all that it needs.
using Text = std::function<std::string()>;

struct Answer {
  Text text;                  // may be null: nothing is said
  bool ends_session = false;  // `quit`
  bool repeats = false;       // `status loop`: until a line "q"
};

/// Carries a line out, on the control thread. `local`: the session is the process's terminal.
Answer execute(std::string_view line, bool local, const ConsoleActions& actions);

/// "help".
std::string help_text();

}  // namespace sm::console
