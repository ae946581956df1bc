#pragma once

#include <string>
#include <vector>

namespace sm {

/// Shortens a list of NodeDescriptions: "H36..H47" for names that differ in their last number only,
/// in the order of prefixes and numbers; at most three names or ranges, then how many more there
/// are. The first word of a description is its name. Pure.
std::string name_ranges(const std::vector<std::string>& descriptions);

}  // namespace sm
