#pragma once
// Virtual ports of a CA port: configuration by its host (through sysfs on a real one), and their
// states when the port's state changes. The subnet manager's side is agents/virtualization.cpp.
// Index 0 is the physical function: it is answered from the port itself, and has no entry in
// PortExtras::vports.

#include <optional>
#include <string>

#include "mad/attributes/virtualization.h"
#include "sim/world/world.h"

namespace sim {

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

/// Enables vports at a port of a CA, `vport_cap` of them including index 0, and in PortInfo. A cap
/// of 0 removes all. False if it is no CA port.
bool enable_virtualization(World& world, PortIndex port, std::uint16_t vport_cap);
/// False if the index is taken, 0, or not below the capacity.
bool create_vport(World& world, PortIndex port, std::uint16_t index, const VPortOptions& options);
// False if there is no such vport.
bool destroy_vport(World& world, PortIndex port, std::uint16_t index);
bool set_vport_guid(World& world, PortIndex port, std::uint16_t index, mad::Guid guid);
bool set_vport_policy(World& world, PortIndex port, std::uint16_t index, VPortPolicy policy);
bool rename_vport(World& world, PortIndex port, std::uint16_t index,
                  std::string description);  // trap 1144
bool set_vport_capability(World& world, PortIndex port, std::uint16_t index,
                          std::uint16_t capability_mask);  // trap 1144

/// The port's vports on the fabric: none unless the subnet manager has enabled virtualization.
bool has_vports(const PortModel& port);
mad::VPortInfo vport_info(const VPort& vport);
void set_vport_info(VPort& vport, const mad::VPortInfo& info);
mad::VirtualizationInfo virtualization_info(const PortModel& port);
/// The vport whose LID `index` uses: itself, another one, or nothing for the port's own LID.
std::optional<std::uint16_t> lid_owner(const PortExtras& extras, std::uint16_t index);

/// After a change of the port's state or of the host's settings: vports follow the port. A vport is
/// at least in Init if the port is, it has a GUID and its policy allows it; it is never above the
/// port. `report`: VPortStateChange and trap 1146, if one changed.
void follow_port(World& world, PortIndex port, bool report = true);
/// Resets the subnet manager's settings; those of the host stay.
void power_on_vports(PortExtras& extras);
/// The subnet manager has to read VPortState again.
void note_vport_change(World& world, PortIndex port);

}  // namespace sim
