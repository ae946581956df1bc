#include "sm/store/peers/store_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "mad/number.h"

namespace sm::peers {
namespace {

constexpr std::string_view kSet = "set", kDelete = "delete", kTerm = "term";

bool is_plain(char c) { return c > 0x20 && c < 0x7F && c != '%' && c != '+'; }

void put_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (is_plain(c))
      out += c;
    else if (c == ' ')
      out += '+';
    else
      fmt::format_to(std::back_inserter(out), "%{:02x}", static_cast<unsigned char>(c));
  }
  if (text.empty()) out += "%";  // a word has at least one character
}

std::optional<std::string> unescape(std::string_view word) {
  std::string out;
  if (word == "%") return out;
  out.reserve(word.size());
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] == '+') {
      out += ' ';
    } else if (word[at] == '%') {
      const auto byte = mad::parse_bytes(word.substr(at + 1, 2));
      if (!byte || byte->size() != 1) return std::nullopt;
      out += *byte;
      at += 2;
    } else if (is_plain(word[at])) {
      out += word[at];
    } else {
      return std::nullopt;
    }
  }
  return out;
}

/// Revisions have 16 digits, numbers of terms at least one.
std::optional<std::uint64_t> parse_digits(std::string_view word, std::uint64_t max) {
  const auto value = mad::parse_number(word, 16);
  return value && word.size() <= 16 && *value <= max ? std::optional(*value) : std::nullopt;
}

bool is_printable(std::string_view words) {
  return std::ranges::all_of(words, [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::string to_line(const Record& record) {
  std::string out;
  std::string_view words = record.words;
  out.reserve(40 + record.key.size() + words.size() + (record.value ? record.value->size() : 0));
  out += record.is_known ? (record.value ? kSet : kDelete) : take_word(words);
  fmt::format_to(std::back_inserter(out), " {:x} ", static_cast<std::uint64_t>(record.revision));
  put_escaped(out, record.key);
  if (record.value) put_escaped(out += ' ', *record.value);
  if (!words.empty()) (out += ' ') += words;
  return out;
}

tl::expected<Record, std::string> parse_record(std::string_view line) {
  const auto refuse = [](const char* why) { return tl::unexpected(std::string(why)); };
  if (line.size() > kRecordBytesMax) return refuse("a record is too long");
  const std::string_view kind = take_word(line);
  if (kind.empty() || kind == kTerm || !std::ranges::all_of(kind, is_plain))
    return refuse("a record has no kind");
  const auto revision = parse_digits(take_word(line), make_revision(kTermMax, 0xFFFFFFFF));
  if (!revision || *revision >> 32 == 0 || (*revision & 0xFFFFFFFF) == 0)
    return refuse("a record has no revision");
  auto key = unescape(take_word(line));
  if (!key || key->empty()) return refuse("a record has no key");
  Record out{.revision = static_cast<StoreRevision>(*revision), .key = std::move(*key)};
  if (kind == kSet) {
    if (line.empty()) return refuse("a record has no value");
    out.value = unescape(take_word(line));
    if (!out.value) return refuse("a value cannot be read");
  } else if (kind != kDelete) {
    out.is_known = false;
    (out.words += kind) += line.empty() ? "" : " ";
  }
  if (!is_printable(line)) return refuse("a record is not text");
  out.words += line;
  return out;
}

std::string to_line(const Term& term) {
  return fmt::format("{} {:x} {:x} {:x}", kTerm, term.number, term.id, term.last);
}

std::optional<Term> parse_term(std::string_view line) {
  if (take_word(line) != kTerm) return std::nullopt;
  const auto number = parse_digits(take_word(line), kTermMax);
  const auto id = parse_digits(take_word(line), ~std::uint64_t{0});
  const auto last = parse_digits(take_word(line), 0xFFFFFFFF);
  if (!number || !id || !last || *number == 0) return std::nullopt;
  return Term{.number = static_cast<std::uint32_t>(*number),
              .id = *id,
              .last = static_cast<std::uint32_t>(*last)};
}

// ------------------------------------------------------------------------------------------

const StoreCopy::Entry* StoreCopy::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

void StoreCopy::put(Record record) {
  if (order_.contains(record.revision)) return;
  const auto [at, is_new] = entries_.try_emplace(std::move(record.key));
  Entry& entry = at->second;
  if (is_new) {
    bytes_ += at->first.size();
  } else if (entry.revision >= record.revision) {
    return;
  } else {
    order_.erase(entry.revision);
    deleted_.erase(entry.revision);
    bytes_ -= entry.words.size() + (entry.value ? entry.value->size() : 0);
  }
  entry = {.revision = record.revision,
           .value = std::move(record.value),
           .words = std::move(record.words),
           .is_known = record.is_known};
  bytes_ += entry.words.size() + (entry.value ? entry.value->size() : 0);
  order_.emplace(record.revision, &*at);
  if (entry.value || !entry.is_known) return;
  deleted_.insert(record.revision);
  if (deleted_.size() <= kDeletedMax) return;
  forgotten_ = std::max(forgotten_, *deleted_.begin());
  erase(order_.at(*deleted_.begin())->first);
}

void StoreCopy::erase(std::string_view key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  bytes_ -= key.size() + found->second.words.size() +
            (found->second.value ? found->second.value->size() : 0);
  order_.erase(found->second.revision);
  deleted_.erase(found->second.revision);
  entries_.erase(found);
}

std::vector<Record> StoreCopy::after(StoreRevision revision, std::size_t limit,
                                     std::size_t bytes_max) const {
  std::vector<Record> out;
  std::size_t bytes = 0;
  for (auto at = order_.upper_bound(revision);
       at != order_.end() && out.size() < limit && bytes <= bytes_max; ++at) {
    const auto& [key, entry] = *at->second;
    out.push_back({.revision = at->first,
                   .key = key,
                   .value = entry.value,
                   .words = entry.words,
                   .is_known = entry.is_known});
    bytes += key.size() + entry.words.size() + (entry.value ? entry.value->size() : 0);
  }
  return out;
}

std::size_t StoreCopy::count_after(StoreRevision revision, std::size_t limit) const {
  std::size_t count = 0;
  for (auto at = order_.upper_bound(revision); at != order_.end() && count < limit; ++at) ++count;
  return count;
}

}  // namespace sm::peers
