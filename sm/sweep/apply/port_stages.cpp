#include "sm/sweep/apply/port_stages.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mad/format.h"
#include "sm/sweep/apply/attribute_writes.h"
#include "sm/sweep/apply/port_writes.h"
#include "sm/sweep/decide/key_isolation.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/link_settings.h"
#include "sm/sweep/devices/stage_requests.h"

namespace sm {
std::vector<Write> switch_writes(const Fabric& fabric, Refusals& refusals, mad::Lid lid_top,
                                 const config::Options& options) {
  std::vector<Write> writes;
  for (const Switch& sw : fabric.switches) {
    const mad::SwitchInfo desired = desired_switch_info(sw.info, lid_top, options);
    const PortIndex port = fabric.nodes[sw.node].first_port;
    const auto subject = subject_of(fabric, port, mad::AttributeId::switch_info);
    if (!needs_set(sw.info, desired)) {
      refusals.forget(subject);
    } else if (!refusals.is_paused(subject, desired.bytes())) {
      writes.push_back(make_write(desired, 0, port));
    }
  }
  return writes;
}

namespace {

std::vector<Write> p_key_writes(const Fabric& fabric, DeviceState& devices, const Target& target) {
  Refusals& refusals = devices.refusals;
  std::vector<Write> writes;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (!port.known) continue;
    const bool external = fabric.nodes[port.node].is_switch() && port.number.value != 0;
    // If a table was not read, clients may use its keys at indices that are not known.
    if (!external && !devices.knows_p_keys(fabric, index)) continue;
    if (target.p_keys.held_back.contains(index)) continue;
    const auto observed = fabric.p_keys(index);
    for (std::size_t block = 0; block < observed.size(); ++block) {
      const mad::PKeyTable& desired = target.p_keys.blocks[port.first_p_key_block + block];
      const auto subject = subject_of(fabric, index, mad::AttributeId::p_key_table,
                                      static_cast<std::uint32_t>(block));
      if (desired == observed[block]) {
        refusals.forget(subject);
      } else if (!refusals.is_paused(subject, desired.bytes())) {
        writes.push_back(
            make_write(desired,
                       mad::PKeyTable::modifier(static_cast<std::uint16_t>(block),
                                                external ? port.number : mad::PortNum{0}),
                       index));
      }
    }
  }
  return writes;
}

std::vector<Write> alias_guid_writes(const Fabric& fabric, const Refusals& refusals,
                                     const Target& target) {
  std::vector<Write> writes;
  for (const GuidInfoBlock& wanted : target.alias_guids) {
    const auto port = fabric.port_of_guid.find(wanted.port_guid);
    if (port == fabric.port_of_guid.end() || !fabric.ports[port->second].known) continue;
    if (refusals.is_paused(
            subject_of(fabric, port->second, mad::AttributeId::guid_info, wanted.block),
            wanted.content.bytes()))
      continue;
    writes.push_back(make_write(wanted.content, wanted.block, port->second));
  }
  return writes;
}

/// Returns one part of each write that was rejected as a whole.
std::vector<Write> part_writes(const Fabric& fabric, std::span<const Write> rejected,
                               PortInfoPart part) {
  std::vector<Write> writes;
  for (const Write& whole : rejected) {
    const mad::PortInfo asked(whole.data);
    mad::PortInfo info = as_read(fabric.ports[whole.port].info);
    if (part == PortInfoPart::state) {
      if (info.port_state() >= asked.port_state()) continue;
    }
    info = merged(info, asked, list_fields(part));
    if (part == PortInfoPart::end_port) info.set_client_reregister(asked.client_reregister());
    if (!parts_of(fabric.ports[whole.port].info, info).empty())
      writes.push_back(make_write(info, whole.modifier, whole.port));
  }
  return writes;
}

/// Returns writes to activate ports that are Armed and whose other end is Armed, too.
std::vector<Write> activations(const Fabric& fabric, const DeviceState& devices,
                               const Target& target, const std::vector<bool>& hold_back,
                               const NextPorts& ports) {
  std::vector<Write> writes;
  for (PortIndex index(ports.begin); index < ports.end; ++index) {
    const Port& port = fabric.ports[index];
    if (!port.known || port.info.port_state() != mad::PortState::armed) continue;
    if (!is_enhanced_port_0(fabric, index)) {
      if (!may_activate(fabric, target.lids, index) ||
          (!hold_back.empty() && (hold_back[index] || hold_back[port.peer])))
        continue;
      if (fabric.ports[port.peer].info.port_state() < mad::PortState::armed) continue;
      if (!may_carry_data(fabric, devices, target, index) ||
          !may_carry_data(fabric, devices, target, port.peer))
        continue;
    }
    mad::PortInfo info = as_read(port.info);
    info.set_port_state(mad::PortState::active);
    if (devices.refusals.is_paused(subject_of(fabric, index, PortInfoPart::state),
                                   only(info, list_fields(PortInfoPart::state))))
      continue;
    writes.push_back(make_write(info, port_info_set_modifier(fabric, index), index));
  }
  return writes;
}

/// Returns writes that set which switch ports check P_Keys. The bits of ports that face no end port
/// are always clear, and not all such ports keep what is written there.
std::vector<Write> enforcement_writes(const Fabric& fabric, const Refusals& refusals,
                                      const Target& target) {
  std::vector<Write> writes;
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    const partitions::Enforcement& wanted = target.p_keys.enforcement[index];
    const bool faces_end_port = port.peer != kNoIndex && fabric.owning_node(index).is_switch() &&
                                port.number.value != 0 &&
                                !fabric.owning_node(port.peer).is_switch();
    if (!faces_end_port || !port.is_up()) continue;
    if (wanted == partitions::Enforcement{port.info.partition_enforcement_inbound(),
                                          port.info.partition_enforcement_outbound()})
      continue;
    mad::PortInfo info = as_read(port.info);
    info.set_partition_enforcement_inbound(wanted.inbound);
    info.set_partition_enforcement_outbound(wanted.outbound);
    if (refusals.is_paused(subject_of(fabric, index, PortInfoPart::enforcement),
                           only(info, list_fields(PortInfoPart::enforcement))))
      continue;
    writes.push_back(make_write(info, port_info_set_modifier(fabric, index), index));
  }
  return writes;
}

/// Returns a step that activates ports which are Armed at both ends.
Steps::Step activation_step(Fabric& fabric, DeviceState& devices, const Target& target,
                            const std::vector<bool>& hold_back) {
  return [&, ports = NextPorts()]() mutable -> std::unique_ptr<Stage> {
    while (!ports.is_done(fabric)) {
      ports.advance(fabric);
      std::vector<Write> writes = activations(fabric, devices, target, hold_back, ports);
      if (!writes.empty())
        return std::make_unique<AttributeWrites>(StageKind::activation, fabric, devices,
                                                 std::move(writes));
    }
    return nullptr;
  };
}

/// Holds PortInfo that port_stages() has yet to write.
struct PendingPortInfo {
  std::optional<PortWrites> settings;
  std::vector<Write> rejected;  // is set part by part
  std::size_t part = 0;         // of kPortInfoParts: the next one
  std::vector<std::vector<Write>> restarts;
  std::size_t restart = 0;  // of restarts: the next one
};

std::optional<mad::MKey> m_key_of(const Target& target, mad::Guid port) {
  return target.m_keys ? std::optional(target.m_keys->key(port)) : std::nullopt;
}

/// Returns the PortInfo of end ports that need another M_Key, with no other change. The write of
/// the own port is the last one.
std::vector<Write> m_key_writes(const Fabric& fabric, const Refusals& refusals,
                                const Target& target) {
  std::vector<Write> writes, own;
  for (const EndPortIndex end_port : fabric.end_ports.indices()) {
    const PortIndex index = fabric.end_ports[end_port];
    const Port& port = fabric.ports[index];
    const bool is_managed = port.known && (port.number.value == 0 || port.is_up()) &&
                            target.lids.of_end_port[end_port].base != mad::Lid{};
    const auto key = m_key_of(target, port.guid);
    if (!is_managed || !key || port.info.m_key() == *key) continue;
    mad::PortInfo info = as_read(port.info);
    info.set_m_key(*key);
    if (refusals.is_paused(subject_of(fabric, index, PortInfoPart::end_port),
                           only(info, list_fields(PortInfoPart::end_port))))
      continue;
    (index == fabric.sm_port ? own : writes)
        .push_back(make_write(info, port_info_set_modifier(fabric, index), index));
  }
  std::ranges::copy(own, std::back_inserter(writes));
  return writes;
}

std::vector<Write> master_lid_writes(const Fabric& fabric, DeviceState& devices,
                                     const Target& target, const config::Options& options) {
  std::vector<Write> writes;
  const auto own = std::ranges::lower_bound(fabric.end_ports, fabric.sm_port);
  if (own == fabric.end_ports.end() || *own != fabric.sm_port) return writes;
  const LidMap& lids = target.lids;
  const mad::Lid sm_lid = lids.of_end_port[EndPortIndex(own - fabric.end_ports.begin())].base;
  if (fabric.ports[fabric.sm_port].info.lid() != sm_lid) return writes;  // it is not reached yet
  for (const EndPortIndex end_port : fabric.end_ports.indices()) {
    const PortIndex index = fabric.end_ports[end_port];
    const Port& port = fabric.ports[index];
    const LidMap::Range range = lids.of_end_port[end_port];
    const bool carries_data =
        fabric.owning_node(index).is_switch() || port.info.port_state() == mad::PortState::active;
    if (!port.known || !carries_data || range.base == mad::Lid{} || port.info.lid() != range.base)
      continue;
    if (target.reregister_clients || is_registered_elsewhere(port.info, sm_lid, target))
      devices.reregistering.insert(port.guid);
    const PortIntent intent{.lid = range,
                            .sm_lid = sm_lid,
                            .sm_sl = port.info.master_sm_sl(),
                            .client_reregister = devices.reregistering.contains(port.guid),
                            .m_key = m_key_of(target, port.guid)};
    if (!intent.client_reregister && port.info.master_sm_lid() == sm_lid) continue;
    const mad::PortInfo desired = desired_port_info(fabric, index, options, intent);
    if (desired.m_key() != port.info.m_key()) continue;
    mad::PortInfo info = merged(as_read(port.info), desired, list_fields(PortInfoPart::end_port));
    info.set_client_reregister(desired.client_reregister());
    writes.push_back(make_write(info, port_info_set_modifier(fabric, index), index));
  }
  return writes;
}

bool has_lid_if_it_needs_one(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  if (!fabric.is_end_port(port)) return true;
  // The GUID map names one port for each GUID; a second port with the same GUID gets no LID.
  const auto found = std::ranges::lower_bound(fabric.end_ports, port);
  if (found == fabric.end_ports.end() || *found != port) return false;
  return lids.of_end_port[EndPortIndex(found - fabric.end_ports.begin())].base != mad::Lid{};
}

/// True for a host of a switch that is kept out of use. Links between switches are managed
/// nevertheless.
bool is_isolated_host(const Fabric& fabric, PortIndex port) {
  const PortIndex peer = fabric.ports[port].peer;
  const bool between_switches =
      fabric.owning_node(port).is_switch() && fabric.owning_node(peer).is_switch();
  return !between_switches && (fabric.ports[port].isolated || fabric.ports[peer].isolated);
}

}  // namespace

bool may_activate(const Fabric& fabric, const LidMap& lids, PortIndex port) {
  return fabric.is_link_up(port) && !is_isolated_host(fabric, port) &&
         has_lid_if_it_needs_one(fabric, lids, port) &&
         has_lid_if_it_needs_one(fabric, lids, fabric.ports[port].peer);
}

std::unique_ptr<StageSource> port_stages(Fabric& fabric, DeviceState& devices, const Target& target,
                                         const config::Options& options, mad::Lid lid_top,
                                         const std::vector<bool>& hold_back) {
  const auto pending = std::make_shared<PendingPortInfo>();
  const auto stage = [&](StageKind kind, std::vector<Write> writes) -> std::unique_ptr<Stage> {
    return std::make_unique<AttributeWrites>(kind, fabric, devices, std::move(writes));
  };
  return make_steps({
      once([&, stage, lid_top] {
        return stage(StageKind::switches,
                     switch_writes(fabric, devices.refusals, lid_top, options));
      }),
      once([&, stage] { return stage(StageKind::p_keys, p_key_writes(fabric, devices, target)); }),
      once([&, stage] {
        return stage(StageKind::alias_guids, alias_guid_writes(fabric, devices.refusals, target));
      }),
      [&, pending]() -> std::unique_ptr<Stage> {
        std::optional<PortWrites>& settings = pending->settings;
        if (!settings) settings.emplace(fabric, devices, target, options, hold_back);
        if (std::vector<Write> writes = settings->next(); !writes.empty())
          return std::make_unique<AttributeWrites>(StageKind::ports, fabric, devices,
                                                   std::move(writes), &pending->rejected);
        pending->restarts = settings->restarts();
        settings.reset();
        return nullptr;
      },
      [&, stage, pending]() -> std::unique_ptr<Stage> {
        if (pending->part == kPortInfoParts.size()) return nullptr;
        return stage(StageKind::ports,
                     part_writes(fabric, pending->rejected, kPortInfoParts[pending->part++]));
      },
      [stage, pending]() -> std::unique_ptr<Stage> {
        if (pending->restart == pending->restarts.size()) return nullptr;
        return stage(StageKind::link_restarts, std::move(pending->restarts[pending->restart++]));
      },
      activation_step(fabric, devices, target, hold_back),
  });
}

std::unique_ptr<Stage> master_lid_stage(Fabric& fabric, DeviceState& devices, const Target& target,
                                        const config::Options& options) {
  return std::make_unique<AttributeWrites>(StageKind::ports, fabric, devices,
                                           master_lid_writes(fabric, devices, target, options));
}

std::unique_ptr<StageSource> switch_stages(Fabric& fabric, DeviceState& devices,
                                           const Target& target, const config::Options& options) {
  return make_steps({once([&] {
    return std::make_unique<AttributeWrites>(
        StageKind::switches, fabric, devices,
        switch_writes(fabric, devices.refusals, target.lids.lid_top, options));
  })});
}

std::unique_ptr<Stage> p_key_reads(Fabric& fabric, DeviceState& devices,
                                   const std::function<bool(PortIndex)>& covers) {
  struct Block {
    PortIndex port;
    std::uint16_t number;
  };
  std::vector<PortIndex> ports;
  unsigned blocks_max = 0;
  for (const PortIndex port : fabric.ports.indices()) {
    if (!devices.is_waiting_for_p_keys(port) || !covers(port)) continue;
    ports.push_back(port);
    blocks_max = std::max<unsigned>(blocks_max, fabric.ports[port].p_key_blocks);
  }
  std::vector<Block> blocks;
  // Consecutive reads go to different nodes.
  for (unsigned block = 1; block < blocks_max; ++block)
    for (const PortIndex port : ports)
      if (block < fabric.ports[port].p_key_blocks)
        blocks.push_back({port, static_cast<std::uint16_t>(block)});
  for (const PortIndex port : ports) devices.waiting_p_keys[port] = false;
  return make_reads<Block>(
      StageKind::p_keys, std::move(blocks),
      [&](const Block& block) {
        return make_write(fabric.p_keys(block.port)[block.number],
                          mad::PKeyTable::modifier(block.number, mad::PortNum{0}), block.port);
      },
      {.accept =
           [&](const Block& block, std::span<const std::uint8_t, 64> data, ApplyReport&) {
             fabric.p_key_blocks.set(fabric.ports[block.port].first_p_key_block + block.number,
                                     mad::PKeyTable(data));
           },
       .lose =
           [&](const Block& block) {
             const Port& port = fabric.ports[block.port];
             devices.unread_p_keys.insert(
                 {.node = fabric.nodes[port.node].guid, .port = port.number});
           }});
}

std::unique_ptr<StageSource> waiting_p_key_stages(Fabric& fabric, DeviceState& devices,
                                                  const Target& target,
                                                  const std::vector<bool>& hold_back) {
  const auto any_wait = std::make_shared<bool>(false);
  return make_steps({
      once([&, any_wait]() -> std::unique_ptr<Stage> {
        *any_wait = !devices.waiting_p_keys.empty();
        if (!*any_wait) return nullptr;
        return p_key_reads(fabric, devices, [](PortIndex) { return true; });
      }),
      once([&, any_wait]() -> std::unique_ptr<Stage> {
        if (!*any_wait) return nullptr;
        devices.waiting_p_keys.clear();
        return std::make_unique<AttributeWrites>(StageKind::p_keys, fabric, devices,
                                                 p_key_writes(fabric, devices, target));
      }),
      // If the switch port did not take the order to check P_Keys, its link has waited, too.
      [any_wait, activation = activation_step(fabric, devices, target, hold_back)] {
        return *any_wait ? activation() : nullptr;
      },
  });
}

std::unique_ptr<StageSource> m_key_stages(Fabric& fabric, DeviceState& devices,
                                          const Target& target) {
  return make_steps({once([&] {
    return std::make_unique<AttributeWrites>(StageKind::ports, fabric, devices,
                                             m_key_writes(fabric, devices.refusals, target));
  })});
}

std::unique_ptr<StageSource> partition_stages(Fabric& fabric, DeviceState& devices,
                                              const Target& target) {
  return make_steps({once([&] {
                       return std::make_unique<AttributeWrites>(
                           StageKind::p_keys, fabric, devices,
                           p_key_writes(fabric, devices, target));
                     }),
                     once([&] {
                       return std::make_unique<AttributeWrites>(
                           StageKind::ports, fabric, devices,
                           enforcement_writes(fabric, devices.refusals, target));
                     })});
}

}  // namespace sm
