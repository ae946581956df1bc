#pragma once

#include <cstdint>
#include <vector>

namespace config {

/// A set of numbers, written as ranges: "7-9,11".
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

  /// `first` must not be above `last`.
  void add(Range range);
  bool contains(std::uint64_t number) const;
  bool empty() const { return ranges_.empty(); }
  /// Ascending, disjoint and not adjacent.
  const std::vector<Range>& ranges() const { return ranges_; }
  bool operator==(const NumberRanges&) const = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace config
