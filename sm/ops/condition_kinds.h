#pragma once
// The registry of conditions: the kinds of all modules.

#include <optional>
#include <span>
#include <string_view>

#include "fabric/condition.h"

namespace sm {

/// Returns all kinds, in the order in which lists and manuals show them.
std::span<const ConditionId> condition_kinds();
/// Finds a kind by its name, ignoring case.
std::optional<ConditionId> find_condition_kind(std::string_view name);

}  // namespace sm
