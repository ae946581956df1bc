#include "partitions/runtime/lines.h"

#include <algorithm>
#include <limits>

#include "mad/format.h"
#include "mad/path_units.h"

namespace partitions {
namespace {

using Text = std::back_insert_iterator<std::string>;

void put_text(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  if (text.empty()) out += '-';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    (out += digits[byte >> 4]) += digits[byte & 0xF];
  }
}

void put(std::string& out, std::uint16_t key, const RuntimePartition& partition) {
  const PartitionAttributes& a = partition.attributes;
  fmt::format_to(Text(out), "partition {:x} {:x} {:x} {:x} {:x} {:x} ", key, partition.revision,
                 a.ipoib ? 1 : 0, a.mtu, a.rate, a.sl);
  put_text(out, a.name);
}

void put(std::string& out, const MembershipKey& key, const RuntimeMember& member) {
  fmt::format_to(Text(out), "member {:x} {:x} {:x} {:x} {:x} {:x} ", key.key, key.guid.value,
                 member.full ? 1 : 0, member.index0 ? 1 : 0, member.order,
                 member.expires ? member.expires->time_since_epoch().count() : 0);
  put_text(out, member.owner ? std::string_view(*member.owner) : std::string_view());
}

int digit_of(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Reads the words of a line in order; after the first defect, all words are 0.
class Words {
 public:
  Words(std::string_view line, bool newer) : rest_(line), newer_(newer) {}

  std::string_view word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }
  template <class T>
  T number(std::uint64_t max = std::numeric_limits<T>::max(), std::uint64_t min = 0) {
    const std::string_view text = word();
    std::uint64_t value = 0;
    bool good = !text.empty() && text.size() <= 16;
    for (const char c : text) {
      good = good && digit_of(c) >= 0;
      value = value << 4 | static_cast<std::uint64_t>(digit_of(c) & 0xF);
    }
    if (good && value <= max && value >= min) return static_cast<T>(value);
    if (defect_.empty())
      defect_ =
          fmt::format("'{}' should be a hexadecimal number from {:x} to {:x}", text, min, max);
    return {};
  }
  std::uint16_t key() { return number<std::uint16_t>(0x7FFF, 1); }
  mad::Guid guid() { return {number<std::uint64_t>(~std::uint64_t{0}, 1)}; }
  std::string text(std::size_t bytes_max) {
    const std::string_view digits = word();
    if (digits == "-") return {};
    std::string out;
    bool good = !digits.empty() && digits.size() % 2 == 0 && digits.size() <= 2 * bytes_max;
    for (std::size_t i = 0; good && i < digits.size(); i += 2) {
      good = digit_of(digits[i]) >= 0 && digit_of(digits[i + 1]) >= 0;
      out += static_cast<char>((digit_of(digits[i]) & 0xF) << 4 | (digit_of(digits[i + 1]) & 0xF));
    }
    if (!good && defect_.empty())
      defect_ = fmt::format("'{}' should be '-' or at most {} bytes as hexadecimal digits", digits,
                            bytes_max);
    return out;
  }
  std::uint8_t rate() {
    const auto code = number<std::uint8_t>();
    if (!mad::is_rate(code) && defect_.empty()) defect_ = fmt::format("{} is no rate code", code);
    return code;
  }
  /// Reads a number of changes or of members; the maximum leaves room for the next number.
  std::uint64_t count() { return number<std::uint64_t>(std::uint64_t{1} << 63); }
  /// Returns nullopt if there is no defect and the line ends here; newer lines may continue.
  std::optional<std::string> defect() {
    if (defect_.empty() && !rest_.empty() && !newer_)
      defect_ = fmt::format("'{}' is too much", rest_);
    return defect_.empty() ? std::nullopt : std::optional(defect_);
  }

 private:
  std::string_view rest_;
  bool newer_;
  std::string defect_;
};

constexpr std::int64_t kExpiresMax = std::int64_t{1} << 40;  // some 35,000 years

std::string record_key(std::string_view section, std::uint16_t key) {
  return fmt::format("{}/{:04x}", section, key);
}
std::string record_key(std::string_view section, const MembershipKey& key) {
  return fmt::format("{}/{:04x}/{:016x}", section, key.key, key.guid.value);
}
template <class Key, class Value>
RecordChange record(std::string_view section, const Key& key, const Value* value) {
  RecordChange change{.key = record_key(section, key), .text = std::nullopt};
  if (value == nullptr) return change;
  change.text.emplace();
  put(*change.text, key, *value);
  return change;
}
RecordChange revision_record(std::string_view section, std::uint64_t revision) {
  return {.key = fmt::format("{}/revision", section),
          .text = fmt::format("revision {:x}", revision)};
}

}  // namespace

std::string to_lines(const RuntimePartitions::Delta& delta) {
  std::string out;
  if (delta.empty()) return out;
  fmt::format_to(Text(out), "revision {:x}\n", delta.revision);
  for (const auto& change : delta.partitions) {
    if (change.value)
      put(out, change.key, *change.value);
    else
      fmt::format_to(Text(out), "no-partition {:x}", change.key);
    out += '\n';
  }
  for (const auto& change : delta.members) {
    if (change.value)
      put(out, change.key, *change.value);
    else
      fmt::format_to(Text(out), "no-member {:x} {:x}", change.key.key, change.key.guid.value);
    out += '\n';
  }
  return out;
}

std::string all_lines(const RuntimePartitions& partitions) {
  std::string out;
  if (partitions.revision() == 0) return out;
  fmt::format_to(Text(out), "revision {:x}\n", partitions.revision());
  for (const auto& [key, partition] : partitions.partitions()) {
    put(out, key, partition);
    out += '\n';
  }
  for (const auto& [key, member] : partitions.members()) {
    put(out, key, member);
    out += '\n';
  }
  return out;
}

tl::expected<void, std::string> LineReader::apply(std::string_view line) {
  Words words(line, newer_);
  const std::string_view kind = words.word();
  const auto failed = [](std::string defect) { return tl::unexpected(std::move(defect)); };
  if (kind == "partition") {
    const std::uint16_t key = words.key();
    RuntimePartition partition;
    partition.revision = words.count();
    partition.attributes.ipoib = words.number<std::uint8_t>(1) != 0;
    partition.attributes.mtu = words.number<std::uint8_t>(5, 1);
    partition.attributes.rate = words.rate();
    partition.attributes.sl = words.number<std::uint8_t>(15);
    partition.attributes.name = words.text(kNameBytesMax);
    if (auto defect = words.defect()) return failed(std::move(*defect));
    revision_ = std::max(revision_, partition.revision);
    partitions_[key] = std::move(partition);
  } else if (kind == "member") {
    MembershipKey key;
    key.key = words.key();
    key.guid = words.guid();
    RuntimeMember member;
    member.full = words.number<std::uint8_t>(1) != 0;
    member.index0 = words.number<std::uint8_t>(1) != 0;
    member.order = words.count();
    const auto expires = words.number<std::int64_t>(kExpiresMax);
    if (expires != 0) member.expires = UnixTime(std::chrono::seconds(expires));
    std::string owner = words.text(kOwnerBytesMax);
    if (auto defect = words.defect()) return failed(std::move(*defect));
    if (!owner.empty()) {
      auto& shared = owners_[owner];
      if (!shared) shared = std::make_shared<const std::string>(std::move(owner));
      member.owner = shared;
    }
    if (members_.size() >= kRuntimeMembersMax && !members_.contains(key))
      return failed(fmt::format("there are {} memberships already", kRuntimeMembersMax));
    members_[key] = std::move(member);
  } else if (kind == "no-partition") {
    const std::uint16_t key = words.key();
    if (auto defect = words.defect()) return failed(std::move(*defect));
    partitions_.erase(key);
    members_.erase(members_.lower_bound({key, {}}),
                   members_.lower_bound({static_cast<std::uint16_t>(key + 1), {}}));
  } else if (kind == "no-member") {
    MembershipKey key;
    key.key = words.key();
    key.guid = words.guid();
    if (auto defect = words.defect()) return failed(std::move(*defect));
    members_.erase(key);
  } else if (kind == "revision") {
    const auto revision = words.count();
    if (auto defect = words.defect()) return failed(std::move(*defect));
    revision_ = std::max(revision_, revision);
  } else if (!newer_) {
    return failed(fmt::format("'{}' is no kind of line", kind.substr(0, 40)));
  }
  return {};
}

RuntimePartitions LineReader::take() && {
  RuntimePartitions::Delta delta;
  std::map<std::uint16_t, std::size_t> counts;
  for (auto& [key, member] : members_) {
    if (!partitions_.contains(key.key)) continue;
    ++counts[key.key];
    delta.members.push_back({key, std::move(member)});
  }
  for (auto& [key, partition] : partitions_) {
    partition.members = counts[key];
    delta.partitions.push_back({key, std::move(partition)});
  }
  delta.revision = revision_;
  return RuntimePartitions().with(delta);
}

std::vector<RecordChange> record_changes(std::string_view section,
                                         const RuntimePartitions::Delta& delta) {
  std::vector<RecordChange> out;
  if (delta.empty()) return out;
  out.push_back(revision_record(section, delta.revision));
  for (const auto& change : delta.partitions)
    out.push_back(record(section, change.key, change.value ? &*change.value : nullptr));
  for (const auto& change : delta.members)
    out.push_back(record(section, change.key, change.value ? &*change.value : nullptr));
  return out;
}

std::vector<RecordChange> all_records(std::string_view section, const RuntimePartitions& all) {
  std::vector<RecordChange> out;
  if (all.revision() == 0) return out;
  out.push_back(revision_record(section, all.revision()));
  for (const auto& [key, partition] : all.partitions())
    out.push_back(record(section, key, &partition));
  for (const auto& [key, member] : all.members()) out.push_back(record(section, key, &member));
  return out;
}

}  // namespace partitions
