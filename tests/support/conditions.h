#pragma once

#include <string>
#include <vector>

#include "fabric/condition.h"

/// The texts of conditions, for matchers of containers of strings.
inline std::vector<std::string> texts(const std::vector<fabric::Condition>& conditions) {
  std::vector<std::string> result;
  result.reserve(conditions.size());
  for (const fabric::Condition& condition : conditions) result.push_back(condition.text);
  return result;
}
