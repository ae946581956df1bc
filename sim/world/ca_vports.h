#pragma once
// Virtual ports of a CA port as its node keeps them: their states, keys and addresses. Pure over
// the model. The host's side is vport_host.h, the subnet manager's is agents/virtualization.cpp.
//
// A vport is Down unless virtualization is enabled, a driver is bound to it, its GUID is valid and
// its policy allows more: Follow while the physical port is Active, Up at any time. Then it is in
// Init until a subnet manager sets it Active. Each change that no subnet manager made sets
// VPortStateChange and raises trap 1146.
//
// Index 0 is the vport of the physical function. It exists from enable_virtualization() on, follows
// the physical port and has its GUID and LID.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "mad/attributes/virtualization.h"
#include "mad/transport.h"
#include "sim/world/model.h"

namespace sim {

/// The GUID of a function that its host has released; like 0, it is none.
inline constexpr mad::Guid kReleasedGuid{~std::uint64_t{0}};
constexpr bool is_vport_guid(mad::Guid guid) { return guid.value != 0 && guid != kReleasedGuid; }

/// A place for a vport.
struct VPortPlace {
  PortIndex port = kNone;
  std::uint16_t index = 0;  // 0: the physical function, or a port without vports
  auto operator<=>(const VPortPlace&) const = default;
};

/// The port's vports on the fabric: none unless the subnet manager has enabled virtualization.
bool has_vports(const PortModel& port);
/// Null if there is none.
const VPort* find_vport(const PortModel& port, std::uint16_t index);
mad::VPortInfo vport_info(const VPort& vport);
void set_vport_info(VPort& vport, const mad::VPortInfo& info);
mad::VNodeInfo vnode_info(const VPort& vport);
mad::VirtualizationInfo virtualization_info(const PortModel& port);
/// VPortInfo of the vport as it is, index 0 included. Precondition: it exists.
mad::VPortInfo vport_info(const PortModel& port, std::uint16_t index);
/// Down if it does not exist or virtualization is disabled.
mad::PortState vport_state(const PortModel& port, std::uint16_t index);
/// Indices of vports that are Active, 0 included.
std::vector<std::uint16_t> active_vports(const PortModel& port);
/// The vport with this GUID (or alias), not index 0.
std::optional<VPortPlace> find_vport_guid(const Model& model, mad::Guid guid);
/// The vport whose LID `index` uses: itself, another one, or nothing for the port's own LID.
std::optional<std::uint16_t> lid_owner(const PortExtras& extras, std::uint16_t index);
/// The LID that packets of the vport have as source and that others send to.
mad::Lid vport_lid(const PortModel& port, std::uint16_t index);
mad::Gid vport_gid(const PortModel& port, std::uint16_t index);
/// The GID of the vport is needed to distinguish its packets from others: its LID is not its
/// own.
bool grh_required(const PortModel& port, std::uint16_t index);

/// The vport's P_Key table as its packets are compared with; of index 0 that of the port, if it is
/// the same (VPortFirmware::p_keys_aliased).
unsigned vport_p_key_blocks(const Model& model, PortIndex port, std::uint16_t index);
mad::PKeyTable vport_p_keys(const Model& model, PortIndex port, std::uint16_t index,
                            unsigned block);
void set_vport_p_keys(Model& model, PortIndex port, std::uint16_t index, unsigned block,
                      const mad::PKeyTable& keys);
/// True if the table holds the key's partition and one of both memberships is full.
bool vport_takes_p_key(const Model& model, PortIndex port, std::uint16_t index, mad::PKey key);
/// True if the table has exactly this key: the vport can send with it.
bool vport_holds_p_key(const Model& model, PortIndex port, std::uint16_t index, mad::PKey key);

/// Returns what a host's library fills in for a destination of which it knows the LID alone: the
/// GID of the owner of the LID. nullopt if no port has it.
std::optional<mad::GlobalRoute> route_to(const Model& model, mad::Lid lid);
/// GUID of the subnet administration at whichever port it is, as the kernel's SA client sends to it
/// where a GRH is required.
inline constexpr mad::Guid kSaWellKnownGuid{0x0200000000000002};

/// Returns how the port's firmware behaves where the sources are silent, and its faults.
const VPortFirmware& vport_firmware(const PortModel& port);

/// Resets the subnet manager's settings; those of the host stay.
void power_on_vports(PortExtras& extras);

// ---- Changes, of hosts and of agents.

inline VPort* edit_vport(Model& model, PortIndex port, std::uint16_t index) {
  return port == kNone ? nullptr : const_cast<VPort*>(find_vport(model.ports[port], index));
}

template <class Edit>
void edit_virtualization(Model& model, PortIndex port, Edit edit) {
  PortExtras& extras = model.extras(port);
  mad::VirtualizationInfo info{std::span(std::as_const(extras.virtualization_info))};
  edit(info);
  std::ranges::copy(info.bytes(), extras.virtualization_info.begin());
}

}  // namespace sim
