#pragma once
// Virtual ports of a CA port as its node keeps them: their states, keys and addresses. The
// functions are pure over the model. vport_host.h has the host's side, agents/virtualization.cpp
// the subnet manager's.
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

/// The GUID of a function that its host has released; like 0, it is not valid.
inline constexpr mad::Guid kReleasedGuid{~std::uint64_t{0}};
constexpr bool is_vport_guid(mad::Guid guid) { return guid.value != 0 && guid != kReleasedGuid; }

/// Identifies a vport by its port and index.
struct VPortPlace {
  PortIndex port = kNone;
  std::uint16_t index = 0;  // 0: the physical function, or a port without vports
  auto operator<=>(const VPortPlace&) const = default;
};

/// True if the port has vports on the fabric: the subnet manager has enabled virtualization.
bool has_vports(const PortModel& port);
/// Returns null if there is none.
const VPort* find_vport(const PortModel& port, std::uint16_t index);
mad::VPortInfo vport_info(const VPort& vport);
void set_vport_info(VPort& vport, const mad::VPortInfo& info);
mad::VNodeInfo vnode_info(const VPort& vport);
mad::VirtualizationInfo virtualization_info(const PortModel& port);
/// Returns the current VPortInfo of the vport, index 0 included. Precondition: it exists.
mad::VPortInfo vport_info(const PortModel& port, std::uint16_t index);
/// Returns Down if the vport does not exist or virtualization is disabled.
mad::PortState vport_state(const PortModel& port, std::uint16_t index);
/// Returns the indices of vports that are Active, 0 included.
std::vector<std::uint16_t> active_vports(const PortModel& port);
/// Finds the vport with this GUID (or alias); never index 0.
std::optional<VPortPlace> find_vport_guid(const Model& model, mad::Guid guid);
/// Returns the vport whose LID `index` uses: itself or another one; nullopt: the port's own LID.
std::optional<std::uint16_t> lid_owner(const PortExtras& extras, std::uint16_t index);
/// Returns the LID of the vport: the source of its packets, and the destination for others.
mad::Lid vport_lid(const PortModel& port, std::uint16_t index);
mad::Gid vport_gid(const PortModel& port, std::uint16_t index);
/// True if only the GID distinguishes packets of the vport from others, because its LID is shared.
bool grh_required(const PortModel& port, std::uint16_t index);

/// The P_Key table that packets of the vport are compared with. Index 0 uses the port's table, if
/// they are one (VPortFirmware::p_keys_aliased).
unsigned vport_p_key_blocks(const Model& model, PortIndex port, std::uint16_t index);
mad::PKeyTable vport_p_keys(const Model& model, PortIndex port, std::uint16_t index,
                            unsigned block);
void set_vport_p_keys(Model& model, PortIndex port, std::uint16_t index, unsigned block,
                      const mad::PKeyTable& keys);
/// True if the table holds the key's partition and one of both memberships is full.
bool vport_takes_p_key(const Model& model, PortIndex port, std::uint16_t index, mad::PKey key);
/// True if the table has exactly this key, so that the vport can send with it.
bool vport_holds_p_key(const Model& model, PortIndex port, std::uint16_t index, mad::PKey key);

/// Returns the GID that a host's library fills in for a destination of which it knows only the LID:
/// that of the LID's owner. nullopt if no port has the LID.
std::optional<mad::GlobalRoute> route_to(const Model& model, mad::Lid lid);
/// The GUID of the subnet administration at any port; the kernel's SA client uses it where a GRH is
/// required.
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
