// Pass: LIDs, P_Keys and vports.

#include <algorithm>
#include <set>

#include "fabric/at_once.h"
#include "fabric/plausible.h"
#include "mad/format.h"
#include "sm/sweep/apply/port_stages.h"
#include "sm/sweep/apply/unicast_stages.h"
#include "sm/sweep/apply/vport_stages.h"
#include "sm/sweep/decide/key_isolation.h"
#include "sm/sweep/decide/link_rates.h"
#include "sm/sweep/decide/named_guids.h"
#include "sm/sweep/devices/link_settings.h"
#include "sm/sweep/observe/claim.h"
#include "sm/sweep/pass.h"
#include "virt/vport_lids.h"

namespace sm {
namespace asio = boost::asio;

namespace {

/// Logs each of a few nodes and links. Of many, log_format human logs one line.
void log_arrivals(spdlog::logger& log, const std::vector<std::string>& arrived) {
  constexpr std::size_t kLogged = 20, kFew = 3;
  const bool is_few = arrived.size() <= kFew;
  const std::size_t logged = std::min(arrived.size(), kLogged);
  for (const std::string& line : std::span(arrived).first(logged))
    log_with(log, spdlog::level::info, line,
             {.kind = is_few ? LogLineKind::any : LogLineKind::detail});
  if (arrived.size() > logged)
    log_detail(log, "{} more nodes appeared or links came up", arrived.size() - logged);
  if (!is_few)
    log_digest(log, spdlog::level::info,
               fmt::format("{} nodes appeared or links came up; the first: {}", arrived.size(),
                           arrived.front()));
}

/// True if forwarding tables of switches that show what was written to them are not read.
bool trusts_blocks(const PassRequest& request) {
  return request.trust_tables || request.audits_tables;
}

std::vector<mad::Guid> stored_m_key_ports(const MKeys& m_keys) {
  std::vector<mad::Guid> ports;
  ports.reserve(m_keys.stored().size());
  for (const auto& [port, key] : m_keys.stored()) ports.push_back(port);
  return ports;
}

/// Returns GUIDs that are known and not in the fabric: of vports, of what is isolated, and of what
/// was lost. A lost port that had LIDs is known by its node.
std::set<mad::Guid> known_elsewhere(const Fabric& fabric, const Fabric* before, const State& state,
                                    const LinkSupervision& links,
                                    const VPortTargets& vport_targets) {
  std::set<mad::Guid> known;
  for (const VPort& vport : vport_targets.vports) known.insert(vport.guid);
  for (const Isolated& link : links.kept_out().isolated) {
    known.insert(link.peer_node);
    known.insert(link.peer_port);
  }
  if (links.lost() != nullptr)
    for (const LostThing& lost : *links.lost())
      if (!lost.port) known.insert(lost.node);
  known.erase(mad::Guid{});  // of isolated links without a known peer, and of kept_lids.h
  for (const KeptPort& kept : state.kept.ports)
    if (known.contains(kept.node)) known.insert(kept.guid);
  if (before == nullptr) return known;
  for (const auto& [guid, node] : before->node_of_guid)
    if (!fabric.node_of_guid.contains(guid)) known.insert(guid);
  for (const auto& [guid, port] : before->port_of_guid)
    if (!fabric.port_of_guid.contains(guid)) known.insert(guid);
  return known;
}

}  // namespace

/// Decides LIDs, P_Keys and vports. Returns false if nothing is left to do.
asio::awaitable<bool> Pass::decide_end_ports() {
  if (request_.members) co_return co_await decide_changed_members();
  m_key_ports_ = stored_m_key_ports(state_.m_keys);  // a reload may replace them
  if (survey_) {
    load_stored(*context_, state_, environment_.log);
    state_.devices.waiting_p_keys = std::move(survey_->waiting_p_keys);
    const std::function<void()> assign = [this] { assign_survey(); };
    co_await compute(assign);
    if (co_await read_p_keys_to_their_ends()) co_await compute(assign);
  } else if (request_.p_keys || request_.vports) {
    now_ = environment_.client.now();
    const std::function<void()> assign = [this] { assign_published(); };
    co_await compute(assign);
    if (co_await observe_contested()) co_await compute(assign);
  } else {
    co_return true;
  }
  report_end_ports();
  co_return true;
}

void load_stored(const SweepContext& context, State& state, spdlog::logger& log) {
  state.stored.load(context.options, state.devices.refusals, log);
  if (state.succession.lids)
    state.stored.adopt(*std::exchange(state.succession.lids, std::nullopt));
}

LidAssignment decide_lids(const SweepContext& context, const State& state, const Fabric& fabric) {
  return assign_lids(fabric, lid_options(context.options, state.succession.leaving_standby),
                     state.stored.guid2lid(), state.succession.is_first);
}

void Pass::assign_survey() {
  const Fabric& fabric = survey_->fabric;
  std::optional<PartitionDecision> partitions;
  std::vector<Condition> implausible, misplaced, slow;
  const bool without_vports = !has_vports(state_.devices.vports);
  at_once(fabric, {[&] { lids_ = decide_lids(*context_, state_, fabric); },
                   [&] {
                     if (without_vports) partitions = decide_partitions(*context_, fabric);
                   },
                   [&] {
                     if (before_) arrived_ = arrivals(before_->fabric, fabric, survey_->touched);
                     implausible = implausible_values(fabric);
                     slow = slow_links(fabric);
                     misplaced = misplaced_guids(*context_, fabric, m_key_ports_);
                     member_guids_ = misplaced_members(context_->runtime, fabric);
                     replaced_ = parts_.links.replaced(*context_);
                   }});
  end_ports_ = decide_vports(fabric, lids_.lids, lids_.persisted, std::move(partitions));
  physical_ = lids_.lids;
  std::vector<Condition> found = fabric.conditions;
  for (const std::vector<Condition>& more : {lids_.conditions, implausible})
    found.insert(found.end(), more.begin(), more.end());
  assigned_.clear();
  assigned_.emplace_back(ConditionSource::discovery, std::move(found));
  assigned_.emplace_back(ConditionSource::link_rates, std::move(slow));
  // While nodes do not answer the first survey, their GUIDs may be those that are missing.
  if (before_ || survey_->unread.empty()) add_absent_guids(misplaced, fabric);
  assigned_.emplace_back(ConditionSource::named_guids, std::move(misplaced));
}

/// Adds GUIDs of the configuration that nothing has. Precondition: vports are decided.
void Pass::add_absent_guids(std::vector<Condition>& conditions, const Fabric& fabric) const {
  if (absent_guids(*context_, fabric, {}).empty()) return;
  const std::set<mad::Guid> elsewhere = known_elsewhere(
      fabric, before_ ? &before_->fabric : nullptr, state_, parts_.links, end_ports_.targets);
  std::ranges::move(absent_guids(*context_, fabric, elsewhere), std::back_inserter(conditions));
}

void Pass::assign_published() {
  take_published();
  target_.lids = next_.lids;
  physical_ = virt::physical_only(next_.lids, next_.fabric);
  if (request_.p_keys) {
    state_.devices.update_rejections(next_.fabric, now_);
    // The vports failed with other keys than the new ones.
    for (auto& [guid, port] : state_.devices.vports) port.forget_failures();
    member_guids_ = misplaced_members(context_->runtime, next_.fabric);
    replaced_ = parts_.links.replaced(*context_);
  }
  end_ports_ = decide_vports(next_.fabric, physical_, state_.stored.guid2lid());
  if (!request_.p_keys) return;
  std::vector<Condition> named = misplaced_guids(*context_, next_.fabric, m_key_ports_);
  add_absent_guids(named, next_.fabric);
  assigned_.clear();
  assigned_.emplace_back(ConditionSource::named_guids, std::move(named));
}

VPortDecision Pass::decide_vports(const Fabric& fabric, const LidMap& physical,
                                  const Guid2Lid& persisted,
                                  std::optional<PartitionDecision> without_vports) const {
  const auto was_served = [this](mad::Guid guid, mad::Guid port, std::uint16_t index) {
    if (!before_ || !before_->vports) return false;
    const VPortIndex found = before_->vports->find(guid);
    if (found == kNoIndex) return false;
    const VPort& vport = before_->vports->vports[found];
    return vport.index == index && before_->fabric.ports[vport.port].guid == port;
  };
  return sm::decide_vports(*context_, fabric, physical, persisted, state_.devices.vports,
                           was_served, std::move(without_vports));
}

/// Reads P_Key tables to their ends where this cannot wait. Keys that a table holds keep their
/// indices, so that the caller decides again. Returns true if it read something.
asio::awaitable<bool> Pass::read_p_keys_to_their_ends() {
  DeviceState& devices = state_.devices;
  if (devices.waiting_p_keys.empty()) co_return false;
  Fabric& fabric = survey_->fabric;
  std::unique_ptr<Stage> reads;
  const std::function<void()> choose = [&] {
    reads = p_key_reads(fabric, devices, [&](PortIndex port) {
      return !may_wait_for_p_keys(fabric, devices, end_ports_.partitions.p_keys, port);
    });
  };
  co_await compute(choose);
  if (reads->size() == 0) co_return false;
  ApplyReport report;
  const ApplyOptions how = environment_.apply_options();
  co_await send(environment_.client, how, fabric, mad::Method::get, *reads, report);
  survey_->unread.insert(survey_->unread.end(), report.unanswering.begin(),
                         report.unanswering.end());
  co_return true;
}

/// If two ports show one vport, reads the first place again: the vport may have left it by now.
asio::awaitable<bool> Pass::observe_contested() {
  if (!request_.vports || end_ports_.contested.empty()) co_return false;
  std::vector<PortIndex> places;
  for (const mad::Guid guid : end_ports_.contested) {
    state_.devices.vports[guid].states_read = false;
    const PortIndex place = before_->fabric.port_of_guid.at(guid);
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  co_await parts_.vports.observe(*context_, before_->fabric, std::move(places),
                                 VPortAccess::manage);
  co_return true;
}

void Pass::report_end_ports() {
  if (applies()) {
    spdlog::logger& log = environment_.log;
    if (before_ && (survey_ || request_.p_keys)) report_losses();
    if (survey_ && before_) log_arrivals(log, arrived_);
    if (survey_)
      log_detail(log, "fabric has {} nodes, {} of them switches, {} end ports",
                 survey_->fabric.nodes.size(), survey_->fabric.switches.size(),
                 survey_->fabric.end_ports.size());
    for (const auto* messages : {&lids_.messages, &end_ports_.messages})
      for (const std::string& message : *messages) log.info("{}", message);
    state_.p_key_conditions = end_ports_.partitions.p_keys.conditions;
    if (!request_.vports) state_.member_guids = member_guids_;
  }
  std::ranges::move(assigned_, std::back_inserter(findings_));
  add_finding(ConditionSource::partitions, end_ports_.partitions.p_keys.conditions);
  if (!request_.vports) add_finding(ConditionSource::named_members, std::move(member_guids_));
}

/// Reports what is lost, what has returned elsewhere, and what was replaced.
void Pass::report_losses() {
  std::vector<Condition> active = parts_.links.losses();
  std::ranges::move(replaced_, std::back_inserter(active));
  environment_.conditions.set_active(ConditionSource::losses, std::move(active));
  for (const Condition& moved : parts_.links.take_moves()) environment_.conditions.occurred(moved);
}

// ------------------------------------------------------------------------------------------
// memberships in partitions of the API

asio::awaitable<bool> Pass::decide_changed_members() {
  const std::vector<mad::Guid>& guids = request_.members->guids;
  members_.emplace();
  std::vector<Condition> misplaced;
  const std::function<void()> decide = [&] {
    *members_ = decide_members(*context_, *before_, state_.devices, guids);
    misplaced = misplaced_members(context_->runtime, before_->fabric, &guids);
  };
  co_await compute(decide);
  update_misplaced_members(std::move(misplaced));
  result_.members_decided = members_->is_for_all ? guids.size() : members_->decided;
  result_.end = SweepEnd::subnet_up;
  if (members_->is_for_all) {
    follow_up_ = request_;
    follow_up_->members.reset();
    follow_up_->p_keys = true;
    co_return false;
  }
  if (members_->is_empty) {
    members_.reset();
    co_return request_.vl_tables || request_.m_keys || request_.groups || request_.routers;
  }
  std::vector<Condition>& active = state_.p_key_conditions;
  std::erase_if(active, [&](const Condition& condition) {
    return std::ranges::find(members_->ports, condition.guid) != members_->ports.end();
  });
  std::ranges::copy(members_->target.p_keys.conditions, std::back_inserter(active));
  add_finding(ConditionSource::partitions, active);
  next_ = std::move(members_->next);
  has_next_ = true;
  target_ = std::move(members_->target);
  co_return true;
}

/// `now` holds the conditions of the GUIDs whose memberships have changed.
void Pass::update_misplaced_members(std::vector<Condition> now) {
  std::vector<Condition>& active = state_.member_guids;
  if (active.empty() && now.empty()) return;
  const std::set<mad::Guid> changed(request_.members->guids.begin(), request_.members->guids.end());
  const std::size_t ended = std::erase_if(
      active, [&](const Condition& condition) { return changed.contains(condition.guid); });
  if (ended == 0 && now.empty()) return;
  std::ranges::move(now, std::back_inserter(active));
  add_finding(ConditionSource::named_members, active);
}

// ------------------------------------------------------------------------------------------
// before anything depends on it

/// Stores the LID map and M_Keys before anything depends on them.
asio::awaitable<void> Pass::store() {
  if (!applies()) co_return;
  if (survey_) {
    // The survey did not do this if this manager was not MASTER then.
    if (!state_.cleared_changes) co_await claim_switches(environment_.client, *survey_);
    result_.unread = survey_->unread;
    result_.read = survey_->read_again;
    state_.claimed = survey_->claimed;
  }
  if (survey_ || request_.m_keys) {
    m_keys_stored_ =
        co_await save_m_keys(state_.m_keys.expected(survey_ ? survey_->fabric : before_->fabric));
    // The pass does not begin a change of keys that is not in a file: the ports keep their keys.
    if (!m_keys_stored_ && request_.m_keys) state_.m_keys.give_up_version();
  }
  if (survey_ || request_.vports) co_await save_lids(survey_ && state_.succession.is_first);
}

asio::awaitable<void> Pass::save_lids(bool always) {
  StoredState::SavedLids saved;
  const std::function<void()> save = [&] {
    saved = state_.stored.save_lids(context_->options, end_ports_.persisted, always);
  };
  co_await compute(save);
  environment_.conditions.set_active(ConditionSource::lid_store,
                                     state_.stored.keep(std::move(saved)));
}

/// Stores the keys that ports have confirmed. Without any, a failure before stays one.
asio::awaitable<void> Pass::save_confirmed_m_keys() {
  MKeys::Files files = state_.m_keys.acknowledged();
  if (m_keys_stored_ || !files.empty()) co_await save_m_keys(std::move(files));
}

/// Stores M_Keys. If that fails, the manager still runs: m_key is a candidate at the next start.
asio::awaitable<bool> Pass::save_m_keys(MKeys::Files files) {
  std::vector<Condition> active;
  if (!files.empty()) {
    tl::expected<void, std::string> written;
    const std::function<void()> write = [&] { written = files.write(); };
    co_await compute(write);
    if (written) {
      state_.m_keys.keep(std::move(files));
    } else {
      active.push_back(
          {.id = ConditionId::store_failed,
           .text = fmt::format("{}; the M_Keys of ports are kept in memory only", written.error()),
           .severity = fabric::Severity::critical});
    }
  }
  const bool saved = active.empty();
  state_.stored.set_m_keys_saved(saved);
  environment_.conditions.set_active(ConditionSource::m_key_store, std::move(active));
  co_return saved;
}

/// Passes LIDs and partitions to subnet administration, and receives what clients have registered.
asio::awaitable<void> Pass::prepare() {
  if (survey_) {
    co_await prepare_survey();
  } else if (request_.vports) {
    const std::function<void()> place = [this] { place_vports(); };
    co_await compute(place);
    parts_.administration.prepare(next_, *context_);
    co_await parts_.vports.try_p_keys(next_.fabric, *target_.vports);
  } else if (request_.p_keys) {
    target_.p_keys = std::move(end_ports_.partitions.p_keys);
    next_.partitions = std::move(end_ports_.partitions.map);
    parts_.administration.prepare(next_, *context_);
  } else if (members_ && members_->partitions_differ) {
    parts_.administration.prepare(next_, *context_);
  }
}

asio::awaitable<void> Pass::prepare_survey() {
  target_.lids = std::move(end_ports_.lids);
  target_.m_keys = state_.m_keys.policy();
  target_.partition_map = std::move(end_ports_.partitions.map);
  target_.p_keys = std::move(end_ports_.partitions.p_keys);
  next_ = {.fabric = std::move(survey_->fabric),
           .lids = target_.lids,
           .partitions = target_.partition_map,
           .sms = std::move(survey_->sms)};
  std::vector<Condition> lost_tables;
  now_ = environment_.client.now();
  const std::function<void()> update = [&] { lost_tables = update_devices(); };
  co_await compute(update);
  if (applies())
    for (const Condition& condition : lost_tables) environment_.conditions.occurred(condition);
  Registered registered = parts_.administration.prepare(next_, *context_);
  reregistration_ = registered.reregistration;
  target_.reregister_clients =
      registered.reregistration != 0 &&
      std::exchange(state_.succession.clients_led, 0) != registered.reregistration;
  target_.known_manager = registered.known_manager;
  target_.newcomers = newcomers(registered.unacknowledged);
  if (applies()) state_.succession.announced.clear();
  target_.alias_guids = std::move(registered.alias_guids);
  co_await update_router_aliases();
}

/// Adds alias GUIDs with LIDs to the target, also blocks that ports did not acknowledge before.
asio::awaitable<void> Pass::update_router_aliases() {
  RouterAliases& aliases = state_.devices.router_aliases;
  const auto& ports = next_.fabric.port_of_guid;
  std::erase_if(aliases.due, [&](const GuidBlock& block) { return !ports.contains(block.first); });
  RouterAliasChange change{.due = aliases.due, .without_entry = {}, .blocks = {}};
  if (context_->options.rtr_aguid_enable == kSetRouterAliases)
    for (const GuidInfoBlock& lost : target_.alias_guids)
      change.due.emplace(lost.port_guid, lost.block);
  std::optional<std::size_t> next = 0;
  while (next) {
    next = parts_.administration.update_router_aliases(next_, *context_, *next, change);
    const mad::Duration no_time{};
    if (next && environment_.can_pause()) co_await environment_.pause(no_time);
  }
  std::erase_if(target_.alias_guids, [&](const GuidInfoBlock& older) {
    return change.due.contains({older.port_guid, older.block});
  });
  std::ranges::move(change.blocks, std::back_inserter(target_.alias_guids));
  for (const auto& [guid, block] : aliases.due)  // the option may have changed
    if (!change.due.contains({guid, block}))
      state_.devices.refusals.forget(
          subject_of(next_.fabric, ports.at(guid), mad::AttributeId::guid_info, block));
  aliases = {.due = std::move(change.due), .without_entry = std::move(change.without_entry)};
}

/// Updates what is known of devices to the surveyed fabric. Returns conditions for switches whose
/// tables are not those that were written.
std::vector<Condition> Pass::update_devices() {
  DeviceState& devices = state_.devices;
  const Fabric& fabric = next_.fabric;
  const Fabric* const last = before_ ? &before_->fabric : nullptr;
  std::vector<Condition> lost_tables;
  at_once(fabric, {[&] { next_.index(); },
                   [&] {
                     target_.vports = std::make_shared<const VPortTargets>(end_ports_.targets);
                     hold_inactive(end_ports_.targets, fabric, devices);  // others stay as they are
                     next_.vports = published_vports(end_ports_.targets);
                     lost_tables = devices.update_tables(fabric, last, trusts_blocks(request_));
                   },
                   [&] { pending_settings_ = pending_link_settings(fabric, context_->options); }});
  devices.update_rejections(next_.fabric, now_);
  return lost_tables;
}

/// Marks the end ports whose clients must register again, by PortIndex; empty if there are none.
/// Leaves out ports that were asked at the takeover, or earlier and wait for their vports alone.
std::vector<bool> Pass::newcomers(const std::vector<mad::Guid>& unacknowledged) const {
  const Fabric& fabric = next_.fabric;
  std::vector<bool> result;
  for (const mad::Guid guid : unacknowledged) {
    const PortIndex port = fabric.port_of_guid.at(guid);
    const bool was_there = before_ && before_->fabric.port_of_guid.contains(guid);
    if (state_.succession.announced.contains(guid) ||
        (was_there && state_.awaits_vports(fabric.ports[port])))
      continue;
    if (result.empty()) result.resize(fabric.ports.size());
    result[port] = true;
  }
  return result;
}

void Pass::place_vports() {
  KeptLids kept =
      kept_lids(state_.kept, before_.get(), next_.fabric, end_ports_.lids, end_ports_.persisted);
  const KeptLids routed_too = placed(kept, next_.fabric, end_ports_.lids);
  make_room(end_ports_.lids, routed_too);
  state_.kept = std::move(kept);
  target_.lids = next_.lids = std::move(end_ports_.lids);
  next_.partitions = std::move(end_ports_.partitions.map);
  target_.p_keys = std::move(end_ports_.partitions.p_keys);
  const bool has_new_lids = next_.lids.port_of_lid != before_->lids.port_of_lid;
  if ((has_new_lids || state_.vport_lfts_behind) && state_.routing.lfts) {
    target_.lfts = virt::with_vport_lids(state_.routing.lfts, next_.fabric, physical_, next_.lids,
                                         kept_copies(routed_too, next_.fabric, physical_));
    next_.lfts = target_.lfts;
  }
  target_.current_lfts = next_.lfts;
  target_.vports = std::make_shared<const VPortTargets>(std::move(end_ports_.targets));
}

/// Requests ClientReregister for vports of ports that returned. Vports of the policy Up stay Active
/// while their port is away, so that their clients see no event.
void Pass::mark_hosts_of_vports() {
  if (target_.newcomers.empty()) return;
  for (const PortIndex port : next_.fabric.end_ports)
    if (target_.newcomers[port] && virt::can_have_vports(next_.fabric.ports[port]))
      state_.devices.vports[next_.fabric.ports[port].guid].reregister = true;
}

}  // namespace sm
