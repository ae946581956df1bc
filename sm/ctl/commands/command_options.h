#pragma once
// Options that several commands have, and checks of the values of options.
namespace CLI {
class App;
}

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sm/ops/list_filters.h"

namespace sm::commands {

/// A daemon that sends nothing for this time does not respond. The control thread of a daemon is
/// busy for seconds when it routes the largest fabrics.
inline constexpr std::chrono::seconds kSilenceMax{30};

/// Chooses the managers on this machine that a command is for, and how long it waits for them.
struct ManagerChoice {
  std::string guid;  // of the port of one manager; empty: all
  std::chrono::seconds silence_max = kSilenceMax;
};

/// Adds the option --timeout.
void add_timeout(CLI::App& command, ManagerChoice& managers);
/// Adds the options --guid, whose value is text (the daemon's socket is named after the GUID of its
/// port), and --timeout.
void add_manager_choice(CLI::App& command, ManagerChoice& managers);
/// Adds the options --json, with `what` as its help, --guid and --timeout.
void add_answer_options(CLI::App& command, bool& json, const char* what, ManagerChoice& managers);
/// Replaces the common exit codes in the help by those of this command.
void set_exit_codes(CLI::App& command, const std::string& sentence);
/// Reads "90s", "15m", "12h" or "7d"; returns nothing for anything else, and for 0.
std::optional<std::chrono::seconds> read_duration(std::string_view text);
/// The time that the text names: itself if it is of RFC 3339 (2026-11-24T12:00:00Z), or that of a
/// duration before or after now.
enum class Direction : std::uint8_t { ago, ahead };
std::string time_text(const std::string& text, Direction direction);
// Each returns "", or what is wrong with the text and what would be right.
std::string check_port_guid(const std::string& text);
std::string check_duration(const std::string& text);
/// Accepts a duration or a time of RFC 3339 in UTC, to the second.
std::string check_time(const std::string& text);

/// The options of one command, and what its command line has for them.
class FilterOptions {
 public:
  /// Adds an option for each filter that heddlectl has. This must outlive `command`.
  void add(CLI::App& command, std::span<const ListFilter> filters);
  /// Returns the target with those of `filters` that were given: "/v1/nodes?type=Switch".
  std::string target(std::string path, std::span<const ListFilter> filters) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;  // by the name of the filter
};

}  // namespace sm::commands
