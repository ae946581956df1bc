#include "sm/manager/manager.h"

#include <algorithm>

#include "config/value.h"
#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;

namespace {

constexpr mad::Duration kSettle =
    std::chrono::milliseconds(20);  // a dying switch sends many traps: they are one change
constexpr mad::Duration kQuiet =
    std::chrono::seconds(1);  // the first event after so long is not waited with: the survey finds
                              // what belongs to it
constexpr mad::Duration kVPortsSettle =
    std::chrono::milliseconds(1);  // the vports of a host are started one after the other
constexpr mad::Duration kGroupsSettle =
    std::chrono::milliseconds(10);  // hosts that boot together join together
constexpr mad::Duration kGroupsWaitMax = std::chrono::milliseconds(500);
constexpr mad::Duration kMassChangePause =
    std::chrono::seconds(1);        // firmware that is busy answers with errors for some time
constexpr unsigned kOnceTries = 3;  // with -o: sweeps until we give up

mad::SmpLimits smp_limits(const config::Options& options) {
  mad::SmpLimits limits{.timeout = std::chrono::milliseconds(options.transaction_timeout),
                        .retries = options.transaction_retries};
  if (options.is_set("max_wire_smps")) limits.window = options.max_wire_smps;
  if (options.is_set("max_wire_smps2")) limits.window_late = options.max_wire_smps2;
  limits.late_after = std::chrono::microseconds(options.max_smps_timeout);
  limits.long_timeout = std::chrono::milliseconds(options.long_transaction_timeout);
  limits.per_node = options.max_wire_smps_per_device;
  return limits;
}

/// All but the SL to VL mapping and the VL arbitration.
bool same_but_for_vl_tables(const SweepContext& a, const SweepContext& b) {
  config::Options options = b.options;
  for (std::size_t scope = 0; scope < options.qos_sets.size(); ++scope) {
    const config::QosSet& other = a.options.qos_sets[scope];
    config::QosSet& set = options.qos_sets[scope];
    set.sl2vl = other.sl2vl;
    set.vlarb_high = other.vlarb_high;
    set.vlarb_low = other.vlarb_low;
  }
  return config::same_values(a.options, options) && a.files == b.files;
}

}  // namespace

Manager::Manager(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
                 ManagerOptions options)
    : runtime_(runtime),
      transport_(transport),
      log_(log),
      context_(make_context(std::move(options.options), std::move(options.files),
                            std::move(options.partitioning))),
      conditions_([&runtime] { return runtime.now(); }, log),
      once_(options.once),
      client_(runtime, transport, smp_limits(context_->options)),
      sweeper_(client_, options.sweep_log != nullptr ? *options.sweep_log : log, conditions_,
               std::move(options.progress)),
      administrator_(
          runtime, transport, client_,
          options.administration_log != nullptr ? *options.administration_log : log, conditions_,
          context_,
          {.own_sm = [this] { return own_sm_info(); },
           .groups_changed = [this] { request_groups(); },
           .wall_clock = std::move(options.wall_clock),
           .registered = [this](const sa::Written& written) { replication_.registered(written); }}),
      replication_(runtime, std::move(options.replica), log, conditions_, administrator_, sweeper_),
      files_(runtime, options.sweep_log != nullptr ? *options.sweep_log : log),
      wake_(runtime),
      write_guard_(runtime, client_,
                   {.leads = [this] { return state_ == mad::SmState::master; },
                    .deposed = [this](std::string_view why) { deposed(why); },
                    .confirmed = [this](mad::Duration idle) { still_leads(idle); }}),
      on_resigned_(std::move(options.on_resigned)),
      on_phase_(options.on_phase),
      self_{.priority = context_->options.sm_priority, .guid = options.port_guid},
      picture_(runtime, transport, log) {
  if (on_resigned_) {
    port_watch_.emplace(runtime, client_,
                        PortWatch::Hooks{.leads = [this] { return state_ == mad::SmState::master; },
                                         .own_port = [this] { return write_guard_.own_port(); },
                                         .lost =
                                             [this] {
                                               resign();
                                               request_everything("the own port has no link");
                                             }});
  }
  sweeper_.set_pause([this](mad::Duration time) -> asio::awaitable<void> {
    mad::WakeUp nothing(runtime_);
    co_await nothing.wait_until(runtime_.now() + time);
  });
  sweeper_.set_compute(
      [this](const std::function<void()>& work) { return computation_.run(work); });
  sweeper_.set_discard([&runtime](std::function<void()> work) {
    runtime.run_aside(mad::Runtime::Lane::compute, std::move(work), [] {});
  });
  sweeper_.set_survey_bounds(options.survey_bounds);
  sweeper_.set_on_phase(options.on_phase);
  sweeper_.m_keys().set_own_port(options.port_guid);
  transport_.set_receiver([this](std::span<const mad::ReceivedMad> mads) { on_mads(mads); });
  sweeper_.set_prepare([this](const Subnet& draft, const SweepContext& context) {
    administrator_.prepare(draft, context);
    replication_.prepared();
    Registered all = registered();
    for (const sa::AliasWrite& write : administrator_.lost_aliases(draft))
      all.alias_guids.push_back({write.port_guid, write.block, write.guid_info});
    return all;
  });
  sweeper_.set_ready([this](std::shared_ptr<const Subnet> draft, const SharedContext& context) {
    if (state_ == mad::SmState::master) administrator_.publish_draft(std::move(draft), context);
  });
  sweeper_.set_groups([this](const Subnet& subnet) {
    scheduler_.take_groups();
    return administrator_.groups_for_routing(subnet);
  });
  sweeper_.set_changed_groups(
      [this](const Subnet& subnet) { return administrator_.changed_groups_for_routing(subnet); });
}

/// Without alias GUIDs.
Registered Manager::registered() const {
  return {.reregistration = administrator_.reregistration(),
          .alias_guids = {},
          .known_manager = administrator_.known_manager()};
}

mad::Duration Manager::sweep_interval() const {
  return std::chrono::seconds(context_->options.sweep_interval);
}

// ------------------------------------------------------------------------------------------
// the loop

asio::awaitable<int> Manager::run() {
  sweeper_.configure(context_);
  replication_.configured(*context_);
  enter(context_->options.sm_inactive ? mad::SmState::not_active : mad::SmState::discovering);
  while (!stopping_ && !exit_code_) {
    take_reload();
    if (state_ == mad::SmState::not_active) {
      co_await wait_while_inactive();
    } else if (state_ == mad::SmState::standby) {
      co_await poll_master();
    } else {
      co_await act();
    }
  }
  picture_.end();
  resign();
  transport_.set_receiver({});
  administrator_.dump();
  co_await files_.finish();
  co_await replication_.close();
  log_.critical("Exiting SM");
  co_return exit_code_.value_or(0);
}

asio::awaitable<void> Manager::act() {
  switch (scheduler_.next()) {
    case SweepScheduler::Action::sweep:
      return with_traps_held(
          observe_and_program(scheduler_.take_order(sweeper_.subnet() != nullptr)));
    case SweepScheduler::Action::reprogram_p_keys:
      scheduler_.take_p_keys();
      return with_traps_held(reprogram_p_keys());
    case SweepScheduler::Action::reprogram_vl_tables:
      scheduler_.take_vl_tables();
      return with_traps_held(reprogram_vl_tables());
    case SweepScheduler::Action::read_single:
      return read_single();
    case SweepScheduler::Action::disable_port:
      return disable_ports();
    case SweepScheduler::Action::program_vports:
      return program_vports();
    case SweepScheduler::Action::program_groups:
      scheduler_.take_groups();
      return program_groups();
    case SweepScheduler::Action::rest:
      break;
  }
  return rest();
}

void Manager::stop() {
  resign();
  stopping_ = true;
  wake_.signal();
}

void Manager::reload(const config::Options& options, const config::InputFiles& files,
                     const partitions::Configuration& partitioning) {
  next_ = make_context(options, files, partitioning);
  // At once, since no sweep decides by it: the rank is read once for each comparison with others,
  // who may query it at any time; the limits only say when SMPs are sent and repeated, and those
  // in flight keep the deadline that they have.
  self_.priority = options.sm_priority;
  client_.set_limits(smp_limits(options));
  wake_.signal();
}

tl::expected<void, std::string> Manager::rebalance() {
  if (state_ != mad::SmState::master)
    return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
  log_.info("rebalance: all routes are chosen anew");
  scheduler_.request_rebalance();
  wake_.signal();
  return {};
}

tl::expected<void, std::string> Manager::resweep() {
  if (state_ != mad::SmState::master)
    return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
  scheduler_.request_everything("resweep", false);
  wake_.signal();
  return {};
}

tl::expected<void, std::string> Manager::light_resweep() {
  if (state_ != mad::SmState::master)
    return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
  scheduler_.request_light_sweep(runtime_.now());
  wake_.signal();
  return {};
}

tl::expected<void, std::string> Manager::update_descriptions() {
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (state_ != mad::SmState::master || !subnet)
    return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
  for (const Node& node : subnet->fabric.nodes) scheduler_.request_description(node.guid);
  wake_.signal();
  return {};
}

void Manager::set_sweeping(bool on) {
  scheduler_.hold(!on);
  wake_.signal();
}

tl::expected<void, std::string> Manager::isolate(std::string_view name) {
  if (state_ != mad::SmState::master)
    return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
  const auto nodes = sweeper_.isolate(name);
  if (!nodes) return tl::unexpected(nodes.error());
  for (const mad::Guid node : *nodes) request_node(node, "heddlectl isolate");
  return {};
}

tl::expected<void, std::string> Manager::release(std::string_view name) {
  if (state_ != mad::SmState::master)
    return tl::unexpected(fmt::format("the manager on port {} is not MASTER", self_.guid));
  const auto nodes = sweeper_.release(name);
  if (!nodes) return tl::unexpected(nodes.error());
  for (const mad::Guid node : *nodes) request_node(node, "heddlectl release");
  return {};
}

void Manager::set_noisy_ports(const std::set<PortPlace>& ports) {
  if (state_ == mad::SmState::master && sweeper_.set_noisy(ports) && sweeper_.subnet())
    request_everything("error counters of links");
}

/// Between sweeps: what the latest reload brought counts from now on, and what it changed is to be
/// done.
void Manager::take_reload() {
  if (!next_) return;
  const SharedContext before = std::exchange(context_, std::exchange(next_, nullptr));
  sweeper_.configure(context_);
  if (state_ == mad::SmState::standby) picture_.begin(context_, self_.guid);
  replication_.configured(*context_);
  if (before->options.sm_inactive != context_->options.sm_inactive)
    set_active(!context_->options.sm_inactive);
  const bool partitions_changed = before->partitioning != context_->partitioning,
             vl_tables_changed = before->options.qos_sets != context_->options.qos_sets;
  if (!same_but_for_vl_tables(*before, *context_) || !(partitions_changed || vl_tables_changed) ||
      scheduler_.failures() > 0)
    return scheduler_.request_everything("SIGHUP", false);
  if (partitions_changed) scheduler_.request_p_keys();
  if (vl_tables_changed) scheduler_.request_vl_tables();
}

void Manager::request_everything(std::string why) {
  scheduler_.request_everything(std::move(why));
  wake_.signal();
}

void Manager::request_node(mad::Guid node, std::string why) {
  scheduler_.request_node(node, std::move(why));
  wake_.signal();
}

void Manager::request_groups() {
  scheduler_.request_groups();
  wake_.signal();
}

mad::Duration Manager::audit_interval() const {
  return std::chrono::seconds(context_->options.audit_interval);
}

/// Only of a subnet that was programmed without errors.
mad::TimePoint Manager::audit_due() const {
  const bool runs =
      state_ == mad::SmState::master && sweeper_.subnet() && scheduler_.failures() == 0;
  return runs ? audit_pace_.due(audit_interval()) : mad::TimePoint::max();
}

asio::awaitable<void> Manager::audit() {
  const mad::TimePoint now = runtime_.now();
  if (audit_pace_.begins(now, audit_interval())) {
    if (audit_pace_.is_requested(now)) sweeper_.restart_audit();
    co_return audit_pace_.begin(now, audit_interval(), sweeper_.audit_size());
  }
  const AuditStep step = co_await sweeper_.audit(audit_pace_.take(now));
  if (step.pass_is_over) audit_pace_.pass_is_over(runtime_.now());
  for (const mad::Guid guid : step.differing) request_node(guid, "the audit found a difference");
  if (step.everything) request_everything("the audit found another NodeInfo");
}

/// Until something is requested, or the scheduler's deadline. Meanwhile the audit goes on.
asio::awaitable<void> Manager::rest() {
  if (std::exchange(price_due_, false)) co_return co_await sweeper_.price_adoption(context_);
  const mad::TimePoint deadline = scheduler_.deadline(sweep_interval());
  if (co_await wake_.wait_until(std::min(deadline, audit_due()))) {
    // Each further trap wakes this coroutine: the time is waited out nevertheless.
    const SweepScheduler::Action next = scheduler_.next();
    if (next == SweepScheduler::Action::sweep && runtime_.now() - swept_at_ >= kQuiet) co_return;
    if (next == SweepScheduler::Action::program_groups) co_return;  // waits by itself
    const bool vports_only = next == SweepScheduler::Action::program_vports;
    const mad::TimePoint settled = runtime_.now() + (vports_only ? kVPortsSettle : kSettle);
    while (!stopping_ && co_await wake_.wait_until(settled)) {
    }
    // A signal that is always there must not hide what is due.
    if (runtime_.now() < scheduler_.deadline(sweep_interval())) co_return;
  }
  if (runtime_.now() < deadline) co_return co_await audit();
  if (scheduler_.on_deadline(runtime_.now(), sweep_interval(), sweeper_.subnet() != nullptr,
                             context_->options.force_heavy_sweep))
    co_await light_sweep();
}

asio::awaitable<void> Manager::with_traps_held(asio::awaitable<void> work) {
  traps_.hold();
  co_await std::move(work);
  const std::vector<TrapQueue::Trap> held = traps_.release();
  if (state_ != mad::SmState::master) co_return;
  for (const TrapQueue::Trap& trap : held) handle(trap.notice, trap.issuer);
}

/// On the subnet as it was published. A manager that is not master, or has published none yet,
/// takes the new partitions into the next sweep.
asio::awaitable<void> Manager::reprogram_p_keys() {
  if (state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const SharedContext context = context_;
  const std::uint64_t sets = client_.statistics().total(mad::Method::set).sent;
  log_.info("the partitions changed, and nothing else did: no sweep");
  const SweepResult result = co_await sweeper_.program_p_keys(context);
  if (state_ == mad::SmState::master) administrator_.publish(sweeper_.subnet(), context);
  log_.info("the new partitions took {} SubnSet SMPs",
            client_.statistics().total(mad::Method::set).sent - sets);
  conclude(result, "new partitions");
}

asio::awaitable<void> Manager::reprogram_vl_tables() {
  if (state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const SharedContext context = context_;
  log_.info("SL to VL mapping or VL arbitration changed, and nothing else did: no sweep");
  const SweepResult result = co_await sweeper_.program_vl_tables(context);
  if (state_ == mad::SmState::master) administrator_.publish(sweeper_.subnet(), context);
  conclude(result, "new VL tables");
}

/// What traps are about that need no sweep.
asio::awaitable<void> Manager::read_single() {
  SingleReads reads = scheduler_.take_reads();
  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  if (state_ != mad::SmState::master || !before) co_return;
  const bool managers = !reads.managers.empty();
  for (const mad::Guid node : co_await sweeper_.read_single(std::move(reads)))
    request_node(node, "its state changed");
  if (state_ != mad::SmState::master) co_return;
  const std::shared_ptr<const Subnet> subnet = sweeper_.subnet();
  if (subnet != before) administrator_.publish_same(subnet);
  if (managers) co_await act_on(decide_election(subnet->fabric, subnet->sms), subnet);
}

asio::awaitable<void> Manager::disable_ports() {
  for (const auto& [node, port] : scheduler_.take_disabled()) {
    if (stopping_ || state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
    co_await sweeper_.disable_port(node, port);
  }
}

asio::awaitable<void> Manager::observe_and_program(SweepOrder order) {
  const SharedContext context = context_;
  order.route_anew =
      order.route_anew || once_;  // -o: no sweep follows that could go on from tables
  const mad::TimePoint begin = runtime_.now();
  const std::uint64_t gets = client_.statistics().total(mad::Method::get).sent,
                      sets = client_.statistics().total(mad::Method::set).sent;
  ++sweeps_;
  // While the own port is down this is every second, and has been said.
  if (!port_down_)
    log_.info("sweep begins: {} ({})",
              order.everything ? std::string("everything")
                               : fmt::format("{} changed node{}", order.changed.size(),
                                             order.changed.size() == 1 ? "" : "s"),
              order.why);

  const unsigned stalls = write_guard_.stalls();
  const bool may_write = state_ == mad::SmState::master && !write_guard_.is_closed();
  Survey survey = co_await sweeper_.observe(context, order, may_write);
  if (stopping_) co_return;
  if (const auto subnet = sweeper_.subnet(); subnet && survey.sm_port_up &&
                                             state_ == mad::SmState::master &&
                                             is_mass_change(subnet->fabric, survey.fabric)) {
    // One node's answer may be wrong, or lost: what would be withdrawn is confirmed first.
    conditions_.occurred(
        {.id = ConditionId::mass_change,
         .text =
             fmt::format("{} of {} end ports are missing; everything is read again before "
                         "anything is withdrawn",
                         subnet->fabric.end_ports.size() - std::min(subnet->fabric.end_ports.size(),
                                                                    survey.fabric.end_ports.size()),
                         subnet->fabric.end_ports.size())});
    order.everything = true;
    const std::vector<mad::Guid> claimed = std::move(survey.claimed);
    if (!survey.unread.empty()) {  // links that are down do not come back by waiting
      const mad::TimePoint again = runtime_.now() + kMassChangePause;
      while (!stopping_ && co_await wake_.wait_until(again)) {
      }
      if (stopping_ || state_ != mad::SmState::master) co_return;
    }
    survey = co_await sweeper_.observe(context, order, may_write);
    survey.claimed.insert(survey.claimed.end(), claimed.begin(), claimed.end());
    if (stopping_) co_return;
  }
  if (!survey.sm_port_up) co_return port_is_down(survey.fabric.sm_port != kNoIndex);
  if (std::exchange(port_down_, false)) {
    log_.critical("SM port is up");
    conditions_.stand(ConditionSource::sm_port, {});
  }
  if (const mad::Guid guid = survey.fabric.ports[survey.fabric.sm_port].guid; guid != mad::Guid{})
    self_.guid = guid;
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

  co_await replication_.take_over();
  if (stopping_ || state_ != mad::SmState::master) co_return;
  answer_from_picture(survey.fabric);
  if (sweeper_.follows_another_manager() && administrator_.is_answering())
    co_await sweeper_.lead_clients_here(context, survey, administrator_.reregistration(),
                                        administrator_.known_manager());
  if (stopping_ || state_ != mad::SmState::master) co_return;

  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  const SweepResult result = co_await sweeper_.program(context, std::move(survey), order);
  if (sweeper_.subnet() != before && state_ == mad::SmState::master) {
    administrator_.publish(sweeper_.subnet(), context);
    administrator_.clients_reregister(result.reregistration);
    replication_.programmed(*sweeper_.subnet());
  }
  if (sweeper_.subnet() != before)
    files_.write(context, sweeper_.subnet(), sweeper_.has_saved_lids());
  // Who waits for the end of a sweep of everything finds the files.
  if (order.everything || once_) co_await files_.finish();
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count();
  log_.info("sweep used {} SubnGet and {} SubnSet SMPs in {} ms, {} in flight at most",
            client_.statistics().total(mad::Method::get).sent - gets,
            client_.statistics().total(mad::Method::set).sent - sets, ms,
            client_.statistics().in_flight_max);
  if (order.everything) {
    scheduler_.unread().note_all(result.unread, runtime_.now());
  } else {
    scheduler_.unread().note(result.unread, result.read, runtime_.now());
  }
  if (sweeper_.has_cleared_changes()) swept_at_ = runtime_.now();
  price_due_ = price_due_ || sweeper_.subnet() != before;
  conclude(result, order.why);
  if (on_phase_) on_phase_(SweepPhase::store);
  administrator_.dump();
  if (on_phase_) on_phase_(SweepPhase::idle);
}

/// Memberships changed since the trees were written. The trees wait until no more changes arrive,
/// up to a limit.
asio::awaitable<void> Manager::program_groups() {
  const mad::TimePoint first = runtime_.now();
  // The first change after a quiet time is not waited with.
  mad::Duration settle = first - groups_programmed_ > kQuiet ? mad::Duration{} : kGroupsSettle;
  do {
    scheduler_.take_groups();
    const mad::TimePoint settled = runtime_.now() + std::exchange(settle, kGroupsSettle);
    while (!stopping_ && co_await wake_.wait_until(settled)) {
    }
  } while (!stopping_ && scheduler_.groups_requested() && runtime_.now() - first < kGroupsWaitMax);
  if (stopping_ || state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const mad::TimePoint begin = runtime_.now();
  const MulticastEnd end = co_await sweeper_.program_multicast(context_);
  if (state_ == mad::SmState::master) administrator_.publish_same(sweeper_.subnet());
  if (end.groups_changed > 0) {
    log_.info(
        "multicast: {} group{} changed, {} blocks written in {} ms", end.groups_changed,
        end.groups_changed == 1 ? "" : "s", end.writes,
        std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count());
  }
  groups_programmed_ = runtime_.now();
  sweep_at_once(end.lost);
  scheduler_.groups_done(!end.again, runtime_.now());
}

/// Hosts have started, moved or ended vports.
asio::awaitable<void> Manager::program_vports() {
  const std::vector<mad::Guid> ports = scheduler_.take_vports(runtime_.now());
  if (state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const SharedContext context = context_;
  const mad::TimePoint begin = runtime_.now();
  const VPortEnd end = co_await sweeper_.program_vports(context, ports);
  if (end.changed && state_ == mad::SmState::master)
    administrator_.publish(sweeper_.subnet(), context);
  if (end.activated > 0) {
    log_.info(
        "vports: {} of {} physical port{} are Active after {} ms", end.activated, ports.size(),
        ports.size() == 1 ? "" : "s",
        std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count());
  }
  sweep_at_once(end.lost);
  for (const mad::Guid port : ports)
    if (end.again) scheduler_.request_vports_of_trap(port, runtime_.now(), true);
}

/// Switches that lost their tables while they were programmed. One that says so again and again
/// waits for the pauses between sweeps with errors.
void Manager::sweep_at_once(std::span<const mad::Guid> lost) {
  if (scheduler_.failures() > 0) return;
  for (const mad::Guid guid : lost) request_node(guid, "a switch lost its tables");
}

void Manager::conclude(const SweepResult& result, const std::string& why) {
  sweep_at_once(result.lost);
  switch (result.end) {
    case SweepEnd::subnet_up:
      scheduler_.sweep_succeeded(runtime_.now(), sweep_interval());
      last_sweep_ = why + ": SUBNET UP";
      log_.info("SUBNET UP");
      log_.flush();
      if (once_) exit_code_ = 0;
      break;
    case SweepEnd::errors:
      scheduler_.sweep_failed(runtime_.now(), result.unwritten);
      last_sweep_ = why + ": errors";
      log_.critical("Errors during initialization");
      if (once_ && scheduler_.failures() >= kOnceTries) exit_code_ = 1;
      break;
    case SweepEnd::fatal:
      last_sweep_ = why + ": fatal";
      log_.critical(
          "two nodes or ports carry one GUID in the first sweep, and exit_on_fatal is TRUE: "
          "nothing "
          "was programmed");
      exit_code_ = 1;
      break;
  }
}

void Manager::port_is_down(bool answers) {
  if (!std::exchange(port_down_, true)) {
    log_.critical("SM port is down");
    conditions_.stand(
        ConditionSource::sm_port,
        {{.id = ConditionId::sm_port_down,
          .text = fmt::format("the own port {} {}; it is queried again every second", self_.guid,
                              answers ? "has no link"
                                      : "does not answer SubnGet(NodeInfo): is another program "
                                        "using its management queue pairs?"),
          .guid = self_.guid}});
  }
  resign();
  if (const SmRule* rule = rule_of(state_, SmEvent::port_down); rule && rule->to != state_)
    enter(rule->to);
  scheduler_.port_is_down(runtime_.now());
  last_sweep_ = "SM port is down";
  if (once_ && scheduler_.failures() >= kOnceTries) exit_code_ = 1;
}

/// Light sweep: finds what changed without a trap.
asio::awaitable<void> Manager::light_sweep() {
  ++light_sweeps_;
  const auto subnet = sweeper_.subnet();
  if (subnet->fabric.switches.empty())
    co_return request_everything("a fabric without switches has no light sweep");
  const LeftOut left_out{.ignored = scheduler_.unread().waiting(runtime_.now()),
                         .suspects = sweeper_.suspects()};
  const std::set<mad::Guid> unread = scheduler_.unread().take_due(runtime_.now());
  const LightSweepResult result =
      co_await sm::light_sweep(client_, sweeper_.m_keys(), subnet->fabric, subnet->sms, left_out);
  if (result.own_port_changed) {
    request_everything("the own port changed");
  } else {
    co_await act_on(decide_election(subnet->fabric, result.sms), subnet);
    if (state_ != mad::SmState::master) co_return;
  }
  for (const mad::Guid guid : result.changed) request_node(guid, "light sweep found changes");
  for (const mad::Guid port : co_await sweeper_.changed_vports()) scheduler_.request_vports(port);
  for (const mad::Guid guid : unread) {
    if (subnet->fabric.node_of_guid.contains(guid))
      request_node(guid, "nodes left requests unanswered");
  }
  for (const mad::Guid guid : sweeper_.due()) {
    request_node(guid, "what was rejected is set again");
  }
  for (const mad::Guid guid : sweeper_.quiet())
    request_node(guid, "links were quiet long enough to be used again");
  scheduler_.light_sweep_done(runtime_.now(), sweep_interval());
}

void Manager::set_priority(std::uint8_t priority) {
  self_.priority = priority;
  request_pause_.reset();
  next_request_ = {};
}

ManagerStatus Manager::status() const {
  const std::optional<Picture>& picture = picture_.latest();
  return {.state = state_,
          .port_guid = self_.guid,
          .priority = own_rank().priority,
          .managers = known_.list(),
          .subnet = picture ? picture->subnet : sweeper_.subnet(),
          .virt_enabled = context_->options.virt_enabled,
          .picture = picture ? std::optional(ManagerStatus::OfPicture{.writes = picture->writes,
                                                                      .read = picture->read})
                             : std::nullopt,
          .sweeps = sweeps_,
          .light_sweeps = light_sweeps_,
          .last_sweep = last_sweep_,
          .gets = client_.statistics().total(mad::Method::get),
          .sets = client_.statistics().total(mad::Method::set),
          .inbox = transport_.dropped(),
          .window = client_.window(),
          .sa = administrator_.statistics(),
          .reports = administrator_.reports().statistics(),
          .store = replication_.status(),
          .conditions = conditions_.raised(),
          .isolated = sweeper_.isolated(),
          .now = runtime_.now()};
}

}  // namespace sm
