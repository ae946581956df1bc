#include "sm/manager/trap_intake.h"

#include <algorithm>
#include <limits>

#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"

namespace sm {
namespace {
constexpr std::uint32_t kAnyTrap = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kVendorTrap = 1u << 16;
}  // namespace

TrapKey TrapKey::of(mad::Guid source, const mad::Notice& notice) {
  const auto number = static_cast<std::uint32_t>(notice.trap_number());
  TrapKey key{.source = source, .number = notice.is_generic() ? number : number | kVendorTrap};
  if (const auto error = notice.as<mad::LinkErrorNotice>()) key.subject = error->port().value;
  return key;
}

unsigned TrapDamper::count(const TrapKey& key, mad::TimePoint now) {
  const auto [known, is_new] = index_.try_emplace(key);
  if (is_new) {
    entries_.push_front({.key = key});
    known->second = entries_.begin();
  } else {
    entries_.splice(entries_.begin(), entries_, known->second);
  }
  Entry& entry = entries_.front();
  if (now - entry.last >= kPause) entry.count = 0;
  entry.last = now;
  const unsigned repeats = ++entry.count;
  if (index_.size() > kRemembered) {
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return repeats;
}

TrapDamper::Verdict TrapDamper::admit(const TrapKey& key, mad::TimePoint now) {
  const unsigned repeats = count(key, now);
  const unsigned of_source = count({.source = key.source, .number = kAnyTrap}, now);
  const bool is_repeat = repeats > kHandledMax;
  if (repeats == kHandledMax + 1 || (!is_repeat && of_source == kHandledOfSource + 1))
    return {.action = Action::storm_begins, .repeats = repeats};
  const bool handled = !is_repeat && of_source <= kHandledOfSource;
  return {.action = handled ? Action::handle : Action::delay, .repeats = repeats};
}

std::optional<PortIndex> TrapIntake::find_port(mad::Lid lid) const {
  const auto subnet = sweeper_.subnet();
  if (!subnet) return std::nullopt;
  const PortIndex port = subnet->lids.owner(lid);
  return port == kNoIndex ? std::nullopt : std::optional(port);
}

/// Returns the LID that sent a trap, by the link header, where 0 stands for the own port; 0 if
/// unknown. The contents of a directed-route SMP or of the notice are not trusted.
mad::Lid TrapIntake::issuer_of(const mad::ReceivedMad& received, mad::ConstSmpView smp) const {
  if (smp.is_directed() || received.from.lid == mad::kPermissiveLid) return {};
  if (received.from.lid != mad::Lid{}) return received.from.lid;
  const auto subnet = sweeper_.subnet();
  return subnet ? subnet->lid_range(subnet->fabric.sm_port).base : mad::Lid{};
}

/// TrapRepress is checked as a Set is, so it has the M_Key of the port that sent the trap, and no
/// key for a port that is not in the subnet. Before the first sweep has ended no port is known:
/// with M_Keys in use, agents repeat their traps until then.
void TrapIntake::repress(const mad::ReceivedMad& received, std::optional<PortIndex> port) {
  const auto subnet = sweeper_.subnet();
  if (!subnet && sweeper_.m_keys().in_use()) return;
  mad::MadBytes bytes = received.bytes;
  mad::SmpView response{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  // A port with an unknown key refuses this, too, and reports it with another trap 256.
  if (!port && mad::Notice{response.data()}.as<mad::BadMKeyNotice>()) return;
  if (!mad::make_response(response)) return;
  response.set_m_key(port ? sweeper_.m_keys().key(subnet->fabric.m_key_port(*port)) : mad::MKey{});
  sends_.respond(received, bytes);
}

bool TrapIntake::receive(const mad::ReceivedMad& received, mad::ConstSmpView smp,
                         const TrapSituation& situation) {
  const mad::Notice notice{smp.data()};
  counts_.count(notice);
  const mad::Lid issuer = issuer_of(received, smp);
  repress(received, find_port(issuer));
  if (notice.as<mad::LinkStateNotice>()) sweeper_.note_link_change(issuer);
  return take(notice, issuer, situation);
}

TrapIntake::Trap TrapIntake::identify(const mad::Notice& notice, mad::Lid issuer) const {
  Trap trap{.notice = notice,
            .issuer = issuer,
            .subnet = sweeper_.subnet(),
            .port = std::nullopt,
            .effect = {},
            .verdict = {}};
  trap.port = find_port(issuer);
  trap.effect = effect_of(trap.subnet.get(), trap.port.value_or(kNoIndex), notice);
  return trap;
}

bool TrapIntake::take(const mad::Notice& notice, mad::Lid issuer, const TrapSituation& situation) {
  Trap trap = identify(notice, issuer);
  const mad::Guid source = trap.port ? trap.subnet->fabric.ports[*trap.port].guid : mad::Guid{};
  trap.verdict = damper_.admit(TrapKey::of(source, notice), runtime_.now());
  const Action action = decide(trap, situation);
  // A host may start and end vports for hours; each requires a few SMPs, which VPortPace limits.
  if (action != Action::refuse && !trap.is_handled() && !is_about_vports(notice)) note_storm(trap);
  bool is_new = false;
  if (situation.leads && action != Action::refuse && action != Action::ignore) {
    if (trap.is_handled()) administrator_.on_trap(notice, issuer);
    is_new = request_disabling(trap, situation);
  }
  is_new = carry_out(action, trap, situation) || is_new;
  if (is_new) scheduler_.note_arrival(runtime_.now());
  return is_new;
}

bool TrapIntake::release(const TrapSituation& situation) {
  bool is_new = false;
  for (const TrapQueue::Trap& kept : queue_.release()) {
    if (!situation.leads) continue;
    const Trap trap = identify(kept.notice, kept.issuer);
    if (!carry_out(decide(trap, situation), trap, situation)) continue;
    scheduler_.note_arrival(kept.arrival);
    is_new = true;
  }
  return is_new;
}

TrapIntake::Action TrapIntake::decide(const Trap& trap, const TrapSituation& situation) const {
  if (!trap.effect.refused_for.empty()) return Action::refuse;
  // The first sweep ends with this manager as master, and clears PortStateChange of all switches:
  // light sweeps would not find a link that changed during it.
  const bool is_kept_for_master = queue_.is_holding() && trap.notice.as<mad::LinkStateNotice>();
  if (!situation.leads && !is_kept_for_master) return Action::ignore;
  // TrapRepress has cancelled the lease period; nothing has changed.
  if (trap.notice.as<mad::BadMKeyNotice>() || is_key_violation(trap.notice))
    return Action::note_violation;
  if (!situation.options.sweep_on_trap) return Action::log;
  if (queue_.is_holding()) return Action::keep;
  if (trap.port && trap.effect.vports) return Action::vports;
  return trap.is_handled() ? Action::handle : Action::check;
}

bool TrapIntake::carry_out(Action action, const Trap& trap, const TrapSituation& situation) {
  switch (action) {
    case Action::ignore:
      return false;
    case Action::refuse:
      report_refusal(trap);
      // LIDs may have changed since then, so the state of the issuer is read.
      return trap.port && situation.leads && check_later(trap, situation);
    case Action::note_violation:
      if (!situation.leads || !trap.port) return false;
      if (trap.notice.as<mad::BadMKeyNotice>()) {
        note_violation(trap, situation);
        return false;
      }
      log(trap);
      return check_p_keys(trap, situation);
    case Action::log:
      log(trap);
      return false;
    case Action::keep:
      return keep(trap);
    case Action::vports:
      return request_vports(trap);
    case Action::handle:
      return handle(trap, situation);
    case Action::check:
      return check_later(trap, situation);
  }
  return false;
}

bool TrapIntake::keep(const Trap& trap) {
  if (queue_.keep(trap.notice, trap.issuer, runtime_.now())) return false;
  scheduler_.request_everything("more traps during a sweep than could be kept");
  return true;
}

bool TrapIntake::handle(const Trap& trap, const TrapSituation& situation) {
  log(trap);
  if (!trap.port) return request_unknown(trap);
  if (trap.effect.light_sweep) scheduler_.request_light_sweep(runtime_.now());
  const mad::Guid node = trap.node().guid;
  const bool is_link_state = trap.notice.as<mad::LinkStateNotice>().has_value();
  if (trap.effect.node && is_link_state && leave_to_light_sweep(trap, situation)) return false;
  const bool is_same_event =
      trap.verdict.repeats > 1 || runtime_.now() - situation.surveyed < kSameEvent;
  if (trap.effect.node && is_link_state && is_same_event) {
    // The sweep that ends now, or has just ended, may have seen the event. PortStateChange, which a
    // survey clears before it reads the ports, shows whether anything has changed since. A switch
    // that TrapRepress cannot reach repeats its trap forever: an engine without valleys has no
    // route to a switch beside the manager's leaf whose link to that leaf is lost.
    scheduler_.request_state(node);
  } else if (trap.effect.node) {
    scheduler_.request_node(
        node, fmt::format("trap {}", static_cast<unsigned>(trap.notice.trap_number())));
  }
  if (trap.effect.routers && situation.options.read_router_tables)
    scheduler_.request_routers(runtime_.now());
  if (trap.effect.description) scheduler_.request_description(node);
  if (trap.effect.manager) scheduler_.request_manager(trap.subnet->fabric.ports[*trap.port].guid);
  check_p_keys(trap, situation);
  return true;
}

bool TrapIntake::request_vports(const Trap& trap) {
  const mad::Guid port = trap.subnet->fabric.ports[*trap.port].guid;
  if (trap.effect.vport) sweeper_.note_vport_change(port, *trap.effect.vport);
  return scheduler_.request_vports_of_trap(port, runtime_.now(), !trap.is_handled());
}

/// Reads what a trap of a port outside of the subnet may be about.
bool TrapIntake::request_unknown(const Trap& trap) {
  const mad::TimePoint now = runtime_.now();
  if (trap.effect.survey && unknown_managers_.is_due(now)) {
    unknown_managers_.failed(now);
    scheduler_.request_everything("a subnet manager has a LID that no port of the subnet has");
  } else {
    scheduler_.request_light_sweep(now);
  }
  return true;
}

/// Requests one later read of a port that sends more traps than are handled.
bool TrapIntake::check_later(const Trap& trap, const TrapSituation& situation) {
  if (!trap.port) return request_unknown(trap);
  if (leave_to_light_sweep(trap, situation)) return false;
  if (trap.effect.routers) scheduler_.request_light_sweep(runtime_.now());  // reads tables, too
  const bool is_new = check_p_keys(trap, situation);
  return scheduler_.request_check(trap.node().guid, runtime_.now()) || is_new;
}

/// Requests that tables are read back which may be why a packet was dropped for its P_Key. A port
/// that sends more traps than are handled names no other ports.
bool TrapIntake::check_p_keys(const Trap& trap, const TrapSituation& situation) {
  if (!situation.options.sweep_on_trap) return false;
  bool is_new = false;
  for (const PKeyCheck& check : p_key_checks(*trap.subnet, *trap.port, trap.notice)) {
    is_new = scheduler_.request_p_key_check(check, runtime_.now()) || is_new;
    if (!trap.is_handled()) break;
  }
  return is_new;
}

/// An isolated host whose link flaps causes no sweep for each change: the next light sweep finds
/// it, and other changes at this switch, by PortStateChange.
bool TrapIntake::leave_to_light_sweep(const Trap& trap, const TrapSituation& situation) {
  return situation.options.sweep_interval != 0 &&
         sweeper_.links().leave_to_light_sweep(trap.node().guid);
}

/// Applies babbling_port_policy to traps 129 to 131, as OpenSM does.
bool TrapIntake::request_disabling(const Trap& trap, const TrapSituation& situation) {
  constexpr unsigned kDisabledAfter = 250;
  const auto error = trap.notice.as<mad::LinkErrorNotice>();
  if (!situation.options.babbling_port_policy || !trap.port || !error ||
      trap.verdict.repeats % kDisabledAfter != 0)
    return false;
  scheduler_.request_disabling(trap.node().guid, error->port());
  return true;
}

// ------------------------------------------------------------------------------------------
// what the operator reads

std::string TrapIntake::port_name(const Trap& trap) {
  return trap.port ? trap.subnet->fabric.port_name(*trap.port) : std::string("an unknown port");
}

void TrapIntake::report_refusal(const Trap& trap) {
  conditions_.occurred(
      {.id = kManagerConditions.trap_refused,
       .text = fmt::format("trap {} of {} refused: {}",
                           static_cast<unsigned>(trap.notice.trap_number()), port_name(trap),
                           trap.effect.refused_for),
       .guid = trap.port ? trap.subnet->fabric.ports[*trap.port].guid : mad::Guid{}});
}

/// A trap was not handled, because its port repeats it too often.
void TrapIntake::note_storm(const Trap& trap) {
  const mad::Guid source = trap.port ? trap.subnet->fabric.ports[*trap.port].guid : mad::Guid{};
  const auto [storm, begins] = storms_.try_emplace(source);
  storm->second.last = runtime_.now();
  if (!begins) return;
  storm->second.condition = {
      .id = kManagerConditions.trap_storm,
      .text = fmt::format(
          "trap storm: {} repeats trap {}; its state is read once a second until it pauses for "
          "{} s",
          port_name(trap), static_cast<unsigned>(trap.notice.trap_number()),
          std::chrono::duration_cast<std::chrono::seconds>(TrapDamper::kPause).count()),
      .guid = trap.port ? trap.node().guid : mad::Guid{}};
  report_storms();
}

/// Ends the storms of ports that have paused. TrapDamper then handles their traps again.
void TrapIntake::end_storms() {
  const mad::TimePoint now = runtime_.now();
  std::erase_if(storms_,
                [now](const auto& storm) { return now >= storm.second.last + TrapDamper::kPause; });
  report_storms();
}

void TrapIntake::report_storms() {
  std::vector<Condition> active;
  mad::TimePoint next = mad::TimePoint::max();
  for (const auto& [source, storm] : storms_) {
    active.push_back(storm.condition);
    next = std::min(next, storm.last + TrapDamper::kPause);
  }
  conditions_.set_active(ConditionSource::trap_storms, std::move(active));
  if (!storms_.empty()) storm_timer_->arm(next);
}

/// True if the packet was a request of this manager, which did not know the key. Others do not know
/// the keys that it tries. A directed route that the subnet does not show leads over a link that
/// has changed, if a sweep has just read the fabric.
bool TrapIntake::is_own(const Trap& trap, const mad::BadMKeyNotice& violation,
                        std::optional<PortIndex> source, const TrapSituation& situation) const {
  const Fabric& fabric = trap.subnet->fabric;
  if (source == fabric.sm_port) return true;
  if (!violation.dr_notice()) return false;
  const mad::MKeyCandidates keys = sweeper_.m_keys().m_keys(fabric.m_key_port(*trap.port));
  if (violation.m_key() != mad::MKey{} &&
      std::ranges::find(keys.keys(), violation.m_key()) != keys.keys().end())
    return true;
  return !source && violation.dr_slid() == mad::kPermissiveLid &&
         violation.dr_hop_count() <= mad::BadMKeyNotice::kReturnPathBytes &&
         runtime_.now() - situation.surveyed < kSameEvent;
}

/// The port has another key than this manager knows, or it refused a request of a third party.
/// Requests of this manager while it searched for the key of that port are not violations. A
/// directed route is traced in the published fabric, which may be another one while a sweep runs.
void TrapIntake::note_violation(const Trap& trap, const TrapSituation& situation) {
  const mad::BadMKeyNotice violation = *trap.notice.as<mad::BadMKeyNotice>();
  const Fabric& fabric = trap.subnet->fabric;
  const std::optional<PortIndex> source = source_of(*trap.subnet, *trap.port, violation);
  const std::string_view attribute = mad::name(violation.attribute_id());
  const std::string request = fmt::format(
      "Subn{}({})", mad::name(violation.method()),
      attribute.empty() ? fmt::format("{:#06x}", static_cast<unsigned>(violation.attribute_id()))
                        : std::string(attribute));
  if (is_own(trap, violation, source, situation)) {
    sweeper_.m_keys().note_refusal(fabric.m_key_port(*trap.port));
    if (trap.is_handled())
      log_line(trap, fmt::format("trap 256: {} received {} of this manager with another M_Key "
                                 "than its own, and refused it",
                                 fabric.port_name(*trap.port), request));
    return;
  }
  if (!trap.is_handled()) return;
  if (violation.dr_notice() && queue_.is_holding()) {
    queue_.keep(trap.notice, trap.issuer, runtime_.now());
    return;
  }
  conditions_.occurred(
      {.id = kManagerConditions.m_key_violation,
       .text = fmt::format(
           "wrong M_Key: {} received {} from {}", fabric.port_name(*trap.port), request,
           source                  ? fabric.port_name(*source)
           : violation.dr_notice() ? std::string("a port that its directed route does not show")
                                   : fmt::format("LID {}", violation.lid())),
       .guid = fabric.ports[*trap.port].guid});
}

/// A trap with a text is a condition, which bounds its lines. Other traps are lines as OpenSM's,
/// for verbose logs only: the line about what a sweep finds must not follow twenty lines about
/// traps.
void TrapIntake::log(const Trap& trap) {
  if (trap.port) {
    constexpr unsigned kLines = 3;  // of one port in ten seconds
    if (auto condition = trap_condition(*trap.subnet, *trap.port, trap.notice)) {
      if (trap.is_handled()) conditions_.occurred(*condition, kLines);
      return;
    }
  }
  log_line(trap, fmt::format("Received Generic Notice type:{} num:{} Producer:{} from LID:{} ({})",
                             static_cast<unsigned>(trap.notice.type()),
                             static_cast<unsigned>(trap.notice.trap_number()),
                             static_cast<unsigned>(trap.notice.producer_type()), trap.issuer,
                             trap.port ? port_name(trap) : std::string("an unknown node")));
}

/// Logs a line about a trap, and says how many were left out before it.
void TrapIntake::log_line(const Trap& trap, const std::string& line) {
  const std::optional<unsigned> left_out = lines_.admit(runtime_.now());
  if (!left_out) return;
  if (*left_out > 0)
    log_with(log_, spdlog::level::debug, fmt::format("{} more traps arrived", *left_out),
             {.kind = LogLineKind::detail});
  LogFields fields{.lid = trap.issuer, .kind = LogLineKind::detail};
  if (trap.port) fields.guid = trap.subnet->fabric.ports[*trap.port].guid;
  log_with(log_, spdlog::level::debug, line, fields);
}

}  // namespace sm
