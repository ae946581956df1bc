#include "config/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/control_characters.h"

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

Diagnostics as_warnings(Diagnostics diagnostics, std::string_view effect) {
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::error) continue;
    diagnostic.severity = Severity::warning;
    diagnostic.what += fmt::format(": {}", effect);
  }
  return diagnostics;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kShownMax = 80;
  std::string out;
  for (std::string_view rest = text.substr(0, kShownMax); !rest.empty();) {
    const TextPart part = first_part(rest);
    for (const char c : rest.substr(0, part.bytes)) {
      if (part.is_control)
        out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      else
        out += c;
    }
    rest.remove_prefix(part.bytes);
  }
  return out + (text.size() > kShownMax ? "..." : "");
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", printable(text)); }

}  // namespace config
