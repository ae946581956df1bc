#pragma once
// This file adds the commands that show what daemons know (nodes, links, lids, groups, sms,
// conditions), read a node (show), compare it with a saved topology (diff) or give orders (resweep,
// log-level).

#include <functional>

namespace CLI {
class App;
}

namespace sm::commands {

/// Adds a command with its help; `run` returns the exit code.
using AddCommand = std::function<CLI::App&(const char* name, const char* what, const char* more,
                                           const char* examples, std::function<int()> run)>;

void add_list_commands(const AddCommand& add);
void add_show_command(const AddCommand& add);
void add_migrate_command(const AddCommand& add);
void add_describe_command(const AddCommand& add);
void add_events_command(const AddCommand& add);
void add_check_command(const AddCommand& add);
void add_diff_command(const AddCommand& add);
void add_diff_config_command(const AddCommand& add);
void add_support_bundle_command(const AddCommand& add);
void add_order_commands(const AddCommand& add);
void add_reload_command(const AddCommand& add);
void add_http_user_command(const AddCommand& add);
void add_partition_command(const AddCommand& add);

}  // namespace sm::commands
