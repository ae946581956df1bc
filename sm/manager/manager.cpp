#include "sm/manager/manager.h"

#include <algorithm>

#include "config/value.h"
#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;

namespace {

constexpr mad::Duration kSettle =
    std::chrono::milliseconds(20);  // a dying switch sends many traps: they are one change
constexpr mad::Duration kVPortsSettle =
    std::chrono::milliseconds(1);  // the vports of a host are started one after the other

/// SMPs in flight to a node whose responses take long and do not wait for each other.
constexpr unsigned kPerNodeMax = 64;

mad::SmpLimits smp_limits(const config::Options& options) {
  mad::SmpLimits limits{.timeout = std::chrono::milliseconds(options.transaction_timeout),
                        .retries = options.transaction_retries};
  if (options.is_set("max_wire_smps")) limits.window = options.max_wire_smps;
  if (options.is_set("max_wire_smps2")) limits.window_late = options.max_wire_smps2;
  limits.late_after = std::chrono::microseconds(options.max_smps_timeout);
  limits.long_timeout = std::chrono::milliseconds(options.long_transaction_timeout);
  limits.per_node = options.max_wire_smps_per_device;
  limits.per_node_max = options.is_set("max_wire_smps_per_device") ? limits.per_node : kPerNodeMax;
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

/// Returns the LID of the port that a condition names by its number, or by the GUID of an end port.
/// 0: it has none.
mad::Lid find_lid(const Subnet& subnet, const Condition& condition) {
  const Fabric& fabric = subnet.fabric;
  const EndPoint end = subnet.find(condition.guid);
  if (end.port != kNoIndex) return subnet.lid_range(end).base;
  const auto found = fabric.node_of_guid.find(condition.guid);
  if (found == fabric.node_of_guid.end()) return {};
  const Node& node = fabric.nodes[found->second];
  if (node.is_switch()) return subnet.lid_range(node.first_port).base;
  if (!condition.port || condition.port->value == 0 || condition.port->value > node.num_ports)
    return {};
  return subnet.lid_range(fabric.port(found->second, *condition.port)).base;
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
      wall_clock_(std::move(options.wall_clock)),
      client_(runtime, transport, smp_limits(context_->options)),
      administration_(*this),
      sweeper_(client_, options.sweep_log != nullptr ? *options.sweep_log : log, conditions_,
               administration_, sweep_services(std::move(options.progress))),
      administrator_(
          runtime, transport, client_,
          options.administration_log != nullptr ? *options.administration_log : log, conditions_,
          context_,
          {.own_sm = [this] { return own_sm_info(); },
           .groups_changed = [this] { request_groups(); },
           .wall_clock = wall_clock_,
           .guid2lid = [this] { return &sweeper_.state().stored.guid2lid(); },
           .registered = [this](const sa::Written& written) { replication_.registered(written); }}),
      applied_(runtime),
      partitions_(runtime, conditions_, log,
                  {.refuses = [this] { return refuses_partitions(); },
                   .committed =
                       [this](const PartitionStore::Committed& committed) {
                         std::vector<mad::Guid>& guids = member_changes_.guids;
                         guids.insert(guids.end(), committed.guids.begin(), committed.guids.end());
                         member_changes_.partitions |= committed.partitions_changed;
                         wake_.signal();
                       },
                   .replicate =
                       [this](std::vector<partitions::RecordChange> records,
                              std::vector<partitions::RecordChange> before) {
                         return replication_.store(std::move(records), std::move(before));
                       },
                   .wall_clock = wall_clock_}),
      replication_(runtime, std::move(options.replica), log, conditions_, administrator_, sweeper_,
                   partitions_),
      files_(runtime, options.sweep_log != nullptr ? *options.sweep_log : log, conditions_),
      wake_(runtime),
      performance_(runtime, transport, log, conditions_,
                   {.subnet = [this]() -> std::shared_ptr<const Subnet> {
                      return state_ == mad::SmState::master ? sweeper_.subnet() : nullptr;
                    },
                    .context = [this] { return context_; },
                    .wall_clock = wall_clock_,
                    .published = [this] { counters_published(); }}),
      write_guard_(runtime, client_,
                   {.leads = [this] { return state_ == mad::SmState::master; },
                    .demoted = [this](std::string_view why) { demoted(why); },
                    .confirmed = [this](mad::Duration idle) { still_leads(idle); }}),
      on_resigned_(std::move(options.on_resigned)),
      on_phase_(options.on_phase),
      self_{.priority = context_->options.sm_priority, .guid = options.port_guid},
      standby_view_(runtime, transport, log) {
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
  conditions_.set_lid_of([this](const Condition& condition) {
    const auto subnet = sweeper_.subnet();
    return subnet ? find_lid(*subnet, condition) : mad::Lid{};
  });
  sweeper_.set_survey_bounds(options.survey_bounds);
  sweeper_.m_keys().set_own_port(options.port_guid);
  transport_.set_receiver([this](std::span<const mad::ReceivedMad> mads) { on_mads(mads); });
}

SweepServices Manager::sweep_services(Progress progress) {
  return {.progress = std::move(progress),
          .compute = [this](const std::function<void()>& work) { return computation_.run(work); },
          .pause = [this](mad::Duration time) -> asio::awaitable<void> {
            mad::WakeUp nothing(runtime_);
            co_await nothing.wait_until(runtime_.now() + time);
          },
          .discard =
              [this](std::function<void()> work) {
                runtime_.run_aside(mad::Runtime::Lane::compute, std::move(work), [] {});
              },
          .on_phase = [this](SweepPhase phase) { enter_phase(phase); }};
}

Registered Manager::SweepAdministration::prepare(const Subnet& draft, const SweepContext& context) {
  sa::Administrator& administrator = manager_.administrator_;
  administrator.prepare(draft, context);
  manager_.replication_.prepared();
  Registered all{.reregistration = administrator.reregistration(),
                 .known_manager = administrator.known_manager()};
  for (const sa::AliasWrite& write : administrator.lost_aliases(draft))
    all.alias_guids.push_back({write.port_guid, write.block, write.guid_info});
  return all;
}

void Manager::SweepAdministration::ready(const std::shared_ptr<const Subnet>& draft,
                                         const SharedContext& context) {
  if (manager_.state_ == mad::SmState::master)
    manager_.administrator_.publish(draft, context, sa::Publication::draft);
}

std::optional<mad::Mlid> Manager::SweepAdministration::append_groups(
    const Subnet& subnet, mad::Mlid first, std::vector<routing::MulticastGroup>& groups) {
  if (first == mad::Mlid{}) manager_.scheduler_.take_groups();
  return manager_.administrator_.append_groups_for_routing(subnet, first, groups);
}

std::optional<std::vector<routing::MulticastGroup>> Manager::SweepAdministration::changed_groups(
    const Subnet& subnet) {
  return manager_.administrator_.changed_groups_for_routing(subnet);
}

mad::Duration Manager::sweep_interval() const {
  return std::chrono::seconds(context_->options.sweep_interval);
}

// ------------------------------------------------------------------------------------------
// the loop

asio::awaitable<int> Manager::run() {
  replication_.configured(*context_);
  enter(context_->options.sm_inactive ? mad::SmState::not_active : mad::SmState::discovering);
  const std::string folder = context_->options.cache_files_dir;
  const bool fsync = context_->options.fsync_high_avail_files;
  std::optional<PartitionStore::Stored> stored;
  LoadedIsolations isolations;
  const std::function<void()> read_files = [&] {
    stored = PartitionStore::read(folder, fsync);
    isolations = load_isolations(folder);
  };
  co_await computation_.run(read_files);
  partitions_.open(*std::move(stored));
  context_ = with_runtime(*context_, partitions_.current());
  sweeper_.configure(context_);
  restore_isolations(isolations);
  if (!once_) performance_.begin();
  while (!stopping_ && !exit_code_) {
    take_reload();
    take_partitions();
    if (state_ == mad::SmState::not_active) {
      co_await wait_while_inactive();
    } else if (state_ == mad::SmState::standby) {
      co_await poll_master();
    } else {
      co_await act();
    }
  }
  standby_view_.end();
  resign();
  co_await performance_.end();
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
      return with_traps_held(counted_sweep(scheduler_.take_sweep(sweeper_.subnet() != nullptr)));
    case SweepScheduler::Action::program_parts:
      return with_traps_held(program_parts(scheduler_.take_parts()));
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
  next_ = with_runtime(*make_context(options, files, partitioning), context_->runtime);
  // At once, since no sweep decides by it: the rank is read once for each comparison with others,
  // who may query it at any time; the limits only say when SMPs are sent and repeated, and those
  // in flight keep the deadline that they have.
  self_.priority = options.sm_priority;
  client_.set_limits(smp_limits(options));
  wake_.signal();
}

/// Between sweeps: what the latest reload brought counts from now on, and what it changed is to be
/// done.
void Manager::take_reload() {
  if (!next_) return;
  const SharedContext before = std::exchange(context_, std::exchange(next_, nullptr));
  sweeper_.configure(context_);
  if (state_ == mad::SmState::standby) standby_view_.begin(context_, self_.guid);
  replication_.configured(*context_);
  performance_.wake();
  if (before->options.sm_inactive != context_->options.sm_inactive)
    set_active(!context_->options.sm_inactive);
  const bool partitions_changed = before->partitioning != context_->partitioning,
             vl_tables_changed = before->options.qos_sets != context_->options.qos_sets;
  if (!same_but_for_vl_tables(*before, *context_) || !(partitions_changed || vl_tables_changed) ||
      scheduler_.failures() > 0)
    return read_everything_on_reload();
  if (partitions_changed) scheduler_.request_p_keys();
  if (vl_tables_changed) scheduler_.request_vl_tables();
}

/// Where there is an audit, it reads the blocks of forwarding tables, at its highest pace: they are
/// two thirds of all SMPs, and SwitchInfo shows a switch that lost its tables.
void Manager::read_everything_on_reload() {
  const bool is_audited = audit_interval() != mad::Duration::zero();
  if (is_audited) audit_pace_.request_pass(runtime_.now());
  scheduler_.request_everything("SIGHUP", false, is_audited);
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

/// The subnet was programmed without errors by this manager.
bool Manager::is_converged() const {
  return state_ == mad::SmState::master && sweeper_.subnet() && scheduler_.failures() == 0;
}

mad::TimePoint Manager::audit_due() const {
  return is_converged() ? audit_pace_.due(audit_interval()) : mad::TimePoint::max();
}

asio::awaitable<void> Manager::audit() {
  const mad::TimePoint now = runtime_.now();
  if (audit_pace_.begins(now, audit_interval())) {
    if (audit_pace_.is_requested(now)) sweeper_.auditor().restart();
    co_return audit_pace_.begin(now, audit_interval(), sweeper_.auditor().size());
  }
  const AuditStep step = co_await sweeper_.auditor().step(audit_pace_.take(now));
  if (step.pass_is_over) audit_pace_.pass_is_over(runtime_.now());
  for (const mad::Guid guid : step.differing) request_node(guid, "the audit found a difference");
  if (step.everything) request_everything("the audit found another NodeInfo");
  if (step.groups) request_groups();
}

mad::TimePoint Manager::rebalancing_due() const {
  return is_converged() ? rebalancing_.due(context_->options, sweeper_.state().has_gained())
                        : mad::TimePoint::max();
}

asio::awaitable<void> Manager::compare_routes() {
  const std::optional<RoutingPrice> price = co_await sweeper_.price_routing(context_);
  if (!price || !is_unbalanced(*price)) co_return sweeper_.note_balanced();
  log_.info(
      "rebalance: {} pairs cross the busiest link, {} if all routes are chosen again: they are",
      price->worst_load, price->worst_load_anew);
  scheduler_.request_rebalance();
}

/// Waits until something is requested, or for the scheduler's deadline. The audit goes on.
asio::awaitable<void> Manager::rest() {
  if (std::exchange(price_due_, false)) co_return co_await sweeper_.price_adoption(context_);
  const mad::TimePoint deadline = scheduler_.deadline(sweep_interval());
  const mad::TimePoint until = std::min({deadline, audit_due(), rebalancing_due()});
  if (co_await wake_.wait_until(until)) {
    // Each further trap wakes this coroutine, which then waits for the rest of the time.
    const SweepScheduler::Action next = scheduler_.next();
    const bool shows_an_event =
        next == SweepScheduler::Action::sweep || next == SweepScheduler::Action::read_single;
    if (shows_an_event && runtime_.now() - swept_at_ >= kQuiet) co_return;
    if (next == SweepScheduler::Action::program_groups) co_return;  // waits by itself
    // Changes of partitions were gathered while the journal was written.
    if (next == SweepScheduler::Action::program_parts || context_->runtime != partitions_.current())
      co_return;
    const bool vports_only = next == SweepScheduler::Action::program_vports;
    const mad::TimePoint settled = runtime_.now() + (vports_only ? kVPortsSettle : kSettle);
    while (!stopping_ && co_await wake_.wait_until(settled)) {
    }
    // A signal that is always there must not hide what is due.
    if (runtime_.now() < scheduler_.deadline(sweep_interval())) co_return;
  }
  if (runtime_.now() >= rebalancing_due()) co_return co_await compare_routes();
  if (runtime_.now() < deadline) co_return co_await audit();
  if (scheduler_.on_deadline(runtime_.now(), sweep_interval(), sweeper_.subnet() != nullptr,
                             context_->options.force_heavy_sweep))
    co_await light_sweep();
}

asio::awaitable<void> Manager::with_traps_held(asio::awaitable<void> work) {
  traps_.hold();
  co_await std::move(work);
  if (traps_.release(trap_situation())) wake_.signal();
}

ManagerStatus Manager::status() const {
  const std::optional<FabricView>& view = standby_view_.latest();
  return {.state = state_,
          .port_guid = self_.guid,
          .priority = own_rank().priority,
          .managers = known_.list(),
          .subnet = view ? view->subnet : sweeper_.subnet(),
          .virt_enabled = context_->options.virt_enabled,
          .standby_view = view ? std::optional(ManagerStatus::StandbyViewStatus{
                                     .writes = view->writes, .read = view->read})
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
          .counters = performance_.counters(),
          .conditions = conditions_.raised(),
          .isolated = sweeper_.links().kept_out().isolated,
          .lost = sweeper_.links().lost(),
          .losses = state_ == mad::SmState::master ? sweeper_.links().loss_counts() : LossCounts{},
          .now = runtime_.now(),
          .statistics = statistics_,
          .smps = client_.statistics(),
          .smps_in_flight = client_.in_flight(),
          .sa_queue_length = administrator_.queue_length(),
          .reload_pending = next_ != nullptr,
          .subnet_up = subnet_up_ && state_ == mad::SmState::master};
}

}  // namespace sm
