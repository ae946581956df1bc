#include "soak/test_report.h"

#include <gmock/gmock.h>

namespace test_report_test {

using testing::HasSubstr;

TEST(TestReport, CountsSeedsAndReportsTheFailedSeed) {
  soak::Table table;
  const auto added = soak::add_test_report(
      R"({"tests": 3, "testsuites": [{"name": "Routing", "testsuite": [
        {"name": "NoLoops", "seeds": "200"},
        {"name": "Balanced", "seeds": "17", "failures": [
          {"failure": "a.cpp:3\nExpected: x\nGoogle Test trace:\nb.h:9: )"
      R"(replay with HEDDLE_SEED=1016 --gtest_filter=Routing.Balanced\n", "type": ""}]},
        {"name": "ByHand"}]}]})",
      "build/dev/bin/heddle_routing_properties", "1000..1199", 12, table);
  ASSERT_TRUE(added) << added.error();
  const std::string lines = table.lines();
  EXPECT_THAT(lines, HasSubstr("run\theddle_routing_properties\t1000..1199\t217\t1\t0\t12.0\n"));
  EXPECT_THAT(lines,
              HasSubstr("failure\theddle_routing_properties\t1016\tnew\tRouting.Balanced: "));
  EXPECT_THAT(lines, HasSubstr("\tHEDDLE_SEED=1016 build/dev/bin/heddle_routing_properties "
                               "--gtest_filter=Routing.Balanced\n"));
}

TEST(TestReport, AnInvalidReportIsAnError) {
  for (const char* json : {"", "{", "{}", R"({"testsuites": [{}]})"}) {
    soak::Table table;
    EXPECT_FALSE(soak::add_test_report(json, "p", "1..2", 0, table)) << json;
  }
}

}  // namespace test_report_test
