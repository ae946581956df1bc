// heddlectl check, from answers of the API.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ctl/fabric_check.h"

namespace fabric_check_test {

using Json = nlohmann::ordered_json;
using sm::ctl::CheckedAnswers;
using testing::HasSubstr;

Json link(bool degraded, const char* state) {
  return {{"a", {{"description", "leaf-1"}, {"port", 3}}},
          {"b", {{"description", "n1"}, {"port", 1}}},
          {"degraded", degraded},
          {"port_state", state}};
}

CheckedAnswers good() {
  CheckedAnswers answers;
  answers.status = {
      {"state", "Master"},
      {"fabric", {{"nodes", 3}}},
      {"master", {{"name", "this"}}},
      {"managers", Json::array({{{"name", "n9"}, {"counts", true}, {"state", "Standby"}}})},
      {"conditions", Json::array({{{"severity", "info"}}})}};
  answers.links = {{"links", Json::array({link(false, "Active")})}};
  answers.counters = {{"age_s", 9},
                      {"ports", 2},
                      {"counters", Json::array({{{"description", "n1"},
                                                 {"port", 1},
                                                 {"errors_per_hour", 10.0},
                                                 {"errors_grown", 5.0},
                                                 {"interval_s", 1800.0}}})}};
  answers.partitions = {
      {"revision", 3}, {"applied_revision", 3}, {"partitions", Json::array({Json::object()})}};
  answers.errors_per_hour_max = 10;
  answers.differences = 0;
  return answers;
}

std::string text(const CheckedAnswers& answers) {
  return sm::ctl::checked_text(sm::ctl::check_fabric(answers), false);
}

TEST(FabricCheck, HasALineForEachTopic) {
  EXPECT_EQ(text(good()),
            "ok       managers    this one is Master, 1 standby manager\n"
            "ok       conditions  none but information\n"
            "ok       routing     no credit loop is possible\n"
            "ok       links       1 link, all Active, as both ends support\n"
            "ok       counters    2 ports, none with more than 10 errors an hour and 4 between two "
            "polls\n"
            "ok       partitions  1 partition, all in the fabric\n"
            "ok       topology    as saved\n");
  EXPECT_FALSE(sm::ctl::has_findings(sm::ctl::check_fabric(good())));
}

TEST(FabricCheck, EachTopicCanHaveAFinding) {
  const auto expect_finding = [](const CheckedAnswers& answers, const std::string& says) {
    const auto topics = sm::ctl::check_fabric(answers);
    EXPECT_TRUE(sm::ctl::has_findings(topics)) << says;
    EXPECT_THAT(sm::ctl::checked_text(topics, false), HasSubstr("FINDING  " + says));
    EXPECT_TRUE(sm::ctl::checked_json(topics).at("findings").get<bool>());
  };
  CheckedAnswers answers = good();
  answers.status["managers"][0]["counts"] = false;
  expect_finding(answers, "managers    treated as absent, by SM_Key or allowed_sm_guids: n9\n");
  answers = good();
  answers.status["master"] = nullptr;
  expect_finding(answers, "managers    no MASTER is known\n");
  answers = good();
  answers.status["conditions"].push_back({{"severity", "error"}});
  expect_finding(answers, "conditions  0 critical, 1 error, 0 warnings;");
  answers = good();
  answers.status["conditions"].push_back({{"id", "SM-ROUTING-LIMIT"},
                                          {"severity", "warning"},
                                          {"text", "minhop: credit loop possible"}});
  expect_finding(answers, "routing     minhop: credit loop possible\n");
  for (const Json& bad : {link(true, "Active"), link(false, "Initialize")}) {
    answers = good();
    answers.links["links"].push_back(bad);
    expect_finding(answers,
                   "links       1 of 2 links slower than both ends support, or not Active: leaf-1 "
                   "port 3 <-> n1 port 1\n");
  }
  answers = good();
  answers.errors_per_hour_max = 9;
  expect_finding(answers, "counters    more than 9 errors an hour: n1 port 1 (5 in 1800 s)\n");
  answers = good();
  answers.partitions["applied_revision"] = 2;
  expect_finding(answers, "partitions  revision 3 is not in the fabric yet, which has 2\n");
  answers = good();
  answers.differences = 2;
  expect_finding(answers, "topology    2 differences;");
}

TEST(FabricCheck, OneLossOfALinkIsNotARateOfErrors) {
  CheckedAnswers answers = good();
  answers.counters["counters"][0].update(
      {{"errors_per_hour", 20.0}, {"errors_grown", 1.0}, {"interval_s", 180.0}});
  EXPECT_FALSE(sm::ctl::has_findings(sm::ctl::check_fabric(answers)));
}

TEST(FabricCheck, NothingIsOkWhileTheManagersOwnPortIsDown) {
  CheckedAnswers answers = good();
  answers.status["conditions"].push_back(
      {{"id", "SM-PORT-DOWN"}, {"severity", "critical"}, {"text", "\"H0\" port 1 has no link"}});
  EXPECT_THAT(text(answers),
              testing::AllOf(HasSubstr("FINDING  managers    this one is Master, and nothing is "
                                       "managed: \"H0\" port 1 has no link\n"),
                             HasSubstr("FINDING  links       those of the latest sweep are not "
                                       "known to be up: \"H0\" port 1 has no link\n")));
}

TEST(FabricCheck, AManagerThatSeesOnlyItselfManagesNothing) {
  CheckedAnswers answers = good();
  answers.status["fabric"]["nodes"] = 1;
  answers.links["links"].clear();
  EXPECT_THAT(text(answers),
              testing::AllOf(HasSubstr("FINDING  managers    this one is Master, and nothing is "
                                       "managed: this manager sees no node but its own"),
                             HasSubstr("FINDING  links       there is no link\n")));
  answers.status.erase("fabric");
  EXPECT_THAT(text(answers), HasSubstr("nothing is managed: the subnet has not been read yet"));
  answers.status["state"] = "Standby";
  EXPECT_THAT(text(answers), HasSubstr("ok       managers    this one is Standby"));
}

TEST(FabricCheck, NamesMembersThatAreNotInTheSubnet) {
  CheckedAnswers answers = good();
  answers.partitions["partitions"] = Json::array(
      {{{"p_key", "0x0012"}, {"absent_members", 0}}, {{"p_key", "0x0013"}, {"absent_members", 2}}});
  EXPECT_THAT(
      text(answers),
      HasSubstr("ok       partitions  2 partitions, all in the fabric; 2 members of the API "
                "are not in the subnet: `heddlectl partition show 0x0013`\n"));
}

TEST(FabricCheck, WhatIsNotKnownIsNoFinding) {
  CheckedAnswers answers = good();
  answers.counters["age_s"] = nullptr;
  answers.partitions = nullptr;
  answers.differences.reset();
  EXPECT_FALSE(sm::ctl::has_findings(sm::ctl::check_fabric(answers)));
  EXPECT_THAT(text(answers), HasSubstr("-        counters    not read"));
}

}  // namespace fabric_check_test
