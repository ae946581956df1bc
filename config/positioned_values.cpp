#include "config/positioned_values.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "config/value.h"

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

namespace {

constexpr std::uint64_t kFullBit = 0x8000, kPKeyMax = 0xFFFF;

}  // namespace

void PositionedValues::report(Severity severity, Position position, std::string what,
                              std::string remedy) {
  failed_ |= severity == Severity::error;
  out_.push_back(
      {severity, file_, position.line, position.column, std::move(what), std::move(remedy)});
}

std::optional<std::uint64_t> PositionedValues::number(std::string_view text, std::string_view what,
                                                      std::uint64_t min, std::uint64_t max) {
  const std::string_view word = trim(text);
  const auto value = parse_number(word);
  if (value && *value >= min && *value <= max) return *value;
  const bool is_number = value || value.error() == NumberFault::too_large;
  error(word.empty() ? text : word,
        is_number ? fmt::format("{} {} is out of range", what, in_quotes(word))
                  : fmt::format("{} is not a {}", in_quotes(word), what),
        max == std::numeric_limits<std::uint64_t>::max()
            ? fmt::format("write a {} of 64 bits", what)
            : fmt::format("write a {} in {}..{}", what, min, max));
  return std::nullopt;
}

std::optional<std::string_view> PositionedValues::present(std::string_view part, bool has_comma) {
  const std::string_view word = trim(part);
  if (!word.empty()) return word;
  error(part, "a value is missing here",
        has_comma ? "write one, or remove the comma" : "write one");
  return std::nullopt;
}

bool PositionedValues::read_ranges(std::string_view list, std::string_view what, std::uint64_t min,
                                   std::uint64_t max, NumberRanges& into, std::uint64_t added) {
  return for_each_part(list, [&](std::string_view part) {
    const std::size_t dash = part.find('-');
    const auto first = number(part.substr(0, dash), what, min, max);
    const auto last =
        dash == std::string_view::npos ? first : number(part.substr(dash + 1), what, min, max);
    if (!first || !last) return false;
    if (*first > *last) {
      error(part, fmt::format("the range {} is descending", in_quotes(part)),
            "write the smaller number first");
      return false;
    }
    into.add({*first + added, *last + added});
    return true;
  });
}

bool PositionedValues::read_p_keys(std::string_view list, NumberRanges& into) {
  return for_each_part(list, [&](std::string_view part) {
    NumberRanges written;
    if (!read_ranges(part, "P_Key", 0, kPKeyMax, written)) return false;
    const auto [first, last] = written.ranges().front();
    if ((first & kFullBit) != (last & kFullBit)) {
      error(part, fmt::format("the range {} goes from limited to full P_Keys", in_quotes(part)),
            "write P_Keys in 0..0x7fff");
      return false;
    }
    into.add({first & ~kFullBit, last & ~kFullBit});
    return true;
  });
}

}  // namespace config
