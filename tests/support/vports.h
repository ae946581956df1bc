#pragma once
// Vports of a subnet that no sweep has made.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "fabric/subnet.h"

namespace vports {

/// A vport that is Active.
struct Wanted {
  fabric::PortIndex port = fabric::kNoIndex;
  mad::Guid guid;
  std::vector<mad::PKey> keys{mad::kDefaultPKeyFull};
  mad::Lid own_lid = {};  // 0: it shares the port's
  fabric::VPortHold hold = fabric::VPortHold::none;
};

/// Switches forward a vport's LID as the base LID of its port.
inline void give_lid(fabric::Subnet& subnet, fabric::PortIndex port, mad::Lid lid) {
  fabric::LidMap& lids = subnet.lids;
  if (lid > lids.lid_top) {
    lids.lid_top = lid;
    lids.port_of_lid.resize(lid.value + 1u, fabric::kNoIndex);
  }
  lids.port_of_lid[lid.value] = port;
  if (!subnet.lfts) return;
  auto lfts = std::make_shared<fabric::ForwardingTables>(subnet.lfts->switches(), lids.lid_top);
  for (const fabric::SwitchIndex sw : lfts->all_switches()) {
    const auto before = subnet.lfts->row(sw);
    const auto count = std::min(before.size(), lfts->row(sw).size());
    std::copy_n(before.begin(), count, lfts->writable_row(sw).begin());
    lfts->writable_row(sw)[lid.value] = before[subnet.lid_range(port).base.value];
  }
  subnet.lfts = std::move(lfts);
}

/// Gives the subnet these vports and no others, numbered from 1 at each port by ascending GUID.
/// Vport 0 of these ports is the physical function, with the port's GUID, LID and P_Keys.
inline void give(fabric::Subnet& subnet, std::vector<Wanted> wanted) {
  std::ranges::sort(wanted, {}, [](const Wanted& of) { return std::pair(of.port, of.guid); });
  auto out = std::make_shared<fabric::VPorts>();
  const auto add = [&](const Wanted& of) {
    fabric::VirtualizedPort& at = out->ports.back();
    fabric::VPort vport{
        .port = of.port,
        .index = static_cast<std::uint16_t>(at.count++),
        .guid = of.guid,
        .state = of.hold == fabric::VPortHold::none ? mad::PortState::active : mad::PortState::init,
        .hold = of.hold,
        .has_own_lid = of.own_lid != mad::Lid{},
        .lid = of.own_lid != mad::Lid{} ? of.own_lid : subnet.lid_range(of.port).base,
        .info = {},
        .node_info = {},
        .description = {},
        .first_key = static_cast<std::uint32_t>(out->keys.size()),
        .key_count = static_cast<std::uint32_t>(of.keys.size())};
    vport.info.set_port_guid(of.guid);
    vport.info.set_guid_cap(8);
    vport.node_info.set_vnode_guid({of.guid.value + 0x1000});
    vport.node_info.set_num_ports(1);
    vport.node_info.set_local_port_num(mad::PortNum{1});
    vport.node_info.set_partition_cap(32);
    out->keys.insert(out->keys.end(), of.keys.begin(), of.keys.end());
    const fabric::VPortIndex index = out->vports.next_index();
    const bool is_served = vport.is_served() && (vport.index != 0);
    if (is_served) out->of_guid.emplace(of.guid, index);
    if (vport.has_own_lid) out->of_lid.emplace(of.own_lid.value, index);
    at.info.set_vport_index_top(vport.index);
    out->vports.push_back(std::move(vport));
  };
  for (const Wanted& of : wanted) {
    if (out->ports.empty() || out->ports.back().port != of.port) {
      out->ports.push_back(
          {.port = of.port, .info = {}, .first = out->vports.next_index(), .count = 0});
      out->ports.back().info.set_virtualization_enable(true);
      const auto keys = subnet.find_p_keys(of.port);
      add({.port = of.port,
           .guid = subnet.fabric.ports[of.port].guid,
           .keys = {keys.begin(), keys.end()}});
    }
    if (of.own_lid != mad::Lid{}) give_lid(subnet, of.port, of.own_lid);
    add(of);
  }
  subnet.vports = std::move(out);
}

}  // namespace vports
