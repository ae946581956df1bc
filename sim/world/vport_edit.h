#pragma once
// Functions that the files about vports share.

#include <algorithm>

#include "sim/world/vports.h"

namespace sim {

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

/// Trap 1144 about the vport.
void report_vport_change(World& world, PortIndex port, std::uint16_t index, std::uint16_t flags);

}  // namespace sim
