#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tl/expected.hpp>

namespace config {

/// Reads a whole file, or returns the error. Passed in, so that tests need no disk.
using FileReader =
    std::function<tl::expected<std::string, std::error_code>(const std::string& path)>;

/// The FileReader of all programs. Returns the text in UTF-8, whatever saved it (decode_text() of
/// text_encoding.h). Errors: errno of open or read; a directory is EISDIR; a FIFO, a device or a
/// socket, which may have no end, a file above 4 GiB and formats that are not text have values of
/// their own.
tl::expected<std::string, std::error_code> read_file(const std::string& path);

/// Why a file with a secret may not be used: it cannot be read, is none (a directory), or others
/// than its owner, or than owner and group, may access it; with the remedy. "": it may be used.
std::string secret_file_fault(const std::string& path, bool group_may_read = false);

/// A line of a file with content: `text` is the part of `whole` without comment and surrounding
/// blanks, not empty.
struct Line {
  int number;  // counts from 1
  std::string_view whole, text;
  int column(std::string_view part) const {
    return static_cast<int>(part.data() - whole.data()) + 1;
  }
};

/// All lines but comments (`#` to the end of the line) and empty lines. Views into `text`.
std::vector<Line> content_lines(std::string_view text);

}  // namespace config
