// Pass: decides routes, multicast trees and virtual lanes.

#include <algorithm>
#include <iterator>

#include "fabric/switch_graph.h"
#include "routing/core/remembered_routings.h"
#include "routing/core/routing_conditions.h"
#include "routing/multicast/returned_trees.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/apply/adaptive_stages.h"
#include "sm/sweep/apply/multicast_stages.h"
#include "sm/sweep/apply/unicast_stages.h"
#include "sm/sweep/apply/vl_stages.h"
#include "sm/sweep/decide/adaptive_settings.h"
#include "sm/sweep/decide/adaptive_target.h"
#include "sm/sweep/decide/engine_options.h"
#include "sm/sweep/decide/many_memberships.h"
#include "sm/sweep/decide/port_groups.h"
#include "sm/sweep/decide/routing_facts.h"
#include "sm/sweep/pass.h"
#include "virt/vport_lids.h"

namespace sm {
namespace asio = boost::asio;
namespace {

/// True if an operator has changed what the present routes were made with. This holds until a pass
/// has succeeded.
bool has_other_settings(const State& state, const SharedContext& now) {
  const Routed& last = state.routing;
  return !state.succession.is_first && last.chain && last.context &&
         !same_settings(last.context, now) &&
         chooses_routes_again(*last.context, *now, last.chain->routing.engine);
}

/// Adds SM-MEMBERSHIPS-MANY to the findings about groups. What is raised decides on ports that are
/// near the bound.
void add_busy_ports(Findings& findings, const std::vector<BusyPort>& busy, const Fabric& fabric,
                    const ConditionLog& conditions) {
  if (busy.empty()) return;
  std::set<mad::Guid> raised;
  for (const ConditionLog::Raised& each : conditions.raised())
    if (each.condition.id == routing::kRoutingConditions.memberships_many)
      raised.insert(each.condition.guid);
  const auto of_groups =
      std::ranges::find(findings, ConditionSource::multicast_groups, &Findings::value_type::first);
  if (of_groups != findings.end())
    std::ranges::move(many_memberships(busy, fabric, raised),
                      std::back_inserter(of_groups->second));
}

/// Returns the group numbers that are already in use by the file or by the tables of switches.
GroupNumbers group_numbers(const State& state, const config::Options& options, const Fabric& fabric,
                           const LidMap& physical) {
  GroupNumbers numbers;
  if (!adaptive_settings(options).any()) return numbers;
  numbers.limit = group_limit(fabric, state.devices);
  auto ids = std::make_shared<GroupIds>(state.stored.group_ids());
  if (state.succession.is_first)
    for (const auto& [guid, group] : groups_in_use(fabric, physical, state.devices))
      add_number(*ids, guid, group);
  numbers.ids = std::move(ids);
  return numbers;
}

/// Returns the present trees. If the routing returned to a remembered one, its trees return, too.
TreeStart tree_start(const State& state, const Routed& routed, const Fabric& fabric) {
  const Trees& trees = state.trees;
  TreeStart start{.tables = state.devices.mfts.start()};
  if (trees.router) {
    start.centres.assign(trees.router->centres().begin(), trees.router->centres().end());
    if (trees.router->tables() == start.tables)
      start.previous = {
          .router = &*trees.router,
          .groups = trees.groups,
          .limits = trees.limits,
          .is_loop_free = routed.chain == state.routing.chain && !trees.has_credit_loop};
  }
  const Routed& last = state.routing;
  if (routed.chain == last.chain || !routed.state->returned_to || !last.state) return start;
  const auto remembered =
      std::ranges::find(trees.remembered, routed.state->returned_to, &RememberedTrees::routing);
  if (remembered == trees.remembered.end()) return start;
  start.tables = routing::with_returned_trees(
      fabric, make_switch_graph(fabric), std::move(start.tables), *remembered->tables,
      *remembered->routing->memory->rows, *last.state->rows);
  start.centres = remembered->centres;
  start.previous = {};
  return start;
}

/// Routes the groups that have changed, and returns their number. Cost: by these groups.
std::size_t route_changed(Trees& trees, std::vector<routing::MulticastGroup> groups) {
  std::size_t changed = 0;
  for (routing::MulticastGroup& group : groups) {
    const auto at =
        std::ranges::lower_bound(trees.groups, group.mlid, {}, &routing::MulticastGroup::mlid);
    const bool known = at != trees.groups.end() && at->mlid == group.mlid;
    const bool is_empty = group.receivers.empty() && group.senders.empty();
    if (is_empty ? !known : known && *at == group) continue;
    ++changed;
    std::erase_if(trees.limits, [&](const auto& limit) { return limit.mlid == group.mlid; });
    if (is_empty) {
      trees.router->clear(group.mlid);
      trees.groups.erase(at);
      continue;
    }
    trees.router->route(group, trees.limits);
    if (known)
      *at = std::move(group);
    else
      trees.groups.insert(at, std::move(group));
  }
  trees.all_groups_due = false;
  return changed;
}

}  // namespace

/// Reads what routes and trees start from: forwarding tables, the groups, and multicast tables if
/// they have not been decided yet. Returns the groups.
asio::awaitable<std::vector<routing::MulticastGroup>> Pass::read_for_routes(Draft& draft) {
  std::vector<routing::MulticastGroup> groups;
  if (survey_) {
    co_await environment_.read(unicast_reads(draft.next.fabric, state_.devices.lfts),
                               draft.next.fabric);
    co_await read_adaptive(draft.next.fabric);
  }
  if (!has_multicast()) co_return groups;
  if (survey_) {
    MulticastMemory& memory = state_.devices.mfts;
    state_.trees.all_groups_due = true;
    groups = co_await all_groups(draft.next);
    if (groups.empty()) co_return groups;
    memory.held().grow(MulticastTables::block_index(groups.back().mlid) + 1);
    if (!memory.is_decided())
      co_await environment_.read(multicast_reads(draft.next.fabric, memory), draft.next.fabric);
  } else if (request_.groups && state_.trees.router) {
    groups = co_await groups_to_route();
  }
  co_return groups;
}

/// Reads which devices can route adaptively, and how switches are set. After another manager may
/// have written tables, those that look right are written again. After a write of a forwarding
/// table block, nothing shows that its LIDs have left adaptive routing.
asio::awaitable<void> Pass::read_adaptive(const Fabric& fabric) {
  const AdaptiveSettings settings = adaptive_settings(context_->options);
  AdaptiveQueries queries;
  queries.switches = settings.any();
  queries.cas = settings.choose && context_->options.enable_ar_by_device_cap;
  if (before_ && !state_.succession.is_first && request_.trust_tables)
    queries.known = &before_->fabric;
  co_await environment_.read(adaptive_reads(fabric, state_.devices, queries), fabric);
  if (state_.succession.leaving_standby) state_.devices.adaptive.invalidate();
}

/// Decides routes and trees. Returns nullopt if no engine routes the fabric.
asio::awaitable<std::optional<Routes>> Pass::decide_routes(const EndPorts& end_ports,
                                                           Draft& draft) {
  Routes routes;
  routes.groups = co_await read_for_routes(draft);
  if (survey_) {
    const bool is_routed = co_await route_survey(end_ports, routes, draft);
    if (!is_routed) co_return std::nullopt;
  }
  if (!has_multicast() || !(survey_ || (request_.groups && state_.trees.router)))
    co_return std::move(routes);
  const Fabric& fabric = survey_ ? draft.next.fabric : before_->fabric;
  std::vector<BusyPort> busy;
  const std::function<void()> trees = [&] {
    if (survey_)
      decide_trees(routes, draft);
    else
      update_trees(routes, draft);
    busy = busy_ports(survey_ ? routes.groups : state_.trees.groups, fabric);
  };
  co_await compute(trees);
  add_busy_ports(findings_, busy, fabric, environment_.conditions);
  co_return std::move(routes);
}

/// Returns false if no engine routes the fabric. Then the pass writes nothing: the old tables keep
/// forwarding, and joins still change the trees of the published subnet.
asio::awaitable<bool> Pass::route_survey(const EndPorts& end_ports, Routes& routes, Draft& draft) {
  environment_.enter(SweepPhase::route);
  const std::function<void()> route = [&] { route_all(end_ports, routes, draft); };
  co_await compute(route);
  environment_.enter(SweepPhase::decide);
  if (routes.routed.chain) co_return true;
  if (!applies()) co_return false;
  environment_.log.critical(
      "No routing engine able to successfully configure  switch tables on current fabric");
  if (before_) {
    state_.devices.lfts.update_from(before_->fabric);
    state_.devices.mfts.update_from(before_->fabric);
  }
  co_return false;
}

void Pass::route_all(const EndPorts& end_ports, Routes& routes, Draft& draft) {
  Subnet& next = draft.next;
  Target& target = draft.target;
  KeptLids& kept = routes.kept;
  Routed& routed = routes.routed;
  const LidMap& physical = end_ports.physical;
  const Guid2Lid& reserved = end_ports.decision.persisted;
  kept = kept_lids(state_.kept, before_.get(), next.fabric, target.lids, reserved);
  if (state_.succession.is_first)
    add_kept_of_tables(kept, state_.devices.lfts, next.fabric, target.lids, reserved);
  withdraw_isolated(kept, next.fabric);
  const KeptLids routed_too = placed(kept, next.fabric, target.lids);
  make_room(target.lids, routed_too);
  next.lids = target.lids;
  routed = route(next.fabric, physical, routed_too);
  if (!routed.chain && parts_.links.use_isolated(next.fabric)) {
    add_finding(ConditionSource::link_health, parts_.links.kept_out().conditions);
    routed = route(next.fabric, physical, routed_too);
  }
  if (!routed.chain) return;
  target.lfts = virt::with_vport_lids(routed.lfts, next.fabric, physical, target.lids,
                                      kept_copies(routed_too, next.fabric, physical));
  target.routing = next.routing =
      std::shared_ptr<const PublishedRouting>(routed.chain, &routed.chain->routing);
  // SLs that clients remember may be those of a credit loop: they query their paths again.
  if (has_other_settings(state_, context_) &&
      state_.routing.chain->routing.sls != next.routing->sls)
    target.reregister_clients = true;
  add_finding(ConditionSource::link_settings, std::move(draft.pending_settings));
  check_vl_settings(*context_, next.fabric, *next.routing, findings_);
}

/// Returns what routing starts from: at first as master the found tables, unless -r replaces LIDs.
RoutingStart Pass::routing_start() const {
  const bool is_first = state_.succession.is_first;
  RoutingStart start;
  if (context_->options.rebalance)
    start.conflict_removal = request_.removes_conflicts ? routing::ConflictRemoval::always
                                                        : routing::ConflictRemoval::if_quick;
  if (request_.reroute || has_other_settings(state_, context_)) return start;
  start.adopt = is_first && context_->options.routing_adoption && !context_->options.reassign_lids;
  if (is_first && !start.adopt) return start;
  if (is_first && !state_.succession.leaving_standby)
    start.fallback_engine = state_.stored.fallback_engine();
  start.previous = state_.devices.lfts.tables();
  const Routed& last = state_.routing;
  if (!is_first && before_ && last.state && last.lfts && last.chain)
    start.before.emplace(*last.state, *last.lfts, last.chain->routing);
  return start;
}

/// Returns the previous routing if its inputs are unchanged, else a new one.
Routed Pass::route(const Fabric& fabric, const LidMap& physical, const KeptLids& kept) {
  const Routed& last = state_.routing;
  Routed now;
  now.facts = routing_facts(fabric, physical, kept);
  std::ranges::copy(port_group_facts(context_->files, fabric), std::back_inserter(now.facts));
  RoutingStart start = routing_start();
  start.numbers = group_numbers(state_, context_->options, fabric, physical);
  for (unsigned shift = 0; shift < 16; shift += 8)
    now.facts.push_back(static_cast<std::uint8_t>(start.numbers.limit >> shift));
  now.context = context_;
  if (!request_.reroute && !request_.removes_conflicts && !state_.succession.is_first && before_ &&
      last.chain && state_.configured == context_ && same_settings(context_, last.context) &&
      now.facts == last.facts) {
    add_finding(ConditionSource::routing, last.conditions);
    return last;
  }
  Findings found;
  std::optional<routing::ChainResult> routed =
      decide_routing(*context_, fabric, physical, kept, start, found);
  for (const auto& [source, conditions] : found)
    if (source == ConditionSource::routing) now.conditions = conditions;
  std::ranges::move(found, std::back_inserter(findings_));
  if (!routed) return now;
  now.lfts = std::make_shared<ForwardingTables>(std::exchange(routed->routing.lfts, {}));
  now.state = routed->memory;
  now.chain = std::make_shared<const routing::ChainResult>(std::move(*routed));
  return now;
}

// ------------------------------------------------------------------------------------------
// multicast trees

void Pass::decide_trees(Routes& routes, Draft& draft) {
  const TreeStart start = tree_start(state_, routes.routed, draft.next.fabric);
  routes.router.emplace(decide_multicast(draft.next, *draft.target.lfts, *routes.routed.state,
                                         start, routes.groups, routes.limits, findings_));
  draft.target.mfts = std::make_shared<const MulticastTables>(routes.router->tables());
}

/// Returns the groups in the order of their MLIDs, each MLID once.
asio::awaitable<std::vector<routing::MulticastGroup>> Pass::all_groups(const Subnet& subnet) {
  std::vector<routing::MulticastGroup> groups;
  std::optional<mad::Mlid> next = mad::Mlid{};
  while (next) {
    next = parts_.administration.append_groups(subnet, *next, groups);
    const mad::Duration no_time{};
    if (next && environment_.can_pause()) co_await environment_.pause(no_time);
  }
  co_return routing::joined_by_mlid(std::move(groups));
}

/// Returns the groups, by MLID, that may differ from Trees::groups. A group that is deleted has no
/// members.
asio::awaitable<std::vector<routing::MulticastGroup>> Pass::groups_to_route() {
  if (!state_.trees.all_groups_due) {
    auto changed = parts_.administration.changed_groups(*before_);
    if (changed) co_return std::move(*changed);
  }
  std::vector<routing::MulticastGroup> groups = co_await all_groups(*before_);
  const std::size_t present = groups.size();
  for (const routing::MulticastGroup& known : state_.trees.groups) {
    const auto end = groups.begin() + static_cast<std::ptrdiff_t>(present);
    const auto at = std::ranges::lower_bound(groups.begin(), end, known.mlid, {},
                                             &routing::MulticastGroup::mlid);
    if (at != end && at->mlid == known.mlid) continue;
    groups.push_back({.mlid = known.mlid, .receivers = {}, .senders = {}});
  }
  co_return groups;
}

/// Routes only the MLIDs whose members have changed.
void Pass::update_trees(Routes& routes, Draft& draft) {
  Trees& trees = state_.trees;
  result_.groups_changed = route_changed(trees, std::exchange(routes.groups, {}));
  add_finding(ConditionSource::multicast_groups, make_conditions(trees.limits, before_->fabric));
  if (result_.groups_changed == 0 && !trees.is_behind) return;
  // The next sweep finds a new credit loop: following all paths at each change costs too much.
  if (trees.has_credit_loop && before_->lfts)
    add_finding(ConditionSource::multicast_vls,
                multicast_loops(*before_, *before_->lfts, *state_.routing.state, *trees.router,
                                trees.groups));
  draft.begin_with(*before_);
  draft.target.mfts = std::make_shared<const MulticastTables>(trees.router->tables());
}

// ------------------------------------------------------------------------------------------
// what the plan compares with

asio::awaitable<void> Pass::read_for_plan(Draft& draft) {
  if (draft.target.mfts) co_await read_multicast(draft);
  if (draft.target.mfts && !survey_) co_await read_newly_used(draft);
  if (survey_ || request_.vl_tables) co_await read_vls(draft);
}

/// Without an audit, which would read them later, this also reads units that do not matter now.
asio::awaitable<void> Pass::read_multicast(const Draft& draft) {
  const MulticastTables& wanted = *draft.target.mfts;
  MulticastMemory& memory = state_.devices.mfts;
  if (!survey_) memory.want(draft.target.mfts);
  memory.held().grow(wanted.blocks());
  // A variable, since g++ 12 destroys a conditional temporary of an awaited call twice.
  std::unique_ptr<StageSource> reads =
      context_->options.audit_interval == 0
          ? multicast_reads(draft.next.fabric, memory)
          : multicast_reads(draft.next.fabric, memory, wanted, context_->options.use_mfttop);
  co_await environment_.read(std::move(reads), draft.next.fabric);
}

/// Reads the SL to VL tables of switches where the trees bring pairs of ports into use.
asio::awaitable<void> Pass::read_newly_used(Draft& draft) {
  DeviceState& devices = state_.devices;
  if (routing::VlTargets::any(context_->options, *draft.next.routing)) {
    devices.pairs.add_multicast(draft.next.fabric, draft.target.mfts, &devices.mfts.held().tables);
    draft.target.newly_used = devices.pairs.take_grown();
  }
  if (draft.target.newly_used.empty()) co_return;
  draft.target.routing = draft.next.routing;
  co_await environment_.read(vl_reads(draft.next.fabric, devices, context_->options,
                                      *draft.next.routing, &draft.target.newly_used),
                             draft.next.fabric);
}

asio::awaitable<void> Pass::read_vls(Draft& draft) {
  DeviceState& devices = state_.devices;
  if (!survey_) {
    draft.begin_with(*before_);
    draft.target.routing = draft.next.routing;
    check_vl_settings(*context_, draft.next.fabric, *draft.next.routing, findings_);
  }
  const bool has_tables = routing::VlTargets::any(context_->options, *draft.next.routing);
  if (survey_ && !has_tables) {
    devices.vl_tables = {};
    devices.refusals.forget_tables();
    devices.pairs.forget();
  }
  if (!has_tables) co_return;
  const Fabric* const last = before_ ? &before_->fabric : nullptr;
  const std::function<void()> update = [&] {
    devices.update_vl_tables(draft.next.fabric, last, request_.trust_tables);
    devices.update_pairs(draft.next.fabric, draft.target.lfts, draft.target.mfts,
                         request_.trust_tables);
  };
  if (survey_) co_await compute(update);
  co_await environment_.read(
      vl_reads(draft.next.fabric, devices, context_->options, *draft.next.routing),
      draft.next.fabric);
}

/// Returns the VL tables; null if neither options nor routing require any.
std::shared_ptr<const VlTables> Pass::vl_tables(const Subnet& subnet) const {
  if (!routing::VlTargets::any(context_->options, *subnet.routing)) return nullptr;
  return std::make_shared<const VlTables>(state_.devices.vl_tables);
}

}  // namespace sm
