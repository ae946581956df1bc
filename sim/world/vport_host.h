#pragma once
// Actions of hosts on their vports; on a real host they go through sysfs.

#include <string>

#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim {

// These functions return false if there is no such vport.

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

/// Returns the host's settings of a vport, to create another like it.
VPortOptions vport_options(const VPort& vport);

/// Enables vports at a port of a CA and in PortInfo: `vport_cap` of them, including index 0. A cap
/// of 0 removes all. False if it is no CA port.
bool enable_virtualization(World& world, PortIndex port, std::uint16_t vport_cap);
/// Creates a vport. False if the index is taken, or not below the capacity (with
/// VPortFirmware::index_up_to_cap: above it).
bool create_vport(World& world, PortIndex port, std::uint16_t index, const VPortOptions& options);
/// Removes a vport other than index 0.
bool destroy_vport(World& world, PortIndex port, std::uint16_t index);
/// Takes the vport down, and up again with another GUID, if that is valid. Not for index 0.
bool set_vport_guid(World& world, PortIndex port, std::uint16_t index, mad::Guid guid);
bool set_vport_policy(World& world, PortIndex port, std::uint16_t index, VPortPolicy policy);
/// Binds or unbinds the function's driver; P_Keys and LID stay.
bool bind_vport(World& world, PortIndex port, std::uint16_t index, bool bound);
/// Unbinds the driver, and binds it again after `time`.
bool rebind_vport(World& world, PortIndex port, std::uint16_t index, mad::Duration time = {});
bool rename_vport(World& world, PortIndex port, std::uint16_t index,
                  std::string description);  // trap 1144
bool set_vport_capability(World& world, PortIndex port, std::uint16_t index,
                          std::uint16_t capability_mask);  // trap 1144
/// Replaces VNodeInfo without checks.
bool set_vnode_info(World& world, PortIndex port, std::uint16_t index, const mad::VNodeInfo& info);

/// Restarts the driver of the physical function: vport 0 goes Down and comes up, all others are
/// removed. `recreate` creates functions of the same indices again, without GUIDs and with policy
/// Down, as after a write of their number to sysfs.
bool reload_driver(World& world, PortIndex port, bool recreate = false);

struct VPortMigration {
  mad::Duration time{};      // between both changes
  bool overlapping = false;  // the new one is there before the old one is gone
};
/// Migrates a live vport to another port, with the same GUIDs, settings of the host and
/// description. False if there is none at `from` or there can be none at `to`.
bool migrate_vport(World& world, VPortPlace from, VPortPlace to,
                   const VPortMigration& migration = {});

/// Acts as a subnet manager: enables virtualization, and makes vport 0 and this vport Active. The
/// vport gets the LID if it needs one, and all switches forward it as they forward the port's LID.
/// False if there is no such vport or it is Down.
bool activate_vport(World& world, PortIndex port, std::uint16_t index, mad::Lid lid = {});

/// Returns how the port's firmware behaves where the sources are silent, and its faults. Callers
/// may write to it at any time.
VPortFirmware& vport_firmware(World& world, PortIndex port);
/// Ends the faults of the firmware; its other behaviour stays.
void end_vport_faults(World& world, PortIndex port);

}  // namespace sim
