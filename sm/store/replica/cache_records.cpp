#include "sm/store/replica/cache_records.h"

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

}  // namespace

Records records_of(const Guid2Lid& lids) { return by_first_word(section::kLids, to_text(lids)); }
Records records_of(const Guid2MKey& keys) { return by_first_word(section::kMKeys, to_text(keys)); }

Records records_of(const KeyVersion& version) {
  return {{fmt::format("{}/current", section::kKeyVersion), to_text(version)}};
}

CacheRecords read_cache_records(const Records& records) {
  CacheRecords out;
  ParsedGuid2Lid lids = parse_guid2lid(as_file(records, section::kLids, out.rejected));
  if (lids.errors.empty()) out.lids = std::move(lids.value);
  for (const FileError& error : lids.errors)
    out.rejected.push_back(
        fmt::format("{}: {}; none of the LIDs is used", section::kLids, error.what));
  const std::string keys = as_file(records, section::kMKeys, out.rejected);
  for (const KeyValueRecord& record : parse_key_values(keys, 1).records) {
    const auto guid = mad::parse_hex(record.key.text), key = mad::parse_hex(record.values[0].text);
    if (guid && *guid != 0 && key)
      out.m_keys.emplace(mad::Guid{*guid}, mad::MKey{*key});
    else
      out.rejected.push_back(
          fmt::format("{}/{}: it has no key", section::kMKeys, in_quotes(record.key.text)));
  }
  const auto version = records.find(fmt::format("{}/current", section::kKeyVersion));
  if (version != records.end()) {
    out.key_version = parse_key_version(version->second);
    if (!out.key_version)
      out.rejected.push_back(fmt::format("{}: it is no version of keys", version->first));
  }
  return out;
}

}  // namespace sm
