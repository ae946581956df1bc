#include "sm/store/replica/conflicts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sm/store/replica/record_seal.h"
#include "sm/store/replica/state_replica.h"

namespace sm {
namespace {

/// Returns the key from the name of the section on; "" if it is not in the section.
std::string_view in_section(std::string_view key, std::string_view section) {
  for (std::size_t at = key.find(section); at != std::string_view::npos;
       at = key.find(section, at + 1)) {
    const std::size_t end = at + section.size();
    if ((at == 0 || key[at - 1] == '/') && end < key.size() && key[end] == '/')
      return key.substr(at);
  }
  return {};
}

/// Returns what precedes and what follows the third word, which is the revision of a partition.
std::pair<std::string_view, std::string_view> without_revision(std::string_view text) {
  const std::size_t second = text.find(' ');
  const std::size_t third = text.find(' ', std::min(second, text.size() - 1) + 1);
  const std::size_t after = text.find(' ', std::min(third, text.size() - 1) + 1);
  if (third == std::string_view::npos || after == std::string_view::npos) return {text, {}};
  return {text.substr(0, third), text.substr(after)};
}

}  // namespace

bool say_the_same(std::string_view key, const std::optional<std::string>& own,
                  const std::optional<std::string>& theirs) {
  if (!own || !theirs) return own.has_value() == theirs.has_value();
  const std::string_view ours = RecordSeal::unverified_text(*own),
                         other = RecordSeal::unverified_text(*theirs);
  if (ours == other) return true;
  const std::string_view partition = in_section(key, section::kPartitions);
  const bool is_partition = std::ranges::count(partition, '/') == 1;
  return is_partition && !ours.empty() && !other.empty() &&
         without_revision(ours) == without_revision(other);
}

bool is_count(std::string_view key) {
  const std::string_view partitions = in_section(key, section::kPartitions),
                         registrations = in_section(key, section::kRegistrations);
  return partitions.ends_with("/revision") || registrations.ends_with("/next") ||
         registrations.find("/acknowledged/") != std::string_view::npos ||
         !in_section(key, section::kChanges).empty();
}

}  // namespace sm
