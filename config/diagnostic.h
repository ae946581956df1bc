#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

enum class Severity { warning, error };

/// A Diagnostic is one finding about a configuration file or the command line. Shape: `what` is the
/// defect, `remedy` its correction (may be empty); both are one-line phrases without a full stop.
/// Units: line and column count from 1, columns in bytes; line 0: no position in a file.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  int line = 0, column = 0;
  std::string what, remedy;
  bool without_effect = false;  // of a warning: what was asked for has no effect

  /// Returns "file:line:column: error: what; remedy", without the parts that are not known, and
  /// with control characters escaped: names of files may have some.
  std::string text() const;
  bool operator==(const Diagnostic&) const = default;
};
using Diagnostics = std::vector<Diagnostic>;

bool has_errors(std::span<const Diagnostic> diagnostics);

/// Sorts findings by line and column within each file. Files stay in the order in which they first
/// appear; findings without a file come last.
void sort_by_position(Diagnostics& diagnostics);

/// Holds the result of a check, for people.
struct Verdict {
  bool usable = false;
  std::string text;  // "usable", "usable, 2 features without effect", "not usable: 6 errors"
};
/// Decides whether a configuration is usable. With `strict`, a setting without effect makes it
/// unusable.
Verdict judge(std::span<const Diagnostic> diagnostics, bool strict);

/// Turns the errors in an optional part into warnings, which state the effect, such as "the line is
/// left out".
Diagnostics as_warnings(Diagnostics diagnostics, std::string_view effect);

/// Holds the text of a file and its name in messages.
struct Source {
  std::string file;
  std::string_view text;  // not owned
};

/// Makes `text` safe for one line of a terminal: escapes unprintable bytes and truncates long text.
/// in_quotes() adds quotes.
std::string printable(std::string_view text);
std::string in_quotes(std::string_view text);

}  // namespace config
