// mad/field.h against a bit-by-bit definition of a field.
#include <gtest/gtest.h>

#include <vector>

#include "mad/field.h"
#include "mad/ids.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace {

using test::Random;

bool bit_at(std::span<const std::uint8_t> bytes, unsigned bit) {
  return (bytes[bit / 8] >> (7 - bit % 8) & 1) != 0;
}

std::uint64_t slow_read(std::span<const std::uint8_t> bytes, unsigned bit, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = bit; i < bit + width; ++i) value = value << 1 | (bit_at(bytes, i) ? 1 : 0);
  return value;
}

void slow_write(std::span<std::uint8_t> bytes, unsigned bit, unsigned width, std::uint64_t value) {
  for (unsigned i = bit + width; i-- > bit; value >>= 1) {
    const auto mask = static_cast<std::uint8_t>(0x80u >> i % 8);
    bytes[i / 8] =
        static_cast<std::uint8_t>((value & 1) != 0 ? bytes[i / 8] | mask : bytes[i / 8] & ~mask);
  }
}

TEST(Field, ReadAndWriteAgreeWithTheDefinitionForEveryOffsetAndWidth) {
  Random random(1);
  std::vector<std::uint8_t> bytes(11);
  for (unsigned width = 1; width <= 64; ++width)
    for (unsigned bit = 0; bit + width <= 88; ++bit) {
      random.fill(bytes);
      const Field field{bit, width, "f"};
      ASSERT_EQ(read(bytes, field), slow_read(bytes, bit, width)) << bit << "/" << width;
      const std::uint64_t value = random.number(width);
      auto expected = bytes;
      slow_write(expected, bit, width, value);
      write(bytes, field, value);
      ASSERT_EQ(bytes, expected) << bit << "/" << width;
    }
}

TEST(Field, WriteIgnoresBitsAboveTheWidth) {
  std::array<std::uint8_t, 2> bytes{};
  write(bytes, Field{4, 4, "f"}, 0xFFF5);
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 2>{0x05, 0}));
  write_bits<8, 3>(bytes, ~std::uint64_t{0} - 2);
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 2>{0x05, 0xA0}));
}

using TenBytes = std::array<std::uint8_t, 10>;

/// One instantiation of the compiled access.
struct CompiledAccess {
  unsigned bit, width;
  std::uint64_t (*read)(const TenBytes&);
  void (*write)(TenBytes&, std::uint64_t);
};
template <unsigned bit, unsigned... width>
void add_access(std::vector<CompiledAccess>& to, std::integer_sequence<unsigned, width...>) {
  (to.push_back(
       {bit, width + 1,
        [](const TenBytes& bytes) -> std::uint64_t { return read_bits<bit, width + 1>(bytes); },
        [](TenBytes& bytes, std::uint64_t value) { write_bits<bit, width + 1>(bytes, value); }}),
   ...);
}
template <unsigned bit>
void add_every_width(std::vector<CompiledAccess>& to) {
  add_access<bit>(to, std::make_integer_sequence<unsigned, 64 - bit % 8>{});
}

TEST(Field, CompiledAccessAgreesWithTheDefinitionForEveryWidth) {
  std::vector<CompiledAccess> accesses;
  add_every_width<0>(accesses);
  add_every_width<3>(accesses);
  add_every_width<8>(accesses);
  add_every_width<15>(accesses);
  Random random(2);
  for (const auto& [bit, width, read_compiled, write_compiled] : accesses) {
    TenBytes bytes{};
    random.fill(bytes);
    EXPECT_EQ(read_compiled(bytes), slow_read(bytes, bit, width)) << bit << "/" << width;
    TenBytes expected = bytes;
    const std::uint64_t value = random.number(width);
    slow_write(expected, bit, width, value);
    write_compiled(bytes, value);
    EXPECT_EQ(bytes, expected) << bit << "/" << width;
  }
}

TEST(Field, AccessIsConstexpr) {
  constexpr auto bytes = [] {
    std::array<std::uint8_t, 4> out{};
    write_bits<4, 16>(out, 0xABCD);
    write(out, Field{20, 4, "f"}, 0xE);
    return out;
  }();
  static_assert(read_bits<0, 32>(bytes) == 0x0ABCDE00);
  static_assert(read(bytes, Field{4, 20, "f"}) == 0xABCDE);
}

TEST(FieldTable, RepeatedAndJoinedKeepOffsetsAndOrder) {
  constexpr auto table = joined(std::array{Field{0, 8, "Head"}}, repeated<3>(16, 4, "Row"));
  static_assert(table.size() == 4);
  static_assert(table[0].name == "Head" && table[3].name == "Row" && table[3].bit == 24 &&
                table[3].width == 4);
  static_assert(find_field(table, "Row").bit == 16, "the first row of the name");
}

TEST(RawValue, ConvertsEveryKindOfType) {
  enum class Color : std::uint8_t { red = 2 };
  EXPECT_EQ(from_raw<Lid>(7), Lid{7});
  EXPECT_EQ(from_raw<Color>(2), Color::red);
  EXPECT_EQ(from_raw<bool>(1), true);
  EXPECT_EQ(to_raw(Guid{9}), 9u);
  EXPECT_EQ(to_raw(Color::red), 2u);
  EXPECT_EQ(to_raw(true), 1u);
}

}  // namespace
}  // namespace mad
