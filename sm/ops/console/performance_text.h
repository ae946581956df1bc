#pragma once
// Texts of the console's `perfmgr`.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace sm::console
