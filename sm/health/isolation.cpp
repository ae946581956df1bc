#include "sm/health/isolation.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "config/diagnostic.h"
#include "fabric/connected_switches.h"
#include "fabric/fabric_builder.h"
#include "mad/format.h"
#include "sm/health/health_conditions.h"

namespace sm {
namespace {

using config::HealthAction;

constexpr std::size_t kNamedMax = 100;
constexpr std::size_t kHostsMin = 10;  // may be left out in any fabric

class IsolationPolicy {
 public:
  explicit IsolationPolicy(const IsolationInput& input)
      : in_(input), fabric_(input.fabric), is_out_(input.fabric.switches.size(), false) {
    for (const Isolated& link : input.previous) previous_.emplace(link.place, &link);
  }

  IsolationDecision run() {
    read_policy();
    for (const auto& [place, state] : in_.faulty) add_faulty(place, state);
    for (const std::uint64_t guid : in_.held_back) hold_back(mad::Guid{guid});
    for (const auto& [sw, of] : unhealthy_switches_) isolate_switch(sw, of);
    isolate_hosts();
    isolate_links();
    std::ranges::sort(out_.isolated, {}, &Isolated::place);
    limit_conditions();
    return std::move(out_);
  }

 private:
  /// Holds a link that may be isolated.
  struct Candidate {
    PortIndex port = kNoIndex;  // of a host's link the switch port; else the nearer end
    IsolationReason reason{};
    LinkHealth::State state = {};
    bool operator<(const Candidate& other) const {
      return std::tuple(state.losses, port) < std::tuple(other.state.losses, other.port);
    }
  };

  // ---- requested isolation

  /// Returns the end of a link that identifies it; kNoIndex if there is no link that could be
  /// isolated.
  PortIndex end_of_link(PortIndex port) const {
    const PortIndex peer = fabric_.ports[port].peer;
    const bool is_of_switch = fabric_.owning_node(port).is_switch();
    if (peer == kNoIndex) return is_of_switch ? port : PortIndex(kNoIndex);
    if (!is_of_switch) return fabric_.owning_node(peer).is_switch() ? peer : PortIndex(kNoIndex);
    return fabric_.owning_node(peer).is_switch() ? std::min(port, peer) : port;
  }

  void read_policy() {
    for (const config::PortHealth& entry : in_.policy) {
      const mad::Guid guid{entry.guid};
      const auto node = fabric_.node_of_guid.find(guid);
      if (node != fabric_.node_of_guid.end()) {
        const Node& its = fabric_.nodes[node->second];
        if (entry.port) {
          if (*entry.port <= its.num_ports)
            add_policy(entry, fabric_.port(node->second, mad::PortNum{*entry.port}));
        } else if (its.is_switch() && !entry.healthy) {
          add_unhealthy_switch(entry, node->second);
        } else {
          for (unsigned number = 1; number <= its.num_ports; ++number)
            add_policy(entry,
                       fabric_.port(node->second, mad::PortNum{static_cast<std::uint8_t>(number)}));
        }
      } else if (const auto port = fabric_.port_of_guid.find(guid);
                 port != fabric_.port_of_guid.end()) {
        add_policy(entry, port->second);
      } else {
        add_seen(entry);
      }
    }
  }

  /// Adds a host that surveys do not read, since it is isolated already, while its link exists.
  void add_seen(const config::PortHealth& entry) {
    if (entry.healthy) return;
    const auto [first, last] = in_.seen.equal_range(entry.guid);
    for (auto seen = first; seen != last; ++seen) {
      const auto& [place, name] = seen->second;
      const PortIndex port = find_place(fabric_, place);
      if (port == kNoIndex || !fabric_.ports[port].is_up() || fabric_.ports[port].peer != kNoIndex)
        continue;
      const HealthAction action = manual_action(entry, false);
      if (action != HealthAction::isolate && action != HealthAction::no_discover) continue;
      add({.port = port, .reason = IsolationReason::unhealthy, .state = {.peer = name}});
      out_.seen.emplace(entry.guid, seen->second);
    }
  }

  HealthAction manual_action(const config::PortHealth& entry, bool of_switch) const {
    return entry.action.value_or(of_switch ? in_.settings.sw_manual : in_.settings.ca_manual);
  }

  void add_unhealthy_switch(const config::PortHealth& entry, NodeIndex node) {
    const HealthAction action = manual_action(entry, true);
    if (action == HealthAction::ignore) return;
    if (action == HealthAction::report)
      return report(kHealthConditions.port_unhealthy, fabric_.nodes[node].guid, {},
                    fmt::format("unhealthy by hm_ports_health_policy_file: {}; it is used",
                                fabric_.name(node)));
    unhealthy_switches_.emplace(fabric_.nodes[node].switch_index, IsolationReason::unhealthy);
  }

  void add_policy(const config::PortHealth& entry, PortIndex port) {
    const PortIndex end = end_of_link(port);
    if (end == kNoIndex) return;
    if (entry.healthy) {
      healthy_.insert(end);
      return;
    }
    const HealthAction action = manual_action(entry, fabric_.owning_node(port).is_switch());
    if (action == HealthAction::ignore || !fabric_.ports[end].is_up()) return;
    if (action == HealthAction::report)
      return report(
          kHealthConditions.port_unhealthy, end,
          fmt::format("unhealthy by hm_ports_health_policy_file: {}; it is used", link_name(end)));
    add({.port = end, .reason = IsolationReason::unhealthy});
    const PortIndex peer = fabric_.ports[end].peer;
    if (peer != kNoIndex && !fabric_.owning_node(peer).is_switch())
      out_.seen.emplace(entry.guid, std::pair(port_place(fabric_, end), fabric_.port_name(peer)));
  }

  void add_faulty(const PortPlace& place, const LinkHealth::State& state) {
    const PortIndex port = find_place(fabric_, place);
    if (port == kNoIndex) return;
    // A survey does not read a host that is isolated already, and may find its link at a moment
    // when it is lost.
    const Isolated* const before = previous(place);
    const bool was_to_host =
        state.towards_host || (before != nullptr && before->peer_port != mad::Guid{});
    const bool stays = was_to_host && before != nullptr;
    if (!fabric_.ports[port].is_up() && !stays) return;
    const PortIndex end = end_of_link(port);
    if (end == kNoIndex) return;
    const PortIndex peer = fabric_.ports[end].peer;
    const bool to_host = peer == kNoIndex ? was_to_host : !fabric_.owning_node(peer).is_switch();
    if (peer == kNoIndex && !to_host) return;
    if (state.order) return add({.port = end, .reason = IsolationReason::ordered, .state = state});
    if (healthy_.contains(end)) return;
    const HealthSettings& s = in_.settings;
    const HealthAction flapping = to_host ? s.ca_flapping : s.sw_flapping,
                       noisy = to_host ? s.ca_noisy : s.sw_noisy;
    const bool isolate_flapping = state.flapping && flapping == HealthAction::isolate,
               isolate_noisy = state.noisy && noisy == HealthAction::isolate;
    if (isolate_flapping || isolate_noisy)
      return add({.port = end,
                  .reason = isolate_flapping ? IsolationReason::flapping : IsolationReason::noisy,
                  .state = state});
    if (!reported_.insert(end).second) return;
    if (state.flapping && flapping == HealthAction::report)
      report(kHealthConditions.link_flapping, end,
             fmt::format("link flapping: {}; {}", link_name(end, state.peer), how_often(state)));
    if (state.noisy && noisy == HealthAction::report)
      report(kHealthConditions.link_noisy, end,
             fmt::format("errors on link: {}; counters are above their thresholds",
                         link_name(end, state.peer)));
  }

  /// Both ends of a link may request isolation: the first request, or an order, counts.
  void add(Candidate candidate) {
    const PortIndex peer = fabric_.ports[candidate.port].peer;
    const bool to_switch = peer != kNoIndex && fabric_.owning_node(peer).is_switch();
    auto& all = to_switch ? links_ : hosts_;
    const auto [known, is_new] = all.try_emplace(candidate.port, candidate);
    if (!is_new && candidate.reason == IsolationReason::ordered) known->second = candidate;
  }

  void hold_back(mad::Guid guid) {
    const auto node = fabric_.node_of_guid.find(guid);
    if (node == fabric_.node_of_guid.end() || !fabric_.nodes[node->second].is_switch()) return;
    unhealthy_switches_[fabric_.nodes[node->second].switch_index] = IsolationReason::held_back;
  }

  // ---- decisions

  bool is_usable(PortIndex port) const {
    const PortIndex peer = fabric_.ports[port].peer;
    if (peer == kNoIndex || !fabric_.is_link_up(port) || !fabric_.owning_node(port).is_switch() ||
        !fabric_.owning_node(peer).is_switch())
      return false;
    return !fabric_.ports[port].withheld && !fabric_.ports[peer].withheld;
  }
  SwitchIndex own_switch() const {
    const Node& node = fabric_.owning_node(fabric_.sm_port);
    if (node.is_switch()) return node.switch_index;
    const PortIndex peer = fabric_.ports[fabric_.sm_port].peer;
    return peer == kNoIndex ? SwitchIndex(kNoIndex) : fabric_.owning_node(peer).switch_index;
  }
  /// Returns how many switches the manager's own switch reaches by links in use.
  std::size_t reached() const {
    std::vector<bool> seen(fabric_.switches.size(), false);
    std::vector<SwitchIndex> open{own_switch()};
    seen[open.front()] = true;
    for (std::size_t next = 0; next < open.size(); ++next) {
      const Node& node = fabric_.nodes[fabric_.switches[open[next]].node];
      for (PortIndex port = node.first_port; port <= node.first_port + node.num_ports; ++port) {
        if (!is_usable(port)) continue;
        const SwitchIndex other = fabric_.owning_node(fabric_.ports[port].peer).switch_index;
        if (seen[other] || is_out_[other]) continue;
        seen[other] = true;
        open.push_back(other);
      }
    }
    return open.size();
  }

  void isolate_switch(SwitchIndex sw, IsolationReason reason) {
    const NodeIndex node = fabric_.switches[sw].node;
    const bool held_back = reason == IsolationReason::held_back;
    const ConditionId id =
        held_back ? kHealthConditions.switch_held_back : kHealthConditions.port_unhealthy;
    const std::string why = fmt::format(
        "{}: {}",
        held_back ? "held back by held_back_sw_file" : "unhealthy by hm_ports_health_policy_file",
        fabric_.name(node));
    const auto used = [&](std::string_view because) {
      report(id, fabric_.nodes[node].guid, {},
             fmt::format("{}; it is used nevertheless, since {}", why, because));
    };
    if (sw == own_switch() || own_switch() == kNoIndex)
      return used("this subnet manager is attached to it");
    const std::size_t before = reached();
    is_out_[sw] = true;
    if (reached() + 1 < before) {
      is_out_[sw] = false;
      return used("other switches cannot be reached without it");
    }
    out_.switches.push_back(node);
    report(id, fabric_.nodes[node].guid, {},
           fmt::format("{}; no path leads through it or to it", why));
    Isolated& whole = out_.isolated.emplace_back();
    whole.place.node = fabric_.nodes[node].guid;
    whole.name = fabric_.name(node);
    whole.reason = reason;
    whole.since = since(whole);
  }

  void isolate_hosts() {
    const std::size_t most = std::max(kHostsMin, fabric_.end_ports.size() / 10);
    std::size_t count = 0;
    for (const auto& [port, candidate] : hosts_) {
      const PortIndex peer = fabric_.ports[port].peer;
      const bool by_operator = candidate.reason >= IsolationReason::ordered;
      if (port == fabric_.sm_port || peer == fabric_.sm_port) {
        used_nevertheless(candidate, "it is the own link of this subnet manager");
      } else if (peer != kNoIndex && in_.managers.contains(peer)) {
        used_nevertheless(candidate, "a subnet manager runs behind it");
      } else if (!by_operator && count >= most) {
        used_nevertheless(candidate, fmt::format("{} hosts are isolated already", count));
      } else {
        count += !by_operator;
        isolate(candidate);
        out_.hosts.push_back(port);
      }
    }
  }

  void isolate_links() {
    ConnectedSwitches connected(fabric_.switches.size());
    const auto find_switches = [&](PortIndex port) {
      return std::pair(fabric_.owning_node(port).switch_index,
                       fabric_.owning_node(fabric_.ports[port].peer).switch_index);
    };
    for (const PortIndex port : fabric_.ports.indices()) {
      if (!is_usable(port) || port > fabric_.ports[port].peer || links_.contains(port)) continue;
      const auto [a, b] = find_switches(port);
      if (!is_out_[a] && !is_out_[b]) connected.connect(a, b);
    }
    std::vector<Candidate> ordered;
    ordered.reserve(links_.size());
    for (const auto& [port, candidate] : links_) ordered.push_back(candidate);
    std::ranges::sort(ordered, std::less<>());
    for (const Candidate& candidate : ordered) {
      const auto [a, b] = find_switches(candidate.port);
      if (is_usable(candidate.port) && !is_out_[a] && !is_out_[b] && connected.connect(a, b)) {
        used_nevertheless(candidate, "switches cannot be reached without it");
      } else {
        isolate(candidate);
        out_.links.push_back(candidate.port);
      }
    }
  }

  // ---- conditions for the operator

  std::string link_name(PortIndex end, const std::string& last_peer = {}) const {
    const PortIndex peer = fabric_.ports[end].peer;
    const Isolated* const before = previous(port_place(fabric_, end));
    const std::string far = peer != kNoIndex    ? fabric_.port_name(peer)
                            : before != nullptr ? before->peer
                                                : last_peer;
    return far.empty() ? fabric_.port_name(end)
                       : fmt::format("{} <-> {}", fabric_.port_name(end), far);
  }
  std::string how_often(const LinkHealth::State& state) const {
    return state.losses < in_.settings.losses
               ? std::string("it is watched until it was quiet long enough")
               : fmt::format(
                     "lost {} times within {} s", state.losses,
                     std::chrono::duration_cast<std::chrono::seconds>(in_.settings.window).count());
  }
  const Isolated* previous(const PortPlace& place) const {
    const auto found = previous_.find(place);
    return found == previous_.end() ? nullptr : found->second;
  }
  static std::string why(IsolationReason reason) {
    switch (reason) {
      case IsolationReason::flapping:
        return "it flaps";
      case IsolationReason::noisy:
        return "its error counters are above their thresholds";
      case IsolationReason::ordered:
        return "heddlectl isolate";
      default:
        return "it is unhealthy by hm_ports_health_policy_file";
    }
  }
  static ConditionId make_condition(IsolationReason reason) {
    switch (reason) {
      case IsolationReason::flapping:
        return kHealthConditions.link_flapping;
      case IsolationReason::noisy:
        return kHealthConditions.link_noisy;
      default:
        return kHealthConditions.port_unhealthy;
    }
  }

  std::string order_text(PortIndex port, const LinkHealth::State& state) const {
    const IsolationOrder& order = *state.order;
    return fmt::format(
        "link isolated by {}: {}{}; {}run `heddlectl release {}:{}` to use it again{}",
        order.by.empty() ? "an operator" : config::printable(order.by), link_name(port, state.peer),
        order.reason.empty() ? "" : fmt::format("; {}", config::in_quotes(order.reason)),
        order.until ? "it is used again after a time, or " : "", fabric_.owning_node(port).guid,
        fabric_.ports[port].number, order.until ? " now" : "");
  }

  void isolate(const Candidate& candidate) {
    const LinkHealth::State& state = candidate.state;
    const PortIndex peer = fabric_.ports[candidate.port].peer;
    if (candidate.reason == IsolationReason::ordered) {
      report(kHealthConditions.isolated_by_operator, candidate.port,
             order_text(candidate.port, state));
    } else {
      report(kHealthConditions.link_isolated, candidate.port,
             fmt::format("link isolated: {}; {}; {}", link_name(candidate.port, state.peer),
                         why(candidate.reason),
                         state.until ? "it is used again after a time without faults"
                                     : "it is used again when the file says so"));
    }
    const bool is_timed = candidate.reason == IsolationReason::flapping ||
                          candidate.reason == IsolationReason::noisy ||
                          candidate.reason == IsolationReason::ordered;
    Isolated& link = out_.isolated.emplace_back();
    link.place = port_place(fabric_, candidate.port);
    link.name = fabric_.port_name(candidate.port);
    link.reason = candidate.reason;
    const Isolated* const before = previous(link.place);
    if (peer != kNoIndex) {
      link.peer = fabric_.port_name(peer);
      link.peer_node = fabric_.owning_node(peer).guid;
      link.peer_port = fabric_.ports[peer].guid;
    } else if (before != nullptr) {
      link.peer = before->peer;
      link.peer_node = before->peer_node;
      link.peer_port = before->peer_port;
    } else {
      link.peer = state.peer;
    }
    link.since = candidate.reason == IsolationReason::unhealthy ? since(link) : state.since;
    if (is_timed) link.until = state.until;
    if (state.order) {
      link.ordered_by = state.order->by;
      link.order_reason = state.order->reason;
    }
  }
  /// Returns the time since when a file isolates this link.
  mad::TimePoint since(const Isolated& link) const {
    const Isolated* const before = previous(link.place);
    return before != nullptr && before->reason == link.reason ? before->since : in_.now;
  }

  void used_nevertheless(const Candidate& candidate, std::string_view because) {
    report(
        make_condition(candidate.reason), candidate.port,
        fmt::format("not isolated: {}; {}, but {}", link_name(candidate.port, candidate.state.peer),
                    why(candidate.reason), because));
  }

  void report(ConditionId id, PortIndex port, std::string text) {
    report(id, fabric_.owning_node(port).guid, fabric_.ports[port].number, std::move(text));
  }
  void report(ConditionId id, mad::Guid guid, std::optional<mad::PortNum> port, std::string text) {
    out_.conditions.push_back({.id = id, .text = std::move(text), .guid = guid, .port = port});
  }
  void limit_conditions() {
    std::map<ConditionId, std::size_t> count;
    std::erase_if(out_.conditions,
                  [&](const Condition& condition) { return ++count[condition.id] > kNamedMax; });
    for (const auto& [id, all] : count) {
      if (all > kNamedMax)
        out_.conditions.push_back(
            {.id = id, .text = fmt::format("and {} more of this kind", all - kNamedMax)});
    }
  }

  const IsolationInput& in_;
  const Fabric& fabric_;
  std::map<PortPlace, const Isolated*> previous_;
  std::set<PortIndex> healthy_, reported_;  // by end_of_link()
  std::map<PortIndex, Candidate> links_, hosts_;
  std::map<SwitchIndex, IsolationReason> unhealthy_switches_;
  std::vector<bool> is_out_;  // by SwitchIndex
  IsolationDecision out_;
};

}  // namespace

std::string_view find_name(IsolationReason reason) {
  constexpr std::array<std::string_view, 5> kReasons{"flapping", "noisy", "ordered", "unhealthy",
                                                     "held_back"};
  return kReasons[static_cast<std::size_t>(reason)];
}

IsolationDecision decide_isolation(const IsolationInput& input) {
  if (input.faulty.empty() && input.policy.empty() && input.held_back.empty()) return {};
  if (input.fabric.sm_port == kNoIndex || input.fabric.switches.empty()) return {};
  return IsolationPolicy(input).run();
}

void mark_isolated(Fabric& fabric, const IsolationDecision& decision) {
  for (Port& port : fabric.ports) port.isolated = false;
  for (const PortIndex port : decision.links)
    fabric.ports[port].isolated = fabric.ports[fabric.ports[port].peer].isolated = true;
  for (const PortIndex port : decision.hosts) fabric.ports[port].isolated = true;
  for (const NodeIndex node : decision.switches) {
    const Node& its = fabric.nodes[node];
    for (PortIndex port = its.first_port + 1; port <= its.first_port + its.num_ports; ++port)
      fabric.ports[port].isolated = true;
  }
}

Fabric without_hosts(const Fabric& fabric, std::span<const PortIndex> hosts) {
  const bool is_any = std::ranges::any_of(
      hosts, [&](PortIndex port) { return fabric.ports[port].peer != kNoIndex; });
  if (!is_any) return fabric;
  FabricBuilder builder(fabric);
  for (const PortIndex port : hosts)
    if (fabric.ports[port].peer != kNoIndex) builder.disconnect(port);
  Fabric rest = builder.build();
  rest.conditions = fabric.conditions;
  return rest;
}

}  // namespace sm
