#include "sm/sweep/pass_request.h"

#include <gtest/gtest.h>

#include <chrono>

namespace pass_request_test {

using namespace std::chrono_literals;
using sm::PassRequest;

constexpr mad::Guid kA{1}, kB{2}, kC{3};

PassRequest merged(PassRequest first, PassRequest second) {
  first.add(std::move(second));
  return first;
}

/// Has a value other than the default in each member that requests something.
PassRequest everything_that_can_be_requested() {
  return {.everything = true,
          .changed = {kA},
          .answering = {kB},
          .trust_tables = false,
          .audits_tables = true,
          .p_keys_may_wait = true,
          .reroute = true,
          .removes_conflicts = true,
          .p_keys = true,
          .members = sm::MemberChanges{.guids = {kC}, .partitions = true},
          .vl_tables = true,
          .m_keys = true,
          .groups = true,
          .routers = true,
          .adaptive = true,
          .vports = sm::VPortChanges{.ports = {kA}, .only_changes = true},
          .why = "all",
          .arrived = mad::TimePoint{1s}};
}

TEST(PassRequest, NothingIsLostOrAddedByAMergeWithNothing) {
  const PassRequest all = everything_that_can_be_requested();
  EXPECT_EQ(merged(PassRequest{}, all), all);
  EXPECT_EQ(merged(all, PassRequest{}), all);
  EXPECT_EQ(merged(all, all), all);
  EXPECT_EQ(merged(PassRequest{}, PassRequest{}), PassRequest{});
}

TEST(PassRequest, GuidsAreMergedInAscendingOrderEachOnce) {
  const PassRequest both = merged({.changed = {kB}, .answering = {kB}, .why = "first"},
                                  {.changed = {kC, kA, kB}, .answering = {kA}, .why = "second"});
  EXPECT_EQ(both.changed, (std::vector{kA, kB, kC}));
  EXPECT_EQ(both.answering, (std::vector{kA, kB}));
  EXPECT_EQ(both.why, "second");
}

TEST(PassRequest, TheEarliestTrapCounts) {
  const PassRequest early{.arrived = mad::TimePoint{1s}}, late{.arrived = mad::TimePoint{2s}};
  EXPECT_EQ(merged(late, early).arrived, early.arrived);
  EXPECT_EQ(merged(early, late).arrived, early.arrived);
}

TEST(PassRequest, OneRequestThatReadsTablesReadsThem) {
  const PassRequest trusts{}, audits{.trust_tables = false, .audits_tables = true},
      reads{.trust_tables = false};
  EXPECT_EQ(merged(trusts, audits), audits);
  EXPECT_EQ(merged(audits, reads), reads);
  EXPECT_EQ(merged(reads, audits), reads);
  EXPECT_EQ(merged(reads, trusts), reads);
}

TEST(PassRequest, SilentVPortsAreReadIfOneRequestDoesNotOnlyNameChanges) {
  const PassRequest changes{.vports = sm::VPortChanges{.ports = {kB}, .only_changes = true}},
      all{.vports = sm::VPortChanges{.ports = {kA}}};
  const PassRequest both = merged(changes, all);
  ASSERT_TRUE(both.vports);
  EXPECT_EQ(*both.vports, (sm::VPortChanges{.ports = {kA, kB}}));
  EXPECT_TRUE(merged(changes, changes).vports->only_changes);
}

TEST(PassRequest, ASurveyLeavesOnlyGroupsAndVPorts) {
  PassRequest rest = everything_that_can_be_requested();
  const PassRequest survey = rest.take_survey();
  EXPECT_EQ(rest, (PassRequest{.groups = true,
                               .vports = sm::VPortChanges{.ports = {kA}, .only_changes = true}}));
  EXPECT_TRUE(survey.has_survey());
  EXPECT_FALSE(survey.has_parts());
  EXPECT_EQ(survey, (PassRequest{.everything = true,
                                 .changed = {kA},
                                 .answering = {kB},
                                 .trust_tables = false,
                                 .audits_tables = true,
                                 .p_keys_may_wait = true,
                                 .reroute = true,
                                 .removes_conflicts = true,
                                 .why = "all",
                                 .arrived = mad::TimePoint{1s}}));
}

TEST(PassRequest, PartsLeaveTheSurvey) {
  PassRequest rest = everything_that_can_be_requested();
  const PassRequest parts = rest.take_parts();
  EXPECT_EQ(parts, (PassRequest{
                       .p_keys = true, .vl_tables = true, .m_keys = true, .why = "new partitions"}))
      << "partitions include the memberships";
  EXPECT_FALSE(rest.has_parts());
  EXPECT_TRUE(rest.has_survey() && rest.groups && rest.vports);
  EXPECT_EQ(rest.why, "all");
  PassRequest members{.members = sm::MemberChanges{.guids = {kA}}};
  EXPECT_EQ(members.take_parts(), (PassRequest{.members = sm::MemberChanges{.guids = {kA}},
                                               .why = "partitions of the API"}));
  EXPECT_EQ(members, PassRequest{});
}

TEST(PassResult, TheNextPassOfARequestSaysWhatFollows) {
  sm::PassResult result{.writes = 2, .follow_up = PassRequest{.p_keys = true}};
  result.add(
      {.end = sm::SweepEnd::subnet_up, .writes = 3, .follow_up = PassRequest{.groups = true}},
      true);
  EXPECT_EQ(result.end, sm::SweepEnd::subnet_up);
  EXPECT_EQ(result.writes, 5u);
  EXPECT_EQ(result.follow_up, PassRequest{.groups = true});
  result.add({}, false);
  EXPECT_EQ(result.end, sm::SweepEnd::subnet_up) << "only the deciding pass changes it";
  EXPECT_FALSE(result.follow_up);
}

}  // namespace pass_request_test
