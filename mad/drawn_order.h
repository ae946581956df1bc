#pragma once

#include <array>
#include <cstdint>

#include "mad/runtime.h"

namespace mad {

/// An order of the numbers below 2^bits that other programs do not know; no number repeats before
/// all were used. Not for secrets of any worth: it makes transaction ids hard to guess.
class DrawnOrder {
 public:
  /// `bits`: 2..31.
  DrawnOrder(Runtime& runtime, unsigned bits) : mask_((1u << bits) - 1), shift_((bits + 1) / 2) {
    for (Round& round : rounds_) {
      const std::uint64_t drawn = runtime.random();
      round = {static_cast<std::uint32_t>(drawn) | 1u, static_cast<std::uint32_t>(drawn >> 32)};
    }
  }

  /// The number at this place, modulo 2^bits.
  std::uint32_t at(std::uint32_t place) const {
    std::uint32_t number = place & mask_;
    for (const Round& round : rounds_) {  // each step can be undone, so that none repeats
      number = (number * round.factor + round.summand) & mask_;
      number ^= number >> shift_;
    }
    return number;
  }

 private:
  struct Round {
    std::uint32_t factor = 1, summand = 0;  // the factor is odd
  };
  std::uint32_t mask_;
  unsigned shift_;
  std::array<Round, 3> rounds_{};
};

}  // namespace mad
