#include "sm/store/replica/shared_records.h"

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
    return;
  }
  auto text = seal.open(full_key, *value);
  if (!text) rejected_.insert_or_assign(key, text.error());
  stored_.insert_or_assign(
      key,
      Stored{.text = text ? std::optional(std::move(*text)) : std::nullopt, .revision = revision});
}

const SharedRecords::Stored* SharedRecords::find(std::string_view key) const {
  const auto found = stored_.find(key);
  return found == stored_.end() ? nullptr : &found->second;
}

std::optional<Mastership> SharedRecords::mastership() const {
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
