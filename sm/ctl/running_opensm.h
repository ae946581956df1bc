#pragma once
// The subnet managers of this machine, OpenSM and Heddle, as /proc shows their processes, and how
// distributions start OpenSM: their settings files and units.

#include <sys/types.h>
#include <unistd.h>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/file_trust.h"

namespace sm::ctl {

struct RunningOpenSm {
  pid_t pid = 0;
  std::vector<std::string> arguments;  // with the path of the program in front
  std::string directory;               // where it runs; empty: not readable
  std::string unit;                    // of systemd; empty: none
  std::string temporary, cache;  // OSM_TMP_DIR and OSM_CACHE_DIR of its environment; may be empty
};

/// The part of /proc/PID that decides whether a process is taken for what its name says.
struct ProcessFacts {
  struct Users {
    uid_t real = 0, effective = 0;
  };
  std::optional<Users> users;                 // nothing: not readable
  std::optional<config::FileAccess> program;  // the file that runs; nothing: not readable
};

/// Returns why the process must not be taken for what its name says, as a part of a sentence: every
/// user can run a program of any name, with any arguments. "" for a process of root or of `caller`
/// whose program no other user can change. Pure.
std::string distrust(const ProcessFacts& process, uid_t caller);

struct RefusedProcess {
  pid_t pid = 0;
  std::string text;  // the process and the reason, in one line
};
struct RunningProcesses {
  // Both by PID.
  std::vector<RunningOpenSm> trusted;
  std::vector<RefusedProcess> refused;  // have the name, too
};

/// Returns the processes whose program is the file opensm, not one that only calls itself so. What
/// may not be read is left empty.
RunningProcesses running_opensms(const std::filesystem::path& proc = "/proc",
                                 uid_t caller = ::geteuid());

/// Finds Heddle likewise: processes whose program is the file heddle.
RunningProcesses running_heddles(const std::filesystem::path& proc = "/proc",
                                 uid_t caller = ::geteuid());

/// The flags of a command line for another start of the same: without the program's name, and
/// without those that detach it or let it end after a sweep.
std::vector<std::string> flags_to_keep(const std::vector<std::string>& arguments);

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
