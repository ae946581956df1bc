#pragma once

#include <string>
#include <string_view>

#include "fabric/fabric.h"

namespace sm {

/// Says what keeps a port without a link: "Disabled (by an administrator)", "Polling (no signal: no
/// cable, or nothing at its other end)", or that it has one: "LinkUp (PortState Active)"; "" for a
/// state that has no such reason. Pure.
std::string explain_state(const mad::PortInfo& info);

/// Says what keeps two ports from being linked: "both ports are Polling (...)", "\"S1-1\" port 2 is
/// Disabled (by an administrator)", which explains the other port, too. kNoIndex, or a port that
/// was not read: it is left out. "": neither says anything. Pure.
std::string link_state_text(const Fabric& fabric, PortIndex a, PortIndex b);

}  // namespace sm
