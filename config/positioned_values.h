#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"

namespace config {

/// A NumberRanges is a set of numbers, written as ranges: "7-9,11".
class NumberRanges {
 public:
  struct Range {
    std::uint64_t first, last;  // both included
    bool operator==(const Range&) const = default;
  };

  NumberRanges() = default;
  NumberRanges(std::initializer_list<Range> ranges) {
    for (const Range range : ranges) add(range);
  }

  /// Adds a range; `first` must not be above `last`.
  void add(Range range);
  bool contains(std::uint64_t number) const;
  bool empty() const { return ranges_.empty(); }
  /// Returns the ranges, ascending, disjoint and not adjacent.
  const std::vector<Range>& ranges() const { return ranges_; }
  bool operator==(const NumberRanges&) const = default;

 private:
  std::vector<Range> ranges_;
};

/// Reads values of one file line by line, and reports defects with their position. All text that
/// callers pass is part of the latest line given to begin().
class PositionedValues {
 public:
  /// A Position is a place in a file; line 0 means that there is none.
  struct Position {
    int line = 0, column = 0;
  };

  PositionedValues(std::string file, Diagnostics& out) : file_(std::move(file)), out_(out) {}

  /// Begins a line, which must outlive its values.
  void begin(const Line& line) { line_ = &line; }
  Position position(std::string_view text) const { return {line_->number, line_->column(text)}; }
  void error(std::string_view text, std::string what, std::string remedy) {
    report(Severity::error, position(text), std::move(what), std::move(remedy));
  }
  void report(Severity severity, Position position, std::string what, std::string remedy);
  /// True if this object has reported an error.
  bool failed() const { return failed_; }

  /// Reads a number; `what` names the number in messages. Returns nothing, and reports an error,
  /// for text that is not a number in min..max.
  std::optional<std::uint64_t> number(std::string_view text, std::string_view what,
                                      std::uint64_t min, std::uint64_t max);

  /// Calls `each(part)` for the parts between commas, without blanks around them; an empty part is
  /// an error. Returns false if any call returned false.
  template <class Each>
  bool for_each_part(std::string_view list, Each&& each) {
    bool all_right = true;
    while (true) {
      const std::size_t comma = list.find(',');
      const std::optional<std::string_view> part =
          present(list.substr(0, comma), comma != std::string_view::npos);
      all_right = part && each(*part) && all_right;
      if (comma == std::string_view::npos) return all_right;
      list.remove_prefix(comma + 1);
    }
  }

  /// Reads "7-9,11" and adds `added` to each number. Returns false if there was a defect; `into`
  /// has the valid ranges.
  bool read_ranges(std::string_view list, std::string_view what, std::uint64_t min,
                   std::uint64_t max, NumberRanges& into, std::uint64_t added = 0);
  /// Reads P_Keys with or without the membership bit, which is cleared.
  bool read_p_keys(std::string_view list, NumberRanges& into);

 private:
  std::optional<std::string_view> present(std::string_view part, bool has_comma);

  std::string file_;
  Diagnostics& out_;
  const Line* line_ = nullptr;
  bool failed_ = false;
};

}  // namespace config
