#pragma once
// The common format of OpenSM's three cache files: one record per line, key first, then values, an
// empty line after each record.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sm {

/// A defect of a file and its position.
struct FileError {
  int line = 0, column = 0;  // 1-based
  std::string what;
  std::string text(std::string_view file) const;  // "file:line:column: what"
  bool operator==(const FileError&) const = default;
};

/// One message per error; of more than 20, the first 20 and the number of the others.
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

/// Splits the text into records of exactly `values` values. Any other line is an error and left
/// out. Empty lines may be missing or repeated (these files are edited by hand). `text` must
/// outlive the result.
KeyValueText parse_key_values(std::string_view text, unsigned values);

/// `0x` and 1..16 hexadecimal digits, nothing else.
std::optional<std::uint64_t> parse_hex(std::string_view text);

/// A word of a file, made safe for a message: at most 40 characters, without control characters.
std::string in_quotes(std::string_view text);

}  // namespace sm
