#include "partitions/kept_keys.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "mad/format.h"
#include "partitions/membership.h"
#include "partitions/p_key_tables.h"
#include "partitions/partition_conditions.h"

namespace partitions {
namespace {

constexpr unsigned kKeysPerBlock = mad::PKeyTable::kEntries;

/// True if this membership explains the key. Without `both`, the keys of one partition are one.
bool explains(std::span<const mad::PKey> membership, mad::PKey key, bool both) {
  return std::ranges::any_of(membership, [&](mad::PKey own) {
    return own == key ||
           (!both && mad::p_key_base(own) == mad::p_key_base(key) && mad::is_full_member(own));
  });
}

class Keeper {
 public:
  Keeper(const KeyOrigins& origins, const ObservedTables& observed,
         const Configuration& configuration, const config::Options& options,
         const RuntimePartitions* runtime)
      : origins_(origins),
        observed_(observed),
        fabric_(observed.fabric),
        configuration_(configuration),
        options_(options),
        runtime_(runtime) {}

  KeptDecision decide() {
    for (const fabric::EndPortIndex end_port : fabric_.end_ports.indices()) visit(end_port);
    std::size_t subject = fabric_.end_ports.size();
    for (const VPortTable& vport : observed_.vports) {
      guids_.push_back(vport.guid);
      vport_guids_.insert(vport.guid);
      visit(vport, fabric::EndPortIndex(subject++));
    }
    keep_absent();
    if (!candidates_.empty()) keep_unexplained();
    std::ranges::sort(result_.kept);
    drop_duplicates();
    drop_beyond_bounds();
    return std::move(result_);
  }

 private:
  struct Candidate {
    fabric::EndPortIndex subject;  // as in partition_map()
    fabric::PortIndex port;        // the physical one
    KeptKey key;
  };

  bool is_unexamined(mad::Guid guid) const {
    return !origins_.is_shared && (!origins_.is_complete || origins_.pending.contains(guid));
  }
  /// True if another manager may have written the port's table.
  bool may_be_foreign(const fabric::Port& port) const {
    if (is_unexamined(port.guid)) return true;
    const mad::Lid master = port.info.master_sm_lid();
    return !origins_.is_shared && master != mad::Lid{} && master != observed_.own_lid &&
           master != fabric_.ports[fabric_.sm_port].info.lid() &&
           (!observed_.is_new || observed_.is_new(port.guid));
  }
  bool is_withdrawn(const KeptKey& kept) const {
    return origins_.withdrawn.contains({mad::p_key_base(kept.key), kept.guid});
  }

  void visit(fabric::EndPortIndex end_port) {
    const fabric::PortIndex index = fabric_.end_ports[end_port];
    const fabric::Port& port = fabric_.ports[index];
    const bool is_foreign = may_be_foreign(port);
    if (is_foreign && observed_.has_unread_vports && observed_.has_unread_vports(index))
      result_.pending.insert(port.guid);
    if (!begin(port.guid, is_foreign)) return;
    const bool is_known = port.known && port.p_key_blocks > 0 && observed_.is_known(index);
    if (is_foreign && !is_known) result_.pending.insert(port.guid);
    if (!is_known) return keep_all(port.guid);
    const auto blocks = fabric_.p_keys(index);
    table_.assign(blocks.begin(), blocks.end());
    collect(end_port, index, port.guid, p_key_capacity(fabric_, index), is_foreign);
  }

  void visit(const VPortTable& vport, fabric::EndPortIndex subject) {
    const bool is_foreign = is_unexamined(vport.guid) || may_be_foreign(fabric_.ports[vport.port]);
    if (!begin(vport.guid, is_foreign)) return;
    if (is_foreign && !vport.is_known) result_.pending.insert(vport.guid);
    if (!vport.is_known) return keep_all(vport.guid);
    table_ = vport.blocks;
    collect(subject, vport.port, vport.guid, static_cast<unsigned>(table_.size()) * kKeysPerBlock,
            is_foreign);
  }

  /// Returns false if nothing of the table can be kept.
  bool begin(mad::Guid guid, bool is_foreign) {
    const bool had_some = !kept_keys(origins_.kept, guid).empty();
    if (had_some) seen_.insert(guid);
    return is_foreign || had_some;
  }

  /// Keeps what was kept, since the table is not known.
  void keep_all(mad::Guid guid) {
    for (const KeptKey& kept : kept_keys(origins_.kept, guid))
      if (!is_withdrawn(kept)) result_.kept.push_back(kept);
  }
  void keep_absent() {
    for (const KeptKey& kept : origins_.kept)
      if (!seen_.contains(kept.guid) && !is_withdrawn(kept)) result_.kept.push_back(kept);
    for (const mad::Guid guid : origins_.pending) {
      if (result_.pending.size() >= kKeptMax) return;
      if (!fabric_.port_of_guid.contains(guid) && !vport_guids_.contains(guid))
        result_.pending.insert(guid);
    }
  }

  /// Adds the keys of table_ that may be kept: all of a table that another manager may have
  /// written, of the others those that were kept before.
  void collect(fabric::EndPortIndex subject, fabric::PortIndex port, mad::Guid guid,
               unsigned capacity, bool is_foreign) {
    const std::span<const KeptKey> before = kept_keys(origins_.kept, guid);
    const unsigned entries =
        std::min(capacity, static_cast<unsigned>(table_.size()) * kKeysPerBlock);
    for (unsigned index = 0; index < entries; ++index) {
      const mad::PKey key = table_[index / kKeysPerBlock].p_key(index % kKeysPerBlock);
      if (mad::p_key_base(key) == 0 ||
          mad::p_key_base(key) == mad::p_key_base(mad::kDefaultPKeyFull))
        continue;
      if (!is_foreign && std::ranges::find(before, key, &KeptKey::key) == before.end()) continue;
      const KeptKey kept{.guid = guid, .key = key, .index0 = index == 0};
      if (!is_withdrawn(kept)) candidates_.push_back({subject, port, kept});
    }
  }

  void keep_unexplained() {
    const PartitionMaps maps = make_maps();
    for (const Candidate& candidate : candidates_) {
      const mad::PKey key = candidate.key.key;
      const auto is_of = [&](const fabric::PartitionMap& map) {
        return explains(map.get_keys(candidate.subject), key, options_.allow_both_pkeys);
      };
      if (is_of(maps.own) || (maps.former && is_of(*maps.former)) ||
          !is_held_in_front(candidate.port, key))
        continue;
      result_.kept.push_back(candidate.key);
    }
  }

  struct PartitionMaps {
    fabric::PartitionMap own;
    std::optional<fabric::PartitionMap> former;
  };
  PartitionMaps make_maps() const {
    PartitionMaps maps{.own = partition_map(configuration_, fabric_, options_, guids_, runtime_),
                       .former = {}};
    if (!origins_.former.definitions.empty() && origins_.former != configuration_)
      maps.former = partition_map(origins_.former, fabric_, options_, guids_);
    return maps;
  }

  /// Returns the switch port in front that is to hold the keys of the port; kNoIndex if no port is.
  fabric::PortIndex mirror_of(fabric::PortIndex port) const {
    const fabric::PortIndex peer = fabric_.ports[port].peer;
    const bool mirrors = peer != fabric::kNoIndex && !fabric_.owning_node(port).is_switch() &&
                         mirrors_neighbour(fabric_, peer, options_.part_enforce) &&
                         fabric_.ports[peer].p_key_blocks > 0;
    return mirrors ? peer : fabric::PortIndex(fabric::kNoIndex);
  }
  /// True unless the switch port in front of the port is to hold its neighbour's keys, and lacks
  /// this one: a host can write its own table, but not the table of a switch. If the table of the
  /// switch port was not read, the port keeps the key, and nothing is written to the switch port.
  bool is_held_in_front(fabric::PortIndex port, mad::PKey key) {
    const fabric::PortIndex front = mirror_of(port);
    if (front == fabric::kNoIndex) return true;
    if (!fabric_.ports[front].known || !observed_.is_known(front)) {
      result_.unread_fronts.insert(front);
      return true;
    }
    const mad::PKey full = mad::full_member_key(mad::p_key_base(key));
    return std::ranges::any_of(fabric_.p_keys(front), [&](const mad::PKeyTable& block) {
      for (unsigned entry = 0; entry < kKeysPerBlock; ++entry)
        if (block.p_key(entry) == key || block.p_key(entry) == full) return true;
      return false;
    });
  }

  /// Keeps each key of a port once.
  void drop_duplicates() {
    const auto rest = std::ranges::unique(result_.kept, [](const KeptKey& a, const KeptKey& b) {
      return a.guid == b.guid && a.key == b.key;
    });
    result_.kept.erase(rest.begin(), rest.end());
  }

  void drop_beyond_bounds() {
    std::size_t of_port = 0, kept = 0;
    mad::Guid port;
    std::erase_if(result_.kept, [&](const KeptKey& key) {
      of_port = key.guid == port ? of_port + 1 : 1;
      port = key.guid;
      if (of_port <= kKeptPerPortMax && kept < kKeptMax) {
        ++kept;
        return false;
      }
      return result_.is_full = true;
    });
  }

  const KeyOrigins& origins_;
  const ObservedTables& observed_;
  const fabric::Fabric& fabric_;
  const Configuration& configuration_;
  const config::Options& options_;
  const RuntimePartitions* const runtime_;  // null: no partitions of the API
  std::unordered_set<mad::Guid> seen_;      // ports in the fabric that had kept keys
  std::vector<mad::Guid> guids_;            // of vports
  std::unordered_set<mad::Guid> vport_guids_;
  std::vector<mad::PKeyTable> table_;
  std::vector<Candidate> candidates_;
  KeptDecision result_;
};

}  // namespace

KeptDecision decide_kept_keys(const KeyOrigins& origins, const ObservedTables& observed,
                              const Configuration& configuration, const config::Options& options,
                              const RuntimePartitions* runtime) {
  return Keeper(origins, observed, configuration, options, runtime).decide();
}

std::vector<fabric::Condition> kept_key_conditions(const KeptDecision& decision,
                                                   const fabric::Fabric& fabric) {
  constexpr std::size_t kKeysNamed = 20, kPortsNamed = 10;
  std::map<mad::PKey, std::vector<mad::Guid>> ports;
  for (const KeptKey& kept : decision.kept) ports[kept.key].push_back(kept.guid);
  fabric::ConditionList list(kPartitionConditions.partition_kept, kKeysNamed);
  for (const auto& [key, guids] : ports) {
    std::string names;
    for (const mad::Guid guid : std::span(guids).first(std::min(guids.size(), kPortsNamed))) {
      const auto port = fabric.port_of_guid.find(guid);
      names += names.empty() ? "" : ", ";
      names += port == fabric.port_of_guid.end()
                   ? fmt::format("{}", guid)
                   : fmt::format("{} ({})", fabric.port_name(port->second), guid);
    }
    if (guids.size() > kPortsNamed)
      names += fmt::format(" and {} more", guids.size() - kPortsNamed);
    list.add(fmt::format("P_Key {} of unknown origin is kept at {} port{}: {}", key, guids.size(),
                         guids.size() == 1 ? "" : "s", names));
  }
  if (decision.is_full)
    list.add(
        fmt::format("more than {} P_Keys of unknown origin at one port, or {} in all; the "
                    "others are removed",
                    kKeptPerPortMax, kKeptMax));
  return list.take();
}

}  // namespace partitions
