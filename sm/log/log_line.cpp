#include "sm/log/log_line.h"

// The journal would add the place in the source, which names this file for all lines.
#define SD_JOURNAL_SUPPRESS_LOCATION

#include <systemd/sd-journal.h>

#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "mad/format.h"
#include "mad/number.h"

namespace sm {
namespace {

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const std::time_t since_1970 = std::chrono::system_clock::to_time_t(seconds);
  std::tm utc{};
  ::gmtime_r(&since_1970, &utc);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time - seconds).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, micros);
}

std::string_view level_text(const LogLine& line) {
  // The names are in the order of syslog's priorities, 0 to 7; trace has no priority of its own.
  constexpr std::array<std::string_view, 8> kNames{"emergency", "alert",  "critical", "error",
                                                   "warning",   "notice", "info",     "debug"};
  if (line.level == spdlog::level::trace) return "trace";
  return kNames[static_cast<std::size_t>(syslog_priority(line))];
}

}  // namespace

LineRelay::LineRelay(Send send) : send_(std::move(send)) {
  // Other threads wait for signals, so this thread blocks them.
  sigset_t all{}, before{};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LineRelay::~LineRelay() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LineRelay::add(LogLine line) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kLinesMax) {
      ++left_out_;
      return;
    }
    lines_.push_back(std::move(line));
  }
  changed_.notify_one();
}

void LineRelay::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const std::deque<LogLine> lines = std::exchange(lines_, {});
    const std::uint64_t left_out = std::exchange(left_out_, 0);
    lock.unlock();
    for (const LogLine& line : lines) send_(line);
    if (left_out > 0)
      send_({.time = lines.back().time,
             .level = spdlog::level::warn,
             .message = fmt::format("{} lines were left out: they came faster than they were taken",
                                    left_out)});
    lock.lock();
  }
}

bool is_journal_stream(int descriptor, const char* stream) {
  if (stream == nullptr) return false;
  const std::string_view text(stream);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto device = mad::parse_number(text.substr(0, colon)),
             inode = mad::parse_number(text.substr(colon + 1));
  struct stat status{};
  return device && inode && ::fstat(descriptor, &status) == 0 && status.st_dev == *device &&
         status.st_ino == *inode;
}

bool runs_under_journal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  return is_journal_stream(STDERR_FILENO, stream) || is_journal_stream(STDOUT_FILENO, stream);
}

void send_to_journal(const LogLine& line) {
  std::vector<std::string> fields = journal_fields(line);
  std::vector<::iovec> vectors;
  for (std::string& field : fields) vectors.push_back({field.data(), field.size()});
  static_cast<void>(::sd_journal_sendv(vectors.data(), static_cast<int>(vectors.size())));
}

void append_printable(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c >= 0x20 && c < 0x7F)
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
}

void LogLine::set(const LogFields& fields) {
  condition = fields.condition;
  event = fields.event;
  guid = fields.guid;
  port = fields.port;
  lid = fields.lid;
}

int syslog_priority(const LogLine& line) {
  switch (line.level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return LOG_DEBUG;
    case spdlog::level::info:
      return LOG_INFO;
    case spdlog::level::warn:
      return LOG_WARNING;
    case spdlog::level::err:
      return LOG_ERR;
    default:
      return line.condition.empty() ? LOG_NOTICE : LOG_CRIT;
  }
}

std::string make_json(const LogLine& line) {
  nlohmann::ordered_json json{
      {"time", utc_text(line.time)}, {"level", level_text(line)}, {"module", line.module}};
  if (!line.manager.empty()) json["manager"] = line.manager;
  if (!line.prefix.empty()) json["prefix"] = line.prefix;
  json["message"] = line.message;
  if (!line.condition.empty()) json["condition"] = line.condition;
  if (!line.event.empty()) json["event"] = line.event;
  if (line.guid != mad::Guid{}) json["guid"] = fmt::format("{}", line.guid);
  if (line.port) json["port"] = line.port->value;
  if (line.lid != mad::Lid{}) json["lid"] = line.lid.value;
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string make_human(const LogLine& line) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(line.time);
  const std::time_t since_1970 = std::chrono::system_clock::to_time_t(seconds);
  std::tm local{};
  ::localtime_r(&since_1970, &local);
  std::string level(level_text(line));
  for (char& c : level) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} {:<8} {}", local.tm_year + 1900,
                     local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                     std::chrono::floor<std::chrono::milliseconds>(line.time - seconds).count(),
                     level, syslog_text(line));
}

std::vector<std::string> journal_fields(const LogLine& line) {
  std::string message = "MESSAGE=";
  append_printable(message, line.message);
  std::vector<std::string> fields{std::move(message),
                                  fmt::format("PRIORITY={}", syslog_priority(line)),
                                  "SYSLOG_IDENTIFIER=heddle", "HEDDLE_MODULE=" + line.module};
  const auto add = [&fields](std::string_view name, const std::string& value) {
    if (!value.empty()) fields.push_back(fmt::format("HEDDLE_{}={}", name, value));
  };
  add("MANAGER", line.manager);
  add("CONDITION", line.condition);
  add("EVENT", line.event);
  if (line.guid != mad::Guid{}) add("GUID", fmt::format("{}", line.guid));
  if (line.port) add("PORT", std::to_string(line.port->value));
  if (line.lid != mad::Lid{}) add("LID", std::to_string(line.lid.value));
  return fields;
}

std::string syslog_text(const LogLine& line) {
  std::string text;
  for (const std::string& part : {line.prefix, line.manager}) {
    if (part.empty()) continue;
    append_printable(text, part);
    text += ": ";
  }
  append_printable(text, line.message);
  return text;
}

}  // namespace sm
