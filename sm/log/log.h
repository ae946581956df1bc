#pragma once
// The log file uses spdlog as its interface and OpenSM's line format, so that scripts that read
// /var/log/opensm.log still work.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <spdlog/logger.h>
#include <tl/expected.hpp>

#include "config/options.h"

namespace sm {

/// These are the bits of log_flags. The first four and kSys are also levels of lines.
namespace log_flag {
inline constexpr std::uint8_t kError = 0x01, kInfo = 0x02, kVerbose = 0x04, kDebug = 0x08;
inline constexpr std::uint8_t kFunctions = 0x10, kFrames = 0x20,
                              kRouting =
                                  0x40;     // switch dumps and traces on; no line has these levels
inline constexpr std::uint8_t kSys = 0x80;  // always on
}  // namespace log_flag

/// Names a part of this program, which lines in log_format json state.
enum class LogModule : std::uint8_t {
  manager,         // mastership, traps, files, and all that is not below
  sweep,           // discovery, LIDs, partitions, routing, what is written
  administration,  // subnet administration
};
inline constexpr std::size_t kLogModules = 3;

/// OpenSM prints this when it cannot open its log: error() of Log::open() goes to stderr, this line
/// to stdout, then the process exits.
inline constexpr std::string_view kLogInitError = "Error from osm_opensm_init: IB_ERROR.";
inline constexpr int kLogExitCode = 42;

/// Returns the flag of a spdlog level: critical SYS, err ERROR, warn and info INFO, debug VERBOSE,
/// trace DEBUG.
std::uint8_t log_flag_of(spdlog::level::level_enum level);

/// Holds a logger and its file. Copies share both; all members may be called from any thread.
/// - Line: `Mon DD HH:MM:SS uuuuuu [TTTTTTTT] 0xLL -> text`, local time, kernel thread id in
///   hexadecimal, log_prefix and ": " in front of the text. Characters other than printable ASCII
///   become `\xNN`, so that a NodeDescription cannot forge a line or send terminal escapes. In an
///   output that several logs share (a standard stream, syslog), the name of the log precedes the
///   text.
/// - SYS: (critical) always written; the text also goes to stdout, followed by an empty line, and
///   to syslog, as OpenSM.
/// - Flush: after ERROR and SYS, after every line with force_log_flush, and on logger().flush(), as
///   at the end of a sweep (SUBNET UP is INFO) and once a second in the daemon.
/// - log_format human: make_human(), of a sweep one line (LogLineKind).
/// - log_format json: each line is an object (make_json()), milestones on stdout stay as they are,
///   unless the log is stdout.
/// - Where the service manager collects what the process writes, lines go to its journal with their
///   fields as well; milestones then neither to stdout nor to syslog, and a log that is a standard
///   stream there nowhere else. With log_syslog all lines go to syslog. Both from another thread.
/// - Length: a text above kTextBytesMax is cut, and says so.
/// - Size: before a line would exceed log_max_size the file is truncated to zero.
class Log {
 public:
  static constexpr std::size_t kTextBytesMax = 8192;

  /// Opens log_file, which is a path, or `stdout`, `-` or `stderr`. An existing file is appended to
  /// with accum_log_file, else truncated. `name` distinguishes several logs of a process; it may be
  /// empty. Errors: "Cannot open file '<f>': <reason>".
  static tl::expected<Log, std::string> open(const config::Options& options,
                                             std::string_view name = {});
  /// Returns a log to the same file under another name.
  Log named(std::string_view name) const;

  spdlog::logger& logger() const { return *logger_; }
  const std::shared_ptr<spdlog::logger>& shared_logger() const { return logger_; }

  /// Returns the logger for one part of the program, which log_format json names. The logger lives
  /// as long as a copy of this Log.
  spdlog::logger& logger(LogModule module) const {
    return *modules_[static_cast<std::size_t>(module)];
  }
  const std::shared_ptr<spdlog::logger>& shared_logger(LogModule module) const {
    return modules_[static_cast<std::size_t>(module)];
  }

  /// Opens log_file again after logrotate has renamed the file (SIGUSR1), by the same rules as
  /// open(). Errors: as open(); lines then still go to the old file.
  tl::expected<void, std::string> reopen();

  /// Writes the first two lines of OpenSM's log: `text` with the requested flags as its level, then
  /// as SYS.
  void banner(std::string_view text);

  std::uint8_t flags() const;  // kSys included
  void set_flags(std::uint8_t flags);
  bool enabled(std::uint8_t flag) const { return (flags() & flag) != 0; }
  void set_force_flush(bool on);
  void set_prefix(std::string_view prefix);
  void set_accumulate(bool on);                     // accum_log_file, for the next reopen()
  void set_max_megabytes(std::uint32_t megabytes);  // 0: unlimited
  void set_format(std::string_view format);         // log_format: text, json or human
  void set_syslog(bool on);                         // log_syslog

  /// Returns why lines are lost, or go elsewhere than to log_file; "" if they do not. One sentence,
  /// which does not change while the problem lasts. The first line that is lost is also reported on
  /// stderr and in syslog, once until a line is written again.
  std::string problem() const;

  /// Returns the descriptor of the open file: a daemon redirects its standard streams to it. It
  /// changes with reopen().
  int descriptor() const;

 private:
  class Sink;
  class ModuleSink;
  explicit Log(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  void set_thresholds();

  std::shared_ptr<Sink> sink_;
  std::shared_ptr<spdlog::logger> logger_;
  std::array<std::shared_ptr<spdlog::logger>, kLogModules> modules_;
};

/// Opens a log as Log::open() does, for callers that need only a logger.
tl::expected<std::shared_ptr<spdlog::logger>, std::string> make_logger(
    const config::Options& options);

}  // namespace sm
