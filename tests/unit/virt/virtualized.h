#pragma once
// Fabrics with vports, as devices would show them.

#include "mad/attributes/virtualization.h"
#include "support/fabrics.h"
#include "virt/facts.h"

namespace virtualized {

inline virt::VPortFacts vport(mad::Guid guid, mad::PortState state, bool own_lid = false,
                              mad::Lid lid = {}) {
  virt::VPortFacts facts;
  facts.state = state;
  mad::VPortInfo info;
  info.set_port_guid(guid);
  info.set_vport_state(state);
  info.set_lid_required(own_lid);
  info.set_vport_lid(lid);
  facts.info = info;
  mad::VNodeInfo node;
  node.set_partition_cap(32);
  node.set_num_ports(1);
  node.set_local_port_num({1});
  node.set_vnode_guid(guid);
  facts.node_info = node;
  facts.p_keys.resize(1);
  return facts;
}

inline virt::PortFacts port(std::uint16_t cap, std::uint16_t top) {
  virt::PortFacts facts;
  mad::VirtualizationInfo info;
  info.set_virtualization_enable(true);
  info.set_vport_cap(cap);
  info.set_vport_index_top(top);
  facts.info = info;
  facts.states_read = true;
  return facts;
}

/// A switch with hosts at ports 1, 2, ...
struct Hosts {
  explicit Hosts(unsigned count) {
    fabrics::Maker maker;
    const auto sw = maker.sw(36);
    std::vector<decltype(maker.ca())> nodes;
    for (unsigned host = 0; host < count; ++host) {
      nodes.push_back(maker.ca());
      maker.cable(sw, host + 1, nodes.back(), 1);
    }
    fabric = maker.build();
    for (const auto node : nodes) ports.push_back(fabric.port(node, {1}));
    for (const fabric::PortIndex port : ports)
      fabric.ports[port].info.set_port_state(mad::PortState::active);
  }
  virt::PortFacts& find_facts(unsigned host, std::uint16_t cap = 8, std::uint16_t top = 7) {
    return facts.try_emplace(fabric.ports[ports[host]].guid, port(cap, top)).first->second;
  }

  fabric::Fabric fabric;
  std::vector<fabric::PortIndex> ports;
  virt::Facts facts;
};

}  // namespace virtualized
