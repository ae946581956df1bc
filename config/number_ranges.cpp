#include "config/number_ranges.h"

#include <algorithm>

namespace config {

void NumberRanges::add(Range range) {
  // Ranges from here on end at or after `first` - 1, so that the first of them may overlap or be
  // adjacent.
  const auto first =
      std::ranges::lower_bound(ranges_, range.first == 0 ? 0 : range.first - 1, {}, &Range::last);
  auto after = first;
  while (after != ranges_.end() && (after->first <= range.last || after->first - 1 == range.last)) {
    range.first = std::min(range.first, after->first);
    range.last = std::max(range.last, after->last);
    ++after;
  }
  ranges_.insert(ranges_.erase(first, after), range);
}

bool NumberRanges::contains(std::uint64_t number) const {
  const auto place = std::ranges::lower_bound(ranges_, number, {}, &Range::last);
  return place != ranges_.end() && place->first <= number;
}

}  // namespace config
