#include "sm/sa/registrations/replicated.h"

#include <algorithm>
#include <array>

#include "mad/format.h"
#include "mad/records/service_record.h"
#include "sm/sa/registrations/persistence.h"

namespace sa {
namespace {

constexpr std::size_t kNumberDigits = 16;
constexpr std::string_view kRemoval = "no-";

/// The kinds of lines, and how many words after the first one are the key.
struct RecordKind {
  std::string_view word;
  std::size_t words;
};
/// The store takes changes in the order of their keys. A port must cease to be acknowledged before
/// what its clients registered is deleted, so its kind is the first one.
constexpr std::array kRecordKinds{RecordKind{"acknowledged", 1}, RecordKind{"alias", 2},
                                  RecordKind{"group", 2},        RecordKind{"member", 4},
                                  RecordKind{"next", 0},         RecordKind{"service", 4},
                                  RecordKind{"subscription", 2}};

std::vector<std::string_view> list_words(std::string_view line) {
  std::vector<std::string_view> words;
  words.reserve(16);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

/// Returns a number of a record's bytes in the form of a removal line.
std::string number_at(std::string_view hex, std::size_t digit, std::size_t digits) {
  std::string_view text = hex.substr(digit, digits);
  const std::size_t first = text.find_first_not_of('0');
  text.remove_prefix(std::min(first, text.size() - 1));
  return std::string(text);
}

std::string make_key(std::string_view kind, std::span<const std::string_view> words) {
  std::string key = fmt::format("{}/{}", sm::section::kRegistrations, kind);
  for (const std::string_view word : words) (key += '/') += word;
  return key;
}

}  // namespace

std::optional<RecordChange> record_change(std::string_view line) {
  std::vector<std::string_view> words = list_words(line);
  if (words.empty()) return std::nullopt;
  const bool removal = words[0].starts_with(kRemoval);
  if (removal) words[0].remove_prefix(kRemoval.size());
  const auto kind = std::ranges::find(kRecordKinds, words[0], &RecordKind::word);
  if (kind == kRecordKinds.end()) return std::nullopt;
  std::string text(line);
  if (removal) {
    if (words.size() != kind->words + 1) return std::nullopt;
    return RecordChange{.key = make_key(kind->word, std::span(words).subspan(1)), .text = {}};
  }
  if (kind->word == "service") {  // the bytes of the ServiceRecord have its key: ID, GID, P_Key
    if (words.size() < 4 || words.size() > 5 || words[3].size() != 2 * mad::ServiceRecord::kBytes)
      return std::nullopt;
    const std::array parts{number_at(words[3], 0, kNumberDigits),
                           number_at(words[3], kNumberDigits, kNumberDigits),
                           number_at(words[3], 2 * kNumberDigits, kNumberDigits),
                           number_at(words[3], 3 * kNumberDigits, 4)};
    const std::array<std::string_view, 4> views{parts[0], parts[1], parts[2], parts[3]};
    return RecordChange{.key = make_key(kind->word, views), .text = std::move(text)};
  }
  if (words.size() <= kind->words) return std::nullopt;
  return RecordChange{.key = make_key(kind->word, std::span(words).subspan(1, kind->words)),
                      .text = std::move(text)};
}

std::vector<RecordChange> record_changes(std::string_view lines) {
  std::vector<RecordChange> changes;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (auto change = record_change(lines.substr(0, end))) changes.push_back(std::move(*change));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return changes;
}

sm::Records all_records(std::string_view lines) {
  sm::Records records;
  for (RecordChange& change : record_changes(lines))
    if (change.text) records.insert_or_assign(std::move(change.key), std::move(*change.text));
  return records;
}

ReplicatedRegistrations read_records(const sm::Records& records) {
  ReplicatedRegistrations out;
  const std::string begin = fmt::format("{}/", sm::section::kRegistrations);
  for (auto at = records.lower_bound(begin); at != records.end() && at->first.starts_with(begin);
       ++at) {
    const auto change = record_change(at->second);
    if (!change || !change->text || change->key != at->first) {
      out.rejected.push_back(fmt::format("{}: its text is about something else", at->first));
      continue;
    }
    if (const auto applied = apply_line(out.registrations, at->second); !applied)
      out.rejected.push_back(fmt::format("{}: column {}: {}", at->first, applied.error().column,
                                         applied.error().what));
  }
  take_changes(out.registrations);
  return out;
}

}  // namespace sa
