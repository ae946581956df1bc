#include "sm/health/link_health.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "mad/format.h"

namespace sm {
namespace {

/// True if the port's state, as far as it is known, says that its link carried data.
bool was_in_use(const Port& port) {
  return port.known && port.info.port_state() >= mad::PortState::armed;
}

bool is_between_two_switches(const Fabric& fabric, PortIndex port) {
  const PortIndex peer = fabric.ports[port].peer;
  return peer != kNoIndex && fabric.owning_node(port).is_switch() &&
         fabric.owning_node(peer).is_switch();
}

/// True if the link of this port of `before` is not up in `after`, or has trained again since.
/// Requires the node in both; ports that were not read do not count as lost.
bool is_lost(const Port& before, const Port& after) {
  if (!after.known) return false;
  if (!after.is_up()) return true;
  return was_in_use(before) && after.info.port_state() == mad::PortState::init;
}

/// Returns the switches of `before` that lost all of their links to other switches at once, two at
/// least.
std::vector<bool> restarted_switches(const Fabric& before, const Fabric& after,
                                     const std::vector<NodeIndex>& node_after,
                                     std::span<const Switch> switches) {
  std::vector<bool> result(before.nodes.size(), false);
  for (const Switch& sw : switches) {
    unsigned links = 0, lost = 0;
    const Node& node = before.nodes[sw.node];
    for (PortIndex port = node.first_port; port <= node.first_port + node.num_ports; ++port) {
      if (!is_between_two_switches(before, port) || !before.is_link_up(port)) continue;
      ++links;
      const NodeIndex there = node_after[sw.node];
      lost +=
          there == kNoIndex ||
          is_lost(before.ports[port], after.ports[after.port(there, before.ports[port].number)]);
    }
    result[sw.node] = links > 1 && lost == links;
  }
  return result;
}

bool has_ended(const IsolationOrder& order, mad::TimePoint now) {
  return order.until && *order.until <= now;
}

}  // namespace

PortPlace port_place(const Fabric& fabric, PortIndex port) {
  return {.node = fabric.owning_node(port).guid, .port = fabric.ports[port].number};
}

PortIndex find_place(const Fabric& fabric, const PortPlace& place) {
  const auto node = fabric.node_of_guid.find(place.node);
  if (node == fabric.node_of_guid.end()) return kNoIndex;
  const Node& its = fabric.nodes[node->second];
  if (place.port.value > its.num_ports || (place.port.value == 0 && !its.is_switch()))
    return kNoIndex;
  return fabric.port(node->second, place.port);
}

HealthSettings health_settings(const config::Options& options) {
  constexpr std::uint32_t kUsualIntervalS = 10;
  const auto action = [](const std::string& word) {
    return config::health_action(word).value_or(config::HealthAction::report);
  };
  const std::uint32_t interval_s =
      options.sweep_interval == 0 ? kUsualIntervalS : options.sweep_interval;
  return {.sw_flapping = action(options.hm_sw_flapping_action),
          .ca_flapping = action(options.hm_ca_flapping_action),
          .sw_noisy = action(options.hm_sw_noisy_action),
          .ca_noisy = action(options.hm_ca_noisy_action),
          .sw_manual = action(options.hm_sw_manual_action),
          .ca_manual = action(options.hm_ca_manual_action),
          .losses = std::max<std::size_t>(options.hm_num_flapping_sweeps, 1),
          .window = std::chrono::seconds(std::uint64_t{options.hm_num_flapping_sweeps_window} *
                                         interval_s),
          .release_after = std::chrono::seconds(options.hm_release_after)};
}

LinkHealth::Entry& LinkHealth::entry_of(const PortPlace& port) {
  if (const auto found = ports_.find(port); found != ports_.end()) return found->second;
  if (ports_.size() >= kPortsMax) {
    // Isolated ports stay in memory: a device that reports false ports does not release them.
    const auto rank = [](const auto& entry) {
      return std::tuple(entry.second.order.has_value(), entry.second.is_faulty(),
                        entry.second.last_fault);
    };
    ports_.erase(std::ranges::min_element(ports_, {}, rank));
  }
  return ports_[port];
}

void LinkHealth::begin_fault(Entry& entry, const HealthSettings& settings, mad::TimePoint now) {
  if (entry.is_faulty()) return;
  entry.since = now;
  entry.wait = settings.release_after;
  for (unsigned i = 0; i < entry.times && entry.wait < kQuietMax; ++i) entry.wait *= 2;
  entry.wait = std::min(entry.wait, kQuietMax);
  ++entry.times;
}

void LinkHealth::count_loss(const Fabric& before, PortIndex port, const HealthSettings& settings,
                            mad::TimePoint now) {
  Entry& entry = entry_of(port_place(before, port));
  if (const PortIndex peer = before.ports[port].peer; peer != kNoIndex) {
    entry.towards_host = !before.owning_node(peer).is_switch();
    entry.peer = before.port_name(peer);
  }
  count_loss(port_place(before, port), settings, now);
}

void LinkHealth::count_loss(const PortPlace& port, const HealthSettings& settings,
                            mad::TimePoint now) {
  Entry& entry = entry_of(port);
  entry.last_fault = now;
  entry.losses.push_back(now);
  while (entry.losses.size() > settings.losses) entry.losses.pop_front();
  while (now - entry.losses.front() > settings.window) entry.losses.pop_front();
  if (entry.losses.size() < settings.losses || entry.flapping) return;
  begin_fault(entry, settings, now);
  entry.flapping = true;
}

void LinkHealth::update_from(const Fabric& before, const Fabric& after,
                             const HealthSettings& settings, mad::TimePoint now,
                             const std::function<bool(PortIndex)>& is_own_doing,
                             const Touched& touched) {
  std::vector<NodeIndex> node_after(before.nodes.size(), kNoIndex);
  std::vector<Switch> differing;
  for (const Switch& sw : before.switches) {
    const auto found = after.node_of_guid.find(before.nodes[sw.node].guid);
    if (found != after.node_of_guid.end() &&
        after.nodes[found->second].num_ports == before.nodes[sw.node].num_ports &&
        after.nodes[found->second].is_switch())
      node_after[sw.node] = found->second;
    if (node_after[sw.node] == kNoIndex || may_differ(touched, before.nodes[sw.node].guid))
      differing.push_back(sw);
  }
  const std::vector<bool> restarted = restarted_switches(before, after, node_after, differing);
  for (const Switch& sw : differing) {
    if (node_after[sw.node] == kNoIndex || restarted[sw.node]) continue;
    const Node& node = before.nodes[sw.node];
    for (PortIndex index = node.first_port + 1; index <= node.first_port + node.num_ports;
         ++index) {
      const Port& port = before.ports[index];
      if (!port.known || !port.is_up()) continue;
      if (!is_lost(port, after.ports[after.port(node_after[sw.node], port.number)])) continue;
      const PortIndex peer = port.peer;
      if (peer == before.sm_port || index == before.sm_port) continue;
      if (peer != kNoIndex && restarted[before.ports[peer].node]) continue;
      // A link in Init was taken down to train with other settings, unless it is isolated.
      if (!was_in_use(port) && !port.isolated) continue;
      if (is_own_doing && is_own_doing(index)) continue;
      count_loss(before, index, settings, now);
    }
  }
}

void LinkHealth::set_noisy(const std::set<PortPlace>& ports, const HealthSettings& settings,
                           mad::TimePoint now) {
  for (auto& [port, entry] : ports_) {
    if (ports.contains(port)) continue;
    if (std::exchange(entry.is_loud, false)) entry.last_fault = now;
    entry.is_muted = false;
  }
  for (const PortPlace& port : ports) {
    Entry& entry = entry_of(port);
    entry.is_loud = true;
    if (entry.is_muted) continue;
    entry.last_fault = now;
    if (entry.noisy) continue;
    begin_fault(entry, settings, now);
    entry.noisy = true;
  }
}

void LinkHealth::expire(const HealthSettings& settings, mad::TimePoint now) {
  for (auto& [port, entry] : ports_) {
    if (entry.order && has_ended(*entry.order, now)) entry.order.reset();
    while (!entry.losses.empty() && now - entry.losses.front() > settings.window)
      entry.losses.pop_front();
    if (!entry.is_faulty() || entry.is_loud || entry.wait == mad::Duration{} ||
        now - entry.last_fault < entry.wait)
      continue;
    entry.flapping = entry.noisy = false;
    entry.losses.clear();
  }
  std::erase_if(ports_, [&](const auto& port) {
    const Entry& entry = port.second;
    return !entry.is_faulty() && !entry.order && !entry.is_loud && entry.losses.empty() &&
           (entry.times == 0 || now - entry.last_fault >= kQuietMax);
  });
}

void LinkHealth::order(const PortPlace& port, IsolationOrder order) {
  entry_of(port).order = std::move(order);
}

bool LinkHealth::release(const PortPlace& port) {
  const auto found = ports_.find(port);
  if (found == ports_.end()) return false;
  const bool was_faulty = found->second.is_faulty() || found->second.order;
  const bool is_loud = found->second.is_loud;
  found->second = {};
  found->second.is_loud = found->second.is_muted = is_loud;
  if (!is_loud) ports_.erase(found);
  return was_faulty;
}

std::map<PortPlace, LinkHealth::State> LinkHealth::faulty() const {
  std::map<PortPlace, State> result;
  for (const auto& [port, entry] : ports_) {
    if (!entry.is_faulty() && !entry.order) continue;
    State& state = result[port];
    state = {.flapping = entry.flapping,
             .noisy = entry.noisy,
             .order = entry.order,
             .towards_host = entry.towards_host,
             .losses = entry.losses.size(),
             .since = entry.order ? entry.order->since : entry.since,
             .until = entry.order ? entry.order->until : std::nullopt,
             .peer = entry.peer};
    if (!entry.order && entry.wait != mad::Duration{}) state.until = entry.last_fault + entry.wait;
  }
  return result;
}

std::vector<mad::Guid> LinkHealth::due(mad::TimePoint now) const {
  std::vector<mad::Guid> nodes;
  for (const auto& [port, entry] : ports_) {
    const bool is_quiet = entry.is_faulty() && entry.wait != mad::Duration{} && !entry.is_loud &&
                          now - entry.last_fault >= entry.wait;
    const bool is_over = is_quiet || (entry.order && has_ended(*entry.order, now));
    if (is_over && (nodes.empty() || nodes.back() != port.node)) nodes.push_back(port.node);
  }
  return nodes;
}

std::optional<mad::TimePoint> LinkHealth::last_fault(const PortPlace& port) const {
  const auto found = ports_.find(port);
  if (found == ports_.end()) return std::nullopt;
  return found->second.last_fault;
}

}  // namespace sm
