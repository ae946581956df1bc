#pragma once
// This file names the authors and times of the latest changes of partitions of the API. They are
// records of the replicated store, so that a successor knows them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partitions/runtime_partitions.h"
#include "sm/store/replica/shared_records.h"

namespace sm {

struct NamedChange {
  std::uint64_t revision = 0;  // of the partitions, after it
  partitions::UnixTime at{};
  std::string by{};  // as the API names a caller
  bool operator==(const NamedChange&) const = default;
};
/// Ascending by revision. Those that are older than the latest by kNamedChangesMax revisions are
/// left out.
using NamedChanges = std::vector<NamedChange>;
inline constexpr std::uint64_t kNamedChangesMax = 1'000;
inline constexpr std::size_t kNameOfChangeBytesMax = 200;

/// Adds changes, in any order; a known revision keeps its entry.
NamedChanges with_changes(const NamedChanges& changes, std::span<const NamedChange> more);

/// The keys are bounded: a change has the key of the one kNamedChangesMax revisions before.
/// Text: "change <revision> <seconds since 1970> <by>", numbers hexadecimal.
partitions::RecordChange record_of(const NamedChange& change);
Records records_of(const NamedChanges& changes);
/// Returns nothing if the text is not a change.
std::optional<NamedChange> parse_named_change(std::string_view text);

}  // namespace sm
