#include "sm/ops/metrics/own_families.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "config/build/facts.h"
#include "mad/format.h"
#include "sm/ops/condition_kinds.h"
#include "sm/ops/metrics/metric_names.h"
#include "sm/ops/rows.h"

namespace sm::metrics {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using Labels = std::vector<std::string>;  // values, in the order of the table's names

prometheus::MetricType find_type(Kind kind) {
  switch (kind) {
    case Kind::counter:
      return prometheus::MetricType::Counter;
    case Kind::histogram:
      return prometheus::MetricType::Histogram;
    case Kind::gauge:
    case Kind::info:  // the library's version in Debian 12 has no info: a gauge of value 1
      return prometheus::MetricType::Gauge;
  }
  return prometheus::MetricType::Untyped;
}

/// Collects the series of one family after the other.
class Collected {
 public:
  void begin(own::Id id) {
    const Metric& of = metric(id);
    MetricFamily family;
    family.name = of.name;
    family.help = of.help;
    family.type = find_type(of.kind);
    all_.push_back(std::move(family));
    names_.clear();
    for (std::string_view rest = of.labels; !rest.empty();) {
      const std::size_t comma = rest.find(", ");
      names_.emplace_back(rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
    }
  }
  /// Adds a counter or a gauge.
  template <class Number>
  void add(Number value, Labels labels = {}) {
    ClientMetric& series = append(std::move(labels));
    series.counter.value = series.gauge.value = static_cast<double>(value);
  }
  template <class Number>
  void single(own::Id id, Number value, Labels labels = {}) {
    begin(id);
    add(value, std::move(labels));
  }
  void add(const mad::DurationHistogram& durations, Labels labels = {}) {
    ClientMetric::Histogram& histogram = append(std::move(labels)).histogram;
    std::uint64_t cumulated = 0;
    const auto bounds = durations.bounds_s();
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      cumulated += durations.counts()[i];
      histogram.bucket.push_back({cumulated, bounds[i]});
    }
    histogram.bucket.push_back({durations.count(), std::numeric_limits<double>::infinity()});
    histogram.sample_count = durations.count();
    histogram.sample_sum = durations.sum_s();
  }
  std::vector<MetricFamily> take() { return std::move(all_); }

 private:
  ClientMetric& append(Labels labels) {
    ClientMetric& series = all_.back().metric.emplace_back();
    for (std::size_t i = 0; i < labels.size(); ++i)
      series.label.push_back({names_.at(i), std::move(labels[i])});
    return series;
  }

  std::vector<MetricFamily> all_;
  std::vector<std::string> names_;
};

constexpr std::array<std::pair<mad::SmState, std::string_view>, 4> kSmStates{
    {{mad::SmState::not_active, "not_active"},
     {mad::SmState::discovering, "discovering"},
     {mad::SmState::standby, "standby"},
     {mad::SmState::master, "master"}}};

constexpr std::array<std::string_view, 4> kPortStates{"down", "init", "armed", "active"};
/// ActiveDefer counts as active: packets pass.
std::size_t port_state_index(mad::PortState state) {
  return static_cast<std::size_t>(std::clamp(state, mad::PortState::down, mad::PortState::active)) -
         static_cast<std::size_t>(mad::PortState::down);
}
using StateCounts = std::array<std::size_t, kPortStates.size()>;

void add_states(Collected& out, own::Id id, const StateCounts& counts) {
  out.begin(id);
  for (std::size_t i = 0; i < counts.size(); ++i) out.add(counts[i], {std::string(kPortStates[i])});
}

void manager(Collected& out, const ManagerStatus& status) {
  out.single(own::Id::build_info, 1, {std::string(config::kBuildVersion)});
  out.begin(own::Id::sm_state);
  for (const auto& [state, text] : kSmStates)
    out.add(state == status.state ? 1 : 0, {std::string(text)});
  out.single(own::Id::sm_priority, status.priority);
  out.single(own::Id::subnet_up, status.subnet_up ? 1 : 0);

  const ManagerStatistics& statistics = status.statistics;
  out.begin(own::Id::sweep_duration);
  for (std::size_t kind = 0; kind < kSweepKinds.size(); ++kind)
    out.add(statistics.sweep_durations[kind], {std::string(kSweepKinds[kind])});
  out.begin(own::Id::sweeps);
  for (std::size_t kind = 0; kind < kSweepKinds.size(); ++kind) {
    for (std::size_t outcome = 0; outcome < kSweepOutcomes.size(); ++outcome) {
      const bool is_light = kind == static_cast<std::size_t>(SweepKind::light);
      const bool only_light = outcome >= static_cast<std::size_t>(SweepOutcome::unchanged);
      const bool both = outcome == static_cast<std::size_t>(SweepOutcome::incomplete);
      // A series that begins at 0 lets increase() see its first step.
      if (both || is_light == only_light)
        out.add(statistics.sweeps[kind][outcome],
                {std::string(kSweepKinds[kind]), std::string(kSweepOutcomes[outcome])});
    }
  }
}

void fabric(Collected& out, const Subnet* subnet) {
  std::array<std::pair<std::string_view, std::size_t>, 3> nodes{
      {{"ca", 0}, {"switch", 0}, {"router", 0}}};
  StateCounts ports{}, vports{};
  std::size_t lids = 0;
  if (subnet != nullptr) {
    for (const Node& node : subnet->fabric.nodes)
      ++nodes[node.type == mad::NodeType::switch_  ? 1
              : node.type == mad::NodeType::router ? 2
                                                   : 0]
            .second;
    for (const Port& port : subnet->fabric.ports)
      if (port.known && port.number.value != 0) ++ports[port_state_index(port.info.port_state())];
    for (const PortIndex owner : subnet->lids.port_of_lid) lids += owner != kNoIndex;
    if (subnet->vports)
      for (const VPort& vport : subnet->vports->vports) ++vports[port_state_index(vport.state)];
  }
  out.begin(own::Id::nodes);
  for (const auto& [type, count] : nodes) out.add(count, {std::string(type)});
  add_states(out, own::Id::ports, ports);
  out.single(own::Id::lids_used, lids);
  add_states(out, own::Id::vports, vports);
}

void smps(Collected& out, const ManagerStatus& status) {
  out.begin(own::Id::smps_sent);
  // SmpStatistics has separate counters for these attributes; all others share one.
  constexpr std::uint16_t kFirst = 0x10, kLast = 0x3F, kOthers = 0xFFFF;
  for (const mad::Method method : {mad::Method::get, mad::Method::set}) {
    const auto add = [&](std::uint16_t attribute, std::string_view text) {
      const std::uint64_t sent =
          status.smps.at(method, static_cast<mad::AttributeId>(attribute)).sent;
      if (sent > 0) out.add(sent, {fmt::format("Subn{}", mad::name(method)), std::string(text)});
    };
    for (std::uint16_t attribute = kFirst; attribute <= kLast; ++attribute) {
      const std::string_view text = mad::name(static_cast<mad::AttributeId>(attribute));
      add(attribute, text.empty() ? fmt::format("{:#06x}", attribute) : std::string(text));
    }
    add(kOthers, "other");
  }
  out.single(own::Id::smp_timeouts, status.gets.timed_out + status.sets.timed_out);
  out.single(own::Id::smp_outstanding, status.smps_in_flight);
}

void administration(Collected& out, const ManagerStatus& status) {
  out.begin(own::Id::sa_requests);
  for (const auto& [kind, count] : status.sa.requests.counts()) {
    const std::string_view attribute = mad::name(kind.attribute), method = mad::name(kind.method);
    out.add(count, {std::string(attribute.empty() ? "other" : attribute),
                    std::string(method.empty() ? "other" : method),
                    std::string(sa::kRequestEnds[static_cast<std::size_t>(kind.end)])});
  }
  out.single(own::Id::sa_queue_length, status.sa_queue_length);
  out.begin(own::Id::sa_latency);
  out.add(status.sa.latency);
  out.begin(own::Id::traps);
  for (const auto& [number, count] : status.statistics.traps.counts())
    out.add(count, {number == 0 ? std::string("other") : std::to_string(number)});
}

void registrations(Collected& out, const View& view) {
  std::size_t members = 0;
  for (const GroupSummary& group : view.groups) members += group.member_count;
  out.single(own::Id::multicast_groups, view.groups.size());
  out.single(own::Id::multicast_members, members);
  const Subnet* subnet = view.status.subnet.get();
  out.single(own::Id::partitions, subnet == nullptr ? 0 : subnet->partitions.partitions.size());
}

void routes(Collected& out, const ManagerStatus& status) {
  out.begin(own::Id::routing_engine);
  if (status.subnet && status.subnet->routing) out.add(1, {status.subnet->routing->engine});
  out.begin(own::Id::routing_load_ratio);
  if (status.routing_load_ratio) out.add(*status.routing_load_ratio);
  out.begin(own::Id::routing_duration);
  out.add(status.statistics.routing_durations);
  const mad::SmpCounters& blocks =
      status.smps.at(mad::Method::set, mad::AttributeId::linear_forwarding_table);
  out.single(own::Id::lft_blocks_written, blocks.answered - blocks.bad_status);
}

/// A series begins at 0 for each severity that conditions of this kind can have: increase() sees
/// its first step.
void cleared(Collected& out, ConditionId kind, const ManagerStatus& status) {
  using enum Severity;
  for (const Severity severity : {info, warning, error, critical}) {
    const auto found = status.cleared_counts.find({kind, severity});
    const std::uint64_t count = found == status.cleared_counts.end() ? 0 : found->second;
    if (kind->has(ConditionKind::by_consequence) || severity == kind->severity || count > 0)
      out.add(count, {std::string(fabric::name(severity)), std::string(kind->name)});
  }
}

void state_peers(Collected& out, const ManagerStatus& status) {
  std::vector<StorePeer> peers = status.store ? status.store->peers : std::vector<StorePeer>();
  // Any program can connect, and is a peer for a minute: addresses that are configured are few.
  std::erase_if(peers, [](const StorePeer& peer) { return !peer.is_configured; });
  out.begin(own::Id::state_peer_connected);
  for (const StorePeer& peer : peers) out.add(peer.connected ? 1 : 0, {peer.address});
  out.begin(own::Id::state_peer_behind);
  for (const StorePeer& peer : peers) out.add(peer.behind_records, {peer.address});
  out.begin(own::Id::state_peer_behind_seconds);
  for (const StorePeer& peer : peers)
    out.add(std::chrono::duration<double>(peer.behind).count(), {peer.address});
}

void conditions(Collected& out, const ManagerStatus& status) {
  out.begin(own::Id::config_reload);
  out.add(status.statistics.reloads_taken, {"applied"});
  out.add(status.statistics.reloads_rejected, {"rejected"});
  std::map<std::pair<ConditionId, Severity>, std::size_t> counts;
  for (const auto& [condition, since, times] : status.conditions)
    if (!condition.caused_by) ++counts[{condition.id, find_severity(condition)}];
  out.begin(own::Id::conditions);
  for (const auto& [kind, count] : counts)
    out.add(count, {std::string(fabric::name(kind.second)), std::string(kind.first->name)});
  out.begin(own::Id::conditions_cleared);
  for (const ConditionId kind : condition_kinds())
    if (!kind->is_occurrence()) cleared(out, kind, status);
  out.begin(own::Id::occurrences);
  for (const ConditionId kind : condition_kinds()) {
    if (!kind->is_occurrence()) continue;
    const auto found = status.occurrence_counts.find(kind);
    out.add(found == status.occurrence_counts.end() ? 0 : found->second,
            {std::string(fabric::name(kind->severity)), std::string(kind->name)});
  }
}

void losses(Collected& out, const LossCounts& lost) {
  out.begin(own::Id::nodes_lost);
  out.add(lost.hosts, {"ca"});
  out.add(lost.switches, {"switch"});
  out.single(own::Id::hosts_cut_off, lost.hosts_cut_off);
  out.begin(own::Id::links_lost);
  out.add(lost.links_of_hosts, {"hosts"});
  out.add(lost.links_of_switches, {"switches"});
  out.single(own::Id::capacity_lost, lost.capacity);
}

void congestion(Collected& out, const CongestionTable* table) {
  constexpr std::array<std::string_view, 2> kTypes{"ca", "switch"};
  std::array<std::array<std::size_t, kCongestionStates>, kTypes.size()> counts{};
  std::array<std::uint64_t, kTypes.size()> events{};
  if (table != nullptr) {
    for (const CongestionDevice& device : table->devices) {
      const std::size_t type = device.is_switch ? 1 : 0;
      ++counts[type][static_cast<std::size_t>(device.state)];
      events[type] += device.events;
    }
  }
  out.begin(own::Id::congestion_devices);
  for (std::size_t type = 0; table != nullptr && type < kTypes.size(); ++type)
    for (std::size_t state = 0; state < kCongestionStates; ++state)
      out.add(counts[type][state],
              {std::string(kTypes[type]), std::string(name(static_cast<CongestionState>(state)))});
  out.begin(own::Id::congestion_events);
  for (std::size_t type = 0; table != nullptr && type < kTypes.size(); ++type)
    out.add(events[type], {std::string(kTypes[type])});
  out.begin(own::Id::congestion_sets);
  if (table != nullptr) out.add(table->sets);
  out.begin(own::Id::congestion_mended);
  if (table != nullptr) out.add(table->mended);
}

void adaptive(Collected& out, const Subnet* subnet) {
  const bool is_known = subnet != nullptr && subnet->adaptive;
  std::array<std::size_t, kAdaptiveStates.size()> counts{};
  std::size_t groups = 0;
  if (is_known) {
    for (const SwitchIndex sw : subnet->fabric.switches.indices())
      ++counts[static_cast<std::size_t>(adaptive_switch(*subnet, sw).state)];
    for (const GroupId group : subnet->adaptive->groups->group_to) groups += group != 0;
  }
  out.begin(own::Id::adaptive_switches);
  for (std::size_t state = 0; is_known && state < counts.size(); ++state)
    out.add(counts[state], {std::string(kAdaptiveStates[state])});
  out.begin(own::Id::adaptive_groups);
  if (is_known) out.add(groups);
}

void routers(Collected& out, const Subnet* subnet) {
  const Routers* const routers = subnet == nullptr ? nullptr : subnet->routers.get();
  std::array<std::size_t, kRouterStateNames.size()> counts{};
  if (routers != nullptr)
    for (const fabric::Router& router : routers->routers)
      ++counts[static_cast<std::size_t>(router.state)];
  out.begin(own::Id::router_tables);
  for (std::size_t state = 0; routers != nullptr && state < counts.size(); ++state)
    out.add(counts[state], {std::string(kRouterStateNames[state])});
  out.begin(own::Id::subnets_reachable);
  if (routers != nullptr) out.add(routers->subnets.size());
}

}  // namespace

std::vector<prometheus::MetricFamily> own_families(const View& view) {
  Collected out;
  manager(out, view.status);
  fabric(out, view.status.subnet.get());
  smps(out, view.status);
  administration(out, view.status);
  registrations(out, view);
  routes(out, view.status);
  conditions(out, view.status);
  state_peers(out, view.status);
  losses(out, view.status.losses);
  congestion(out, view.status.congestion.get());
  adaptive(out, view.status.subnet.get());
  routers(out, view.status.subnet.get());
  return out.take();
}

}  // namespace sm::metrics
