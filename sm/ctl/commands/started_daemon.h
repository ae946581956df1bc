#pragma once
// This file runs programs for heddlectl, starts daemons and reads the status of their control
// sockets.

#include <sys/types.h>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "mad/ids.h"
#include "sm/ctl/commands/managers.h"

namespace sm::commands {

/// The end of a program that heddlectl ran: systemctl, the launcher of the units.
struct Ran {
  int code = -1;         // of its exit; 128 and the signal's number after a signal, 127: not found
  std::string out, err;  // without the last line end
  bool ok() const { return code == 0; }
};

/// Found by PATH, in front of which is the directory of this program; with /dev/null as its input.
/// Returns when it has ended.
Ran run_program(const std::vector<std::string>& argv);

using StatusPredicate = std::function<bool(const Json& status)>;

class StartedDaemon {
 public:
  struct Command {
    std::vector<std::string> argv;
    std::string directory;                                         // empty: here
    std::vector<std::pair<std::string, std::string>> environment;  // on top of this process's
  };
  /// Starts a daemon that outlives this process: in its own session, with /dev/null as its standard
  /// streams and no signal blocked. Errors: in words.
  static tl::expected<StartedDaemon, std::string> start(const Command& command);

  pid_t pid() const { return pid_; }
  /// Waits as wait_for_status() does, while the daemon runs. Errors: also that the daemon has
  /// ended.
  ManagerApi::Answer wait_until(mad::Guid port, std::chrono::seconds limit,
                                const StatusPredicate& good);
  /// Sends SIGTERM, and after ten seconds SIGKILL. Returns when the daemon has ended.
  void stop();

 private:
  explicit StartedDaemon(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

/// Returns "heddle" beside this program, or in ../sbin, or else the name that PATH resolves.
std::filesystem::path daemon_program();
/// Reads the status of the manager on that port ten times a second, until `good` accepts it. Calls
/// `ended` after each read. Errors: the text of `ended` unless it is empty, or that the time is
/// over.
ManagerApi::Answer wait_for_status(
    mad::Guid port, std::chrono::seconds limit, const StatusPredicate& good,
    const std::function<std::string()>& ended = [] { return std::string(); });

/// Refers to a process that this program did not start, by a descriptor: the kernel may give the
/// number of an ended process to another one.
class ForeignProcess {
 public:
  explicit ForeignProcess(pid_t pid);
  ~ForeignProcess();
  ForeignProcess(ForeignProcess&& other) noexcept;
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;
  ForeignProcess& operator=(ForeignProcess&&) = delete;

  /// Sends the signal (0: none), and waits until the process has ended. Errors: in words.
  tl::expected<void, std::string> end(int signal, std::chrono::seconds limit) const;

 private:
  pid_t pid_;
  int descriptor_;
};

}  // namespace sm::commands
