// Pass: writes the difference, and publishes the outcome.

#include <algorithm>

#include "mad/format.h"
#include "sm/dumps/dumps.h"
#include "sm/sweep/apply/router_reads.h"
#include "sm/sweep/apply/unicast_stages.h"
#include "sm/sweep/apply/vport_stages.h"
#include "sm/sweep/decide/adaptive_target.h"
#include "sm/sweep/pass.h"

namespace sm {
namespace asio = boost::asio;

asio::awaitable<void> Pass::apply() {
  if (survey_) {
    scope_ = PlanScope::everything;
    if (state_.devices.adaptive.is_in_use()) scope_ = without(scope_, PlanScope::adaptive);
    co_await begin_writes();
  }
  if (request_.p_keys || members_) scope_ |= PlanScope::p_keys;
  if (request_.vl_tables) scope_ |= PlanScope::vl_tables;
  if (request_.groups && target_.mfts) scope_ |= PlanScope::multicast;
  if (request_.vports) scope_ |= PlanScope::vports | PlanScope::adaptive;
  if (!survey_ && request_.m_keys && m_keys_stored_) {
    scope_ |= PlanScope::m_keys;
    take_published();
    target_.lids = next_.lids;
    target_.m_keys = state_.m_keys.policy();
  }
  if (scope_ == PlanScope::none) co_return;
  take_groups();
  ApplyOptions how = environment_.apply_options();
  how.announces_phases = true;
  const auto announce = [this] { return announce_ready(); };
  if (covers(scope_, PlanScope::p_keys))
    how.before_ports = announce;
  else if (request_.vports)
    how.before_vports = announce;
  state_.devices.lfts.begin_writes();
  Planner planner(next_.fabric, state_.devices, target_, context_->options, scope_);
  applied_ = co_await sm::apply(environment_.client, how, next_.fabric, planner);
  co_await check_tables();
  report_apply();
}

/// Prepares what the writes of a sweep depend on.
asio::awaitable<void> Pass::begin_writes() {
  state_.reregister_vports = state_.reregister_vports || target_.reregister_clients;
  mark_hosts_of_vports();
  target_.vports = nullptr;  // the pass that follows, after links have become Active
  log_detail(environment_.log, "osm_ucast_mgr_process: {} tables configured on all switches",
             next_.routing->engine);
  remember_trees();
  Trees& trees = state_.trees;
  if (router_) trees.limits = std::move(limits_);
  trees.router = std::move(router_);
  trees.groups = std::move(groups_);
  trees.all_groups_due = false;
  if (target_.mfts) state_.devices.mfts.want(target_.mfts);
  co_await save_group_ids();
  // A restart needs the mark, so that it is on disk before the first table is written.
  if (routed_.state->is_fallback) co_await save_fallback_mark();
}

/// Adds the adaptive groups of the routing that target_.lfts, or the tables in use, come from.
void Pass::take_groups() {
  if (next_.routing && (target_.lfts || request_.vports))
    add_adaptive(target_, next_.routing->adaptive, next_.fabric, context_->options);
}

/// Stores the group numbers before a switch holds them, so that they stay the same after a restart.
asio::awaitable<void> Pass::save_group_ids() {
  const std::shared_ptr<const GroupIds> ids = routed_.chain->routing.group_ids;
  if (!ids) co_return;
  std::vector<Condition> active;
  const std::function<void()> save = [&] {
    active = state_.stored.save_group_ids(context_->options, *ids);
  };
  co_await compute(save);
  add_finding(ConditionSource::group_store, std::move(active));
}

void Pass::publish_adaptive() {
  next_.adaptive = adaptive_routing(next_.fabric, state_.devices, target_, context_->options);
  if (!covers(scope_, PlanScope::adaptive)) return;  // it is said when it has been written
  add_finding(ConditionSource::adaptive_routing,
              next_.adaptive
                  ? adaptive_conditions(next_.fabric, *next_.adaptive, state_.devices.adaptive)
                  : std::vector<Condition>{});
}

/// Reads and publishes what routers reach. This follows all writes, since a router that does not
/// answer is still programmed. Returns true if the result differs from the published one.
asio::awaitable<bool> Pass::publish_routers() {
  const Fabric& fabric = survey_ ? next_.fabric : before_->fabric;
  if (context_->options.read_router_tables)
    co_await environment_.read(router_reads(fabric, state_.devices), fabric);
  else
    state_.devices.routers = {};
  auto now = std::make_shared<Routers>(
      decide_routers(fabric, state_.devices.routers, context_->options.subnet_prefix));
  std::vector<Condition> active = router_table_conditions(fabric, *now);
  std::ranges::move(state_.devices.routers.note_losses(fabric, *now, environment_.client.now()),
                    std::back_inserter(active));
  if (context_->options.rtr_aguid_enable == kSetRouterAliases)
    std::ranges::move(state_.devices.router_aliases.conditions(fabric), std::back_inserter(active));
  add_finding(ConditionSource::routers, std::move(active));
  const std::shared_ptr<const Routers> was = before_ ? before_->routers : nullptr;
  const bool differs = !was || *was != *now;
  if (!survey_ && !differs) co_return false;
  const std::function<void()> copy = [this] { take_published(); };
  if (!survey_) co_await compute(copy);
  next_.routers = differs ? std::shared_ptr<const Routers>(std::move(now)) : was;
  co_return differs;
}

/// Stores the name of the engine that wrote the tables, if it is not the configured one.
asio::awaitable<void> Pass::save_fallback_mark() {
  const std::string engine = routed_.state->is_fallback ? routed_.state->engine : std::string();
  const std::function<void()> save = [&] {
    state_.stored.save_fallback_mark(context_->options, engine, environment_.log);
  };
  co_await compute(save);
}

/// Announces the draft that subnet administration answers from: a port or a vport may use the
/// fabric as soon as it is Active.
asio::awaitable<void> Pass::announce_ready() {
  std::shared_ptr<const Subnet> draft;
  const std::function<void()> copy = [&] {
    Subnet ready = next_;
    if (survey_) {
      ready.lfts = target_.lfts;
      ready.mfts = target_.mfts;
      ready.vl_tables = vl_tables(ready);
    }
    if (request_.vports) {
      VPortTargets usable = *target_.vports;
      hold_unready(usable, ready.fabric, state_.devices, ready.lfts.get());
      ready.vports = published_vports(usable);
    }
    draft = environment_.snapshot(std::move(ready));
  };
  co_await compute(copy);
  announce(
      environment_.events(),
      SubnetPublished{.subnet = std::move(draft), .context = context_, .kind = Publication::draft});
}

/// Finds switches that lost their tables while they were programmed. SwitchInfo cannot show it: the
/// write of LinearFDBTop would replace the 0 of a reset. The pass reads SwitchInfo right before
/// that write (reads_first). A later reset, or one between reading and clearing PortStateChange,
/// shows in the table itself: the pass reads back one block (TableMemory::readback_block) of every
/// switch that it wrote to.
asio::awaitable<void> Pass::check_tables() {
  const Fabric& fabric = next_.fabric;
  std::set<mad::Guid> written(applied_.written.begin(), applied_.written.end());
  for (const mad::Guid guid : std::exchange(state_.claimed, {})) written.insert(guid);
  std::vector<SwitchIndex> switches, lost;
  for (const mad::Guid guid : written) {
    const auto node = fabric.node_of_guid.find(guid);
    if (node != fabric.node_of_guid.end() && !applied_.unanswering.contains(guid))
      switches.push_back(fabric.nodes[node->second].switch_index);
  }
  ApplyReport ignored;
  const ApplyOptions how = environment_.apply_options();
  const std::unique_ptr<Stage> reads =
      table_readbacks(fabric, state_.devices, target_.lids, switches, lost);
  co_await send(environment_.client, how, fabric, mad::Method::get, *reads, ignored);
  for (const SwitchIndex sw : lost) {
    if (applied_.restarted.insert(fabric.nodes[fabric.switches[sw].node].guid).second)
      ++applied_.failed;
  }
  for (const mad::Guid guid : applied_.restarted) {
    const NodeIndex node = fabric.node_of_guid.at(guid);
    state_.devices.forget_tables(fabric, node);
    environment_.conditions.occurred(
        {.id = ConditionId::tables_lost,
         .text = fmt::format("{} lost its tables while it was programmed, and had to be programmed "
                             "again",
                             fabric.name(node)),
         .guid = guid});
  }
  forget_misplaced();
}

/// Forgets nodes that may have stored the content of a Set at another place than meant.
void Pass::forget_misplaced() {
  const Fabric& fabric = next_.fabric;
  for (const mad::Guid guid : applied_.misplaced) {
    const NodeIndex node = fabric.node_of_guid.at(guid);
    state_.devices.forget_node(fabric, node);
    environment_.conditions.occurred(
        {.id = ConditionId::audit_difference,
         .text = fmt::format("{} answered SubnSet requests with another attribute modifier than "
                             "theirs, and had to be read again",
                             fabric.name(node)),
         .guid = guid});
    if (applied_.restarted.insert(guid).second) ++applied_.failed;
  }
}

void Pass::report_apply() {
  spdlog::logger& log = environment_.log;
  for (const std::string& problem : applied_.problems) log.error("{}", problem);
  for (const std::string& refusal : applied_.refusals) log.info("{}", refusal);
  if (applied_.failed > applied_.problems.size())
    log.error("{} writes failed in all", applied_.failed);
  if (target_.mfts) {
    std::size_t failed = 0;
    for (const StageKind kind : {StageKind::multicast_removal, StageKind::multicast_top_raise,
                                 StageKind::multicast_addition, StageKind::multicast_top_lower})
      failed += applied_.of(kind).failed;
    state_.trees.is_behind = failed > 0;
    if (failed > 0)
      log.error(
          "{} writes of multicast tables failed; what could close a forwarding loop with what "
          "switches may still hold is left out until they answer",
          failed);
  }
  add_finding(ConditionSource::port_settings,
              port_setting_conditions(state_.devices, next_.fabric));
  report_unwritten();
  const std::string written = summary(applied_);
  if (!written.empty()) log_detail(log, "written: {}", written);
}

/// Raises a condition for each write that a node did not take. It ends when a pass repeats these
/// writes; a sweep repeats all.
void Pass::report_unwritten() {
  const PlanScope repeated = survey_ ? PlanScope::everything : scope_;
  std::erase_if(state_.unwritten, [&](const auto& of) { return covers(repeated, of.first); });
  state_.unwritten[repeated] = applied_.unwritten;
  std::vector<Condition> active;
  for (const auto& [of, nodes] : state_.unwritten)
    for (const auto& [node, text] : nodes)
      active.push_back({.id = ConditionId::write_failed, .text = text, .guid = node});
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

asio::awaitable<void> Pass::publish() {
  result_.end = applied_.failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors;
  result_.writes = applied_.writes;
  result_.lost.assign(applied_.restarted.begin(), applied_.restarted.end());
  result_.again = !survey_ && target_.mfts && state_.trees.is_behind;
  const bool has_other_routers = (survey_ || request_.routers) && co_await publish_routers();
  if (survey_) {
    co_await publish_survey();
  } else if (has_other_routers && scope_ == PlanScope::none) {
    publish_next();
  } else if (request_.vports) {
    publish_vports();
  } else if (scope_ != PlanScope::none) {
    // A vport that did not take its keys is tried again with all that it needs.
    if (members_ && applied_.of(StageKind::vport_p_keys).failed > 0)
      for (const VPort& vport : target_.vports->vports)
        state_.devices.vports[next_.fabric.ports[vport.port].guid].due = true;
    if (target_.mfts) next_.mfts = std::move(target_.mfts);
    if (target_.routing) publish_vl_tables();
    publish_next();
    if (request_.m_keys) co_await save_confirmed_m_keys();
    if (request_.p_keys) follow_up_ = PassRequest{.vports = VPortChanges{}, .why = request_.why};
  }
  report_findings();
}

void Pass::publish_next() {
  state_.subnet = environment_.snapshot(std::move(next_));
  result_.changed = true;
}

void Pass::publish_vl_tables() {
  next_.vl_tables = vl_tables(next_);
  std::vector<Condition> refused, dropped;
  if (next_.vl_tables) {
    refused = state_.devices.refusals.table_conditions(
        next_.fabric, !context_->options.suppress_sl2vl_mad_status_errors);
    dropped = dropped_groups(*next_.vl_tables, state_.trees.groups);
  }
  add_finding(ConditionSource::vl_tables, std::move(refused));
  add_finding(ConditionSource::multicast_sls, std::move(dropped));
}

asio::awaitable<void> Pass::publish_survey() {
  environment_.enter(SweepPhase::store);
  co_await save_confirmed_m_keys();
  for (const PortIndex port : applied_.recheck)
    result_.unread.push_back(next_.fabric.owning_node(port).guid);
  next_.lfts = std::move(target_.lfts);
  next_.mfts = std::move(target_.mfts);
  publish_vl_tables();
  publish_adaptive();
  state_.stored.save_unsupported(context_->options, state_.devices.refusals, environment_.log);
  environment_.enter(SweepPhase::publish);
  if (applied_.of(StageKind::ports).writes + applied_.of(StageKind::link_restarts).writes > 0) {
    const std::function<void()> index_links = [&] { next_.index_links(); };
    co_await compute(index_links);
  }
  publish_next();
  result_.rerouted = state_.routing.chain != routed_.chain;
  state_.routing = routed_;
  state_.kept = std::move(kept_);
  state_.succession.is_first = state_.succession.leaving_standby = false;
  result_.reregistration = reregistration_;
  if (applied_.failed == 0 && !routed_.state->is_fallback) co_await save_fallback_mark();
  if (applied_.failed == applied_.unanswered)
    result_.unwritten.assign(applied_.unanswering.begin(), applied_.unanswering.end());
  const Fabric& fabric = state_.subnet->fabric;
  VPortChanges vports;
  for (const PortIndex port : vports_to_visit(fabric))
    vports.ports.push_back(fabric.ports[port].guid);
  follow_up_ = PassRequest{.adaptive = !covers(scope_, PlanScope::adaptive),
                           .vports = std::move(vports),
                           .why = request_.why};
}

void Pass::publish_vports() {
  const config::Options& options = context_->options;
  const DeviceState& devices = state_.devices;
  VPortTargets outcome = *target_.vports;
  hold_unready(outcome, next_.fabric, devices, next_.lfts.get());
  hold_inactive(outcome, next_.fabric, devices);
  next_.vports = published_vports(outcome);
  note_vport_outcome(outcome);

  std::vector<Condition> active = std::move(end_ports_.conditions);
  std::ranges::move(vport_conditions(outcome, next_.fabric, devices.vports),
                    std::back_inserter(active));
  std::ranges::move(parts_.vports.trial_conditions(), std::back_inserter(active));
  if (virtualization_setting(options) != VirtualizationSetting::on) {
    const std::size_t off = count_switched_off(next_.fabric, devices.vports);
    if (off > 0 && options.virt_enabled == 0)
      active.push_back(
          {.id = ConditionId::vports_off,
           .text = fmt::format("{} port{} can have SR-IOV virtual ports; virt_enabled 2 turns them "
                               "on",
                               off, off == 1 ? "" : "s")});
  }
  add_finding(ConditionSource::vports, std::move(active));

  result_.vports_activated = applied_.of(StageKind::vport_activation).writes;
  if (request_.adaptive) publish_adaptive();
  const bool same_adaptive =
      next_.adaptive == before_->adaptive ||
      (next_.adaptive && before_->adaptive && *next_.adaptive == *before_->adaptive);
  const bool same_vports = next_.vports == before_->vports ||
                           (next_.vports && before_->vports && *next_.vports == *before_->vports);
  if (same_vports && same_adaptive && applied_.writes == 0) return;
  std::vector<Condition> unwritten;
  if (const auto written = write_vports_dump(options, next_); !written)
    unwritten.push_back({.id = ConditionId::output_failed, .text = written.error()});
  add_finding(ConditionSource::vports_file, std::move(unwritten));
  publish_next();
}

/// Marks vports that differ from their target, so that a later pass tries them again.
void Pass::note_vport_outcome(const VPortTargets& outcome) {
  virt::Facts& facts = state_.devices.vports;
  state_.vport_lfts_behind = false;
  for (std::size_t number = 0; number < outcome.vports.size(); ++number) {
    const VPort& vport = outcome.vports[number];
    if (vport.hold == target_.vports->vports[number].hold) continue;
    facts[next_.fabric.ports[vport.port].guid].due = true;
    if (vport.hold == VPortHold::tables && vport.has_own_lid) state_.vport_lfts_behind = true;
  }
  for (auto& [guid, port] : facts) {
    if (port.due)
      port.retry.failed(environment_.client.now());
    else
      port.retry.succeeded();
  }
}

}  // namespace sm
