#include "partitions/runtime_partitions.h"

#include <algorithm>
#include <limits>
#include <map>

#include "mad/format.h"
#include "mad/number.h"
#include "mad/path_units.h"

namespace partitions {
namespace {

std::string key_text(std::uint16_t key) { return fmt::format("{:#06x}", key); }

/// Collects the differences of a change from the base value.
class Draft {
 public:
  explicit Draft(const RuntimePartitions& base) : base_(base) {}

  tl::expected<void, ChangeFault> take(const Change& change) {
    for (index_ = 0; index_ < change.steps.size() && !fault_; ++index_)
      std::visit([this](const auto& step) { carry_out(step); }, change.steps[index_]);
    if (fault_) return tl::unexpected(std::move(*fault_));
    return {};
  }

  RuntimePartitions::Delta delta() && {
    RuntimePartitions::Delta out{.partitions = {}, .members = {}, .revision = base_.revision()};
    std::map<std::uint16_t, bool> changed;  // by P_Key
    for (auto& [key, member] : members_) {
      const RuntimeMember* const before = base_.members().find(key);
      if (member ? before != nullptr && *before == *member : before == nullptr) continue;
      changed[key.key] = true;
      out.members.push_back({key, std::move(member)});
    }
    for (const auto& [key, partition] : partitions_) {
      const RuntimePartition* const before = base_.partitions().find(key);
      if (partition ? before == nullptr || *before != *partition : before != nullptr)
        changed[key] = true;
    }
    if (changed.empty()) return out;
    ++out.revision;
    for (const auto& [key, ignored] : changed) {
      std::optional<RuntimePartition> partition = find(key);
      if (partition) partition->revision = out.revision;
      out.partitions.push_back({key, std::move(partition)});
    }
    return out;
  }

 private:
  std::optional<RuntimePartition> find(std::uint16_t key) const {
    if (const auto at = partitions_.find(key); at != partitions_.end()) return at->second;
    const RuntimePartition* const there = base_.partitions().find(key);
    return there == nullptr ? std::nullopt : std::optional(*there);
  }
  std::optional<RuntimeMember> find(const MembershipKey& key) const {
    if (const auto at = members_.find(key); at != members_.end()) return at->second;
    const RuntimeMember* const there = base_.members().find(key);
    return there == nullptr ? std::nullopt : std::optional(*there);
  }
  void fail(ChangeFault::Kind kind, std::string text) {
    fault_ = ChangeFault{.kind = kind, .step = index_, .text = std::move(text)};
  }

  RuntimePartition& touch(std::uint16_t key) {
    auto [at, added] = partitions_.try_emplace(key);
    if (added) at->second = base_copy(key);
    if (!at->second) at->second.emplace();
    return *at->second;
  }
  std::optional<RuntimePartition> base_copy(std::uint16_t key) const {
    const RuntimePartition* const there = base_.partitions().find(key);
    return there == nullptr ? std::nullopt : std::optional(*there);
  }

  void carry_out(const step::Define& define) {
    const bool exists = find(define.key).has_value();
    if (exists && define.when == step::Define::When::absent)
      return fail(ChangeFault::Kind::exists,
                  fmt::format("partition {} exists already", key_text(define.key)));
    if (!exists && define.when == step::Define::When::present)
      return fail(ChangeFault::Kind::absent,
                  fmt::format("there is no partition {}", key_text(define.key)));
    PartitionAttributes& attributes = touch(define.key).attributes;
    if (define.name) attributes.name = *define.name;
    if (define.ipoib) attributes.ipoib = *define.ipoib;
    if (define.mtu) attributes.mtu = *define.mtu;
    if (define.rate) attributes.rate = *define.rate;
    if (define.sl) attributes.sl = *define.sl;
  }

  void carry_out(const step::Delete& wanted) {
    if (!find(wanted.key)) return;
    for (const MembershipKey& key : members_of(wanted.key)) erase(key);
    partitions_[wanted.key] = std::nullopt;
  }

  void carry_out(const step::Put& put) {
    const MembershipKey key{put.key, put.guid};
    std::optional<RuntimeMember> before = find(key);
    if (!before && count() >= kRuntimeMembersMax)
      return fail(ChangeFault::Kind::full,
                  fmt::format("there are {} memberships already, and no more can be stored",
                              kRuntimeMembersMax));
    RuntimeMember member{.full = put.full,
                         .index0 = put.index0,
                         .order = 0,
                         .expires = put.expires,
                         .owner = put.owner.empty() ? nullptr : shared_owner(put.owner)};
    if (put.index0) {
      const std::uint64_t highest = highest_order(put.guid);
      const bool has_it = before && before->index0 && before->order >= highest;
      member.order = has_it ? before->order : std::max(highest, base_.revision()) + 1;
      orders_[put.guid] = member.order;
    }
    if (!before) {
      ++touch(put.key).members;
      ++added_;
    }
    members_[key] = std::move(member);
  }

  void carry_out(const step::Remove& remove) {
    const MembershipKey key{remove.key, remove.guid};
    if (find(key)) erase(key);
  }

  void carry_out(const step::Keep& keep) {
    for (const MembershipKey& key : members_of(keep.key))
      if (!std::ranges::binary_search(keep.guids, key.guid)) erase(key);
  }

  void carry_out(const step::DeleteIfEmpty& wanted) {
    const std::optional<RuntimePartition> there = find(wanted.key);
    if (there && there->members == 0) partitions_[wanted.key] = std::nullopt;
  }

  void carry_out(const step::Match& match) {
    const std::optional<RuntimePartition> there = find(match.key);
    if (!there)
      return fail(ChangeFault::Kind::absent,
                  fmt::format("there is no partition {}", key_text(match.key)));
    if (!match.revisions.empty() &&
        std::ranges::find(match.revisions, there->revision) == match.revisions.end())
      fail(ChangeFault::Kind::mismatch,
           fmt::format("partition {} has changed: it is at revision {} now", key_text(match.key),
                       there->revision));
  }

  void carry_out(const step::Expire& expire) {
    for (const MembershipKey& key : base_.expired(expire.now)) {
      const std::optional<RuntimeMember> member = find(key);
      if (member && member->expires && *member->expires <= expire.now) erase(key);
    }
  }

  /// Removes a member that exists.
  void erase(const MembershipKey& key) {
    members_[key] = std::nullopt;
    RuntimePartition& partition = touch(key.key);
    partition.members -= partition.members > 0 ? 1u : 0u;
    --added_;
  }

  std::vector<MembershipKey> members_of(std::uint16_t key) const {
    std::vector<MembershipKey> found;
    for (auto at = base_.members().lower_bound({key, {}});
         at != base_.members().end() && at->first.key == key; ++at)
      if (!members_.contains(at->first)) found.push_back(at->first);
    for (auto at = members_.lower_bound({key, {}}); at != members_.end() && at->first.key == key;
         ++at)
      if (at->second) found.push_back(at->first);
    return found;
  }

  std::size_t count() const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(base_.members().size()) + added_);
  }

  /// Returns the highest order among memberships of this GUID with index0.
  std::uint64_t highest_order(mad::Guid guid) const {
    const auto given = orders_.find(guid);
    std::uint64_t highest = given == orders_.end() ? 0 : given->second;
    for (auto at = base_.of_guid().lower_bound({guid, 0});
         at != base_.of_guid().end() && at->first.guid == guid; ++at) {
      // If this change affects the membership, orders_ has the result.
      if (!members_.contains({at->first.key, guid})) highest = std::max(highest, at->second.order);
    }
    return highest;
  }

  std::shared_ptr<const std::string> shared_owner(const std::string& owner) {
    auto& shared = owners_[owner];
    if (!shared) shared = std::make_shared<const std::string>(owner);
    return shared;
  }

  const RuntimePartitions& base_;
  std::map<std::uint16_t, std::optional<RuntimePartition>> partitions_;
  std::map<MembershipKey, std::optional<RuntimeMember>> members_;
  std::map<mad::Guid, std::uint64_t> orders_;  // the highest that this change has given
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> owners_;
  std::ptrdiff_t added_ = 0;
  std::size_t index_ = 0;
  std::optional<ChangeFault> fault_;
};

}  // namespace

bool RuntimeMember::operator==(const RuntimeMember& other) const {
  const bool same_owner = owner == other.owner || (owner && other.owner && *owner == *other.owner);
  return same_owner && full == other.full && index0 == other.index0 && order == other.order &&
         expires == other.expires;
}

std::optional<UnixTime> RuntimePartitions::next_expiry() const {
  if (expiries_.empty()) return std::nullopt;
  return expiries_.begin()->first.at;
}

std::vector<MembershipKey> RuntimePartitions::expired(UnixTime now) const {
  std::vector<MembershipKey> found;
  for (auto at = expiries_.begin(); at != expiries_.end() && at->first.at <= now; ++at)
    found.push_back(at->first.of);
  return found;
}

tl::expected<RuntimePartitions::Delta, ChangeFault> RuntimePartitions::delta(
    const Change& change) const {
  Draft draft(*this);
  if (auto taken = draft.take(change); !taken) return tl::unexpected(std::move(taken.error()));
  return std::move(draft).delta();
}

RuntimePartitions RuntimePartitions::with(const Delta& delta) const {
  RuntimePartitions next;
  next.revision_ = std::max(revision_, delta.revision);
  next.partitions_ = partitions_.with(delta.partitions);
  next.members_ = members_.with(delta.members);
  std::vector<OfGuid::Change> of_guid;
  std::vector<SharedMap<Expiry, bool>::Change> expiries;
  of_guid.reserve(delta.members.size());
  for (const Members::Change& change : delta.members) {
    of_guid.push_back({{change.key.guid, change.key.key}, change.value});
    const RuntimeMember* const before = members_.find(change.key);
    const auto was = before == nullptr ? std::nullopt : before->expires;
    const auto is = change.value ? change.value->expires : std::nullopt;
    if (was == is) continue;
    if (was) expiries.push_back({{*was, change.key}, std::nullopt});
    if (is) expiries.push_back({{*is, change.key}, true});
  }
  std::ranges::sort(of_guid, {}, &OfGuid::Change::key);
  std::ranges::sort(expiries, {}, &SharedMap<Expiry, bool>::Change::key);
  next.of_guid_ = of_guid_.with(of_guid);
  next.expiries_ = expiries_.with(expiries);
  return next;
}

// ------------------------------------------------------------------------------------------
// Lines and records

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
    const auto value = mad::parse_number(text, 16);
    if (value && text.size() <= 16 && *value <= max && *value >= min) return static_cast<T>(*value);
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
    const auto bytes = mad::parse_bytes(digits);
    if (bytes && !bytes->empty() && bytes->size() <= bytes_max) return *bytes;
    if (defect_.empty())
      defect_ = fmt::format("'{}' should be '-' or at most {} bytes as hexadecimal digits", digits,
                            bytes_max);
    return {};
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

namespace {

/// True if the partition has a member here that the other manager did not know.
bool has_new_member(std::string_view section, const RuntimePartitions& own, std::uint16_t key,
                    const std::map<std::string, std::optional<std::string>, std::less<>>& changes) {
  const auto end = own.members().end();
  for (auto at = own.members().lower_bound({key, {}}); at != end && at->first.key == key; ++at)
    if (!changes.contains(record_key(section, at->first))) return true;
  return false;
}

}  // namespace

MergedPartitions merge(
    std::string_view section, const RuntimePartitions& own,
    const std::map<std::string, std::optional<std::string>, std::less<>>& changes) {
  MergedPartitions merged;
  std::vector<std::pair<std::string_view, MembershipKey>> added;  // with their records
  LineReader reader;
  for (const RecordChange& record : all_records(section, own))
    static_cast<void>(reader.apply(*record.text));
  for (const auto& [key, text] : changes) {
    if (!key.starts_with(section) || key.size() <= section.size() || key[section.size()] != '/')
      continue;
    std::string place = key.substr(section.size() + 1);
    if (!text && place == "revision") continue;
    const std::size_t slash = place.find('/');
    if (slash != std::string::npos) place[slash] = ' ';
    MembershipKey member;
    if (slash != std::string::npos) {
      Words words(place, false);
      member.key = words.key();
      member.guid = words.guid();
      if (text) added.push_back({key, member});
    }
    if (!text && slash == std::string::npos &&
        has_new_member(section, own, Words(place, false).key(), changes)) {
      merged.rejected.push_back(
          fmt::format("{}: its deletion is left out, since members were added here", key));
      continue;
    }
    const auto applied = reader.apply(
        text ? *text
             : fmt::format("{} {}", slash == std::string::npos ? "no-partition" : "no-member",
                           place));
    if (!applied)
      merged.rejected.push_back(fmt::format("{}: {}", key, applied.error()));
    else if (!text && slash != std::string::npos)
      merged.ended.push_back(member);
  }
  RuntimePartitions all = std::move(reader).take();
  for (const auto& [key, member] : added)
    if (all.members().find(member) == nullptr)
      merged.rejected.push_back(fmt::format("{}: its partition was deleted here", key));
  merged.partitions = all.with({.partitions = {}, .members = {}, .revision = all.revision() + 1});
  return merged;
}

}  // namespace partitions
