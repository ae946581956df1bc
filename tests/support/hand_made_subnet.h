#pragma once
// A subnet without a manager, or with the settings of another manager.

#include <vector>

#include "sim/world/model.h"

namespace hand_made {

/// LIDs 1, 2, ... for all end ports in order, tables by shortest path, all links Active.
/// MasterSMLID is that of `master`, or LID 1.
inline void bring_up(sim::Model& model, sim::PortIndex master = sim::kNone) {
  std::uint16_t next = 1;
  for (const sim::PortIndex index : model.ports.indices()) {
    sim::PortModel& port = model.ports[index];
    if (port.peer != sim::kNone) port.info.set_port_state(mad::PortState::active);
    const bool management = model.owning_node(index).is_switch() && port.number == 0;
    if (!management && (!model.is_end_port(index) || port.number == 0)) continue;
    port.info.set_lid({next++});
    port.info.set_master_sm_lid({1});
  }
  for (sim::PortIndex index{0}; master != sim::kNone && index < model.ports.size(); ++index) {
    if (model.ports[index].info.lid() != mad::Lid{})
      model.ports[index].info.set_master_sm_lid(model.ports[master].info.lid());
  }
  for (sim::NodeModel& node : model.nodes) {
    if (node.is_switch()) node.sw->info.set_linear_fdb_top(next);
  }
  // Breadth first from every end port, backwards over the links.
  for (const sim::PortIndex owner : model.ports.indices()) {
    const mad::Lid lid = model.ports[owner].info.lid();
    if (lid == mad::Lid{}) continue;
    std::vector<bool> seen(model.nodes.size());
    std::vector<sim::NodeIndex> queue{model.ports[owner].node};
    seen[queue.front()] = true;
    if (model.nodes[queue.front()].is_switch()) model.nodes[queue.front()].sw->lft[lid.value] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const sim::NodeModel& node = model.nodes[queue[i]];
      if (!node.is_switch() && i > 0) continue;
      for (unsigned number = 1; number <= node.port_count(); ++number) {
        const sim::PortIndex out = node.first_port + number, far = model.ports[out].peer;
        if (far == sim::kNone || (i == 0 && !node.is_switch() && out != owner) ||
            seen[model.ports[far].node])
          continue;
        seen[model.ports[far].node] = true;
        queue.push_back(model.ports[far].node);
        if (model.owning_node(far).is_switch())
          model.owning_node(far).sw->lft[lid.value] = model.ports[far].number;
      }
    }
  }
}

}  // namespace hand_made
