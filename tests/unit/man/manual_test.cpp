// Manual pages: what the tables say is there, and no text is taken for a macro.

#include <gmock/gmock.h>

#include "config/engine_names.h"
#include "config/schema.h"
#include "fabric/condition.h"
#include "man/mdoc.h"
#include "man/pages.h"
#include "sm/ops/condition_kinds.h"

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
  for (const fabric::ConditionId kind : sm::condition_kinds())
    EXPECT_THAT(all, HasSubstr(".It Li " + std::string(kind->name) + " "));
}

TEST(Manual, HasEveryEngineWithItsKeys) {
  const std::string engines = manual::engines(), steps = manual::filled("@STEP_ENGINES@\n");
  for (const config::EngineRow& row : config::engine_rows()) {
    const std::string name(row.name);
    EXPECT_THAT(engines, HasSubstr(".It Ic " + name + "\n" + manual::sentences(row.what)));
    if (row.routes_parts) {
      EXPECT_THAT(steps, HasSubstr(name));
    }
  }
  EXPECT_THAT(engines, HasSubstr("Keys: root_guid_file, cn_guid_file, io_guid_file, "
                                 "max_reverse_hops.\n.It Ic dor\n"));
}

TEST(Manual, TextIsNeverAMacro) {
  EXPECT_EQ(manual::sentences(".conf files end. 'Quotes' too. A \\ stays"),
            "\\&.conf files end.\n\\&'Quotes' too.\nA \\e stays.\n");
  EXPECT_EQ(manual::literal(".x\n\n--y\n"), ".Bd -literal\n\\&.x\n\n\\-\\-y\n.Ed\n");
  EXPECT_EQ(manual::argument("a \"b\""), "\"a \\(dqb\\(dq\"");
  EXPECT_EQ(manual::argument("a " + std::string(50, '0')),
            "\"a " + std::string(39, '0') + "\\:" + std::string(11, '0') + "\"");
}

TEST(Manual, SentencesHaveLinesOfTheirOwnAndOneFullStop) {
  EXPECT_EQ(manual::sentences("First one. Second, e.g. this.\n"),
            "First one.\nSecond, e.g. this.\n");
  EXPECT_EQ(manual::sentences("Without"), "Without.\n");
  EXPECT_EQ(manual::sentences(""), "");
}

TEST(Manual, HelpBecomesListsAndProse) {
  EXPECT_EQ(manual::from_help("Does it. In\ntwo lines.\nusage: x [OPTIONS]\n\nOptions:\n"
                              "  -h,--help                   this text\n"
                              "  --replay FILE Excludes: TOPOLOGY\n"
                              "                              a file\n"
                              "  --format NAME=ibnetdiscover what is printed\n"
                              "                              by it\n\nMore of it.\n\nExamples:\n"
                              "  x -h\n"),
            "Does it.\nIn two lines.\n"
            ".Ss Options\n.Bl -tag -width Ds\n"
            ".It \"\\-h,\\-\\-help\"\nthis text.\n"
            ".It \"\\-\\-replay FILE Excludes: TOPOLOGY\"\na file.\n"
            ".It \"\\-\\-format NAME=ibnetdiscover\"\nwhat is printed by it.\n"
            ".El\n.Pp\nMore of it.\n"
            ".Ss Examples\n.Bd -literal\n  x \\-h\n.Ed\n");
}

TEST(Manual, MarksAreReplaced) {
  const std::string page = manual::filled("a\n@FLAGS@\nb\n");
  EXPECT_TRUE(page.starts_with("a\n.Bl ") && page.ends_with(".El\nb\n"));
}

}  // namespace manual_test
