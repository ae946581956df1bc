// Names of routing engines as people write them.

#include "config/engine_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/flags.h"
#include "config/option_files.h"
#include "config/schema.h"
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

TEST(EngineNames, EachRowIsInAllListsThatItsFieldsConcern) {
  const auto is_in = [](const auto& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const EngineRow& row : engine_rows()) {
    SCOPED_TRACE(row.name);
    EXPECT_FALSE(row.what.empty());
    EXPECT_TRUE(is_in(built_engines(), row.name));
    EXPECT_EQ(why_not_built(row.name), "is unknown");
    EXPECT_EQ(meant_engine(row.name, built_engines()), row.name);
    EXPECT_EQ(is_in(step_engines(), row.name), row.routes_parts);
    EXPECT_EQ(engines_to_try(std::vector{std::string(row.name)}).front(), row.name);
    EXPECT_NE(plain_engine(row.plain), nullptr);
    EXPECT_EQ(plain_engine(row.plain)->name, row.plain);
    for (const auto rank :
         {&AutoRank::one_switch, &AutoRank::tree, &AutoRank::torus, &AutoRank::other}) {
      EXPECT_EQ(is_in(auto_engines(rank), row.name), row.auto_rank.*rank != 0);
      if (row.auto_rank.*rank != 0) {
        for (const std::string_view key : row.reads)
          EXPECT_TRUE(key.empty() || engine_reads(kAutoEngine, key)) << key;
      }
    }
    for (const std::string_view key : row.reads) {
      if (key.empty()) continue;
      EXPECT_NE(find_key(key), nullptr) << key;
      EXPECT_TRUE(engine_reads(row.name, key)) << key;
      EXPECT_TRUE(is_in(engines_that_read(key), row.name)) << key;
    }
    for (const std::string_view key : files_needed(row.name))
      EXPECT_TRUE(engine_reads(row.name, key));
    EXPECT_EQ(routes_adaptively(row.name), row.plain != row.name);
    EXPECT_EQ(files_needed(row.name).size(), files_needed(row.plain).size());
  }
}

/// Two engines of one rank would be one, and a gap would mean that an engine was left out.
TEST(EngineNames, RanksOfAutoAreCountedFromOne) {
  for (const auto rank :
       {&AutoRank::one_switch, &AutoRank::tree, &AutoRank::torus, &AutoRank::other}) {
    std::vector<unsigned> ranks, expected;
    for (const EngineRow& row : engine_rows())
      if (row.auto_rank.*rank != 0) ranks.push_back(row.auto_rank.*rank);
    std::ranges::sort(ranks);
    for (unsigned i = 1; i <= ranks.size(); ++i) expected.push_back(i);
    EXPECT_EQ(ranks, expected);
  }
}

TEST(EngineNames, ANameOfNoRowIsNoEngine) {
  EXPECT_EQ(plain_engine("nonsense"), nullptr);
  EXPECT_FALSE(routes_adaptively("nonsense"));
  EXPECT_FALSE(engine_assigns_vls("nonsense"));
  EXPECT_THAT(files_needed("nonsense"), testing::IsEmpty());
  EXPECT_FALSE(engine_assigns_vls("chain"));
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
