#pragma once
// The log of a manager in memory, as `log_format text` and `log_format human` have its lines.

#include <sstream>
#include <string>

#include "sm/log/log_fields.h"
#include "sm/log/log_line.h"

namespace support {

/// Not for several threads.
class RecordingSink final : public sm::FieldSink {
 public:
  void log(const spdlog::details::log_msg& message) override { log_with(message, {}); }
  void log_with(const spdlog::details::log_msg& message, const sm::LogFields& fields) override {
    const std::string text(message.payload.data(), message.payload.size());
    if (fields.kind != sm::LogLineKind::digest) {
      texts << text << '\n';
      if (message.level >= spdlog::level::info) default_text << text << '\n';
    }
    if (fields.kind == sm::LogLineKind::detail || message.level < spdlog::level::info) return;
    sm::LogLine line{.level = message.level, .message = text};
    line.set(fields);
    constexpr std::size_t kTime = 24;  // "2026-05-01 12:00:00.123 "
    human << sm::make_human(line).substr(kTime) << '\n';
  }
  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

  // Without times. `texts` has all levels, `default_text` what log_format text has by default.
  std::ostringstream texts, default_text, human;
};

}  // namespace support
