#include "sm/sweep/decide/vport_decision.h"

#include <algorithm>

#include "mad/format.h"
#include "partitions/membership.h"
#include "partitions/partition_conditions.h"
#include "sm/sweep/decide/lids.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "virt/virt_conditions.h"
#include "virt/vport_lids.h"

namespace sm {
namespace {

constexpr std::size_t kVPortConditions = 20;

std::vector<EndPortIndex> end_ports_by_port(const Fabric& fabric) {
  std::vector<EndPortIndex> end_port_of(fabric.ports.size(), EndPortIndex(kNoIndex));
  for (const EndPortIndex end_port : fabric.end_ports.indices())
    end_port_of[fabric.end_ports[end_port]] = end_port;
  return end_port_of;
}

/// Decides which keys vports have, and what their tables should hold.
class VPortKeyring {
 public:
  VPortKeyring(const SweepContext& context, const Fabric& fabric, const virt::Facts& facts,
               const partitions::KeptKeys* kept, VPortDecision& decision)
      : context_(context),
        fabric_(fabric),
        facts_(facts),
        kept_(kept),
        decision_(decision),
        targets_(decision.targets) {}

  void decide() {
    std::vector<mad::Guid> guids;
    for (const VPort& vport : targets_.vports)
      if (is_member(vport)) guids.push_back(vport.guid);
    PartitionMap map = partitions::partition_map(context_.partitioning, fabric_, context_.options,
                                                 guids, context_.runtime.get(), kept_);
    const std::vector<EndPortIndex> end_port_of = end_ports_by_port(fabric_);
    std::vector<EndPortIndex> member(targets_.vports.size(), EndPortIndex(kNoIndex));
    std::size_t next = fabric_.end_ports.size();
    partitions::VPortKeys behind;
    targets_.keys.resize(targets_.vports.size());
    targets_.tables.resize(targets_.vports.size());
    for (std::size_t number = 0; number < targets_.vports.size(); ++number) {
      const VPort& vport = targets_.vports[number];
      if (vport.index == 0)
        member[number] = end_port_of[vport.port];
      else if (is_member(vport))
        member[number] = EndPortIndex(next++);
      if (member[number] == kNoIndex) continue;
      const auto keys = map.get_keys(member[number]);
      targets_.keys[number].assign(keys.begin(), keys.end());
      if (vport.index == 0) continue;
      fill(number, map.first_keys[member[number]]);
      partitions::add_vport_keys(behind, vport.port, vport.guid, targets_.keys[number],
                                 context_.runtime.get());
    }
    decision_.partitions.p_keys =
        partitions::p_key_targets(fabric_, map, context_.options, behind, context_.runtime.get());
    map = partitions::without_left_out(std::move(map), decision_.partitions.p_keys);
    for (std::size_t number = 0; number < targets_.vports.size(); ++number) {
      if (member[number] == kNoIndex || targets_.vports[number].index != 0) continue;
      const auto keys = map.get_keys(member[number]);
      targets_.keys[number].assign(keys.begin(), keys.end());
      copy_of_port(number);
    }
    std::ranges::move(full_.take(), std::back_inserter(decision_.conditions));
    decision_.partitions.map = std::move(map);
  }

 private:
  static bool is_member(const VPort& vport) {
    return vport.index > 0 && vport.hold == VPortHold::none;
  }

  static std::vector<mad::PKeyTable> held_by(const virt::VPortFacts& facts) {
    std::vector<mad::PKeyTable> held;
    held.reserve(facts.p_keys.size());
    for (const auto& block : facts.p_keys) held.push_back(block.value_or(mad::PKeyTable{}));
    return held;
  }

  /// Fills the table of a vport that is not index 0, and reduces its keys to those that fit.
  void fill(std::size_t number, mad::PKey first) {
    VPort& vport = targets_.vports[number];
    const virt::VPortFacts* const facts = find_facts(facts_, fabric_, vport);
    if (facts == nullptr || !facts->node_info) return;
    std::vector<mad::PKey>& keys = targets_.keys[number];
    const unsigned capacity = facts->node_info->partition_cap();
    const auto preference = facts->state == mad::PortState::active
                                ? partitions::Preference::held_keys
                                : partitions::Preference::first_key;
    partitions::VPortPKeys filled = partitions::vport_p_keys(held_by(*facts), capacity, keys, first,
                                                             preference, context_.options);
    targets_.tables[number] = std::move(filled.table);
    if (filled.left_out.empty()) return;
    const bool has_none = filled.left_out.size() == keys.size();
    if (has_none) vport.hold = VPortHold::p_keys;
    full_.add(fmt::format("P_Key table full: {}: no entry for {}: capacity {}, {} keys wanted; {}",
                          virt::vport_name(fabric_, vport.port, vport.index),
                          partitions::text_of_keys(filled.left_out), capacity, keys.size(),
                          has_none ? "it stays in Init" : "it has the others"));
    std::erase_if(keys, [&](mad::PKey key) {
      return std::ranges::find(filled.left_out, key) != filled.left_out.end();
    });
  }

  /// Gives index 0 the table of the physical port. No document says whether both are one table; the
  /// planner writes both where they differ.
  void copy_of_port(std::size_t number) {
    const VPort& vport = targets_.vports[number];
    const virt::VPortFacts* const facts = find_facts(facts_, fabric_, vport);
    if (facts == nullptr || !facts->node_info) return;
    std::vector<mad::PKeyTable> table = held_by(*facts);
    const Port& port = fabric_.ports[vport.port];
    const std::size_t blocks = std::min<std::size_t>(table.size(), port.p_key_blocks);
    std::ranges::copy(decision_.partitions.p_keys.blocks.slice(port.first_p_key_block, blocks),
                      table.begin());
    if (blocks > 0) targets_.tables[number] = std::move(table);
  }

  const SweepContext& context_;
  const Fabric& fabric_;
  const virt::Facts& facts_;
  const partitions::KeptKeys* const kept_;  // may be null
  VPortDecision& decision_;
  VPortTargets& targets_;
  ConditionList full_{partitions::kPartitionConditions.p_key_table_full, kVPortConditions};
};

bool holds_table(const virt::VPortFacts& facts, std::span<const mad::PKeyTable> wanted) {
  return !wanted.empty() && std::ranges::equal(facts.p_keys, wanted,
                                               [](const auto& held, const mad::PKeyTable& block) {
                                                 return held && *held == block;
                                               });
}

/// True if all switches are known to forward the LID as the target says, unless their tables are
/// too small.
bool is_forwarded(mad::Lid lid, const Fabric& fabric, const DeviceState& devices,
                  const ForwardingTables& wanted) {
  const ForwardingTables* const tables = devices.lfts.tables();
  const std::size_t block = lid.value / kLftBlockLids;
  return tables != nullptr && std::ranges::all_of(fabric.switches.indices(), [&](SwitchIndex sw) {
           return fabric.switches[sw].info.linear_fdb_cap() <= lid.value ||
                  (fabric.switches[sw].info.linear_fdb_top() >= lid.value &&
                   devices.lfts.is_known(sw, block) && tables->at(sw, lid) == wanted.at(sw, lid));
         });
}

/// True if the switch port in front of this port passes packets with these keys.
bool passes_switch(const Fabric& fabric, PortIndex port, std::span<const mad::PKey> keys) {
  const PortIndex peer = fabric.ports[port].peer;
  if (peer == kNoIndex || !fabric.owning_node(peer).is_switch()) return true;
  const mad::PortInfo& info = fabric.ports[peer].info;
  if (!info.partition_enforcement_inbound() && !info.partition_enforcement_outbound()) return true;
  const auto has = [&](mad::PKey key) {
    return std::ranges::any_of(fabric.p_keys(peer), [&](const mad::PKeyTable& block) {
      for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
        if (block.p_key(entry) == key) return true;
      return false;
    });
  };
  // A switch port that has the full key lets limited members pass, too.
  return std::ranges::all_of(keys, [&](mad::PKey key) {
    return has(key) || has(mad::full_member_key(mad::p_key_base(key)));
  });
}

}  // namespace

const virt::VPortFacts* find_facts(const virt::Facts& facts, const Fabric& fabric,
                                   const VPort& vport) {
  const auto port = facts.find(fabric.ports[vport.port].guid);
  if (port == facts.end()) return nullptr;
  const auto found = port->second.vports.find(vport.index);
  return found == port->second.vports.end() ? nullptr : &found->second;
}

VPortDecision decide_vports(const SweepContext& context, const Fabric& fabric,
                            const LidMap& physical, const Guid2Lid& persisted,
                            const virt::Facts& facts, const virt::WasServed& was_served,
                            std::optional<PartitionDecision> without_vports,
                            const partitions::KeptKeys* kept) {
  VPortDecision decision;
  virt::Found found = virt::find_vports(fabric, facts, was_served);
  decision.conditions = std::move(found.conditions);
  decision.contested = std::move(found.contested);
  decision.targets.vports = std::move(found.vports);
  decision.targets.ports = std::move(found.ports);
  virt::VPortLids lids =
      virt::assign_vport_lids(decision.targets.vports, fabric, physical, persisted,
                              lid_limit(fabric, physical.lid_top.value).highest);
  if (lids.without > 0)
    decision.conditions.push_back(
        {.id = kLidConditions.lids_exhausted,
         .text = fmt::format("no LID left for {} vport{} that require{} one; physical ports are "
                             "served first",
                             lids.without, lids.without == 1 ? "" : "s",
                             lids.without == 1 ? "s" : "")});
  decision.lids = std::move(lids.lids);
  decision.persisted = std::move(lids.persisted);
  decision.messages = std::move(lids.messages);
  if (!decision.targets.vports.empty()) {
    VPortKeyring(context, fabric, facts, kept, decision).decide();
  } else {
    decision.partitions =
        without_vports ? std::move(*without_vports) : decide_partitions(context, fabric, kept);
  }
  return decision;
}

std::vector<partitions::VPortTable> vport_tables(const Fabric& fabric, const virt::Facts& facts) {
  std::vector<partitions::VPortTable> tables;
  for (const auto& [guid, port] : facts) {
    const auto place = fabric.port_of_guid.find(guid);
    if (place == fabric.port_of_guid.end()) continue;
    for (const auto& [index, vport] : port.vports) {
      if (index == 0 || vport.state != mad::PortState::active || !vport.info ||
          vport.info->port_guid() == mad::Guid{} ||
          fabric.port_of_guid.contains(vport.info->port_guid()))
        continue;
      partitions::VPortTable& table = tables.emplace_back();
      table = {.guid = vport.info->port_guid(),
               .port = place->second,
               .blocks = {},
               .is_known = vport.node_info.has_value() && !vport.stale};
      for (const auto& block : vport.p_keys) {
        table.is_known = table.is_known && block.has_value();
        table.blocks.push_back(block.value_or(mad::PKeyTable{}));
      }
    }
  }
  return tables;
}

bool has_unread_vports(const Fabric& fabric, PortIndex index, const virt::Facts& facts) {
  const Port& port = fabric.ports[index];
  if (!virt::can_have_vports(port) || fabric.owning_node(index).type != mad::NodeType::ca)
    return false;
  const auto found = facts.find(port.guid);
  if (found == facts.end()) return true;
  const virt::PortFacts& known = found->second;
  if (known.refuses) return false;
  if (!known.info || known.silent) return true;
  if (!known.is_enabled()) return false;
  return !known.states_read || std::ranges::any_of(known.vports, [](const auto& of) {
    const auto& [number, vport] = of;
    return number != 0 && vport.exists && vport.state == mad::PortState::active && !vport.info;
  });
}

bool has_vports(const virt::Facts& facts) {
  return std::ranges::any_of(facts, [](const auto& of) { return of.second.is_enabled(); });
}

void hold_unready(VPortTargets& targets, const Fabric& fabric, const DeviceState& devices,
                  const ForwardingTables* lfts) {
  for (std::size_t number = 0; number < targets.vports.size(); ++number) {
    VPort& vport = targets.vports[number];
    const virt::VPortFacts* const facts = find_facts(devices.vports, fabric, vport);
    if (facts == nullptr) continue;
    vport.state = facts->state;
    if (vport.hold != VPortHold::none || vport.index == 0) continue;
    const bool passes = passes_switch(fabric, vport.port, targets.keys[number]);
    if (!holds_table(*facts, targets.tables[number])) {
      vport.hold = VPortHold::p_keys;
    } else if (passes && vport.has_own_lid && facts->info->vport_lid() != vport.lid) {
      vport.hold = VPortHold::refused;
    } else if (!passes || (vport.has_own_lid &&
                           (lfts == nullptr || !is_forwarded(vport.lid, fabric, devices, *lfts)))) {
      vport.hold = VPortHold::tables;
    }
  }
}

void hold_inactive(VPortTargets& targets, const Fabric& fabric, const DeviceState& devices) {
  for (VPort& vport : targets.vports) {
    const virt::VPortFacts* const facts = find_facts(devices.vports, fabric, vport);
    if (facts == nullptr) continue;
    vport.state = facts->state;
    if (vport.hold == VPortHold::none && vport.index > 0 && vport.state != mad::PortState::active)
      vport.hold = VPortHold::refused;
  }
}

bool is_published(const VPorts& published, PortIndex port, const virt::PortFacts& facts) {
  const VirtualizedPort* const of = published.at(port);
  if (of == nullptr || !facts.info || !facts.is_enabled() || !of->info.virtualization_enable())
    return false;
  auto vport = published.vports_of(port).begin();
  const auto end = published.vports_of(port).end();
  for (const auto& [index, its] : facts.vports) {
    if (!its.exists) continue;
    const bool same = vport != end && vport->index == index && vport->state == its.state &&
                      (its.state == mad::PortState::down ||
                       (its.state == mad::PortState::active && vport->is_served())) &&
                      vport->info == its.info.value_or(mad::VPortInfo{}) &&
                      vport->node_info == its.node_info.value_or(mad::VNodeInfo{}) &&
                      vport->description == its.description;
    if (!same) return false;
    ++vport;
  }
  return vport == end;
}

std::shared_ptr<const VPorts> published_vports(const VPortTargets& targets) {
  if (targets.ports.empty()) return nullptr;
  auto out = std::make_shared<VPorts>();
  out->ports = targets.ports;
  for (std::size_t number = 0; number < targets.vports.size(); ++number) {
    const VPortIndex index(number);
    VPort vport = targets.vports[number];
    vport.first_key = static_cast<std::uint32_t>(out->keys.size());
    vport.key_count = static_cast<std::uint32_t>(targets.keys[number].size());
    out->keys.insert(out->keys.end(), targets.keys[number].begin(), targets.keys[number].end());
    if (vport.is_served() && vport.index > 0) {
      out->of_guid.emplace(vport.guid, index);
      if (vport.has_own_lid) out->of_lid.emplace(vport.lid.value, index);
    }
    out->vports.push_back(vport);
  }
  return out;
}

std::vector<Condition> vport_conditions(const VPortTargets& targets, const Fabric& fabric,
                                        const virt::Facts& facts) {
  ConditionList rejected(virt::kVirtConditions.vport_rejected, kVPortConditions);
  for (const VPort& vport : targets.vports) {
    const virt::VPortFacts* const of = find_facts(facts, fabric, vport);
    if (of == nullptr || !of->failure) continue;
    const virt::VPortFailure& failure = *of->failure;
    rejected.add(fmt::format(
        "{}: {} {}; {}", virt::vport_name(fabric, vport.port, vport.index),
        mad::name(failure.attribute),
        failure.status == 0 ? std::string("is not answered")
                            : fmt::format("is rejected with status {:#06x}", failure.status),
        vport.hold == VPortHold::none ? std::string_view("it is served") : text(vport.hold)));
  }
  return rejected.take();
}

}  // namespace sm
