#pragma once
// The commands that show what daemons know: nodes, links, lids, groups, partitions, sms,
// conditions; and those that tell them what to do: resweep, log-level.

#include <functional>

namespace CLI {
class App;
}

namespace sm::commands {

/// Adds a command with its help; `run` returns the exit code.
using AddCommand = std::function<CLI::App&(const char* name, const char* what, const char* more,
                                           const char* examples, std::function<int()> run)>;

void add_list_commands(const AddCommand& add);
void add_order_commands(const AddCommand& add);

}  // namespace sm::commands
