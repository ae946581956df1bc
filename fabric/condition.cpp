#include "fabric/condition.h"

#include <array>
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
  return condition.severity.value_or(condition.id->severity);
}

std::string_view severity_text(const ConditionKind& kind) {
  return kind.has(ConditionKind::by_consequence) ? "by consequence" : name(kind.severity);
}

std::vector<Condition> ConditionList::take() {
  if (count_ > shown_)
    conditions_.push_back(
        {.id = id_, .text = "and " + std::to_string(count_ - shown_) + " more of this kind"});
  count_ = 0;
  return std::exchange(conditions_, {});
}

}  // namespace fabric
