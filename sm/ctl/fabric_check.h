#pragma once
// The state of a subnet as a whole, judged from answers of the API. Pure.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace sm::ctl {

struct CheckedTopic {
  enum class Result : std::uint8_t { good, finding, unknown };
  Result result{};
  std::string topic;  // "manager"
  std::string text;   // one line
};

struct CheckedAnswers {
  nlohmann::ordered_json status = {};      // of /v1/subnet, with all conditions and managers
  nlohmann::ordered_json links = {};       // of /v1/links, all of them
  nlohmann::ordered_json counters = {};    // of /v1/counters, by errors
  nlohmann::ordered_json partitions = {};  // of /v1/partitions; null: the API has none
  double errors_per_hour_max = 0;          // of a port, beyond which it is a finding
  /// The number of differences from a saved topology; nothing: none was given.
  std::optional<std::size_t> differences = {};
};

/// Topics in a fixed order, one each.
std::vector<CheckedTopic> check_fabric(const CheckedAnswers& answers);
bool has_findings(const std::vector<CheckedTopic>& topics);
/// "ok       links       41 links, all Active, as both ends support", a line each.
std::string checked_text(const std::vector<CheckedTopic>& topics, bool colour);
nlohmann::ordered_json checked_json(const std::vector<CheckedTopic>& topics);

}  // namespace sm::ctl
