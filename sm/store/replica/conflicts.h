#pragma once
// Decides whether two managers that led at the same time contradict each other. Pure.

#include <optional>
#include <string>
#include <string_view>

namespace sm {

/// True if the values of one key say the same: seals and positions do not count, and neither does
/// the revision in the record of a partition, which every change of a member raises. Values are
/// sealed or not; nothing means that the record was deleted.
bool say_the_same(std::string_view key, const std::optional<std::string>& own,
                  const std::optional<std::string>& theirs);

/// True for records by which a manager counts: no change is lost if one of two values is kept.
/// `key` begins with the section, or with a prefix that ends with a slash.
bool is_count(std::string_view key);

}  // namespace sm
