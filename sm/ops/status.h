#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mad/attributes/sm_info.h"
#include "mad/smp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/election/known_managers.h"
#include "sm/health/isolation.h"
#include "sm/sa/statistics.h"
#include "sm/store/replica/state_replica.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// The state of one subnet manager, for the operator.
struct ManagerStatus {
  mad::SmState state{};
  mad::Guid port_guid;
  std::uint8_t priority = 0;
  std::vector<KnownManager> managers = {};  // the others, as SMInfo was read latest
  std::shared_ptr<const Subnet> subnet;     // null before the first sweep as master
  unsigned virt_enabled = 0;                // the option
  struct OfPicture {
    std::size_t writes = 0;  // attributes that taking over would write
    mad::TimePoint read{};
  };
  std::optional<OfPicture> picture = std::nullopt;  // of a standby: `subnet` is what it has read
  std::uint64_t sweeps = 0, light_sweeps = 0;
  std::string last_sweep;  // why, and how it ended
  mad::SmpCounters gets, sets;
  mad::InboxDrops inbox;
  unsigned window = 0;  // SMPs that may be in flight
  sa::Statistics sa;    // requests
  sa::ReportStatistics reports;
  std::optional<ReplicaStatus> store;  // the replicated state; nothing: none is configured
  std::vector<ConditionLog::Raised> conditions;  // worst first
  std::vector<Isolated> isolated = {};           // links and switches that are kept out of use
  mad::TimePoint now{};                          // of Raised::since
};

/// One JSON object. Keys: version, state, port_guid, priority, sweeps{...}, smps{...}, and with a
/// subnet: fabric{...}; managers[] (the other subnet managers: guid, name, priority, state,
/// counts); inbox{...} (MADs dropped); sa{...} with dropped{...} by reason, and reports{...}.
/// standby{...} (of a manager in STANDBY that has read the subnet: age_s, writes).
/// store{...} with a replicated state: how far it is behind.
/// isolated[]: what is kept out of use: node_guid, port (0: the whole switch), name, peer,
/// peer_guid (NodeGUID), reason (flapping, noisy, ordered, unhealthy, held_back), for_s, and
/// release_in_s, without further faults. conditions[]: id, severity, text, for_s, times, and where
/// they name one, guid and port.
std::string status_json(const ManagerStatus& status);

}  // namespace sm
