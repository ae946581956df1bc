#pragma once
// Text in the notation of manual pages, mdoc(7).

#include <string>
#include <string_view>

namespace manual {

/// Text of a page, a sentence each line as mdoc wants it: backslashes, and dots and apostrophes at
/// the beginning of a line, lose their meaning. `prose` without a full stop gets one.
std::string sentences(std::string_view prose);

/// One line of text as the argument of a macro, in quotes.
std::string argument(std::string_view text);

/// Lines as they are, in a literal block.
std::string literal(std::string_view lines);

/// Converts the text that a program prints for --help: prose, lists of options with their headings,
/// examples. Leaves out its line "usage:".
std::string from_help(std::string_view text);

/// The first lines of a page: .Dd, .Dt, .Os, and NAME. `what`: one line without full stop.
std::string head(std::string_view name, std::string_view section, std::string_view date,
                 std::string_view what);

}  // namespace manual
