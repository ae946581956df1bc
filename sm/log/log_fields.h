#pragma once
// Fields of a log line beside its text: for the journal and for JSON.

#include <optional>
#include <string>
#include <string_view>

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>

#include "mad/ids.h"

namespace sm {

struct LogFields {
  std::string_view condition = {};        // identifier, "SM-LINK-LOST"; empty: it is about none
  std::string_view event = {};            // of a condition: raised, cleared
  mad::Guid guid = {};                    // of a node or end port; 0: not known
  std::optional<mad::PortNum> port = {};  // of that node
  mad::Lid lid = {};                      // 0: not known

  bool operator==(const LogFields&) const = default;
};

/// A sink that takes fields, too.
class FieldSink : public spdlog::sinks::sink {
 public:
  virtual void log_with(const spdlog::details::log_msg& message, const LogFields& fields) = 0;
};

/// The logger of a FieldSink: what is logged by log_with() keeps its fields.
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

/// Logs `text` as it is. A logger that knows no fields leaves them out.
inline void log_with(spdlog::logger& logger, spdlog::level::level_enum level, std::string_view text,
                     const LogFields& fields) {
  if (auto* const with_fields = dynamic_cast<FieldLogger*>(&logger))
    return with_fields->log_with(level, text, fields);
  logger.log(level, spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace sm
