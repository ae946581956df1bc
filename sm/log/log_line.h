#pragma once
// A LogLine is one line of the log as a value; this file gives its forms for readers other than
// people.

#include <spdlog/common.h>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mad/ids.h"
#include "sm/log/log_fields.h"

namespace sm {

struct LogLine {
  std::chrono::system_clock::time_point time{};
  spdlog::level::level_enum level = spdlog::level::info;
  std::string module = "daemon";  // daemon, manager, sweep, administration, ...
  std::string manager = {};       // in a process with several: the port GUID
  std::string prefix = {};        // log_prefix
  std::string message = {};
  std::string condition = {}, event = {};  // as of LogFields
  mad::Guid guid = {};
  std::optional<mad::PortNum> port = {};
  mad::Lid lid = {};

  void set(const LogFields& fields);
};

/// Returns one JSON object without a line feed: time (RFC 3339, UTC, microseconds), level
/// (critical, error, warning, notice, info, debug, trace), module, message, and if they are known
/// manager, prefix, condition, event, guid, port and lid. The text is ASCII without escape
/// sequences of a terminal; bytes that are not UTF-8 become U+FFFD.
std::string make_json(const LogLine& line);

/// Returns a line for people: local time with milliseconds, the level as a word of eight columns
/// (CRITICAL, ERROR, WARNING, NOTICE, INFO, DEBUG, TRACE), then manager, prefix and message in
/// printable ASCII.
std::string make_human(const LogLine& line);

/// Returns the fields of a record of the journal, each "NAME=value" (systemd.journal-fields(7)):
/// MESSAGE, PRIORITY, SYSLOG_IDENTIFIER, HEDDLE_MODULE, and if they are known HEDDLE_MANAGER,
/// HEDDLE_CONDITION, HEDDLE_EVENT, HEDDLE_GUID, HEDDLE_PORT, HEDDLE_LID.
std::vector<std::string> journal_fields(const LogLine& line);

/// Returns the text for syslog: log_prefix, manager and message, in printable ASCII.
std::string syslog_text(const LogLine& line);

/// Returns the priority of syslog(3). Milestones, which OpenSM writes at its highest level
/// (critical), are notices unless they are about a condition.
int syslog_priority(const LogLine& line);

/// Appends text without newlines and terminal escapes: each byte that is not printable ASCII
/// becomes `\xNN`.
void append_printable(std::string& out, std::string_view text);

/// Hands lines to a service of the system on a thread of its own: the journal and syslog make their
/// clients wait when they are behind, and the control thread does not wait for them. Lines wait up
/// to kLinesMax; what has no room is left out, and the next line says how many.
class LineRelay {
 public:
  static constexpr std::size_t kLinesMax = 4096;
  using Send = std::function<void(const LogLine& line)>;  // on the relay's thread

  explicit LineRelay(Send send);
  /// Sends what waits.
  ~LineRelay();
  LineRelay(const LineRelay&) = delete;
  LineRelay& operator=(const LineRelay&) = delete;

  /// Never waits for send().
  void add(LogLine line);

 private:
  void run();

  Send send_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<LogLine> lines_;
  std::uint64_t left_out_ = 0;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

/// Returns whether one of the standard streams of this process is connected to the journal: it was
/// started by a service manager that collects its output. `stream`: $JOURNAL_STREAM
/// (systemd.exec(5)), may be null.
bool is_journal_stream(int descriptor, const char* stream);
bool runs_under_journal();

/// Waits while the journal is behind. Without a journal it does nothing.
void send_to_journal(const LogLine& line);

}  // namespace sm
