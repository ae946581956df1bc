#include "config/number_ranges.h"

#include <algorithm>

namespace config {

void NumberRanges::add(Range range) {
  // Those from here on end at or behind the number in front of the new one, so that the first of
  // them may touch it.
  const auto first =
      std::ranges::lower_bound(ranges_, range.first == 0 ? 0 : range.first - 1, {}, &Range::last);
  auto behind = first;
  while (behind != ranges_.end() &&
         (behind->first <= range.last || behind->first - 1 == range.last)) {
    range.first = std::min(range.first, behind->first);
    range.last = std::max(range.last, behind->last);
    ++behind;
  }
  ranges_.insert(ranges_.erase(first, behind), range);
}

bool NumberRanges::contains(std::uint64_t number) const {
  const auto place = std::ranges::lower_bound(ranges_, number, {}, &Range::last);
  return place != ranges_.end() && place->first <= number;
}

}  // namespace config
