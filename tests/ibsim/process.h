#pragma once
// Child processes of the tests: started in a scratch directory, bounded in time, ended with the
// test.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace harness {

using Milliseconds = std::chrono::milliseconds;

struct Command {
  std::vector<std::string> argv;                         // argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> env;  // added to the environment of the test
  std::filesystem::path cwd;
  std::filesystem::path out, err;  // where stdout and stderr go
  int in_fd = -1;                  // -1: /dev/null
  int out_fd = -1;                 // instead of `out`
};

struct Exit {
  int code = -1;  // -1 when a signal ended it
  int signal = 0;
  double wall_s = 0, user_s = 0, sys_s = 0;
  long rss_peak_kib = 0;
};

/// A running child. Killed with the test (even when the test crashes) and with this object.
class Process {
 public:
  /// Throws std::system_error if the child cannot be started; a program that does not exist exits
  /// with code 127.
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool running() { return !wait(Milliseconds(0)).has_value(); }
  void signal(int number) const;
  /// SIGSTOP, and waits until every thread has stopped: threads on other processors go on for a
  /// moment.
  void stop() const;
  /// nullopt if it still runs after the timeout.
  std::optional<Exit> wait(Milliseconds timeout);
  Exit kill();

 private:
  pid_t pid_ = -1;
  int pidfd_ = -1;
  std::chrono::steady_clock::time_point start_;
  std::optional<Exit> exit_;
};

/// A program that computes without end on each core, as other work of the machine. Ended with this
/// object.
class BusyCores {
 public:
  BusyCores();

 private:
  std::list<Process> programs_;
};

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

/// Waits until `needle` is in the file at or after `from`; returns the offset after it, or nullopt
/// after `timeout` or as soon as `stop()` returns true (the file is complete).
template <class Stop>
std::optional<std::size_t> wait_for_text(const std::filesystem::path& path,
                                         const std::string& needle, std::size_t from,
                                         Milliseconds timeout, Stop stop);

/// A directory of its own under the system's temporary directory; removed with the object unless
/// keep() was called.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  void keep() { keep_ = true; }

 private:
  std::filesystem::path path_;
  bool keep_ = false;
};

// The interval of polls, short compared with any test.
void short_pause();

template <class Stop>
std::optional<std::size_t> wait_for_text(const std::filesystem::path& path,
                                         const std::string& needle, std::size_t from,
                                         Milliseconds timeout, Stop stop) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const bool last_look =
        stop() || std::chrono::steady_clock::now() >=
                      deadline;  // checked before reading, so that the last text is read
    const std::string text = read_file(path);
    const std::size_t at = text.find(needle, from);
    if (at != std::string::npos) return at + needle.size();
    if (last_look) return std::nullopt;
    short_pause();
  }
}

}  // namespace harness
