#include "soak/table.h"

#include <gmock/gmock.h>

namespace table_test {

using soak::Table;
using testing::HasSubstr;
using testing::Not;

TEST(SoakTable, RowsOfSeveralRunsAddUp) {
  Table first, second, both;
  first.add(soak::RunRow{"heddle_soak", "1..500", 500, 2, 1, 40.5});
  first.add(
      soak::FailureRow{"heddle_soak", "7", "new", "phase 1: a\tlink\nis Init", "SEED=7 soak"});
  second.add(soak::RunRow{"heddle_soak", "501..1000", 500, 1, 0, 10});
  second.add(soak::RunRow{"fuzz", "-", 1'000'000, 0, 0, 60});
  ASSERT_TRUE(both.add(first.lines() + second.lines()));
  EXPECT_EQ(both.new_failures(), 3u);
  const std::string text = both.text();
  EXPECT_THAT(
      text, testing::ContainsRegex("heddle_soak +1\\.\\.500, 501\\.\\.1000 +1000 +3 +1 +5[01]\n"));
  EXPECT_THAT(text, testing::ContainsRegex("all +- +1001000 +3 +1 +11[01]\n"));
  EXPECT_THAT(text, HasSubstr("new failure: phase 1: a link is Init\n  SEED=7 soak\n"));
}

TEST(SoakTable, RepeatedFailuresArePrintedOnceAndNewOnesFirst) {
  Table table;
  for (int time = 0; time < 2; ++time) {
    table.add(soak::FailureRow{"p", "7", "13", "2 masters", "SEED=7 p"});
    table.add(soak::FailureRow{"p", "8", "new", "no LID", "SEED=8 p"});
  }
  const std::string text = table.text();
  EXPECT_EQ(text.find("SEED=7 p"), text.rfind("SEED=7 p"));
  EXPECT_LT(text.find("SEED=8 p"), text.find("SEED=7 p"));
  EXPECT_THAT(text, HasSubstr("known, issue 13: 2 masters"));
}

TEST(SoakTable, AnInvalidRowIsReportedWithItsLine) {
  for (const char* wrong : {"run\tp\t1..2\tx\t0\t0\t1.0", "run\tp", "failure\tp\t1", "hello"}) {
    Table table;
    const auto added = table.add(std::string("run\tp\t-\t1\t0\t0\t1.0\n") + wrong + "\n");
    ASSERT_FALSE(added) << wrong;
    EXPECT_THAT(added.error(), HasSubstr("line 2"));
  }
}

}  // namespace table_test
