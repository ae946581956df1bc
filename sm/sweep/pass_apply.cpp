// Pass: writes the difference, and publishes the outcome.

#include <algorithm>

#include "mad/format.h"
#include "routing/core/remembered_routings.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/dumps/dumps.h"
#include "sm/sweep/apply/router_reads.h"
#include "sm/sweep/apply/unicast_stages.h"
#include "sm/sweep/apply/vport_stages.h"
#include "sm/sweep/decide/adaptive_target.h"
#include "sm/sweep/devices/device_events.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "sm/sweep/pass.h"
#include "virt/virt_conditions.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// Keeps trees for each remembered routing. The caller calls it before it replaces the subnet and
/// the trees of the previous sweep.
void remember_trees(State& state, const Subnet* before, const Routed& routed) {
  Trees& trees = state.trees;
  const auto& routings = routed.state->remembered;
  std::erase_if(trees.remembered, [&](const RememberedTrees& of) {
    return std::ranges::find(routings, of.routing) == routings.end();
  });
  if (before == nullptr || !before->mfts || !trees.router) return;
  const routing::RoutingState* const last = state.routing.state.get();
  for (const auto& routing : routings) {
    if (routing->memory->rows != (last != nullptr ? last->rows : nullptr)) continue;
    if (std::ranges::find(trees.remembered, routing, &RememberedTrees::routing) !=
        trees.remembered.end())
      continue;
    trees.remembered.push_back(
        {.routing = routing,
         .tables = before->mfts,
         .centres = {trees.router->centres().begin(), trees.router->centres().end()}});
  }
}

/// Requests ClientReregister for vports of ports that returned. Vports of the policy Up stay Active
/// while their port is away, so that their clients see no event.
void mark_hosts_of_vports(virt::Facts& facts, const Draft& draft) {
  const std::vector<bool>& marked = draft.target.newcomers;
  if (marked.empty()) return;
  const Fabric& fabric = draft.next.fabric;
  for (const PortIndex port : fabric.end_ports)
    if (marked[port] && virt::can_have_vports(fabric.ports[port]))
      facts[fabric.ports[port].guid].reregister = true;
}

/// Forgets nodes that may have stored the content of a Set at another place than meant.
void forget_misplaced(ConditionLog& log, DeviceState& devices, const Fabric& fabric,
                      ApplyReport& report) {
  for (const mad::Guid guid : report.misplaced) {
    const NodeIndex node = fabric.node_of_guid.at(guid);
    forget_node(devices, fabric, node);
    log.occurred(
        {.id = kSweepConditions.audit_difference,
         .text = fmt::format("{} answered SubnSet requests with another attribute modifier than "
                             "theirs, and had to be read again",
                             fabric.name(node)),
         .guid = guid});
    if (report.restarted.insert(guid).second) ++report.failed;
  }
}

/// Marks vports that differ from their target, so that a later pass tries them again.
void note_vport_outcome(State& state, const Draft& draft, const VPortTargets& outcome,
                        mad::TimePoint now) {
  virt::Facts& facts = state.devices.vports;
  state.vport_lfts_behind = false;
  for (std::size_t number = 0; number < outcome.vports.size(); ++number) {
    const VPort& vport = outcome.vports[number];
    if (vport.hold == draft.target.vports->vports[number].hold) continue;
    facts[draft.next.fabric.ports[vport.port].guid].due = true;
    if (vport.hold == VPortHold::tables && vport.has_own_lid) state.vport_lfts_behind = true;
  }
  for (auto& [guid, port] : facts) {
    if (port.due)
      port.retry.failed(now);
    else
      port.retry.succeeded();
  }
}

}  // namespace

asio::awaitable<Written> Pass::apply(const EndPorts& end_ports, Routes& routes, Draft& draft,
                                     bool m_keys_stored) {
  Written written;
  written.scope = plan_scope(end_ports, draft, m_keys_stored);
  if (survey_) co_await begin_writes(routes, draft);
  if (!survey_ && covers(written.scope, PlanScope::m_keys)) {
    draft.begin_with(*before_);
    draft.target.lids = draft.next.lids;
    draft.target.m_keys = state_.m_keys.policy();
  }
  if (written.scope == PlanScope::none) co_return std::move(written);
  take_groups(draft);
  ApplyOptions how = environment_.apply_options();
  how.announces_phases = true;
  const auto announce = [this, &draft] { return announce_ready(draft); };
  if (covers(written.scope, PlanScope::p_keys))
    how.before_ports = announce;
  else if (request_.vports)
    how.before_vports = announce;
  state_.devices.lfts.begin_writes();
  Planner planner(draft.next.fabric, state_.devices, draft.target, context_->options,
                  written.scope);
  written.report = co_await sm::apply(environment_.client, how, draft.next.fabric, planner);
  co_await check_tables(draft, written.report);
  report_apply(draft, written);
  co_return std::move(written);
}

/// Returns what this pass compares with the target.
PlanScope Pass::plan_scope(const EndPorts& end_ports, const Draft& draft,
                           bool m_keys_stored) const {
  // Where switches can route adaptively, the pass that follows adds to it.
  if (survey_)
    return state_.devices.adaptive.is_in_use() ? without(PlanScope::everything, PlanScope::adaptive)
                                               : PlanScope::everything;
  PlanScope scope = PlanScope::none;
  if (request_.p_keys || end_ports.members) scope |= PlanScope::p_keys;
  if (request_.vl_tables) scope |= PlanScope::vl_tables;
  if (request_.groups && draft.target.mfts) scope |= PlanScope::multicast;
  if (request_.vports) scope |= PlanScope::vports | PlanScope::adaptive;
  if (request_.m_keys && m_keys_stored) scope |= PlanScope::m_keys;
  return scope;
}

/// Prepares what the writes of a sweep depend on.
asio::awaitable<void> Pass::begin_writes(Routes& routes, Draft& draft) {
  Target& target = draft.target;
  state_.reregister_vports = state_.reregister_vports || target.reregister_clients;
  mark_hosts_of_vports(state_.devices.vports, draft);
  target.vports = nullptr;  // the pass that follows, after links have become Active
  log_detail(environment_.log, "osm_ucast_mgr_process: {} tables configured on all switches",
             draft.next.routing->engine);
  remember_trees(state_, before_.get(), routes.routed);
  Trees& trees = state_.trees;
  if (routes.router) trees.limits = std::move(routes.limits);
  trees.router = std::move(routes.router);
  trees.groups = std::move(routes.groups);
  trees.all_groups_due = false;
  if (target.mfts) state_.devices.mfts.want(target.mfts);
  co_await save_group_ids(routes.routed.chain->routing.group_ids);
  // A restart needs the mark, so that it is on disk before the first table is written.
  if (routes.routed.state->is_fallback) co_await save_fallback_mark(*routes.routed.state);
}

/// Adds the adaptive groups of the routing that the target's tables, or those in use, come from.
void Pass::take_groups(Draft& draft) const {
  if (draft.next.routing && (draft.target.lfts || request_.vports))
    add_adaptive(draft.target, draft.next.routing->adaptive, draft.next.fabric, context_->options);
}

/// Stores the group numbers before a switch holds them, so that they stay the same after a restart.
asio::awaitable<void> Pass::save_group_ids(std::shared_ptr<const GroupIds> ids) {
  if (!ids) co_return;
  std::vector<Condition> active;
  const std::function<void()> save = [&] {
    active = state_.stored.save_group_ids(context_->options, *ids);
  };
  co_await compute(save);
  add_finding(ConditionSource::group_store, std::move(active));
}

void Pass::publish_adaptive(Draft& draft, PlanScope scope) {
  Subnet& next = draft.next;
  next.adaptive = adaptive_routing(next.fabric, state_.devices, draft.target, context_->options);
  if (!covers(scope, PlanScope::adaptive)) return;  // it is said when it has been written
  add_finding(ConditionSource::adaptive_routing,
              next.adaptive ? adaptive_conditions(next.fabric, *next.adaptive, state_.devices.table)
                            : std::vector<Condition>{});
}

/// Reads and publishes what routers reach. This follows all writes, since a router that does not
/// answer is still programmed. Returns true if the result differs from the published one.
asio::awaitable<bool> Pass::publish_routers(Draft& draft) {
  const Fabric& fabric = survey_ ? draft.next.fabric : before_->fabric;
  DeviceState& devices = state_.devices;
  if (context_->options.read_router_tables) {
    co_await environment_.read(router_reads(fabric, devices), fabric);
  } else {
    devices.routers = {};
    devices.table.forget(kRouterAttributes);
  }
  auto now = std::make_shared<Routers>(
      decide_routers(fabric, state_.devices.table, context_->options.subnet_prefix));
  std::vector<Condition> active = router_table_conditions(fabric, *now);
  std::ranges::move(state_.devices.routers.note_losses(fabric, *now, environment_.client.now()),
                    std::back_inserter(active));
  if (context_->options.rtr_aguid_enable == kSetRouterAliases)
    std::ranges::move(state_.devices.router_aliases.conditions(fabric), std::back_inserter(active));
  add_finding(ConditionSource::routers, std::move(active));
  const std::shared_ptr<const Routers> was = before_ ? before_->routers : nullptr;
  const bool differs = !was || *was != *now;
  if (!survey_ && !differs) co_return false;
  const std::function<void()> copy = [&] { draft.begin_with(*before_); };
  if (!survey_) co_await compute(copy);
  draft.next.routers = differs ? std::shared_ptr<const Routers>(std::move(now)) : was;
  co_return differs;
}

/// Stores the name of the engine that wrote the tables, if it is not the configured one.
asio::awaitable<void> Pass::save_fallback_mark(const routing::RoutingState& routing) {
  const std::string engine = routing.is_fallback ? routing.engine : std::string();
  const std::function<void()> save = [&] {
    state_.stored.save_fallback_mark(context_->options, engine, environment_.log);
  };
  co_await compute(save);
}

/// Announces the draft that subnet administration answers from: a port or a vport may use the
/// fabric as soon as it is Active.
asio::awaitable<void> Pass::announce_ready(const Draft& draft) {
  std::shared_ptr<const Subnet> announced;
  const std::function<void()> copy = [&] {
    Subnet ready = draft.next;
    if (survey_) {
      ready.lfts = draft.target.lfts;
      ready.mfts = draft.target.mfts;
      ready.vl_tables = vl_tables(ready);
    }
    if (request_.vports) {
      VPortTargets usable = *draft.target.vports;
      hold_unready(usable, ready.fabric, state_.devices, ready.lfts.get());
      ready.vports = published_vports(usable);
    }
    announced = environment_.snapshot(std::move(ready));
  };
  co_await compute(copy);
  announce(environment_.events(),
           SubnetPublished{
               .subnet = std::move(announced), .context = context_, .kind = Publication::draft});
}

/// Finds switches that lost their tables while they were programmed. SwitchInfo cannot show it: the
/// write of LinearFDBTop would replace the 0 of a reset. The pass reads SwitchInfo right before
/// that write (reads_first). A later reset, or one between reading and clearing PortStateChange,
/// shows in the table itself: the pass reads back one block (TableMemory::readback_block) of every
/// switch that it wrote to.
asio::awaitable<void> Pass::check_tables(const Draft& draft, ApplyReport& report) {
  const Fabric& fabric = draft.next.fabric;
  std::set<mad::Guid> written(report.written.begin(), report.written.end());
  for (const mad::Guid guid : std::exchange(state_.claimed, {})) written.insert(guid);
  std::vector<SwitchIndex> switches, lost;
  for (const mad::Guid guid : written) {
    const auto node = fabric.node_of_guid.find(guid);
    if (node != fabric.node_of_guid.end() && !report.unanswering.contains(guid))
      switches.push_back(fabric.nodes[node->second].switch_index);
  }
  ApplyReport ignored;
  const ApplyOptions how = environment_.apply_options();
  const std::unique_ptr<Stage> reads =
      table_readbacks(fabric, state_.devices, draft.target.lids, switches, lost);
  co_await send(environment_.client, how, fabric, mad::Method::get, *reads, ignored);
  for (const SwitchIndex sw : lost) {
    if (report.restarted.insert(fabric.nodes[fabric.switches[sw].node].guid).second)
      ++report.failed;
  }
  for (const mad::Guid guid : report.restarted) {
    const NodeIndex node = fabric.node_of_guid.at(guid);
    forget_tables(state_.devices, fabric, node);
    environment_.conditions.occurred(
        {.id = kSweepConditions.tables_lost,
         .text = fmt::format("{} lost its tables while it was programmed, and had to be programmed "
                             "again",
                             fabric.name(node)),
         .guid = guid});
  }
  forget_misplaced(environment_.conditions, state_.devices, fabric, report);
}

void Pass::report_apply(const Draft& draft, const Written& written) {
  spdlog::logger& log = environment_.log;
  const ApplyReport& report = written.report;
  for (const std::string& problem : report.problems) log.error("{}", problem);
  for (const std::string& refusal : report.refusals) log.info("{}", refusal);
  if (report.failed > report.problems.size()) log.error("{} writes failed in all", report.failed);
  if (draft.target.mfts) {
    std::size_t failed = 0;
    for (const StageKind kind : {StageKind::multicast_removal, StageKind::multicast_top_raise,
                                 StageKind::multicast_addition, StageKind::multicast_top_lower})
      failed += report.of(kind).failed;
    state_.trees.is_behind = failed > 0;
    if (failed > 0)
      log.error(
          "{} writes of multicast tables failed; what could close a forwarding loop with what "
          "switches may still hold is left out until they answer",
          failed);
  }
  add_finding(ConditionSource::port_settings,
              port_setting_conditions(state_.devices, draft.next.fabric));
  report_unwritten(written);
  const std::string text = summary(report);
  if (!text.empty()) log_detail(log, "written: {}", text);
}

/// Raises a condition for each write that a node did not take. It ends when a pass repeats these
/// writes; a sweep repeats all.
void Pass::report_unwritten(const Written& written) {
  const PlanScope repeated = survey_ ? PlanScope::everything : written.scope;
  std::erase_if(state_.unwritten, [&](const auto& of) { return covers(repeated, of.first); });
  state_.unwritten[repeated] = written.report.unwritten;
  std::vector<Condition> active;
  for (const auto& [of, nodes] : state_.unwritten)
    for (const auto& [node, text] : nodes)
      active.push_back({.id = kWriteConditions.write_failed, .text = text, .guid = node});
  add_finding(ConditionSource::writes, std::move(active));
}

std::vector<Condition> port_setting_conditions(const DeviceState& devices, const Fabric& fabric) {
  std::vector<Condition> active = devices.refusals.setting_conditions(fabric);
  std::ranges::move(devices.masked_lfts.conditions(fabric), std::back_inserter(active));
  std::ranges::move(devices.disabled.conditions(fabric), std::back_inserter(active));
  return active;
}

// ------------------------------------------------------------------------------------------
// publish

asio::awaitable<void> Pass::publish(EndPorts& end_ports, Routes& routes, Draft& draft,
                                    const Written& written, bool m_keys_stored) {
  const ApplyReport& report = written.report;
  const Target& target = draft.target;
  result_.end = report.failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors;
  result_.writes = report.writes;
  result_.lost.assign(report.restarted.begin(), report.restarted.end());
  result_.again = !survey_ && target.mfts && state_.trees.is_behind;
  const bool has_other_routers = (survey_ || request_.routers) && co_await publish_routers(draft);
  if (survey_) {
    co_await publish_survey(routes, draft, written, m_keys_stored);
  } else if (has_other_routers && written.scope == PlanScope::none) {
    publish_next(draft);
  } else if (request_.vports) {
    publish_vports(end_ports, draft, written);
  } else if (written.scope != PlanScope::none) {
    // A vport that did not take its keys is tried again with all that it needs.
    if (end_ports.members && report.of(StageKind::vport_p_keys).failed > 0)
      for (const VPort& vport : target.vports->vports)
        state_.devices.vports[draft.next.fabric.ports[vport.port].guid].due = true;
    if (target.mfts) draft.next.mfts = target.mfts;
    if (target.routing) publish_vl_tables(draft);
    publish_next(draft);
    if (request_.m_keys) co_await save_confirmed_m_keys(m_keys_stored);
    if (request_.p_keys)
      result_.follow_up = PassRequest{.vports = VPortChanges{}, .why = request_.why};
  }
  report_findings();
}

void Pass::publish_next(Draft& draft) {
  state_.subnet = environment_.snapshot(std::move(draft.next));
  result_.changed = true;
}

void Pass::publish_vl_tables(Draft& draft) {
  draft.next.vl_tables = vl_tables(draft.next);
  std::vector<Condition> refused, dropped;
  if (draft.next.vl_tables) {
    refused = state_.devices.refusals.table_conditions(
        draft.next.fabric, !context_->options.suppress_sl2vl_mad_status_errors);
    dropped = dropped_groups(*draft.next.vl_tables, state_.trees.groups);
  }
  add_finding(ConditionSource::vl_tables, std::move(refused));
  add_finding(ConditionSource::multicast_sls, std::move(dropped));
}

asio::awaitable<void> Pass::publish_survey(Routes& routes, Draft& draft, const Written& written,
                                           bool m_keys_stored) {
  const ApplyReport& report = written.report;
  Subnet& next = draft.next;
  environment_.enter(SweepPhase::store);
  co_await save_confirmed_m_keys(m_keys_stored);
  for (const PortIndex port : report.recheck)
    result_.unread.push_back(next.fabric.owning_node(port).guid);
  next.lfts = std::move(draft.target.lfts);
  next.mfts = std::move(draft.target.mfts);
  publish_vl_tables(draft);
  publish_adaptive(draft, written.scope);
  state_.stored.save_unsupported(context_->options, state_.devices.refusals, environment_.log);
  environment_.enter(SweepPhase::publish);
  if (report.of(StageKind::ports).writes + report.of(StageKind::link_restarts).writes > 0) {
    const std::function<void()> index_links = [&] { next.index_links(); };
    co_await compute(index_links);
  }
  publish_next(draft);
  result_.rerouted = state_.routing.chain != routes.routed.chain;
  state_.routing = routes.routed;
  state_.kept = std::move(routes.kept);
  state_.succession.is_first = state_.succession.leaving_standby = false;
  result_.reregistration = draft.reregistration;
  if (report.failed == 0 && !routes.routed.state->is_fallback)
    co_await save_fallback_mark(*routes.routed.state);
  if (report.failed == report.unanswered)
    result_.unwritten.assign(report.unanswering.begin(), report.unanswering.end());
  const Fabric& fabric = state_.subnet->fabric;
  VPortChanges vports;
  for (const PortIndex port : vports_to_visit(fabric))
    vports.ports.push_back(fabric.ports[port].guid);
  result_.follow_up = PassRequest{.adaptive = !covers(written.scope, PlanScope::adaptive),
                                  .vports = std::move(vports),
                                  .why = request_.why};
}

void Pass::publish_vports(EndPorts& end_ports, Draft& draft, const Written& written) {
  Subnet& next = draft.next;
  const config::Options& options = context_->options;
  const DeviceState& devices = state_.devices;
  VPortTargets outcome = *draft.target.vports;
  hold_unready(outcome, next.fabric, devices, next.lfts.get());
  hold_inactive(outcome, next.fabric, devices);
  next.vports = published_vports(outcome);
  note_vport_outcome(state_, draft, outcome, environment_.client.now());

  std::vector<Condition> active = std::move(end_ports.decision.conditions);
  std::ranges::move(vport_conditions(outcome, next.fabric, devices.vports),
                    std::back_inserter(active));
  std::ranges::move(parts_.vports.trial_conditions(), std::back_inserter(active));
  if (virtualization_setting(options) != VirtualizationSetting::on) {
    const std::size_t off = count_switched_off(next.fabric, devices.vports);
    if (off > 0 && options.virt_enabled == 0)
      active.push_back(
          {.id = virt::kVirtConditions.vports_off,
           .text = fmt::format("{} port{} can have SR-IOV virtual ports; virt_enabled 2 turns them "
                               "on",
                               off, off == 1 ? "" : "s")});
  }
  add_finding(ConditionSource::vports, std::move(active));

  result_.vports_activated = written.report.of(StageKind::vport_activation).writes;
  if (request_.adaptive) publish_adaptive(draft, written.scope);
  const bool same_adaptive =
      next.adaptive == before_->adaptive ||
      (next.adaptive && before_->adaptive && *next.adaptive == *before_->adaptive);
  const bool same_vports = next.vports == before_->vports ||
                           (next.vports && before_->vports && *next.vports == *before_->vports);
  if (same_vports && same_adaptive && written.report.writes == 0) return;
  std::vector<Condition> unwritten;
  if (const auto dump = write_vports_dump(options, next); !dump)
    unwritten.push_back({.id = kOutputConditions.output_failed, .text = dump.error()});
  add_finding(ConditionSource::vports_file, std::move(unwritten));
  publish_next(draft);
}

}  // namespace sm
