#pragma once
// The names of all metrics with their meaning: HELP and TYPE lines, the manual and the tests are
// made from this one table. Names are contracts: dashboards and rules of operators use them.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sm/performance/counters.h"

namespace sm::metrics {

enum class Kind : std::uint8_t { counter, gauge, histogram, info };
std::string_view name(Kind kind);

/// The name belongs to a sample: counters end in _total and infos in _info; a histogram's samples
/// add _bucket, _sum and _count.
struct Metric {
  std::string_view name;
  Kind kind;
  std::string_view labels;  // "kind, result"; empty: none
  std::string_view help;    // one line, no full stop
};

/// Metrics about the manager itself: heddle_*. Every manager has them, in any state.
namespace own {
enum class Id : std::uint8_t {
  build_info,
  sm_state,
  sm_priority,
  subnet_up,
  sweep_duration,
  sweeps,
  nodes,
  ports,
  lids_used,
  vports,
  smps_sent,
  smp_timeouts,
  smp_outstanding,
  sa_requests,
  sa_queue_length,
  sa_latency,
  traps,
  multicast_groups,
  multicast_members,
  partitions,
  routing_engine,
  routing_load_ratio,
  routing_duration,
  lft_blocks_written,
  config_reload,
  conditions,
  conditions_cleared,
  occurrences,
  state_peer_connected,
  state_peer_behind,
  state_peer_behind_seconds,
  nodes_lost,
  hosts_cut_off,
  links_lost,
  capacity_lost,
  congestion_devices,
  congestion_events,
  congestion_sets,
  congestion_mended,
  adaptive_switches,
  adaptive_groups,
  router_tables,
  subnets_reachable,
};
inline constexpr std::size_t kIds = static_cast<std::size_t>(Id::subnets_reachable) + 1;
}  // namespace own
const Metric& metric(own::Id id);

/// The kind of nodes whose ports a family describes.
enum class PortOwner : std::uint8_t { switches, hcas };
/// "infiniband_switch_", "infiniband_hca_"
std::string_view prefix(PortOwner owner);

/// The names of a port's counter.
struct CounterName {
  std::string_view name;  // between "infiniband_switch_port_" and "_total"
  std::uint8_t factor;    // of the value: data counters are bytes here
  std::string_view
      guilbaults;  // between "infiniband_" and "_total", without the factor; empty: none
  std::string_view help;
};
const CounterName& counter_name(Counter counter);

/// Samples of ports and nodes besides counters. The names of this family and the labels follow the
/// exporter of infiniband-diags' output, which many sites run.
enum class PortFamily : std::uint8_t {
  info,
  uplink,
  rate,
  raw_rate,
  collect_error,
  collect_timeout
};
inline constexpr std::size_t kPortFamilies = 6;

/// A metric whose name is composed at run time.
struct NamedMetric {
  std::string name;
  Kind kind;
  std::string labels;
  std::string help;

  Metric view() const { return {name, kind, labels, help}; }
};
NamedMetric counter_metric(PortOwner owner, Counter counter);
NamedMetric port_metric(PortOwner owner, PortFamily family);

/// Samples of the latest poll of counters, under the exporters' names.
enum class PollMetric : std::uint8_t { duration, errors, timeouts, last_execution };
inline constexpr std::size_t kPollMetrics = 4;
const Metric& metric(PollMetric id);

/// metrics_compat guilbaults.
namespace guilbaults {
inline constexpr std::string_view kLabels =
    "component, local_name, local_guid, local_port, remote_guid, remote_port, remote_name";
/// Precondition: the counter has a name of this family.
NamedMetric counter_metric(Counter counter);
enum class Gauge : std::uint8_t { speed, width, scrape_ok, scrape_duration, queries_duration };
inline constexpr std::size_t kGauges = 5;
const Metric& metric(Gauge id);
}  // namespace guilbaults

/// All metrics, in sections, for the manual and for tests.
struct Section {
  std::string_view title;
  std::string_view when;  // they are there
  std::vector<NamedMetric> metrics;
};
std::vector<Section> all_metrics();

}  // namespace sm::metrics
