#pragma once
// Answers that no hardware can give: a node that answers nonsense must not be believed, and must be
// asked again.

#include <optional>
#include <string>

#include "mad/attributes/port_info.h"
#include "mad/attributes/switch_info.h"

namespace sm {

/// What is impossible about the answer, in words ("MTUCap 9 (1..5 are possible)"); nothing if all
/// that can be checked is possible. `external`: not the management port of a switch, which has no
/// link.
std::optional<std::string> defect_of(const mad::PortInfo& info, bool external);
std::optional<std::string> defect_of(const mad::SwitchInfo& info);

/// True if the fields that no subnet manager can change are the same in both: two looks at one
/// port, or at one switch.
bool same_hardware(const mad::PortInfo& a, const mad::PortInfo& b);
bool same_hardware(const mad::SwitchInfo& a, const mad::SwitchInfo& b);

}  // namespace sm
