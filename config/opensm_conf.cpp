#include "config/opensm_conf.h"

#include "config/lines.h"
#include "config/settings.h"
#include "config/value.h"

namespace config {
namespace {

constexpr int kLineMax = 1022;  // OpenSM splits longer lines

std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                         value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

void parse_opensm_conf(const Source& source, Options& options, Diagnostics& out) {
  Settings settings(source.file, options, out);
  for (const Line& line : content_lines(source.text)) {
    const int end_column =
        line.column(line.text) + static_cast<int>(line.text.size());  // one past the last character
    if (end_column > kLineMax + 1) {
      settings.report(Severity::error, {line.number, kLineMax + 1},
                      "the line is longer than 1022 characters", "shorten it");
      continue;
    }
    const std::string_view name = line.text.substr(0, line.text.find_first_of(" \t"));
    const std::string_view value = trim(line.text.substr(name.size()));
    const Key* const key = settings.look_up(name, {line.number, line.column(name)});
    if (key == nullptr) continue;
    // The position of a missing value is the end of the key.
    settings.set(*key, unquoted(value),
                 {line.number, value.empty() ? end_column : line.column(value)});
  }
  settings.finish();
}

}  // namespace config
