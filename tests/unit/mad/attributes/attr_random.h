#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <span>

namespace mad::test {

inline constexpr unsigned kRounds = 200;

/// Reproducible bytes and numbers; numbers are biased towards the ends of their range, where mask
/// errors show.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  void fill(std::span<std::uint8_t> bytes) {
    std::generate(bytes.begin(), bytes.end(),
                  [this] { return static_cast<std::uint8_t>(engine_()); });
  }
  std::array<std::uint8_t, 64> attribute() {
    std::array<std::uint8_t, 64> out{};
    fill(out);
    return out;
  }
  std::uint64_t number(unsigned width) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - width), kind = engine_() % 4;
    return kind == 0 ? 0 : kind == 1 ? all : engine_() & all;
  }
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mad::test
