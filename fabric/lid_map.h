#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace fabric {

/// The LIDs that a fabric's end ports have or are to have: a base LID and 2^LMC of them per end
/// port.
struct LidMap {
  struct Range {
    mad::Lid base;  // 0: none (there was none left, or the port is a duplicate)
    std::uint8_t lmc = 0;
    unsigned count() const { return base.value == 0 ? 0 : 1u << lmc; }
    bool operator==(const Range&) const = default;
  };
  IndexVector<EndPortIndex, Range> of_end_port;
  std::vector<PortIndex> port_of_lid;  // of a vport's LID: the port that it is at; kNoIndex for
                                       // LIDs without an owner; size lid_top + 1
  mad::Lid lid_top;                    // highest LID in use

  PortIndex owner(mad::Lid lid) const {
    return lid.value < port_of_lid.size() ? port_of_lid[lid.value] : kNoIndex;
  }
};

}  // namespace fabric
