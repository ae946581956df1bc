#pragma once
// What a daemon answers to requests for data, whatever client asks.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sm/context/sweep_context.h"
#include "sm/ops/status.h"
#include "sm/sa/registrations/groups.h"

namespace sm {

/// Where the data are. Called on the control thread.
struct DataSources {
  std::function<ManagerStatus()> status;
  std::function<const sa::Groups&()> groups;
  std::function<SharedContext()> context;
};

/// Makes the text of an answer, on any thread: it has all that it needs.
using DataJob = std::function<std::string()>;

/// For /status, /vports, /nodes, /links, /lids, /partitions, /partitions/P_KEY, /groups,
/// /groups/MGID, /managers, /conditions and /options. Nothing for other targets, and for a
/// partition or group that does not exist. Called on the control thread; takes what it needs
/// without making text.
std::optional<DataJob> data_request(std::string_view target, const DataSources& sources);

}  // namespace sm
