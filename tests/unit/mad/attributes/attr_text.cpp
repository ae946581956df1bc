// NodeDescription: untrusted text that is written to logs.
#include <gtest/gtest.h>

#include "mad/attributes/node_info.h"
#include "unit/mad/attributes/attr_random.h"

namespace mad {
namespace {

NodeDescription described(std::string_view text) {
  NodeDescription description;
  description.set_text(text);
  return description;
}

TEST(NodeDescription, EndsAtTheFirstNul) {
  EXPECT_EQ(described("leaf1 mlx5_0").text(), "leaf1 mlx5_0");
  EXPECT_EQ(described(std::string_view("a\0b", 3)).text(), "a");
  EXPECT_EQ(NodeDescription().text(), "");
}

TEST(NodeDescription, MayFillAll64BytesWithoutANul) {
  const std::string long_text(80, 'x');
  EXPECT_EQ(described(long_text).text(), std::string(64, 'x'));
}

TEST(NodeDescription, CannotForgeALogLine) {
  EXPECT_EQ(described("host\n2024-01-01 master lost\r\t\x1b[2J").text(),
            "host 2024-01-01 master lost   [2J");
  EXPECT_EQ(described("\x7f\x80\xc3\xa9\xff").text(), "     ");
}

TEST(NodeDescription, SettingAShorterTextClearsTheRest) {
  NodeDescription description = described("a long name");
  description.set_text("b");
  EXPECT_EQ(description, described("b"));
}

TEST(NodeDescription, TextIsPrintableWhateverTheBytes) {
  test::Random random(10);
  for (unsigned round = 0; round < test::kRounds; ++round)
    for (char c : NodeDescription(random.attribute()).text()) ASSERT_TRUE(c >= 0x20 && c <= 0x7E);
}

TEST(NodeDescription, DumpIsOneLine) {
  EXPECT_EQ(dump(described("x\ny")), "NodeDescription: x y\n");
}

}  // namespace
}  // namespace mad
