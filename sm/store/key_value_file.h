#pragma once
// The format that OpenSM's three cache files share: one record a line, its key in the first column,
// values behind it, an empty line after each record.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sm {

/// What is wrong with a file, and where.
struct FileError {
  int line = 0, column = 0;  // 1-based
  std::string what;
  std::string text(std::string_view file) const;  // "file:line:column: what"
  bool operator==(const FileError&) const = default;
};

/// One message an error; of more than 20, the first 20 and how many more there are.
std::vector<std::string> as_messages(const std::vector<FileError>& errors, std::string_view file);

/// A word of a line. Points into the parsed text.
struct FileToken {
  std::string_view text;
  int line = 0, column = 0;  // 1-based
};

/// A key and its values; all point into the parsed text.
struct KeyValueRecord {
  FileToken key;
  std::vector<FileToken> values;
};

struct KeyValueText {
  std::vector<KeyValueRecord> records;  // in file order, duplicates included
  std::vector<FileError> errors;
};

/// Splits the text into records of exactly `values` values. A line that is not one becomes an error
/// and is left out. Empty lines may be missing or repeated (people edit these files). `text` must
/// outlive the result.
KeyValueText parse_key_values(std::string_view text, unsigned values);

/// `0x` and 1..16 hexadecimal digits, nothing else.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// A word from a file as it may appear in a message: at most 40 characters, without control
/// characters.
std::string in_quotes(std::string_view text);

}  // namespace sm
