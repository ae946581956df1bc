#include "fabric/condition.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace fabric {

std::string_view name(Severity severity) {
  constexpr std::array<std::string_view, 4> kNames{"info", "warning", "error", "critical"};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string_view name(Nature nature) {
  return nature == Nature::occurrence ? "occurrence" : "state";
}

Severity find_severity(const Condition& condition) {
  return condition.severity.value_or(find_kind(condition.id).severity);
}

std::string_view severity_text(const ConditionKind& kind) {
  return kind.by_consequence ? "by consequence" : name(kind.severity);
}

const ConditionKind& find_kind(ConditionId id) {
  return condition_kinds()[static_cast<std::size_t>(id)];
}

const ConditionKind* find_condition_kind(std::string_view name) {
  const auto upper = [](char c) { return std::toupper(static_cast<unsigned char>(c)); };
  const auto found = std::ranges::find_if(condition_kinds(), [&](const ConditionKind& kind) {
    return std::ranges::equal(kind.name, name, {}, upper, upper);
  });
  return found == condition_kinds().end() ? nullptr : &*found;
}

std::vector<Condition> ConditionList::take() {
  if (count_ > shown_)
    conditions_.push_back(
        {.id = id_, .text = "and " + std::to_string(count_ - shown_) + " more of this kind"});
  count_ = 0;
  return std::exchange(conditions_, {});
}

}  // namespace fabric
