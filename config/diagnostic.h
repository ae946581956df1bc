#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

enum class Severity { warning, error };

/// One finding about a configuration file or the command line. Shape: `what` is the defect,
/// `remedy` its correction (may be empty); both are one-line phrases without a full stop. Units:
/// line and column count from 1, columns in bytes; line 0: no position in a file.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  int line = 0, column = 0;
  std::string what, remedy;

  /// "file:line:column: error: what; remedy", without the parts that are not known.
  std::string text() const;
  bool operator==(const Diagnostic&) const = default;
};
using Diagnostics = std::vector<Diagnostic>;

bool has_errors(std::span<const Diagnostic> diagnostics);

/// Findings in something that is not needed: errors become warnings, which state the effect, such
/// as "the line is left out".
Diagnostics as_warnings(Diagnostics diagnostics, std::string_view effect);

/// Text of a file and its name in messages.
struct Source {
  std::string file;
  std::string_view text;  // not owned
};

/// `text` made safe for one line of a terminal: unprintable bytes escaped, long text truncated.
/// in_quotes() adds quotes.
std::string printable(std::string_view text);
std::string in_quotes(std::string_view text);

}  // namespace config
