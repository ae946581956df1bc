#pragma once

#include <string_view>
#include <vector>

namespace config {

/// A line of a file that says something: `text` lies in `whole`, without comment and surrounding
/// blanks, and is not empty.
struct Line {
  int number;  // counts from 1
  std::string_view whole, text;
  int column(std::string_view part) const {
    return static_cast<int>(part.data() - whole.data()) + 1;
  }
};

/// The lines that are left when comments (`#` to the end of the line) and empty lines are skipped.
/// Views into `text`.
std::vector<Line> content_lines(std::string_view text);

}  // namespace config
