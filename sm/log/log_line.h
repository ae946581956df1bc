#pragma once
// A LogLine is one line of the log as a value; this file gives its forms for readers other than
// people.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <spdlog/common.h>

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

}  // namespace sm
