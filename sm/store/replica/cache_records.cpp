#include "sm/store/replica/cache_records.h"

#include <set>

#include "mad/format.h"
#include "mad/number.h"

namespace sm {
namespace {

/// Makes a record of each line that is not empty; its key is the first word.
Records by_first_word(std::string_view section, std::string_view lines) {
  Records records;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    if (line.empty()) continue;
    records.emplace(fmt::format("{}/{}", section, line.substr(0, line.find(' '))), line);
  }
  return records;
}

/// Returns the text of a file with these records. Rejects a text that is not about its key, or that
/// is more than one line.
std::string as_file(const Records& records, std::string_view section,
                    std::vector<std::string>& rejected) {
  const std::string begin = fmt::format("{}/", section);
  std::string text;
  for (auto at = records.lower_bound(begin); at != records.end() && at->first.starts_with(begin);
       ++at) {
    const std::string_view subject = std::string_view(at->first).substr(begin.size());
    if (!at->second.starts_with(fmt::format("{} ", subject)) ||
        at->second.find('\n') != std::string::npos) {
      rejected.push_back(fmt::format("{}: its text is about something else", at->first));
      continue;
    }
    (text += at->second) += "\n\n";
  }
  return text;
}

template <class Use>
void for_each_of(const Records& records, std::string_view section, const Use& use) {
  for (auto at = records.lower_bound(section);
       at != records.end() && at->first.starts_with(section); ++at)
    if (is_in(at->first, section)) use(at->first, at->second);
}

std::string isolation_key(const StoredIsolation& order) {
  return fmt::format("{}/{:#018x}/{}", section::kIsolations, order.node.value, order.port.value);
}

}  // namespace

Records records_of(const Guid2Lid& lids) { return by_first_word(section::kLids, to_text(lids)); }
Records records_of(const Guid2MKey& keys) { return by_first_word(section::kMKeys, to_text(keys)); }

Records records_of(const KeyVersion& version) {
  return {{fmt::format("{}/current", section::kKeyVersion), to_text(version)}};
}

Records records_of(const GroupIds& ids) {
  Records records;
  for (const auto& [guid, group] : ids)
    records.emplace(fmt::format("{}/{:#018x}", section::kArGroups, guid.value),
                    fmt::format("{:#018x} {}", guid.value, group));
  return records;
}

Records records_of(std::span<const StoredIsolation> orders) {
  Records records;
  for (StoredIsolation order : orders) {
    order.is_shared = false;
    records.insert_or_assign(isolation_key(order), to_line(order));
  }
  return records;
}

Guid2Lid read_lids(const Records& records, std::vector<std::string>& rejected) {
  ParsedGuid2Lid lids = parse_guid2lid(as_file(records, section::kLids, rejected));
  for (const FileError& error : lids.errors)
    rejected.push_back(fmt::format("{}: {}; none of the LIDs is used", section::kLids, error.what));
  return lids.errors.empty() ? std::move(lids.value) : Guid2Lid();
}

Guid2MKey read_m_keys(const Records& records, std::vector<std::string>& rejected) {
  Guid2MKey m_keys;
  const std::string keys = as_file(records, section::kMKeys, rejected);
  for (const KeyValueRecord& record : parse_key_values(keys, 1).records) {
    const auto guid = mad::parse_hex(record.key.text), key = mad::parse_hex(record.values[0].text);
    if (guid && *guid != 0 && key)
      m_keys.emplace(mad::Guid{*guid}, mad::MKey{*key});
    else
      rejected.push_back(
          fmt::format("{}/{}: it has no key", section::kMKeys, in_quotes(record.key.text)));
  }
  return m_keys;
}

std::optional<KeyVersion> read_key_version(const Records& records,
                                           std::vector<std::string>& rejected) {
  const auto version = records.find(fmt::format("{}/current", section::kKeyVersion));
  if (version == records.end()) return std::nullopt;
  std::optional<KeyVersion> read = parse_key_version(version->second);
  if (!read) rejected.push_back(fmt::format("{}: it is no version of keys", version->first));
  return read;
}

GroupIds read_group_ids(const Records& records, std::vector<std::string>& rejected) {
  GroupIds ids;
  std::set<fabric::GroupId> used;
  for_each_of(records, section::kArGroups, [&](const std::string& key, const std::string& text) {
    const auto read = parse_group_id(text);
    if (!read || key != fmt::format("{}/{:#018x}", section::kArGroups, read->first.value) ||
        !used.insert(read->second).second)
      rejected.push_back(fmt::format("{}: it is no number of a group, or another one's", key));
    else
      ids.insert(*read);
  });
  return ids;
}

std::vector<StoredIsolation> read_isolations(const Records& records,
                                             std::vector<std::string>& rejected) {
  std::vector<StoredIsolation> orders;
  for_each_of(records, section::kIsolations, [&](const std::string& key, const std::string& text) {
    auto order = parse_isolation(text);
    if (order && key == isolation_key(*order)) {
      order->is_shared = true;
      orders.push_back(*std::move(order));
    } else {
      rejected.push_back(fmt::format("{}: it is not an order to isolate this link", key));
    }
  });
  return orders;
}

}  // namespace sm
