#include "sm/partitions/named_changes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "mad/format.h"
#include "mad/number.h"
#include "sm/store/replica/state_replica.h"

namespace sm {
namespace {

constexpr std::uint64_t kChangeSecondsMax = std::uint64_t{1} << 40;

/// Removes the word before the next blank from the text, and returns it.
std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

NamedChanges with_changes(const NamedChanges& changes, std::span<const NamedChange> more) {
  std::map<std::uint64_t, const NamedChange*> by_revision;
  for (const NamedChange& change : changes) by_revision.emplace(change.revision, &change);
  for (const NamedChange& change : more) by_revision.emplace(change.revision, &change);
  NamedChanges all;
  all.reserve(by_revision.size());
  for (const auto& [revision, change] : by_revision) all.push_back(*change);
  std::erase_if(all, [last = all.empty() ? 0 : all.back().revision](const NamedChange& change) {
    return change.revision + kNamedChangesMax <= last;
  });
  return all;
}

partitions::RecordChange record_of(const NamedChange& change) {
  return {.key = fmt::format("{}/{:03}", section::kChanges, change.revision % kNamedChangesMax),
          .text = fmt::format("change {:x} {:x} {}", change.revision,
                              change.at.time_since_epoch().count(), change.by)};
}

Records records_of(const NamedChanges& changes) {
  Records records;
  for (const NamedChange& change : changes) {
    partitions::RecordChange record = record_of(change);
    records.insert_or_assign(std::move(record.key), *std::move(record.text));
  }
  return records;
}

std::optional<NamedChange> parse_named_change(std::string_view text) {
  if (take_word(text) != "change") return std::nullopt;
  const auto revision = mad::parse_number(take_word(text), 16);
  const auto at = mad::parse_number(take_word(text), 16);
  if (!revision || !at || *at > kChangeSecondsMax || text.size() > kNameOfChangeBytesMax)
    return std::nullopt;
  return NamedChange{.revision = *revision,
                     .at = partitions::UnixTime(std::chrono::seconds(*at)),
                     .by = std::string(text)};
}

}  // namespace sm
