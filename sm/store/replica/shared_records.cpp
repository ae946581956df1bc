#include "sm/store/replica/shared_records.h"

#include <fmt/format.h>

#include <algorithm>

namespace sm {

bool is_in(std::string_view key, std::string_view section) {
  return key.size() > section.size() && key.starts_with(section) && key[section.size()] == '/';
}

void SharedRecords::put(std::string_view prefix, const RecordSeal& seal, std::string_view full_key,
                        const std::optional<std::string>& value, StoreRevision revision) {
  if (!full_key.starts_with(prefix)) return;
  const std::string key(full_key.substr(prefix.size()));
  rejected_.erase(key);
  if (!value) {
    stored_.erase(key);
    if (revision > newest_) deleted_.insert_or_assign(key, revision);
    return;
  }
  auto opened = seal.open(full_key, *value);
  std::string why = opened ? misplaced(key, *opened, revision) : opened.error();
  Stored stored{.text = {}, .revision = revision};
  if (why.empty()) {
    stored.text = std::move(opened->text);
    stored.position = opened->position;
    note_position(key == kMastershipKey ? revision : opened->position);
  } else {
    rejected_.insert_or_assign(key, std::move(why));
  }
  stored_.insert_or_assign(key, std::move(stored));
}

std::string SharedRecords::misplaced(std::string_view key, const RecordSeal::Opened& value,
                                     StoreRevision revision) const {
  if (!checks_positions_) return "";
  if (value.position < 0 || value.position >= revision)
    return "it was written to another history of the store";
  StoreRevision least = key == kMastershipKey ? 0 : newest_;
  if (const Stored* const before = find(key)) {
    // A writer repeats a write whose answer was lost.
    if (before->text == value.text && before->position == value.position) return "";
    least = std::max(least, before->revision);
  }
  if (const auto deleted = deleted_.find(key); deleted != deleted_.end())
    least = std::max(least, deleted->second);
  if (value.position >= least) return "";
  return fmt::format("it is an old value (of revision {}) that was put back after revision {}",
                     value.position, least);
}

void SharedRecords::note_position(StoreRevision position) {
  if (position <= newest_) return;
  newest_ = position;
  std::erase_if(deleted_, [&](const auto& entry) { return entry.second <= newest_; });
}

const SharedRecords::Stored* SharedRecords::find(std::string_view key) const {
  const auto found = stored_.find(key);
  return found == stored_.end() ? nullptr : &found->second;
}

std::optional<MasterClaim> SharedRecords::mastership() const {
  const Stored* const found = find(kMastershipKey);
  return found == nullptr || !found->text ? std::nullopt : parse_mastership(*found->text);
}

std::optional<Announcement> SharedRecords::announcement() const {
  const Stored* const found = find(kAnnouncementKey);
  return found == nullptr || !found->text ? std::nullopt : parse_announcement(*found->text);
}

Records SharedRecords::records(std::string_view section) const {
  Records out;
  for (auto at = stored_.lower_bound(section);
       at != stored_.end() && at->first.starts_with(section); ++at) {
    if (at->second.text && is_in(at->first, section)) out.emplace(at->first, *at->second.text);
  }
  return out;
}

}  // namespace sm
