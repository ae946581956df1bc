#include "sm/manager/sweep_runner.h"

#include <algorithm>
#include <optional>
#include <set>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "sm/sweep/observe/silences.h"

namespace sm {
namespace asio = boost::asio;
namespace {

constexpr mad::Duration kMassChangePause =
    std::chrono::seconds(1);  // firmware that is busy answers with errors for some time
/// An earlier trap has caused another sweep, or its report was already known.
constexpr mad::Duration kTrapIsCause = std::chrono::seconds(10);
constexpr mad::Duration kGroupsSettle =
    std::chrono::milliseconds(10);  // hosts that boot together join together
constexpr mad::Duration kGroupsWaitMax = std::chrono::milliseconds(500);
constexpr unsigned kOnceTries = 3;  // with -o: sweeps until we give up

/// Returns when the cause of a sweep was noticed.
mad::TimePoint noticed(const PassRequest& order, mad::TimePoint begin) {
  const bool is_cause = order.arrived && begin - *order.arrived < kTrapIsCause;
  return is_cause ? *order.arrived : begin;
}

std::string scope_of(const PassRequest& order) {
  if (order.everything) return "everything";
  return fmt::format("{} changed node{}", order.changed.size(),
                     order.changed.size() == 1 ? "" : "s");
}

/// A verbose line, since the first line of an event is what the sweep finds.
void log_start(spdlog::logger& log, const PassRequest& order) {
  log_with(log, spdlog::level::debug,
           fmt::format("sweep started: {} ({})", scope_of(order), order.why),
           {.kind = LogLineKind::detail});
}

/// Returns what a partial survey was asked to read, the switches that it has read, and those next
/// to what it did not find.
std::vector<mad::Guid> nodes_to_confirm(const Fabric& before, const Survey& survey,
                                        std::span<const mad::Guid> asked) {
  const Fabric& now = survey.fabric;
  std::set<mad::Guid> switches;
  const auto add = [&](mad::Guid guid) {
    const auto node = now.node_of_guid.find(guid);
    if (node != now.node_of_guid.end() && now.nodes[node->second].is_switch())
      switches.insert(guid);
  };
  for (const mad::Guid guid : survey.read_again) add(guid);
  for (const mad::Guid guid : asked) switches.insert(guid);
  for (const Port& port : before.ports)
    if (port.peer != kNoIndex && !now.node_of_guid.contains(before.nodes[port.node].guid))
      add(before.owning_node(port.peer).guid);
  return {switches.begin(), switches.end()};
}

}  // namespace

SweepRunner::SweepRunner(const Parts& parts)
    : log_(parts.log),
      conditions_(parts.conditions),
      client_(parts.client),
      computation_(parts.computation),
      loop_(parts.loop),
      mastership_(parts.mastership),
      sweeper_(parts.sweeper),
      administrator_(parts.administrator),
      replication_(parts.replication),
      partitions_(parts.partitions),
      upkeep_(parts.upkeep),
      statistics_(parts.statistics),
      events_(parts.events),
      files_(parts.runtime, parts.files_log, parts.conditions) {}

void SweepRunner::entered(const StateEntered& event) {
  if (event.before != event.now) figures_.subnet_up = false;
}

asio::awaitable<void> SweepRunner::observe_and_program(PassRequest order) {
  SharedContext context = loop_.context();
  partitions_.take_changes();  // a sweep decides all
  order.removes_conflicts = order.removes_conflicts || order.reroute;
  order.reroute =
      order.reroute || loop_.is_once();  // -o: no sweep follows that could go on from tables
  const SweepStart start{.begin = loop_.now(),
                         .gets = client_.statistics().total(mad::Method::get).sent,
                         .sets = client_.statistics().total(mad::Method::set).sent};
  ++figures_.sweeps;
  figures_.noticed = noticed(order, start.begin);
  // While the own port is down, sweeps start every second; the reason was already logged.
  if (!port_down_) log_start(log_, order);

  const unsigned stalls = mastership_.write_guard().stalls();
  std::optional<Survey> observed = co_await observe(context, order);
  if (!observed || !should_continue(*observed, order)) co_return;
  Survey survey = std::move(*observed);
  loop_.scheduler().were_read(survey.reported);
  const bool led = mastership_.leads();
  if (!co_await mastership_.leads_after(survey)) co_return;
  // Another manager may have written what a survey of single nodes does not read.
  const bool is_too_little = !order.everything && mastership_.write_guard().is_closed();
  if (is_too_little || !mastership_.write_guard().surveyed(stalls))
    co_return loop_.request_everything("the process did not run during the survey");
  if (!led && survey.has_hidden_m_keys) {
    // Only a Set can show which ports do not accept a known key.
    survey = co_await sweeper_.observe(context, order, true);
    if (loop_.is_stopping() || !mastership_.leads()) co_return;
    if (!survey.sm_port_up) co_return port_is_down(survey.fabric.sm_port != kNoIndex);
  }
  co_await begin_service(context, survey);
  if (loop_.is_stopping() || !mastership_.leads()) co_return;
  context = loop_.context();  // with the partitions that another manager left

  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  const bool was_up = figures_.subnet_up;
  const bool has_new_silence = survey.has_new_silence;
  const PassResult result = co_await pass(context, order, std::move(survey));
  // A host that was not ready when its link came up is probably ready soon.
  if (has_new_silence)
    loop_.scheduler().request_light_sweep(loop_.now() + SweepScheduler::kTrapPause);
  if (sweeper_.subnet() != before) publish_programmed(context, result);
  // A caller that waits for the end of a full sweep must find the files.
  if (order.everything || loop_.is_once()) co_await files_.finish();
  log_sweep(start);
  note_result(order, result);
  if (sweeper_.state().cleared_changes) swept_at_ = loop_.now();
  upkeep_.swept(result.rerouted, sweeper_.subnet() != before);
  partitions_.applied(result, *context);
  conclude(result, order.why);
  // A partial sweep that found no other change and wrote nothing is not logged.
  if (order.everything || !was_up || !figures_.subnet_up ||
      client_.statistics().total(mad::Method::set).sent > start.sets)
    log_end(start);
  events_.on(PhaseEntered{SweepPhase::store});
  administrator_.dump();
  events_.on(PhaseEntered{SweepPhase::idle});
}

void SweepRunner::note_result(const PassRequest& order, const PassResult& result) {
  loop_.sweep_has_published();
  if (order.everything)
    loop_.scheduler().unread().note_all(result.unread, loop_.now());
  else
    loop_.scheduler().unread().note(result.unread, result.read, loop_.now());
}

/// Surveys. Before many end ports are withdrawn, all that shows this is read again: one node's
/// response may be wrong. If some may also be lost, everything is read again. Returns nullopt if
/// the sweep ends here.
asio::awaitable<std::optional<Survey>> SweepRunner::observe(SharedContext context,
                                                            PassRequest& order) {
  const bool may_write = mastership_.may_write();
  Survey survey = co_await sweeper_.observe(context, order, may_write);
  const auto subnet = sweeper_.subnet();
  if (loop_.is_stopping()) co_return std::nullopt;
  if (!subnet || !survey.sm_port_up || !mastership_.leads() ||
      !is_mass_change(subnet->fabric, survey.fabric))
    co_return std::move(survey);
  const std::size_t had = subnet->fabric.end_ports.size(), has = survey.fabric.end_ports.size();
  order.everything = order.everything || !survey.unread.empty();
  conditions_.set_active(
      ConditionSource::mass_change,
      {{.id = kSweepConditions.mass_change,
        .text =
            fmt::format("{} of {} end ports are missing{}; {} read again before anything is "
                        "withdrawn",
                        had - std::min(had, has), had,
                        has <= 1 ? ", all behind the own link: look at the switch in front of this "
                                   "host first"
                                 : "",
                        order.everything ? "everything is" : "the switches that show it are")}});
  if (!order.everything) order.changed = nodes_to_confirm(subnet->fabric, survey, order.changed);
  const std::vector<mad::Guid> claimed = std::move(survey.claimed);
  const std::vector<mad::Guid> reported = std::move(survey.reported);
  if (!survey.unread.empty()) {  // links that are down do not come back by waiting
    const mad::TimePoint again = loop_.now() + kMassChangePause;
    co_await loop_.pause_until(again);
    if (loop_.is_stopping() || !mastership_.leads()) co_return std::nullopt;
  }
  survey = co_await sweeper_.observe(context, order, may_write);
  survey.claimed.insert(survey.claimed.end(), claimed.begin(), claimed.end());
  survey.reported.insert(survey.reported.end(), reported.begin(), reported.end());
  if (loop_.is_stopping()) co_return std::nullopt;
  co_return std::move(survey);
}

/// Returns false if the sweep decides nothing by this survey.
bool SweepRunner::should_continue(const Survey& survey, const PassRequest& order) {
  if (!survey.sm_port_up) {
    port_is_down(survey.fabric.sm_port != kNoIndex);
    return false;
  }
  if (std::exchange(port_down_, false)) log_.critical("SM port is up");
  conditions_.set_active(ConditionSource::sm_port, {});
  if (const mad::Guid guid = survey.fabric.ports[survey.fabric.sm_port].guid; guid != mad::Guid{})
    mastership_.set_port_guid(guid);
  const std::optional<Condition> silent = silent_subnet(survey.fabric);
  mastership_.note_silence(silent.has_value());
  if (silent) report_unreachable(*silent, survey, order.why);
  return !silent;
}

/// Serves clients of subnet administration from the standby's view, until the sweep of the new
/// MASTER has decided.
void SweepRunner::answer_from_view(const Fabric& surveyed) {
  const std::optional<FabricView> view = mastership_.take_standby_view(surveyed);
  if (!view) return;
  administrator_.prepare(*view->subnet, *loop_.context());
  events_.on(SubnetPublished{
      .subnet = view->subnet, .context = loop_.context(), .kind = Publication::standby});
  log_.info("subnet administration answers from the subnet read in STANDBY, {} s ago",
            std::chrono::duration_cast<std::chrono::seconds>(loop_.now() - view->read).count());
}

/// Prepares a pass as MASTER: takes over the state of other managers and clients, and directs
/// clients that are already served to this manager.
asio::awaitable<void> SweepRunner::begin_service(SharedContext context, Survey& survey) {
  if (!administrator_.has_read_files()) {
    const std::function<void()> read_files = [&] { administrator_.read_files(context->options); };
    co_await computation_.run(read_files);
  }
  if (co_await replication_.take_over()) partitions_.take();
  if (loop_.is_stopping() || !mastership_.leads()) co_return;
  answer_from_view(survey.fabric);
  if (sweeper_.succeeds_another_manager() && administrator_.is_answering())
    co_await sweeper_.announce_master(context, survey, administrator_.reregistration(),
                                      administrator_.known_manager());
}

/// Passes a published subnet to standbys, clients and the files of the next start.
void SweepRunner::publish_programmed(const SharedContext& context, const PassResult& result) {
  const State& state = sweeper_.state();
  if (mastership_.leads()) {
    administrator_.clients_reregister(result.reregistration,
                                      sweeper_.acknowledged(context->options));
    replication_.programmed(*state.subnet);
  }
  files_.write(context, state.subnet, state.stored.has_saved_lids());
}

void SweepRunner::log_sweep(const SweepStart& start) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - start.begin).count();
  const std::uint64_t gets = client_.statistics().total(mad::Method::get).sent - start.gets,
                      sets = client_.statistics().total(mad::Method::set).sent - start.sets;
  log_detail(log_, "sweep used {} SubnGet and {} SubnSet SMPs in {} ms, {} in flight at most", gets,
             sets, ms, client_.statistics().in_flight_max);
}

/// Logs one line for operators; the details were logged before.
void SweepRunner::log_end(const SweepStart& start) {
  const Subnet* const subnet = sweeper_.subnet().get();
  log_digest(
      log_, figures_.subnet_up ? spdlog::level::info : spdlog::level::err,
      fmt::format("sweep: {}; {} nodes, {} SubnGet and {} SubnSet SMPs in {} ms", figures_.last,
                  subnet == nullptr ? 0 : subnet->fabric.nodes.size(),
                  client_.statistics().total(mad::Method::get).sent - start.gets,
                  client_.statistics().total(mad::Method::set).sent - start.sets,
                  std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - start.begin)
                      .count()));
}

asio::awaitable<void> SweepRunner::sweep(PassRequest order) {
  const SweepKind kind = order.everything ? SweepKind::heavy : SweepKind::repair;
  const mad::TimePoint begin = loop_.now();
  outcome_ = SweepOutcome::incomplete;
  order.p_keys_may_wait = true;
  loop_.sweep_begins();
  co_await mastership_.learn_links();
  if (!loop_.is_stopping()) co_await observe_and_program(std::move(order));
  conditions_.set_active(ConditionSource::mass_change, {});
  statistics_.sweep_ended(kind, outcome_, loop_.now() - begin);
}

void SweepRunner::enter_phase(SweepPhase phase) {
  if (routing_since_) statistics_.routing_durations.observe(loop_.now() - *routing_since_);
  routing_since_ = phase == SweepPhase::route ? std::optional(loop_.now()) : std::nullopt;
}

/// Requests sweeps of switches that lost their tables while they were programmed. A switch that
/// reports this repeatedly waits for the pauses between sweeps with errors.
void SweepRunner::sweep_at_once(std::span<const mad::Guid> lost) {
  if (loop_.scheduler().failures() > 0) return;
  for (const mad::Guid guid : lost) loop_.request_node(guid, "a switch lost its tables");
}

void SweepRunner::conclude(const PassResult& result, const std::string& why) {
  events_.on(SweepConcluded{});
  sweep_at_once(result.lost);
  figures_.subnet_up = result.end == SweepEnd::subnet_up;
  switch (result.end) {
    case SweepEnd::subnet_up:
      outcome_ = SweepOutcome::subnet_up;
      loop_.scheduler().sweep_succeeded(loop_.now(), interval());
      figures_.last = fmt::format("SUBNET UP ({})", why);
      log_detail(log_, "SUBNET UP");
      log_.flush();
      if (loop_.is_once()) loop_.end(0);
      break;
    case SweepEnd::errors:
      outcome_ = SweepOutcome::errors;
      loop_.scheduler().sweep_failed(loop_.now(), result.unwritten);
      figures_.last = fmt::format("errors ({})", why);
      log_.critical("Errors during initialization");
      if (loop_.is_once() && loop_.scheduler().failures() >= kOnceTries) loop_.end(1);
      break;
  }
}

/// Reports a subnet from which nothing can be read. This manager does not become MASTER of it, and
/// withdraws nothing: the published subnet stays until a node answers.
void SweepRunner::report_unreachable(const Condition& silent, const Survey& survey,
                                     const std::string& why) {
  std::vector<Condition> found = survey.fabric.conditions;
  conditions_.set_active(ConditionSource::sm_port, {silent});
  conditions_.set_active(ConditionSource::discovery, std::move(found));
  conclude({.end = SweepEnd::errors}, why);
}

void SweepRunner::port_is_down(bool answers) {
  if (!std::exchange(port_down_, true)) {
    log_.critical("SM port is down");
    conditions_.set_active(
        ConditionSource::sm_port,
        {{.id = kManagerConditions.sm_port_down,
          .text = fmt::format(
              "the own port {} {}; it is queried again every second", mastership_.port_guid(),
              answers ? std::string("has no link") : sweeper_.m_keys().explain_own_silence()),
          .guid = mastership_.port_guid()}});
  }
  mastership_.port_is_down();
  loop_.scheduler().port_is_down(loop_.now());
  figures_.last = "SM port is down";
  if (loop_.is_once() && loop_.scheduler().failures() >= kOnceTries) loop_.end(1);
}

asio::awaitable<void> SweepRunner::light_sweep() {
  ++figures_.light_sweeps;
  const mad::TimePoint begin = loop_.now();
  const SweepOutcome outcome = co_await sweep_lightly();
  statistics_.sweep_ended(SweepKind::light, outcome, loop_.now() - begin);
}

asio::awaitable<SweepOutcome> SweepRunner::sweep_lightly() {
  const auto subnet = sweeper_.subnet();
  if (subnet->fabric.switches.empty()) {
    loop_.request_everything("a fabric without switches has no light sweep");
    co_return SweepOutcome::unchanged;
  }
  // A sweep that a trap requests does not wait for nodes that do not answer. At least one of two
  // successive light sweeps is completed, however many traps arrive.
  const bool may_yield = !std::exchange(light_sweep_yielded_, false);
  const LightSweepScope scope{.hosts = take_hosts(subnet->fabric),
                              .ignored = loop_.scheduler().unread().waiting(loop_.now()),
                              .suspects = sweeper_.suspects(),
                              .yields = [this, may_yield] {
                                return may_yield &&
                                       loop_.scheduler().next() == SweepScheduler::Action::sweep;
                              }};
  const std::set<mad::Guid> unread = loop_.scheduler().unread().take_due(loop_.now());
  const LightSweepResult result =
      co_await sm::light_sweep(client_, sweeper_.m_keys(), subnet->fabric, subnet->sms, scope);
  light_sweep_yielded_ = result.has_yielded;
  if (sweeper_.subnet() == subnet && sweeper_.note_managers(result.sms))
    publish(loop_.context(), Publication::same);
  if (result.own_port_changed) {
    loop_.request_everything("the own port changed");
  } else if (!result.has_yielded) {
    co_await mastership_.compare_managers(subnet, result.sms);
    if (!mastership_.leads()) co_return SweepOutcome::incomplete;
  }
  for (const mad::Guid port : co_await sweeper_.find_changed_vports())
    loop_.scheduler().request_vports(port);
  if (loop_.context()->options.read_router_tables && subnet->routers &&
      !subnet->routers->routers.empty())
    loop_.scheduler().request_routers(loop_.now());
  request_found(result, *subnet, unread);
  // Without its P_Keys no client reaches this manager.
  loop_.scheduler().request_p_key_check({.port = mastership_.port_guid()}, loop_.now());
  loop_.scheduler().light_sweep_done(loop_.now(), interval());
  if (result.has_yielded) loop_.scheduler().request_light_sweep(loop_.now());
  const bool changed =
      result.own_port_changed || !result.changed.empty() || !result.answering.empty();
  co_return changed ? SweepOutcome::changed : SweepOutcome::unchanged;
}

/// Returns the hosts that this light sweep asks: once in each interval, however many traps arrive.
std::vector<PortIndex> SweepRunner::take_hosts(const Fabric& fabric) {
  if (loop_.now() < hosts_due_) return {};
  hosts_due_ = loop_.now() + interval();
  return hosts_in_turn(fabric, next_host_);
}

/// Requests sweeps of the nodes that a light sweep found.
void SweepRunner::request_found(const LightSweepResult& result, const Subnet& subnet,
                                const std::set<mad::Guid>& unread) {
  for (const mad::Guid guid : result.changed) loop_.request_node(guid, "light sweep found changes");
  for (const mad::Guid guid : result.answering)
    loop_.scheduler().request_answering(guid, "light sweep found nodes that answer now");
  for (const mad::Guid guid : unread) {
    if (subnet.fabric.node_of_guid.contains(guid))
      loop_.request_node(guid, "nodes left requests unanswered");
  }
  for (const mad::Guid guid : sweeper_.due())
    loop_.request_node(guid, "retry of rejected settings");
  for (const mad::Guid guid : sweeper_.links().quiet(loop_.now()))
    loop_.request_node(guid, "links were quiet long enough to be used again");
}

// ------------------------------------------------------------------------------------------
// Work that needs no sweep

/// Runs a pass, and publishes its subnet to all readers.
asio::awaitable<PassResult> SweepRunner::pass(SharedContext context, PassRequest request,
                                              std::optional<Survey> survey) {
  return run_pass(std::move(context), std::make_unique<PassRequest>(std::move(request)),
                  std::make_unique<std::optional<Survey>>(std::move(survey)));
}

asio::awaitable<PassResult> SweepRunner::run_pass(SharedContext context,
                                                  std::unique_ptr<PassRequest> request,
                                                  std::unique_ptr<std::optional<Survey>> survey) {
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  const Publication kind =
      request->groups && !*survey ? Publication::same : Publication::programmed;
  PassResult result = co_await sweeper_.pass(context, std::move(*request), std::move(*survey));
  if (sweeper_.subnet() != before) publish(std::move(context), kind);
  co_return result;
}

void SweepRunner::publish(SharedContext context, Publication kind) {
  events_.on(
      SubnetPublished{.subnet = sweeper_.subnet(), .context = std::move(context), .kind = kind});
}

asio::awaitable<void> SweepRunner::program_parts(PassRequest request) {
  if (!mastership_.leads() || !sweeper_.subnet()) co_return;
  const SharedContext context = loop_.context();
  const std::uint64_t sets = client_.statistics().total(mad::Method::set).sent;
  const std::string why = request.why;
  const bool is_members = request.members.has_value(), has_p_keys = request.p_keys;
  if (is_members) request.members = partitions_.take_changes();
  if (has_p_keys) partitions_.take_changes();
  if (has_p_keys) log_.info("the partitions changed, and nothing else did: no sweep");
  if (request.vl_tables)
    log_.info("SL to VL mapping or VL arbitration changed, and nothing else did: no sweep");
  const bool has_m_keys = request.m_keys;
  const mad::TimePoint begin = loop_.now();
  // After a sweep with errors, the next one programs what is missing, and decides everything.
  const bool complete = loop_.scheduler().failures() == 0;
  const PassResult result = co_await pass(context, std::move(request));
  const std::uint64_t sent = client_.statistics().total(mad::Method::set).sent - sets;
  if (is_members)
    log_.info("partitions of the API: the fabric has revision {}: {} end port{}, {} SubnSet SMPs",
              context->runtime->revision(), result.members_decided,
              result.members_decided == 1 ? "" : "s", sent);
  else
    log_.info("the {} took {} SubnSet SMPs", why, sent);
  if (has_m_keys) report_key_change(begin);
  if (has_p_keys || (is_members && complete)) partitions_.applied(result, *context);
  if (!is_members || result.end != SweepEnd::subnet_up) conclude(result, why);
}

void SweepRunner::report_key_change(mad::TimePoint begin) {
  const Fabric& fabric = sweeper_.subnet()->fabric;
  const MKeyPolicy policy = sweeper_.m_keys().policy();
  const auto changed = std::ranges::count_if(fabric.end_ports, [&](PortIndex port) {
    return fabric.ports[port].info.m_key() == policy.key(fabric.ports[port].guid);
  });
  log_.info("M_Keys have version {}: {} of {} end ports after {} ms", policy.version(), changed,
            fabric.end_ports.size(),
            std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - begin).count());
}

asio::awaitable<void> SweepRunner::read_single() {
  SingleReads reads = loop_.scheduler().take_reads(loop_.now());
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  if (!mastership_.leads() || !before) co_return;
  const bool managers = !reads.managers.empty();
  const std::optional<mad::TimePoint> arrived = reads.arrived;
  for (const mad::Guid node : co_await sweeper_.read_single(std::move(reads))) {
    if (arrived) loop_.scheduler().note_arrival(*arrived);
    loop_.request_node(node, "a node reports another state");
  }
  if (!mastership_.leads()) co_return;
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (subnet != before) publish(loop_.context(), Publication::same);
  if (managers) co_await mastership_.compare_managers(subnet, subnet->sms);
}

asio::awaitable<void> SweepRunner::disable_ports() {
  for (const auto& [node, port] : loop_.scheduler().take_disabled()) {
    if (loop_.is_stopping() || !mastership_.leads() || !sweeper_.subnet()) co_return;
    const bool is_as_known = co_await sweeper_.disable_port(node, port);
    if (!is_as_known) loop_.request_node(node, "a node is not where it was");
    publish(loop_.context(), Publication::same);
  }
}

asio::awaitable<void> SweepRunner::program_groups() {
  const mad::TimePoint first = loop_.now();
  // The first change after a quiet time is programmed without delay.
  mad::Duration settle = first - groups_programmed_ > kQuiet ? mad::Duration{} : kGroupsSettle;
  do {
    loop_.scheduler().take_groups();
    const mad::TimePoint settled = loop_.now() + std::exchange(settle, kGroupsSettle);
    co_await loop_.pause_until(settled);
  } while (!loop_.is_stopping() && loop_.scheduler().groups_requested() &&
           loop_.now() - first < kGroupsWaitMax);
  if (loop_.is_stopping() || !mastership_.leads() || !sweeper_.subnet()) co_return;
  const mad::TimePoint begin = loop_.now();
  // g++ 12 destroys an aggregate that is a temporary of an awaited call twice, hence the name.
  const PassRequest request{.groups = true, .why = "multicast groups"};
  const PassResult end = co_await pass(loop_.context(), request);
  if (end.groups_changed > 0) {
    log_.info("multicast: {} group{} changed, {} blocks written in {} ms", end.groups_changed,
              end.groups_changed == 1 ? "" : "s", end.writes,
              std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - begin).count());
  }
  groups_programmed_ = loop_.now();
  sweep_at_once(end.lost);
  loop_.scheduler().groups_done(!end.again, loop_.now());
}

asio::awaitable<void> SweepRunner::program_vports() {
  const std::vector<mad::Guid> ports = loop_.scheduler().take_vports(loop_.now());
  if (!mastership_.leads() || !sweeper_.subnet()) co_return;
  const mad::TimePoint begin = loop_.now();
  const PassRequest request{.vports = VPortChanges{.ports = ports, .only_changes = true},
                            .why = "vports"};
  const PassResult end = co_await pass(loop_.context(), request);
  if (end.vports_activated > 0) {
    log_.info("vports: {} of {} physical port{} are Active after {} ms", end.vports_activated,
              ports.size(), ports.size() == 1 ? "" : "s",
              std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - begin).count());
  }
  sweep_at_once(end.lost);
  for (const mad::Guid port : ports)
    if (end.again) loop_.scheduler().request_vports_of_trap(port, loop_.now(), true);
}

asio::awaitable<void> SweepRunner::read_routers() {
  if (!mastership_.leads() || !sweeper_.subnet()) co_return;
  const PassRequest request{.routers = true, .why = "routers"};
  co_await pass(loop_.context(), request);
}

}  // namespace sm
