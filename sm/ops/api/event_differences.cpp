// Events between two successive Views.

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <tuple>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "sm/ops/api/event.h"

namespace sm::api {

namespace {

/// Collects events, bounded for each kind.
class EventList {
 public:
  void add(Event event) {
    std::size_t& count = counts_[static_cast<std::size_t>(event.kind)];
    if (++count <= kEventsOfKindMax) events_.push_back(std::move(event));
  }
  std::vector<Event> take() {
    for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
      if (counts_[kind] > kEventsOfKindMax)
        events_.push_back(
            {.kind = EventKind::more,
             .text = fmt::format("{} more events {}", counts_[kind] - kEventsOfKindMax,
                                 name(static_cast<EventKind>(kind)))});
    }
    return std::move(events_);
  }

 private:
  std::array<std::size_t, kEventKinds> counts_{};
  std::vector<Event> events_;
};

/// Finds a node of one fabric in another; kNoIndex if it is missing there.
NodeIndex same_node(const Fabric& fabric, mad::Guid guid) {
  const auto found = fabric.node_of_guid.find(guid);
  return found == fabric.node_of_guid.end() ? NodeIndex(kNoIndex) : found->second;
}

/// Maps each lost node to the lost switch that cuts it off; GUID 0 if there is none.
std::map<mad::Guid, mad::Guid> causes_of_losses(const ManagerStatus& status) {
  std::map<mad::Guid, mad::Guid> causes;
  if (!status.lost) return causes;
  for (const LostThing& lost : *status.lost)
    if (!lost.port) causes[lost.node] = lost.cause.value_or(mad::Guid{});
  return causes;
}

class FabricComparison {
 public:
  /// `status` belongs to `after`.
  FabricComparison(const Fabric& before, const Fabric& after, const ManagerStatus& status,
                   EventList& out)
      : before_(before), after_(after), causes_(causes_of_losses(status)), out_(out) {
    if (status.last_sweep_noticed != mad::TimePoint{}) noticed_ = status.last_sweep_noticed;
  }

  void compare() {
    compare_nodes();
    for (const PortIndex port : before_.ports.indices()) compare_old(port);
    for (const PortIndex port : after_.ports.indices()) compare_new(port);
  }

 private:
  void add(Event event) {
    event.noticed = noticed_;
    out_.add(std::move(event));
  }
  void compare_nodes() {
    for (const NodeIndex node : before_.nodes.indices()) {
      if (same_node(after_, before_.nodes[node].guid) == kNoIndex)
        add({.kind = EventKind::node_disappeared,
             .severity = Severity::warning,
             .text = fmt::format("node disappeared: {}", before_.name(node)),
             .subject = EventEnd{before_.nodes[node].guid, {}},
             .caused_by = find_cause(before_.nodes[node].guid)});
    }
    for (const NodeIndex node : after_.nodes.indices()) {
      const NodeIndex old = same_node(before_, after_.nodes[node].guid);
      if (old == kNoIndex) {
        add({.kind = EventKind::node_appeared,
             .text = fmt::format("node appeared: {}", after_.name(node)),
             .subject = EventEnd{after_.nodes[node].guid, {}}});
      } else if (before_.description(old) != after_.description(node)) {
        add({.kind = EventKind::node_renamed,
             .text = fmt::format("node renamed: {}, was \"{}\"", after_.name(node),
                                 before_.description(old)),
             .subject = EventEnd{after_.nodes[node].guid, {}}});
      }
    }
  }

  /// Returns the lost switch that cuts a node off.
  std::optional<mad::Guid> find_cause(mad::Guid node) const {
    const auto found = causes_.find(node);
    return found == causes_.end() || found->second == mad::Guid{} ? std::nullopt
                                                                  : std::optional(found->second);
  }
  /// Returns the lost node that took a link down: of two, the one that cut off the other.
  std::optional<mad::Guid> find_cause(const EventEnd& end, const EventEnd& peer) const {
    for (const mad::Guid node : {end.node, peer.node})
      if (causes_.contains(node) && !find_cause(node)) return node;
    for (const mad::Guid node : {end.node, peer.node})
      if (causes_.contains(node)) return find_cause(node);
    return std::nullopt;
  }

  static EventEnd get_end(const Fabric& fabric, PortIndex port) {
    return {fabric.owning_node(port).guid, fabric.ports[port].number};
  }
  /// Returns the far end of this port's link; nullopt if the link is not up.
  static std::optional<EventEnd> far_end(const Fabric& fabric, PortIndex port) {
    if (!fabric.is_link_up(port)) return std::nullopt;
    return get_end(fabric, fabric.ports[port].peer);
  }
  /// True for the end of a link that reports it.
  static bool is_first(const EventEnd& end, const EventEnd& peer) {
    return std::pair(end.node, end.port) < std::pair(peer.node, peer.port);
  }
  static PortIndex same_port(const Fabric& fabric, const EventEnd& end) {
    const NodeIndex node = same_node(fabric, end.node);
    if (node == kNoIndex) return kNoIndex;
    const auto ports = fabric.node_ports(node);
    const auto found = std::ranges::find(ports, end.port, &Port::number);
    if (found == ports.end()) return kNoIndex;
    return fabric.nodes[node].first_port + static_cast<std::uint32_t>(found - ports.begin());
  }
  static std::string link_text(const Fabric& fabric, PortIndex port) {
    return fmt::format("{} <-> {}", fabric.port_name(port),
                       fabric.port_name(fabric.ports[port].peer));
  }

  /// Reports links that are down now.
  void compare_old(PortIndex port) {
    const auto far = far_end(before_, port);
    if (!far) return;
    const EventEnd end = get_end(before_, port);
    if (!is_first(end, *far)) return;
    const PortIndex now = same_port(after_, end);
    if (now != kNoIndex && far_end(after_, now) == far) return;
    add({.kind = EventKind::link_down,
         .severity = Severity::warning,
         .text = "link down: " + link_text(before_, port),
         .subject = end,
         .peer = far,
         .caused_by = find_cause(end, *far)});
  }

  /// Reports links that are up now and were not, or were different.
  void compare_new(PortIndex port) {
    const auto far = far_end(after_, port);
    if (!far) return;
    const EventEnd end = get_end(after_, port);
    const PortIndex old = same_port(before_, end);
    if (old == kNoIndex || far_end(before_, old) != far) {
      if (is_first(end, *far))
        add({.kind = EventKind::link_up,
             .text = "link up: " + link_text(after_, port),
             .subject = end,
             .peer = far});
      return;
    }
    compare_link(old, port, end, *far);
  }

  void compare_link(PortIndex old, PortIndex now, const EventEnd& end, const EventEnd& far) {
    const mad::PortInfo &was = before_.ports[old].info, &is = after_.ports[now].info;
    if (was.port_state() != is.port_state())
      add({.kind = EventKind::port_changed,
           .text = fmt::format("port {}: {}, was {}", mad::name(is.port_state()),
                               after_.port_name(now), mad::name(was.port_state())),
           .subject = end});
    const mad::LinkRate before = mad::active_rate(was), after = mad::active_rate(is);
    if (before == after || !is_first(end, far)) return;
    add({.kind = EventKind::link_changed,
         .severity = mad::gbps(after) < mad::gbps(before) ? Severity::warning : Severity::info,
         .text = fmt::format("link runs {} {}, was {} {}: {}", mad::width_name(after.lanes),
                             mad::name(after.speed), mad::width_name(before.lanes),
                             mad::name(before.speed), link_text(after_, now)),
         .subject = end,
         .peer = far});
  }

  const Fabric &before_, &after_;
  const std::map<mad::Guid, mad::Guid> causes_;
  std::optional<mad::TimePoint> noticed_;
  EventList& out_;
};

/// Sums members and their memberships to one number, independent of their order.
std::map<std::uint16_t, std::uint64_t> memberships(const Subnet& subnet) {
  std::map<std::uint16_t, std::uint64_t> sums;
  const auto add = [&](mad::Guid guid, std::span<const mad::PKey> keys) {
    for (const mad::PKey key : keys) {
      std::uint64_t hash = guid.value ^ (std::uint64_t{key.value} << 48);
      hash = (hash ^ hash >> 31) * 0x9E3779B97F4A7C15u;
      sums[mad::p_key_base(key)] += hash ^ hash >> 29;
    }
  };
  for (const PortIndex port : subnet.fabric.end_ports)
    if (!subnet.partitions.offsets.empty())
      add(subnet.fabric.ports[port].guid, subnet.find_p_keys(port));
  if (subnet.vports) {
    for (const VPortIndex vport : subnet.vports->vports.indices())
      if (subnet.vports->vports[vport].is_served())
        add(subnet.vports->vports[vport].guid, subnet.vports->get_keys(vport));
  }
  return sums;
}

std::string partition_text(std::string_view what, const Partition& partition) {
  return fmt::format("partition {}: {:#06x} {}", what, partition.key, partition.name);
}

void compare_partitions(const Subnet& before, const Subnet& after, EventList& out) {
  for (const Partition& partition : before.partitions.partitions) {
    if (after.partitions.find(mad::PKey{partition.key}) == nullptr)
      out.add({.kind = EventKind::partition_deleted,
               .text = partition_text("deleted", partition),
               .p_key = partition.key});
  }
  auto was = memberships(before), is = memberships(after);
  for (const Partition& partition : after.partitions.partitions) {
    const Partition* const old = before.partitions.find(mad::PKey{partition.key});
    if (old == nullptr) {
      out.add({.kind = EventKind::partition_created,
               .text = partition_text("created", partition),
               .p_key = partition.key});
    } else if (*old != partition || was[partition.key] != is[partition.key]) {
      out.add({.kind = EventKind::partition_changed,
               .text = partition_text("changed", partition),
               .p_key = partition.key});
    }
  }
}

/// Reports other subnets that routers begin or cease to reach.
void compare_subnets(const Routers* before, const Routers* after, EventList& out) {
  const auto add_missing = [&](const Routers* from, const Routers* in, EventKind kind,
                               Severity severity, std::string_view what) {
    if (from == nullptr) return;
    for (const OtherSubnet& subnet : from->subnets)
      if (in == nullptr || in->find(subnet.prefix) == nullptr)
        out.add({.kind = kind,
                 .severity = severity,
                 .text = fmt::format("subnet {:#018x} {}", subnet.prefix, what)});
  };
  if (before == after) return;
  add_missing(before, after, EventKind::subnet_unreachable, Severity::warning,
              "is no longer reached by a router");
  add_missing(after, before, EventKind::subnet_reachable, Severity::info, "is reached by a router");
}

Event condition_event(EventKind kind, const Condition& condition) {
  const bool is_cleared = kind == EventKind::condition_cleared;
  Event event{.kind = kind,
              .severity = is_cleared ? Severity::info : find_severity(condition),
              .text = is_cleared ? "cleared: " + condition.text : condition.text,
              .condition = condition.id};
  if (condition.guid != mad::Guid{})
    event.subject = EventEnd{condition.guid, condition.port.value_or(mad::PortNum{})};
  return event;
}

void compare_conditions(const std::vector<ConditionLog::Raised>& before,
                        const std::vector<ConditionLog::Raised>& after, EventList& out) {
  const auto sorted = [](const std::vector<ConditionLog::Raised>& raised) {
    std::vector<const Condition*> all;
    all.reserve(raised.size());
    for (const ConditionLog::Raised& of : raised)
      if (!of.condition.caused_by) all.push_back(&of.condition);
    std::ranges::sort(all, [](const Condition* a, const Condition* b) {
      return std::tie(a->id, a->guid, a->port, a->text) <
             std::tie(b->id, b->guid, b->port, b->text);
    });
    return all;
  };
  const auto was = sorted(before), is = sorted(after);
  const auto less = [](const Condition* a, const Condition* b) {
    return std::tie(a->id, a->guid, a->port, a->text) < std::tie(b->id, b->guid, b->port, b->text);
  };
  std::vector<const Condition*> cleared, raised;
  std::ranges::set_difference(was, is, std::back_inserter(cleared), less);
  std::ranges::set_difference(is, was, std::back_inserter(raised), less);
  // A condition that has become the effect of another one is not cleared.
  std::erase_if(cleared, [&](const Condition* gone) {
    return std::ranges::any_of(after, [&](const ConditionLog::Raised& of) {
      return of.condition.caused_by && is_same_subject(of.condition, *gone);
    });
  });
  // New figures of an active condition are not an event.
  std::erase_if(raised, [&](const Condition* now) {
    if (!now->id->has(ConditionKind::has_figures)) return false;
    const auto same = std::ranges::find_if(
        cleared, [&](const Condition* other) { return is_same_subject(*other, *now); });
    if (same == cleared.end()) return false;
    cleared.erase(same);
    return true;
  });
  for (const Condition* condition : cleared)
    out.add(condition_event(EventKind::condition_cleared, *condition));
  for (const Condition* condition : raised)
    out.add(condition_event(EventKind::condition_raised, *condition));
}

/// Makes one event of all occurrences with the same text within kOccurrencesKept.
void compare_occurrences(const std::vector<ConditionLog::Occurred>& before,
                         const std::vector<ConditionLog::Occurred>& after, EventList& out) {
  std::set<std::tuple<ConditionId, mad::Guid, std::string_view>> known;
  for (const ConditionLog::Occurred& of : before)
    known.emplace(of.condition.id, of.condition.guid, of.condition.text);
  for (const ConditionLog::Occurred& of : std::views::reverse(after)) {
    if (known.contains({of.condition.id, of.condition.guid, of.condition.text})) continue;
    Event event = condition_event(EventKind::condition_occurred, of.condition);
    event.noticed = of.last;
    out.add(std::move(event));
  }
}

/// Returns the master: this manager, or a trusted one; 0 if none is known.
mad::Guid master_of(const ManagerStatus& status) {
  if (status.state == mad::SmState::master) return status.port_guid;
  const auto master = std::ranges::find_if(status.managers, [](const KnownManager& manager) {
    return manager.state == mad::SmState::master && manager.counts;
  });
  return master == status.managers.end() ? mad::Guid{} : master->guid;
}

/// A first master is the normal result of a start.
void compare_masters(mad::Guid before, mad::Guid now, EventList& out) {
  if (before == now) return;
  Event event{.kind = EventKind::master_changed, .text = {}};
  if (now == mad::Guid{}) {
    event.severity = Severity::critical;
    event.text = "no master is known";
  } else if (before == mad::Guid{}) {
    event.text = fmt::format("the master is at port {}", now);
  } else {
    event.severity = Severity::warning;
    event.text = fmt::format("the master is at port {}, it was at port {}", now, before);
  }
  out.add(std::move(event));
}

}  // namespace

std::vector<Event> events_between(const View& before, const View& after) {
  EventList out;
  const ManagerStatus &was = before.status, &is = after.status;
  if (was.subnet && is.subnet && was.subnet != is.subnet) {
    FabricComparison(was.subnet->fabric, is.subnet->fabric, is, out).compare();
    compare_partitions(*was.subnet, *is.subnet, out);
    compare_subnets(was.subnet->routers.get(), is.subnet->routers.get(), out);
  }
  compare_conditions(was.conditions, is.conditions, out);
  compare_occurrences(was.occurrences, is.occurrences, out);
  if (was.sweeps != is.sweeps)
    out.add({.kind = EventKind::sweep, .text = fmt::format("sweep: {}", is.last_sweep)});
  if (was.subnet != is.subnet && is.subnet)
    out.add({.kind = EventKind::snapshot,
             .text = fmt::format("another state of the subnet is published: {} nodes",
                                 is.subnet->fabric.nodes.size())});
  if (was.state != is.state)
    out.add({.kind = EventKind::state_changed,
             .text = fmt::format("this manager is {}, was {}", mad::name(is.state),
                                 mad::name(was.state))});
  compare_masters(master_of(was), master_of(is), out);
  return out.take();
}

}  // namespace sm::api
