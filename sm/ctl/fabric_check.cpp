#include "sm/ctl/fabric_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sm/ctl/lists_text.h"
#include "sm/ops/row_declaration.h"
#include "sm/ops/rows.h"

namespace sm::ctl {

namespace {

using Json = nlohmann::ordered_json;
using Result = CheckedTopic::Result;

constexpr std::size_t kNamesShown = 3;

/// Fewer errors between two polls say nothing of an hour: the loss of a link counts as some.
constexpr double kErrorsMin = 5;

/// Returns "a, b, c and 4 more".
std::string first_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamesShown) text += fmt::format(" and {} more", names.size() - kNamesShown);
  return text;
}

/// Returns the text of an active condition with this identifier; nothing without one.
std::optional<std::string> find_condition(const Json& status, std::string_view id) {
  for (const Json& condition : status.at("conditions"))
    if (condition.value("id", "") == id) return field_text(condition, "text");
  return std::nullopt;
}

/// Returns why nothing is managed; "" if something is.
std::string idle_reason(const Json& status) {
  if (const auto down = find_condition(status, "SM-PORT-DOWN")) return *down;
  if (status.at("state") != "Master") return "";
  if (!status.contains("fabric")) return "the subnet has not been read yet";
  if (status.at("fabric").at("nodes") <= 1)
    return "this manager sees no node but its own: see its port and cable";
  return "";
}

CheckedTopic check_manager(const Json& status) {
  const std::string state = field_text(status, "state");
  if (const std::string reason = idle_reason(status); !reason.empty())
    return {Result::finding, "managers",
            fmt::format("this one is {}, and nothing is managed: {}", state, reason)};
  std::vector<std::string> absent;
  std::size_t standbys = 0;
  for (const Json& other : status.at("managers")) {
    if (!other.at("counts").get<bool>())
      absent.push_back(field_text(other, "name"));
    else
      standbys += other.at("state") == "Standby";
  }
  if (!absent.empty())
    return {Result::finding, "managers",
            fmt::format("treated as absent, by SM_Key or allowed_sm_guids: {}", first_of(absent))};
  if (status.at("master").is_null()) return {Result::finding, "managers", "no MASTER is known"};
  return {Result::good, "managers",
          fmt::format("this one is {}, {}", state, counted(standbys, "standby manager"))};
}

CheckedTopic check_conditions(const Json& status) {
  std::array<std::size_t, 3> count{};
  constexpr std::array<std::string_view, 3> kSeverities{"critical", "error", "warning"};
  for (const Json& condition : status.at("conditions"))
    for (std::size_t i = 0; i < kSeverities.size(); ++i)
      count[i] += condition.at("severity") == kSeverities[i];
  if (count == std::array<std::size_t, 3>{})
    return {Result::good, "conditions", "none but information"};
  return {Result::finding, "conditions",
          fmt::format("{} critical, {}, {}; `heddlectl conditions` lists them", count[0],
                      counted(count[1], "error"), counted(count[2], "warning"))};
}

CheckedTopic check_routing(const Json& status) {
  constexpr std::array<std::string_view, 3> kLoops{"SM-ROUTING-LIMIT", "SM-MCAST-CREDIT-LOOP",
                                                   "SM-MCAST-NO-COMMON-ROOT"};
  for (const Json& condition : status.at("conditions")) {
    const std::string id = condition.value("id", "");
    if (id == "SM-ROUTING-FAILED")
      return {Result::unknown, "routing", field_text(condition, "text")};
    if (std::ranges::find(kLoops, id) != kLoops.end())
      return {Result::finding, "routing", field_text(condition, "text")};
  }
  return {Result::good, "routing", "no credit loop is possible"};
}

CheckedTopic check_links(const Json& status, const Json& answer) {
  if (const auto down = find_condition(status, "SM-PORT-DOWN"))
    return {Result::finding, "links", "those of the latest sweep are not known to be up: " + *down};
  if (answer.at("links").empty()) return {Result::finding, "links", "there is no link"};
  std::vector<std::string> bad;
  for (const Json& link : answer.at("links"))
    if (is_degraded_or_inactive(link))
      bad.push_back(fmt::format("{} <-> {}", end_text(link.at("a")), end_text(link.at("b"))));
  const std::string all = counted(answer.at("links").size(), "link");
  if (bad.empty()) return {Result::good, "links", all + ", all Active, as both ends support"};
  return {Result::finding, "links",
          fmt::format("{} of {} slower than both ends support, or not Active: {}", bad.size(), all,
                      first_of(bad))};
}

CheckedTopic check_counters(const Json& answer, double most) {
  if (answer.at("age_s").is_null())
    return {Result::unknown, "counters", "not read: perfmgr is FALSE, or the first poll goes on"};
  std::vector<std::string> bad;
  for (const Json& port : answer.at("counters"))
    if (port.at("errors_per_hour").get<double>() > most &&
        port.value("errors_grown", kErrorsMin) >= kErrorsMin)
      bad.push_back(fmt::format("{} ({:.0f} in {:.0f} s)", end_text(port),
                                port.value("errors_grown", 0.0), port.value("interval_s", 0.0)));
  if (bad.empty())
    return {
        Result::good, "counters",
        fmt::format("{}, none with more than {:.0f} errors an hour and {:.0f} between two polls",
                    counted(answer.at("ports").get<std::size_t>(), "port"), most, kErrorsMin - 1)};
  return {Result::finding, "counters",
          fmt::format("more than {:.0f} errors an hour: {}", most, first_of(bad))};
}

CheckedTopic check_partitions(const Json& answer) {
  if (!answer.is_object()) return {Result::unknown, "partitions", "not known"};
  const std::size_t count = answer.at("partitions").size();
  if (answer.at("applied_revision") != answer.at("revision"))
    return {Result::finding, "partitions",
            fmt::format("revision {} is not in the fabric yet, which has {}",
                        field_text(answer, "revision"), field_text(answer, "applied_revision"))};
  std::uint64_t absent = 0;
  std::string of;
  for (const Json& partition : answer.at("partitions")) {
    const auto missing = partition.value("absent_members", std::uint64_t{0});
    if (missing > 0 && absent == 0) of = field_text(partition, "p_key");
    absent += missing;
  }
  std::string text = counted(count, "partition") + ", all in the fabric";
  if (absent > 0)
    text += fmt::format("; {} of the API {} not in the subnet: `heddlectl partition show {}`",
                        counted(absent, "member"), absent == 1 ? "is" : "are", of);
  return {Result::good, "partitions", std::move(text)};
}

CheckedTopic check_topology(const std::optional<std::size_t>& differences) {
  if (!differences)
    return {Result::unknown, "topology", "not compared: name a saved one with --topology"};
  if (*differences == 0) return {Result::good, "topology", "as saved"};
  return {Result::finding, "topology",
          counted(*differences, "difference") + "; `heddlectl diff FILE` lists them"};
}

std::string_view word(Result result) {
  switch (result) {
    case Result::good:
      return "ok";
    case Result::finding:
      return "FINDING";
    case Result::unknown:
      return "-";
  }
  return "";
}

}  // namespace

std::vector<CheckedTopic> check_fabric(const CheckedAnswers& answers) {
  return {check_manager(answers.status),
          check_conditions(answers.status),
          check_routing(answers.status),
          check_links(answers.status, answers.links),
          check_counters(answers.counters, answers.errors_per_hour_max),
          check_partitions(answers.partitions),
          check_topology(answers.differences)};
}

bool has_findings(const std::vector<CheckedTopic>& topics) {
  return std::ranges::any_of(
      topics, [](const CheckedTopic& topic) { return topic.result == Result::finding; });
}

std::string checked_text(const std::vector<CheckedTopic>& topics, bool colour) {
  std::string text;
  for (const CheckedTopic& topic : topics) {
    const bool is_red = colour && topic.result == Result::finding;
    text += fmt::format("{}{:<9}{}{:<12}{}\n", is_red ? "\x1b[31m" : "", word(topic.result),
                        is_red ? "\x1b[0m" : "", topic.topic, printable(topic.text));
  }
  return text;
}

nlohmann::ordered_json checked_json(const std::vector<CheckedTopic>& topics) {
  Json rows = Json::array();
  for (const CheckedTopic& topic : topics)
    rows.push_back({{"topic", topic.topic},
                    {"result", topic.result == Result::good      ? "ok"
                               : topic.result == Result::finding ? "finding"
                                                                 : "unknown"},
                    {"text", topic.text}});
  return {{"findings", has_findings(topics)}, {"topics", std::move(rows)}};
}

}  // namespace sm::ctl
