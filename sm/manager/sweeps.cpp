// Manager: sweeps, light ones, and how they ended.

#include <algorithm>
#include <set>

#include "mad/format.h"
#include "sm/manager/manager.h"
#include "sm/sweep/observe/silent_subnet.h"

namespace sm {
namespace asio = boost::asio;

namespace {
constexpr mad::Duration kMassChangePause =
    std::chrono::seconds(1);        // firmware that is busy answers with errors for some time
constexpr unsigned kOnceTries = 3;  // with -o: sweeps until we give up

std::string scope_of(const PassRequest& order) {
  if (order.everything) return "everything";
  return fmt::format("{} changed node{}", order.changed.size(),
                     order.changed.size() == 1 ? "" : "s");
}

/// One line for people; its details were logged before.
void log_sweep_end(spdlog::logger& log, bool is_up, const std::string& how, const Subnet* subnet,
                   std::uint64_t gets, std::uint64_t sets, mad::Duration time) {
  log_digest(log, is_up ? spdlog::level::info : spdlog::level::err,
             fmt::format("sweep: {}; {} nodes, {} SubnGet and {} SubnSet SMPs in {} ms", how,
                         subnet == nullptr ? 0 : subnet->fabric.nodes.size(), gets, sets,
                         std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
}
}  // namespace

asio::awaitable<void> Manager::observe_and_program(PassRequest order) {
  const SharedContext context = context_;
  member_changes_ = {};                    // a sweep decides all
  order.reroute = order.reroute || once_;  // -o: no sweep follows that could go on from tables
  const SweepStart start{.begin = runtime_.now(),
                         .gets = client_.statistics().total(mad::Method::get).sent,
                         .sets = client_.statistics().total(mad::Method::set).sent};
  ++sweeps_;
  // While the own port is down this is every second, and has been said.
  if (!port_down_) log_detail(log_, "sweep begins: {} ({})", scope_of(order), order.why);

  const unsigned stalls = write_guard_.stalls();
  std::optional<Survey> observed = co_await observe(context, order);
  if (!observed || !goes_on_after(*observed, order)) co_return;
  Survey survey = std::move(*observed);
  const bool led = state_ == mad::SmState::master;
  if (!co_await leads_after(survey)) co_return;
  if (!write_guard_.surveyed(stalls))
    co_return request_everything("the process did not run during the survey");
  if (!led && survey.has_hidden_m_keys) {
    // Which ports do not accept a key that is known, only a Set can show.
    survey = co_await sweeper_.observe(context, order, true);
    if (stopping_ || state_ != mad::SmState::master) co_return;
    if (!survey.sm_port_up) co_return port_is_down(survey.fabric.sm_port != kNoIndex);
  }
  co_await begin_service(context, survey);
  if (stopping_ || state_ != mad::SmState::master) co_return;

  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  const bool has_new_silence = survey.has_new_silence;
  const PassResult result = co_await pass(context, order, std::move(survey));
  // A host that was not ready when its link came up is most likely ready soon.
  if (has_new_silence) scheduler_.request_light_sweep(runtime_.now() + SweepScheduler::kTrapPause);
  if (sweeper_.subnet() != before) keep_programmed(context, result);
  // A caller that waits for the end of a sweep of everything finds the files.
  if (order.everything || once_) co_await files_.finish();
  log_sweep(start);
  if (order.everything) {
    scheduler_.unread().note_all(result.unread, runtime_.now());
  } else {
    scheduler_.unread().note(result.unread, result.read, runtime_.now());
  }
  if (sweeper_.state().cleared_changes) swept_at_ = runtime_.now();
  price_due_ = price_due_ || sweeper_.subnet() != before;
  rebalancing_.swept(runtime_.now(), result.rerouted);
  applied(result, *context);
  conclude(result, order.why);
  log_sweep_end(log_, subnet_up_, last_sweep_, sweeper_.subnet().get(),
                client_.statistics().total(mad::Method::get).sent - start.gets,
                client_.statistics().total(mad::Method::set).sent - start.sets,
                runtime_.now() - start.begin);
  enter_phase(SweepPhase::store);
  administrator_.dump();
  enter_phase(SweepPhase::idle);
}

/// Surveys. Before many end ports are withdrawn, everything is read again: one node's response may
/// be wrong, or lost. Nothing: the sweep ends here.
asio::awaitable<std::optional<Survey>> Manager::observe(SharedContext context, PassRequest& order) {
  const bool may_write = state_ == mad::SmState::master && !write_guard_.is_closed();
  Survey survey = co_await sweeper_.observe(context, order, may_write);
  const auto subnet = sweeper_.subnet();
  if (stopping_) co_return std::nullopt;
  if (!subnet || !survey.sm_port_up || state_ != mad::SmState::master ||
      !is_mass_change(subnet->fabric, survey.fabric))
    co_return std::move(survey);
  const std::size_t had = subnet->fabric.end_ports.size(), has = survey.fabric.end_ports.size();
  conditions_.occurred(
      {.id = ConditionId::mass_change,
       .text = fmt::format("{} of {} end ports are missing; everything is read again before "
                           "anything is withdrawn",
                           had - std::min(had, has), had)});
  order.everything = true;
  const std::vector<mad::Guid> claimed = std::move(survey.claimed);
  if (!survey.unread.empty()) {  // links that are down do not come back by waiting
    const mad::TimePoint again = runtime_.now() + kMassChangePause;
    while (!stopping_ && co_await wake_.wait_until(again)) {
    }
    if (stopping_ || state_ != mad::SmState::master) co_return std::nullopt;
  }
  survey = co_await sweeper_.observe(context, order, may_write);
  survey.claimed.insert(survey.claimed.end(), claimed.begin(), claimed.end());
  if (stopping_) co_return std::nullopt;
  co_return std::move(survey);
}

/// False: nothing is decided by this survey.
bool Manager::goes_on_after(const Survey& survey, const PassRequest& order) {
  if (!survey.sm_port_up) {
    port_is_down(survey.fabric.sm_port != kNoIndex);
    return false;
  }
  if (std::exchange(port_down_, false)) log_.critical("SM port is up");
  conditions_.set_active(ConditionSource::sm_port, {});
  if (const mad::Guid guid = survey.fabric.ports[survey.fabric.sm_port].guid; guid != mad::Guid{})
    self_.guid = guid;
  const std::optional<Condition> silent = silent_subnet(survey.fabric);
  if (silent) nothing_answers(*silent, survey, order.why);
  return !silent;
}

/// Before a pass as MASTER: what other managers and clients know is taken over, and clients that
/// are served already learn where their manager is.
asio::awaitable<void> Manager::begin_service(SharedContext context, Survey& survey) {
  if (!administrator_.has_read_files()) {
    const std::function<void()> read_files = [&] { administrator_.read_files(context->options); };
    co_await computation_.run(read_files);
  }
  co_await replication_.take_over();
  if (stopping_ || state_ != mad::SmState::master) co_return;
  answer_from_view(survey.fabric);
  if (sweeper_.succeeds_another_manager() && administrator_.is_answering())
    co_await sweeper_.lead_clients_here(context, survey, administrator_.reregistration(),
                                        administrator_.known_manager());
}

/// After a pass has published a subnet: standbys, clients and the files of the next start get it.
void Manager::keep_programmed(const SharedContext& context, const PassResult& result) {
  const State& state = sweeper_.state();
  if (state_ == mad::SmState::master) {
    administrator_.clients_reregister(result.reregistration);
    replication_.programmed(*state.subnet);
  }
  std::set<mad::Guid> unregistered;
  if (!context->options.no_clients_rereg)
    unregistered = state.devices.unregistered(state.subnet->fabric);
  files_.write(context, state.subnet, state.stored.has_saved_lids(), std::move(unregistered));
}

void Manager::log_sweep(const SweepStart& start) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - start.begin).count();
  const std::uint64_t gets = client_.statistics().total(mad::Method::get).sent - start.gets,
                      sets = client_.statistics().total(mad::Method::set).sent - start.sets;
  log_detail(log_, "sweep used {} SubnGet and {} SubnSet SMPs in {} ms, {} in flight at most", gets,
             sets, ms, client_.statistics().in_flight_max);
}

asio::awaitable<void> Manager::counted_sweep(PassRequest order) {
  const SweepKind kind = order.everything ? SweepKind::heavy : SweepKind::repair;
  const mad::TimePoint begin = runtime_.now();
  outcome_ = SweepOutcome::incomplete;
  order.p_keys_may_wait = true;
  co_await observe_and_program(std::move(order));
  statistics_.sweep_ended(kind, outcome_, runtime_.now() - begin);
}

void Manager::enter_phase(SweepPhase phase) {
  if (routing_since_) statistics_.routing_durations.observe(runtime_.now() - *routing_since_);
  routing_since_ = phase == SweepPhase::route ? std::optional(runtime_.now()) : std::nullopt;
  if (on_phase_) on_phase_(phase);
}

/// Switches that lost their tables while they were programmed. One that says so again and again
/// waits for the pauses between sweeps with errors.
void Manager::sweep_at_once(std::span<const mad::Guid> lost) {
  if (scheduler_.failures() > 0) return;
  for (const mad::Guid guid : lost) request_node(guid, "a switch lost its tables");
}

void Manager::conclude(const PassResult& result, const std::string& why) {
  performance_.wake();
  sweep_at_once(result.lost);
  subnet_up_ = result.end == SweepEnd::subnet_up;
  switch (result.end) {
    case SweepEnd::subnet_up:
      outcome_ = SweepOutcome::subnet_up;
      scheduler_.sweep_succeeded(runtime_.now(), sweep_interval());
      last_sweep_ = why + ": SUBNET UP";
      log_detail(log_, "SUBNET UP");
      log_.flush();
      if (once_) exit_code_ = 0;
      break;
    case SweepEnd::errors:
      outcome_ = SweepOutcome::errors;
      scheduler_.sweep_failed(runtime_.now(), result.unwritten);
      last_sweep_ = why + ": errors";
      log_.critical("Errors during initialization");
      if (once_ && scheduler_.failures() >= kOnceTries) exit_code_ = 1;
      break;
    case SweepEnd::fatal:
      outcome_ = SweepOutcome::fatal;
      last_sweep_ = why + ": fatal";
      log_.critical(
          "two nodes or ports carry one GUID in the first sweep, and exit_on_fatal is TRUE: "
          "nothing "
          "was programmed");
      exit_code_ = 1;
      break;
  }
}

/// Neither is this manager MASTER of a subnet of which it reads nothing, nor is anything withdrawn:
/// what was published stays until a node answers.
void Manager::nothing_answers(const Condition& silent, const Survey& survey,
                              const std::string& why) {
  std::vector<Condition> found = survey.fabric.conditions;
  conditions_.set_active(ConditionSource::sm_port, {silent});
  conditions_.set_active(ConditionSource::discovery, std::move(found));
  conclude({.end = SweepEnd::errors}, why);
}

void Manager::port_is_down(bool answers) {
  if (!std::exchange(port_down_, true)) {
    log_.critical("SM port is down");
    conditions_.set_active(
        ConditionSource::sm_port,
        {{.id = ConditionId::sm_port_down,
          .text = fmt::format("the own port {} {}; it is queried again every second", self_.guid,
                              answers ? "has no link"
                                      : "does not answer SubnGet(NodeInfo): is another program "
                                        "using its management queue pairs?"),
          .guid = self_.guid}});
  }
  resign();
  if (const SmRule* rule = find_rule(state_, SmEvent::port_down); rule && rule->to != state_)
    enter(rule->to);
  scheduler_.port_is_down(runtime_.now());
  last_sweep_ = "SM port is down";
  if (once_ && scheduler_.failures() >= kOnceTries) exit_code_ = 1;
}

/// Light sweep: finds what changed without a trap.
asio::awaitable<void> Manager::light_sweep() {
  ++light_sweeps_;
  const mad::TimePoint begin = runtime_.now();
  const SweepOutcome outcome = co_await sweep_lightly();
  statistics_.sweep_ended(SweepKind::light, outcome, runtime_.now() - begin);
}

asio::awaitable<SweepOutcome> Manager::sweep_lightly() {
  const auto subnet = sweeper_.subnet();
  if (subnet->fabric.switches.empty()) {
    request_everything("a fabric without switches has no light sweep");
    co_return SweepOutcome::unchanged;
  }
  // A sweep that a trap requests does not wait for nodes that do not answer. Of two light sweeps in
  // succession one is made to its end, however many traps there are.
  const bool may_yield = !std::exchange(light_sweep_yielded_, false);
  const LeftOut left_out{.ignored = scheduler_.unread().waiting(runtime_.now()),
                         .suspects = sweeper_.suspects(),
                         .yields = [this, may_yield] {
                           return may_yield && scheduler_.next() == SweepScheduler::Action::sweep;
                         }};
  const std::set<mad::Guid> unread = scheduler_.unread().take_due(runtime_.now());
  const LightSweepResult result =
      co_await sm::light_sweep(client_, sweeper_.m_keys(), subnet->fabric, subnet->sms, left_out);
  light_sweep_yielded_ = result.has_yielded;
  if (result.own_port_changed) {
    request_everything("the own port changed");
  } else if (!result.has_yielded) {
    co_await act_on(decide_election(subnet->fabric, result.sms), subnet);
    if (state_ != mad::SmState::master) co_return SweepOutcome::incomplete;
  }
  for (const mad::Guid guid : result.changed) request_node(guid, "light sweep found changes");
  for (const mad::Guid guid : result.answering)
    scheduler_.request_answering(guid, "light sweep found nodes that answer now");
  for (const mad::Guid port : co_await sweeper_.find_changed_vports())
    scheduler_.request_vports(port);
  for (const mad::Guid guid : unread) {
    if (subnet->fabric.node_of_guid.contains(guid))
      request_node(guid, "nodes left requests unanswered");
  }
  for (const mad::Guid guid : sweeper_.due()) {
    request_node(guid, "what was rejected is set again");
  }
  for (const mad::Guid guid : sweeper_.links().quiet(runtime_.now()))
    request_node(guid, "links were quiet long enough to be used again");
  scheduler_.light_sweep_done(runtime_.now(), sweep_interval());
  if (result.has_yielded) scheduler_.request_light_sweep(runtime_.now());
  const bool changed =
      result.own_port_changed || !result.changed.empty() || !result.answering.empty();
  co_return changed ? SweepOutcome::changed : SweepOutcome::unchanged;
}

}  // namespace sm
