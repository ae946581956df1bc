#include "config/health_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace health_files_test {

using config::HealthAction;
using config::PortHealth;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<PortHealth> parse(std::string_view text, std::vector<std::string>& findings) {
  config::Diagnostics out;
  auto entries = config::parse_port_health({"h.conf", text}, out);
  for (const config::Diagnostic& finding : out) findings.push_back(finding.text());
  return entries;
}

TEST(PortHealth, IsReadByGuidPortStateAndAction) {
  std::vector<std::string> findings;
  EXPECT_THAT(parse("# repairs\n"
                    "0xa0 5 UNHEALTHY\n"
                    "0xa1 0 UNHEALTHY isolate\n"
                    "0xa2 255 HEALTHY   # all\n"
                    "0xa3 7 UNHEALTHY no_discover\n",
                    findings),
              ElementsAre(PortHealth{0xa0, 5, false, {}},
                          PortHealth{0xa1, {}, false, HealthAction::isolate},
                          PortHealth{0xa2, {}, true, {}},
                          PortHealth{0xa3, 7, false, HealthAction::no_discover}));
  EXPECT_THAT(findings, IsEmpty());
}

TEST(PortHealth, BadLinesAreErrorsWithTheirPlace) {
  const auto first_finding = [](std::string_view text) {
    std::vector<std::string> findings;
    EXPECT_THAT(parse(text, findings), IsEmpty()) << text;
    return findings.size() == 1 ? findings[0] : std::to_string(findings.size()) + " findings";
  };
  EXPECT_THAT(first_finding("0xa0 5 SICK\n"),
              AllOf(HasSubstr("h.conf:1:8: "), HasSubstr("write HEALTHY or UNHEALTHY")));
  EXPECT_THAT(first_finding("0xa0 5\n"), HasSubstr("the line ends before HEALTHY"));
  EXPECT_THAT(first_finding("0xa0 256 HEALTHY\n"), HasSubstr("h.conf:1:6: "));
  EXPECT_THAT(first_finding("\n0 5 HEALTHY\n"), HasSubstr("h.conf:2:1: "));
  EXPECT_THAT(first_finding("0xa0 5 UNHEALTHY burn\n"),
              AllOf(HasSubstr("h.conf:1:18: "), HasSubstr("ignore, report, isolate")));
}

TEST(PortHealth, ASecondEntryOfAPortIsAWarning) {
  std::vector<std::string> findings;
  EXPECT_THAT(parse("0xa0 5 HEALTHY\n0xa0 5 UNHEALTHY\n", findings), testing::SizeIs(1));
  EXPECT_THAT(findings, ElementsAre(HasSubstr("h.conf:2:1: ")));
}

TEST(SharedSource, IsTheSameIfFileAndTextAre) {
  const auto text = [](const char* of) { return std::make_shared<const std::string>(of); };
  const config::SharedSource one{"f", text("a")};
  EXPECT_EQ(one, (config::SharedSource{"f", text("a")}));
  EXPECT_NE(one, (config::SharedSource{"f", text("b")}));
  EXPECT_NE(one, config::SharedSource{});
}

}  // namespace health_files_test
