#pragma once
// A subnet whose hosts join the broadcast group, for benchmarks of subnet administration.

#include <cstdint>

#include "config/options.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sa/registrations/registrations.h"
#include "sm/sa/registrations/requests.h"
#include "support/fabrics.h"

namespace bench {

inline constexpr mad::Gid kBroadcast{0xff12401bffff0000, {0xffffffff}};

inline fabric::Subnet join_subnet(unsigned hosts) {
  fabric::Subnet subnet;
  subnet.fabric = fabrics::from_topology(topology::fat_tree({.hosts = hosts, .radix = 36}));
  subnet.lids = fabrics::assign_lids(subnet.fabric);
  subnet.index();
  fabric::PartitionMap& partitions = subnet.partitions;
  partitions.partitions = {{.key = 0x7FFF, .name = "Default"}};
  partitions.groups = {{.mgid = kBroadcast, .p_key = mad::kDefaultPKeyFull, .q_key = 0x0b1b}};
  for (std::size_t i = 0; i <= subnet.fabric.end_ports.size(); ++i)
    partitions.offsets.push_back(static_cast<std::uint32_t>(i));
  partitions.keys.assign(subnet.fabric.end_ports.size(), mad::kDefaultPKeyFull);
  for (fabric::Port& port : subnet.fabric.ports) {
    port.info.set_mtu_cap(mad::Mtu::mtu_4096);
    port.info.set_link_width_active(mad::link_width::k4x);
    port.info.set_link_speed_active(mad::link_speed::kQdr);
  }
  return subnet;
}

/// The port joins the broadcast group.
inline sa::Outcome join(sa::Registrations& registrations, const sa::View& view,
                        fabric::PortIndex port) {
  mad::McMemberRecord record;
  record.set_mgid(kBroadcast);
  record.set_port_gid({view.options.subnet_prefix, view.subnet.fabric.ports[port].guid});
  record.set_join_state(sa::join_state::kFull);
  const sa::Query query{.method = mad::Method::set,
                        .attribute = mad::SaAttributeId::mc_member_record,
                        .component_mask = 0x10003,
                        .record = record.bytes(),
                        .from = {.port = port, .lid = view.subnet.lid_range(port).base}};
  return sa::set_mc_member(registrations, view, query, sa::UnixTime{});
}

}  // namespace bench
