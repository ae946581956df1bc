#pragma once
// Kinds of conditions as text, for people.

#include <span>
#include <string>

#include "fabric/condition.h"

namespace sm {

/// Identifier, severity, meaning, cause, what Heddle does and what to do: what `heddlectl explain
/// SM-...` prints. Lines of at most 80 columns.
std::string explain(const ConditionKind& kind);
/// One line for each kind: identifier, severity, meaning.
std::string list_of_conditions(std::span<const ConditionId> kinds);
/// The kinds as a Markdown table, as conditions.md has it.
std::string table_of_conditions(std::span<const ConditionId> kinds);

}  // namespace sm
