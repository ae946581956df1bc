#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mad {

enum class HexDigits : std::uint8_t { lower, upper };

/// Appends the number in hexadecimal, with zeros before it up to `digits_min` (at most 16). Files
/// with a line for each port of a fabric have a million such numbers.
inline void append_hex(std::string& out, std::uint64_t value, unsigned digits_min,
                       HexDigits digits = HexDigits::lower) {
  const std::string_view alphabet =
      digits == HexDigits::lower ? "0123456789abcdef" : "0123456789ABCDEF";
  std::array<char, 16> text{};
  std::size_t begin = text.size();
  const auto needed = static_cast<unsigned>(std::bit_width(value) + 3) / 4;
  const unsigned count = needed > digits_min ? needed : digits_min;
  for (unsigned digit = 0; digit < count && begin > 0; ++digit, value >>= 4)
    text[--begin] = alphabet[value & 0xF];
  out.append(text.data() + begin, text.size() - begin);
}

}  // namespace mad
