// The virtualization attributes of a CA port: access of a subnet manager to its vports.

#include <algorithm>
#include <array>

#include "sim/world/agents/agents.h"
#include "sim/world/vport_host.h"

namespace sim {
namespace {

using mad::AttributeId;
using mad::Method;
using mad::PortState;
namespace status = mad::status;

/// Returns the vport that a modifier names; null if there is none.
VPort* target(const Arrival& arrival, std::uint32_t index) {
  if (!has_vports(arrival.world.model.ports[arrival.entry]) || index > 0xFFFF) return nullptr;
  return edit_vport(arrival.world.model, arrival.entry, static_cast<std::uint16_t>(index));
}

const VPortFirmware& firmware(const Arrival& arrival) {
  return vport_firmware(arrival.world.model.ports[arrival.entry]);
}

/// Identifies the vport and block of a table, as the firmware reads the modifier.
struct TableBlock {
  std::uint16_t index = 0, block = 0;
};
TableBlock table_block(const VPortFirmware& firmware, std::uint32_t modifier) {
  const auto high = static_cast<std::uint16_t>(modifier >> 16),
             low = static_cast<std::uint16_t>(modifier & 0xFFFFu);
  const bool index_is_low =
      firmware.table_modifier == VPortFirmware::TableModifier::block_above_index;
  return index_is_low ? TableBlock{low, high} : TableBlock{high, low};
}

/// Returns the vport that the SMP is about; 0 for attributes of the port.
std::uint16_t compute_index(const VPortFirmware& firmware, mad::ConstSmpView smp) {
  switch (smp.attribute_id()) {
    case AttributeId::virtualization_info:
    case AttributeId::vport_state:
      return 0;
    case AttributeId::vport_guid_info:
    case AttributeId::vport_p_key_table:
      return table_block(firmware, smp.attribute_modifier()).index;
    default:
      return static_cast<std::uint16_t>(smp.attribute_modifier());
  }
}

/// Returns the fault that applies to the SMP, or null, and counts it.
const VPortRefusal* refusal(const Arrival& arrival, mad::ConstSmpView smp) {
  if (firmware(arrival).refusals.empty()) return nullptr;
  VPortFirmware& of = vport_firmware(arrival.world, arrival.entry);
  const auto hit = std::ranges::find_if(of.refusals, [&](const VPortRefusal& each) {
    return each.times > 0 &&
           (each.attribute == 0 ||
            each.attribute == static_cast<std::uint16_t>(smp.attribute_id())) &&
           (!each.index || *each.index == compute_index(of, smp)) &&
           (!each.sets_only || smp.method() == Method::set);
  });
  if (hit == of.refusals.end()) return nullptr;
  if (hit->times != kEndlessly) --hit->times;
  return &*hit;
}

PortState shown_state(const Arrival& arrival, std::uint16_t index) {
  if (!firmware(arrival).states_jump.contains(index))
    return vport_state(arrival.world.model.ports[arrival.entry], index);
  constexpr std::array kStates{PortState::down, PortState::init, PortState::armed,
                               PortState::active};
  return kStates[arrival.world.random().below(kStates.size())];
}

void reregister(const Arrival& arrival, std::uint16_t index) {
  World& world = arrival.world;
  if (index == 0 && world.on_client_reregister) world.on_client_reregister(arrival.entry);
  if (index != 0 && world.on_vport_reregister) world.on_vport_reregister(arrival.entry, index);
}

Verdict serve_virtualization_info(const Arrival& arrival, mad::SmpView smp) {
  World& world = arrival.world;
  PortExtras& extras = world.model.extras(arrival.entry);
  mad::VirtualizationInfo info = virtualization_info(world.model.ports[arrival.entry]);
  if (smp.method() == Method::set) {
    const mad::VirtualizationInfo requested(smp.data());
    const bool switched = requested.virtualization_enable() != info.virtualization_enable();
    info.set_virtualization_enable(requested.virtualization_enable());
    // A 1 clears the bit, by analogy with SwitchInfo's PortStateChange; this is not documented.
    if (requested.vport_state_change()) info.set_vport_state_change(false);
    std::ranges::copy(info.bytes(), extras.virtualization_info.begin());
    if (switched) world.switch_virtualization(arrival.entry);
    if (requested.vclient_reregistration())
      for (const std::uint16_t index : active_vports(world.model.ports[arrival.entry]))
        reregister(arrival, index);
  }
  const VPortFirmware& faults = firmware(arrival);
  info.set_vport_cap(faults.shown_cap.value_or(info.vport_cap()));
  info.set_vport_index_top(faults.shown_top.value_or(info.vport_index_top()));
  info.set_virtualization_revision(faults.revision);
  smp.set_data(info.bytes());
  return status::kOk;
}

/// Active may follow Init directly: NVIDIA's state enumeration marks Armed as not used for vports.
bool legal_state(const VPortFirmware& firmware, PortState now, PortState next) {
  switch (next) {
    case PortState::no_change:
    case PortState::down:
      return true;
    case PortState::armed:
      return firmware.accepts_armed && now == PortState::init;
    case PortState::active:
      return now == PortState::init || now == PortState::armed || now == PortState::active;
    default:
      return false;
  }
}

/// Checks a Set at vport 0 if it shows the state of PortInfo: only PortInfo sets the state.
bool legal_at_coupled_vport(PortState now, PortState next) {
  return next == PortState::no_change || next == now;
}

Verdict serve_vport_info(const Arrival& arrival, mad::SmpView smp) {
  World& world = arrival.world;
  PortModel& port = world.model.ports[arrival.entry];
  VPort* const vport = target(arrival, smp.attribute_modifier());
  if (!vport) return status::kInvalidValue;
  const auto index = static_cast<std::uint16_t>(smp.attribute_modifier());
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    const mad::VPortInfo requested(smp.data());
    const PortState now = vport_state(port, index), next = requested.vport_state();
    const bool coupled = index == 0 && firmware(arrival).vport_0_coupled;
    mad::VPortInfo info = vport_info(*vport);
    if (!(coupled ? legal_at_coupled_vport(now, next)
                  : legal_state(firmware(arrival), now, next)) ||
        (info.lid_required() && !is_unicast(requested.vport_lid()))) {
      verdict = status::kInvalidValue;
    } else {
      if (info.lid_required()) info.set_vport_lid(requested.vport_lid());
      // Writing 0 to a violation counter resets it; any other value changes nothing.
      if (requested.p_key_violations() == 0) info.set_p_key_violations(0);
      if (requested.q_key_violations() == 0) info.set_q_key_violations(0);
      if (next != PortState::no_change && !coupled) {
        info.set_vport_state(next);
        world.log("{} vport {} is set to {}", world.model.name(arrival.entry), index,
                  mad::name(next));
      }
      set_vport_info(*vport, info);
      if (next == PortState::down) {  // as a port that is set Down: it comes up again by itself
        world.events().after(world.timing.training,
                             [&world, entry = arrival.entry] { world.update_vports(entry); });
      }
      if (requested.client_reregister()) reregister(arrival, index);
    }
  }
  mad::VPortInfo answer = vport_info(port, index);
  answer.set_vport_state(shown_state(arrival, index));
  smp.set_data(answer.bytes());
  return verdict;
}

Verdict serve_vnode_info(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != Method::get) return status::kMethodAttributeUnsupported;
  const VPort* const vport = target(arrival, smp.attribute_modifier());
  if (!vport) return status::kInvalidValue;
  smp.set_data(vnode_info(*vport).bytes());
  return status::kOk;
}

Verdict serve_vport_states(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != Method::get) return status::kMethodAttributeUnsupported;
  const PortModel& port = arrival.world.model.ports[arrival.entry];
  const std::uint64_t first = std::uint64_t{smp.attribute_modifier()} * mad::VPortState::kEntries;
  const mad::VirtualizationInfo info = virtualization_info(port);
  if (!has_vports(port) || first >= std::max(info.vport_cap(), info.vport_index_top()))
    return status::kInvalidValue;
  mad::VPortState states;
  for (unsigned entry = 0; entry < mad::VPortState::kEntries && first + entry <= 0xFFFF; ++entry) {
    const auto index = static_cast<std::uint16_t>(first + entry);
    const bool exists = find_vport(port, index) != nullptr;
    if (exists || index < info.vport_cap())
      states.set_state(entry, exists ? shown_state(arrival, index) : PortState::down);
  }
  smp.set_data(states.bytes());
  return status::kOk;
}

Verdict serve_vnode_description(const Arrival& arrival, mad::SmpView smp) {
  VPort* const vport = target(arrival, smp.attribute_modifier());
  if (!vport) return status::kInvalidValue;
  std::string& text = smp.attribute_modifier() == 0 ? arrival.at().description : vport->description;
  if (smp.method() == Method::set) text = mad::VNodeDescription(smp.data()).text();
  mad::VNodeDescription description;
  description.set_text(text);
  smp.set_data(description.bytes());
  return status::kOk;
}

Verdict serve_vport_guids(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const auto [index, table] = table_block(firmware(arrival), smp.attribute_modifier());
  VPort* const vport = target(arrival, index);
  if (!vport) return status::kInvalidValue;
  const std::size_t first = std::size_t{table} * mad::VPortGuidInfo::kEntries;
  const mad::VPortInfo info = vport_info(model.ports[arrival.entry], index);
  const std::size_t capacity = info.guid_cap();
  if (first >= capacity) return status::kInvalidValue;
  auto& guids = index != 0 ? vport->alias_guids : model.extras(arrival.entry).alias_guids;
  guids.resize(capacity);
  mad::VPortGuidInfo block(smp.data());
  for (unsigned entry = 0; entry < mad::VPortGuidInfo::kEntries; ++entry) {
    const std::size_t number = first + entry;
    if (number >= capacity) {
      block.set_guid(entry, {});
      continue;
    }
    if (smp.method() == Method::set && number != 0) guids[number] = block.guid(entry);
    block.set_guid(entry, number != 0 ? guids[number] : info.port_guid());
  }
  smp.set_data(block.bytes());
  return status::kOk;
}

Verdict serve_vport_p_keys(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const auto [index, block] = table_block(firmware(arrival), smp.attribute_modifier());
  if (!target(arrival, index) || block >= vport_p_key_blocks(model, arrival.entry, index))
    return status::kInvalidValue;
  if (smp.method() == Method::set) {
    const mad::PKeyTable keys(smp.data());
    const bool all = firmware(arrival).table_modifier == VPortFirmware::TableModifier::all_vports;
    for (const auto& [each, vport] : model.extras(arrival.entry).vports)
      if ((all && block < vport_p_key_blocks(model, arrival.entry, each)) || each == index)
        set_vport_p_keys(model, arrival.entry, each, block, keys);
  }
  smp.set_data(vport_p_keys(model, arrival.entry, index, block).bytes());
  return status::kOk;
}

Verdict serve_attribute(const Arrival& arrival, mad::SmpView smp) {
  switch (smp.attribute_id()) {
    case AttributeId::virtualization_info:
      return serve_virtualization_info(arrival, smp);
    case AttributeId::vport_info:
      return serve_vport_info(arrival, smp);
    case AttributeId::vnode_info:
      return serve_vnode_info(arrival, smp);
    case AttributeId::vport_state:
      return serve_vport_states(arrival, smp);
    case AttributeId::vnode_description:
      return serve_vnode_description(arrival, smp);
    case AttributeId::vport_guid_info:
      return serve_vport_guids(arrival, smp);
    case AttributeId::vport_p_key_table:
      return serve_vport_p_keys(arrival, smp);
    default:
      return status::kMethodAttributeUnsupported;
  }
}

}  // namespace

Verdict serve_virtualization(const Arrival& arrival, mad::SmpView smp) {
  if (virtualization_info(arrival.world.model.ports[arrival.entry]).vport_cap() == 0)
    return status::kMethodAttributeUnsupported;
  if (const VPortRefusal* const hit = refusal(arrival, smp)) return hit->status;
  const VPortFirmware& of = firmware(arrival);
  const std::uint32_t modifier = smp.attribute_modifier();
  const bool wrong = of.modifier_wrong.contains(compute_index(of, smp));
  const Verdict verdict = serve_attribute(arrival, smp);
  if (wrong) smp.set_attribute_modifier(modifier + 1);
  return verdict;
}

mad::Duration vport_firmware_time(const Arrival& arrival, mad::ConstSmpView smp) {
  if (smp.attribute_id() < AttributeId::virtualization_info ||
      smp.attribute_id() > AttributeId::vport_p_key_table ||
      firmware(arrival).time == mad::Duration{})
    return {};
  VPortFirmware& of = vport_firmware(arrival.world, arrival.entry);
  const mad::TimePoint now = arrival.world.events().now();
  of.busy_until = std::max(of.busy_until, now) + of.time;
  return of.busy_until - now;
}

}  // namespace sim
