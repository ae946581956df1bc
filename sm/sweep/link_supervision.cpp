#include "sm/sweep/link_supervision.h"

#include <algorithm>
#include <unordered_map>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "sm/health/health_conditions.h"

namespace sm {

namespace {

/// Only light sweeps watch a port in front of a host that was flapping within this time.
constexpr mad::Duration kFlapping = std::chrono::seconds(60);

std::set<PortIndex> ports_of_managers(const std::vector<OtherSm>& sms) {
  std::set<PortIndex> ports;
  for (const OtherSm& sm : sms) ports.insert(sm.port);
  return ports;
}

/// Returns true if all other ports of the switch have kept their state.
bool shows_no_other_change(const Fabric& before, const Fabric& after, const SuspectPort& port) {
  const auto was = before.node_of_guid.find(port.node), is = after.node_of_guid.find(port.node);
  if (was == before.node_of_guid.end() || is == after.node_of_guid.end()) return false;
  const auto ports_before = before.node_ports(was->second),
             ports_after = after.node_ports(is->second);
  return std::ranges::equal(ports_before, ports_after, [&](const Port& a, const Port& b) {
    return a.number == port.port ||
           (a.known == b.known && a.info.port_state() == b.info.port_state());
  });
}

/// Removes what is behind these ports from the survey.
void leave_out(Survey& survey, std::span<const PortIndex> hosts) {
  const bool is_any = std::ranges::any_of(
      hosts, [&](PortIndex port) { return survey.fabric.ports[port].peer != kNoIndex; });
  if (!is_any) return;
  Fabric rest = without_hosts(survey.fabric, hosts);
  for (OtherSm& sm : survey.sms) sm.port = find_place(rest, port_place(survey.fabric, sm.port));
  std::erase_if(survey.sms, [](const OtherSm& sm) { return sm.port == kNoIndex; });
  survey.fabric = std::move(rest);
}

}  // namespace

void LinkSupervision::update(const Fabric& before, const Survey& survey,
                             const std::set<mad::Guid>& flapping, const LinkRestarts& restarts,
                             const config::Options& options, mad::TimePoint now) {
  const Fabric& after = survey.fabric;
  const auto is_ordered = [&](PortIndex port) {
    const PortIndex peer = before.ports[port].peer;
    return restarts.is_down(before, port) || (peer != kNoIndex && restarts.is_down(before, peer));
  };
  losses_.update_from(before, after, now, survey.touched);
  health_.update_from(before, after, health_settings(options), now, is_ordered, survey.touched);
  // An isolated host may lose and regain its link between two surveys. If no other link of its
  // switch has changed, only the trap of the switch shows this.
  for (const SuspectPort& port : kept_out_.left_out)
    if (flapping.contains(port.node) && shows_no_other_change(before, after, port))
      health_.count_loss({port.node, port.port}, health_settings(options), now);
}

/// No other thread computes with health_ while this runs.
void LinkSupervision::apply_orders(const SweepContext& context, mad::TimePoint now) {
  const HealthSettings settings = health_settings(context.options);
  for (const PortPlace& port : std::exchange(released_, {})) health_.release(port);
  std::erase_if(orders_, [now](const auto& entry) {
    return entry.second.until && *entry.second.until <= now;
  });
  for (const auto& [port, order] : orders_) health_.order(port, order);
  for (const std::string& name : std::exchange(forgotten_, {})) losses_.forget(name);
  if (const auto noisy = std::exchange(noisy_due_, std::nullopt))
    health_.set_noisy(*noisy, settings, now);
  health_.expire(settings, now);
}

void LinkSupervision::reopen_ports(const SweepContext& context, mad::TimePoint now) {
  apply_orders(context, now);
  if (kept_out_.left_out.empty()) return;
  const std::map<PortPlace, LinkHealth::State> faulty = health_.faulty();
  std::set<PortPlace> named;
  for (const config::PortHealth& entry : context.files.port_health) {
    if (entry.healthy) continue;
    const auto [first, last] = kept_out_.seen.equal_range(entry.guid);
    for (auto seen = first; seen != last; ++seen) named.insert(seen->second.first);
  }
  std::erase_if(kept_out_.left_out, [&](const SuspectPort& port) {
    const PortPlace place{port.node, port.port};
    return !faulty.contains(place) && !named.contains(place);
  });
}

LinkSupervision::KeptOut LinkSupervision::keep_out(const SweepContext& context, Survey& survey,
                                                   mad::TimePoint now) const {
  const HealthSettings settings = health_settings(context.options);
  const std::map<PortPlace, LinkHealth::State> faulty = health_.faulty();
  const std::set<PortIndex> managers = ports_of_managers(survey.sms);
  IsolationDecision decision = decide_isolation({.fabric = survey.fabric,
                                                 .faulty = faulty,
                                                 .policy = context.files.port_health,
                                                 .held_back = context.files.held_back,
                                                 .settings = settings,
                                                 .managers = managers,
                                                 .seen = kept_out_.seen,
                                                 .previous = kept_out_.isolated,
                                                 .now = now});
  KeptOut next;
  for (const auto& [place, state] : faulty) next.faulty.insert(place);
  for (const PortIndex port : decision.hosts) {
    const PortPlace place = port_place(survey.fabric, port);
    next.left_out.push_back({.node = place.node, .port = place.port});
    const auto fault = health_.last_fault(place);
    if (fault && now - *fault < kFlapping) next.flapping.insert(place.node);
  }
  std::ranges::sort(next.left_out);
  next.isolated = std::move(decision.isolated);
  next.conditions = std::move(decision.conditions);
  next.seen = std::move(decision.seen);
  mark_isolated(survey.fabric, decision);
  leave_out(survey, decision.hosts);
  return next;
}

std::vector<Condition> LinkSupervision::losses() {
  const LossFacts facts = losses_.facts();
  lost_ = std::make_shared<const std::vector<LostThing>>(listed_losses(facts));
  loss_counts_ = sm::loss_counts(facts);
  return loss_conditions(facts);
}

LostNames LinkSupervision::lost_names() const {
  LostNames names;
  if (!lost_) return names;
  for (const LostThing& lost : *lost_) {
    if (lost.port) continue;
    names.of_node[lost.node] = lost.name;
    if (lost.peer_port)
      names.behind[{lost.peer_node, *lost.peer_port}] =
          fmt::format("\"{}\" ({})", lost.name, lost.node);
  }
  return names;
}

tl::expected<std::vector<mad::Guid>, std::string> LinkSupervision::forget(std::string_view name) {
  std::vector<mad::Guid> nodes;
  bool is_any = false;
  if (lost_)
    for (const LostThing& lost : *lost_) {
      if (!lost.is_called(name)) continue;
      is_any = true;
      if (lost.peer_node != mad::Guid{}) nodes.push_back(lost.peer_node);
    }
  if (!is_any)
    return tl::unexpected(
        fmt::format("nothing that was lost is called \"{}\"; `heddlectl lost` lists it", name));
  forgotten_.emplace_back(name);
  return nodes;
}

bool LinkSupervision::use_isolated(Fabric& fabric) {
  const auto is_kept_out = [&](PortIndex port) {
    return fabric.ports[port].isolated && fabric.ports[port].peer != kNoIndex;
  };
  if (std::ranges::none_of(fabric.ports.indices(), is_kept_out)) return false;
  for (Port& port : fabric.ports) port.isolated = port.isolated && port.peer == kNoIndex;
  for (Condition& condition : kept_out_.conditions) {
    if (condition.id != kHealthConditions.link_isolated &&
        condition.id != kHealthConditions.isolated_by_operator &&
        condition.id != kHealthConditions.switch_held_back)
      continue;
    condition.text +=
        "; isolated links between switches are used again, since no routing engine "
        "accepts the fabric without it";
  }
  return true;
}

void withdraw_isolated(KeptLids& kept, const Fabric& fabric) {
  std::erase_if(kept.ports, [&](const KeptPort& of) {
    const PortIndex port = find_place(fabric, {of.leaf, of.out});
    return port != kNoIndex && fabric.ports[port].isolated &&
           fabric.ports[port].info.port_state() >= mad::PortState::armed;
  });
}

/// Returns the switch port in front of a host's port, also while the host is left out.
PortPlace LinkSupervision::in_front_of_host(const Subnet* subnet, const PortPlace& place) const {
  if (subnet != nullptr) {
    const Fabric& fabric = subnet->fabric;
    const PortIndex port = find_place(fabric, place);
    if (port != kNoIndex) {
      const PortIndex peer = fabric.ports[port].peer;
      return fabric.owning_node(port).is_switch() || peer == kNoIndex ? place
                                                                      : port_place(fabric, peer);
    }
  }
  for (const Isolated& link : kept_out_.isolated)
    if (link.peer_node == place.node) return link.place;
  return place;
}

bool LinkSupervision::set_noisy(const Subnet* subnet, const std::set<PortPlace>& ports) {
  std::set<PortPlace> places;
  for (const PortPlace& port : ports) places.insert(in_front_of_host(subnet, port));
  noisy_due_ = places;
  return std::exchange(noisy_, places) != places;
}

tl::expected<std::vector<PortPlace>, std::string> LinkSupervision::find_places(
    const Subnet* subnet, std::string_view name) const {
  if (subnet == nullptr) return tl::unexpected(std::string("no subnet is known yet"));
  const Fabric& fabric = subnet->fabric;
  const auto named = find_node(fabric, subnet->lids, name);
  if (!named) {
    // An isolated host is not in the fabric; the port in front of the host has its name.
    std::vector<PortPlace> places;
    for (const Isolated& link : kept_out_.isolated) {
      const bool is_guid =
          name == fmt::format("{}", link.peer_node) || name == fmt::format("{}", link.peer_port);
      const std::string quoted = "\"" + std::string(name);
      if (is_guid || link.peer.starts_with(quoted + "\"") || link.peer.starts_with(quoted + " "))
        places.push_back(link.place);
    }
    if (!places.empty()) return places;
    return tl::unexpected(named.error());
  }
  const Node& node = fabric.nodes[named->node];
  if (named->number && (*named->number == 0 || *named->number > node.num_ports))
    return tl::unexpected(
        fmt::format("{} has no port {}", fabric.name(named->node), *named->number));
  std::vector<PortPlace> places;
  for (unsigned number = 1; number <= node.num_ports; ++number) {
    if (named->number && *named->number != number) continue;
    const PortIndex port =
        fabric.port(named->node, mad::PortNum{static_cast<std::uint8_t>(number)});
    places.push_back(port_place(fabric, port));
    if (fabric.ports[port].peer != kNoIndex)
      places.push_back(port_place(fabric, fabric.ports[port].peer));
  }
  return places;
}

tl::expected<std::vector<mad::Guid>, std::string> LinkSupervision::isolate(
    const Subnet* subnet, std::string_view name, const IsolationOrder& order) {
  const auto places = find_places(subnet, name);
  if (!places) return tl::unexpected(places.error());
  const Fabric& fabric = subnet->fabric;
  std::vector<PortPlace> links;
  for (const PortPlace& place : *places) {
    const PortIndex port = find_place(fabric, place);
    // The host behind it is isolated, and so not in the fabric; the new order replaces the old one.
    if (std::ranges::binary_search(kept_out_.left_out, SuspectPort{place.node, place.port})) {
      links.push_back(place);
      continue;
    }
    if (port == kNoIndex || fabric.ports[port].peer == kNoIndex ||
        !fabric.owning_node(port).is_switch())
      continue;
    // A link between switches is isolated at one of its ends only.
    const PortIndex peer = fabric.ports[port].peer;
    if (fabric.owning_node(peer).is_switch() && peer < port) continue;
    if (port == fabric.sm_port || peer == fabric.sm_port)
      return tl::unexpected(
          std::string("it is the own link of this subnet manager, which is never isolated"));
    links.push_back(place);
  }
  if (links.empty())
    return tl::unexpected(fmt::format("no link of \"{}\" can be isolated: none is there", name));
  std::vector<mad::Guid> nodes;
  for (const PortPlace& link : links) {
    orders_[link] = order;
    released_.erase(link);
    nodes.push_back(link.node);
  }
  return nodes;
}

tl::expected<std::vector<mad::Guid>, std::string> LinkSupervision::release(const Subnet* subnet,
                                                                           std::string_view name) {
  const auto places = find_places(subnet, name);
  if (!places) return tl::unexpected(places.error());
  std::vector<mad::Guid> nodes;
  for (const PortPlace& place : *places)
    if (kept_out_.faulty.contains(place) || orders_.contains(place)) {
      orders_.erase(place);
      released_.insert(place);
      nodes.push_back(place.node);
    }
  if (nodes.empty())
    return tl::unexpected(fmt::format(
        "nothing at \"{}\" is isolated or watched by faults; what a file isolates is released by "
        "the file",
        name));
  return nodes;
}

std::set<mad::Guid> LinkSupervision::adopt(Orders orders) {
  std::set<mad::Guid> nodes;
  for (const auto& [place, order] : orders_)
    if (!orders.contains(place)) {
      released_.insert(place);
      nodes.insert(place.node);
    }
  for (const auto& [place, order] : orders) {
    released_.erase(place);
    const auto own = orders_.find(place);
    if (own == orders_.end() || own->second.by != order.by || own->second.reason != order.reason ||
        own->second.until.has_value() != order.until.has_value())
      nodes.insert(place.node);
  }
  orders_ = std::move(orders);
  return nodes;
}

}  // namespace sm
