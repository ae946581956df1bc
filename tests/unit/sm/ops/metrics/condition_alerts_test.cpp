// Each kind of condition has an alert that fires in time, once, or a reason not to have one. The
// input of promtool is made from the registry, so that a new kind without either fails.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sm/health/health_conditions.h"
#include "sm/ops/condition_kinds.h"
#include "sm/sa/sa_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/require_tool.h"
#include "unit/sm/temporary_directory.h"
#include "virt/vnic/vnic_conditions.h"

namespace sm::metrics {
namespace condition_alerts_test {

using fabric::ConditionId;
using fabric::Severity;

const std::filesystem::path kRules =
    std::filesystem::path(HEDDLE_SOURCE_DIR) / "packaging/prometheus/heddle.rules.yml";

/// Kinds of warning or above without an alert. Kinds of severity info need no row: there is nothing
/// to act on.
struct WithoutAlert {
  ConditionId id;
  std::string_view reason;
};
constexpr auto kWithoutAlert = std::to_array<WithoutAlert>({
    {fabric::kFabricConditions.value_implausible,
     "It does no harm: the node is managed as if the value were right."},
    {routing::kRoutingConditions.multicast_shared_tree, "Nothing is wrong: all groups are served."},
    {sa::kSaConditions.sa_busy,
     "Hosts repeat these requests, as when many start at once. HeddleSaBusy fires if it goes on."},
});
/// A port that an operator has taken out of use is reported after a day, whatever its severity.
constexpr auto kAfterADay = std::to_array<ConditionId>({sm::kHealthConditions.isolated_by_operator,
                                                        sm::kHealthConditions.switch_held_back,
                                                        sm::kHealthConditions.port_unhealthy});
/// These end with the sweep that raised them: only their count can show them.
constexpr auto kOfOneSweep = std::to_array<ConditionId>({sm::kSweepConditions.mass_change});

bool contains(const auto& ids, ConditionId id) { return std::ranges::find(ids, id) != ids.end(); }

/// A condition that is raised in minute 11, or an occurrence that happens once in it.
struct Case {
  ConditionId kind;
  Severity severity;

  std::string instance() const {
    return fmt::format("{} {} {}", kind->name, name(severity), name(kind->nature()));
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const ConditionId kind : sm::condition_kinds()) {
    for (const Severity severity :
         {Severity::info, Severity::warning, Severity::error, Severity::critical})
      if (kind->has(fabric::ConditionKind::by_consequence) || severity == kind->severity)
        all.push_back({kind, severity});
  }
  // A lost link is a warning or an error.
  std::erase_if(all, [](const Case& of) {
    return of.kind == sm::kSweepConditions.link_lost && of.severity != Severity::warning &&
           of.severity != Severity::error;
  });
  return all;
}

std::string series(const Case& of, std::string_view metric, std::string_view labels,
                   std::string_view values) {
  return fmt::format(
      "      - series: '{}{{instance=\"{}\",job=\"a\"{}{}}}'\n        values: '{}'\n", metric,
      of.instance(), labels.empty() ? "" : ",", labels, values);
}

constexpr std::string_view kFrom0To1 = "0x10 1x1600";

/// Returns the series that the daemon exports about the loss of a node: of a switch, or of one host
/// among many.
std::string losses(const Case& of) {
  const bool is_host = of.severity == Severity::info;
  return series(of, "heddle_nodes_lost", "type=\"switch\"", is_host ? "0x1610" : kFrom0To1) +
         series(of, "heddle_nodes_lost", "type=\"ca\"", is_host ? kFrom0To1 : "0x1610") +
         series(of, "heddle_nodes", "type=\"ca\"", "324x1610") +
         series(of, "heddle_hosts_cut_off", "", "0x1610");
}

std::string series(const Case& of) {
  const std::string id = fmt::format("id=\"{}\"", of.kind->name);
  const std::string labels = fmt::format("{},severity=\"{}\"", id, name(of.severity));
  if (of.kind->is_occurrence()) return series(of, "heddle_occurrences_total", labels, kFrom0To1);
  if (contains(kOfOneSweep, of.kind))
    return series(of, "heddle_conditions_cleared_total", labels, kFrom0To1);
  if (contains(vnic::kVnicConditions.ids(), of.kind))
    return series(of, "heddle_vnic_conditions", "condition" + id.substr(2), "_x10 1x1600");
  std::string text = series(of, "heddle_conditions", labels, "_x10 1x1600");
  if (of.kind == sm::kSweepConditions.node_lost) text += losses(of);
  if (of.kind == sm::kSweepConditions.link_lost)
    text += series(of, "heddle_links_lost", "between=\"switches\"", kFrom0To1);
  return text;
}

bool lasts(const Case& of) { return !of.kind->is_occurrence() && !contains(kOfOneSweep, of.kind); }

/// Returns after how many minutes the alert of a case, if there is one, fires at the latest.
int deadline_minutes(const Case& of) {
  if (!lasts(of)) return 2;
  if (of.severity == Severity::critical) return 5;
  return of.severity == Severity::error ? 20 : 70;
}

bool has_alert(const Case& of) {
  return of.severity != Severity::info && !contains(kAfterADay, of.kind) &&
         std::ranges::find(kWithoutAlert, of.kind, &WithoutAlert::id) == kWithoutAlert.end();
}

/// Expects one firing alert of the case, with its identifier, `minutes` after it was raised; or
/// none.
std::string expectation(const Case& of, int minutes, bool has_one) {
  return fmt::format(
      "      - expr: 'count by (id) (ALERTS{{alertstate=\"firing\",instance=\"{}\"}})'\n"
      "        eval_time: {}m\n{}",
      of.instance(), 10 + minutes,
      has_one ? fmt::format("        exp_samples: [{{labels: '{{id=\"{}\"}}', value: 1}}]\n",
                            of.kind->name)
              : std::string());
}

std::string promtool_input(const std::vector<Case>& all, std::string_view every,
                           const std::string& expectations) {
  std::string text = fmt::format(
      "rule_files: ['{}']\nevaluation_interval: {}\n"
      "tests:\n  - interval: 1m\n    input_series:\n",
      kRules.string(), every);
  for (const Case& of : all) text += series(of);
  return text + "    promql_expr_test:\n" + expectations;
}

/// Returns what promtool prints about what is not as expected.
std::string run_promtool(const std::string& input) {
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory / "conditions.test.yml";
  write_text(file, input);
  const std::string command = fmt::format("'{}' test rules '{}' 2>&1",
                                          support::find_tool("promtool").string(), file.string());
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
  return text.find("SUCCESS") != std::string::npos ? "" : text;
}

TEST(ConditionAlerts, EachKindHasOneAlertInTimeOrAReason) {
  HEDDLE_REQUIRE_TOOL("promtool", "prometheus");
  std::string expectations;
  for (const Case& of : cases()) {
    expectations += expectation(of, deadline_minutes(of), has_alert(of));
    if (!lasts(of)) expectations += expectation(of, 15, false);
  }
  EXPECT_EQ(run_promtool(promtool_input(cases(), "1m", expectations)), "")
      << "a kind without an alert belongs into heddle.rules.yml, or with a reason into "
         "kWithoutAlert";
}

TEST(ConditionAlerts, WhatAnOperatorTookOutOfUseIsReportedAfterADay) {
  HEDDLE_REQUIRE_TOOL("promtool", "prometheus");
  std::vector<Case> all = cases();
  std::erase_if(all, [](const Case& of) {
    return of.severity != Severity::info && !contains(kAfterADay, of.kind);
  });
  ASSERT_GT(all.size(), 5u);
  std::string expectations;
  for (const Case& of : all)
    expectations += expectation(of, 26 * 60 - 10, contains(kAfterADay, of.kind));
  EXPECT_EQ(run_promtool(promtool_input(all, "30m", expectations)), "");
}

TEST(ConditionAlerts, ReasonsAreOfKindsThatWouldHaveAnAlert) {
  const std::string manual =
      text_of(std::filesystem::path(HEDDLE_SOURCE_DIR) / "man/heddle-metrics.7.in");
  const std::string alerts = manual.substr(manual.find(".Sh ALERTS"));
  std::set<ConditionId> seen;
  for (const WithoutAlert& row : kWithoutAlert) {
    EXPECT_TRUE(seen.insert(row.id).second);
    EXPECT_GT(row.reason.size(), 20u);
    EXPECT_NE(row.id->severity, Severity::info);
    EXPECT_NE(alerts.find(row.id->name), std::string::npos)
        << "heddle-metrics(7) names kinds without an alert";
  }
}

TEST(ConditionAlerts, RulesNameIdentifiersThatExist) {
  const std::string text = text_of(kRules);
  const std::regex identifier("\\bS[AM](-[A-Z]+)+\\b");
  std::size_t named = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), identifier), end; at != end; ++at, ++named)
    EXPECT_TRUE(sm::find_condition_kind(at->str()).has_value()) << at->str();
  EXPECT_GT(named, 40u);
}

}  // namespace condition_alerts_test
}  // namespace sm::metrics
