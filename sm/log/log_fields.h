#pragma once
// This file adds fields to the text of a log line, for the journal and for JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include "mad/ids.h"

namespace sm {

/// Selects the formats that have a line: people who read log_format human see one line for a sweep.
enum class LogLineKind : std::uint8_t {
  any,     // all formats
  detail,  // a step of a sweep, or a line of OpenSM's format: not human, unless log_flags ask for
           // it
  digest,  // says in one line what details say: human only
};

struct LogFields {
  std::string_view condition = {};        // identifier, "SM-LINK-LOST"; empty: it is about none
  std::string_view event = {};            // of a condition: raised, cleared, occurred
  mad::Guid guid = {};                    // of a node or end port; 0: not known
  std::optional<mad::PortNum> port = {};  // of that node
  mad::Lid lid = {};                      // 0: not known
  LogLineKind kind = LogLineKind::any;

  bool operator==(const LogFields&) const = default;
};

/// A FieldSink is a sink that accepts fields, too.
class FieldSink : public spdlog::sinks::sink {
 public:
  virtual void log_with(const spdlog::details::log_msg& message, const LogFields& fields) = 0;
};

/// A FieldLogger is the logger of a FieldSink: lines of log_with() keep their fields.
class FieldLogger final : public spdlog::logger {
 public:
  FieldLogger(std::string name, std::shared_ptr<FieldSink> sink)
      : spdlog::logger(std::move(name), sink), sink_(std::move(sink)) {}

  void log_with(spdlog::level::level_enum level, std::string_view text, const LogFields& fields) {
    if (!should_log(level)) return;
    sink_->log_with(spdlog::details::log_msg(spdlog::source_loc{}, name(), level,
                                             spdlog::string_view_t(text.data(), text.size())),
                    fields);
  }

 private:
  std::shared_ptr<FieldSink> sink_;
};

/// Logs `text` unchanged. A logger without support for fields leaves them out.
inline void log_with(spdlog::logger& logger, spdlog::level::level_enum level, std::string_view text,
                     const LogFields& fields) {
  if (auto* const with_fields = dynamic_cast<FieldLogger*>(&logger))
    return with_fields->log_with(level, text, fields);
  logger.log(level, spdlog::string_view_t(text.data(), text.size()));
}

/// Logs a step of a sweep.
template <class... Args>
void log_detail(spdlog::logger& logger, fmt::format_string<Args...> format, Args&&... args) {
  log_with(logger, spdlog::level::info, fmt::format(format, std::forward<Args>(args)...),
           {.kind = LogLineKind::detail});
}
/// Logs the result of a sweep in one line; a logger without fields has the details instead.
inline void log_digest(spdlog::logger& logger, spdlog::level::level_enum level,
                       std::string_view text) {
  if (dynamic_cast<FieldLogger*>(&logger) != nullptr)
    log_with(logger, level, text, {.kind = LogLineKind::digest});
}

}  // namespace sm
