#include "mad/number.h"

#include <gtest/gtest.h>

namespace number_test {

TEST(Number, WholeTextIsTheNumber) {
  EXPECT_EQ(mad::parse_number("17").value(), 17u);
  EXPECT_EQ(mad::parse_number("fF", 16).value(), 255u);
  EXPECT_EQ(mad::parse_number<std::int64_t>("-2").value(), -2);
  EXPECT_EQ(mad::parse_number<double>("0.5").value(), 0.5);
  for (const std::string_view bad : {"", " 1", "1 ", "+1", "-1", "0x1", "1a"})
    EXPECT_EQ(mad::parse_number(bad).error(), mad::NumberFault::not_a_number) << bad;
}

TEST(Number, TypeLimitsTheNumber) {
  EXPECT_EQ(mad::parse_number<std::uint8_t>("255").value(), 255);
  EXPECT_EQ(mad::parse_number<std::uint8_t>("256").error(), mad::NumberFault::too_large);
  EXPECT_EQ(mad::parse_number("18446744073709551616").error(), mad::NumberFault::too_large);
  EXPECT_EQ(mad::parse_number<std::uint8_t>("256x").error(), mad::NumberFault::not_a_number);
}

TEST(Number, TakenNumberLeavesTheRest) {
  std::string_view text = "12ms";
  EXPECT_EQ(mad::take_number(text).value(), 12u);
  EXPECT_EQ(text, "ms");
  EXPECT_FALSE(mad::take_number(text));
  EXPECT_EQ(text, "ms");
}

TEST(Number, HexadecimalNeedsItsPrefixAndAtMostSixteenDigits) {
  EXPECT_EQ(mad::parse_hex("0x0"), 0u);
  EXPECT_EQ(mad::parse_hex("0XfF"), 255u);
  EXPECT_EQ(mad::parse_hex("0xffffffffffffffff"), ~std::uint64_t{0});
  for (const std::string_view bad : {"", "0x", "10", "0x10000000000000000", "0x00000000000000001",
                                     "0x1g", "0x-1", "-0x1", "0x 1"})
    EXPECT_EQ(mad::parse_hex(bad), std::nullopt) << bad;
}

TEST(Number, PrefixChoosesTheBase) {
  EXPECT_EQ(mad::parse_hex_or_decimal("0x10"), 16u);
  EXPECT_EQ(mad::parse_hex_or_decimal("010"), 10u);
  EXPECT_EQ(mad::parse_hex_or_decimal("255", 255), 255u);
  EXPECT_EQ(mad::parse_hex_or_decimal("256", 255), std::nullopt);
  EXPECT_EQ(mad::parse_hex_or_decimal("0x"), std::nullopt);
}

TEST(Number, BytesHaveTwoDigitsEach) {
  EXPECT_EQ(mad::parse_bytes("00ff4A"), std::string("\0\xff\x4a", 3));
  EXPECT_EQ(mad::parse_bytes(""), "");
  for (const std::string_view bad : {"0", "00f", "0g", "0x", "-1"})
    EXPECT_EQ(mad::parse_bytes(bad), std::nullopt) << bad;
}

TEST(Number, GuidHasThreeForms) {
  const mad::Guid guid{0x0002c90300a1b2c3};
  EXPECT_EQ(mad::parse_guid("0x2c90300a1b2c3"), guid);
  EXPECT_EQ(mad::parse_guid("0002C90300A1B2C3"), guid);
  EXPECT_EQ(mad::parse_guid("00:02:c9:03:00:a1:b2:c3"), guid);
  EXPECT_EQ(mad::parse_guid("0x0"), mad::Guid{});
  for (const std::string_view bad :
       {"", "0x", "2c90300a1b2c3", "0x00002c90300a1b2c3", "00-02-c9-03-00-a1-b2-c3",
        "00:02:c9:03:00:a1:b2:cg", "0002c90300a1b2cg", "0x0002c90300a1b2c3 "})
    EXPECT_EQ(mad::parse_guid(bad), std::nullopt) << bad;
}

}  // namespace number_test
