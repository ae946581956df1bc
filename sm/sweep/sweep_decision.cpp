// Sweeper: what is decided before the first write.

#include <algorithm>

#include "fabric/at_once.h"
#include "fabric/switch_graph.h"
#include "routing/core/remembered_routings.h"
#include "routing/multicast/returned_trees.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/key_isolation.h"
#include "sm/sweep/link_settings.h"
#include "sm/sweep/multicast_stages.h"
#include "sm/sweep/port_stages.h"
#include "sm/sweep/routing_facts.h"
#include "sm/sweep/sweeper.h"
#include "sm/sweep/unicast_stages.h"
#include "sm/sweep/vl_stages.h"
#include "virt/vport_lids.h"

namespace sm {
namespace asio = boost::asio;
namespace {

/// Forwarding tables of switches that show what was written to them are not read.
bool trusts_blocks(const SweepOrder& order) { return order.trust_tables || order.audits_tables; }

}  // namespace

/// `assign` decides what is `wanted`. Where P_Key tables cannot wait to be read to their ends, they
/// are, and it decides again: keys that a table holds keep their indices.
asio::awaitable<void> Sweeper::assign_after_p_keys(Survey& survey,
                                                   const partitions::PKeyTargets& wanted,
                                                   const std::function<void()>& assign) {
  held_.waiting_p_keys = std::move(survey.waiting_p_keys);
  co_await compute(assign);
  if (held_.waiting_p_keys.empty()) co_return;
  std::unique_ptr<Stage> reads;
  const std::function<void()> choose = [&] {
    reads = p_key_reads(survey.fabric, held_, [&](PortIndex port) {
      return !may_wait_for_p_keys(survey.fabric, held_, wanted, port);
    });
  };
  co_await compute(choose);
  if (reads->size() == 0) co_return;
  ApplyReport report;
  const ApplyOptions how = apply_options();
  co_await send(client_, how, survey.fabric, mad::Method::get, *reads, report);
  survey.unread.insert(survey.unread.end(), report.unanswering.begin(), report.unanswering.end());
  co_await compute(assign);
}

/// Reads what decisions are compared with or start from, and decides; writes nothing.
asio::awaitable<Sweeper::Decision> Sweeper::decide(const SweepContext& context, Survey survey,
                                                   LidMap physical, VPortDecision vports,
                                                   const SweepOrder& order) {
  Decision decision;
  Target& target = decision.target;
  target.lids = std::move(vports.lids);
  target.partition_map = std::move(vports.partitions.map);
  target.p_keys = std::move(vports.partitions.p_keys);
  const Guid2Lid reserved = std::move(vports.persisted);
  decision.next = {.fabric = std::move(survey.fabric),
                   .lids = target.lids,
                   .partitions = target.partition_map,
                   .sms = std::move(survey.sms)};
  Subnet& next = decision.next;
  const std::shared_ptr<const Subnet> before = subnet_;
  const Fabric* const last = before ? &before->fabric : nullptr;
  std::vector<Condition> lost_tables, pending_settings;
  const mad::TimePoint now = client_.now();
  const std::function<void()> follow = [&] {
    const Fabric& fabric = next.fabric;
    at_once(fabric, {[&] { next.index(); },
                     [&] {
                       target.vports = std::make_shared<const VPortTargets>(vports.targets);
                       hold_inactive(vports.targets, fabric, held_);  // others stay as they are
                       next.vports = published_vports(vports.targets);
                       lost_tables = held_.follow_tables(fabric, last, trusts_blocks(order));
                     },
                     [&] {
                       target.newcomers = newcomers(fabric);
                       pending_settings = pending_link_settings(fabric, context.options);
                     }});
    held_.follow_rejections(next.fabric, now);
  };
  co_await compute(follow);
  for (const Condition& condition : lost_tables) conditions_.occurred(condition);
  if (prepare_) {
    Registered registered = prepare_(next, context);
    decision.reregistration = registered.reregistration;
    target.reregister_clients = registered.reregistration != 0 &&
                                std::exchange(clients_led_, 0) != registered.reregistration;
    target.known_manager = registered.known_manager;
    target.alias_guids = std::move(registered.alias_guids);
  }

  co_await read_back(unicast_reads(next.fabric, held_.lfts), next.fabric);
  enter(SweepPhase::route);
  const Routed& routed = decision.routed;
  const std::function<void()> route_all = [&] {
    KeptLids kept = kept_lids(kept_, before.get(), next.fabric, target.lids, reserved);
    if (first_master_sweep_)
      add_kept_of_tables(kept, held_.lfts, next.fabric, target.lids, reserved);
    withdraw_isolated(kept, next.fabric);
    const KeptLids routed_too = placed(kept, next.fabric, target.lids);
    make_room(target.lids, routed_too);
    next.lids = target.lids;
    decision.kept = std::move(kept);
    decision.routed = route(context, next.fabric, physical, routed_too, order, decision.findings);
    if (!routed.chain && use_isolated(next.fabric, decision.findings))
      decision.routed = route(context, next.fabric, physical, routed_too, order, decision.findings);
    if (!routed.chain) return;
    target.lfts = virt::with_vport_lids(routed.lfts, next.fabric, physical, target.lids,
                                        kept_copies(routed_too, next.fabric, physical));
    target.routing = next.routing =
        std::shared_ptr<const PublishedRouting>(routed.chain, &routed.chain->routing);
    decision.findings.emplace_back(ConditionSource::link_settings, std::move(pending_settings));
    check_vl_settings(context, next.fabric, *next.routing, decision.findings);
  };
  co_await compute(route_all);
  enter(SweepPhase::decide);
  if (!routed.chain) co_return decision;
  if (has_multicast(context)) co_await decide_trees(context, decision);

  if (!routing::VlTargets::any(context.options, *next.routing)) {
    held_.vl_tables = {};
    held_.vl_refusals.forget_all();
    held_.pairs.forget();
    co_return decision;
  }
  const std::function<void()> follow_vls = [&] {
    held_.follow_vl_tables(next.fabric, last, order.trust_tables);
    held_.follow_pairs(next.fabric, target.lfts, target.mfts, order.trust_tables);
  };
  co_await compute(follow_vls);
  co_await read_back(vl_reads(next.fabric, held_, context.options, *next.routing), next.fabric);
  co_return decision;
}

asio::awaitable<void> Sweeper::decide_trees(const SweepContext& context, Decision& decision) {
  Subnet& next = decision.next;
  Target& target = decision.target;
  all_groups_due_ = true;
  decision.groups = co_await all_groups(next);
  if (!decision.groups.empty()) {
    held_.mfts.held().grow(MulticastTables::block_of(decision.groups.back().mlid) + 1);
    if (!held_.mfts.is_decided())
      co_await read_back(multicast_reads(next.fabric, held_.mfts), next.fabric);
  }
  const std::function<void()> make_trees = [&] {
    const TreeStart start = tree_start(next.fabric, decision.routed);
    decision.router.emplace(decide_multicast(next, *target.lfts, start.tables, decision.groups,
                                             start.centres, decision.limits, decision.findings));
    target.mfts = std::make_shared<const MulticastTables>(decision.router->tables());
  };
  co_await compute(make_trees);
  co_await read_multicast(context, next.fabric, *target.mfts);
}

/// The trees that there are; what came back carries its trees again.
Sweeper::TreeStart Sweeper::tree_start(const Fabric& fabric, const Routed& routed) const {
  TreeStart start{.tables = held_.mfts.start(), .centres = {}};
  if (router_) start.centres.assign(router_->centres().begin(), router_->centres().end());
  if (routed.chain == routing_.chain || !routed.state->returned_to || !routing_.state) return start;
  const auto remembered =
      std::ranges::find(remembered_trees_, routed.state->returned_to, &RememberedTrees::routing);
  if (remembered == remembered_trees_.end()) return start;
  start.tables = routing::with_returned_trees(
      fabric, make_switch_graph(fabric), std::move(start.tables), *remembered->tables,
      *remembered->routing->memory->rows, *routing_.state->rows);
  start.centres = remembered->centres;
  return start;
}

/// As many as there are remembered routings. Before the subnet and the trees of the previous sweep
/// are replaced.
void Sweeper::remember_trees(const Routed& routed) {
  const auto& routings = routed.state->remembered;
  std::erase_if(remembered_trees_, [&](const RememberedTrees& trees) {
    return std::ranges::find(routings, trees.routing) == routings.end();
  });
  if (!subnet_ || !subnet_->mfts || !router_) return;
  for (const auto& routing : routings) {
    if (routing->memory->rows != (routing_.state ? routing_.state->rows : nullptr)) continue;
    if (std::ranges::find(remembered_trees_, routing, &RememberedTrees::routing) !=
        remembered_trees_.end())
      continue;
    remembered_trees_.push_back(
        {.routing = routing,
         .tables = subnet_->mfts,
         .centres = {router_->centres().begin(), router_->centres().end()}});
  }
}

/// Null if neither options nor routing require any.
std::shared_ptr<const VlTables> Sweeper::vl_tables_of(const SweepContext& context,
                                                      const Subnet& next) const {
  if (!routing::VlTargets::any(context.options, *next.routing)) return nullptr;
  return std::make_shared<const VlTables>(held_.vl_tables);
}

void Sweeper::load_stored(const SweepContext& context) {
  stored_.load(context.options, held_.unsupported, log_);
  if (adopted_lids_) stored_.adopt(*std::exchange(adopted_lids_, std::nullopt));
}

LidAssignment Sweeper::decide_lids(const SweepContext& context, const Fabric& fabric) const {
  return assign_lids(fabric, lid_options(context.options, leaving_standby_), stored_.guid2lid(),
                     first_master_sweep_);
}

/// A first sweep as master adopts what it found: -r replaces LIDs, so that tables lead elsewhere.
RoutingStart Sweeper::routing_start(const SweepContext& context, const SweepOrder& order) const {
  RoutingStart start;
  if (order.route_anew) return start;
  start.adopt =
      first_master_sweep_ && context.options.routing_adoption && !context.options.reassign_lids;
  if (first_master_sweep_ && !start.adopt) return start;
  if (first_master_sweep_ && !leaving_standby_) start.fallback_engine = stored_.fallback_engine();
  start.previous = held_.lfts.tables();
  if (!first_master_sweep_ && subnet_ && routing_.state && routing_.lfts && routing_.chain)
    start.before.emplace(*routing_.state, *routing_.lfts, routing_.chain->routing);
  return start;
}

/// The previous routing, if nothing has changed that it depends on; else a new one.
Sweeper::Routed Sweeper::route(const SweepContext& context, const Fabric& fabric,
                               const LidMap& physical, const KeptLids& kept,
                               const SweepOrder& order, Findings& findings) {
  Routed now;
  now.facts = routing_facts(fabric, physical, kept);
  if (configured_.get() == &context) now.context = configured_;
  if (!order.route_anew && !first_master_sweep_ && subnet_ && routing_.chain && now.context &&
      same_settings(now.context, routing_.context) && now.facts == routing_.facts) {
    findings.emplace_back(ConditionSource::routing, routing_.conditions);
    return routing_;
  }
  Findings found;
  std::optional<routing::ChainResult> routed =
      decide_routing(context, fabric, physical, kept, routing_start(context, order), found);
  for (const auto& [source, conditions] : found)
    if (source == ConditionSource::routing) now.conditions = conditions;
  std::ranges::move(found, std::back_inserter(findings));
  if (!routed) return now;
  now.lfts = std::make_shared<ForwardingTables>(std::exchange(routed->routing.lfts, {}));
  now.state = routed->memory;
  now.chain = std::make_shared<const routing::ChainResult>(std::move(*routed));
  return now;
}

/// End ports that the last subnet did not have, by PortIndex; empty if there was none.
std::vector<bool> Sweeper::newcomers(const Fabric& fabric) const {
  std::vector<bool> result;
  if (!subnet_ && !stored_.neighbors()) return result;
  result.resize(fabric.ports.size());
  for (const PortIndex port : fabric.end_ports) {
    const mad::Guid guid = fabric.ports[port].guid;
    result[port] = subnet_ ? !subnet_->fabric.port_of_guid.contains(guid)
                           : !stored_.neighbors()->contains(guid);
  }
  return result;
}

}  // namespace sm
