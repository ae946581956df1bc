// Lines of a watch, as they are received.
#include <chrono>

#include <gtest/gtest.h>

#include "sm/http/http_client.h"

namespace line_buffer_test {

using namespace std::chrono_literals;
using sm::LineBuffer;

TEST(LineBuffer, ReturnsLinesInTurn) {
  LineBuffer lines;
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.append("a");
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.append("b\n\ncd\nrest");
  EXPECT_EQ(lines.next(), "ab");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "cd");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_EQ(lines.size(), 4u);
  lines.append(" of it\n");
  EXPECT_EQ(lines.next(), "rest of it");
  lines.append("end");
  EXPECT_EQ(lines.next(), std::nullopt);
  EXPECT_EQ(lines.take_rest(), "end");
  EXPECT_EQ(lines.size(), 0u);
}

TEST(LineBuffer, PartsOfALongLineAreSearchedOnce) {
  constexpr std::size_t kPart = 1024, kParts = 64 * 1024;
  LineBuffer lines;
  const std::string part(kPart, 'x');
  const auto before = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kParts; ++i) {
    lines.append(part);
    ASSERT_EQ(lines.next(), std::nullopt);
  }
  lines.append("\n");
  EXPECT_EQ(lines.next()->size(), kPart * kParts);
  // Each time from the beginning it were 2 TB.
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
}

TEST(LineBuffer, ManyShortLinesAreMovedAFewTimesOnly) {
  constexpr std::size_t kLines = 2'000'000;
  LineBuffer lines;
  std::string all;
  for (std::size_t i = 0; i < kLines; ++i) all += "line\n";
  lines.append(all);
  const auto before = std::chrono::steady_clock::now();
  std::size_t count = 0;
  while (lines.next()) ++count;
  EXPECT_EQ(count, kLines);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
}

}  // namespace line_buffer_test
