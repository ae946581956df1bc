#pragma once

#include <span>
#include <string_view>

namespace config {

/// Names that NVIDIA's OpenSM has beyond the schema, and max_rate_enum of OpenSM 3.3.24, sorted.
/// `nvl_` stands for all keys that begin so.
std::span<const std::string_view> foreign_keys();

}  // namespace config
