#pragma once
// Rows of lists in the API. Fields have the specification's names (lid, port_guid,
// link_width_active); GUIDs, P_Keys, MLIDs and GIDs are texts, LIDs and ports are numbers. The
// fields of a row are declared in the file that makes it (fabric_rows.cpp, sa_rows.cpp,
// vport_rows.cpp, congestion_rows.cpp, adaptive_rows.cpp, router_rows.cpp, manager_rows.cpp); its
// *_info() returns the declaration. Pure functions of published data, for any thread.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "config/router_policy.h"
#include "fabric/subnet.h"
#include "sm/conditions/condition_log.h"
#include "sm/congestion/congestion_devices.h"
#include "sm/election/known_managers.h"
#include "sm/health/isolation.h"
#include "sm/ops/row_declaration.h"
#include "sm/performance/counters.h"
#include "sm/sa/registrations/groups.h"
#include "sm/sa/registrations/services.h"
#include "sm/sweep/decide/changes.h"

namespace sm {

/// Formats one line. Node descriptions come from the wire: invalid UTF-8 is replaced.
std::string to_line(const nlohmann::json& row);
/// Returns `head`, an object that is not empty, up to the value of one more member: {...,"name":
std::string open_object(const nlohmann::json& head, std::string_view name);

RowInfo end_info();
RowInfo end_port_info();
RowInfo node_info();
RowInfo port_info();
RowInfo link_info();
RowInfo lid_info();
RowInfo group_info();
RowInfo group_member_info();
RowInfo service_info();
RowInfo subnet_partition_info();
RowInfo subnet_partition_member_info();
RowInfo vport_info();
RowInfo listed_vport_info();
RowInfo virtualized_port_info();
RowInfo condition_info();
RowInfo occurrence_info();
RowInfo manager_info();
RowInfo isolated_info();
RowInfo lost_info();
RowInfo option_info();
RowInfo port_counters_info();
RowInfo congestion_info();
RowInfo adaptive_switch_info();
RowInfo adaptive_group_info();
RowInfo router_info();
RowInfo other_subnet_info();
/// Returns all declarations of rows, for the manual.
std::vector<RowInfo> all_row_infos();

nlohmann::json end_row(const Fabric& fabric, PortIndex port);
/// Returns "leaf-3 port 17" for a row with the fields of end_row().
std::string end_text(const nlohmann::ordered_json& row);
nlohmann::json node_row(const Subnet& subnet, NodeIndex node);
nlohmann::json port_row(const Subnet& subnet, PortIndex port);
nlohmann::json link_row(const Fabric& fabric, PortIndex a, PortIndex b);
/// True if the link is up, but slower or narrower than both ends support.
bool is_degraded(const Fabric& fabric, PortIndex a, PortIndex b);
/// Returns nullopt if no port begins at that LID.
std::optional<nlohmann::json> lid_row(const Subnet& subnet, mad::Lid lid);
/// `group` may be without its members. `join_state` has the bits of the queried port.
nlohmann::json group_row(const sa::Group& group, std::size_t member_count,
                         std::optional<std::uint8_t> join_state = {});
/// Returns a list, as other functions do whose names end in `rows` or `members`.
nlohmann::json member_rows(const sa::Group& group, const Subnet* subnet);
nlohmann::json subnet_partition_members(const Subnet& subnet, const Partition& partition);
/// Lists options in the order of the schema.
nlohmann::json option_rows(
    const config::Options& options,
    const std::map<std::string, std::string, std::less<>>& masters_options = {});
/// Leaves out ServiceKey and data.
nlohmann::json service_row(const sa::Service& service, const Subnet* subnet);
nlohmann::json subnet_partition_row(const Subnet& subnet, const Partition& partition);
nlohmann::json vport_row(const VPorts& vports, VPortIndex vport);
/// Returns the row of a vport, with its port.
nlohmann::json listed_vport_row(const Subnet& subnet, VPortIndex vport);
/// `virt_enabled` is the value of the option.
nlohmann::json virtualized_port_row(const Subnet& subnet, PortIndex port, unsigned virt_enabled);
nlohmann::json condition_row(const ConditionLog::Raised& raised, mad::TimePoint now);
/// `wall` is the time of day at `now`.
nlohmann::json occurrence_row(const ConditionLog::Occurred& occurred, mad::TimePoint now,
                              std::chrono::sys_seconds wall);
/// `here` is true for the manager that answers.
nlohmann::json manager_row(const KnownManager& manager, bool here);
nlohmann::json isolated_row(const Isolated& link, mad::TimePoint now);
/// Precondition: the port's counters were read at least twice.
nlohmann::json port_counters_row(const Fabric& fabric, PortIndex port,
                                 const PortCounters& counters);
/// `fabric` may be null, or older or newer than the device.
nlohmann::json congestion_row(const CongestionDevice& device, const Fabric* fabric,
                              mad::TimePoint now);

/// The names of all states of adaptive routing, in the order of AdaptiveState.
inline constexpr std::array<std::string_view, 7> kAdaptiveStates{
    "off", "active", "pending", "unsupported", "refused", "mismatch", "silent"};
std::string_view adaptive_state_name(AdaptiveState state);
/// Returns the state `off` for a switch without published state.
AdaptiveSwitch adaptive_switch(const Subnet& subnet, SwitchIndex sw);
nlohmann::json adaptive_switch_row(const Subnet& subnet, SwitchIndex sw);
/// Returns the row of the group by which `sw` sends to the switch `to`. Precondition: the subnet
/// has groups, and one to that switch.
nlohmann::json adaptive_group_row(const Subnet& subnet, SwitchIndex sw, SwitchIndex to);
/// Returns switches, states{...} (counts), not_active[] (the first rows of these), groups, sls[],
/// static_sls[], transports[], environment{...} (variables of applications that use it, null if no
/// SL is adaptive). Returns null if no configured engine requests adaptive routing.
nlohmann::json adaptive_summary(const Subnet& subnet);

/// The names of all states of a router's tables, in the order of RouterState.
inline constexpr std::array<std::string_view, 5> kRouterStateNames{
    "not_read", "read", "unsupported", "refused", "silent"};
nlohmann::json router_row(const Subnet& subnet, const fabric::Router& router);
/// Returns the row of a subnet that routers lead to, or led to (Routers::lost).
nlohmann::json other_subnet_row(const Subnet& subnet, std::uint64_t prefix,
                                const config::Options& options, const config::RouterPolicy& policy);

/// Formats a time as "45 s", "12 min", "3 h 5 min", "2 d 4 h".
std::string elapsed_text(std::int64_t seconds);
nlohmann::json lost_row(const LostThing& lost, mad::TimePoint now);

}  // namespace sm
