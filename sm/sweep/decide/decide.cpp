#include "sm/sweep/decide/decide.h"

#include <algorithm>

#include "config/check.h"
#include "fabric/plausible.h"
#include "fabric/switch_graph.h"
#include "mad/format.h"
#include "partitions/membership.h"
#include "routing/core/routing_conditions.h"
#include "routing/multicast/multicast_dependencies.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/decide/engine_options.h"
#include "sm/sweep/decide/port_groups.h"
#include "virt/vport_lids.h"

namespace sm {
namespace {

constexpr std::size_t kProblemsListed = 10;
constexpr std::size_t kGroupConditionsMax = 100;
constexpr std::size_t kTreesTried = 4;

/// Returns the texts as conditions of one identifier.
std::vector<Condition> make_conditions(ConditionId id, std::vector<std::string> texts) {
  std::vector<Condition> result;
  result.reserve(texts.size());
  for (std::string& text : texts) result.push_back({.id = id, .text = std::move(text)});
  return result;
}

}  // namespace

PartitionDecision decide_partitions(const SweepContext& context, const Fabric& fabric,
                                    const partitions::KeptKeys* kept) {
  PartitionDecision decision;
  decision.map = partitions::partition_map(context.partitioning, fabric, context.options, {},
                                           context.runtime.get(), kept);
  decision.p_keys =
      partitions::p_key_targets(fabric, decision.map, context.options, {}, context.runtime.get());
  decision.map = partitions::without_left_out(std::move(decision.map), decision.p_keys);
  return decision;
}

namespace {

/// Returns the switch from which the others have to be reached without `without`: the manager's. If
/// that is `without` itself, kNoIndex, or some other switch if nothing passes `without` anyway.
SwitchIndex first_without(const Fabric& fabric, SwitchIndex without) {
  const NodeIndex own = fabric.ports[fabric.sm_port].node;
  const PortIndex uplink = fabric.ports[fabric.sm_port].peer;
  const NodeIndex first =
      fabric.nodes[own].is_switch() || uplink == kNoIndex ? own : fabric.ports[uplink].node;
  if (!fabric.nodes[first].is_switch()) return kNoIndex;
  if (fabric.nodes[first].switch_index != without) return fabric.nodes[first].switch_index;
  if (has_linear_table(fabric.switches[without].info) || fabric.switches.size() < 2)
    return kNoIndex;
  return SwitchIndex(without == SwitchIndex{0} ? 1u : 0u);
}

/// True if links between switches do not reach all other switches without those of `without`.
bool separates_others(const Fabric& fabric, SwitchIndex without) {
  const SwitchIndex first = first_without(fabric, without);
  if (first == kNoIndex) return true;
  std::vector<bool> reached(fabric.switches.size(), false);
  std::vector<SwitchIndex> open{first};
  reached[open.front()] = true;
  for (std::size_t next = 0; next < open.size(); ++next) {
    for (const Port& port : fabric.node_ports(fabric.switches[open[next]].node)) {
      if (port.peer == kNoIndex || !port.is_up()) continue;
      const Node& neighbour = fabric.owning_node(port.peer);
      if (!neighbour.is_switch() || neighbour.switch_index == without ||
          reached[neighbour.switch_index])
        continue;
      reached[neighbour.switch_index] = true;
      open.push_back(neighbour.switch_index);
    }
  }
  return open.size() + 1 < fabric.switches.size();
}

/// Returns the fabric without links between switches at which the forwarding table is too small
/// (lid_limit): engines would lead paths through them to LIDs that they cannot hold. Keeps the
/// links of a switch that others depend on. Returns nullopt if nothing is removed.
std::optional<Fabric> without_small_switches(const Fabric& fabric, mad::Lid lid_top) {
  std::optional<Fabric> result;
  for (const SwitchIndex sw : lid_limit(fabric, lid_top.value).too_small) {
    if (separates_others(result ? *result : fabric, sw)) continue;
    if (!result) result = fabric;
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    for (PortIndex port = node.first_port; port <= node.first_port + node.num_ports; ++port) {
      const PortIndex peer = result->ports[port].peer;
      if (peer == kNoIndex || !fabric.owning_node(peer).is_switch()) continue;
      result->ports[port].peer = result->ports[peer].peer = kNoIndex;
    }
  }
  return result;
}

}  // namespace

std::optional<routing::ChainResult> decide_routing(const SweepContext& context,
                                                   const Fabric& present,
                                                   const LidMap& present_lids, const KeptLids& kept,
                                                   const RoutingStart& start, Findings& findings) {
  const std::optional<RoutedFabric> with_kept = with_kept_ports(present, present_lids, kept);
  const Fabric& whole = with_kept ? with_kept->fabric : present;
  const LidMap& lids = with_kept ? with_kept->lids : present_lids;
  const std::optional<Fabric> part = without_small_switches(whole, lids.lid_top);
  const Fabric& fabric = part ? *part : whole;
  const SwitchGraph graph = make_switch_graph(fabric);
  routing::RoutingOptions options = routing_options(context.options, context.files);
  add_port_groups(context.files, fabric, options);
  const std::vector<std::string_view> runnable = config::runnable_engines(context.options);
  const std::vector<std::string> names(runnable.begin(), runnable.end());
  const bool no_fallback = std::ranges::find(context.options.routing_engine, "no_fallback") !=
                           context.options.routing_engine.end();
  routing::RoutingInput input{fabric,
                              graph,
                              lids,
                              options,
                              start.previous,
                              start.before ? &*start.before : nullptr,
                              start.adopt,
                              nullptr,
                              start.fallback_engine,
                              start.numbers.ids,
                              start.numbers.limit};
  input.conflict_removal = start.conflict_removal;
  auto routed = routing::route_with_chain(names, no_fallback, input);
  if (!routed) {
    findings.emplace_back(ConditionSource::routing,
                          std::vector<Condition>{{.id = routing::kRoutingConditions.routing_failed,
                                                  .text = routed.error().why}});
    return std::nullopt;
  }
  std::vector<std::string> limits =
      routing::describe(routed->verification, fabric, lids, kProblemsListed);
  limits.resize(std::min(limits.size(), kProblemsListed));
  std::vector<Condition> active =
      make_conditions(routing::kRoutingConditions.routing_refused, routed->refusals);
  std::ranges::copy(routed->routing.conditions, std::back_inserter(active));
  std::ranges::move(make_conditions(routing::kRoutingConditions.routing_no_path, std::move(limits)),
                    std::back_inserter(active));
  findings.emplace_back(ConditionSource::routing, std::move(active));
  return std::move(*routed);
}

void check_vl_settings(const SweepContext& context, const Fabric& fabric,
                       const PublishedRouting& routing, Findings& findings) {
  const routing::VlTargets targets(fabric, context.options, routing);
  findings.emplace_back(ConditionSource::vl_settings, targets.conditions(routing.engine));
}

namespace {

/// Finds channel-dependency cycles of unicast and trees together.
class SharedChannels {
 public:
  SharedChannels(const Subnet& subnet, const SwitchGraph& graph, const LidMap& lids,
                 const ForwardingTables& lfts)
      : subnet_(subnet), graph_(graph), lids_(lids), lfts_(lfts) {}

  /// Verification of the tables has found what unicast adds. After a change it may name channels
  /// that are no longer there. All paths are followed only where that closes a cycle.
  routing::CreditLoops loops_with(const routing::MulticastRouter& router,
                                  const std::vector<routing::MulticastGroup>& groups,
                                  const routing::RoutingState& verified) {
    if (!exact_ && verified.dependencies && graph_.has_same_channels(verified.rows->graph)) {
      routing::ChannelGraph known = *verified.dependencies;
      known.refer_to(graph_);
      if (routing::CreditLoops loops = cycles(std::move(known), router, groups); loops.ok())
        return loops;
    }
    const PublishedRouting& routing = *subnet_.routing;
    if (!exact_)
      exact_ = routing::find_dependencies(graph_, lids_, lfts_, {routing.sls, routing.sl_to_vl},
                                          routing::Traffic::between_hosts);
    return cycles(*exact_, router, groups);
  }

 private:
  routing::CreditLoops cycles(routing::ChannelGraph channels,
                              const routing::MulticastRouter& router,
                              const std::vector<routing::MulticastGroup>& groups) const {
    routing::add_multicast_dependencies(graph_, router.tables(), groups, subnet_.routing->sl_to_vl,
                                        channels);
    return routing::find_cycles(channels);
  }

  const Subnet& subnet_;
  const SwitchGraph& graph_;
  const LidMap& lids_;
  const ForwardingTables& lfts_;
  std::optional<routing::ChannelGraph> exact_;  // of unicast, once it was necessary
};

Condition make_condition(const routing::CreditLoops& loops, const Fabric& fabric,
                         const SwitchGraph& graph) {
  return {.id = routing::kRoutingConditions.multicast_credit_loop,
          .text = fmt::format("multicast and unicast share virtual lanes, and {}; a service level "
                              "of their own would keep groups out of it",
                              routing::text(loops.loops.front(), fabric, graph))};
}

}  // namespace

std::vector<Condition> multicast_loops(const Subnet& subnet, const ForwardingTables& lfts,
                                       const routing::RoutingState& verified,
                                       const routing::MulticastRouter& router,
                                       const std::vector<routing::MulticastGroup>& groups) {
  const SwitchGraph graph = make_switch_graph(subnet.fabric);
  const LidMap lids = virt::physical_only(subnet.lids, subnet.fabric);
  const routing::CreditLoops loops =
      SharedChannels(subnet, graph, lids, lfts).loops_with(router, groups, verified);
  if (loops.ok()) return {};
  return {make_condition(loops, subnet.fabric, graph)};
}

routing::MulticastRouter decide_multicast(const Subnet& subnet, const ForwardingTables& lfts,
                                          const routing::RoutingState& verified,
                                          const TreeStart& start,
                                          const std::vector<routing::MulticastGroup>& groups,
                                          std::vector<routing::MulticastFinding>& limits,
                                          Findings& findings) {
  const Fabric& fabric = subnet.fabric;
  const PublishedRouting& routing = *subnet.routing;
  const SwitchGraph graph = make_switch_graph(fabric);
  std::optional<routing::MulticastRouter> updated;
  const TreeStart::Previous& previous = start.previous;
  if (previous.router != nullptr && routing.multicast_up.empty())
    updated =
        previous.router->updated(fabric, graph, previous.groups, previous.limits, groups, limits);
  const bool has_same_graph = updated.has_value();
  routing::MulticastRouter router =
      has_same_graph ? std::move(*updated)
                     : routing::MulticastRouter(fabric, graph, start.tables, start.centres,
                                                routing.multicast_up);
  if (!has_same_graph) router.route_all(groups, limits);
  findings.emplace_back(ConditionSource::multicast_groups, make_conditions(limits, fabric));

  std::vector<Condition> active;
  const routing::Engine* engine = routing::find_engine(routing.engine);
  const bool is_checked = has_same_graph && previous.is_loop_free && !router.has_new_dependencies();
  if (engine != nullptr && engine->promises_no_credit_loops && !groups.empty() && !is_checked) {
    // LIDs of vports have the service levels and paths of their ports.
    const LidMap lids = virt::physical_only(subnet.lids, fabric);
    SharedChannels channels(subnet, graph, lids, lfts);
    const routing::CreditLoops loops = channels.loops_with(router, groups, verified);
    bool safe = loops.ok();
    if (!safe && routing.multicast_up.empty()) {
      const routing::RoutingOptions options;
      for (const auto& up : routing::trees_of_unicast({fabric, graph, lids, options}, lfts,
                                                      routing.roots, kTreesTried)) {
        routing::MulticastRouter one_tree(fabric, graph, start.tables, {}, up);
        std::vector<routing::MulticastFinding> left_out;
        one_tree.route_all(groups, left_out);
        safe = left_out.empty() && channels.loops_with(one_tree, groups, verified).ok();
        if (!safe) continue;
        router = std::move(one_tree);
        active.push_back({.id = routing::kRoutingConditions.multicast_shared_tree,
                          .text = "all multicast groups share one tree: with trees of their own, "
                                  "credit loops with unicast are possible"});
        break;
      }
    }
    if (!safe) active.push_back(make_condition(loops, fabric, graph));
  }
  findings.emplace_back(ConditionSource::multicast_vls, std::move(active));
  router.note_dependencies_checked();
  return router;
}

std::vector<Condition> dropped_groups(const VlTables& vl_tables,
                                      const std::vector<routing::MulticastGroup>& groups) {
  std::vector<Condition> active;
  const std::uint16_t dropped = vl_tables.dropped_sls();
  for (const routing::MulticastGroup& group : groups) {
    if ((group.sls & dropped) == 0) continue;
    active.push_back({.id = routing::kRoutingConditions.multicast_sl_dropped,
                      .text = fmt::format("some port maps the service level of multicast group "
                                          "{} to VL 15, and drops its packets",
                                          group.mlid)});
  }
  return active;
}

std::vector<Condition> make_conditions(const std::vector<routing::MulticastFinding>& findings,
                                       const Fabric& fabric) {
  std::vector<Condition> found;
  for (const routing::MulticastFinding& finding : findings) {
    if (found.size() >= kGroupConditionsMax) break;
    found.push_back(routing::make_condition(finding, fabric));
  }
  return found;
}

}  // namespace sm
