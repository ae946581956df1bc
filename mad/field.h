#pragma once
// Named bit fields of wire formats. A field is data (offset, width, name), which two functions read
// and write. Offsets count from the most significant bit of byte 0, as in the tables of the
// specification.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mad {

struct Field {
  unsigned bit;    // offset from the top bit of byte 0
  unsigned width;  // in bits, 1..64
  std::string_view name;

  constexpr unsigned end_bit() const { return bit + width; }
  /// Returns the largest value that the field holds.
  constexpr std::uint64_t value_max() const { return ~std::uint64_t{0} >> (64 - width); }
};

/// Returns the field's value in host order. The field must lie within `bytes`.
constexpr std::uint64_t read(std::span<const std::uint8_t> bytes, const Field& field) {
  const unsigned first = field.bit / 8, last = (field.end_bit() - 1) / 8;
  std::uint64_t value = bytes[first] & (0xFFu >> (field.bit % 8));
  for (unsigned i = first + 1; i < last; ++i) value = value << 8 | bytes[i];
  const unsigned tail = 7 - (field.end_bit() - 1) % 8;  // bits below the field in its last byte
  if (last == first) return value >> tail;
  return value << (8 - tail) | bytes[last] >> tail;
}

/// Writes the low `width` bits of `value`; all other bits of `bytes` keep their values. The field
/// must lie within `bytes`.
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

// Compile-time access to named fields: the caller names a field as the specification does, the
// compiler resolves it in a table to a few loads and shifts. read() and write() of field.h do the
// same at run time.

/// A string literal as a template argument.
template <std::size_t N>
struct FieldName {
  std::array<char, N> text{};
  consteval FieldName(const char (&literal)[N]) {
    std::copy_n(literal, N, text.begin());
  }  // NOLINT: implicit on purpose
  constexpr std::string_view view() const { return {text.data(), N - 1}; }
};

/// Returns the first entry of `fields` with this name. An unknown name does not compile.
consteval Field find_field(std::span<const Field> fields, std::string_view name) {
  for (const Field& field : fields)
    if (field.name == name) return field;
  throw "no field of this name in the table";
}

/// Returns `count` consecutive fields of equal width and name.
template <std::size_t count>
constexpr std::array<Field, count> repeated(unsigned first_bit, unsigned width,
                                            std::string_view name) {
  std::array<Field, count> out{};
  for (unsigned i = 0; i < count; ++i) out[i] = {first_bit + i * width, width, name};
  return out;
}

/// Returns the concatenation of several tables.
template <std::size_t... sizes>
constexpr auto joined(const std::array<Field, sizes>&... tables) {
  std::array<Field, (sizes + ...)> out{};
  auto end = out.begin();
  ((end = std::copy(tables.begin(), tables.end(), end)), ...);
  return out;
}

/// Returns the bits [bit, bit + width) as a number. They must lie in eight consecutive bytes.
template <unsigned bit, unsigned width>
constexpr std::uint64_t read_bits(std::span<const std::uint8_t> bytes) {
  constexpr unsigned first = bit / 8, last = (bit + width - 1) / 8,
                     tail = 7 - (bit + width - 1) % 8;
  static_assert(width >= 1 && last - first < 8);
  constexpr std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
  return [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
    std::uint64_t word = 0;
    ((word = word << 8 | bytes[first + i]), ...);
    return word >> tail & mask;
  }(std::make_integer_sequence<unsigned, last - first + 1>{});
}

/// Replaces the bits [bit, bit + width) by the low bits of `value`; all others keep their values.
template <unsigned bit, unsigned width>
constexpr void write_bits(std::span<std::uint8_t> bytes, std::uint64_t value) {
  constexpr unsigned first = bit / 8, last = (bit + width - 1) / 8,
                     tail = 7 - (bit + width - 1) % 8;
  constexpr std::uint64_t mask = ~std::uint64_t{0} >> (64 - width) << tail;
  const std::uint64_t word =
      (read_bits<first * 8, (last - first + 1) * 8>(bytes) & ~mask) | (value << tail & mask);
  [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
    ((bytes[first + i] = static_cast<std::uint8_t>(word >> (last - first - i) * 8)), ...);
  }(std::make_integer_sequence<unsigned, last - first + 1>{});
}

/// Converts the number on the wire to T: an integer, bool, an enum, or a struct around one number
/// `value` (Lid, Guid, ...).
template <class T>
constexpr T from_raw(std::uint64_t raw) {
  if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>)
    return static_cast<T>(raw);
  else
    return T{static_cast<decltype(T::value)>(raw)};
}

template <class T>
constexpr std::uint64_t to_raw(T value) {
  if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>)
    return static_cast<std::uint64_t>(value);
  else
    return value.value;
}

/// Reads or writes the field `name` of `Table::kFields` in `bytes`.
template <class T, class Table, FieldName name>
constexpr T get_field(std::span<const std::uint8_t> bytes) {
  constexpr Field field = find_field(Table::kFields, name.view());
  static_assert(field.width <= sizeof(T) * 8, "the type does not hold the field");
  return from_raw<T>(read_bits<field.bit, field.width>(bytes));
}
template <class Table, FieldName name, class T>
constexpr void set_field(std::span<std::uint8_t> bytes, T value) {
  constexpr Field field = find_field(Table::kFields, name.view());
  static_assert(field.width <= sizeof(T) * 8, "the type does not hold the field");
  write_bits<field.bit, field.width>(bytes, to_raw(value));
}

}  // namespace mad
