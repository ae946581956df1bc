// Texts that are too long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/bounded_text.h"

namespace bounded_text_test {

using config::bounded_text;
using testing::EndsWith;
using testing::StartsWith;

TEST(BoundedText, WhatFitsStays) {
  for (const std::size_t size : {0u, 1u, 99u, 100u}) {
    const std::string text(size, 'x');
    EXPECT_EQ(bounded_text(text, 100), text);
  }
}

TEST(BoundedText, WhatIsLongerIsCutAndSaysSo) {
  std::string text(1000, 'x');
  EXPECT_EQ(bounded_text(text, 100), std::string(60, 'x') + "... [940 more bytes]");
  config::bound_text(text, 100);
  EXPECT_EQ(text, std::string(60, 'x') + "... [940 more bytes]");
}

TEST(BoundedText, CharactersAreNotDivided) {
  for (const std::string_view character : {"\xc3\x9f", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    for (std::size_t before = 0; before < 5; ++before) {
      std::string text(before, 'x');
      while (text.size() < 300) text += character;
      const std::string cut = bounded_text(text, 100);
      EXPECT_LE(cut.size(), 100u);
      const std::size_t end = cut.find("... [");
      ASSERT_NE(end, std::string::npos);
      EXPECT_EQ((end - before) % character.size(), 0u) << cut;
      EXPECT_GE(end, 57u);
    }
  }
  EXPECT_THAT(bounded_text(std::string(500, '\x80'), 100), EndsWith("\x80... [440 more bytes]"));
}

TEST(BoundedText, ACutTextCanBeCutAgain) {
  const std::string once = bounded_text(std::string(100'000, 'x'), 4096);
  EXPECT_LE(once.size(), 4096u);
  const std::string twice = bounded_text("cleared: " + once, 100);
  EXPECT_LE(twice.size(), 100u);
  EXPECT_THAT(twice, StartsWith("cleared: xxx"));
}

}  // namespace bounded_text_test
