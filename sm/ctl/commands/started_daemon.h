#pragma once
// A daemon that heddlectl starts, and what its control socket says.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "mad/ids.h"
#include "sm/ctl/commands/managers.h"

namespace sm::commands {

using GoodStatus = std::function<bool(const Json& status)>;

class StartedDaemon {
 public:
  struct Command {
    std::vector<std::string> argv;
    std::string directory;                                         // empty: here
    std::vector<std::pair<std::string, std::string>> environment;  // on top of this process's
  };
  /// In a session of its own, with /dev/null as its standard streams, and no signal blocked: it
  /// outlives this process.
  /// Errors: in words.
  static tl::expected<StartedDaemon, std::string> start(const Command& command);

  pid_t pid() const { return pid_; }
  /// wait_for_status() while the daemon runs. Errors: also that it has ended.
  ManagerApi::Answer wait_until(mad::Guid port, std::chrono::seconds limit, const GoodStatus& good);
  /// SIGTERM, and after ten seconds SIGKILL. Returns when it has ended.
  void stop();

 private:
  explicit StartedDaemon(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

/// "heddle" beside this program, in ../sbin, or else to be found by PATH.
std::filesystem::path daemon_program();
/// Reads the status of the manager on that port ten times a second, until `good` of it.
/// Errors: what `ended` says, which is asked as often (empty: nothing), or that the time is over.
ManagerApi::Answer wait_for_status(
    mad::Guid port, std::chrono::seconds limit, const GoodStatus& good,
    const std::function<std::string()>& ended = [] { return std::string(); });

/// A process that another one has started: itself, not its number, which may be another one's
/// when it has ended.
class OtherProcess {
 public:
  explicit OtherProcess(pid_t pid);
  ~OtherProcess();
  OtherProcess(OtherProcess&& other) noexcept;
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  OtherProcess& operator=(OtherProcess&&) = delete;

  /// Sends the signal (0: none), and waits until it has ended. Errors: in words.
  tl::expected<void, std::string> end(int signal, std::chrono::seconds limit) const;

 private:
  pid_t pid_;
  int descriptor_;
};

}  // namespace sm::commands
