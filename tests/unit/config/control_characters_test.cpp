// Characters that a terminal obeys.
#include <gtest/gtest.h>

#include "config/control_characters.h"
#include "config/diagnostic.h"

namespace control_characters_test {

TEST(ControlCharacters, AreC0DelAndC1InBothForms) {
  for (const char* text : {"\x01", "a\x1b[2J", "\x7f", "\xc2\x80",
                           "\xc2\x9b"
                           "2J",
                           "a\xc2\x9f",
                           "\x9b"
                           "2J",
                           "\xe9\x9b"
                           "2J"})
    EXPECT_TRUE(config::has_control_characters(text)) << config::printable(text);
  for (const char* text :
       {"", "plain", "\xc2\xa0", "\xc3\x9f", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xe9", "\xc2"})
    EXPECT_FALSE(config::has_control_characters(text)) << config::printable(text);
}

TEST(ControlCharacters, AreReplacedOrEscaped) {
  const std::string text =
      "a\xc2\x9b"
      "31m\x9c \xc3\x9f\n";
  EXPECT_EQ(config::without_control_characters(text), "a?31m? \xc3\x9f?");
  EXPECT_EQ(config::printable(text), "a\\xc2\\x9b31m\\x9c \xc3\x9f\\x0a");
  const std::string name(200, 'a');
  EXPECT_EQ(config::escape_control_characters(name + "\x1b[2J\n"), name + "\\x1b[2J\\x0a")
      << "a name is shown as a whole";
  EXPECT_EQ(config::escape_lines("a\x1b[2J\n\x7f\n"), "a\\x1b[2J\n\\x7f\n");
  EXPECT_EQ(config::escape_lines(""), "");
}

}  // namespace control_characters_test
