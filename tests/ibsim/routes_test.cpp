// heddlectl on a live fabric: its paths and changes are those of ibtracert and of the switches.

#include <regex>

#include "ibsim/fixture.h"

namespace harness {
namespace routes_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Routes : public OnIbsimWithEachSm {
 protected:
  Finished heddlectl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HEDDLECTL_PROGRAM);
    return fabric().run(arguments);
  }
  void bring_up() {
    start_fabric(sample_net("random-20s-40h"));
    home_ = bring_up_once({.kind = GetParam()}).home();
  }
  /// On the daemon's machine: with what it has stored.
  Finished heddlectl_beside_daemon(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"env", "OSM_CACHE_DIR=" + (home_ / "cache").string(),
                                     HEDDLECTL_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return fabric().run(command);
  }
  std::filesystem::path home_;
};

/// Names of nodes in the order in which a text has them in quotes.
std::vector<std::string> quoted_names(const std::string& text) {
  std::vector<std::string> names;
  const std::regex quoted("\"([^\"]*)\"");
  for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end; ++it)
    names.push_back((*it)[1]);
  return names;
}

TEST_P(Routes, TraceEqualsIbtracert) {
  bring_up();
  const std::regex lid_line("LID (\\d+) by (\\d+) cables");
  for (const auto& [from, to] : {std::pair{"H0", "H39"}, {"H12", "H7"}, {"H5", "H6"}}) {
    const Finished trace = heddlectl({"trace", "--live", from, to});
    ASSERT_TRUE(trace.ok()) << trace.err;
    std::vector<std::string> lids;
    for (std::sregex_iterator it(trace.out.begin(), trace.out.end(), lid_line), end; it != end;
         ++it)
      lids.push_back((*it)[1]);
    ASSERT_EQ(lids.size(), 2u) << trace.out;
    const Finished seen = fabric().run({"ibtracert", lids[1], lids[0]});
    ASSERT_TRUE(seen.ok()) << seen.err;
    const std::string there = trace.out.substr(0, trace.out.find("LID "));
    std::vector<std::string> theirs = quoted_names(seen.out);  // "From", one for each hop, "To"
    ASSERT_GE(theirs.size(), 2u);
    theirs.pop_back();
    EXPECT_EQ(quoted_names(there), theirs) << trace.out << seen.out;
  }
}

TEST_P(Routes, PlanIsEmptyForACorrectFabric) {
  bring_up();
  const Finished plan = heddlectl({"plan"});
  ASSERT_TRUE(plan.ok()) << plan.err;
  // LIDs stay whichever manager assigned them, and valid routes stay.
  EXPECT_THAT(plan.out, AllOf(HasSubstr("minhop would route it"),
                              HasSubstr("LIDs: 0 of 60 end ports would get another"),
                              HasSubstr("0 entries in 0 blocks would change"),
                              Not(HasSubstr("forwarding table blocks\n"))));
  if (GetParam() == SmKind::heddle) {
    const Finished same = heddlectl_beside_daemon({"plan"});
    EXPECT_THAT(same.out, HasSubstr("writes: none\n")) << same.err;
  }
  // Another timeout: a write for each port that stores it.
  const Finished other = heddlectl({"plan", "--set", "packet_life_time=11", "--writes", "1"});
  EXPECT_THAT(other.out, AllOf(HasSubstr(" SwitchInfo\n"), HasSubstr("LifeTimeValue ")));
  const Finished without_s7 = heddlectl({"plan", "--without", "S7"});
  EXPECT_THAT(without_s7.out,
              AllOf(HasSubstr("would be lost"), Not(HasSubstr("0 entries in 0 blocks"))));
  if (GetParam() == SmKind::heddle) {
    EXPECT_THAT(heddlectl({"plan", "--rebalance"}).out,
                HasSubstr("0 entries in 0 blocks would change"));
  }
  expect_good_fabric();  // plan has written nothing
}

INSTANTIATE_TEST_SUITE_P(EachSm, Routes, ::testing::ValuesIn(available_sms()), sm_test_name);

}  // namespace routes_test
}  // namespace harness
