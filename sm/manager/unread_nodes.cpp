#include "sm/manager/unread_nodes.h"

#include <algorithm>

namespace sm {

void UnreadNodes::note(std::span<const mad::Guid> unread, std::span<const mad::Guid> read,
                       mad::TimePoint now) {
  const std::set<mad::Guid> silent(unread.begin(), unread.end());
  for (const mad::Guid guid : read) {
    if (!silent.contains(guid)) entries_.erase(guid);
  }
  for (const mad::Guid guid : silent) {
    const auto [entry, is_new] = entries_.try_emplace(guid);
    mad::Backoff& pause = entry->second.pause;
    entry->second.due = now + (is_new ? pause.next() : pause.latest());
  }
}

void UnreadNodes::note_all(std::span<const mad::Guid> unread, mad::TimePoint now) {
  std::erase_if(entries_, [&](const auto& entry) {
    return std::ranges::find(unread, entry.first) == unread.end();
  });
  note(unread, {}, now);
}

mad::TimePoint UnreadNodes::next() const {
  mad::TimePoint first = mad::TimePoint::max();
  for (const auto& [guid, entry] : entries_) first = std::min(first, entry.due);
  return first;
}

std::set<mad::Guid> UnreadNodes::take_due(mad::TimePoint now) {
  std::set<mad::Guid> due;
  for (auto& [guid, entry] : entries_) {
    if (entry.due > now) continue;
    due.insert(guid);
    entry.due = now + entry.pause.next();
  }
  return due;
}

std::set<mad::Guid> UnreadNodes::waiting(mad::TimePoint now) const {
  std::set<mad::Guid> result;
  for (const auto& [guid, entry] : entries_) {
    if (entry.due > now) result.insert(guid);
  }
  return result;
}

}  // namespace sm
