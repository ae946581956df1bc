#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace config {

/// Returns the candidate with the smallest edit distance to `name` (case is ignored), the first of
/// several; nullopt if more than a third of the characters differ: such a name is no misspelling.
std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates);

}  // namespace config
