#include "sm/sweep/sweeper.h"

#include <algorithm>

#include "fabric/plausible.h"
#include "mad/format.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/adoption_price.h"
#include "sm/sweep/attribute_writes.h"
#include "sm/sweep/claim.h"
#include "sm/sweep/multicast_stages.h"
#include "sm/sweep/port_disabling.h"
#include "sm/sweep/port_stages.h"
#include "sm/sweep/routing_facts.h"
#include "sm/sweep/unicast_stages.h"
#include "sm/sweep/vl_stages.h"
#include "sm/sweep/vport_stages.h"
#include "virt/vport_lids.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr std::size_t kChangesLogged = 20;

/// Says for as long as it lives that attributes are being written.
class Busy {
 public:
  explicit Busy(std::shared_ptr<bool> flag) : flag_(std::move(flag)) { *flag_ = true; }
  ~Busy() { *flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::shared_ptr<bool> flag_;
};
}  // namespace

Sweeper::Sweeper(mad::SmpClient& client, spdlog::logger& log, ConditionLog& conditions,
                 Progress progress)
    : client_(client), log_(log), conditions_(conditions), progress_(std::move(progress)) {
  client_.set_m_keys(&m_keys_);
}

void Sweeper::configure(const SharedContext& context) {
  if (configured_ == context) return;
  configured_ = context;
  for (const std::string& problem : m_keys_.configure(context->options)) log_.error("{}", problem);
}

asio::awaitable<Survey> Sweeper::observe(SharedContext context, const SweepOrder& order,
                                         bool as_master) {
  enter(SweepPhase::observe);
  configure(context);
  cleared_changes_ = as_master && !found_duplicates_;  // which may end the manager
  in_first_survey_ = !surveyed_;
  DiscoveryOptions options{.m_keys = &m_keys_,
                           .clear_port_state_change = cleared_changes_,
                           .on_progress = {},
                           .node_names = context->node_names,
                           .bounds = bounds_};
  if (progress_)
    options.on_progress = [this](std::size_t nodes, std::size_t) {
      progress_("nodes found", nodes, 0);
    };
  if (!order.trust_tables) suspects_.forget_all();
  options.suspects = suspects_.current(client_.now());
  const std::shared_ptr<const Subnet> known = subnet_;  // whatever is published meanwhile
  options.trusted = known ? &known->fabric : nullptr;
  const bool everything = order.everything || !known;
  Survey survey;
  if (everything) {
    survey = co_await discover(client_, options);
    surveyed_ = surveyed_ || survey.sm_port_up;
  } else {
    survey = co_await rediscover(client_, options, known->fabric, order.changed);
  }
  suspects_.remember(survey.suspects, client_.now());
  suspects_.follow(survey.fabric);
  if (!everything) keep_known_managers(*known, survey);
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
  enter(SweepPhase::decide);
  const Busy busy(programming_);
  if (std::exchange(left_standby_, false)) {
    leaving_standby_ = first_master_sweep_ = true;
    held_.forget_tables();
  }
  const Fabric& fabric = survey.fabric;
  if (!order.trust_tables) held_.doubt_vports();
  SweepResult result{.end = SweepEnd::errors, .unread = {}, .read = {}, .lost = {}};
  log_.info("fabric has {} nodes, {} of them switches, {} end ports", fabric.nodes.size(),
            fabric.switches.size(), fabric.end_ports.size());
  report_changes(fabric);
  held_.follow_vports(fabric);

  // Before LIDs and P_Keys are decided: vports that are in use keep theirs.
  const std::vector<mad::Guid> read_again = survey.read_again;
  co_await observe_vports(*context, fabric, vports_to_visit(fabric, order, read_again),
                          VPortAccess::follow);
  LidAssignment lids = decide_lids(*context, fabric);
  VPortDecision vports = decide_vports(*context, fabric, lids.lids, lids.persisted);
  for (const auto* messages : {&lids.messages, &vports.messages})
    for (const std::string& message : *messages) log_.info("{}", message);
  std::vector<Condition> found = fabric.conditions;
  found.insert(found.end(), lids.conditions.begin(), lids.conditions.end());
  const std::vector<Condition> implausible = implausible_values(fabric);
  found.insert(found.end(), implausible.begin(), implausible.end());
  conditions_.stand(ConditionSource::discovery, found);
  conditions_.stand(ConditionSource::partitions, vports.partitions.p_keys.conditions);
  const auto is_duplicate = [](const Condition& condition) {
    return condition.id == ConditionId::guid_duplicate;
  };
  // Later a host could end the manager by a GUID that it invents: then the second one is isolated.
  // A response that was corrupted shows a GUID twice in one survey, two devices do in the next,
  // too.
  const bool is_fatal = in_first_survey_ && context->options.exit_on_fatal &&
                        std::ranges::any_of(found, is_duplicate);
  if (is_fatal) {
    result.end = found_duplicates_ ? SweepEnd::fatal : SweepEnd::errors;
    surveyed_ = false;
  }
  found_duplicates_ = is_fatal;
  if (is_fatal) co_return result;
  // Not before: a fabric that is not programmed is not written to at all.
  if (!cleared_changes_) co_await claim_switches(client_, survey);
  result.unread = survey.unread;
  result.read = survey.read_again;
  claimed_ = survey.claimed;
  // On disk before anything depends on it.
  keep_m_keys(m_keys_.expect(fabric, mad::MKey{context->options.m_key}));
  conditions_.stand(ConditionSource::lid_store,
                    stored_.save_lids(context->options, vports.persisted, first_master_sweep_));

  Decision decision =
      co_await decide(*context, std::move(survey), std::move(lids.lids), std::move(vports), order);
  for (auto& [source, standing] : decision.findings) conditions_.stand(source, std::move(standing));
  if (!decision.routed.chain) {
    log_.critical(
        "No routing engine able to successfully configure  switch tables on current fabric");
    // Nothing is written: the old tables keep forwarding, and joins still change the trees on the
    // subnet that is published.
    if (subnet_) {
      held_.lfts.follow(subnet_->fabric);
      held_.mfts.follow(subnet_->fabric);
    }
    co_return result;
  }
  reregister_vports_ = reregister_vports_ || decision.target.reregister_clients;
  follow_hosts_of_vports(decision.next.fabric, decision.target.newcomers);
  decision.target.vports = nullptr;  // run_vports(), after links have become Active
  Subnet& next = decision.next;
  log_.info("osm_ucast_mgr_process: {} tables configured on all switches", next.routing->engine);
  router_ = std::move(decision.router);
  routed_ = std::move(decision.groups);
  if (decision.target.mfts) held_.mfts.want(decision.target.mfts);

  std::function<void()> before_ports = [&] {
    if (!ready_) return;
    Subnet draft = next;
    draft.lfts = decision.target.lfts;
    draft.mfts = decision.target.mfts;
    draft.vl_tables = vl_tables_of(*context, draft);
    ready_(std::make_shared<const Subnet>(std::move(draft)), context);
  };
  const ApplyReport applied = co_await apply_and_log(
      *context, next.fabric, decision.target, PlanScope::everything, std::move(before_ports));
  enter(SweepPhase::store);
  keep_m_keys(m_keys_.save());

  for (const PortIndex port : applied.recheck)
    result.unread.push_back(next.fabric.node_of(port).guid);
  next.lfts = std::move(decision.target.lfts);
  next.mfts = std::move(decision.target.mfts);
  publish_vl_tables(*context, next);
  stored_.save_unsupported(context->options, held_.unsupported, log_);
  enter(SweepPhase::publish);
  publish(std::move(next));
  routing_ = std::move(decision.routed);
  kept_ = std::move(decision.kept);
  stored_.forget_neighbors();
  first_master_sweep_ = leaving_standby_ = false;
  result.reregistration = decision.reregistration;
  result.lost.assign(applied.restarted.begin(), applied.restarted.end());
  if (applied.failed == 0) result.end = SweepEnd::subnet_up;
  if (applied.failed == applied.unanswered)
    result.unwritten.assign(applied.unanswering.begin(), applied.unanswering.end());
  const VPortEnd after =
      co_await run_vports(context, vports_to_visit(subnet_->fabric, order, read_again));
  result.lost.insert(result.lost.end(), after.lost.begin(), after.lost.end());
  co_await program_fdr10(context);
  co_return result;
}

asio::awaitable<tl::expected<Preview, std::string>> Sweeper::preview(SharedContext context,
                                                                     Survey survey,
                                                                     const SweepOrder& order) {
  const Busy busy(programming_);
  const std::vector<PortIndex> visited = vports_to_visit(survey.fabric, order, survey.read_again);
  held_.doubt_vports();  // a master that runs may have cleared VPortStateChange
  const std::vector<PortIndex> with_vports = ports_with_vports(survey.fabric, held_.vports);
  co_await observe_vports(*context, survey.fabric, with_vports, VPortAccess::look);
  LidAssignment lids = decide_lids(*context, survey.fabric);
  VPortDecision vports = decide_vports(*context, survey.fabric, lids.lids, lids.persisted);
  Preview preview;
  preview.messages = lids.messages;
  preview.conditions = survey.fabric.conditions;
  for (const auto* more : {&lids.conditions, &vports.partitions.p_keys.conditions})
    preview.conditions.insert(preview.conditions.end(), more->begin(), more->end());

  Decision decision =
      co_await decide(*context, std::move(survey), std::move(lids.lids), std::move(vports), order);
  for (const auto& [source, standing] : decision.findings)
    preview.conditions.insert(preview.conditions.end(), standing.begin(), standing.end());
  if (!decision.routed.chain)
    co_return tl::unexpected(preview.conditions.empty() ? std::string()
                                                        : preview.conditions.back().text);
  decision.target.current_lfts = decision.target.lfts;
  preview.plan = make_plan(decision.next.fabric, held_, decision.target, context->options);
  add_virtualization(preview.plan, decision.next.fabric, held_, visited,
                     virtualization_wish(context->options),
                     reregister_vports_ || decision.target.reregister_clients);
  if (std::vector<Write> speeds = co_await read_fdr10(*context, decision.next.fabric);
      !speeds.empty())
    preview.plan.stages.push_back(
        {.kind = StageKind::extended_port_info, .writes = std::move(speeds)});
  preview.held_lfts = held_.lfts.share();
  preview.subnet = std::move(decision.next);
  preview.target = std::move(decision.target);
  co_return preview;
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
  next.index();
  target.vports = std::make_shared<const VPortTargets>(vports.targets);
  hold_inactive(vports.targets, next.fabric, held_);  // those that run stay, whatever is to be read
  next.vports = published_vports(vports.targets);
  const Fabric* const last = subnet_ ? &subnet_->fabric : nullptr;
  for (const Condition& condition : held_.follow_tables(next.fabric, last, order.trust_tables))
    conditions_.occurred(condition);
  held_.follow_rejections(next.fabric, client_.now());
  if (prepare_) {
    Registered registered = prepare_(next, context);
    decision.reregistration = registered.reregistration;
    target.reregister_clients = registered.reregistration != 0 &&
                                std::exchange(clients_led_, 0) != registered.reregistration;
    target.known_manager = registered.known_manager;
    target.alias_guids = std::move(registered.alias_guids);
  }
  target.newcomers = newcomers(next.fabric);

  co_await read_back(unicast_reads(next.fabric, held_.lfts), next.fabric);
  enter(SweepPhase::route);
  KeptLids kept = kept_lids(kept_, subnet_.get(), next.fabric, target.lids, reserved);
  if (first_master_sweep_) add_kept_of_tables(kept, held_.lfts, next.fabric, target.lids, reserved);
  const KeptLids routed_too = placed(kept, next.fabric, target.lids);
  make_room(target.lids, routed_too);
  next.lids = target.lids;
  decision.kept = std::move(kept);
  decision.routed = route(context, next.fabric, physical, routed_too, order, decision.findings);
  enter(SweepPhase::decide);
  const Routed& routed = decision.routed;
  if (!routed.chain) co_return decision;
  target.lfts = virt::with_vport_lids(routed.lfts, next.fabric, physical, target.lids,
                                      kept_copies(routed_too, next.fabric, physical));
  target.routing = next.routing =
      std::shared_ptr<const PublishedRouting>(routed.chain, &routed.chain->routing);

  decision.findings.emplace_back(ConditionSource::link_settings,
                                 pending_link_settings(next.fabric, context.options));
  check_vl_settings(context, next.fabric, *next.routing, decision.findings);
  if (has_multicast(context)) co_await decide_trees(decision);

  if (!routing::VlTargets::any(context.options, *next.routing)) {
    held_.vl_tables = {};
    held_.vl_refusals.forget_all();
    held_.pairs.forget();
    co_return decision;
  }
  held_.follow_vl_tables(next.fabric, last, order.trust_tables);
  held_.follow_pairs(next.fabric, target.lfts, target.mfts, order.trust_tables);
  co_await read_back(vl_reads(next.fabric, held_, context.options, *next.routing), next.fabric);
  co_return decision;
}

asio::awaitable<void> Sweeper::decide_trees(Decision& decision) {
  Subnet& next = decision.next;
  Target& target = decision.target;
  decision.groups = routing::joined_by_mlid(groups_(next));
  if (!decision.groups.empty()) {
    held_.mfts.held().grow(MulticastTables::block_of(decision.groups.back().mlid) + 1);
    co_await read_back(multicast_reads(next.fabric, held_.mfts), next.fabric);
  }
  std::vector<mad::Guid> centres;
  if (router_) centres.assign(router_->centres().begin(), router_->centres().end());
  decision.router.emplace(decide_multicast(next, *target.lfts, held_.mfts, decision.groups, centres,
                                           decision.findings));
  target.mfts = std::make_shared<const MulticastTables>(decision.router->tables());
  held_.mfts.held().grow(target.mfts->blocks());
  co_await read_back(multicast_reads(next.fabric, held_.mfts), next.fabric);
}

asio::awaitable<void> Sweeper::price_adoption(SharedContext context) {
  const Busy busy(programming_);
  const std::shared_ptr<const Subnet> subnet = subnet_;
  const auto kept = std::make_shared<const KeptLids>(kept_);
  std::vector<Condition> standing;
  if (const auto state = routing_.state; state && state->adopted) {
    if (auto price = co_await price_of_adoption(*context, *subnet, *kept, *state)) {
      standing.push_back(std::move(*price));
    } else {
      routing_.state = without_adoption(*state);
    }
  }
  conditions_.stand(ConditionSource::adoption, std::move(standing));
}

asio::awaitable<SweepResult> Sweeper::program_p_keys(SharedContext context) {
  const Busy busy(programming_);
  client_.forget_silence();
  Subnet next = *subnet_;
  Target target;
  target.lids = next.lids;
  held_.follow_rejections(next.fabric, client_.now());
  for (auto& [guid, port] : held_.vports) port.forget_failures();  // of other keys than these
  VPortDecision vports = decide_vports(
      *context, next.fabric, virt::physical_only(next.lids, next.fabric), stored_.guid2lid());
  target.p_keys = std::move(vports.partitions.p_keys);
  conditions_.stand(ConditionSource::partitions, target.p_keys.conditions);
  next.partitions = std::move(vports.partitions.map);
  if (prepare_) prepare_(next, *context);
  std::function<void()> before_ports = [&] {
    if (ready_) ready_(std::make_shared<const Subnet>(next), context);
  };
  const ApplyReport applied = co_await apply_and_log(*context, next.fabric, target,
                                                     PlanScope::p_keys, std::move(before_ports));
  publish(std::move(next));
  co_await run_vports(context, {});
  co_return SweepResult{.end = applied.failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors,
                        .unread = {},
                        .read = {},
                        .lost = {}};
}

asio::awaitable<SweepResult> Sweeper::program_vl_tables(SharedContext context) {
  const Busy busy(programming_);
  client_.forget_silence();
  Subnet next = *subnet_;
  Target target;
  target.routing = next.routing;
  Findings findings;
  check_vl_settings(*context, next.fabric, *next.routing, findings);
  for (auto& [source, standing] : findings) conditions_.stand(source, std::move(standing));
  if (routing::VlTargets::any(context->options, *next.routing))
    co_await read_back(vl_reads(next.fabric, held_, context->options, *next.routing), next.fabric);
  const ApplyReport applied =
      co_await apply_and_log(*context, next.fabric, target, PlanScope::vl_tables);
  publish_vl_tables(*context, next);
  publish(std::move(next));
  co_return SweepResult{.end = applied.failed == 0 ? SweepEnd::subnet_up : SweepEnd::errors,
                        .unread = {},
                        .read = {},
                        .lost = {}};
}

asio::awaitable<std::vector<mad::Guid>> Sweeper::read_single(SingleReads reads) {
  const Busy busy(programming_);
  const std::shared_ptr<const Subnet> before = subnet_;
  SingleAnswers answers = co_await sm::read_single(client_, before->fabric, reads);
  const bool managers_changed = std::ranges::any_of(answers.managers, [&](const OtherSm& sm) {
    const auto known = std::ranges::find(before->sms, sm.port, &OtherSm::port);
    return known == before->sms.end() || known->info.sm_state() != sm.info.sm_state() ||
           known->info.priority() != sm.info.priority() || known->info.guid() != sm.info.guid();
  });
  if (answers.descriptions.empty() && !managers_changed) co_return answers.changed;
  Subnet next = *before;
  for (const auto& [node, description] : answers.descriptions) {
    log_.info("NodeDescription changed: {} is \"{}\" now", before->fabric.name(node),
              description.text());
    next.fabric.nodes[node].description = description;
  }
  for (const OtherSm& sm : answers.managers) {
    const auto known = std::ranges::find(next.sms, sm.port, &OtherSm::port);
    if (known == next.sms.end()) {
      next.sms.push_back(sm);
    } else {
      *known = sm;
    }
  }
  publish(std::move(next));
  co_return answers.changed;
}

asio::awaitable<void> Sweeper::disable_port(mad::Guid node, mad::PortNum number) {
  const Busy busy(programming_);
  const std::shared_ptr<const Subnet> subnet = subnet_;
  const std::optional<PortIndex> port = port_to_disable(subnet->fabric, node, number);
  if (!port) co_return;
  const bool taken = co_await sm::disable_port(client_, subnet->fabric, *port);
  conditions_.occurred(
      {.id = ConditionId::port_disabled,
       .text = fmt::format("port with too many link errors: {}: {} (babbling_port_policy)",
                           subnet->fabric.port_name(*port),
                           taken ? "it is disabled" : "it does not accept PortState Down"),
       .guid = subnet->fabric.node_of(*port).guid,
       .port = subnet->fabric.ports[*port].number});
}

asio::awaitable<MulticastEnd> Sweeper::program_multicast(SharedContext context) {
  MulticastEnd end;
  end.again = *programming_;
  if (*programming_ || !has_multicast(*context) || !subnet_ || !router_) co_return end;
  const Busy busy(programming_);
  client_.forget_silence();
  end.groups_changed = route_changed(routing::joined_by_mlid(groups_(*subnet_)));
  if (end.groups_changed == 0 && !multicast_behind_) co_return end;
  Subnet next = *subnet_;
  Target target;
  target.mfts = std::make_shared<const MulticastTables>(router_->tables());
  held_.mfts.want(target.mfts);
  held_.mfts.held().grow(target.mfts->blocks());
  co_await read_back(multicast_reads(next.fabric, held_.mfts), next.fabric);
  if (routing::VlTargets::any(context->options, *next.routing)) {
    held_.pairs.add_multicast(next.fabric, target.mfts, &held_.mfts.held().tables);
    target.newly_used = held_.pairs.take_grown();
  }
  if (!target.newly_used.empty()) {
    target.routing = next.routing;
    co_await read_back(
        vl_reads(next.fabric, held_, context->options, *next.routing, &target.newly_used),
        next.fabric);
  }
  const ApplyReport applied =
      co_await apply_and_log(*context, next.fabric, target, PlanScope::multicast);
  if (target.routing) publish_vl_tables(*context, next);
  end.writes = applied.writes;
  end.lost.assign(applied.restarted.begin(), applied.restarted.end());
  end.again = multicast_behind_;
  next.mfts = std::move(target.mfts);
  subnet_ = std::make_shared<const Subnet>(std::move(next));
  co_return end;
}

asio::awaitable<void> Sweeper::read_back(std::unique_ptr<StageSource> stages,
                                         const Fabric& fabric) {
  const ApplyOptions how = apply_options();
  co_await read(client_, how, fabric, *stages);
}

/// Which ports FDR10 is to be switched on or off at.
asio::awaitable<std::vector<Write>> Sweeper::read_fdr10(const SweepContext& context,
                                                        const Fabric& fabric) {
  const Fdr10Wish wish = fdr10_wish(context.options);
  if (wish == Fdr10Wish::leave) co_return std::vector<Write>{};
  co_await read_back(fdr10_reads(fabric, held_.fdr10), fabric);
  co_return held_.fdr10.writes(fabric, wish);
}

/// After everything else: devices that do not respond to it delay nothing.
asio::awaitable<void> Sweeper::program_fdr10(SharedContext context) {
  const std::shared_ptr<const Subnet> subnet = subnet_;
  std::vector<Write> writes = co_await read_fdr10(*context, subnet->fabric);
  if (writes.empty()) co_return;
  const std::unique_ptr<Stage> stage = fdr10_stage(subnet->fabric, held_.fdr10, std::move(writes));
  ApplyReport report;
  const ApplyOptions how = apply_options();
  co_await send(client_, how, subnet->fabric, mad::Method::set, *stage, report);
  for (const std::string& refusal : report.refusals) log_.info("{}", refusal);
  if (report.writes > 0)
    log_.info("FDR10 is {} at {} ports from the next training of their links on",
              fdr10_wish(context->options) == Fdr10Wish::on ? "enabled" : "disabled",
              report.writes);
}

asio::awaitable<ApplyReport> Sweeper::apply_and_log(const SweepContext& context, Fabric& fabric,
                                                    const Target& target, PlanScope scope,
                                                    std::function<void()> before_ports,
                                                    std::function<void()> before_vports) {
  ApplyOptions how = apply_options();
  how.on_phase = on_phase_;
  how.before_ports = std::move(before_ports);
  how.before_vports = std::move(before_vports);
  held_.lfts.begin_writes();
  Planner planner(fabric, held_, target, context.options, scope);
  ApplyReport applied = co_await apply(client_, how, fabric, planner);
  co_await check_tables(fabric, applied);
  for (const std::string& problem : applied.problems) log_.error("{}", problem);
  for (const std::string& refusal : applied.refusals) log_.info("{}", refusal);
  if (applied.failed > applied.problems.size())
    log_.error("{} writes failed in all", applied.failed);
  if (target.mfts) {
    std::size_t failed = 0;
    for (const StageKind kind : {StageKind::multicast_removal, StageKind::multicast_top_raise,
                                 StageKind::multicast_addition, StageKind::multicast_top_lower})
      failed += applied.of(kind).failed;
    multicast_behind_ = failed > 0;
    if (failed > 0)
      log_.error(
          "{} writes of multicast tables failed; what could close a forwarding loop with what "
          "switches may still hold is left out until they answer",
          failed);
  }
  conditions_.stand(ConditionSource::port_settings, held_.rejected.conditions(fabric));
  const std::string written = summary(applied);
  if (!written.empty()) log_.info("written: {}", written);
  co_return applied;
}

/// Whether a switch lost its tables while it was programmed. SwitchInfo cannot show it: the write
/// of LinearFDBTop would replace the 0 of a reset. It is read right before that write
/// (reads_first); what happens after that, and between reading and clearing PortStateChange, shows
/// in the table itself: one block is read back (TableMemory::witness) of every switch that was
/// written to.
asio::awaitable<void> Sweeper::check_tables(const Fabric& fabric, ApplyReport& applied) {
  std::set<mad::Guid> written = applied.written;
  for (const mad::Guid guid : std::exchange(claimed_, {})) written.insert(guid);
  std::vector<SwitchIndex> switches, lost;
  for (const mad::Guid guid : written) {
    const auto node = fabric.node_of_guid.find(guid);
    if (node != fabric.node_of_guid.end() && !applied.unanswering.contains(guid))
      switches.push_back(fabric.nodes[node->second].switch_index);
  }
  ApplyReport ignored;
  const ApplyOptions how = apply_options();
  const std::unique_ptr<Stage> reads = witness_reads(fabric, held_.lfts, switches, lost);
  co_await send(client_, how, fabric, mad::Method::get, *reads, ignored);
  for (const SwitchIndex sw : lost) {
    if (applied.restarted.insert(fabric.nodes[fabric.switches[sw].node].guid).second)
      ++applied.failed;
  }
  for (const mad::Guid guid : applied.restarted) {
    const NodeIndex node = fabric.node_of_guid.at(guid);
    held_.forget_tables(fabric, node);
    conditions_.occurred(
        {.id = ConditionId::tables_lost,
         .text = fmt::format("{} lost its tables while it was programmed; it is programmed again",
                             fabric.name(node)),
         .guid = guid});
  }
}

asio::awaitable<AuditStep> Sweeper::audit(unsigned count) {
  AuditStep step;
  const std::shared_ptr<const Subnet> subnet = subnet_;
  for (unsigned number = 0; subnet && number < count; ++number) {
    const std::optional<AuditItem> item = audit_.next(subnet, held_);
    step.pass_is_over = !item;
    if (!item) {
      held_.reread_vport_states();  // by the next light sweep
      break;
    }
    const auto route = subnet->fabric.route_to(item->port);
    if (!route) continue;
    const mad::SmpAnswer answer =
        co_await client_.ask({.attribute = item->attribute,
                              .modifier = item->modifier,
                              .route = *route,
                              .port = subnet->fabric.m_key_port(item->port)});
    // The light sweep looks after nodes that do not answer.
    if (!answer.ok() && answer.fault != mad::SmpFault::bad_status) audit_.skip_node();
    if (!answer.ok() || is_as_believed(*subnet, held_, *item, answer.data)) continue;
    const NodeIndex node = subnet->fabric.ports[item->port].node;
    const mad::Guid guid = subnet->fabric.nodes[node].guid;
    conditions_.occurred(
        {.id = ConditionId::audit_difference,
         .text = fmt::format(
             "{} does not hold what was written or read before: {}; it is read again and mended",
             subnet->fabric.name(node), describe(*subnet, *item, answer.data)),
         .guid = guid});
    held_.forget_all_of(subnet->fabric, node);
    audit_.skip_node();
    step.differing.push_back(guid);
    // A link that trained again has two ends.
    if (item->attribute == mad::AttributeId::port_info &&
        subnet->fabric.ports[item->about].peer != kNoIndex)
      step.differing.push_back(subnet->fabric.node_of(subnet->fabric.ports[item->about].peer).guid);
    step.everything = item->attribute == mad::AttributeId::node_info;
    break;
  }
  co_return step;
}

/// The subnet is managed although keys cannot be stored: m_key is a candidate at the next start.
void Sweeper::keep_m_keys(tl::expected<void, std::string> stored) {
  std::vector<Condition> standing;
  if (!stored) {
    standing.push_back(
        {.id = ConditionId::store_failed,
         .text = fmt::format("{}; the M_Keys of ports are kept in memory only", stored.error())});
  }
  conditions_.stand(ConditionSource::m_key_store, std::move(standing));
}

/// Null if neither options nor routing require any.
std::shared_ptr<const VlTables> Sweeper::vl_tables_of(const SweepContext& context,
                                                      const Subnet& next) const {
  if (!routing::VlTargets::any(context.options, *next.routing)) return nullptr;
  return std::make_shared<const VlTables>(held_.vl_tables);
}

void Sweeper::publish_vl_tables(const SweepContext& context, Subnet& next) {
  next.vl_tables = vl_tables_of(context, next);
  std::vector<std::string> refused;
  std::vector<Condition> dropped;
  if (next.vl_tables) {
    refused =
        held_.vl_refusals.texts(next.fabric, !context.options.suppress_sl2vl_mad_status_errors);
    dropped = dropped_groups(*next.vl_tables, routed_);
  }
  std::vector<Condition> standing;
  standing.reserve(refused.size());
  for (std::string& text : refused)
    standing.push_back({.id = ConditionId::vl_table_rejected, .text = std::move(text)});
  conditions_.stand(ConditionSource::vl_tables, std::move(standing));
  conditions_.stand(ConditionSource::multicast_sls, std::move(dropped));
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
  conditions_.stand_also(ConditionSource::multicast_groups,
                         conditions_of(findings, subnet_->fabric));
  return changed;
}

void Sweeper::publish(Subnet subnet) {
  subnet.index();
  subnet_ = std::make_shared<const Subnet>(std::move(subnet));
}

void Sweeper::begin_with(std::shared_ptr<const Subnet> subnet) {
  subnet_ = std::move(subnet);
  routing_ = {};
  kept_ = {};
  router_.reset();
  routed_.clear();
}

asio::awaitable<void> Sweeper::lead_clients_here(SharedContext context, Survey& survey,
                                                 std::uint64_t reregistration,
                                                 mad::Lid known_manager) {
  const Busy busy(programming_);
  Target target;
  target.lids = decide_lids(*context, survey.fabric).lids;
  target.known_manager = known_manager;
  target.reregister_clients = reregistration != 0;
  const std::unique_ptr<Stage> stage =
      master_lid_stage(survey.fabric, held_, target, context->options);
  ApplyReport report;
  const ApplyOptions how = apply_options();
  co_await send(client_, how, survey.fabric, mad::Method::set, *stage, report);
  clients_led_ = reregistration;
  reregister_vports_ = reregister_vports_ || reregistration != 0;
  log_.info("{} of {} end ports know that this manager is MASTER", report.writes, stage->size());
}

/// A running sweep keeps what it works with.
void Sweeper::expect_foreign_settings() { left_standby_ = true; }

void Sweeper::adopt(Guid2Lid lids, const Guid2MKey& m_keys) {
  if (!lids.entries.empty()) adopted_lids_ = std::move(lids);
  m_keys_.adopt(m_keys);
}

/// Against the last subnet that was programmed.
void Sweeper::report_changes(const Fabric& fabric) {
  if (!subnet_) return;
  losses_.follow(subnet_->fabric, fabric, client_.now());
  conditions_.stand(ConditionSource::losses, losses_.conditions());
  const std::vector<std::string> all = arrivals(subnet_->fabric, fabric);
  for (const std::string& line : std::span(all).first(std::min(all.size(), kChangesLogged)))
    log_.info("{}", line);
  if (all.size() > kChangesLogged)
    log_.info("{} more nodes appeared or links came up", all.size() - kChangesLogged);
}

LidAssignment Sweeper::decide_lids(const SweepContext& context, const Fabric& fabric) {
  stored_.load(context.options, held_.unsupported, log_);
  if (adopted_lids_) stored_.adopt(*std::exchange(adopted_lids_, std::nullopt));
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
      now.context == routing_.context && now.facts == routing_.facts) {
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
