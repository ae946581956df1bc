#pragma once
// Numbers from a seed that are the same on every platform and with every standard library.

#include <cstdint>

namespace sim {

/// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// 0..bound-1; `bound` is not 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// True with this probability; 0 never, 1 always.
  bool chance(double probability) {
    if (probability <= 0) return false;
    return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
  }

 private:
  std::uint64_t state_;
};

}  // namespace sim
