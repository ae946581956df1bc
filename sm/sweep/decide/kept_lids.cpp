#include "sm/sweep/decide/kept_lids.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <unordered_map>

#include "sm/sweep/decide/lids.h"

namespace sm {
namespace {

unsigned top_of(const LidMap::Range& range) { return range.base.value + range.count() - 1; }

/// True if no port has any of these LIDs.
bool is_free(const LidMap& lids, const LidMap::Range& range) {
  for (unsigned lid = range.base.value; lid <= top_of(range); ++lid)
    if (lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)}) != kNoIndex) return false;
  return true;
}

/// True if guid2lid reserves exactly these LIDs for the GUID.
bool is_reserved(const Guid2Lid& persisted, mad::Guid guid, const LidMap::Range& range) {
  const Guid2Lid::Entry* const entry = persisted.find(guid);
  return entry != nullptr && range.count() > 0 && entry->first == range.base &&
         entry->count() == range.count();
}

/// Returns the LIDs of an entry as a range; base 0 if they are not a valid range.
LidMap::Range range_of(const Guid2Lid::Entry& entry) {
  if (!mad::is_unicast(entry.first) || !mad::is_unicast(entry.last) || entry.last < entry.first)
    return {};
  const unsigned count = entry.count();
  if (!std::has_single_bit(count) || count > 128 || entry.first.value % count != 0) return {};
  return {entry.first, static_cast<std::uint8_t>(std::countr_zero(count))};
}

/// Returns the switch port where it was; kNoIndex if the fabric has no such switch or port.
PortIndex current_port(const Fabric& fabric, const KeptPort& port) {
  const auto node = fabric.node_of_guid.find(port.leaf);
  if (node == fabric.node_of_guid.end()) return kNoIndex;
  const Node& leaf = fabric.nodes[node->second];
  if (!leaf.is_switch() || port.out.value == 0 || port.out.value > leaf.num_ports) return kNoIndex;
  return leaf.first_port + port.out.value;
}

/// Adds absent ports that had LIDs in the last subnet and were attached to a switch.
void add_absent(std::map<mad::Guid, KeptPort>& ports, const Subnet& last, const Fabric& fabric) {
  for (const EndPortIndex end_port : last.fabric.end_ports.indices()) {
    if (!last.lids.of_end_port.has(end_port)) continue;
    const LidMap::Range& lids = last.lids.of_end_port[end_port];
    const PortIndex index = last.fabric.end_ports[end_port];
    const Port& port = last.fabric.ports[index];
    const Node& node = last.fabric.nodes[port.node];
    if (node.is_switch() || lids.count() == 0 || fabric.port_of_guid.contains(port.guid) ||
        !last.fabric.is_link_up(index))
      continue;
    const Node& leaf = last.fabric.owning_node(port.peer);
    if (!leaf.is_switch()) continue;
    ports[port.guid] = {.guid = port.guid,
                        .lids = lids,
                        .leaf = leaf.guid,
                        .out = last.fabric.ports[port.peer].number,
                        .node = node.guid,
                        .number = port.number,
                        .type = node.type};
  }
}

/// Adds vports of the last subnet that had LIDs of their own.
void add_vports(std::map<mad::Guid, KeptVPort>& vports, const Subnet& last) {
  if (!last.vports) return;
  for (const VPort& vport : last.vports->vports)
    if (vport.has_own_lid && vport.lid != mad::Lid{})
      vports[vport.guid] = {vport.guid, vport.lid, last.fabric.ports[vport.port].guid};
}

/// Keeps one port for each place, the first by GUID.
void keep_one_each(std::vector<KeptPort>& ports) {
  std::set<std::pair<mad::Guid, mad::PortNum>> taken;
  std::erase_if(ports,
                [&](const KeptPort& port) { return !taken.emplace(port.leaf, port.out).second; });
}

}  // namespace

KeptLids kept_lids(const KeptLids& before, const Subnet* last, const Fabric& fabric,
                   const LidMap& lids, const Guid2Lid& persisted) {
  KeptLids kept;
  std::map<mad::Guid, KeptPort> ports;
  std::map<mad::Guid, KeptVPort> vports;
  for (const KeptPort& port : before.ports)
    if (!fabric.port_of_guid.contains(port.guid)) ports.emplace(port.guid, port);
  for (const KeptVPort& vport : before.vports) vports.emplace(vport.guid, vport);
  if (last != nullptr) {
    add_absent(ports, *last, fabric);
    add_vports(vports, *last);
  }
  for (const auto& [guid, port] : ports) {
    const PortIndex place = current_port(fabric, port);
    const bool is_taken = place != kNoIndex && fabric.ports[place].peer != kNoIndex;
    if (!is_taken && is_reserved(persisted, guid, port.lids) && is_free(lids, port.lids))
      kept.ports.push_back(port);
  }
  keep_one_each(kept.ports);
  for (const auto& [guid, vport] : vports) {
    const LidMap::Range range{.base = vport.lid};
    const bool has_port = fabric.port_of_guid.contains(vport.port) ||
                          std::ranges::binary_search(kept.ports, vport.port, {}, &KeptPort::guid);
    if (has_port && is_reserved(persisted, guid, range) && is_free(lids, range))
      kept.vports.push_back(vport);
  }
  return kept;
}

void add_kept_of_tables(KeptLids& kept, const TableMemory& found, const Fabric& fabric,
                        const LidMap& lids, const Guid2Lid& persisted) {
  struct Candidate {
    mad::Guid guid;
    LidMap::Range lids;
    PortIndex place = kNoIndex;
    bool is_ambiguous = false;
  };
  if (found.tables() == nullptr) return;
  std::vector<Candidate> candidates;
  for (const Guid2Lid::Entry& entry : persisted.entries) {
    const LidMap::Range range = range_of(entry);
    if (range.count() == 0 || top_of(range) >= found.tables()->pitch() ||
        fabric.port_of_guid.contains(entry.guid) || !is_free(lids, range) ||
        std::ranges::find(kept.ports, entry.guid, &KeptPort::guid) != kept.ports.end() ||
        std::ranges::find(kept.vports, entry.guid, &KeptVPort::guid) != kept.vports.end())
      continue;
    candidates.push_back({entry.guid, range});
  }
  if (candidates.empty()) return;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    const auto row = found.tables()->row(sw);
    for (Candidate& candidate : candidates) {
      const std::uint16_t lid = candidate.lids.base.value;
      if (!found.is_known(sw, lid / kLftBlockLids)) continue;
      const std::uint8_t out = row[lid];
      if (out > node.num_ports) continue;  // 0xFF, or no port at all: it drops
      const PortIndex port = node.first_port + out;
      const PortIndex peer = fabric.ports[port].peer;
      if (out != 0 && peer != kNoIndex && fabric.owning_node(peer).is_switch()) continue;
      candidate.is_ambiguous = candidate.is_ambiguous || out == 0 || peer != kNoIndex ||
                               (candidate.place != kNoIndex && candidate.place != port);
      candidate.place = port;
    }
  }
  for (const Candidate& candidate : candidates) {
    if (candidate.place == kNoIndex || candidate.is_ambiguous) continue;
    kept.ports.push_back({.guid = candidate.guid,
                          .lids = candidate.lids,
                          .leaf = fabric.owning_node(candidate.place).guid,
                          .out = fabric.ports[candidate.place].number,
                          .node = {}});
  }
  keep_one_each(kept.ports);  // those that were known before come first
  std::ranges::sort(kept.ports, {}, &KeptPort::guid);
}

KeptLids placed(const KeptLids& kept, const Fabric& fabric, const LidMap& lids) {
  KeptLids out;
  if (kept.ports.empty() && kept.vports.empty()) return out;
  const unsigned highest = lid_limit(fabric, lids.lid_top.value).highest;
  for (const KeptPort& port : kept.ports)
    if (current_port(fabric, port) != kNoIndex && top_of(port.lids) <= highest)
      out.ports.push_back(port);
  for (const KeptVPort& vport : kept.vports)
    if (vport.lid.value <= highest &&
        (fabric.port_of_guid.contains(vport.port) ||
         std::ranges::binary_search(out.ports, vport.port, {}, &KeptPort::guid)))
      out.vports.push_back(vport);
  return out;
}

namespace {

/// Copies the parts of a fabric that routing reads.
Fabric copy_for_routing(const Fabric& fabric) {
  Fabric out;
  out.nodes = fabric.nodes;
  out.ports = fabric.ports;
  out.switches = fabric.switches;
  out.end_ports = fabric.end_ports;
  out.port_of_guid = fabric.port_of_guid;
  out.node_of_guid = fabric.node_of_guid;
  out.sm_port = fabric.sm_port;
  out.node_names = fabric.node_names;
  return out;
}

/// Returns the port for a kept port: an unused port of its node if the fabric has that node, else a
/// port of a node that this adds.
PortIndex find_or_add_port(Fabric& fabric, const KeptPort& port) {
  const auto known = fabric.node_of_guid.find(port.node);
  if (port.node != mad::Guid{} && known != fabric.node_of_guid.end()) {
    const Node& node = fabric.nodes[known->second];
    if (!node.is_switch() && port.number.value >= 1 && port.number.value <= node.num_ports) {
      const PortIndex slot = fabric.port(known->second, port.number);
      if (fabric.ports[slot].peer == kNoIndex && !fabric.ports[slot].known) return slot;
    }
  }
  Node node;
  node.type = port.type;
  node.num_ports = mad::kPortNumMax < port.number.value ? std::uint8_t{1} : port.number.value;
  node.first_port = fabric.ports.next_index();
  node.guid = port.node;
  const NodeIndex index = fabric.nodes.next_index();
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    Port unused;
    unused.node = index;
    unused.number = mad::PortNum{static_cast<std::uint8_t>(number)};
    fabric.ports.push_back(unused);
  }
  if (port.node != mad::Guid{}) fabric.node_of_guid.emplace(port.node, index);
  fabric.nodes.push_back(node);
  return fabric.ports.next_index() - 1;
}

void bring_up(Port& port, PortIndex peer) {
  port.peer = peer;
  port.known = true;
  if (port.info.port_state() < mad::PortState::init) port.info.set_port_state(mad::PortState::init);
}

}  // namespace

std::optional<RoutedFabric> with_kept_ports(const Fabric& fabric, const LidMap& lids,
                                            const KeptLids& placed) {
  if (placed.ports.empty()) return std::nullopt;
  std::optional<RoutedFabric> out(RoutedFabric{copy_for_routing(fabric), lids});
  make_room(out->lids, {.ports = placed.ports, .vports = {}});
  for (const KeptPort& kept : placed.ports) {
    const PortIndex place = current_port(fabric, kept);
    if (place == kNoIndex || out->fabric.ports[place].peer != kNoIndex) continue;
    const PortIndex slot = find_or_add_port(out->fabric, kept);
    out->fabric.ports[slot].guid = kept.guid;
    bring_up(out->fabric.ports[slot], place);
    bring_up(out->fabric.ports[place], slot);
    out->fabric.port_of_guid.emplace(kept.guid, slot);
    out->fabric.end_ports.push_back(slot);
    out->lids.of_end_port.push_back(kept.lids);
    for (unsigned lid = kept.lids.base.value; lid <= top_of(kept.lids); ++lid)
      out->lids.port_of_lid[lid] = slot;
  }
  return out;
}

std::vector<std::pair<mad::Lid, mad::Lid>> kept_copies(const KeptLids& placed, const Fabric& fabric,
                                                       const LidMap& lids) {
  std::vector<std::pair<mad::Lid, mad::Lid>> copies;
  if (placed.vports.empty()) return copies;
  std::unordered_map<mad::Guid, mad::Lid> base;
  for (const EndPortIndex end_port : lids.of_end_port.indices())
    base.emplace(fabric.ports[fabric.end_ports[end_port]].guid, lids.of_end_port[end_port].base);
  for (const KeptPort& port : placed.ports) base.emplace(port.guid, port.lids.base);
  for (const KeptVPort& vport : placed.vports) {
    const auto of = base.find(vport.port);
    if (of != base.end() && of->second != mad::Lid{}) copies.emplace_back(vport.lid, of->second);
  }
  return copies;
}

void make_room(LidMap& lids, const KeptLids& placed) {
  unsigned top = lids.lid_top.value;
  for (const KeptPort& port : placed.ports) top = std::max(top, top_of(port.lids));
  for (const KeptVPort& vport : placed.vports) top = std::max<unsigned>(top, vport.lid.value);
  lids.lid_top = mad::Lid{static_cast<std::uint16_t>(top)};
  lids.port_of_lid.resize(top + std::size_t{1}, kNoIndex);
}

}  // namespace sm
