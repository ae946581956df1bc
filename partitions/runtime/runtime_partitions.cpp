#include "partitions/runtime/runtime_partitions.h"

#include <algorithm>
#include <map>

#include "mad/format.h"

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

}  // namespace partitions
