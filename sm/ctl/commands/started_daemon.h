#pragma once
// A daemon that heddlectl starts, and what its control socket says.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "mad/ids.h"

namespace sm::commands {

class StartedDaemon {
 public:
  struct Command {
    std::vector<std::string> argv;
    std::string directory;                                         // empty: here
    std::vector<std::pair<std::string, std::string>> environment;  // on top of this process's
  };
  /// In a session of its own, with /dev/null as its standard streams: it outlives this process.
  /// Errors: in words.
  static tl::expected<StartedDaemon, std::string> start(const Command& command);

  pid_t pid() const { return pid_; }
  /// Asks the control socket of that port for /status, ten times a second, until `good` of it.
  /// Errors: the daemon has ended, or the time is over; in words.
  tl::expected<nlohmann::json, std::string> wait_until(
      mad::Guid port, std::chrono::seconds limit,
      const std::function<bool(const nlohmann::json& status)>& good);
  void stop();

 private:
  explicit StartedDaemon(pid_t pid) : pid_(pid) {}
  pid_t pid_;
};

/// "heddle" beside this program, in ../sbin, or else to be found by PATH.
std::filesystem::path daemon_program();
/// Of the daemon on that port.
std::filesystem::path socket_of(mad::Guid port);
/// SIGTERM, and waits until it has ended. Errors: in words.
tl::expected<void, std::string> end_process(pid_t pid, std::chrono::seconds limit);

}  // namespace sm::commands
