#include "sm/sa/paths/selectors.h"

namespace sa {
namespace {

/// `rank` orders the codes, `lower` gives the next code below one.
template <class Rank, class Lower>
std::optional<std::uint8_t> bounded(const Bound& bound, std::uint8_t available, Rank rank,
                                    Lower lower) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return rank(available) > rank(bound.code) ? std::optional(available) : std::nullopt;
    case mad::Selector::less_than:
      return rank(available) < rank(bound.code) ? std::optional(available) : lower(bound.code);
    case mad::Selector::exactly:
      return rank(available) >= rank(bound.code) ? std::optional(bound.code) : std::nullopt;
    case mad::Selector::best:
      break;
  }
  return available;
}

template <class Rank>
bool holds(const Bound& bound, std::uint8_t value, Rank rank) {
  switch (bound.selector) {
    case mad::Selector::greater_than:
      return rank(value) > rank(bound.code);
    case mad::Selector::less_than:
      return rank(value) < rank(bound.code);
    case mad::Selector::exactly:
      return rank(value) == rank(bound.code);
    case mad::Selector::best:
      break;
  }
  return true;
}

constexpr auto kAsIs = [](std::uint8_t code) -> unsigned { return code; };
constexpr auto kGbps = [](std::uint8_t code) { return mad::rate_gbps(code); };

template <std::uint8_t least>
std::optional<std::uint8_t> one_less(std::uint8_t code) {
  return code > least ? std::optional(static_cast<std::uint8_t>(code - 1)) : std::nullopt;
}

}  // namespace

std::optional<std::uint8_t> bounded_mtu(const Bound& bound, std::uint8_t available) {
  return bounded(bound, available, kAsIs, one_less<mad::kMtuMin>);
}
std::optional<std::uint8_t> bounded_rate(const Bound& bound, std::uint8_t available) {
  // A slower rate than the path's is another path, as for OpenSM.
  if (bound.selector == mad::Selector::exactly &&
      mad::rate_gbps(bound.code) != mad::rate_gbps(available))
    return std::nullopt;
  return bounded(bound, available, kGbps, mad::next_slower_rate);
}
std::optional<std::uint8_t> bounded_life(const Bound& bound, std::uint8_t available) {
  return bounded(bound, available, kAsIs, one_less<0>);
}

bool holds_mtu(const Bound& bound, std::uint8_t value) { return holds(bound, value, kAsIs); }
bool holds_rate(const Bound& bound, std::uint8_t value) { return holds(bound, value, kGbps); }
bool holds_life(const Bound& bound, std::uint8_t value) { return holds(bound, value, kAsIs); }

}  // namespace sa
