#include "sm/sweep/sweeper.h"

#include <algorithm>

#include "fabric/at_once.h"
#include "fabric/plausible.h"
#include "mad/format.h"
#include "routing/qos/vl_targets.h"
#include "sm/sweep/attribute_writes.h"
#include "sm/sweep/busy.h"
#include "sm/sweep/claim.h"
#include "sm/sweep/multicast_stages.h"
#include "sm/sweep/named_guids.h"
#include "sm/sweep/port_stages.h"
#include "sm/sweep/unicast_stages.h"
#include "sm/sweep/vl_stages.h"
#include "sm/sweep/vport_stages.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr std::size_t kChangesLogged = 20;
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

asio::awaitable<void> Sweeper::compute(const std::function<void()>& work) {
  if (!compute_) {
    work();
    co_return;
  }
  {
    const Busy busy(computing_);
    co_await compute_(work);
  }
  for (const auto& [port, index] : std::exchange(noted_, {})) note_vport_change(port, index);
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
  options.compute = [this](const std::function<void()>& work) { return compute(work); };
  options.suspects = suspects_.current(client_.now());
  reopen_ports(*context);
  options.left_out = kept_out_.left_out;
  const std::shared_ptr<const Subnet> known = subnet_;  // whatever is published meanwhile
  options.trusted = known ? &known->fabric : nullptr;
  options.answering = order.answering;
  options.p_keys_may_wait = order.p_keys_may_wait && !known;
  const bool everything = order.everything || !known;
  const ChangingSwitches changing = std::exchange(changing_, {});
  Survey survey;
  if (everything) {
    survey = co_await discover(client_, options);
    surveyed_ = surveyed_ || survey.sm_port_up;
  } else {
    survey = co_await rediscover(client_, options, known->fabric, order.changed);
    keep_unread(changing, survey);
  }
  suspects_.remember(survey.suspects, client_.now());
  suspects_.follow(survey.fabric);
  if (!everything) keep_known_managers(*known, survey);
  co_return survey;
}

/// What a partial survey has read is as it was read.
void Sweeper::keep_unread(const ChangingSwitches& changing, const Survey& survey) {
  if (changing.empty()) return;
  const std::set<mad::Guid> read(survey.read_again.begin(), survey.read_again.end());
  const Fabric& fabric = survey.fabric;
  for (const Switch& sw : fabric.switches) {
    const Node& node = fabric.nodes[sw.node];
    if (const mad::Lid lid = fabric.ports[node.first_port].info.lid();
        changing.contains(lid) && !read.contains(node.guid))
      changing_.note(lid);
  }
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

std::vector<mad::Guid> Sweeper::stored_m_key_ports() const {
  std::vector<mad::Guid> ports;
  ports.reserve(m_keys_.stored().size());
  for (const auto& [port, key] : m_keys_.stored()) ports.push_back(port);
  return ports;
}

void Sweeper::report_misplaced(std::vector<Condition> configured, std::vector<Condition> members) {
  conditions_.stand(ConditionSource::named_guids, std::move(configured));
  member_guids_ = std::move(members);
  conditions_.stand(ConditionSource::named_members, member_guids_);
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
  const std::vector<mad::Guid> read_again = survey.read_again;
  std::vector<std::string> arrived;
  const mad::TimePoint now = client_.now();
  const std::set<mad::Guid> restless = std::exchange(restless_, {});
  KeptOut kept_out;
  const std::function<void()> compare = [&] {
    if (subnet_) follow_losses(subnet_->fabric, survey, restless, context->options, now);
    kept_out = keep_out(*context, survey, now);
    held_.follow_vports(fabric);
    held_.follow_p_keys(fabric, survey.read_again, survey.unread_p_keys);
  };
  take_health_orders(*context);
  co_await compute(compare);
  kept_out_ = std::move(kept_out);  // other threads do not see it before
  conditions_.stand(ConditionSource::link_health, kept_out_.conditions);

  // Before LIDs and P_Keys are decided: vports that are in use keep theirs.
  co_await observe_vports(*context, fabric, vports_to_visit(fabric, order, read_again),
                          VPortAccess::follow);
  load_stored(*context);
  LidAssignment lids;
  VPortDecision vports;
  std::vector<Condition> found, implausible, misplaced, members;
  const std::vector<mad::Guid> m_key_ports = stored_m_key_ports();  // a reload may replace them
  const std::function<void()> assign = [&] {
    std::optional<PartitionDecision> partitions;
    const bool without_vports = !has_vports(held_.vports);
    at_once(fabric, {[&] { lids = decide_lids(*context, fabric); },
                     [&] {
                       if (without_vports) partitions = decide_partitions(*context, fabric);
                     },
                     [&] {
                       if (subnet_) arrived = arrivals(subnet_->fabric, fabric, survey.touched);
                       implausible = implausible_values(fabric);
                       misplaced = misplaced_guids(*context, fabric, m_key_ports);
                       members = misplaced_members(context->runtime, fabric);
                     }});
    vports = decide_vports(*context, fabric, lids.lids, lids.persisted, std::move(partitions));
    found = fabric.conditions;
    for (const std::vector<Condition>& more : {lids.conditions, implausible})
      found.insert(found.end(), more.begin(), more.end());
  };
  co_await assign_after_p_keys(survey, vports.partitions.p_keys, assign);
  report_changes(arrived);
  for (const auto* messages : {&lids.messages, &vports.messages})
    for (const std::string& message : *messages) log_.info("{}", message);
  conditions_.stand(ConditionSource::discovery, found);
  p_key_conditions_ = vports.partitions.p_keys.conditions;
  conditions_.stand(ConditionSource::partitions, p_key_conditions_);
  report_misplaced(std::move(misplaced), std::move(members));
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
  co_await save_m_keys(m_keys_.expected(fabric, MKeyPolicy(context->options)));
  co_await save_lids(*context, vports.persisted, first_master_sweep_);

  Decision decision =
      co_await decide(*context, std::move(survey), std::move(lids.lids), std::move(vports), order);
  stand_findings(decision);
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
  remember_trees(decision.routed);
  router_ = std::move(decision.router);
  routed_ = std::move(decision.groups);
  all_groups_due_ = false;
  if (decision.target.mfts) held_.mfts.want(decision.target.mfts);

  // On disk before the first table is: a restart has to know.
  const bool is_fallback = decision.routed.state->is_fallback;
  const std::string engine = is_fallback ? decision.routed.state->engine : std::string();
  const std::function<void()> mark = [&] {
    stored_.save_fallback_mark(context->options, engine, log_);
  };
  if (is_fallback) co_await compute(mark);

  BeforeStage before_ports = [&]() -> asio::awaitable<void> {
    if (!ready_) co_return;
    std::shared_ptr<const Subnet> draft;
    const std::function<void()> copy = [&] {
      Subnet ready = next;
      ready.lfts = decision.target.lfts;
      ready.mfts = decision.target.mfts;
      ready.vl_tables = vl_tables_of(*context, ready);
      draft = snapshot(std::move(ready));
    };
    co_await compute(copy);
    ready_(std::move(draft), context);
  };
  const ApplyReport applied = co_await apply_and_log(
      *context, next.fabric, decision.target, PlanScope::everything, std::move(before_ports));
  enter(SweepPhase::store);
  co_await save_m_keys(m_keys_.acknowledged());

  for (const PortIndex port : applied.recheck)
    result.unread.push_back(next.fabric.node_of(port).guid);
  next.lfts = std::move(decision.target.lfts);
  next.mfts = std::move(decision.target.mfts);
  publish_vl_tables(*context, next);
  stored_.save_unsupported(context->options, held_.unsupported, log_);
  enter(SweepPhase::publish);
  if (applied.of(StageKind::ports).writes + applied.of(StageKind::link_restarts).writes > 0) {
    const std::function<void()> index_links = [&] { next.index_links(); };
    co_await compute(index_links);
  }
  publish(std::move(next));
  result.rerouted = routing_.chain != decision.routed.chain;
  routing_ = std::move(decision.routed);
  kept_ = std::move(decision.kept);
  stored_.forget_neighbors();
  first_master_sweep_ = leaving_standby_ = false;
  result.reregistration = decision.reregistration;
  result.lost.assign(applied.restarted.begin(), applied.restarted.end());
  if (applied.failed == 0) result.end = SweepEnd::subnet_up;
  if (applied.failed == 0 && !is_fallback) co_await compute(mark);
  if (applied.failed == applied.unanswered)
    result.unwritten.assign(applied.unanswering.begin(), applied.unanswering.end());
  const VPortEnd after =
      co_await run_vports(context, vports_to_visit(subnet_->fabric, order, read_again));
  result.lost.insert(result.lost.end(), after.lost.begin(), after.lost.end());
  co_await program_fdr10(context);
  co_await compare_with_expected(context);
  co_return result;
}

asio::awaitable<tl::expected<Preview, std::string>> Sweeper::preview(SharedContext context,
                                                                     Survey survey,
                                                                     const SweepOrder& order) {
  const Busy busy(programming_);
  const mad::TimePoint now = client_.now();
  take_health_orders(*context);
  KeptOut kept_out;
  const std::function<void()> look = [&] { kept_out = keep_out(*context, survey, now); };
  co_await compute(look);
  kept_out_ = std::move(kept_out);
  const std::vector<PortIndex> visited = vports_to_visit(survey.fabric, order, survey.read_again);
  held_.doubt_vports();  // a master that runs may have cleared VPortStateChange
  const std::vector<PortIndex> with_vports = ports_with_vports(survey.fabric, held_.vports);
  co_await observe_vports(*context, survey.fabric, with_vports, VPortAccess::look);
  load_stored(*context);
  LidAssignment lids = decide_lids(*context, survey.fabric);
  VPortDecision vports = decide_vports(*context, survey.fabric, lids.lids, lids.persisted);
  Preview preview;
  preview.messages = lids.messages;
  preview.conditions = survey.fabric.conditions;
  preview.conditions.insert(preview.conditions.end(), kept_out_.conditions.begin(),
                            kept_out_.conditions.end());
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
                                                    BeforeStage before_ports,
                                                    BeforeStage before_vports) {
  ApplyOptions how = apply_options();
  how.on_phase = on_phase_;
  how.before_ports = std::move(before_ports);
  how.before_vports = std::move(before_vports);
  held_.lfts.begin_writes();
  Planner planner(fabric, held_, target, context.options, scope);
  ApplyReport applied = co_await apply(client_, how, fabric, planner);
  co_await check_tables(fabric, target.lids, applied);
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
  stand_port_settings(fabric);
  report_unwritten(scope, applied);
  const std::string written = summary(applied);
  if (!written.empty()) log_.info("written: {}", written);
  co_return applied;
}

/// A write that a node did not take stands until the same writes are made again; a sweep makes
/// all.
void Sweeper::report_unwritten(PlanScope scope, const ApplyReport& applied) {
  if (scope == PlanScope::everything) unwritten_.clear();
  unwritten_[scope] = applied.unwritten;
  std::vector<Condition> standing;
  for (const auto& [of, nodes] : unwritten_)
    for (const auto& [node, text] : nodes)
      standing.push_back({.id = ConditionId::write_failed, .text = text, .guid = node});
  conditions_.stand(ConditionSource::writes, std::move(standing));
}

/// Whether a switch lost its tables while it was programmed. SwitchInfo cannot show it: the write
/// of LinearFDBTop would replace the 0 of a reset. It is read right before that write
/// (reads_first); what happens after that, and between reading and clearing PortStateChange, shows
/// in the table itself: one block is read back (TableMemory::witness) of every switch that was
/// written to.
asio::awaitable<void> Sweeper::check_tables(const Fabric& fabric, const LidMap& lids,
                                            ApplyReport& applied) {
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
  const std::unique_ptr<Stage> reads = witness_reads(fabric, held_, lids, switches, lost);
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
  forget_misplaced(fabric, applied);
}

/// The content of a Set may be at another place of its node than it was meant for.
void Sweeper::forget_misplaced(const Fabric& fabric, ApplyReport& applied) {
  for (const mad::Guid guid : applied.misplaced) {
    const NodeIndex node = fabric.node_of_guid.at(guid);
    held_.forget_all_of(fabric, node);
    conditions_.occurred(
        {.id = ConditionId::audit_difference,
         .text = fmt::format("{} answered SubnSet requests with another attribute modifier than "
                             "theirs; it is read again and written where it differs",
                             fabric.name(node)),
         .guid = guid});
    if (applied.restarted.insert(guid).second) ++applied.failed;
  }
}

asio::awaitable<void> Sweeper::save_lids(const SweepContext& context, const Guid2Lid& lids,
                                         bool always) {
  StoredState::SavedLids saved;
  const std::function<void()> save = [&] {
    saved = stored_.save_lids(context.options, lids, always);
  };
  co_await compute(save);
  conditions_.stand(ConditionSource::lid_store, stored_.keep(std::move(saved)));
}

/// The subnet is managed although keys cannot be stored: m_key is a candidate at the next start.
asio::awaitable<void> Sweeper::save_m_keys(MKeys::Files files) {
  std::vector<Condition> standing;
  if (!files.empty()) {
    tl::expected<void, std::string> written;
    const std::function<void()> write = [&] { written = files.write(); };
    co_await compute(write);
    if (written) {
      m_keys_.keep(std::move(files));
    } else {
      standing.push_back({.id = ConditionId::store_failed,
                          .text = fmt::format("{}; the M_Keys of ports are kept in memory only",
                                              written.error())});
    }
  }
  conditions_.stand(ConditionSource::m_key_store, std::move(standing));
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

void Sweeper::stand_findings(Decision& decision) {
  if (decision.router) limits_ = std::move(decision.limits);
  for (auto& [source, standing] : decision.findings) {
    if (source == ConditionSource::multicast_vls)
      multicast_loops_ = std::ranges::find(standing, ConditionId::multicast_credit_loop,
                                           &Condition::id) != standing.end();
    conditions_.stand(source, std::move(standing));
  }
}

void Sweeper::stand_port_settings(const Fabric& fabric) {
  std::vector<Condition> standing = held_.rejected.conditions(fabric);
  std::ranges::move(held_.masked_lfts.conditions(fabric), std::back_inserter(standing));
  std::ranges::move(held_.disabled.conditions(fabric), std::back_inserter(standing));
  conditions_.stand(ConditionSource::port_settings, std::move(standing));
}

void Sweeper::publish(Subnet subnet) { subnet_ = snapshot(std::move(subnet)); }

/// Discards of an AsioRuntime may be called on any thread, once something was computed.
std::shared_ptr<const Subnet> Sweeper::snapshot(Subnet subnet) const {
  return {new Subnet(std::move(subnet)), [discard = std::weak_ptr(discard_)](Subnet* old) {
            if (const auto by = discard.lock()) {
              (*by)([old] { delete old; });
            } else {
              delete old;
            }
          }};
}

void Sweeper::begin_with(std::shared_ptr<const Subnet> subnet) {
  subnet_ = std::move(subnet);
  routing_ = {};
  kept_ = {};
  router_.reset();
  routed_.clear();
  limits_.clear();
  multicast_loops_ = false;
}

asio::awaitable<void> Sweeper::lead_clients_here(SharedContext context, Survey& survey,
                                                 std::uint64_t reregistration,
                                                 mad::Lid known_manager) {
  const Busy busy(programming_);
  Target target;
  load_stored(*context);
  const std::function<void()> assign = [&] {
    target.lids = decide_lids(*context, survey.fabric).lids;
  };
  co_await compute(assign);
  target.known_manager = known_manager;
  target.reregister_clients = reregistration != 0;
  const std::unique_ptr<Stage> stage =
      master_lid_stage(survey.fabric, held_, target, context->options);
  ApplyReport report;
  const ApplyOptions how = apply_options();
  // Without an own LID that stays, none is written: the sweep does it.
  if (stage->size() == 0) co_return;
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
void Sweeper::report_changes(std::span<const std::string> arrived) {
  if (!subnet_) return;
  conditions_.stand(ConditionSource::losses, losses_.conditions());
  for (const std::string& line : arrived.first(std::min(arrived.size(), kChangesLogged)))
    log_.info("{}", line);
  if (arrived.size() > kChangesLogged)
    log_.info("{} more nodes appeared or links came up", arrived.size() - kChangesLogged);
}

}  // namespace sm
