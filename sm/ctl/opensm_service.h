#pragma once
// How distributions start OpenSM: their settings files and units. Pure.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sm::ctl {

/// Returns the assignments of a service's settings file (/etc/default/opensm): NAME=VALUE lines,
/// with or without quotes, the last of a name; comments and all else are left out, and nothing is
/// expanded.
std::map<std::string, std::string> shell_settings(std::string_view text);

/// Settings of `file` with a value that Heddle's launcher does not read: a line each, with what to
/// do instead. `read`: the names that it reads there.
std::vector<std::string> unread_settings(std::string_view file,
                                         const std::map<std::string, std::string>& settings,
                                         const std::vector<std::string_view>& read);

/// The service that starts and stops this unit of OpenSM: "opensm.service" of
/// "opensm@0x1.service", "opensmd.service" of itself. Empty: a unit of something else, which may do
/// more than OpenSM.
std::string find_service(std::string_view unit);

/// The lines that the launcher prints: port GUID, and the flags for it.
std::vector<std::pair<std::string, std::vector<std::string>>> launcher_ports(std::string_view text);

/// A command for sh: each word in quotes if it needs them, behind the environment, in that
/// directory (empty: here).
std::string shell_command(const std::vector<std::string>& argv,
                          const std::vector<std::pair<std::string, std::string>>& environment,
                          const std::string& directory);

}  // namespace sm::ctl
