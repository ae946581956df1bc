#pragma once
// Virtual ports of a CA port: what their host does (through sysfs on a real one), their states, and
// what depends on these. The subnet manager's side is agents/virtualization.cpp.
//
// A vport is Down unless virtualization is enabled, a driver is bound to it, its GUID is valid and
// its policy allows more: Follow while the physical port is Active, Up at any time. Then it is in
// Init until a subnet manager sets it Active. Each change that no subnet manager made sets
// VPortStateChange and raises trap 1146.
//
// Index 0 is the vport of the physical function. It exists from enable_virtualization() on, follows
// the physical port and has its GUID and LID.

#include <optional>
#include <string>
#include <vector>

#include "mad/attributes/virtualization.h"
#include "sim/world/world.h"

namespace sim {

/// The GUID of a function that its host has released; like 0, it is none.
inline constexpr mad::Guid kReleasedGuid{~std::uint64_t{0}};
constexpr bool is_vport_guid(mad::Guid guid) { return guid.value != 0 && guid != kReleasedGuid; }

// ---- The host. False: there is no such vport.

struct VPortOptions {
  mad::Guid guid{};       // 0: the host sets it later; until then the vport stays Down
  mad::Guid node_guid{};  // 0: as `guid`
  bool lid_required = false;
  std::uint16_t lid_by_vport_index =
      0;  // without a LID of its own: the vport whose LID it uses; 0: the port's
  std::uint8_t guid_cap = 8;
  std::uint16_t p_key_capacity = 32;
  std::string description{};
  VPortPolicy policy = VPortPolicy::follow;
};

/// Returns what the host has set of a vport, for another one like it.
VPortOptions vport_options(const VPort& vport);

/// Enables vports at a port of a CA, `vport_cap` of them including index 0, and in PortInfo. A cap
/// of 0 removes all. False if it is no CA port.
bool enable_virtualization(World& world, PortIndex port, std::uint16_t vport_cap);
/// False if the index is taken, or not below the capacity (VPortFirmware::index_up_to_cap: above).
bool create_vport(World& world, PortIndex port, std::uint16_t index, const VPortOptions& options);
/// Not index 0.
bool destroy_vport(World& world, PortIndex port, std::uint16_t index);
/// The vport goes Down and comes up with another GUID, if that is valid. Not index 0.
bool set_vport_guid(World& world, PortIndex port, std::uint16_t index, mad::Guid guid);
bool set_vport_policy(World& world, PortIndex port, std::uint16_t index, VPortPolicy policy);
/// The function's driver is bound or unbound; P_Keys and LID stay.
bool bind_vport(World& world, PortIndex port, std::uint16_t index, bool bound);
/// Unbound, and bound again after `time`.
bool rebind_vport(World& world, PortIndex port, std::uint16_t index, mad::Duration time = {});
bool rename_vport(World& world, PortIndex port, std::uint16_t index,
                  std::string description);  // trap 1144
bool set_vport_capability(World& world, PortIndex port, std::uint16_t index,
                          std::uint16_t capability_mask);  // trap 1144
/// Replaces VNodeInfo, whatever it says.
bool set_vnode_info(World& world, PortIndex port, std::uint16_t index, const mad::VNodeInfo& info);

/// The driver of the physical function starts again: vport 0 goes Down and comes up, all others are
/// gone. `recreate`: functions of the same indices are there again, without GUIDs and with policy
/// Down, as after a write of their number to sysfs.
bool reload_driver(World& world, PortIndex port, bool recreate = false);

/// A place for a vport.
struct VPortPlace {
  PortIndex port = kNone;
  std::uint16_t index = 0;  // 0: the physical function, or a port without vports
  auto operator<=>(const VPortPlace&) const = default;
};
struct VPortMigration {
  mad::Duration time{};      // between both changes
  bool overlapping = false;  // the new one is there before the old one is gone
};
/// Live migration: a vport with the same GUIDs, settings of the host and description at another
/// port. False if there is none at `from` or there can be none at `to`.
bool migrate_vport(World& world, VPortPlace from, VPortPlace to,
                   const VPortMigration& migration = {});

/// Does by hand what a subnet manager does: enables virtualization, and makes vport 0 and this one
/// Active. This one gets the LID if it needs one, and all switches forward that as the port's.
/// False if there is no such vport or it is Down.
bool activate_vport(World& world, PortIndex port, std::uint16_t index, mad::Lid lid = {});

/// Returns how the port's firmware behaves where the sources are silent, and its faults. Callers
/// may write to it at any time.
VPortFirmware& vport_firmware(World& world, PortIndex port);
const VPortFirmware& vport_firmware(const PortModel& port);
/// Its faults end; the readings stay.
void end_vport_faults(World& world, PortIndex port);

// ---- What is so.

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

// ---- For the agents and the physical port.

/// After a change of the port's state, of the host's settings or of VirtualizationEnable. `report`:
/// VPortStateChange and trap 1146, if a state changed.
void update_port_vports(World& world, PortIndex port, bool report = true);
/// VirtualizationEnable changed.
void virtualization_switched(World& world, PortIndex port);
/// Resets the subnet manager's settings; those of the host stay.
void power_on_vports(PortExtras& extras);
/// The subnet manager has to read VPortState again.
void note_vport_change(World& world, PortIndex port);
/// Counts a packet whose P_Key the vport does not have, and reports it: trap 1257.
void report_vport_bad_p_key(World& world, VPortPlace at, mad::Lid from, mad::Lid to, mad::PKey key,
                            mad::Sl sl);

}  // namespace sim
