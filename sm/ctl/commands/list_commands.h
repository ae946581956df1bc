#pragma once
// This file adds the commands that show what daemons know (nodes, links, lids, groups, sms,
// conditions), read a node (show), compare it with a saved topology (diff) or give orders (resweep,
// log-level).

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace sm::commands {

/// Adds a command with its help; `run` returns the exit code.
using AddCommand = std::function<CLI::App&(const char* name, const char* what, const char* more,
                                           const char* examples, std::function<int()> run)>;

/// Adds the option --guid, whose value is text: the daemon's socket is named after the GUID of its
/// port.
void add_manager_guid(CLI::App& command, std::string& guid);
/// Adds the options --json, with `what` as its help, and --guid.
void add_answer_options(CLI::App& command, bool& json, const char* what, std::string& guid);
/// Replaces the common exit codes in the help by those of this command.
void set_exit_codes(CLI::App& command, const std::string& sentence);
/// Reads "90s", "15m", "12h" or "7d"; returns nothing for anything else, and for 0.
std::optional<std::chrono::seconds> read_duration(std::string_view text);
/// Returns "", or what is wrong with the text.
std::string check_port_guid(const std::string& text);

void add_list_commands(const AddCommand& add);
void add_show_command(const AddCommand& add);
void add_migrate_command(const AddCommand& add);
void add_describe_command(const AddCommand& add);
void add_events_command(const AddCommand& add);
void add_check_command(const AddCommand& add);
void add_diff_command(const AddCommand& add);
void add_support_bundle_command(const AddCommand& add);
void add_order_commands(const AddCommand& add);
void add_reload_command(const AddCommand& add);
void add_http_user_command(const AddCommand& add);
void add_partition_command(const AddCommand& add);

}  // namespace sm::commands
