#include "partitions/membership.h"

#include <algorithm>
#include <map>

namespace partitions {
namespace {

constexpr mad::PKey limited_key(std::uint16_t partition) { return {partition}; }

constexpr bool has(std::uint8_t membership, Membership bit) {
  return (membership & static_cast<std::uint8_t>(bit)) != 0;
}

/// End ports are identified by their index in Fabric::end_ports.
class Mapper {
 public:
  Mapper(const sm::Fabric& fabric, const config::Options& options)
      : fabric_(fabric),
        options_(options),
        membership_(fabric.end_ports.size()),
        first_(fabric.end_ports.size()),
        first_definition_(fabric.end_ports.size()) {
    for (std::uint32_t number = 0; number < fabric.end_ports.size(); ++number)
      by_guid_.push_back({fabric.ports[fabric.end_ports[number]].guid.value, number});
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
    std::uint32_t number;
    mad::PKey key;
  };

  mad::Sl sl(mad::Sl wanted) const { return options_.qos ? wanted : mad::Sl{}; }

  void add(const Definition& definition, std::size_t position) {
    for (const Member& member : definition.members) {
      if (member.kind == Member::Kind::guids) {
        const auto begin =
            std::ranges::lower_bound(by_guid_, std::pair(member.first, std::uint32_t{0}));
        for (auto port = begin; port != by_guid_.end() && port->first <= member.last; ++port)
          join(port->second, member.membership, definition, position);
      } else {
        for (std::uint32_t number = 0; number < fabric_.end_ports.size(); ++number) {
          if (is_meant(member.kind, fabric_.end_ports[number]))
            join(number, member.membership, definition, position);
        }
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

  void join(std::uint32_t number, Membership as, const Definition& definition,
            std::size_t position) {
    if (membership_[number] == 0) touched_.push_back(number);
    if (as == Membership::both && !options_.allow_both_pkeys) as = Membership::full;
    membership_[number] = static_cast<std::uint8_t>(as);
    if (!definition.index0 || position < first_definition_[number]) return;
    first_[number] = definition.key;
    first_definition_[number] = position;
  }

  /// Partition by partition in ascending order, so that the keys of each port are in that order.
  void take_keys(std::uint16_t key) {
    for (const std::uint32_t number : touched_) {
      if (has(membership_[number], Membership::limited))
        keyed_.push_back({number, limited_key(key)});
      if (has(membership_[number], Membership::full))
        keyed_.push_back({number, mad::full_member_key(key)});
      membership_[number] = 0;
    }
    touched_.clear();
  }

  void list_keys(sm::PartitionMap& result) const {
    const std::size_t ports = fabric_.end_ports.size();
    result.offsets.assign(ports + 1, 0);
    for (const Keyed& keyed : keyed_) ++result.offsets[keyed.number + 1];
    for (std::size_t i = 0; i < ports; ++i) result.offsets[i + 1] += result.offsets[i];
    result.keys.resize(keyed_.size());
    std::vector<std::uint32_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (const Keyed& keyed : keyed_) result.keys[next[keyed.number]++] = keyed.key;
    result.first_keys.resize(ports);
    for (std::uint32_t number = 0; number < ports; ++number)
      result.first_keys[number] = first_key(result.keys_of(number), first_[number]);
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
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_guid_;  // port GUID, number
  std::vector<std::uint8_t> membership_;  // by number, in the current partition: bits of Membership
  std::vector<std::uint32_t> touched_;    // its members
  std::vector<std::uint16_t> first_;  // by number: the partition whose key indx0 puts at index 0
  std::vector<std::size_t> first_definition_;  // the definition that did so
  std::vector<Keyed> keyed_;
};

}  // namespace

sm::PartitionMap partition_map(const Configuration& configuration, const sm::Fabric& fabric,
                               const config::Options& options) {
  return Mapper(fabric, options).map(configuration);
}

}  // namespace partitions
