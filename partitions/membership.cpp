#include "partitions/membership.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "mad/format.h"

namespace partitions {
namespace {

constexpr mad::PKey limited_key(std::uint16_t partition) { return {partition}; }

constexpr bool has(std::uint8_t membership, Membership bit) {
  return (membership & static_cast<std::uint8_t>(bit)) != 0;
}

/// Decides the keys of subjects: end ports, identified by their index in Fabric::end_ports, and
/// vports, whose numbers follow.
class Mapper {
 public:
  struct Keyed {
    fabric::EndPortIndex end_port;
    mad::PKey key;
  };

  Mapper(const fabric::Fabric& fabric, const config::Options& options,
         std::span<const mad::Guid> vports, const Configuration& configuration,
         const RuntimePartitions* runtime, const KeptKeys* kept)
      : fabric_(fabric),
        options_(options),
        vports_(vports),
        configuration_(configuration),
        runtime_(runtime),
        kept_(kept),
        members_(fabric.end_ports.size() + vports.size()),
        membership_(members_),
        first_(members_),
        first_definition_(members_) {}

  std::size_t members() const { return members_; }

  void add_all() {
    by_guid_.reserve(members_);
    for (std::size_t subject = 0; subject < members_; ++subject) add(fabric::EndPortIndex(subject));
  }
  void add(fabric::EndPortIndex subject) {
    by_guid_.push_back({find_guid(subject).value, subject});
  }

  /// Returns the keys of all subjects that were added, in ascending order of partitions; the keys
  /// of each port are therefore ascending, too.
  std::vector<Keyed> keys() {
    std::ranges::sort(by_guid_);
    std::map<std::uint16_t, Of> of;  // by key
    for (std::size_t i = 0; i < configuration_.definitions.size(); ++i)
      of[configuration_.definitions[i].key].definitions.push_back(i);
    if (runtime_ != nullptr) find_runtime_members(of);
    if (kept_ != nullptr && !kept_->empty()) find_kept_members(of);
    for (const auto& [key, entries] : of) {
      for (const std::size_t i : entries.definitions) add(configuration_.definitions[i], i);
      for (const auto& [end_port, as] : entries.runtime) add_runtime_membership(end_port, as);
      for (const auto& [end_port, as] : entries.kept) add_kept_membership(end_port, as);
      take_keys(key);
    }
    return std::move(keyed_);
  }

  /// Returns the key at index 0: the key of the partition with indx0 (the limited key if there are
  /// two), otherwise the default partition's. With allow_both_pkeys, OpenSM puts no limited default
  /// key there.
  mad::PKey first_key(fabric::EndPortIndex end_port, std::span<const mad::PKey> keys) const {
    const std::uint16_t indx0 = first_[end_port];
    const auto has_key = [&](mad::PKey key) { return std::ranges::find(keys, key) != keys.end(); };
    if (indx0 != 0)
      return has_key(limited_key(indx0)) ? limited_key(indx0) : mad::full_member_key(indx0);
    if (has_key(mad::kDefaultPKeyFull)) return mad::kDefaultPKeyFull;
    return has_key(mad::kDefaultPKeyLimited) && !options_.allow_both_pkeys
               ? mad::kDefaultPKeyLimited
               : mad::PKey{};
  }

  /// Adds the partitions that have members (`has_members`, by key) and their groups to the result.
  void describe(fabric::PartitionMap& result, const std::vector<bool>& has_members) const {
    std::map<std::uint16_t, const Definition*> last;  // by key
    for (const Definition& definition : configuration_.definitions)
      last[definition.key] = &definition;
    for (std::size_t number = 1; number < has_members.size(); ++number) {
      if (!has_members[number]) continue;
      const auto key = static_cast<std::uint16_t>(number);
      if (const auto at = last.find(key); at != last.end()) {
        result.partitions.push_back(
            {.key = key, .name = at->second->name, .sl = sl(at->second->sl)});
      } else if (const RuntimePartition* const of = runtime_of(key)) {
        const PartitionAttributes& a = of->attributes;
        result.partitions.push_back({.key = key,
                                     .name = a.name.empty() ? fmt::format("{:#06x}", key) : a.name,
                                     .sl = sl(mad::Sl{a.sl})});
      } else {
        result.partitions.push_back({.key = key, .name = fmt::format("{:#06x}", key), .sl = {}});
      }
    }
    std::set<mad::Gid> defined;
    for (const Definition& definition : configuration_.definitions) {
      for (fabric::WellKnownGroup group : definition.groups) {
        if (result.find(group.p_key) == nullptr) continue;
        group.sl = sl(group.sl);
        defined.insert(group.mgid);
        result.groups.push_back(group);
      }
    }
    const auto add_group = [&](std::uint16_t key, const PartitionAttributes& attributes) {
      fabric::WellKnownGroup group = broadcast_group_of(key, attributes);
      group.sl = sl(group.sl);
      if (defined.insert(group.mgid).second) result.groups.push_back(group);
    };
    if (runtime_ != nullptr)
      for (const auto& [key, partition] : runtime_->partitions())
        if (partition.attributes.ipoib && has_members[key]) add_group(key, partition.attributes);
    for (const auto& [key, ports] : count_kept_ports())
      if (ports > 1 && has_members[key] && !last.contains(key) && runtime_of(key) == nullptr)
        add_group(key, {});
  }

 private:
  struct Of {
    std::vector<std::size_t> definitions;
    std::vector<std::pair<fabric::EndPortIndex, Membership>> runtime, kept;
  };

  mad::Guid find_guid(fabric::EndPortIndex subject) const {
    return subject < fabric_.end_ports.size() ? fabric_.ports[fabric_.end_ports[subject]].guid
                                              : vports_[subject - fabric_.end_ports.size()];
  }
  const RuntimePartition* runtime_of(std::uint16_t key) const {
    return runtime_ == nullptr ? nullptr : runtime_->partitions().find(key);
  }
  mad::Sl sl(mad::Sl wanted) const { return options_.qos ? wanted : mad::Sl{}; }

  void find_runtime_members(std::map<std::uint16_t, Of>& of) {
    for (const auto& [guid, end_port] : by_guid_) {
      std::uint64_t highest = 0;
      const auto& all = runtime_->of_guid();
      for (auto at = all.lower_bound({{guid}, 0}); at != all.end() && at->first.guid.value == guid;
           ++at) {
        const auto& [key, member] = *at;
        of[key.key].runtime.emplace_back(end_port,
                                         member.full ? Membership::full : Membership::limited);
        if (!member.index0 || member.order < highest) continue;
        highest = member.order;
        first_[end_port] = key.key;
        first_definition_[end_port] = configuration_.definitions.size();
      }
    }
  }

  void find_kept_members(std::map<std::uint16_t, Of>& of) {
    for (const auto& [guid, end_port] : by_guid_) {
      for (const KeptKey& kept : kept_keys(*kept_, mad::Guid{guid})) {
        const std::uint16_t key = mad::p_key_base(kept.key);
        of[key].kept.emplace_back(
            end_port, mad::is_full_member(kept.key) ? Membership::full : Membership::limited);
        const bool has_latest = first_definition_[end_port] == configuration_.definitions.size();
        if (!kept.index0 || has_latest) continue;  // the API's index0 is newer
        first_[end_port] = key;
        first_definition_[end_port] = configuration_.definitions.size();
      }
    }
  }

  /// Returns the number of ports for each key that some port has kept.
  std::map<std::uint16_t, std::size_t> count_kept_ports() const {
    std::map<std::uint16_t, std::size_t> ports;
    if (kept_ == nullptr) return ports;
    for (const KeptKey& kept : *kept_) ++ports[mad::p_key_base(kept.key)];
    return ports;
  }

  void add(const Definition& definition, std::size_t position) {
    for (const Member& member : definition.members) {
      if (member.kind == Member::Kind::guids) {
        const auto begin =
            std::ranges::lower_bound(by_guid_, std::pair(member.first, fabric::EndPortIndex{0}));
        for (auto port = begin; port != by_guid_.end() && port->first <= member.last; ++port)
          join(port->second, member.membership, definition, position);
      } else {
        for (const auto& [guid, subject] : by_guid_)
          if (is_meant(member.kind, subject))
            join(subject, member.membership, definition, position);
      }
    }
  }

  bool is_meant(Member::Kind kind, fabric::EndPortIndex subject) const {
    // ALL_CAS names physical ports only, as with NVIDIA's OpenSM.
    if (subject >= fabric_.end_ports.size())
      return kind == Member::Kind::all || kind == Member::Kind::virtual_cas;
    const fabric::PortIndex port = fabric_.end_ports[subject];
    const mad::NodeType type = fabric_.owning_node(port).type;
    switch (kind) {
      case Member::Kind::all:
        return true;
      case Member::Kind::cas:
        return type == mad::NodeType::ca;
      case Member::Kind::switches:
        return type == mad::NodeType::switch_;
      case Member::Kind::routers:
        return type == mad::NodeType::router;
      case Member::Kind::self:
        return port == fabric_.sm_port;
      case Member::Kind::virtual_cas:
      case Member::Kind::guids:
        return false;
    }
    return false;
  }

  void join(fabric::EndPortIndex end_port, Membership as, const Definition& definition,
            std::size_t position) {
    if (membership_[end_port] == 0) touched_.push_back(end_port);
    if (as == Membership::both && !options_.allow_both_pkeys) as = Membership::full;
    membership_[end_port] = static_cast<std::uint8_t>(as);
    if (!definition.index0 || position < first_definition_[end_port]) return;
    first_[end_port] = definition.key;
    first_definition_[end_port] = position;
  }

  /// Adds a membership of the API to what the configuration says.
  void add_runtime_membership(fabric::EndPortIndex end_port, Membership as) {
    std::uint8_t& membership = membership_[end_port];
    if (membership == 0) {
      touched_.push_back(end_port);
      membership = static_cast<std::uint8_t>(as);
    } else if (!has(membership, Membership::full) && as == Membership::full) {
      membership = static_cast<std::uint8_t>(Membership::full);
    }
  }

  void add_kept_membership(fabric::EndPortIndex end_port, Membership as) {
    if (!options_.allow_both_pkeys) return add_runtime_membership(end_port, as);
    std::uint8_t& membership = membership_[end_port];
    if (membership == 0) touched_.push_back(end_port);
    membership = static_cast<std::uint8_t>(membership | static_cast<std::uint8_t>(as));
  }

  void take_keys(std::uint16_t key) {
    for (const fabric::EndPortIndex end_port : touched_) {
      if (has(membership_[end_port], Membership::limited))
        keyed_.push_back({end_port, limited_key(key)});
      if (has(membership_[end_port], Membership::full))
        keyed_.push_back({end_port, mad::full_member_key(key)});
      membership_[end_port] = 0;
    }
    touched_.clear();
  }

  const fabric::Fabric& fabric_;
  const config::Options& options_;
  const std::span<const mad::Guid> vports_;
  const Configuration& configuration_;
  const RuntimePartitions* const runtime_;                               // null: none
  const KeptKeys* const kept_;                                           // may be null
  const std::size_t members_;                                            // end ports and vports
  std::vector<std::pair<std::uint64_t, fabric::EndPortIndex>> by_guid_;  // port GUID, end_port
  std::vector<std::uint8_t>
      membership_;  // by end_port, in the current partition: bits of Membership
  std::vector<fabric::EndPortIndex> touched_;  // its members
  std::vector<std::uint16_t> first_;  // by end_port: the partition whose key indx0 puts at index 0
  std::vector<std::size_t> first_definition_;  // the definition that did so
  std::vector<Keyed> keyed_;
};

std::vector<bool> with_members(const fabric::PartitionMap& map) {
  std::vector<bool> has_members(0x8000);
  for (const mad::PKey key : map.keys) has_members[mad::p_key_base(key)] = true;
  return has_members;
}

}  // namespace

fabric::PartitionMap partition_map(const Configuration& configuration, const fabric::Fabric& fabric,
                                   const config::Options& options,
                                   std::span<const mad::Guid> vports,
                                   const RuntimePartitions* runtime, const KeptKeys* kept) {
  Mapper mapper(fabric, options, vports, configuration, runtime, kept);
  mapper.add_all();
  const std::vector<Mapper::Keyed> keyed = mapper.keys();
  fabric::PartitionMap result;
  result.offsets.assign(mapper.members() + 1, 0);
  for (const Mapper::Keyed& entry : keyed) ++result.offsets[entry.end_port + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  result.keys.resize(keyed.size());
  std::vector<std::uint32_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (const Mapper::Keyed& entry : keyed) result.keys[next[entry.end_port]++] = entry.key;
  result.first_keys.resize(mapper.members());
  for (const fabric::EndPortIndex end_port : result.first_keys.indices())
    result.first_keys[end_port] = mapper.first_key(end_port, result.get_keys(end_port));
  result.vports.assign(vports.begin(), vports.end());
  mapper.describe(result, with_members(result));
  return result;
}

fabric::PartitionMap updated_partition_map(const fabric::PartitionMap& before,
                                           std::span<const fabric::EndPortIndex> changed,
                                           const Configuration& configuration,
                                           const fabric::Fabric& fabric,
                                           const config::Options& options,
                                           const RuntimePartitions* runtime, const KeptKeys* kept) {
  Mapper mapper(fabric, options, before.vports, configuration, runtime, kept);
  std::map<fabric::EndPortIndex, std::vector<mad::PKey>> keys;
  for (const fabric::EndPortIndex subject : changed)
    if (keys.try_emplace(subject).second) mapper.add(subject);
  for (const Mapper::Keyed& entry : mapper.keys()) keys[entry.end_port].push_back(entry.key);

  fabric::PartitionMap result;
  result.offsets.reserve(before.offsets.size());
  result.keys.reserve(before.keys.size() + keys.size());
  result.first_keys = before.first_keys;
  result.vports = before.vports;
  result.vports = before.vports;
  auto next = keys.begin();
  for (const fabric::EndPortIndex subject : before.first_keys.indices()) {
    result.offsets.push_back(static_cast<std::uint32_t>(result.keys.size()));
    const bool is_changed = next != keys.end() && next->first == subject;
    const std::span<const mad::PKey> its = is_changed ? next->second : before.get_keys(subject);
    result.keys.insert(result.keys.end(), its.begin(), its.end());
    if (!is_changed) continue;
    result.first_keys[subject] = mapper.first_key(subject, its);
    ++next;
  }
  result.offsets.push_back(static_cast<std::uint32_t>(result.keys.size()));
  mapper.describe(result, with_members(result));
  return result;
}

}  // namespace partitions
