#pragma once
// Pseudo-random numbers that are the same on every platform and with every standard library, for
// topologies, simulated faults and tests.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace topology {

/// Generates numbers with splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Returns a number 0..bound-1, of the bound's width. Precondition: bound > 0.
  template <std::integral Bound>
  std::make_unsigned_t<Bound> below(Bound bound) {
    return static_cast<std::make_unsigned_t<Bound>>(next() % static_cast<std::uint64_t>(bound));
  }
  /// True with this probability; 0 means never, 1 always.
  bool chance(double probability) {
    if (probability <= 0) return false;
    return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
  }
  bool chance(std::integral auto) = delete;  // most likely meant as percent
  /// True with a probability of `share` percent.
  bool percent(unsigned share) { return below(100u) < share; }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace topology
