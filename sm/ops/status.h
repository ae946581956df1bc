#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mad/attributes/sm_info.h"
#include "mad/smp_client.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// One subnet manager as an operator asks after it.
struct ManagerStatus {
  mad::SmState state{};
  mad::Guid port_guid;
  std::uint8_t priority = 0;
  std::shared_ptr<const Subnet> subnet;  // null before the first sweep as master
  std::uint64_t sweeps = 0, light_sweeps = 0;
  std::string last_sweep;  // why, and how it ended
  mad::SmpCounters gets, sets;
  unsigned window = 0;  // SMPs that may be in flight
};

/// One JSON object. Keys: version, state, port_guid, priority, sweeps{...}, smps{...}, and with a
/// subnet: fabric{...}, findings[].
std::string status_json(const ManagerStatus& status);

}  // namespace sm
