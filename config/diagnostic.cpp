#include "config/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace config {

std::string Diagnostic::text() const {
  std::string place;
  if (line > 0) {
    place = fmt::format("{}:{}:{}: ", file, line, column);
  } else if (!file.empty()) {
    place = fmt::format("{}: ", file);
  }
  return fmt::format("{}{}: {}{}{}", place, severity == Severity::error ? "error" : "warning", what,
                     remedy.empty() ? "" : "; ", remedy);
}

bool has_errors(std::span<const Diagnostic> diagnostics) {
  return std::ranges::any_of(diagnostics,
                             [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string printable(std::string_view text) {
  constexpr std::size_t kShownMax = 80;
  std::string out;
  for (const char c : text.substr(0, kShownMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + (text.size() > kShownMax ? "..." : "");
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", printable(text)); }

}  // namespace config
