#pragma once
// Numbers and GUIDs from text: every reader of a text uses these functions.

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>
#include <type_traits>

#include "mad/ids.h"

namespace mad {

enum class NumberFault : std::uint8_t { not_a_number, too_large };

/// Reads the number at the beginning of `text` and removes it. Accepts digits of the base, without
/// prefix and blanks; a minus for signed types; a fraction and an exponent for floating point.
template <class T = std::uint64_t>
tl::expected<T, NumberFault> take_number(std::string_view& text, int base = 10) {
  T value{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<T>)
    result = std::from_chars(begin, end, value);
  else
    result = std::from_chars(begin, end, value, base);
  text.remove_prefix(static_cast<std::size_t>(result.ptr - begin));
  if (result.ec == std::errc()) return value;
  return tl::unexpected(result.ec == std::errc::result_out_of_range ? NumberFault::too_large
                                                                    : NumberFault::not_a_number);
}

/// Reads the whole text as a number, as take_number() does.
template <class T = std::uint64_t>
tl::expected<T, NumberFault> parse_number(std::string_view text, int base = 10) {
  const auto value = take_number<T>(text, base);
  if (!text.empty()) return tl::unexpected(NumberFault::not_a_number);
  return value;
}

inline bool has_hex_prefix(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X");
}

/// Reads 0x and at most 16 hexadecimal digits.
inline std::optional<std::uint64_t> parse_hex(std::string_view text) {
  constexpr std::size_t kCharactersMax = 2 + 16;
  if (!has_hex_prefix(text) || text.size() > kCharactersMax) return std::nullopt;
  const auto value = parse_number(text.substr(2), 16);
  return value ? std::optional(*value) : std::nullopt;
}

/// Reads bytes of two hexadecimal digits each, without anything between them.
inline std::optional<std::string> parse_bytes(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    const auto byte = parse_number<std::uint8_t>(digits.substr(at, 2), 16);
    if (!byte || digits.size() - at == 1) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

/// Reads 0x and hexadecimal digits, or a decimal number; neither is larger than `max`.
inline std::optional<std::uint64_t> parse_hex_or_decimal(
    std::string_view text, std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
  const bool is_hex = has_hex_prefix(text);
  const auto value = parse_number(text.substr(is_hex ? 2 : 0), is_hex ? 16 : 10);
  return value && *value <= max ? std::optional(*value) : std::nullopt;
}

/// Reads 0x and at most 16 hexadecimal digits, 16 digits without 0x, or 8 bytes with colons between
/// them. Accepts 0, which is the GUID of no device.
inline std::optional<Guid> parse_guid(std::string_view text) {
  constexpr std::size_t kDigits = 16, kCharactersWithColons = 23;
  std::string digits(text.substr(has_hex_prefix(text) ? 2 : 0));
  if (text.size() == kCharactersWithColons) {
    digits.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i % 3 != 2)
        digits += text[i];
      else if (text[i] != ':')
        return std::nullopt;
    }
  }
  if (digits.size() > kDigits || (digits.size() < kDigits && !has_hex_prefix(text)))
    return std::nullopt;
  const auto value = parse_number(digits, 16);
  return value ? std::optional(Guid{*value}) : std::nullopt;
}

}  // namespace mad
