#pragma once
// Checks of PortInfo and SwitchInfo from the wire: a response with values that no hardware can have
// is rejected, and the request is repeated.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/switch_info.h"

namespace fabric {

/// LinearFDBTop; 0 where it is above all unicast LIDs (0xBFFF). Switches that have just started may
/// show that.
std::uint16_t linear_fdb_top(const mad::SwitchInfo& info);

/// The invalid field, as text ("MTUCap 9 (1..5 are possible)"); nullopt if all fields that can be
/// checked are valid. `external`: not the management port of a switch, which has no link. Of a port
/// that is Down only the state counts; 0 is accepted as MTUCap, VLCap and PortPhysicalState.
std::optional<std::string> defect_of(const mad::PortInfo& info, bool external);
/// A switch that repeats such a capacity is used nevertheless: without it nothing behind it is
/// reached, which is the whole fabric if the manager is attached to it.
std::optional<std::string> defect_of(const mad::SwitchInfo& info);
/// True for a linear forwarding table that holds at least one LID.
constexpr bool has_linear_table(const mad::SwitchInfo& info) { return info.linear_fdb_cap() > 1; }

/// SM-VALUE-IMPLAUSIBLE: values that are accepted although the standard does not allow them:
/// PortState 0 of a switch's port 0, LinearFDBTop above LinearFDBCap, capacities of a switch above
/// all LIDs, MTUCap 0 (counts as 256 bytes), VLCap 0 (counts as VL0) and PortPhysicalState 0 of a
/// port that is up. Pure.
std::vector<Condition> implausible_values(const Fabric& fabric);

/// True if the fields that no subnet manager can change are equal: both are from one port, or from
/// one switch.
bool same_hardware(const mad::PortInfo& a, const mad::PortInfo& b);
bool same_hardware(const mad::SwitchInfo& a, const mad::SwitchInfo& b);

}  // namespace fabric
