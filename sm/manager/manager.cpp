#include "sm/manager/manager.h"

#include <algorithm>

#include "config/value.h"
#include "mad/format.h"
#include "sm/sweep/decide/engine_options.h"

namespace sm {
namespace asio = boost::asio;

namespace {

constexpr mad::Duration kSettle =
    std::chrono::milliseconds(20);  // a dying switch sends many traps: they are one change
constexpr mad::Duration kVPortsSettle =
    std::chrono::milliseconds(1);  // the vports of a host are started one after the other

/// Bounds the SMPs in flight to a node whose responses take long and do not wait for each other.
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

/// Returns the MADs of all kinds that may be under way at the port.
unsigned wire_mads(const config::Options& options) {
  if (!options.is_set("max_wire_smps")) return options.max_wire_mads;
  return std::max(options.max_wire_mads, mad::PortBudget::find_limit(options.max_wire_smps));
}

/// Returns the transport after it has got the limit of its budget, by which its clients set theirs.
mad::MadTransport& limited(mad::MadTransport& transport, const config::Options& options) {
  transport.budget().set_limit(wire_mads(options));
  return transport;
}

/// True if everything but the SL to VL mapping and the VL arbitration is equal.
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

/// True if the routes in use were chosen before an operator changed what they depend on.
bool awaits_routes(const Routed& routing, const SweepContext& now) {
  return routing.chain && routing.context && routing.context->settings != now.settings &&
         chooses_routes_again(*routing.context, now, routing.chain->routing.engine);
}

spdlog::logger& logger_or(spdlog::logger* own, spdlog::logger& other) {
  return own != nullptr ? *own : other;
}

}  // namespace

Manager::Manager(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
                 ManagerOptions options)
    : runtime_(runtime),
      transport_(transport),
      log_(log),
      conditions_([&runtime] { return runtime.now(); }, log),
      wall_clock_(std::move(options.wall_clock)),
      listener_(options.listener),
      loop_(runtime,
            make_context(std::move(options.options), std::move(options.files),
                         std::move(options.partitioning)),
            options.once),
      client_(runtime, limited(transport, loop_.options()), smp_limits(loop_.options())),
      sends_(transport),
      administration_(administrator_, replication_, loop_),
      sweeper_(client_, logger_or(options.sweep_log, log), conditions_, administration_,
               {.events = this, .computation = &computation_, .runtime = &runtime}),
      administrator_(runtime, transport, client_, logger_or(options.administration_log, log),
                     conditions_, loop_.context(), administration_services()),
      partitions_({runtime, conditions_, log, loop_, sweeper_, mastership_, options.replica},
                  wall_clock_),
      replication_(runtime, std::move(options.replica), log, conditions_,
                   {administrator_, sweeper_, partitions_.store(), orders_}),
      traps_(runtime, log, conditions_, sweeper_, administrator_, loop_.scheduler(), sends_,
             statistics_.traps),
      mastership_({runtime, transport, log, conditions_, client_, sends_, loop_, sweeper_,
                   administrator_, *this, wall_clock_},
                  {.priority = loop_.options().sm_priority, .guid = options.port_guid},
                  options.others_in_process),
      upkeep_(log, loop_, sweeper_, mastership_),
      key_changes_(log, loop_, sweeper_, mastership_, replication_, wall_clock_),
      sweeps_({runtime, log, logger_or(options.sweep_log, log), conditions_, client_, computation_,
               loop_, mastership_, sweeper_, administrator_, replication_, partitions_, upkeep_,
               statistics_, *this}),
      orders_(runtime, log, loop_, sweeper_, mastership_,
              {.takes_orders = [this] { return replication_.takes_orders(); },
               .changed = [this] { replication_.changed(section::kIsolations); },
               .shared = [this] { return replication_.shared(section::kIsolations); }},
              wall_clock_),
      computation_(runtime) {
  conditions_.set_lid_of([this](const Condition& condition) { return find_lid(condition); });
  sweeper_.set_survey_bounds(options.survey_bounds);
  sweeper_.m_keys().set_own_port(options.port_guid);
  sweeper_.m_keys().set_clock(wall_clock_);
  transport_.set_receiver([this](std::span<const mad::ReceivedMad> mads) { on_mads(mads); });
}

sa::ManagerServices Manager::administration_services() {
  return {.own_sm = [this] { return mastership_.own_sm_info(); },
          .wall_clock = wall_clock_,
          .guid2lid = [this] { return &sweeper_.state().stored.guid2lid(); },
          .events = this};
}

AgentLoop::Surroundings Manager::surroundings() {
  return {.runtime = runtime_,
          .transport = transport_,
          .log = log_,
          .conditions = conditions_,
          .subnet = [this]() -> std::shared_ptr<const Subnet> {
            return mastership_.leads() ? sweeper_.subnet() : nullptr;
          },
          .context = [this] { return loop_.context(); }};
}

/// Returns no subnet while the version of the keys is not on disk: no such key is sent.
AgentLoop::Surroundings Manager::surroundings_with_keys() {
  AgentLoop::Surroundings all = surroundings();
  all.subnet = [this, subnet = std::move(all.subnet)]() -> std::shared_ptr<const Subnet> {
    const MKeys& keys = sweeper_.state().m_keys;
    return keys.version() == keys.version_on_disk() ? subnet() : nullptr;
  };
  return all;
}

// ------------------------------------------------------------------------------------------
// the loop

asio::awaitable<int> Manager::run() {
  replication_.configured(*loop_.context());
  mastership_.begin();
  co_await partitions_.open(computation_);
  sweeper_.configure(loop_.context());
  co_await orders_.restore(computation_);
  if (!loop_.is_once())
    for (AgentLoop* const agent : agents_) agent->begin();
  while (loop_.goes_on()) {
    take_reload();
    partitions_.take();
    if (state() == mad::SmState::not_active) {
      co_await mastership_.wait_while_inactive();
    } else if (state() == mad::SmState::standby) {
      co_await mastership_.poll_master();
    } else {
      co_await act();
    }
  }
  if (loop_.is_once())
    for (AgentLoop* const agent : agents_) co_await agent->run_once();
  mastership_.end();
  for (AgentLoop* const agent : agents_) co_await agent->end();
  transport_.set_receiver({});
  administrator_.dump();
  co_await sweeps_.finish();
  co_await replication_.close();
  log_.critical("Exiting SM");
  co_return loop_.exit_code();
}

asio::awaitable<void> Manager::act() {
  SweepScheduler& scheduler = loop_.scheduler();
  switch (scheduler.next()) {
    case SweepScheduler::Action::sweep:
      return defer_traps(sweeps_.sweep(scheduler.take_sweep(sweeper_.subnet() != nullptr)));
    case SweepScheduler::Action::program_parts:
      return defer_traps(sweeps_.program_parts(scheduler.take_parts()));
    case SweepScheduler::Action::read_single:
      return sweeps_.read_single();
    case SweepScheduler::Action::disable_port:
      return sweeps_.disable_ports();
    case SweepScheduler::Action::program_vports:
      return sweeps_.program_vports();
    case SweepScheduler::Action::read_routers:
      scheduler.take_routers(loop_.now());
      return sweeps_.read_routers();
    case SweepScheduler::Action::program_groups:
      scheduler.take_groups();
      return sweeps_.program_groups();
    case SweepScheduler::Action::rest:
      break;
  }
  return rest();
}

void Manager::stop() {
  mastership_.resign();
  loop_.stop();
}

void Manager::abandon() { client_.abandon(); }

void Manager::reload(const config::Options& options, const config::InputFiles& files,
                     const partitions::Configuration& partitioning) {
  SharedContext next = with_runtime(*make_context(options, files, partitioning),
                                    loop_.context()->runtime, loop_.context()->kept);
  // These take effect at once, since no sweep depends on them. The rank is read once for each
  // comparison with other managers, which may query it at any time. The limits only define when
  // SMPs are sent and repeated; SMPs in flight keep their deadline.
  mastership_.reload_priority(options.sm_priority);
  transport_.budget().set_limit(wire_mads(options));
  client_.set_limits(smp_limits(options));
  loop_.reload(std::move(next));
}

/// Puts the latest reload in force between sweeps, and requests work for its changes.
void Manager::take_reload() {
  if (!loop_.has_reload()) return;
  const SharedContext before = loop_.configure(loop_.take_reload());
  const SharedContext& now = loop_.context();
  sweeper_.configure(now);
  replication_.configured(*now);
  for (AgentLoop* const agent : agents_) agent->wake();
  mastership_.configured(before->options);
  const bool partitions_changed = before->partitioning != now->partitioning,
             vl_tables_changed = before->options.qos_sets != now->options.qos_sets;
  if (!same_but_for_vl_tables(*before, *now) || !(partitions_changed || vl_tables_changed) ||
      loop_.scheduler().failures() > 0)
    return read_everything_on_reload();
  if (partitions_changed) loop_.scheduler().request_p_keys();
  if (vl_tables_changed) loop_.scheduler().request_vl_tables();
}

/// The audit, if it is enabled, reads the blocks of forwarding tables at its highest pace: they are
/// two thirds of all SMPs, and SwitchInfo shows a switch that lost its tables.
void Manager::read_everything_on_reload() {
  if (upkeep_.is_audited()) upkeep_.request_audit(runtime_.now());
  loop_.scheduler().request_everything("SIGHUP", false, upkeep_.is_audited());
}

/// Waits until something is requested, or for the scheduler's deadline. The audit continues.
asio::awaitable<void> Manager::rest() {
  if (upkeep_.take_price_due()) co_return co_await upkeep_.price_adoption();
  const SweepScheduler& scheduler = loop_.scheduler();
  const mad::TimePoint deadline = scheduler.deadline(sweeps_.interval());
  const mad::TimePoint until =
      std::min({deadline, upkeep_.audit_due(), upkeep_.rebalancing_due(),
                upkeep_.conflict_removal_due(), upkeep_.storing_due(), key_changes_.due()});
  if (co_await loop_.wait_until(until)) {
    // Each further trap wakes this coroutine, which then waits for the rest of the time.
    const SweepScheduler::Action next = scheduler.next();
    const bool shows_an_event =
        next == SweepScheduler::Action::sweep || next == SweepScheduler::Action::read_single;
    if (shows_an_event && runtime_.now() - sweeps_.swept_at() >= SweepRunner::kQuiet) co_return;
    if (next == SweepScheduler::Action::program_groups) co_return;  // waits by itself
    // Changes of partitions were gathered while the journal was written.
    if (next == SweepScheduler::Action::program_parts || partitions_.has_stored()) co_return;
    const bool vports_only = next == SweepScheduler::Action::program_vports;
    co_await loop_.pause_until(runtime_.now() + (vports_only ? kVPortsSettle : kSettle));
    // A signal that is always set must not hide work that is due.
    if (runtime_.now() < scheduler.deadline(sweeps_.interval())) co_return;
  }
  if (runtime_.now() >= key_changes_.due()) co_return co_await key_changes_.change();
  if (runtime_.now() >= upkeep_.storing_due()) co_return co_await upkeep_.store_again();
  if (runtime_.now() >= upkeep_.conflict_removal_due())
    co_return co_await upkeep_.remove_conflicts();
  if (runtime_.now() >= upkeep_.rebalancing_due()) co_return co_await upkeep_.compare_routes();
  if (runtime_.now() < deadline) co_return co_await upkeep_.audit();
  if (loop_.scheduler().on_deadline(runtime_.now(), sweeps_.interval(),
                                    sweeper_.subnet() != nullptr,
                                    loop_.options().force_heavy_sweep))
    co_await sweeps_.light_sweep();
}

asio::awaitable<void> Manager::defer_traps(asio::awaitable<void> work) {
  traps_.hold();
  co_await std::move(work);
  if (traps_.release(trap_situation())) loop_.wake();
}

// ------------------------------------------------------------------------------------------
// MADs that no request of a part has brought, and responses to all requests

void Manager::on_mads(std::span<const mad::ReceivedMad> mads) {
  for (const mad::ReceivedMad& received : mads) {
    const mad::ConstMadView header{
        std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
    if (received.send_errno == 0 && received.size < mad::kMadSizeBytes)
      continue;  // every MAD of these classes has 256 bytes
    const auto agent = std::ranges::find_if(
        agents_, [&](const AgentLoop* each) { return each->receives(header.mgmt_class()); });
    if (agent != agents_.end()) {
      (*agent)->on_mad(received);
    } else if (header.mgmt_class() == mad::MgmtClass::sa) {
      if (!mastership_.take_records(received)) administrator_.on_mad(received);
    } else if (received.send_errno != 0 || header.method() == mad::Method::get_resp) {
      if (!mastership_.take_response(received)) client_.on_mad(received);
    } else {
      on_request(received);
    }
  }
}

void Manager::on_request(const mad::ReceivedMad& received) {
  const mad::ConstSmpView smp{std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
  if (smp.base_version() != mad::kBaseVersion) return;
  if (smp.mgmt_class() != mad::MgmtClass::sm_lid && smp.mgmt_class() != mad::MgmtClass::sm_directed)
    return;
  if (smp.method() == mad::Method::trap && smp.attribute_id() == mad::AttributeId::notice &&
      smp.class_version() == mad::kSmpClassVersion) {
    if (traps_.receive(received, smp, trap_situation())) loop_.wake();
    return;
  }
  const bool request = smp.method() == mad::Method::get || smp.method() == mad::Method::set;
  if (request && smp.attribute_id() == mad::AttributeId::sm_info)
    mastership_.on_sm_info(received, smp);
}

TrapSituation Manager::trap_situation() const {
  return {.leads = mastership_.leads(), .options = loop_.options(), .surveyed = sweeps_.swept_at()};
}

// ------------------------------------------------------------------------------------------
// which parts react to an event, and in which order

void Manager::on(const StateEntered& event) {
  sweeps_.entered(event);
  sweeper_.m_keys().set_leads(event.now == mad::SmState::master);
  replication_.entered(event.now, mastership_.master_answered());
  for (AgentLoop* const agent : agents_) agent->wake();
  if (event.now == mad::SmState::master) partitions_.check_expiry();
}

void Manager::on(const ManagersSeen& event) { replication_.saw_managers(event.ports); }

void Manager::on(const AnotherMasterWrote& /*event*/) {
  upkeep_.request_audit(runtime_.now() + Upkeep::kLateSets);
}

void Manager::on(const Resigned& event) { announce(listener_, event); }

void Manager::on(const SubnetPublished& event) {
  if (!mastership_.leads()) return;
  administrator_.publish(event.subnet, event.context, event.kind);
  if (event.kind == Publication::draft)
    for (AgentLoop* const agent : agents_) agent->note_ports(event.subnet->fabric);
}

void Manager::on(const SweepConcluded& /*event*/) {
  for (AgentLoop* const agent : agents_) agent->wake();
}

void Manager::on(const PhaseEntered& event) {
  sweeps_.enter_phase(event.phase);
  announce(listener_, event);
}

void Manager::on(const StageProgressed& event) { announce(listener_, event); }

void Manager::on(const GroupsChanged& /*event*/) { loop_.request_groups(); }

void Manager::on(const RegistrationsStored& event) { replication_.registered(event); }

/// Ports whose errors have exceeded their thresholds for hours affect the health of their links.
void Manager::on(const CountersPublished& event) {
  bool is_new = false;
  for (const mad::Guid node : event.suspects)
    is_new = loop_.scheduler().request_check(node, runtime_.now()) || is_new;
  if (is_new) loop_.wake();
  std::set<PortPlace> noisy;
  if (const SharedPortCounters counters = performance_.counters())
    for (const auto& node : counters->nodes)
      for (const PortCounters& port : node->ports)
        if (port.noisy_hours >= context()->options.hm_num_noisy_hours)
          noisy.insert({node->node, port.port});
  set_noisy_ports(noisy);
}

void Manager::set_noisy_ports(const std::set<PortPlace>& ports) {
  if (mastership_.leads() && sweeper_.links().set_noisy(sweeper_.subnet().get(), ports) &&
      sweeper_.subnet())
    loop_.request_everything("error counters of links");
}

// ------------------------------------------------------------------------------------------
// what operators read

/// Returns the LID of the port that a condition names by its number, or by the GUID of an end port;
/// 0 if it has none.
mad::Lid Manager::find_lid(const Condition& condition) const {
  const auto subnet = sweeper_.subnet();
  if (!subnet) return {};
  const Fabric& fabric = subnet->fabric;
  const EndPoint end = subnet->find(condition.guid);
  if (end.port != kNoIndex) return subnet->lid_range(end).base;
  const auto found = fabric.node_of_guid.find(condition.guid);
  if (found == fabric.node_of_guid.end()) return {};
  const Node& node = fabric.nodes[found->second];
  if (node.is_switch()) return subnet->lid_range(node.first_port).base;
  if (!condition.port || condition.port->value == 0 || condition.port->value > node.num_ports)
    return {};
  return subnet->lid_range(fabric.port(found->second, *condition.port)).base;
}

ManagerStatus Manager::status() const {
  const std::optional<FabricView>& view = mastership_.standby_view();
  const SweepFigures& figures = sweeps_.figures();
  return {
      .state = state(),
      .port_guid = mastership_.port_guid(),
      .priority = mastership_.own_rank().priority,
      .managers = mastership_.others(),
      .subnet = view ? view->subnet : sweeper_.subnet(),
      .key_version = sweeper_.state().m_keys.version(),
      .class_keys = class_keys_.status(),
      .virt_enabled = loop_.options().virt_enabled,
      .standby_view = view ? std::optional(ManagerStatus::StandbyViewStatus{.writes = view->writes,
                                                                            .read = view->read})
                           : std::nullopt,
      .sweeps = figures.sweeps,
      .light_sweeps = figures.light_sweeps,
      .last_sweep = figures.last,
      .last_sweep_noticed = figures.noticed,
      .gets = client_.statistics().total(mad::Method::get),
      .sets = client_.statistics().total(mad::Method::set),
      .inbox = transport_.dropped(),
      .window = client_.window(),
      .sa = administrator_.statistics(),
      .reports = administrator_.reports().statistics(),
      .store = replication_.status(),
      .masters_options = replication_.masters_options(),
      .counters = performance_.counters(),
      .congestion = congestion_.table(),
      .conditions = conditions_.raised(),
      .occurrences = conditions_.occurrences(),
      .occurrence_counts = conditions_.occurrence_counts(),
      .cleared_counts = conditions_.cleared_counts(),
      .isolated = sweeper_.links().kept_out().isolated,
      .lost = sweeper_.links().lost(),
      .losses = state() == mad::SmState::master ? sweeper_.links().loss_counts() : LossCounts{},
      .routing_load_ratio = state() == mad::SmState::master ? upkeep_.load_ratio() : std::nullopt,
      .now = runtime_.now(),
      .wall = wall_clock_(),
      .statistics = statistics_,
      .smps = client_.statistics(),
      .smps_in_flight = client_.in_flight(),
      .sa_queue_length = administrator_.queue_length(),
      .reload_pending =
          loop_.has_reload() ||
          (mastership_.leads() && awaits_routes(sweeper_.state().routing, *loop_.context())),
      .subnet_up = figures.subnet_up && mastership_.leads()};
}

}  // namespace sm
