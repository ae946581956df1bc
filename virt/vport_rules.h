#pragma once
// Defines the state machine of a vport as a subnet manager sees it.

#include <array>
#include <string_view>

#include "mad/attributes/port_info.h"

namespace virt {

/// Says what the manager reads again when VPortState shows a state.
enum class Reread : unsigned char {
  nothing,     // all is as it was
  info,        // VPortInfo: why it is Down, or what another manager set
  everything,  // its host has restarted it: GUIDs, LID and P_Keys may be others
};

struct VPortRule {
  mad::PortState known, shown;
  Reread reread;
  std::string_view why;
};

/// States are Down, Init and Active; Armed, which vports do not use, counts as Init. If a pair is
/// not listed, the whole vport is read. Source: states from the enumeration of NVIDIA's OpenSM
/// (activity manager); their causes from the vendor's documentation of SR-IOV policies.
inline constexpr std::array kVPortRules{
    VPortRule{mad::PortState::down, mad::PortState::down, Reread::nothing, "its host keeps it so"},
    VPortRule{mad::PortState::down, mad::PortState::init, Reread::everything,
              "its host, or its physical port, has brought it up"},
    VPortRule{mad::PortState::down, mad::PortState::active, Reread::everything,
              "another manager has activated it"},
    VPortRule{mad::PortState::init, mad::PortState::down, Reread::info, "its host took it down"},
    VPortRule{mad::PortState::init, mad::PortState::init, Reread::info,
              "its host may have restarted it, and given it another GUID"},
    VPortRule{mad::PortState::init, mad::PortState::active, Reread::info,
              "the response to the Set was lost, or another manager has activated it"},
    VPortRule{mad::PortState::active, mad::PortState::down, Reread::info,
              "its host took it down, or its physical port left Active"},
    VPortRule{mad::PortState::active, mad::PortState::init, Reread::everything,
              "it went down and came back"},
    VPortRule{mad::PortState::active, mad::PortState::active, Reread::nothing, "it runs"},
};

constexpr bool is_vport_state(mad::PortState state) {
  return state >= mad::PortState::down && state <= mad::PortState::active;
}

constexpr Reread reread(mad::PortState known, mad::PortState shown) {
  const auto settled = [](mad::PortState state) {
    return state == mad::PortState::armed ? mad::PortState::init : state;
  };
  for (const VPortRule& rule : kVPortRules)
    if (rule.known == settled(known) && rule.shown == settled(shown)) return rule.reread;
  return Reread::everything;
}

}  // namespace virt
