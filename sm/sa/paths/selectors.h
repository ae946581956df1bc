#pragma once
// What a question asks of a path's MTU, rate and packet lifetime, and what the answer then says
// (IBTA Vol 1, 15.2.5.16; which value is given back, as in OpenSM).

#include <cstdint>
#include <optional>

#include "mad/path_units.h"

namespace sa {

/// A wish as it was asked: nothing if it was not.
struct Bound {
  mad::Selector selector = mad::Selector::best;
  std::uint8_t code = 0;

  /// Whether the code counts: with `best` it is ignored.
  bool has_code() const { return selector != mad::Selector::best; }
};

/// The value that an answer gives for a path that has `available`; nothing if the path is not good
/// enough. greater_than: the path has more, and says what it has. less_than: a better path is
/// described by the next lower code, since what can do more can do less. exactly: the path has at
/// least that, and says just that; a rate it has exactly.
std::optional<std::uint8_t> bounded_mtu(const Bound& wish, std::uint8_t available);
std::optional<std::uint8_t> bounded_rate(const Bound& wish, std::uint8_t available);
std::optional<std::uint8_t> bounded_life(const Bound& wish, std::uint8_t available);

/// `value` stands as it is, as in a multicast group: does it satisfy the wish?
bool holds_mtu(const Bound& wish, std::uint8_t value);
bool holds_rate(const Bound& wish, std::uint8_t value);
bool holds_life(const Bound& wish, std::uint8_t value);

}  // namespace sa
