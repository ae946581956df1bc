#include "partitions/membership.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace partitions {
namespace {

constexpr mad::PKey limited_key(std::uint16_t partition) { return {partition}; }

constexpr bool has(std::uint8_t membership, Membership bit) {
  return (membership & static_cast<std::uint8_t>(bit)) != 0;
}

/// End ports are identified by their index in Fabric::end_ports; vports follow them.
class Mapper {
 public:
  Mapper(const sm::Fabric& fabric, const config::Options& options,
         std::span<const mad::Guid> vports)
      : fabric_(fabric),
        options_(options),
        members_(fabric.end_ports.size() + vports.size()),
        membership_(members_),
        first_(members_),
        first_definition_(members_) {
    by_guid_.reserve(members_);
    for (const sm::EndPortIndex end_port : fabric.end_ports.indices())
      by_guid_.push_back({fabric.ports[fabric.end_ports[end_port]].guid.value, end_port});
    for (std::size_t vport = 0; vport < vports.size(); ++vport)
      by_guid_.push_back({vports[vport].value, sm::EndPortIndex(fabric.end_ports.size() + vport)});
    std::ranges::sort(by_guid_);
  }

  sm::PartitionMap map(const Configuration& configuration) {
    std::map<std::uint16_t, std::vector<std::size_t>> definitions_of;  // by key
    for (std::size_t i = 0; i < configuration.definitions.size(); ++i)
      definitions_of[configuration.definitions[i].key].push_back(i);
    sm::PartitionMap result;
    for (const auto& [key, definitions] : definitions_of) {
      for (const std::size_t i : definitions) add(configuration.definitions[i], i);
      if (touched_.empty()) continue;
      const Definition& last = configuration.definitions[definitions.back()];
      result.partitions.push_back({.key = key, .name = last.name, .sl = sl(last.sl)});
      take_keys(key);
    }
    list_keys(result);
    for (const Definition& definition : configuration.definitions) {
      for (sm::WellKnownGroup group : definition.groups) {
        if (result.find(group.p_key) == nullptr) continue;
        group.sl = sl(group.sl);
        result.groups.push_back(group);
      }
    }
    return result;
  }

 private:
  struct Keyed {
    sm::EndPortIndex end_port;
    mad::PKey key;
  };

  mad::Sl sl(mad::Sl wanted) const { return options_.qos ? wanted : mad::Sl{}; }

  void add(const Definition& definition, std::size_t position) {
    for (const Member& member : definition.members) {
      if (member.kind == Member::Kind::guids) {
        const auto begin =
            std::ranges::lower_bound(by_guid_, std::pair(member.first, sm::EndPortIndex{0}));
        for (auto port = begin; port != by_guid_.end() && port->first <= member.last; ++port)
          join(port->second, member.membership, definition, position);
      } else {
        for (const sm::EndPortIndex end_port : fabric_.end_ports.indices()) {
          if (is_meant(member.kind, fabric_.end_ports[end_port]))
            join(end_port, member.membership, definition, position);
        }
        // ALL_CAS names physical ports only, as with NVIDIA's OpenSM.
        if (member.kind != Member::Kind::all && member.kind != Member::Kind::virtual_cas) continue;
        for (std::size_t vport = fabric_.end_ports.size(); vport < members_; ++vport)
          join(sm::EndPortIndex(vport), member.membership, definition, position);
      }
    }
  }

  bool is_meant(Member::Kind kind, sm::PortIndex port) const {
    const mad::NodeType type = fabric_.node_of(port).type;
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

  void join(sm::EndPortIndex end_port, Membership as, const Definition& definition,
            std::size_t position) {
    if (membership_[end_port] == 0) touched_.push_back(end_port);
    if (as == Membership::both && !options_.allow_both_pkeys) as = Membership::full;
    membership_[end_port] = static_cast<std::uint8_t>(as);
    if (!definition.index0 || position < first_definition_[end_port]) return;
    first_[end_port] = definition.key;
    first_definition_[end_port] = position;
  }

  /// Partition by partition in ascending order, so that the keys of each port are in that order.
  void take_keys(std::uint16_t key) {
    for (const sm::EndPortIndex end_port : touched_) {
      if (has(membership_[end_port], Membership::limited))
        keyed_.push_back({end_port, limited_key(key)});
      if (has(membership_[end_port], Membership::full))
        keyed_.push_back({end_port, mad::full_member_key(key)});
      membership_[end_port] = 0;
    }
    touched_.clear();
  }

  void list_keys(sm::PartitionMap& result) const {
    result.offsets.assign(members_ + 1, 0);
    for (const Keyed& keyed : keyed_) ++result.offsets[keyed.end_port + 1];
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    result.keys.resize(keyed_.size());
    std::vector<std::uint32_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (const Keyed& keyed : keyed_) result.keys[next[keyed.end_port]++] = keyed.key;
    result.first_keys.resize(members_);
    for (const sm::EndPortIndex end_port : result.first_keys.indices())
      result.first_keys[end_port] = first_key(result.keys_of(end_port), first_[end_port]);
  }

  /// The key at index 0: the partition's of indx0 (of two keys the limited one), else the default
  /// partition's. With allow_both_pkeys, OpenSM puts no limited default key there.
  mad::PKey first_key(std::span<const mad::PKey> keys, std::uint16_t indx0) const {
    const auto has_key = [&](mad::PKey key) { return std::ranges::find(keys, key) != keys.end(); };
    if (indx0 != 0)
      return has_key(limited_key(indx0)) ? limited_key(indx0) : mad::full_member_key(indx0);
    if (has_key(mad::kDefaultPKeyFull)) return mad::kDefaultPKeyFull;
    return has_key(mad::kDefaultPKeyLimited) && !options_.allow_both_pkeys
               ? mad::kDefaultPKeyLimited
               : mad::PKey{};
  }

  const sm::Fabric& fabric_;
  const config::Options& options_;
  const std::size_t members_;                                        // end ports and vports
  std::vector<std::pair<std::uint64_t, sm::EndPortIndex>> by_guid_;  // port GUID, end_port
  std::vector<std::uint8_t>
      membership_;  // by end_port, in the current partition: bits of Membership
  std::vector<sm::EndPortIndex> touched_;  // its members
  std::vector<std::uint16_t> first_;  // by end_port: the partition whose key indx0 puts at index 0
  std::vector<std::size_t> first_definition_;  // the definition that did so
  std::vector<Keyed> keyed_;
};

}  // namespace

sm::PartitionMap partition_map(const Configuration& configuration, const sm::Fabric& fabric,
                               const config::Options& options, std::span<const mad::Guid> vports) {
  return Mapper(fabric, options, vports).map(configuration);
}

}  // namespace partitions
