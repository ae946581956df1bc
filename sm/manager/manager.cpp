#include "sm/manager/manager.h"

#include <algorithm>

#include "config/value.h"
#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;

namespace {

constexpr mad::Duration kSettle =
    std::chrono::milliseconds(20);  // a dying switch sends many traps: they are one change
constexpr mad::Duration kGroupsSettle =
    std::chrono::milliseconds(10);  // hosts that boot together join together
constexpr mad::Duration kGroupsWaitMax = std::chrono::milliseconds(500);
constexpr unsigned kOnceTries = 3;  // with -o: sweeps until we give up

mad::SmpLimits smp_limits(const config::Options& options) {
  mad::SmpLimits limits{.timeout = std::chrono::milliseconds(options.transaction_timeout),
                        .retries = options.transaction_retries};
  if (options.is_set("max_wire_smps")) limits.window = options.max_wire_smps;
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
      context_(std::make_shared<const SweepContext>(
          SweepContext{.options = std::move(options.options),
                       .files = std::move(options.files),
                       .partitioning = std::move(options.partitioning)})),
      conditions_([&runtime] { return runtime.now(); }, log),
      once_(options.once),
      client_(runtime, transport, smp_limits(context_->options)),
      sweeper_(client_, log, conditions_, std::move(options.progress)),
      administrator_(runtime, transport, client_, log, conditions_, context_,
                     {.own_sm = [this] { return own_sm_info(); },
                      .groups_changed = [this] { request_groups(); },
                      .wall_clock = std::move(options.wall_clock)}),
      wake_(runtime),
      self_{.priority = context_->options.sm_priority, .guid = options.port_guid} {
  transport_.set_receiver([this](std::span<const mad::ReceivedMad> mads) { on_mads(mads); });
  sweeper_.set_prepare([this](const Subnet& draft, const SweepContext& context) {
    administrator_.prepare(draft, context);
    Registered registered{.reregister_clients = administrator_.wants_reregistration(),
                          .alias_guids = {}};
    for (const sa::AliasWrite& write : administrator_.lost_aliases(draft))
      registered.alias_guids.push_back({write.port_guid, write.block, write.guid_info});
    return registered;
  });
  sweeper_.set_groups([this](const Subnet& subnet) {
    scheduler_.take_groups();
    return administrator_.groups_for_routing(subnet);
  });
}

mad::Duration Manager::sweep_interval() const {
  return std::chrono::seconds(context_->options.sweep_interval);
}

// ------------------------------------------------------------------------------------------
// the loop

asio::awaitable<int> Manager::run() {
  enter(context_->options.sm_inactive ? mad::SmState::not_active : mad::SmState::discovering);
  while (!stopping_ && !exit_code_) {
    take_reload();
    if (state_ == mad::SmState::not_active) {
      co_await wake_.wait_until(mad::TimePoint::max());
    } else if (state_ == mad::SmState::standby) {
      co_await watch_master();
    } else {
      co_await act();
    }
  }
  transport_.set_receiver({});
  administrator_.dump();
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
    case SweepScheduler::Action::program_groups:
      scheduler_.take_groups();
      return program_groups();
    case SweepScheduler::Action::rest:
      break;
  }
  return rest();
}

void Manager::stop() {
  stopping_ = true;
  wake_.signal();
}

void Manager::reload(const config::Options& options, const config::InputFiles& files,
                     const partitions::Configuration& partitioning) {
  next_ = std::make_shared<const SweepContext>(
      SweepContext{.options = options, .files = files, .partitioning = partitioning});
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
  const bool partitions_changed = before->partitioning != context_->partitioning,
             vl_tables_changed = before->options.qos_sets != context_->options.qos_sets;
  if (!same_but_for_vl_tables(*before, *context_) || !(partitions_changed || vl_tables_changed) ||
      scheduler_.failures() > 0)
    return scheduler_.request_everything("SIGHUP", false);
  if (partitions_changed) scheduler_.request_p_keys();
  if (vl_tables_changed) scheduler_.request_vl_tables();
}

void Manager::enter(mad::SmState state) {
  if (state_ == mad::SmState::master && state != state_) administrator_.stand_down();
  state_ = state;
  log_.critical("Entering {} state", state_text(state));
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

/// Until something is requested, or the scheduler's deadline.
asio::awaitable<void> Manager::rest() {
  if (co_await wake_.wait_until(scheduler_.deadline(sweep_interval()))) {
    // Each further trap wakes this coroutine: the time is waited out nevertheless.
    const mad::TimePoint settled = runtime_.now() + kSettle;
    while (!stopping_ && co_await wake_.wait_until(settled)) {
    }
    co_return;
  }
  if (scheduler_.on_deadline(sweeper_.subnet() != nullptr, context_->options.force_heavy_sweep))
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
  if (const auto subnet = sweeper_.subnet(); state_ == mad::SmState::master) {
    administrator_.prepare(*subnet, *context);
    administrator_.publish(subnet, context);
  }
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

asio::awaitable<void> Manager::observe_and_program(SweepOrder order) {
  const SharedContext context = context_;
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

  Survey survey = co_await sweeper_.observe(context, order, state_ == mad::SmState::master);
  if (stopping_) co_return;
  if (!survey.sm_port_up) co_return port_is_down(survey.fabric.sm_port != kNoIndex);
  if (std::exchange(port_down_, false)) {
    log_.critical("SM port is up");
    conditions_.stand(ConditionSource::sm_port, {});
  }
  if (const mad::Guid guid = survey.fabric.ports[survey.fabric.sm_port].guid; guid != mad::Guid{})
    self_.guid = guid;
  if (stands_by(survey)) co_return;
  if (state_ != mad::SmState::master) enter(mad::SmState::master);

  const std::shared_ptr<const Subnet> before = sweeper_.subnet();
  const SweepResult result = co_await sweeper_.program(context, std::move(survey), order);
  if (sweeper_.subnet() != before && state_ == mad::SmState::master)
    administrator_.publish(sweeper_.subnet(), context);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count();
  log_.info("sweep used {} SubnGet and {} SubnSet SMPs in {} ms, {} in flight at most",
            client_.statistics().total(mad::Method::get).sent - gets,
            client_.statistics().total(mad::Method::set).sent - sets, ms,
            client_.statistics().in_flight_max);
  conclude(result, order.why);
  administrator_.dump();
}

/// Memberships changed since the trees were written. The trees wait until no more changes arrive,
/// up to a limit.
asio::awaitable<void> Manager::program_groups() {
  const mad::TimePoint first = runtime_.now();
  do {
    scheduler_.take_groups();
    const mad::TimePoint settled = runtime_.now() + kGroupsSettle;
    while (!stopping_ && co_await wake_.wait_until(settled)) {
    }
  } while (!stopping_ && scheduler_.groups_requested() && runtime_.now() - first < kGroupsWaitMax);
  if (stopping_ || state_ != mad::SmState::master || !sweeper_.subnet()) co_return;
  const mad::TimePoint begin = runtime_.now();
  const MulticastEnd end = co_await sweeper_.program_multicast(context_);
  if (state_ == mad::SmState::master) administrator_.publish_trees(sweeper_.subnet());
  if (end.groups_changed > 0) {
    log_.info(
        "multicast: {} group{} changed, {} blocks written in {} ms", end.groups_changed,
        end.groups_changed == 1 ? "" : "s", end.writes,
        std::chrono::duration_cast<std::chrono::milliseconds>(runtime_.now() - begin).count());
  }
  if (end.again) scheduler_.groups_failed(runtime_.now());
}

void Manager::conclude(const SweepResult& result, const std::string& why) {
  scheduler_.recheck(result.recheck);
  switch (result.end) {
    case SweepEnd::subnet_up:
      scheduler_.sweep_succeeded(runtime_.now(), sweep_interval());
      last_sweep_ = why + ": SUBNET UP";
      log_.info("SUBNET UP");
      log_.flush();
      if (once_) exit_code_ = 0;
      break;
    case SweepEnd::errors:
      scheduler_.sweep_failed(runtime_.now());
      last_sweep_ = why + ": errors";
      log_.critical("Errors during initialization");
      if (once_ && scheduler_.failures() >= kOnceTries) exit_code_ = 1;
      break;
    case SweepEnd::fatal:
      last_sweep_ = why + ": fatal";
      log_.critical(
          "two nodes or ports carry one GUID, and exit_on_fatal is TRUE: nothing was programmed");
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
  if (state_ == mad::SmState::master) enter(mad::SmState::discovering);
  scheduler_.port_is_down(runtime_.now());
  last_sweep_ = "SM port is down";
  if (once_ && scheduler_.failures() >= kOnceTries) exit_code_ = 1;
}

/// Another SM is master or has higher rank: enters STANDBY and polls it.
bool Manager::stands_by(const Survey& survey) {
  if (context_->options.ignore_other_sm) return false;
  std::vector<mad::SmInfo> others;
  others.reserve(survey.sms.size());
  for (const OtherSm& sm : survey.sms) others.push_back(sm.info);
  const ElectionDecision decision = elect(self_, state_, others);
  if (decision.next == mad::SmState::master) return false;
  master_ = survey.sms[*decision.standby_of];
  log_.critical("{}: {} with priority {}, by route {}; entering STANDBY", decision.why,
                master_->port == kNoIndex ? fmt::format("GUID {}", master_->info.guid())
                                          : survey.fabric.port_name(master_->port),
                master_->info.priority(), master_->route.text());
  if (once_) {
    log_.error(
        "asked to run once, but the subnet belongs to another manager: nothing was programmed");
    exit_code_ = 1;
  }
  enter(mad::SmState::standby);
  return true;
}

void Manager::leave_standby() {
  sweeper_.leave_standby();
  administrator_.take_over(*context_);
}

/// Light sweep: finds what changed without a trap.
asio::awaitable<void> Manager::light_sweep() {
  ++light_sweeps_;
  const SharedContext context = context_;
  const auto subnet = sweeper_.subnet();
  if (subnet->fabric.switches.empty())
    co_return request_everything("a fabric without switches has no light sweep");
  const LightSweepResult result = co_await sm::light_sweep(
      client_, mad::MKey{context->options.m_key}, subnet->fabric, subnet->sms);
  const bool other_master = std::ranges::any_of(
      result.sms, [](const OtherSm& sm) { return sm.info.sm_state() == mad::SmState::master; });
  if (result.own_port_changed) {
    request_everything("the own port changed");
  } else if (other_master && !context->options.ignore_other_sm) {
    request_everything("another subnet manager says that it is MASTER");
  }
  for (const mad::Guid guid : result.changed) request_node(guid, "light sweep found changes");
  for (const mad::Guid guid : sweeper_.due()) request_node(guid, "what was rejected is set again");
  scheduler_.light_sweep_done(runtime_.now(), sweep_interval());
}

/// Standby: polls the SMInfo of the master until it is silent (or no longer MASTER) for too long.
asio::awaitable<void> Manager::watch_master() {
  unsigned missed = 0;
  while (!stopping_ && !exit_code_ && state_ == mad::SmState::standby) {
    co_await wake_.wait_until(runtime_.now() +
                              std::chrono::milliseconds(context_->options.sminfo_polling_timeout));
    if (stopping_ || state_ != mad::SmState::standby) co_return;
    take_reload();
    const SharedContext context = context_;
    // Woken by a Set(SMInfo) before any survey, it knows no master yet: that counts as one that
    // does not answer, and the survey of taking over finds it.
    mad::SmpAnswer answer{.fault = mad::SmpFault::timeout};
    if (master_) {
      answer = co_await client_.ask({.attribute = mad::AttributeId::sm_info,
                                     .m_key = mad::MKey{context->options.m_key},
                                     .route = master_->route});
      // A Set(SMInfo) may have come meanwhile: a manager that was disabled takes nothing over.
      if (stopping_ || state_ != mad::SmState::standby) co_return;
    }
    const bool leads = answer.ok() && mad::SmInfo(answer.data).sm_state() == mad::SmState::master;
    missed = leads ? 0 : missed + 1;
    if (missed > context->options.polling_retry_number) {
      if (master_) {
        log_.critical("the master (GUID {}) {}: taking over", master_->info.guid(),
                      answer.ok() ? "is no longer MASTER" : "does not answer");
      } else {
        log_.critical("in STANDBY without knowing a master: taking over");
      }
      leave_standby();
      enter(mad::SmState::discovering);
      request_everything("the master is gone");
    }
  }
}

// ------------------------------------------------------------------------------------------
// unsolicited MADs

void Manager::on_mads(std::span<const mad::ReceivedMad> mads) {
  for (const mad::ReceivedMad& received : mads) {
    const mad::ConstMadView header{
        std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
    if (received.send_errno == 0 && received.size < mad::kMadSizeBytes)
      continue;  // every MAD of these classes has 256 bytes
    if (header.mgmt_class() == mad::MgmtClass::sa) {
      administrator_.on_mad(received);
    } else if (received.send_errno != 0 || header.method() == mad::Method::get_resp) {
      client_.on_mad(received);
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
  const bool request = smp.method() == mad::Method::get || smp.method() == mad::Method::set;
  if (smp.method() == mad::Method::trap && smp.attribute_id() == mad::AttributeId::notice &&
      smp.class_version() == mad::kSmpClassVersion)
    return on_trap(received, smp);
  if (request && smp.attribute_id() == mad::AttributeId::sm_info)
    return answer_sm_info(received, smp);
}

void Manager::respond(const mad::ReceivedMad& received, const mad::MadBytes& bytes) {
  ++act_count_;
  transport_.send(bytes, received.from, 0);
}

void Manager::answer_sm_info(const mad::ReceivedMad& received, mad::ConstSmpView smp) {
  mad::MadBytes bytes = received.bytes;
  mad::SmpView response{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  std::uint16_t status = mad::status::kOk;
  std::optional<mad::SmState> next;
  if (smp.class_version() != mad::kSmpClassVersion) {
    // What a modifier means in another version is not known: no state changes because of it.
    status = mad::status::kBadVersion;
  } else if (smp.method() == mad::Method::set) {
    next = on_control(state_, smp.attribute_modifier());
    if (!next) status = mad::status::kInvalidValue;
  }
  if (!mad::make_response(response, status)) return;
  response.set_data(own_sm_info().bytes());
  respond(received, bytes);
  if (!next) return;

  const mad::SmInfo sender{smp.data()};
  log_.critical("SMInfo control {} from the manager with GUID {}", smp.attribute_modifier(),
                sender.guid());
  if (state_ == mad::SmState::standby && *next == mad::SmState::discovering) leave_standby();
  if (*next != state_) enter(*next);
  if (*next == mad::SmState::discovering || *next == mad::SmState::master)
    request_everything("another subnet manager asked for it");
  wake_.signal();
}

mad::SmInfo Manager::own_sm_info() const {
  const mad::SmpStatistics& statistics = client_.statistics();
  mad::SmInfo info;
  info.set_guid(self_.guid);
  info.set_sm_key(context_->options.sm_key);
  info.set_act_count(act_count_ +
                     static_cast<std::uint32_t>(statistics.total(mad::Method::get).sent +
                                                statistics.total(mad::Method::set).sent));
  info.set_priority(self_.priority);
  info.set_sm_state(state_);
  return info;
}

std::optional<PortIndex> Manager::port_of(mad::Lid lid) const {
  const auto subnet = sweeper_.subnet();
  if (!subnet) return std::nullopt;
  const PortIndex port = subnet->lids.owner(lid);
  return port == kNoIndex ? std::nullopt : std::optional(port);
}

void Manager::on_trap(const mad::ReceivedMad& received, mad::ConstSmpView smp) {
  const mad::Notice notice{smp.data()};
  mad::MadBytes bytes = received.bytes;
  mad::SmpView repress{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  if (mad::make_response(repress)) {
    repress.set_m_key(mad::MKey{context_->options.m_key});
    respond(received, bytes);
  }
  const mad::Lid issuer = smp.is_directed() || received.from.lid == mad::kPermissiveLid
                              ? notice.issuer_lid()
                              : received.from.lid;
  const TrapDamper::Action action = traps_.admit(issuer, notice, runtime_.now());
  if (action == TrapDamper::Action::ignore) return;
  const auto port = port_of(issuer);
  const std::string from =
      port ? sweeper_.subnet()->fabric.port_name(*port) : std::string("an unknown node");
  log_.info("Received Generic Notice type:{} num:{} Producer:{} from LID:{} ({})",
            static_cast<unsigned>(notice.type()), static_cast<unsigned>(notice.trap_number()),
            static_cast<unsigned>(notice.producer_type()), issuer, from);
  if (action == TrapDamper::Action::storm_begins) {
    conditions_.occurred(
        {.id = ConditionId::trap_storm,
         .text = fmt::format(
             "{} repeats trap {} without end: it is ignored until it pauses for {} s", from,
             static_cast<unsigned>(notice.trap_number()),
             std::chrono::duration_cast<std::chrono::seconds>(TrapDamper::kPause).count()),
         .guid = port ? sweeper_.subnet()->fabric.node_of(*port).guid : mad::Guid{}});
    return;
  }
  const bool leads = state_ == mad::SmState::master;
  // The first sweep ends with this manager as master, and clears PortStateChange of all switches: a
  // link that came or went meanwhile would not be found by light sweeps.
  if (!leads && !(traps_.is_holding() && notice.as<mad::LinkStateNotice>())) return;
  if (leads) administrator_.on_trap(notice, issuer);
  if (!context_->options.sweep_on_trap) return;
  if (!traps_.is_holding()) return handle(notice, issuer);
  if (!traps_.keep(notice, issuer))
    request_everything("more traps during a sweep than could be kept");
}

void Manager::handle(const mad::Notice& notice, mad::Lid issuer) {
  const auto subnet = sweeper_.subnet();
  const auto read_again = [&](mad::Lid lid, std::string why) {
    if (const auto port = port_of(lid)) {
      request_node(subnet->fabric.node_of(*port).guid, std::move(why));
    } else {
      request_everything(why + " from an unknown node");
    }
  };
  if (const auto link = notice.as<mad::LinkStateNotice>())
    return read_again(link->lid(), "trap 128");
  if (const auto change = notice.as<mad::LocalChangeNotice>()) {
    const auto port = port_of(issuer);
    const bool is_news =
        !port || change->other_local_changes() ||
        subnet->fabric.ports[*port].info.capability_mask() != change->capability_mask();
    if (is_news) read_again(issuer, "trap 144");
    return;
  }
  if (notice.as<mad::SystemImageGuidNotice>()) return read_again(issuer, "trap 145");
  if (const auto error = notice.as<mad::LinkErrorNotice>()) {
    const auto port = port_of(error->lid());
    log_.warn("link errors at port {} of {}", error->port(),
              port ? subnet->fabric.name(subnet->fabric.ports[*port].node) : "an unknown node");
  }
  scheduler_.request_light_sweep(runtime_.now());  // anything else
  wake_.signal();
}

ManagerStatus Manager::status() const {
  return {.state = state_,
          .port_guid = self_.guid,
          .priority = self_.priority,
          .subnet = sweeper_.subnet(),
          .sweeps = sweeps_,
          .light_sweeps = light_sweeps_,
          .last_sweep = last_sweep_,
          .gets = client_.statistics().total(mad::Method::get),
          .sets = client_.statistics().total(mad::Method::set),
          .window = client_.window(),
          .conditions = conditions_.raised(),
          .now = runtime_.now()};
}

}  // namespace sm
