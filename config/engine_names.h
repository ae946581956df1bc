#pragma once
// Names of routing engines.

#include <span>
#include <string_view>

namespace config {

/// A name of routing_engine with adaptive routing: "ar_updn".
inline bool routes_adaptively(std::string_view engine) { return engine.starts_with("ar_"); }

/// Routing engines of this build.
std::span<const std::string_view> built_engines();
/// Says of a name that is not among built_engines() why not: "is unknown".
std::string_view why_not_built(std::string_view engine);
/// The engine whose paths one with adaptive routing has; other names as they are.
std::string_view plain_engine(std::string_view engine);

}  // namespace config
