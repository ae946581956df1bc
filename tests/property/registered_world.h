#pragma once
// A subnet of 72 hosts below four leaves that have registered services, groups and subscriptions.

#include <vector>

#include "mad/path_units.h"
#include "mad/records/service_record.h"
#include "sm/sa/registrations/registrations.h"
#include "support/fabrics.h"
#include "support/subnets.h"

namespace sa {
namespace registered_world {

inline constexpr unsigned kLeaves = 4, kHosts = 72;
inline constexpr unsigned kServiceCount = 3000, kGroupCount = 1500;
inline constexpr std::uint16_t kSubscriptionsPerHost = 40;

inline void set_link(fabric::Fabric& fabric, fabric::PortIndex port, std::uint8_t speed) {
  mad::PortInfo& info = fabric.ports[port].info;
  info.set_mtu_cap(mad::Mtu::mtu_4096);
  info.set_neighbor_mtu(mad::Mtu::mtu_4096);
  info.set_link_width_active(mad::link_width::k4x);
  info.set_link_speed_ext_active(speed);
  info.set_guid_cap(8);
}

/// Hosts at 4x EDR, 100 Gb/s; links between switches at 4x FDR, 56 Gb/s.
inline fabric::Fabric make_fabric() {
  fabrics::Maker maker;
  std::vector<fabric::NodeIndex> leaves;
  for (unsigned i = 0; i < kLeaves; ++i) leaves.push_back(maker.sw(36));
  const fabric::NodeIndex spine = maker.sw(36);
  for (unsigned i = 0; i < kHosts; ++i) maker.host(leaves[i % kLeaves]);
  for (const fabric::NodeIndex leaf : leaves) maker.cable(leaf, spine, 4);
  fabric::Fabric fabric = maker.build();
  for (const fabric::PortIndex port : fabric.ports.indices()) {
    const bool is_between_switches = fabric.owning_node(port).is_switch() &&
                                     fabric.ports[port].peer != fabric::kNoIndex &&
                                     fabric.owning_node(fabric.ports[port].peer).is_switch();
    set_link(fabric, port,
             is_between_switches ? mad::link_speed_ext::kFdr : mad::link_speed_ext::kEdr);
  }
  return fabric;
}

struct World {
  explicit World(unsigned lmc) : site(subnets::bring_up(make_fabric(), lmc)) {
    for (const fabric::PortIndex port : site.subnet->fabric.end_ports) {
      ports.push_back(port);
      if (!site.subnet->fabric.owning_node(port).is_switch()) hosts.push_back(port);
    }
    register_services();
    register_groups();
    for (const fabric::PortIndex host : hosts)
      for (std::uint16_t number = 0; number < kSubscriptionsPerHost; ++number)
        site.registrations.subscriptions.set({guid(host), number}, {});
  }

  mad::Guid guid(fabric::PortIndex port) const { return site.subnet->fabric.ports[port].guid; }
  mad::Gid gid(fabric::PortIndex port) const { return {site.options.subnet_prefix, guid(port)}; }
  fabric::PortIndex host(unsigned number) const { return hosts[number % hosts.size()]; }

  void register_services() {
    for (unsigned i = 0; i < kServiceCount; ++i) {
      mad::ServiceRecord record;
      record.set_service_id(i / 4);
      record.set_service_gid(gid(host(i)));
      record.set_lease(mad::ServiceRecord::kForever);
      site.registrations.services.set({.record = record, .registered_by = guid(host(i))});
    }
  }
  static mad::Gid mgid(unsigned number) { return {0xff12a01cfe800000, {number + 1u}}; }
  void register_groups() {
    for (unsigned i = 0; i < kGroupCount; ++i) {
      const Group& group = site.registrations.groups.create(
          {.mgid = mgid(i),
           .mlid = {static_cast<std::uint16_t>(mad::kMlidMin.value + i)},
           .p_key = mad::kDefaultPKeyFull,
           .mtu = mad::kMtuMax,
           .rate = 3});
      for (unsigned k = 0; k < (i == 0 ? kHosts : 2); ++k)
        site.registrations.groups.join(group.mgid, {.port_gid = gid(host(i + k)),
                                                    .join_state = join_state::kFull,
                                                    .registered_by = guid(host(i + k))});
    }
  }

  subnets::Site site;
  std::vector<fabric::PortIndex> ports, hosts;
};

}  // namespace registered_world
}  // namespace sa
