#include "sm/sweep/sweeper.h"

#include <algorithm>

#include "mad/format.h"
#include "partitions/membership.h"
#include "routing/multicast/multicast_dependencies.h"
#include "routing/registry.h"
#include "sm/dumps/routing_dumps.h"
#include "sm/dumps/subnet_lst.h"
#include "sm/store/atomic_file.h"
#include "sm/store/neighbors.h"
#include "sm/sweep/changes.h"
#include "sm/sweep/claim.h"
#include "sm/sweep/multicast_program.h"
#include "sm/sweep/routing_options.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr std::size_t kProblemsLogged = 10;
constexpr std::size_t kChangesLogged = 20;
constexpr std::size_t kGroupConditionsMax = 100;

/// Says for as long as it lives that tables are being written.
class Busy {
 public:
  explicit Busy(std::shared_ptr<bool> flag) : flag_(std::move(flag)) { *flag_ = true; }
  ~Busy() { *flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::shared_ptr<bool> flag_;
};

/// Texts as conditions of one identifier.
std::vector<Condition> conditions_of(ConditionId id, std::vector<std::string> texts) {
  std::vector<Condition> result;
  result.reserve(texts.size());
  for (std::string& text : texts) result.push_back({.id = id, .text = std::move(text)});
  return result;
}

/// End ports of `after` that were not known before, by PortIndex.
template <class IsKnown>
std::vector<bool> newcomers(const Fabric& after, IsKnown is_known) {
  std::vector<bool> result(after.ports.size());
  for (const PortIndex port : after.end_ports) result[port] = !is_known(after.ports[port].guid);
  return result;
}
}  // namespace

Sweeper::Sweeper(mad::SmpClient& client, spdlog::logger& log, ConditionLog& conditions,
                 Progress progress)
    : client_(client), log_(log), conditions_(conditions), progress_(std::move(progress)) {}

asio::awaitable<Survey> Sweeper::observe(SharedContext context, const SweepOrder& order,
                                         bool as_master) {
  cleared_changes_ = as_master;
  DiscoveryOptions options{.m_key = mad::MKey{context->options.m_key},
                           .clear_port_state_change = as_master,
                           .on_progress = {}};
  if (progress_)
    options.on_progress = [this](std::size_t nodes, std::size_t) {
      progress_("nodes found", nodes, 0);
    };
  const std::shared_ptr<const Subnet> known = subnet_;  // whatever is published meanwhile
  if (order.everything || !known) co_return co_await discover(client_, options);
  Survey survey = co_await rediscover(client_, options, known->fabric, order.changed);
  keep_known_managers(*known, survey);
  co_return survey;
}

/// A partial survey meets only some of the other managers: those that it did not query are still
/// there if their port is.
void Sweeper::keep_known_managers(const Subnet& before, Survey& survey) {
  for (OtherSm known : before.sms) {
    if (std::ranges::any_of(survey.sms,
                            [&](const OtherSm& sm) { return sm.info.guid() == known.info.guid(); }))
      continue;
    const auto place = survey.fabric.port_of_guid.find(before.fabric.ports[known.port].guid);
    if (place == survey.fabric.port_of_guid.end()) continue;
    known.port = place->second;
    if (const auto route = survey.fabric.route_to(known.port)) known.route = *route;
    survey.sms.push_back(known);
  }
}

asio::awaitable<SweepResult> Sweeper::program(SharedContext context, Survey survey,
                                              const SweepOrder& order) {
  const Busy busy(programming_);
  if (std::exchange(left_standby_, false)) {
    leaving_standby_ = first_master_sweep_ = true;
    memory_.forget_all();
    multicast_.forget_all();
    lanes_.forget_all();
    lane_refusals_.forget_all();
  }
  Fabric& fabric = survey.fabric;
  SweepResult result{.end = SweepEnd::errors, .look_again = {}};
  log_.info("fabric has {} nodes, {} of them switches, {} end ports", fabric.nodes.size(),
            fabric.switches.size(), fabric.end_ports.size());
  report_changes(fabric);

  LidAssignment lids = decide_lids(*context, fabric);
  std::vector<Condition> found = fabric.conditions;
  found.insert(found.end(), lids.conditions.begin(), lids.conditions.end());
  Target target;
  decide_partitions(*context, fabric, target);
  conditions_.stand(ConditionSource::discovery, found);
  conditions_.stand(ConditionSource::partitions, target.p_keys.conditions);
  const auto is_duplicate = [](const Condition& condition) {
    return condition.id == ConditionId::guid_duplicate;
  };
  if (context->options.exit_on_fatal && std::ranges::any_of(found, is_duplicate)) {
    result.end = SweepEnd::fatal;
    co_return result;
  }
  // Not before: a fabric that is not programmed is not written to at all.
  if (!cleared_changes_)
    co_await claim_switches(client_, mad::MKey{context->options.m_key}, survey);
  result.look_again = survey.unread;
  remember(*context, lids.persisted);  // on disk before anything depends on it

  target.lids = std::move(lids.lids);
  follow_tables(survey, order);
  Subnet next{.fabric = std::move(survey.fabric),
              .lids = target.lids,
              .partitions = target.partition_map,
              .sms = std::move(survey.sms)};
  next.index();
  if (prepare_) target.reregister_clients = prepare_(next, *context);
  if (subnet_) {
    target.newcomers = newcomers(next.fabric, [this](mad::Guid guid) {
      return subnet_->fabric.port_of_guid.contains(guid);
    });
  } else if (stored_neighbors_) {
    target.newcomers = newcomers(
        next.fabric, [this](mad::Guid guid) { return stored_neighbors_->contains(guid); });
    stored_neighbors_.reset();
  }
  const ApplyOptions how = apply_options(*context);
  co_await read_tables(client_, how, next.fabric, memory_);
  if (!decide_tables(*context, next.fabric, target))
    co_return result;  // nothing is written: the old tables keep forwarding

  // Before tables lead packets over new lanes, and before any port becomes Active.
  next.routing = {target.routing, &target.routing->routing};
  follow_lanes(*context, next, order);
  const std::size_t lanes_failed = co_await write_lanes(*context, next);
  // Before any port becomes Active: a cable that was moved meets tables that know where it leads
  // now.
  const std::size_t multicast_failed = co_await sweep_multicast(*context, next, target);
  const Plan plan = make_plan(next.fabric, target, memory_, refused_, context->options);
  log_.info("writing {} forwarding table blocks, {} switch and P_Key attributes, {} ports",
            plan.tables.size(), plan.nodes.size(), plan.ports.size());
  const ApplyReport applied =
      co_await apply(client_, how, plan, target, next.fabric, memory_, refused_);
  tell(applied);

  write_files(*context, next.fabric, next.lids);
  next.lfts = std::move(target.lfts);
  if (const auto written = write_routing_dumps(context->options, next); !written)
    log_.error("{}", written.error());
  publish(std::move(next));
  routing_memory_ = target.routing->memory;
  first_master_sweep_ = leaving_standby_ = false;
  if (applied.failed == 0 && multicast_failed == 0 && lanes_failed == 0)
    result.end = SweepEnd::subnet_up;
  co_return result;
}

asio::awaitable<SweepResult> Sweeper::repartition(SharedContext context) {
  const Busy busy(programming_);
  Subnet next = *subnet_;
  Target target;
  target.lids = next.lids;
  decide_partitions(*context, next.fabric, target);
  conditions_.stand(ConditionSource::partitions, target.p_keys.conditions);
  const Plan plan = make_partition_plan(next.fabric, target);
  log_.info("partitions: writing {} P_Key blocks, {} ports", plan.nodes.size(), plan.ports.size());
  const ApplyOptions how = apply_options(*context);
  const ApplyReport applied =
      co_await apply(client_, how, plan, target, next.fabric, memory_, refused_);
  tell(applied);
  next.partitions = std::move(target.partition_map);
  publish(std::move(next));
  co_return SweepResult{.end = applied.failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors,
                        .look_again = {}};
}

asio::awaitable<SweepResult> Sweeper::remap(SharedContext context) {
  const Busy busy(programming_);
  Subnet next = *subnet_;
  const std::size_t failed = co_await write_lanes(*context, next);
  publish(std::move(next));
  co_return SweepResult{.end = failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors,
                        .look_again = {}};
}

/// SL to VL mapping and VL arbitration, where options or the engine require them. Returns how many
/// writes failed.
asio::awaitable<std::size_t> Sweeper::write_lanes(const SweepContext& context, Subnet& next) {
  const routing::VlTargets targets(next.fabric, context.options, *next.routing);
  conditions_.stand(ConditionSource::vl_settings,
                    conditions_of(ConditionId::vl_setting, targets.notes(next.routing->engine)));
  next.lanes.reset();
  if (!targets.any()) co_return 0;
  const ApplyOptions how = apply_options(context);
  const ApplyReport applied =
      co_await program_lanes(client_, how, next.fabric, targets, context.options.use_optimized_slvl,
                             lanes_, lane_refusals_);
  tell(applied);
  if (applied.writes > 0) log_.info("{} tables of virtual lanes written", applied.writes);
  conditions_.stand(
      ConditionSource::vl_tables,
      conditions_of(
          ConditionId::vl_table_rejected,
          lane_refusals_.texts(next.fabric, !context.options.suppress_sl2vl_mad_status_errors)));
  next.lanes = std::make_shared<const VlTables>(lanes_);
  co_return applied.failed;
}

/// What of our memory of virtual lanes still holds: nodes that restarted have lost theirs.
void Sweeper::follow_lanes(const SweepContext& context, const Subnet& next,
                           const SweepOrder& order) {
  const Fabric& fabric = next.fabric;
  if (!routing::VlTargets::any(context.options, *next.routing)) {
    lanes_ = {};
    lane_refusals_.forget_all();
    return;
  }
  lanes_.follow(fabric);
  if (!order.trust_tables) {
    lanes_.forget_all();
    lane_refusals_.forget_all();
  }
  if (!subnet_) return;
  for (const NodeIndex index : fabric.nodes.indices()) {
    if (may_hold_tables(fabric, index)) continue;
    lanes_.forget(index);
    lane_refusals_.forget(fabric.nodes[index].guid);
  }
}

void Sweeper::decide_partitions(const SweepContext& context, const Fabric& fabric, Target& target) {
  target.partition_map = partitions::partition_map(context.partitioning, fabric, context.options);
  target.p_keys = partitions::p_key_targets(fabric, target.partition_map, context.options);
}

void Sweeper::tell(const ApplyReport& applied) {
  for (const std::string& problem : applied.problems) log_.error("{}", problem);
  for (const std::string& lesson : applied.lessons) log_.info("{}", lesson);
  if (applied.failed > applied.problems.size())
    log_.error("{} writes failed in all", applied.failed);
  if (applied.activated > 0) log_.info("{} ports became Active", applied.activated);
}

void Sweeper::publish(Subnet subnet) {
  subnet.index();
  subnet_ = std::make_shared<const Subnet>(std::move(subnet));
}

/// A running sweep keeps what it works with.
void Sweeper::leave_standby() { left_standby_ = true; }

/// Against the last subnet that was programmed.
void Sweeper::report_changes(const Fabric& fabric) const {
  if (!subnet_) return;
  const std::vector<Change> all = changes(subnet_->fabric, fabric);
  for (const Change& change : std::span(all).first(std::min(all.size(), kChangesLogged))) {
    log_.log(change.loss ? spdlog::level::warn : spdlog::level::info, "{}", change.text);
  }
  if (all.size() > kChangesLogged)
    log_.warn("and {} more nodes and links came or went", all.size() - kChangesLogged);
}

LidAssignment Sweeper::decide_lids(const SweepContext& context, const Fabric& fabric) {
  load_stored_state(context);
  LidAssignment assignment = assign_lids(fabric, lid_options(context.options, leaving_standby_),
                                         guid2lid_, first_master_sweep_);
  for (const std::string& message : assignment.messages) log_.info("{}", message);
  return assignment;
}

void Sweeper::load_stored_state(const SweepContext& context) {
  if (std::exchange(loaded_, true)) return;
  LoadedGuid2Lid loaded = load_guid2lid(context.options.cache_files_dir);
  for (const std::string& message : loaded.messages) log_.error("{}", message);
  guid2lid_ = std::move(loaded.value);

  stored_neighbors_ = load_neighbor_guids(context.options.cache_files_dir);
  auto refused = RefusedSettings::load(context.options.cache_files_dir);
  if (!refused) return log_.warn("{}; it is not used", refused.error());
  refused_ = std::move(*refused);
}

/// The LID map must survive a crash. When the disk does not take it, the subnet still comes up, and
/// the condition says so.
void Sweeper::remember(const SweepContext& context, const Guid2Lid& guid2lid) {
  if (guid2lid == guid2lid_ && !store_failed_ && !first_master_sweep_) return;
  guid2lid_ = guid2lid;
  const auto saved = save_guid2lid(context.options.cache_files_dir, guid2lid_,
                                   context.options.fsync_high_avail_files);
  store_failed_ = !saved;
  std::vector<Condition> standing;
  if (!saved)
    standing.push_back(
        {.id = ConditionId::store_failed,
         .text = fmt::format("{}; LIDs are kept in memory only, and may change at the next start",
                             saved.error())});
  conditions_.stand(ConditionSource::lid_store, std::move(standing));
}

/// Which of our memories of switch tables still hold: a switch that was read again and does not
/// show our LinearFDBTop was restarted.
void Sweeper::follow_tables(const Survey& survey, const SweepOrder& order) {
  memory_.follow(survey.fabric);
  multicast_.follow(survey.fabric);
  if (!order.trust_tables) {
    memory_.forget_all();
    multicast_.distrust();
  }
  if (!subnet_) return;
  for (const SwitchIndex sw : survey.fabric.switches.indices()) {
    if (survey.fabric.switches[sw].info.linear_fdb_top() != 0) continue;
    memory_.forget(sw);
    multicast_.forget(sw);
  }
}

/// Trees for the fabric as it is now, and the writes that make them. Returns how many failed.
asio::awaitable<std::size_t> Sweeper::sweep_multicast(const SweepContext& context, Subnet& next,
                                                      Target& target) {
  Fabric& fabric = next.fabric;
  if (!has_multicast(context)) {
    router_.reset();
    co_return 0;
  }
  const SwitchGraph graph = make_switch_graph(fabric);
  std::vector<routing::MulticastGroup> groups = routing::joined_by_mlid(groups_(next));
  if (!groups.empty()) {
    multicast_.held().grow(MulticastTables::block_of(groups.back().mlid) + 1);
    const ApplyOptions how = apply_options(context);
    co_await read_multicast(client_, how, fabric, multicast_);
  }
  std::vector<mad::Guid> centres;
  if (router_) centres.assign(router_->centres().begin(), router_->centres().end());
  router_.emplace(fabric, graph, multicast_.start(), centres, next.routing->multicast_up);
  std::vector<routing::MulticastFinding> findings;
  router_->route_all(groups, findings);
  report(findings, fabric, true);
  keep_from_credit_loops(next, graph, *target.lfts, groups);
  routed_ = std::move(groups);

  const MulticastReport programmed = co_await write_multicast(context, fabric, graph);
  for (ChannelIndex channel{0}; channel < programmed.hold_back.size(); ++channel) {
    if (programmed.hold_back[channel])
      target.hold_back.push_back(fabric.port(
          fabric.switches[graph.neighbour[graph.reverse[channel]]].node, graph.port[channel]));
  }
  std::ranges::sort(target.hold_back);
  next.mfts = std::make_shared<const MulticastTables>(router_->tables());
  co_return programmed.applied.failed;
}

/// A routing engine that excludes credit loops does so for unicast.
/// Multicast on the same lanes must not undo that: if the trees do, one tree for all groups is
/// searched for that does not. What remains is a condition.
void Sweeper::keep_from_credit_loops(const Subnet& next, const SwitchGraph& graph,
                                     const ForwardingTables& lfts,
                                     const std::vector<routing::MulticastGroup>& groups) {
  constexpr std::size_t kTreesTried = 4;
  std::vector<Condition> standing;
  const std::uint16_t dropped = next.lanes ? next.lanes->dropped_sls() : std::uint16_t{0};
  for (const routing::MulticastGroup& group : groups) {
    if ((group.sls & dropped) != 0)
      standing.push_back({.id = ConditionId::multicast_sl_dropped,
                          .text = fmt::format("some port maps the service level of multicast group "
                                              "{} to VL 15, and drops its packets",
                                              group.mlid)});
  }
  const PublishedRouting& routing = *next.routing;
  const routing::Engine* engine = routing::find_engine(next.routing->engine);
  if (engine != nullptr && engine->promises_no_credit_loops && !groups.empty()) {
    const auto loops_with = [&](const routing::MulticastRouter& router) {
      const auto others =
          routing::multicast_dependencies(graph, router.tables(), groups, routing.sl_to_vl);
      return routing::find_credit_loops(graph, next.lids, lfts, {routing.sls, routing.sl_to_vl},
                                        routing::Traffic::between_hosts, others);
    };
    const routing::CreditLoops loops = loops_with(*router_);
    bool safe = loops.ok();
    if (!safe && routing.multicast_up.empty()) {
      const routing::RoutingOptions options;
      for (const auto& up : routing::trees_of_unicast({next.fabric, graph, next.lids, options},
                                                      lfts, routing.roots, kTreesTried)) {
        routing::MulticastRouter one_tree(next.fabric, graph, multicast_.start(), {}, up);
        std::vector<routing::MulticastFinding> findings;
        one_tree.route_all(groups, findings);
        safe = findings.empty() && loops_with(one_tree).ok();
        if (!safe) continue;
        router_ = std::move(one_tree);
        standing.push_back({.id = ConditionId::multicast_shared_tree,
                            .text = "all multicast groups share one tree: with trees of their own, "
                                    "credit loops with unicast are possible"});
        break;
      }
    }
    if (!safe) {
      standing.push_back(
          {.id = ConditionId::multicast_credit_loop,
           .text = fmt::format("multicast and unicast share virtual lanes, and {}; a service level "
                               "of their own would keep groups out of it",
                               routing::text(loops.loops.front(), next.fabric, graph))});
    }
  }
  conditions_.stand(ConditionSource::multicast_vls, std::move(standing));
}

asio::awaitable<MulticastReport> Sweeper::write_multicast(const SweepContext& context,
                                                          Fabric& fabric,
                                                          const SwitchGraph& graph) {
  const ApplyOptions how = apply_options(context);
  multicast_.want(router_->tables());
  multicast_.held().grow(router_->tables().blocks());
  co_await read_multicast(client_, how, fabric, multicast_);
  MulticastReport programmed = co_await sm::program_multicast(
      client_, how, fabric, graph, router_->tables(), context.options.use_mfttop, multicast_);
  for (const std::string& problem : programmed.applied.problems) log_.error("{}", problem);
  for (const std::string& lesson : programmed.applied.lessons) log_.info("{}", lesson);
  if (programmed.applied.failed > 0) {
    log_.error(
        "{} writes of multicast tables failed; what could close a circle with what switches may "
        "still hold is left out until they answer",
        programmed.applied.failed);
  }
  if (programmed.applied.writes > 0)
    log_.info("{} multicast table blocks and tops written", programmed.applied.writes);
  multicast_behind_ = programmed.applied.failed > 0;
  co_return programmed;
}

/// Routes the groups that are not as they were. Returns how many.
std::size_t Sweeper::route_changed(std::vector<routing::MulticastGroup> groups) {
  std::size_t changed = 0;
  std::vector<routing::MulticastFinding> findings;
  auto old = routed_.begin();
  for (const routing::MulticastGroup& group : groups) {
    for (; old != routed_.end() && old->mlid < group.mlid; ++old, ++changed)
      router_->clear(old->mlid);
    const bool known = old != routed_.end() && old->mlid == group.mlid;
    if (!known || *old != group) {
      router_->route(group, findings);
      ++changed;
    }
    if (known) ++old;
  }
  for (; old != routed_.end(); ++old, ++changed) router_->clear(old->mlid);
  routed_ = std::move(groups);
  report(findings, subnet_->fabric, false);
  return changed;
}

asio::awaitable<MulticastEnd> Sweeper::program_multicast(SharedContext context) {
  MulticastEnd end;
  end.again = *programming_;
  if (*programming_ || !has_multicast(*context) || !subnet_ || !router_) co_return end;
  const Busy busy(programming_);
  end.groups_changed = route_changed(routing::joined_by_mlid(groups_(*subnet_)));
  if (end.groups_changed == 0 && !multicast_behind_) co_return end;
  Subnet next = *subnet_;
  const MulticastReport programmed =
      co_await write_multicast(*context, next.fabric, make_switch_graph(next.fabric));
  end.writes = programmed.applied.writes;
  end.again = multicast_behind_;
  next.mfts = std::make_shared<const MulticastTables>(router_->tables());
  subnet_ = std::make_shared<const Subnet>(std::move(next));
  co_return end;
}

void Sweeper::report(const std::vector<routing::MulticastFinding>& findings, const Fabric& fabric,
                     bool of_all_groups) {
  std::vector<Condition> found;
  for (const routing::MulticastFinding& finding : findings) {
    if (found.size() >= kGroupConditionsMax) break;
    found.push_back(routing::condition_of(finding, fabric));
  }
  if (of_all_groups) {
    conditions_.stand(ConditionSource::multicast_groups, std::move(found));
  } else {
    conditions_.stand_also(ConditionSource::multicast_groups, found);
  }
}

bool Sweeper::decide_tables(const SweepContext& context, const Fabric& fabric, Target& target) {
  const SwitchGraph graph = make_switch_graph(fabric);
  const routing::RoutingOptions options = routing_options(context.options, context.files);
  const std::vector<std::string_view> runnable = config::runnable_engines(context.options);
  const std::vector<std::string> names(runnable.begin(), runnable.end());
  const bool no_fallback = std::ranges::find(context.options.routing_engine, "no_fallback") !=
                           context.options.routing_engine.end();
  const ForwardingTables* previous = first_master_sweep_ ? nullptr : memory_.tables();
  std::optional<routing::PreviousRouting> before;
  if (!first_master_sweep_ && subnet_ && routing_memory_ && subnet_->lfts)
    before.emplace(*routing_memory_, *subnet_->lfts);
  auto routed = routing::route_with_chain(
      names, no_fallback,
      {fabric, graph, target.lids, options, previous, before ? &*before : nullptr});
  if (!routed) {
    log_.critical(
        "No routing engine able to successfully configure  switch tables on current fabric");
    conditions_.stand(ConditionSource::routing,
                      {{.id = ConditionId::routing_failed, .text = routed.error().why}});
    return false;
  }
  std::vector<std::string> limits =
      routing::describe(routed->verification, fabric, target.lids, kProblemsLogged);
  limits.resize(std::min(limits.size(), kProblemsLogged));
  std::vector<Condition> standing = conditions_of(ConditionId::routing_refused, routed->refusals);
  std::ranges::move(conditions_of(ConditionId::routing_note, routed->routing.notes),
                    std::back_inserter(standing));
  std::ranges::move(conditions_of(ConditionId::routing_limit, std::move(limits)),
                    std::back_inserter(standing));
  conditions_.stand(ConditionSource::routing, std::move(standing));
  log_.info("osm_ucast_mgr_process: {} tables configured on all switches", routed->routing.engine);
  target.lfts = std::make_shared<ForwardingTables>(std::exchange(routed->routing.lfts, {}));
  target.routing = std::make_shared<const routing::ChainResult>(std::move(*routed));
  return true;
}

void Sweeper::write_files(const SweepContext& context, const Fabric& fabric, const LidMap& lids) {
  if (const auto written = write_subnet_lst(context.options, fabric, lids); !written)
    log_.error("{}", written.error());
  if (store_failed_) return;
  if (refused_.take_changed()) {
    const auto saved = write_file_atomically(
        std::filesystem::path(context.options.cache_files_dir) / RefusedSettings::kFile,
        refused_.to_text(), false);
    if (!saved) log_.warn("{}", saved.error());
  }
  if (const auto saved = save_neighbors(context.options.cache_files_dir, fabric,
                                        context.options.fsync_high_avail_files);
      !saved)
    log_.error("{}", saved.error());
}

}  // namespace sm
