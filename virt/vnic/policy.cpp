#include "virt/vnic/policy.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

namespace vnic {
namespace {

const EndPort* find_port(std::span<const EndPort> ports, mad::Guid guid) {
  const auto found = std::ranges::find(ports, guid, &EndPort::guid);
  return found == ports.end() ? nullptr : &*found;
}

bool is_member(const SwitchConfiguration& of, const EndPort& port) {
  return std::ranges::any_of(of.members, [&](const Member& member) {
    return member.all || member.port_guid == port.guid ||
           (!member.description.empty() && fits(member.description, port.description));
  });
}

/// Computes FNV-1a of 32 bits (RFC 9923).
std::uint32_t digest_of(std::span<const MacEntry> entries) {
  std::uint32_t hash = 0x811C9DC5;
  const auto add = [&](std::uint64_t value, unsigned octets) {
    for (unsigned i = 0; i < octets; ++i)
      hash = (hash ^ static_cast<std::uint8_t>(value >> (8 * i))) * 0x01000193u;
  };
  for (const MacEntry& entry : entries) {
    add(entry.mac.value, mad::kMacBytes);
    add(entry.dlid, sizeof entry.dlid);
  }
  return hash > kDigestPartial ? hash : hash + 2;
}

/// The node itself sets these fields: link, states, capacities, digest and generations.
constexpr std::array<std::string_view, 7> kNodeOwnedFields{
    "EthernetLinkStatus",     "OperState",      "MACTableEntriesMax",
    "SourceMACsMax",          "MACTableDigest", "UnicastMACsGeneration",
    "MulticastMACsGeneration"};

void set_lanes(mad::VeswPortInfo& info, const SwitchConfiguration& of) {
  const auto put = [&](std::string_view name, std::span<const std::uint8_t> values) {
    auto value = values.begin();
    for (const mad::Field& field : mad::VeswPortInfo::kFields)
      if (field.name == name && value != values.end()) mad::write(info.bytes(), field, *value++);
  };
  put("PCPtoSC.unicast", of.unicast.sc);
  put("PCPtoVL.unicast", of.unicast.vl);
  put("PCPtoSC.multicast", of.multicast.sc);
  put("PCPtoVL.multicast", of.multicast.vl);
  info.set<"UntaggedSC.unicast">(of.unicast.untagged_sc);
  info.set<"UntaggedVL.unicast">(of.unicast.untagged_vl);
  info.set<"UntaggedSC.multicast">(of.multicast.untagged_sc);
  info.set<"UntaggedVL.multicast">(of.multicast.untagged_vl);
}

std::span<const MacEntry> block_of(const MacTable& table, std::size_t at) {
  const std::size_t from = std::min(at, table.entries.size());
  return std::span(table.entries)
      .subspan(from, std::min(mad::kMacTableEntriesPerMad, table.entries.size() - from));
}

}  // namespace

Members find_members(const Configuration& configuration, std::span<const EndPort> ports) {
  Members members;
  for (const EndPort& port : ports) {
    if (!mad::is_unicast(port.lid)) continue;
    for (std::size_t i = 0; i < configuration.switches.size(); ++i)
      if (is_member(configuration.switches[i], port)) members[port.guid].push_back(i);
  }
  return members;
}

std::vector<std::pair<std::size_t, mad::Guid>> find_missing(const Configuration& configuration,
                                                            std::span<const EndPort> ports) {
  std::set<std::pair<std::size_t, mad::Guid>> missing;
  for (std::size_t i = 0; i < configuration.switches.size(); ++i) {
    const SwitchConfiguration& one = configuration.switches[i];
    const auto check = [&](mad::Guid guid) {
      if (guid.value != 0 && find_port(ports, guid) == nullptr) missing.emplace(i, guid);
    };
    for (const Member& member : one.members) check(member.port_guid);
    for (const mad::Guid guid : one.default_ports) check(guid);
  }
  return {missing.begin(), missing.end()};
}

std::map<VeswKey, unsigned> choose_numbers(const Configuration& configuration,
                                           const std::map<VeswKey, unsigned>& before) {
  std::map<VeswKey, unsigned> numbers;
  std::set<unsigned> taken;
  const auto give = [&](const VeswKey& key, unsigned number) {
    if (number != 0 && taken.insert(number).second) numbers.emplace(key, number);
  };
  for (const SwitchConfiguration& one : configuration.switches) give(one.key, one.vnic);
  for (const SwitchConfiguration& one : configuration.switches)
    if (const auto had = before.find(one.key); had != before.end() && !numbers.contains(one.key))
      give(one.key, had->second);
  for (const SwitchConfiguration& one : configuration.switches)
    for (unsigned number = 1; number <= kVnicNumberMax && !numbers.contains(one.key); ++number)
      give(one.key, number);
  return numbers;
}

mad::Mac base_mac(const SwitchConfiguration& of, const EndPort& port) {
  for (const Member& member : of.members)
    if (member.port_guid == port.guid && member.base_mac) return *member.base_mac;
  const std::uint64_t lid = port.lid.value;
  return {std::uint64_t{0x02} << 40 | std::uint64_t{of.key.vesw_id} << 24 | (lid & 0xFF) << 16 |
          (lid >> 8 & 0xFF) << 8};
}

mad::VeswPortInfo make_port_info(const SwitchConfiguration& of, const EndPort& port,
                                 std::span<const EndPort> ports, std::uint32_t multicast_lid,
                                 mad::VnicState state) {
  mad::VeswPortInfo info;
  info.set<"FabricID">(of.key.fabric_id);
  info.set<"VESWID">(of.key.vesw_id);
  info.set<"P_Key">(of.p_key);
  info.set<"UnknownMulticastDLID">(multicast_lid);
  info.set<"RoutingControl">(of.routing_control);
  info.set<"EthernetMTU">(static_cast<std::uint16_t>(of.mtu));
  unsigned mask = 0, at = 0;
  for (const mad::Field& field : mad::VeswPortInfo::kFields) {
    if (field.name != "UnknownUnicastDLID" || at >= of.default_ports.size()) continue;
    if (const EndPort* const to = find_port(ports, of.default_ports[at])) {
      mad::write(info.bytes(), field, to->lid.value);
      mask |= 1u << at;
    }
    ++at;
  }
  info.set<"DefaultPortMask">(static_cast<std::uint16_t>(mask));
  info.set<"PortNum">(std::uint32_t{port.lid.value});
  info.set<"BaseMAC">(base_mac(of, port));
  info.set<"ConfigState">(state);
  info.set<"EncapSLID">(std::uint32_t{port.lid.value});
  set_lanes(info, of);
  return info;
}

bool is_set(const mad::VeswPortInfo& read, const mad::VeswPortInfo& desired) {
  return std::ranges::all_of(mad::VeswPortInfo::kFields, [&](const mad::Field& field) {
    return std::ranges::find(kNodeOwnedFields, field.name) != kNodeOwnedFields.end() ||
           mad::read(read.bytes(), field) == mad::read(desired.bytes(), field);
  });
}

BuiltTable build_table(std::span<const PortMacs> ports, const std::map<mad::Mac, mad::Guid>& owners,
                       std::size_t entries_max) {
  BuiltTable built;
  std::map<mad::Mac, const PortMacs*> bases, others;
  std::vector<const PortMacs*> sorted;
  for (const PortMacs& port : ports) sorted.push_back(&port);
  std::ranges::sort(sorted, {}, &PortMacs::port);
  for (const PortMacs* const port : sorted)
    if (const auto [known, is_new] = bases.emplace(port->base, port); !is_new)
      built.duplicates.insert({port->base, known->second->port, port->port});
  for (const PortMacs* const port : sorted) {
    for (const mad::Mac mac : port->others) {
      if (mac.value == 0 || mac.is_multicast()) continue;
      const auto base = bases.find(mac);
      if (base != bases.end()) {
        if (base->second != port) built.duplicates.insert({mac, base->second->port, port->port});
        continue;
      }
      const auto [known, is_new] = others.emplace(mac, port);
      if (is_new || known->second == port) continue;
      const auto owner = owners.find(mac);
      const PortMacs* const refused =
          owner != owners.end() && owner->second == port->port ? known->second : port;
      if (refused != port) known->second = port;
      built.duplicates.insert({mac, known->second->port, refused->port});
    }
  }
  for (const auto& [mac, port] : others) built.owners.emplace(mac, port->port);
  for (const auto* const part : {&bases, &others})
    for (const auto& [mac, port] : *part)
      built.table.entries.push_back({mac, std::uint32_t{port->lid.value}});
  if (built.table.entries.size() > entries_max) {
    built.left_out = built.table.entries.size() - entries_max;
    built.table.entries.resize(entries_max);
  }
  built.table.digest = digest_of(built.table.entries);
  return built;
}

MacTable truncated(const MacTable& table, std::size_t entries_max) {
  MacTable result;
  const auto first = std::span(table.entries).first(std::min(entries_max, table.entries.size()));
  result.entries.assign(first.begin(), first.end());
  result.digest = digest_of(result.entries);
  return result;
}

std::vector<TablePart> plan_table(const MacTable* at_node, const MacTable& wanted,
                                  std::size_t entries_max) {
  std::vector<TablePart> parts;
  const std::size_t end =
      at_node == nullptr ? entries_max : std::max(at_node->entries.size(), wanted.entries.size());
  for (std::size_t at = 0; at < end; at += mad::kMacTableEntriesPerMad) {
    const auto block = block_of(wanted, at);
    if (at_node != nullptr && std::ranges::equal(block, block_of(*at_node, at))) continue;
    const std::size_t before = at_node == nullptr
                                   ? std::min(mad::kMacTableEntriesPerMad, entries_max - at)
                                   : block_of(*at_node, at).size();
    TablePart part{static_cast<std::uint16_t>(at), {block.begin(), block.end()}, kDigestPartial};
    part.entries.resize(std::max(block.size(), before));
    parts.push_back(std::move(part));
  }
  if (parts.empty() && (at_node == nullptr || at_node->digest != wanted.digest))
    parts.push_back({});  // the digest alone
  if (!parts.empty()) parts.back().digest = wanted.digest;
  return parts;
}

}  // namespace vnic
