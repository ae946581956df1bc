#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace sm {

/// The version of the format of a file that Heddle writes and reads back; its first line has it.
/// Programs of neighbouring versions read each other's files, since packages are downgraded, too:
/// - Another `number`: the content means something else, and nothing of the file is used.
/// - A higher `revision` than the program's: a newer Heddle wrote it, which knows more kinds of
///   lines, or more words at the end of a line. What is known is used, the rest left out.
/// - A lower revision: all of it is known.
struct FileVersion {
  unsigned number = 1, revision = 0;
  auto operator<=>(const FileVersion&) const = default;
  /// "1", or "1.2" for revision 2: what has no revision is written as before there were any.
  std::string text() const;
};

/// Parses such a text, in decimal. Returns nothing if it is none.
std::optional<FileVersion> parse_file_version(std::string_view text);

/// The version in a line that begins with `name` and a blank, up to the next blank, colon or the
/// end. Nothing: the line begins otherwise, or what follows is no version.
std::optional<FileVersion> file_version_after(std::string_view name, std::string_view line);

}  // namespace sm
