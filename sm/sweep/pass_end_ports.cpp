// Pass: LIDs, P_Keys and vports.

#include <algorithm>
#include <set>

#include "fabric/at_once.h"
#include "fabric/plausible.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/sweep/apply/port_stages.h"
#include "sm/sweep/apply/unicast_stages.h"
#include "sm/sweep/apply/vport_stages.h"
#include "sm/sweep/decide/key_isolation.h"
#include "sm/sweep/decide/link_rates.h"
#include "sm/sweep/decide/named_guids.h"
#include "sm/sweep/devices/device_events.h"
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

/// Reports what is lost, what has returned elsewhere, and what was replaced.
void report_losses(ConditionLog& log, LinkSupervision& links, std::vector<Condition> replaced) {
  std::vector<Condition> active = links.losses();
  std::ranges::move(replaced, std::back_inserter(active));
  log.set_active(ConditionSource::losses, std::move(active));
  for (const Condition& moved : links.take_moves()) log.occurred(moved);
}

/// Adds alias GUIDs with LIDs to the target, also blocks that ports did not acknowledge before.
asio::awaitable<void> update_router_aliases(const PassParts& parts, const SweepContext& context,
                                            Draft& draft) {
  const SweepEnvironment& environment = parts.environment;
  DeviceState& devices = parts.state.devices;
  RouterAliases& aliases = devices.router_aliases;
  std::vector<GuidInfoBlock>& blocks = draft.target.alias_guids;
  const auto& ports = draft.next.fabric.port_of_guid;
  std::erase_if(aliases.due, [&](const GuidBlock& block) { return !ports.contains(block.first); });
  RouterAliasChange change{.due = aliases.due, .without_entry = {}, .blocks = {}};
  if (context.options.rtr_aguid_enable == kSetRouterAliases)
    for (const GuidInfoBlock& lost : blocks) change.due.emplace(lost.port_guid, lost.block);
  std::optional<std::size_t> next = 0;
  while (next) {
    next = parts.administration.update_router_aliases(draft.next, context, *next, change);
    const mad::Duration no_time{};
    if (next && environment.can_pause()) co_await environment.pause(no_time);
  }
  std::erase_if(blocks, [&](const GuidInfoBlock& older) {
    return change.due.contains({older.port_guid, older.block});
  });
  std::ranges::move(change.blocks, std::back_inserter(blocks));
  for (const auto& [guid, block] : aliases.due)  // the option may have changed
    if (!change.due.contains({guid, block}))
      devices.refusals.forget(
          subject_of(draft.next.fabric, ports.at(guid), mad::AttributeId::guid_info, block));
  aliases = {.due = std::move(change.due), .without_entry = std::move(change.without_entry)};
}

/// Updates what is known of devices to the surveyed fabric. Returns conditions for switches whose
/// tables are not those that were written.
std::vector<Condition> update_devices(DeviceState& devices, const config::Options& options,
                                      const Fabric* last, bool trusts, VPortTargets& vports,
                                      Draft& draft) {
  const Fabric& fabric = draft.next.fabric;
  std::vector<Condition> lost_tables;
  at_once(fabric, {[&] { draft.next.index(); },
                   [&] {
                     draft.target.vports = std::make_shared<const VPortTargets>(vports);
                     hold_inactive(vports, fabric, devices);  // others stay as they are
                     draft.next.vports = published_vports(vports);
                     lost_tables = update_tables(devices, fabric, last, trusts);
                   },
                   [&] { draft.pending_settings = pending_link_settings(fabric, options); }});
  return lost_tables;
}

/// Marks the end ports whose clients must register again, by PortIndex; empty if there are none.
/// Leaves out ports that were asked at the takeover, or earlier and wait for their vports alone.
std::vector<bool> newcomers(const State& state, const Fabric* before, const Fabric& fabric,
                            const std::vector<mad::Guid>& unacknowledged) {
  std::vector<bool> result;
  for (const mad::Guid guid : unacknowledged) {
    const PortIndex port = fabric.port_of_guid.at(guid);
    const bool was_there = before != nullptr && before->port_of_guid.contains(guid);
    if (state.succession.announced.contains(guid) ||
        (was_there && state.awaits_vports(fabric.ports[port])))
      continue;
    if (result.empty()) result.resize(fabric.ports.size());
    result[port] = true;
  }
  return result;
}

void place_vports(State& state, const Subnet& before, EndPorts& end_ports, Draft& draft) {
  Subnet& next = draft.next;
  Target& target = draft.target;
  VPortDecision& decision = end_ports.decision;
  KeptLids kept = kept_lids(state.kept, &before, next.fabric, decision.lids, decision.persisted);
  const KeptLids routed_too = placed(kept, next.fabric, decision.lids);
  make_room(decision.lids, routed_too);
  state.kept = std::move(kept);
  target.lids = next.lids = std::move(decision.lids);
  next.partitions = std::move(decision.partitions.map);
  target.p_keys = std::move(decision.partitions.p_keys);
  const bool has_new_lids = next.lids.port_of_lid != before.lids.port_of_lid;
  if ((has_new_lids || state.vport_lfts_behind) && state.routing.lfts) {
    target.lfts =
        virt::with_vport_lids(state.routing.lfts, next.fabric, end_ports.physical, next.lids,
                              kept_copies(routed_too, next.fabric, end_ports.physical));
    next.lfts = target.lfts;
  }
  target.current_lfts = next.lfts;
  target.vports = std::make_shared<const VPortTargets>(std::move(decision.targets));
}

}  // namespace

/// Decides LIDs, P_Keys and vports. Returns nullopt if nothing is left to do.
asio::awaitable<std::optional<EndPorts>> Pass::decide_end_ports(Draft& draft) {
  EndPorts end_ports;
  if (request_.members) {
    const bool goes_on = co_await decide_changed_members(end_ports, draft);
    if (!goes_on) co_return std::nullopt;
    co_return std::move(end_ports);
  }
  const std::vector<mad::Guid> m_key_ports =
      stored_m_key_ports(state_.m_keys);  // a reload may replace them
  if (survey_) {
    load_stored(*context_, state_, environment_.log);
    state_.devices.waiting_p_keys = std::move(survey_->waiting_p_keys);
    const std::function<void()> assign = [&] { end_ports = assign_survey(m_key_ports); };
    co_await compute(assign);
    if (co_await read_p_keys_to_their_ends(end_ports.decision.partitions.p_keys))
      co_await compute(assign);
  } else if (request_.p_keys || request_.vports) {
    const mad::TimePoint now = environment_.client.now();
    const std::function<void()> assign = [&] {
      end_ports = assign_published(draft, m_key_ports, now);
    };
    co_await compute(assign);
    if (co_await observe_contested(end_ports.decision.contested)) co_await compute(assign);
  } else {
    co_return std::move(end_ports);
  }
  report_end_ports(end_ports);
  co_return std::move(end_ports);
}

void load_stored(const SweepContext& context, State& state, spdlog::logger& log) {
  state.stored.load(context.options, state.devices.refusals, log);
  load_key_origins(context, state, log);
  if (state.succession.lids)
    state.stored.adopt(*std::exchange(state.succession.lids, std::nullopt));
  if (state.succession.group_ids)
    state.stored.adopt(*std::exchange(state.succession.group_ids, std::nullopt));
}

LidAssignment decide_lids(const SweepContext& context, const State& state, const Fabric& fabric) {
  return assign_lids(fabric, lid_options(context.options, state.succession.leaving_standby),
                     state.stored.guid2lid(), state.succession.is_first);
}

EndPorts Pass::assign_survey(const std::vector<mad::Guid>& m_key_ports) const {
  const Fabric& fabric = survey_->fabric;
  EndPorts made;
  made.kept = decide_kept(fabric);
  made.kept_conditions = partitions::kept_key_conditions(*made.kept, fabric);
  const partitions::KeptKeys& kept = made.kept->kept;
  std::optional<PartitionDecision> partitions;
  std::vector<Condition> implausible, misplaced, slow;
  const bool without_vports = !has_vports(state_.devices.vports);
  at_once(fabric, {[&] { made.lids = decide_lids(*context_, state_, fabric); },
                   [&] {
                     if (without_vports) partitions = decide_partitions(*context_, fabric, &kept);
                   },
                   [&] {
                     if (before_)
                       made.arrived = arrivals(before_->fabric, fabric, survey_->touched);
                     implausible = implausible_values(fabric);
                     slow = slow_links(fabric);
                     misplaced = misplaced_guids(*context_, fabric, m_key_ports);
                     made.member_guids = misplaced_members(context_->runtime, fabric);
                     made.replaced = parts_.links.replaced(*context_);
                   }});
  made.decision =
      decide_vports(fabric, made.lids.lids, made.lids.persisted, kept, std::move(partitions));
  made.decision.partitions.p_keys.held_back = made.kept->unread_fronts;
  made.physical = made.lids.lids;
  std::vector<Condition> found = fabric.conditions;
  for (const std::vector<Condition>& more : {made.lids.conditions, implausible})
    found.insert(found.end(), more.begin(), more.end());
  made.findings.emplace_back(ConditionSource::discovery, std::move(found));
  made.findings.emplace_back(ConditionSource::link_rates, std::move(slow));
  // While nodes do not answer the first survey, their GUIDs may be those that are missing.
  if (before_ || survey_->unread.empty())
    add_absent_guids(misplaced, fabric, made.decision.targets);
  made.findings.emplace_back(ConditionSource::named_guids, std::move(misplaced));
  return made;
}

/// Adds GUIDs of the configuration that nothing has.
void Pass::add_absent_guids(std::vector<Condition>& conditions, const Fabric& fabric,
                            const VPortTargets& vports) const {
  if (absent_guids(*context_, fabric, {}).empty()) return;
  const std::set<mad::Guid> elsewhere =
      known_elsewhere(fabric, before_ ? &before_->fabric : nullptr, state_, parts_.links, vports);
  std::ranges::move(absent_guids(*context_, fabric, elsewhere), std::back_inserter(conditions));
}

EndPorts Pass::assign_published(Draft& draft, const std::vector<mad::Guid>& m_key_ports,
                                mad::TimePoint now) const {
  EndPorts made;
  draft.begin_with(*before_);
  Subnet& next = draft.next;
  draft.target.lids = next.lids;
  made.physical = virt::physical_only(next.lids, next.fabric);
  if (request_.p_keys) {
    update_rejections(state_.devices, next.fabric, now);
    // The vports failed with other keys than the new ones.
    for (auto& [guid, port] : state_.devices.vports) port.forget_failures();
    made.member_guids = misplaced_members(context_->runtime, next.fabric);
    made.replaced = parts_.links.replaced(*context_);
  }
  made.kept = decide_kept(next.fabric);
  made.kept_conditions = partitions::kept_key_conditions(*made.kept, next.fabric);
  made.decision =
      decide_vports(next.fabric, made.physical, state_.stored.guid2lid(), made.kept->kept);
  made.decision.partitions.p_keys.held_back = made.kept->unread_fronts;
  if (!request_.p_keys) return made;
  std::vector<Condition> named = misplaced_guids(*context_, next.fabric, m_key_ports);
  add_absent_guids(named, next.fabric, made.decision.targets);
  made.findings.emplace_back(ConditionSource::named_guids, std::move(named));
  return made;
}

VPortDecision Pass::decide_vports(const Fabric& fabric, const LidMap& physical,
                                  const Guid2Lid& persisted, const partitions::KeptKeys& kept,
                                  std::optional<PartitionDecision> without_vports) const {
  const auto was_served = [this](mad::Guid guid, mad::Guid port, std::uint16_t index) {
    if (!before_ || !before_->vports) return false;
    const VPortIndex found = before_->vports->find(guid);
    if (found == kNoIndex) return false;
    const VPort& vport = before_->vports->vports[found];
    return vport.index == index && before_->fabric.ports[vport.port].guid == port;
  };
  return sm::decide_vports(*context_, fabric, physical, persisted, state_.devices.vports,
                           was_served, std::move(without_vports), &kept);
}

/// Reads P_Key tables to their ends where this cannot wait. Keys that a table holds keep their
/// indices, so that the caller decides again. Returns true if it read something.
asio::awaitable<bool> Pass::read_p_keys_to_their_ends(const partitions::PKeyTargets& p_keys) {
  DeviceState& devices = state_.devices;
  if (devices.waiting_p_keys.empty()) co_return false;
  Fabric& fabric = survey_->fabric;
  std::unique_ptr<Stage> reads;
  const std::function<void()> choose = [&] {
    reads = p_key_reads(fabric, devices, [&](PortIndex port) {
      return !may_wait_for_p_keys(fabric, devices, p_keys, port);
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
asio::awaitable<bool> Pass::observe_contested(const std::vector<mad::Guid>& contested) {
  if (!request_.vports || contested.empty()) co_return false;
  std::vector<PortIndex> places;
  for (const mad::Guid guid : contested) {
    state_.devices.vports[guid].states_read = false;
    const PortIndex place = before_->fabric.port_of_guid.at(guid);
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  co_await parts_.vports.observe(*context_, before_->fabric, std::move(places),
                                 VPortAccess::manage);
  co_return true;
}

void Pass::report_end_ports(EndPorts& end_ports) {
  const std::vector<Condition>& of_p_keys = end_ports.decision.partitions.p_keys.conditions;
  if (applies()) {
    spdlog::logger& log = environment_.log;
    if (before_ && (survey_ || request_.p_keys))
      report_losses(environment_.conditions, parts_.links, std::move(end_ports.replaced));
    if (survey_ && before_) log_arrivals(log, end_ports.arrived);
    if (survey_)
      log_detail(log, "fabric has {} nodes, {} of them switches, {} end ports",
                 survey_->fabric.nodes.size(), survey_->fabric.switches.size(),
                 survey_->fabric.end_ports.size());
    for (const auto* messages : {&end_ports.lids.messages, &end_ports.decision.messages})
      for (const std::string& message : *messages) log.info("{}", message);
    state_.p_key_conditions = of_p_keys;
    if (!request_.vports) state_.member_guids = end_ports.member_guids;
  }
  std::ranges::move(end_ports.findings, std::back_inserter(findings_));
  add_finding(ConditionSource::partitions, of_p_keys);
  if (end_ports.kept)
    add_finding(ConditionSource::kept_p_keys, std::move(end_ports.kept_conditions));
  if (!request_.vports)
    add_finding(ConditionSource::named_members, std::move(end_ports.member_guids));
}

// ------------------------------------------------------------------------------------------
// memberships in partitions of the API

/// Returns false if the pass ends here. Leaves EndPorts::members empty if the fabric
/// does not have these members.
asio::awaitable<bool> Pass::decide_changed_members(EndPorts& end_ports, Draft& draft) {
  const std::vector<mad::Guid>& guids = request_.members->guids;
  MemberDecision made;
  std::vector<Condition> misplaced;
  const std::function<void()> decide = [&] {
    made = decide_members(*context_, *before_, state_.devices, guids, &state_.p_keys.known.kept);
    misplaced = misplaced_members(context_->runtime, before_->fabric, &guids);
  };
  co_await compute(decide);
  update_misplaced_members(std::move(misplaced));
  result_.members_decided = made.is_for_all ? guids.size() : made.decided;
  result_.end = SweepEnd::subnet_up;
  if (made.is_for_all) {
    result_.follow_up = request_;
    result_.follow_up->members.reset();
    result_.follow_up->p_keys = true;
    co_return false;
  }
  if (made.is_empty)
    co_return request_.vl_tables || request_.m_keys || request_.groups || request_.routers;
  std::vector<Condition>& active = state_.p_key_conditions;
  std::erase_if(active, [&](const Condition& condition) {
    return std::ranges::find(made.ports, condition.guid) != made.ports.end();
  });
  std::ranges::copy(made.target.p_keys.conditions, std::back_inserter(active));
  add_finding(ConditionSource::partitions, active);
  draft.next = std::move(made.next);
  draft.has_next = true;
  draft.target = std::move(made.target);
  end_ports.members = std::move(made);
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

/// Stores the LID map and M_Keys before anything depends on them. Returns true if expected M_Keys
/// are stored, so that their Sets may be sent.
asio::awaitable<bool> Pass::store(const EndPorts& end_ports) {
  bool m_keys_stored = false;
  if (!applies()) co_return m_keys_stored;
  if (survey_) {
    // The survey did not do this if this manager was not MASTER then.
    if (!state_.cleared_changes) co_await claim_switches(environment_.client, *survey_);
    result_.unread = survey_->unread;
    result_.read = survey_->read_again;
    state_.claimed = survey_->claimed;
  }
  if (survey_ || request_.m_keys) {
    m_keys_stored =
        co_await save_m_keys(state_.m_keys.expected(survey_ ? survey_->fabric : before_->fabric));
    // The pass does not begin a change of keys that is not in a file: the ports keep their keys.
    if (!m_keys_stored && request_.m_keys) state_.m_keys.give_up_version();
  }
  if (survey_ || request_.vports) co_await save_lids(end_ports.decision.persisted);
  if (end_ports.kept) co_await save_kept(*end_ports.kept);
  co_return m_keys_stored;
}

asio::awaitable<void> Pass::save_lids(const Guid2Lid& persisted) {
  const bool always = survey_ && state_.succession.is_first;
  StoredState::SavedLids saved;
  const std::function<void()> save = [&] {
    saved = state_.stored.save_lids(context_->options, persisted, always);
  };
  co_await compute(save);
  environment_.conditions.set_active(ConditionSource::lid_store,
                                     state_.stored.keep(std::move(saved)));
}

/// Stores the keys that ports have confirmed. Without any, a failure before stays one.
asio::awaitable<void> Pass::save_confirmed_m_keys(bool m_keys_stored) {
  MKeys::Files files = state_.m_keys.acknowledged();
  if (m_keys_stored || !files.empty()) co_await save_m_keys(std::move(files));
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
          {.id = kManagerConditions.store_failed,
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
asio::awaitable<void> Pass::prepare(EndPorts& end_ports, Draft& draft) {
  if (survey_) {
    co_await prepare_survey(end_ports, draft);
  } else if (request_.vports) {
    const std::function<void()> place = [&] { place_vports(state_, *before_, end_ports, draft); };
    co_await compute(place);
    parts_.administration.prepare(draft.next, *context_);
    co_await parts_.vports.try_p_keys(draft.next.fabric, *draft.target.vports);
  } else if (request_.p_keys) {
    draft.target.p_keys = std::move(end_ports.decision.partitions.p_keys);
    draft.next.partitions = std::move(end_ports.decision.partitions.map);
    parts_.administration.prepare(draft.next, *context_);
  } else if (end_ports.members && end_ports.members->partitions_differ) {
    parts_.administration.prepare(draft.next, *context_);
  }
}

asio::awaitable<void> Pass::prepare_survey(EndPorts& end_ports, Draft& draft) {
  Target& target = draft.target;
  VPortDecision& decision = end_ports.decision;
  target.lids = std::move(decision.lids);
  target.m_keys = state_.m_keys.policy();
  target.partition_map = std::move(decision.partitions.map);
  target.p_keys = std::move(decision.partitions.p_keys);
  draft.next = {.fabric = std::move(survey_->fabric),
                .lids = target.lids,
                .partitions = target.partition_map,
                .sms = std::move(survey_->sms)};
  std::vector<Condition> lost_tables;
  const mad::TimePoint now = environment_.client.now();
  const Fabric* const last = before_ ? &before_->fabric : nullptr;
  const bool trusts = trusts_blocks(request_);
  const std::function<void()> update = [&] {
    lost_tables =
        update_devices(state_.devices, context_->options, last, trusts, decision.targets, draft);
    update_rejections(state_.devices, draft.next.fabric, now);
  };
  co_await compute(update);
  if (applies())
    for (const Condition& condition : lost_tables) environment_.conditions.occurred(condition);
  Registered registered = parts_.administration.prepare(draft.next, *context_);
  draft.reregistration = registered.reregistration;
  target.reregister_clients =
      registered.reregistration != 0 &&
      std::exchange(state_.succession.clients_led, 0) != registered.reregistration;
  target.known_manager = registered.known_manager;
  target.newcomers = newcomers(state_, last, draft.next.fabric, registered.unacknowledged);
  if (applies()) state_.succession.announced.clear();
  target.alias_guids = std::move(registered.alias_guids);
  co_await update_router_aliases(parts_, *context_, draft);
}

}  // namespace sm
