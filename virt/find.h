#pragma once
// Finds the vports of a fabric, and why some of them cannot be served.

#include <functional>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "fabric/vports.h"
#include "virt/facts.h"

namespace virt {

/// The device of this port can have vports, by what it reports. Source: NVIDIA's OpenSM
/// (CapabilityMask2).
bool can_have_vports(const fabric::Port& port);

/// Returns whether a vport with this GUID was served at this index of this physical port until now.
using WasServed = std::function<bool(mad::Guid vport, mad::Guid port, std::uint16_t index)>;

struct Found {
  std::vector<fabric::VPort> vports;  // by physical port, then by index; without LIDs and keys
  std::vector<fabric::VirtualizedPort> ports;  // that have VirtualizationInfo, ascending
  std::vector<fabric::Condition> conditions;
  std::vector<mad::Guid> contested;  // GUIDs of physical ports that hold the GUID of a vport that
                                     // came up elsewhere: they may have lost it since
};

/// Shape: VPort::hold is decided as far as answers of devices decide it: no_guid, down_by_host,
///        unread, duplicate_guid. Of several vports with one GUID the one that was served keeps it,
///        else one that is Active, else the first. A physical port's GUID is always its own; index
///        0 stands for the physical port, and is never held because of a GUID.
Found find_vports(const fabric::Fabric& fabric, const Facts& facts, const WasServed& was_served);

/// Its host has set none: 0, or all ones, which container networks give a released function.
constexpr bool is_valid_guid(mad::Guid guid) {
  return guid != mad::Guid{} && guid.value != ~std::uint64_t{0};
}

/// `"n17 mlx5_0" (0x...) port 1 vport 3`: for logs.
std::string vport_name(const fabric::Fabric& fabric, fabric::PortIndex port, std::uint16_t index);

}  // namespace virt
