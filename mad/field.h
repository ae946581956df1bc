#pragma once
// Named bit fields of wire formats: a field is data (offset, width, name), which two functions read
// and write. Offsets count from the most significant bit of byte 0, as the tables of the
// specification do.

#include <cstdint>
#include <span>
#include <string_view>

namespace mad {

struct Field {
  unsigned bit;    // offset from the top bit of byte 0
  unsigned width;  // in bits, 1..64
  std::string_view name;

  constexpr unsigned end_bit() const { return bit + width; }
  /// The largest value that the field holds.
  constexpr std::uint64_t value_max() const { return ~std::uint64_t{0} >> (64 - width); }
};

/// The field's value in host order. The field must lie within `bytes`.
constexpr std::uint64_t read(std::span<const std::uint8_t> bytes, const Field& field) {
  const unsigned first = field.bit / 8, last = (field.end_bit() - 1) / 8;
  std::uint64_t value = bytes[first] & (0xFFu >> (field.bit % 8));
  for (unsigned i = first + 1; i < last; ++i) value = value << 8 | bytes[i];
  const unsigned tail = 7 - (field.end_bit() - 1) % 8;  // bits below the field in its last byte
  if (last == first) return value >> tail;
  return value << (8 - tail) | bytes[last] >> tail;
}

/// Writes the low `width` bits of `value`; all other bits of `bytes` stay. The field must lie
/// within `bytes`.
constexpr void write(std::span<std::uint8_t> bytes, const Field& field, std::uint64_t value) {
  unsigned left = field.width;
  for (unsigned i = (field.end_bit() - 1) / 8, tail = 7 - (field.end_bit() - 1) % 8; left > 0;
       --i, tail = 0) {
    const unsigned bits = left < 8 - tail ? left : 8 - tail;
    const unsigned mask = ((1u << bits) - 1u) << tail;
    bytes[i] = static_cast<std::uint8_t>((bytes[i] & ~mask) |
                                         ((static_cast<unsigned>(value & 0xFFu) << tail) & mask));
    value >>= bits;
    left -= bits;
  }
}

}  // namespace mad
