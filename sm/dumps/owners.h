#pragma once
// Names and base LIDs of the owners of LIDs in dumps.

#include <string_view>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"

namespace sm::dumps {

inline std::string_view type_name(mad::NodeType type) {
  switch (type) {
    case mad::NodeType::ca:
      return "Channel Adapter";
    case mad::NodeType::switch_:
      return "Switch";
    case mad::NodeType::router:
      return "Router";
  }
  return "Unknown";
}

/// Base LID by PortIndex; 0 for ports that have none.
inline std::vector<mad::Lid> base_lids(const Fabric& fabric, const LidMap& lids) {
  std::vector<mad::Lid> base(fabric.ports.size());
  for (const EndPortIndex end_port : lids.of_end_port.indices())
    base[fabric.end_ports[end_port]] = lids.of_end_port[end_port].base;
  return base;
}

}  // namespace sm::dumps
