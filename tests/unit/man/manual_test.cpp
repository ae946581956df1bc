// Manual pages: what the tables say is there, and no text is taken for a macro.

#include <gmock/gmock.h>

#include "config/schema.h"
#include "fabric/condition.h"
#include "man/mdoc.h"
#include "man/pages.h"

namespace manual_test {

using testing::HasSubstr;

TEST(Manual, HasEveryKeyFlagAndCondition) {
  const std::string keys = manual::keys(), flags = manual::flags(), all = manual::conditions();
  for (const config::Key& key : config::keys())
    EXPECT_THAT(keys, HasSubstr(".It Ic " + std::string(key.name) + "\n"));
  for (const config::Flag& flag : config::flags()) {
    if (flag.hidden) continue;
    EXPECT_THAT(flags, HasSubstr(" Fl Fl " + std::string(flag.name)));
  }
  for (const sm::ConditionKind& kind : sm::condition_kinds())
    EXPECT_THAT(all, HasSubstr(".It Li " + std::string(kind.name) + " "));
}

TEST(Manual, TextIsNeverAMacro) {
  EXPECT_EQ(manual::sentences(".conf files end. 'Quotes' too. A \\ stays"),
            "\\&.conf files end.\n\\&'Quotes' too.\nA \\e stays.\n");
  EXPECT_EQ(manual::literal(".x\n\n--y\n"), ".Bd -literal\n\\&.x\n\n\\-\\-y\n.Ed\n");
  EXPECT_EQ(manual::argument("a \"b\""), "\"a \\(dqb\\(dq\"");
}

TEST(Manual, SentencesHaveLinesOfTheirOwnAndOneFullStop) {
  EXPECT_EQ(manual::sentences("First one. Second, e.g. this.\n"),
            "First one.\nSecond, e.g. this.\n");
  EXPECT_EQ(manual::sentences("Without"), "Without.\n");
  EXPECT_EQ(manual::sentences(""), "");
}

TEST(Manual, MarksAreReplaced) {
  const std::string page = manual::filled("a\n@FLAGS@\nb\n");
  EXPECT_TRUE(page.starts_with("a\n.Bl ") && page.ends_with(".El\nb\n"));
}

}  // namespace manual_test
