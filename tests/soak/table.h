#pragma once
// Results of long runs, as rows of text that can be concatenated: of one run or of many.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace soak {

/// One program (or one test of it) and the seeds that it ran.
struct RunRow {
  std::string program;
  std::string seeds;  // "1..500"; "-" without seeds, as for fuzzers
  std::uint64_t runs = 0, failures = 0, known = 0;
  double seconds = 0;  // of processor time
};
struct FailureRow {
  std::string program;
  std::string seed;
  std::string issue;  // that fixes it; "new" if no line of known_failures matches
  std::string complaint;
  std::string replay;  // a command
};

/// Shape of a line, fields separated by tabs:
///   run <program> <seeds> <runs> <failures> <known> <seconds>
///   failure <program> <seed> <issue> <complaint> <replay>
std::string to_line(const RunRow& row);
std::string to_line(const FailureRow& row);

class Table {
 public:
  /// Adds the rows of a text. Rows of one program and the same seeds are two runs. Errors: the
  /// number of the first invalid line, and the reason; the lines before it are added.
  tl::expected<void, std::string> add(std::string_view text);
  void add(RunRow row) { runs_.push_back(std::move(row)); }
  void add(FailureRow row) { failures_.push_back(std::move(row)); }

  /// As a table: a line for each program with all its runs, the sum, then each failure with the
  /// command that replays it, new ones first; a failure that occurred twice is printed once.
  std::string text() const;
  /// All rows, for a file.
  std::string lines() const;
  std::uint64_t new_failures() const;

 private:
  std::vector<RunRow> runs_;
  std::vector<FailureRow> failures_;
};

}  // namespace soak
