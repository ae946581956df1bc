#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mad {

/// Base of all records: `size` bytes in wire order, by value, all zero at first; any bytes are a
/// valid one.
template <std::size_t size>
class WireBytes {
 public:
  static constexpr std::size_t kBytes = size;

  constexpr WireBytes() = default;
  explicit constexpr WireBytes(std::span<const std::uint8_t, size> wire) {
    std::copy(wire.begin(), wire.end(), wire_.begin());
  }

  constexpr std::span<const std::uint8_t, size> bytes() const { return wire_; }
  constexpr std::span<std::uint8_t, size> bytes() { return wire_; }
  constexpr bool operator==(const WireBytes&) const = default;

 protected:
  std::array<std::uint8_t, size> wire_{};
};

}  // namespace mad
