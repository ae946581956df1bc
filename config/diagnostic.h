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
  bool without_effect = false;  // of a warning: what was asked for has no effect

  /// "file:line:column: error: what; remedy", without the parts that are not known.
  std::string text() const;
  bool operator==(const Diagnostic&) const = default;
};
using Diagnostics = std::vector<Diagnostic>;

bool has_errors(std::span<const Diagnostic> diagnostics);

/// Sorts findings by line and column within each file. Files stay in the order in which they first
/// appear; findings without a file come last.
void sort_by_position(Diagnostics& diagnostics);

/// The result of a check, for people.
struct Verdict {
  bool usable = false;
  std::string text;  // "usable", "usable, 2 features without effect", "not usable: 6 errors"
};
/// With `strict` a configuration that asks for something without effect is not usable.
Verdict judge(std::span<const Diagnostic> diagnostics, bool strict);

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
