// Names of routing engines as people write them.

#include "config/engine_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/flags.h"
#include "config/option_files.h"
#include "unit/config/option_samples.h"

namespace config {
namespace engine_names_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(EngineNames, AMisspelledNameHasItsEngine) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows{
      {"min-hop", "minhop"},
      {"MinHop", "minhop"},
      {"UPDN", "updn"},
      {"up/down", "updn"},
      {"up-down", "updn"},
      {"Up*/Down*", "updn"},
      {"updown", "updn"},
      {"fat-tree", "ftree"},
      {"fattree", "ftree"},
      {"FTree", "ftree"},
      {"torus2qos", "torus-2QoS"},
      {"torus-2qos", "torus-2QoS"},
      {"torus_2QoS", "torus-2QoS"},
      {"torus", "torus-2QoS"},
      {"ar-updn", "ar_updn"},
      {"AR_FTREE", "ar_ftree"},
      {"arupdn", "ar_updn"},
      {"df-sssp", "dfsssp"},
      {"DFSSSP", "dfsssp"},
      {"downup", "dnup"},
      {"Auto", "auto"},
      {"shortestpath", "minhop"},
      {"lsah", ""},
      {"nonsense", ""},
      {"pqft", ""},
      {"dfp", ""},
      {"", ""},
      {"--", ""}};
  for (const auto& [name, engine] : rows)
    EXPECT_EQ(meant_engine(name, built_engines()).value_or(""), engine) << name;
}

TEST(EngineNames, EachPlaceNamesTheMeantEngine) {
  const auto finding = [](std::string_view conf, bool is_yaml) {
    Options options;
    Diagnostics found;
    (is_yaml ? parse_yaml : parse_opensm_conf)({"f", conf}, options, found);
    return texts(found);
  };
  constexpr const char* kMeant = "; minhop is used without it; did you mean updn? engines: minhop";
  EXPECT_THAT(
      finding("routing_engine UPDN\n", false),
      ElementsAre(testing::AllOf(HasSubstr("f:1:16: warning: routing engine 'UPDN' is unknown"),
                                 HasSubstr(kMeant))));
  EXPECT_THAT(finding("routing_engine: UPDN\n", true), ElementsAre(HasSubstr(kMeant)));
  EXPECT_THAT(
      finding("routing_engine up/down,dfsssp\n", false),
      ElementsAre(HasSubstr("; dfsssp, then minhop are used without it; did you mean updn?")));
  EXPECT_THAT(finding("routing_engine UPDN,no_fallback\n", false),
              ElementsAre(HasSubstr("; no engine is used without it; did you mean updn?")));
  const char* const args[] = {"heddle", "-R", "min-hop"};
  const CommandLine line = parse_command_line(args, disk({}));
  EXPECT_EQ(line.action, CommandLine::Action::refuse);
  EXPECT_THAT(texts(line.diagnostics),
              testing::Contains(HasSubstr("routing engine 'min-hop' is unknown; did you mean "
                                          "minhop? engines: minhop")));
}

}  // namespace engine_names_test
}  // namespace config
