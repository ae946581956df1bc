#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mad/attributes/sm_info.h"
#include "mad/smp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/congestion/congestion_devices.h"
#include "sm/election/known_managers.h"
#include "sm/health/isolation.h"
#include "sm/keys/class_key_manager.h"
#include "sm/ops/manager_statistics.h"
#include "sm/performance/counters.h"
#include "sm/sa/statistics.h"
#include "sm/store/replica/state_replica.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// The state of one subnet manager, for operators.
struct ManagerStatus {
  mad::SmState state{};
  mad::Guid port_guid;
  std::uint8_t priority = 0;
  std::vector<KnownManager> managers = {};  // the others, as SMInfo was read latest
  std::shared_ptr<const Subnet> subnet;     // null before the first sweep as master
  KeyVersion key_version = {};              // by which M_Keys of ports are derived
  std::vector<ClassKeyStatus> class_keys = {};
  unsigned virt_enabled = 0;  // the option
  struct StandbyViewStatus {
    std::size_t writes = 0;  // attributes that taking over would write
    mad::TimePoint read{};
  };
  std::optional<StandbyViewStatus> standby_view =
      std::nullopt;  // of a standby: `subnet` is what it has read
  std::uint64_t sweeps = 0, light_sweeps = 0;
  std::string last_sweep;               // why, and how it ended
  mad::TimePoint last_sweep_noticed{};  // when what it found was reported by a trap; else its begin
  mad::SmpCounters gets, sets;
  mad::InboxDrops inbox;
  unsigned window = 0;  // SMPs that may be in flight
  sa::Statistics sa;    // requests
  sa::ReportStatistics reports;
  std::optional<ReplicaStatus> store;  // the replicated state; nothing: none is configured
  /// As Replication::masters_options() has them.
  std::map<std::string, std::string, std::less<>> masters_options = {};
  SharedPortCounters counters = nullptr;  // of the latest poll; null: perfmgr FALSE, no poll yet,
                                          // or not MASTER
  SharedCongestion congestion = nullptr;  // null: congestion_control FALSE, no pass yet, or not
                                          // MASTER
  std::vector<ConditionLog::Raised> conditions;           // that are active, worst first
  std::vector<ConditionLog::Occurred> occurrences = {};   // the latest first
  ConditionLog::OccurrenceCounts occurrence_counts = {};  // since the start
  ConditionLog::ClearedCounts cleared_counts = {};        // since the start
  std::vector<Isolated> isolated = {};            // links and switches that are kept out of use
  LinkSupervision::SharedLost lost = nullptr;     // null: nothing was, or no sweep has ended
  LossCounts losses = {};                         // of them; as MASTER
  std::optional<double> routing_load_ratio = {};  // greatest load of a link over that of fresh
                                                  // routes; nothing: not known
  mad::TimePoint now{};                           // of Raised::since, Occurred::last
  std::chrono::sys_seconds wall{};                // the time of day at `now`
  ManagerStatistics statistics = {};
  mad::SmpStatistics smps = {};  // by method and attribute
  std::size_t smps_in_flight = 0, sa_queue_length = 0;
  bool reload_pending = false;  // a reload waits for the end of the sweep under way
  bool subnet_up = false;       // MASTER, and the latest sweep programmed all of the subnet
};

/// Returns version, state, port_guid, priority, virt_enabled, sweeps{...}, smps{...}, inbox{...}
/// (MADs dropped), sa{...} with dropped{...} by reason and reports{...}, reloads{...}. With a
/// subnet it adds fabric{...}, and adaptive_routing{...} (adaptive_summary()) if an engine requests
/// it. A manager in STANDBY that has read the subnet adds standby{age_s, writes}. With a replicated
/// state it adds store{...}, which shows how far the store lags.
nlohmann::json status_object(const ManagerStatus& status);
/// Returns the rows of manager_info(), this manager first.
nlohmann::json manager_rows(const ManagerStatus& status);

}  // namespace sm
