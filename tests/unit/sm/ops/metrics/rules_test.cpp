// Metrics of packaging/prometheus and packaging/grafana exist, and promtool takes the rules.

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "mad/format.h"
#include "sm/ctl/commands/command_line.h"
#include "sm/ops/metrics/metric_names.h"
#include "support/require_tool.h"

namespace sm::metrics {
namespace metrics_rules_test {

const std::filesystem::path kRepository = HEDDLE_SOURCE_DIR;

std::set<std::string> exported() {
  std::set<std::string> names;
  for (const Section& section : all_metrics()) {
    for (const NamedMetric& metric : section.metrics) {
      if (metric.kind == Kind::histogram)
        for (const char* const suffix : {"_bucket", "_count", "_sum"})
          names.insert(metric.name + suffix);
      else
        names.insert(metric.name);
    }
  }
  return names;
}

/// Of this project's families, in an expression.
std::set<std::string> names_in(std::string expression) {
  expression = std::regex_replace(expression, std::regex("\"[^\"]*\""), "");
  std::set<std::string> names;
  const std::regex name("(heddle_|infiniband[_:])[a-zA-Z0-9_:]*");
  for (std::sregex_iterator at(expression.begin(), expression.end(), name), end; at != end; ++at)
    names.insert(at->str());
  return names;
}

struct Rules {
  std::set<std::string> recorded, used;
};
Rules rules() {
  Rules found;
  const YAML::Node file =
      YAML::LoadFile((kRepository / "packaging/prometheus/heddle.rules.yml").string());
  for (const YAML::Node& group : file["groups"]) {
    for (const YAML::Node& rule : group["rules"]) {
      if (rule["record"]) found.recorded.insert(rule["record"].as<std::string>());
      found.used.merge(names_in(rule["expr"].as<std::string>()));
    }
  }
  return found;
}

TEST(PrometheusRules, UseWhatIsExported) {
  const Rules found = rules();
  std::set<std::string> known = exported();
  std::ifstream manual(kRepository / "man/heddle-vnic.8.in");
  known.merge(names_in(std::string{std::istreambuf_iterator<char>(manual), {}}));
  ASSERT_GT(found.used.size(), 30u);
  for (const std::string& name : found.used) EXPECT_TRUE(known.contains(name)) << name;
}

TEST(PrometheusRules, RecordWhatPublishedDashboardsRead) {
  const Rules found = rules();
  for (const char* const name :
       {"link_downed:delta5m", "symbol_error:delta5m", "transmit_discards:delta5m",
        "receive_remote_physical_errors:delta5m", "local_link_integrity_errors:delta5m",
        "transmit_wait:delta5m", "receive_data_bytes:irate5m", "receive_packets:irate5m"})
    EXPECT_TRUE(found.recorded.contains(std::string("infiniband:switch_port_") + name)) << name;
}

TEST(GrafanaDashboard, UsesWhatIsExportedOrRecorded) {
  std::ifstream file(kRepository / "packaging/grafana/heddle.json");
  const nlohmann::json dashboard = nlohmann::json::parse(file);
  std::set<std::string> known = exported(), used;
  known.merge(rules().recorded);
  std::set<int> ids;
  for (const nlohmann::json& panel : dashboard.at("panels")) {
    EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second);
    if (panel.at("type") == "row") continue;
    ASSERT_FALSE(panel.at("targets").empty()) << panel.at("title");
    for (const nlohmann::json& target : panel.at("targets"))
      used.merge(names_in(target.at("expr").get<std::string>()));
  }
  for (const nlohmann::json& variable : dashboard.at("templating").at("list"))
    if (variable.at("type") == "query")
      used.merge(names_in(variable.at("query").at("query").get<std::string>()));
  ASSERT_GT(used.size(), 30u);
  for (const std::string& name : used) EXPECT_TRUE(known.contains(name)) << name;
}

nlohmann::json grafana_dashboard() {
  std::ifstream file(kRepository / "packaging/grafana/heddle.json");
  return nlohmann::json::parse(file);
}

TEST(GrafanaDashboard, EveryPanelHasADescription) {
  std::size_t panels = 0;
  const nlohmann::json dashboard = grafana_dashboard();
  for (const nlohmann::json& panel : dashboard.at("panels")) {
    ++panels;
    EXPECT_GT(panel.value("description", "").size(), 20u) << panel.at("title");
  }
  EXPECT_GT(panels, 30u);
}

TEST(GrafanaDashboard, LeadsToTheMap) {
  const nlohmann::json dashboard = grafana_dashboard();
  std::set<std::string> variables;
  for (const nlohmann::json& variable : dashboard.at("templating").at("list"))
    variables.insert(variable.at("name").get<std::string>());
  const std::string map = dashboard.at("links").at(0).at("url").get<std::string>();
  EXPECT_EQ(map, "${scheme}://${map_host}/map");
  EXPECT_TRUE(variables.contains("scheme") && variables.contains("map_host"));
  std::set<std::string> tables;
  for (const nlohmann::json& panel : dashboard.at("panels")) {
    if (panel.at("type") != "table") continue;
    if (panel.dump().find("/map") != std::string::npos) tables.insert(panel.at("title"));
  }
  EXPECT_EQ(tables.size(), 8u);
}

TEST(GrafanaDashboard, EventsAreAnnotationsFromWhatIsExported) {
  const std::set<std::string> known = exported();
  std::size_t annotations = 0;
  const nlohmann::json dashboard = grafana_dashboard();
  for (const nlohmann::json& annotation : dashboard.at("annotations").at("list")) {
    ++annotations;
    const auto expression = annotation.at("expr").get<std::string>();
    for (const std::string& name : names_in(expression)) EXPECT_TRUE(known.contains(name)) << name;
    EXPECT_FALSE(annotation.at("titleFormat").get<std::string>().empty());
  }
  EXPECT_GE(annotations, 5u);
}

/// The anchors of a manual page as mandoc makes them.
std::set<std::string> anchors_of(const std::filesystem::path& page) {
  const std::string command = fmt::format("'{}' -T html '{}' 2>/dev/null",
                                          support::find_tool("mandoc").string(), page.string());
  std::string html;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;) html += static_cast<char>(c);
  std::set<std::string> anchors;
  const std::regex id("<h[12] class=\"S[hs]\" id=\"([^\"]*)\"");
  for (std::sregex_iterator at(html.begin(), html.end(), id), end; at != end; ++at)
    anchors.insert((*at)[1]);
  return anchors;
}

TEST(PrometheusRules, EveryAlertNamesASectionOfTroubleshooting) {
  HEDDLE_REQUIRE_TOOL("mandoc", "mandoc");
  const std::set<std::string> sections =
      anchors_of(kRepository / "man/heddle-troubleshooting.7.in");
  const YAML::Node file =
      YAML::LoadFile((kRepository / "packaging/prometheus/heddle.rules.yml").string());
  constexpr std::string_view kPage = "man:heddle-troubleshooting(7)#";
  std::size_t alerts = 0;
  for (const YAML::Node& group : file["groups"]) {
    for (const YAML::Node& rule : group["rules"]) {
      if (!rule["alert"]) continue;
      ++alerts;
      SCOPED_TRACE(rule["alert"].as<std::string>());
      const auto url = rule["annotations"]["runbook_url"].as<std::string>("");
      ASSERT_TRUE(url.starts_with(kPage)) << url;
      EXPECT_TRUE(sections.contains(url.substr(kPage.size()))) << url;
    }
  }
  EXPECT_GT(alerts, 20u);
}

TEST(PrometheusRules, NameCommandsThatExist) {
  std::ifstream file(kRepository / "packaging/prometheus/heddle.rules.yml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::regex command("heddlectl ([a-z-]+)");
  std::set<std::string> named;
  for (std::sregex_iterator at(text.begin(), text.end(), command), end; at != end; ++at)
    named.insert((*at)[1]);
  EXPECT_TRUE(named.contains("sms"));
  commands::CommandLine line;
  for (const std::string& name : named)
    EXPECT_NO_THROW((void)line.app().get_subcommand(name)) << name;
}

int promtool(const std::string& arguments) {
  const std::string command =
      fmt::format("'{}' {} >/dev/null 2>&1", support::find_tool("promtool").string(), arguments);
  return std::system(command.c_str());
}

TEST(PrometheusRules, PromtoolTakesThem) {
  HEDDLE_REQUIRE_TOOL("promtool", "prometheus");
  EXPECT_EQ(promtool(fmt::format("check rules '{}'",
                                 (kRepository / "packaging/prometheus/heddle.rules.yml").string())),
            0);
  EXPECT_EQ(
      promtool(fmt::format("test rules '{}'",
                           (kRepository / "tests/data/prometheus/heddle.rules.test.yml").string())),
      0);
  EXPECT_NE(promtool("check rules /dev/null/none"), 0) << "it does say so when something is wrong";
}

}  // namespace metrics_rules_test
}  // namespace sm::metrics
