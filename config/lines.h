#pragma once

#include <string_view>
#include <vector>

namespace config {

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
