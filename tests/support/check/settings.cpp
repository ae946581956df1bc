// PortInfo's settings and the tables of ports, compared with the capabilities of both ends of a
// link and with the configuration.

#include <algorithm>
#include <bit>

#include <fmt/ranges.h>

#include "mad/format.h"
#include "sim/world/ca_vports.h"
#include "sim/world/forwarding.h"
#include "sim/world/world.h"
#include "support/check/checks.h"
#include "support/check/ports.h"
#include "support/check/used_pairs.h"

namespace sim {
namespace {

/// Reserved codes from hardware count as the nearest code that is defined.
mad::Mtu find_mtu(mad::Mtu code) { return std::clamp(code, mad::Mtu::mtu_256, mad::Mtu::mtu_4096); }
std::uint8_t vls_of(std::uint8_t code) { return std::clamp<std::uint8_t>(code, 1, 5); }

/// The port has a link to a reachable node.
bool has_link(const Model& model, const std::vector<bool>& reach, PortIndex port) {
  const PortIndex far = model.ports[port].peer;
  return far != kNone && far != port && reach[model.ports[port].node] && model.link_up(port) &&
         reach[model.ports[far].node];
}

template <class Each>
void for_each_linked_port(const Model& model, const std::vector<bool>& reach, Each each) {
  for (const PortIndex port : model.ports.indices()) {
    if (has_link(model, reach, port)) each(port, model.ports[port].peer);
  }
}

bool is_enhanced_port_0(const Model& model, PortIndex port) {
  const NodeModel& node = model.owning_node(port);
  return node.is_switch() && model.ports[port].number == 0 && node.sw->info.enhanced_port_0();
}

std::vector<mad::PKey> get_keys(const Model& model, PortIndex port) {
  std::vector<mad::PKey> keys;
  for (unsigned block = 0; block < model.p_key_blocks(port); ++block) {
    const mad::PKeyTable table = model.p_keys(port, block);
    for (unsigned index = 0; index < mad::PKeyTable::kEntries; ++index) {
      if (const mad::PKey key = table.p_key(index); key.value != 0) keys.push_back(key);
    }
  }
  return keys;
}

std::set<std::uint16_t> values(const Model& model, PortIndex port) {
  std::set<std::uint16_t> out;
  for (const mad::PKey key : get_keys(model, port)) out.insert(key.value);
  return out;
}

/// Partitions that a switch port lets pass, and whether as full member.
std::map<std::uint16_t, bool> make_partitions(const Model& model, PortIndex port) {
  std::map<std::uint16_t, bool> partitions;
  for (const mad::PKey key : get_keys(model, port))
    partitions[mad::p_key_base(key)] |= mad::is_full_member(key);
  return partitions;
}

/// A switch port has the partitions of its neighbour and of all its Active vports, and no others
/// but those of vports that are not Active now.
bool mirrors(const Model& model, PortIndex port, PortIndex end) {
  const std::map<std::uint16_t, bool> has = make_partitions(model, port);
  std::map<std::uint16_t, bool> needed = make_partitions(model, end);
  if (!has_vports(model.ports[end])) return has == needed;
  std::map<std::uint16_t, bool> allowed = needed;
  for (const auto& [index, vport] : model.ports[end].extras->vports) {
    const bool active = vport_state(model.ports[end], index) == mad::PortState::active;
    for (unsigned block = 0; block < vport_p_key_blocks(model, end, index); ++block) {
      const mad::PKeyTable table = vport_p_keys(model, end, index, block);
      for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry) {
        const mad::PKey key = table.p_key(entry);
        if (key.value == 0) continue;
        allowed[mad::p_key_base(key)] |= mad::is_full_member(key);
        if (active) needed[mad::p_key_base(key)] |= mad::is_full_member(key);
      }
    }
  }
  const auto within = [](const auto& some, const auto& all) {
    return std::ranges::all_of(some, [&](const auto& each) {
      const auto found = all.find(each.first);
      return found != all.end() && (found->second || !each.second);
    });
  };
  return within(needed, has) && within(has, allowed);
}

std::uint8_t in_range(std::uint8_t vl, const mad::PortInfo& out) {
  if (vl >= 15) return 15;
  const unsigned vls = std::max(1u, mad::data_vls(out.operational_vls()));
  return static_cast<std::uint8_t>(vl % std::bit_ceil(vls));
}

}  // namespace

Complaints check_mtus(const Model& model, const std::vector<bool>& reach,
                      const Expected& expected) {
  Complaints complaints;
  const auto compare = [&](PortIndex port, mad::Mtu wanted) {
    if (expected.settings_wait.contains(port)) return;
    if (const mad::Mtu has = model.ports[port].info.neighbor_mtu(); has != wanted)
      complain(complaints, fmt::format("{} has NeighborMTU {}, not {}", model.name(port),
                                       mad::mtu_bytes(has).value_or(0), *mad::mtu_bytes(wanted)));
  };
  for_each_linked_port(model, reach, [&](PortIndex port, PortIndex far) {
    compare(port, std::min(find_mtu(model.ports[port].info.mtu_cap()),
                           find_mtu(model.ports[far].info.mtu_cap())));
  });
  for_each_end_port(model, reach, [&](PortIndex port) {
    if (is_enhanced_port_0(model, port)) compare(port, find_mtu(model.ports[port].info.mtu_cap()));
  });
  return complaints;
}

Complaints check_operational_vls(const Model& model, const std::vector<bool>& reach,
                                 const Expected& expected) {
  Complaints complaints;
  const auto compare = [&](PortIndex port, std::uint8_t wanted) {
    if (expected.settings_wait.contains(port)) return;
    if (const std::uint8_t has = model.ports[port].info.operational_vls(); has != wanted)
      complain(complaints, fmt::format("{} has OperationalVLs {} ({} data VLs), not {}",
                                       model.name(port), has, mad::data_vls(has), wanted));
  };
  const auto allowed = [&](PortIndex port) {
    return std::min(vls_of(model.ports[port].info.vl_cap()), expected.operational_vls_max);
  };
  for_each_linked_port(model, reach, [&](PortIndex port, PortIndex far) {
    compare(port, std::min(allowed(port), allowed(far)));
  });
  for_each_end_port(model, reach, [&](PortIndex port) {
    if (is_enhanced_port_0(model, port)) compare(port, allowed(port));
  });
  return complaints;
}

Complaints check_lmcs(const Model& model, const std::vector<bool>& reach,
                      const Expected& expected) {
  Complaints complaints;
  for_each_end_port(model, reach, [&](PortIndex port) {
    const bool has_several = !model.owning_node(port).is_switch() ||
                             (expected.lmc_of_enhanced_port_0 && is_enhanced_port_0(model, port));
    const unsigned wanted = has_several ? expected.lmc : 0u;
    if (const unsigned has = model.ports[port].info.lmc(); has != wanted)
      complain(complaints, fmt::format("{} has LMC {}, not {}", model.name(port), has, wanted));
  });
  return complaints;
}

Complaints check_m_keys(const Model& model, const std::vector<bool>& reach,
                        const Expected& expected) {
  Complaints complaints;
  for_each_end_port(model, reach, [&](PortIndex port) {
    const mad::PortInfo& info = model.ports[port].info;
    const mad::MKey key =
        expected.m_key_of ? expected.m_key_of(model.ports[port].guid) : expected.m_key;
    if (info.m_key() != key)
      complain(complaints, fmt::format("{} has M_Key {:#x}, not {:#x}", model.name(port),
                                       info.m_key().value, key.value));
    if (info.m_key_protect_bits() != expected.m_key_protect_bits)
      complain(complaints, fmt::format("{} has M_KeyProtectBits {}, not {}", model.name(port),
                                       info.m_key_protect_bits(), expected.m_key_protect_bits));
    if (info.m_key_lease_period() != expected.m_key_lease_period_s)
      complain(complaints, fmt::format("{} has M_KeyLeasePeriod {} s, not {} s", model.name(port),
                                       info.m_key_lease_period(), expected.m_key_lease_period_s));
  });
  return complaints;
}

Complaints check_gid_prefixes(const Model& model, const std::vector<bool>& reach,
                              const Expected& expected) {
  Complaints complaints;
  for_each_end_port(model, reach, [&](PortIndex port) {
    if (const std::uint64_t has = model.ports[port].info.gid_prefix(); has != expected.gid_prefix)
      complain(complaints, fmt::format("{} has GidPrefix {:#x}, not {:#x}", model.name(port), has,
                                       expected.gid_prefix));
  });
  return complaints;
}

Complaints check_sl_to_vl(const Model& model, const std::vector<bool>& reach,
                          const Expected& expected) {
  Complaints complaints;
  if (!expected.sl_to_vl) return complaints;
  const auto compare = [&](std::string subject, mad::Sl sl, mad::Vl has, const mad::PortInfo& out) {
    const std::uint8_t wanted = in_range((*expected.sl_to_vl)[sl.value], out);
    if (has.value != wanted)
      complain(complaints, fmt::format("{} has VL {} for SL {}, not VL {}", subject, has.value,
                                       sl.value, wanted));
  };
  const std::vector<std::vector<bool>> used = used_pairs(model, reach);
  for_each_linked_port(model, reach, [&](PortIndex out, PortIndex) {
    const NodeModel& node = model.owning_node(out);
    const mad::PortInfo& info = model.ports[out].info;
    const std::vector<bool>& pairs = used[model.ports[out].node];
    for (std::uint8_t sl = 0; sl < 16; ++sl) {
      if (!node.is_switch()) {
        compare(model.name(out), {sl}, end_port_vl(model, out, {sl}), info);
        continue;
      }
      for (unsigned in = 0; in <= node.port_count(); ++in) {
        if (!pairs[in * (node.port_count() + 1u) + model.ports[out].number]) continue;
        compare(fmt::format("{} (input port {})", model.name(out), in), {sl},
                model.vl(node, in, model.ports[out].number, {sl}), info);
      }
    }
  });
  return complaints;
}

Complaints check_p_keys(const Model& model, const ExpectedPKeys& expected) {
  Complaints complaints;
  for (const PortIndex port : model.ports.indices()) {
    const auto keys = expected.find(model.ports[port].guid);
    if (keys == expected.end() || !model.is_end_port(port)) continue;
    const std::set<std::uint16_t> has = values(model, port);
    if (has != keys->second)
      complain(complaints, fmt::format("{} has P_Keys {:#06x}, not {:#06x}", model.name(port),
                                       fmt::join(has, " "), fmt::join(keys->second, " ")));
  }
  return complaints;
}

Complaints check_enforcement(const Model& model, const std::vector<bool>& reach,
                             const Expected& expected) {
  Complaints complaints;
  for_each_linked_port(model, reach, [&](PortIndex port, PortIndex far) {
    const NodeModel& node = model.owning_node(port);
    if (!node.is_switch()) return;
    const mad::SwitchInfo& sw = node.sw->info;
    const bool at_edge = !model.owning_node(far).is_switch() && sw.partition_enforcement_cap() > 0;
    const mad::PortInfo& info = model.ports[port].info;
    const auto compare = [&](std::string_view bit, bool has, bool wanted) {
      if (has != wanted)
        complain(complaints,
                 fmt::format("{} has {} {:d}, not {:d}", model.name(port), bit, has, wanted));
    };
    compare("PartitionEnforcementInbound", info.partition_enforcement_inbound(),
            at_edge && expected.enforce_inbound && sw.inbound_enforcement_cap());
    compare("PartitionEnforcementOutbound", info.partition_enforcement_outbound(),
            at_edge && expected.enforce_outbound && sw.outbound_enforcement_cap());
    if (!info.partition_enforcement_inbound() && !info.partition_enforcement_outbound()) return;
    if (!mirrors(model, port, far))
      complain(complaints, fmt::format("{} enforces P_Keys {:#06x}, and {} has {:#06x}",
                                       model.name(port), fmt::join(values(model, port), " "),
                                       model.name(far), fmt::join(values(model, far), " ")));
  });
  return complaints;
}

}  // namespace sim
