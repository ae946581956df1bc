#include "sm/sweep/plan.h"

#include <algorithm>

#include "routing/qos/path_sl.h"
#include "sm/sweep/link_settings.h"

namespace sm {
namespace {

template <class Attribute>
Write write_of(const Attribute& attribute, std::uint32_t modifier, PortIndex port) {
  Write write{.attribute = Attribute::kId, .modifier = modifier, .port = port, .data = {}};
  std::ranges::copy(attribute.bytes(), write.data.begin());
  return write;
}

void plan_p_keys(const Fabric& fabric, const Target& target, PortIndex index,
                 std::vector<Write>& writes) {
  const Port& port = fabric.ports[index];
  if (!port.known) return;
  const bool external = fabric.nodes[port.node].is_switch() && port.number.value != 0;
  const auto observed = fabric.p_keys(index);
  for (std::uint16_t block = 0; block < observed.size(); ++block) {
    const mad::PKeyTable& desired = target.p_keys.blocks[port.first_p_key_block + block];
    if (desired != observed[block])
      writes.push_back(write_of(
          desired, mad::PKeyTable::modifier(block, external ? port.number : mad::PortNum{0}),
          index));
  }
}

class Planner {
 public:
  Planner(const Fabric& fabric, const Target& target, const TableMemory& memory,
          const RefusedSettings& refused, const config::Options& options)
      : fabric_(fabric),
        target_(target),
        memory_(memory),
        refused_(refused),
        options_(options),
        range_(fabric.ports.size()) {
    for (const EndPortIndex end_port : fabric.end_ports.indices())
      range_[fabric.end_ports[end_port]] = target.lids.of_end_port[end_port];
    sm_lid_ = range_[fabric.sm_port].base;
  }

  Plan run() {
    plan_tables();
    plan_switches();
    for (const PortIndex port : fabric_.ports.indices()) {
      plan_p_keys(fabric_, target_, port, plan_.nodes);
      plan_port(port);
    }
    return std::move(plan_);
  }

 private:
  // Block by block over all switches: neighbours in time are different nodes, so that none is
  // flooded.
  void plan_tables() {
    if (!target_.lfts) return;
    for (std::uint32_t block = 0; block < target_.lfts->blocks(); ++block) {
      for (const SwitchIndex sw : fabric_.switches.indices()) {
        const bool fits = block * kLftBlockLids < fabric_.switches[sw].info.linear_fdb_cap();
        if (fits && !memory_.holds(sw, block, target_.lfts->block(sw, block)))
          plan_.tables.push_back({sw, block});
      }
    }
  }

  void plan_switches() {
    for (const Switch& sw : fabric_.switches) {
      const mad::SwitchInfo desired = desired_switch_info(sw.info, target_.lids.lid_top, options_);
      if (needs_set(sw.info, desired))
        plan_.nodes.push_back(write_of(desired, 0, fabric_.nodes[sw.node].first_port));
    }
  }

  void plan_port(PortIndex index) {
    const Port& port = fabric_.ports[index];
    const Node& node = fabric_.nodes[port.node];
    const bool management = node.is_switch() && port.number.value == 0;
    if (!port.known || (!management && !port.is_up())) return;
    const LidMap::Range range = range_[index];
    if (fabric_.is_end_port(index) && range.base == mad::Lid{})
      return;  // no LID left for it: it stays as it is
    const bool activate = may_activate(fabric_, target_, index);

    PortIntent intent{.lid = range,
                      .sm_lid = fabric_.is_end_port(index) ? sm_lid_ : mad::Lid{},
                      .sm_sl = sl_to_manager(index)};
    // A port that is new, or was registered with another manager, must register with this one.
    const bool forgotten =
        target_.reregister_clients || (!target_.newcomers.empty() && target_.newcomers[index]);
    intent.client_reregister = fabric_.is_end_port(index) &&
                               (forgotten || port.info.port_state() == mad::PortState::init ||
                                port.info.master_sm_lid() != sm_lid_);
    intent.enforce_inbound = target_.p_keys.enforcement[index].inbound;
    intent.enforce_outbound = target_.p_keys.enforcement[index].outbound;

    mad::PortInfo desired = desired_port_info(fabric_, index, options_, intent);
    const bool restart = !management && needs_link_restart(port.info, desired);
    const mad::PortState state = management || !activate
                                     ? mad::PortState::no_change
                                     : next_state(port.info.port_state(), restart);
    if (state == mad::PortState::armed) desired.set_port_state(state);
    if (needs_set(port.info, desired, refused_.mask_for(fabric_, index)) ||
        desired.port_state() != mad::PortState::no_change) {
      plan_.ports.push_back(write_of(desired, port_info_modifier(fabric_, index), index));
    }
    // Both ends have their settings before the link goes down, and the nearer one takes it down:
    // the farther could not be reached any more.
    if (state == mad::PortState::down && index < port.peer) {
      desired.set_port_state(mad::PortState::down);
      plan_.restarts.push_back(write_of(desired, port_info_modifier(fabric_, index), index));
    }
  }

  /// As subnet administration would answer: the SL of the routing engine, or the one of the options
  /// where the routing does not care.
  mad::Sl sl_to_manager(PortIndex port) const {
    const mad::Sl wish{options_.sm_sl};
    if (!target_.routing) return wish;
    const routing::RoutingResult& routing = target_.routing->routing;
    return routing::path_sl(
        routing, {fabric_.leaf_of(port), sm_lid_, fabric_.leaf_of(fabric_.sm_port)}, wish);
  }

  const Fabric& fabric_;
  const Target& target_;
  const TableMemory& memory_;
  const RefusedSettings& refused_;
  const config::Options& options_;
  std::vector<LidMap::Range> range_;  // by port
  mad::Lid sm_lid_;
  Plan plan_;
};

bool has_lid_if_it_needs_one(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  if (!fabric.is_end_port(port)) return true;
  // The GUID map names the one port that holds a GUID; a second bearer of the same GUID gets no
  // LID.
  const auto place = std::ranges::lower_bound(fabric.end_ports, port);
  if (place == fabric.end_ports.end() || *place != port) return false;
  return lids.of_end_port[EndPortIndex(place - fabric.end_ports.begin())].base != mad::Lid{};
}

}  // namespace

bool may_activate(const Fabric& fabric, const Target& target, PortIndex port) {
  return fabric.is_link_up(port) && has_lid_if_it_needs_one(fabric, target.lids, port) &&
         has_lid_if_it_needs_one(fabric, target.lids, fabric.ports[port].peer) &&
         !std::ranges::binary_search(target.hold_back, port) &&
         !std::ranges::binary_search(target.hold_back, fabric.ports[port].peer);
}

Plan make_plan(const Fabric& fabric, const Target& target, const TableMemory& memory,
               const RefusedSettings& refused, const config::Options& options) {
  return Planner(fabric, target, memory, refused, options).run();
}

Plan make_partition_plan(const Fabric& fabric, const Target& target) {
  Plan plan;
  for (const PortIndex index : fabric.ports.indices()) {
    plan_p_keys(fabric, target, index, plan.nodes);
    const Port& port = fabric.ports[index];
    const partitions::Enforcement& wanted = target.p_keys.enforcement[index];
    // The bits of other ports are always clear, and not all of them keep what is written there.
    const bool faces_end_port = port.peer != kNoIndex && fabric.node_of(index).is_switch() &&
                                port.number.value != 0 && !fabric.node_of(port.peer).is_switch();
    if (!faces_end_port || !port.is_up()) continue;
    if (wanted == partitions::Enforcement{port.info.partition_enforcement_inbound(),
                                          port.info.partition_enforcement_outbound()})
      continue;
    mad::PortInfo info = port.info;
    info.set_partition_enforcement_inbound(wanted.inbound);
    info.set_partition_enforcement_outbound(wanted.outbound);
    info.set_port_state(mad::PortState::no_change);
    info.set_port_physical_state(mad::PortPhysicalState::no_change);
    info.set_client_reregister(false);
    plan.ports.push_back(write_of(info, port_info_modifier(fabric, index), index));
  }
  return plan;
}

}  // namespace sm
