#pragma once
// Texts of OpenSM's console about a subnet. Pure, for any thread; lines, their order and names of
// fields are OpenSM's.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "fabric/subnet.h"
#include "sm/context/sweep_context.h"
#include "sm/ops/status.h"

namespace sm::console {

struct PerformanceFacts {
  bool enabled = false, polling = false;
  std::chrono::seconds sweep_time{};
  std::size_t outstanding = 0, outstanding_max = 0;
  bool removes_nodes = false, queries_class_port_info = false;  // perfmgr_rm_nodes, _query_cpi

  std::string_view state() const { return enabled ? "Active" : "Disabled"; }
  std::string_view sweep_state() const { return polling ? "Active" : "Sleeping"; }
};

/// `perfmgr`: in the fields of OpenSM.
std::string performance_text(const PerformanceFacts& facts);

/// `perfmgr print_counters NODE[:PORT]`, and with `errors_only` `print_errors`: counters of errors
/// that are not 0, of all ports if `name` is empty. Says in words why there is nothing.
std::string counters_text(const ManagerStatus& status, std::string_view name, bool errors_only);

/// Selects the nodes that `portstatus` covers.
enum class NodeChoice : std::uint8_t { all, ca, switch_, router };

struct StatusFacts {
  ManagerStatus status;
  SharedContext context;
  bool answers = false;  // subnet administration does
  bool sweeping = true, has_errors = false;
  unsigned log_flags = 0;
  PerformanceFacts performance = {};
};
/// Formats `status`.
std::string status_text(const StatusFacts& facts);
/// Formats `portstatus`: counts by state, width and speed, and ports that may have a problem, the
/// first hundred by name. `scan_us` is the duration of the scan.
std::string port_status_text(const Fabric& fabric, NodeChoice choice, std::uint64_t scan_us);
/// Formats `querylid`. A port is healthy if it answered, and is neither isolated nor withheld.
std::string lid_text(const Subnet* subnet, std::uint64_t lid);
/// Formats `switchbalance`: switches whose ports towards other switches lead to unequal numbers of
/// LIDs of CAs and routers (difference above 1); `verbose` adds the others. `guid` selects one.
std::string switch_balance_text(const Subnet& subnet, bool verbose, std::optional<mad::Guid> guid);
/// Formats `lidbalance`: switches where the LIDs of one CA or router port (LMC above 0) use remote
/// nodes, or ports, unequally.
std::string lid_balance_text(const Subnet& subnet, std::optional<mad::Guid> guid);
/// The time that the answer of `dump_portguid` may take.
inline constexpr std::chrono::milliseconds kMatchTimeMax{1000};
/// Formats `dump_portguid` of nodes whose description matches one of the POSIX extended
/// expressions. Errors: a message about the first invalid expression, about expressions that have
/// more than NameExpression::kStepsMax steps together, or about the time that was not enough.
tl::expected<std::string, std::string> port_guids_text(
    const Fabric& fabric, const std::vector<std::string>& expressions,
    std::chrono::milliseconds time_max = kMatchTimeMax);

}  // namespace sm::console
