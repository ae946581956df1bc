// Manager: MADs that no request of its own brought: traps, Get of SMInfo (Set: set_sm_info.cpp),
// and the responses that go to other parts.

#include "mad/format.h"
#include "sm/manager/manager.h"
#include "sm/manager/trap_policy.h"

namespace sm {

namespace {

/// Traps of one event arrive within this time, also where the first one is lost: an agent repeats
/// it after its SubnetTimeOut, 1.07 s by default.
constexpr mad::Duration kSameEvent = std::chrono::seconds(3);

}  // namespace

void Manager::on_mads(std::span<const mad::ReceivedMad> mads) {
  for (const mad::ReceivedMad& received : mads) {
    const mad::ConstMadView header{
        std::span<const std::uint8_t, mad::kMadSizeBytes>(received.bytes)};
    if (received.send_errno == 0 && received.size < mad::kMadSizeBytes)
      continue;  // every MAD of these classes has 256 bytes
    if (header.mgmt_class() == mad::MgmtClass::sa) {
      administrator_.on_mad(received);
    } else if (header.mgmt_class() == mad::MgmtClass::performance) {
      performance_.on_mad(received);
    } else if (received.send_errno != 0 || header.method() == mad::Method::get_resp) {
      if (!takes_lid_read(received) && !picture_.on_mad(received)) client_.on_mad(received);
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
      smp.class_version() == mad::kSmpClassVersion)
    return on_trap(received, smp);
  const bool request = smp.method() == mad::Method::get || smp.method() == mad::Method::set;
  if (!request || smp.attribute_id() != mad::AttributeId::sm_info) return;
  // What a modifier means in another version is not known: no state changes because of it.
  if (smp.class_version() != mad::kSmpClassVersion)
    return answer_sm_info(received, smp, mad::status::kBadVersion);
  if (smp.method() == mad::Method::get) return answer_sm_info(received, smp);
  on_control(received, smp);
}

void Manager::respond(const mad::ReceivedMad& received, const mad::MadBytes& bytes) {
  ++act_count_;
  transport_.send(bytes, received.from, 0);
}

/// SM_Key is shown to a requester that shows it, or the M_Key of this subnet (IBTA Vol 1,
/// 14.2.5.13). Without M_Keys that is every requester: OpenSM treats a manager as absent, and
/// becomes MASTER beside it, if the answer to its Get, which shows nothing, carries another SM_Key
/// or 0.
void Manager::answer_sm_info(const mad::ReceivedMad& received, mad::ConstSmpView smp,
                             std::uint16_t status) {
  mad::MadBytes bytes = received.bytes;
  mad::SmpView response{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  if (!mad::make_response(response, status)) return;
  mad::SmInfo info = own_sm_info();
  const bool authenticated = mad::SmInfo(smp.data()).sm_key() == info.sm_key() ||
                             sweeper_.m_keys().proves(self_.guid, smp.m_key());
  if (!authenticated) info.set_sm_key(0);
  response.set_data(info.bytes());
  respond(received, bytes);
}

std::optional<PortIndex> Manager::port_of(mad::Lid lid) const {
  const auto subnet = sweeper_.subnet();
  if (!subnet) return std::nullopt;
  const PortIndex port = subnet->lids.owner(lid);
  return port == kNoIndex ? std::nullopt : std::optional(port);
}

/// The LID that sent a trap, by the link header: 0 stands for the own port there. Nothing that a
/// directed-route SMP or the notice claims counts; 0: unknown.
mad::Lid Manager::issuer_of(const mad::ReceivedMad& received, mad::ConstSmpView smp) const {
  if (smp.is_directed() || received.from.lid == mad::kPermissiveLid) return {};
  if (received.from.lid != mad::Lid{}) return received.from.lid;
  const auto subnet = sweeper_.subnet();
  return subnet ? subnet->lids_of(subnet->fabric.sm_port).base : mad::Lid{};
}

/// TrapRepress is checked as a Set is, so it carries the M_Key of the port that sent the trap, and
/// no key for a port that is not in the subnet. Before the first sweep has ended no port is known:
/// with M_Keys in use, agents repeat their traps until then.
void Manager::repress(const mad::ReceivedMad& received, std::optional<PortIndex> port) {
  const auto subnet = sweeper_.subnet();
  if (!subnet && sweeper_.m_keys().in_use()) return;
  mad::MadBytes bytes = received.bytes;
  mad::SmpView response{std::span<std::uint8_t, mad::kMadSizeBytes>(bytes)};
  // A port whose key is not known refuses this, too, and reports it with another trap 256.
  if (!port && mad::Notice{response.data()}.as<mad::BadMKeyNotice>()) return;
  if (!mad::make_response(response)) return;
  response.set_m_key(port ? sweeper_.m_keys().key(subnet->fabric.m_key_port(*port)) : mad::MKey{});
  respond(received, bytes);
}

void Manager::on_trap(const mad::ReceivedMad& received, mad::ConstSmpView smp) {
  const mad::Notice notice{smp.data()};
  statistics_.traps.count(notice);
  const mad::Lid issuer = issuer_of(received, smp);
  const auto port = port_of(issuer);
  const auto subnet = sweeper_.subnet();
  repress(received, port);
  if (notice.as<mad::LinkStateNotice>()) sweeper_.note_link_change(issuer);

  const TrapEffect effect = effect_of(subnet.get(), port.value_or(kNoIndex), notice);
  const mad::Guid source = port ? subnet->fabric.ports[*port].guid : mad::Guid{};
  const auto [action, repeats] = damper_.admit(TrapKey::of(source, notice), runtime_.now());
  if (!effect.refused_for.empty()) return refuse_trap(notice, port, effect.refused_for);
  // A host may start and end vports for hours; each is a few SMPs, and they are paced (VPortPace).
  if (action == TrapDamper::Action::storm_begins && !is_about_vports(notice))
    report_storm(notice, port);

  const bool leads = state_ == mad::SmState::master;
  const bool handled = action == TrapDamper::Action::handle;
  // The first sweep ends with this manager as master, and clears PortStateChange of all switches: a
  // link that came or went meanwhile would not be found by light sweeps.
  if (!leads && !(traps_.is_holding() && notice.as<mad::LinkStateNotice>())) return;
  if (leads && handled) administrator_.on_trap(notice, issuer);
  if (leads) note_babbling(notice, port, repeats);
  if (const auto violation = notice.as<mad::BadMKeyNotice>()) {
    if (leads && port) note_own_violation(*violation, *port);
    if (leads && handled && port) note_m_key_violation(*violation, *port);
    return;  // TrapRepress has stopped the lease; nothing has changed
  }
  if (!context_->options.sweep_on_trap) return log_trap(notice, issuer);
  if (traps_.is_holding()) {
    if (!traps_.keep(notice, issuer))
      request_everything("more traps during a sweep than could be kept");
  } else if (handled) {
    handle(notice, issuer, repeats > 1);
  } else if (port && is_about_vports(notice)) {
    program_vports_of(source, effect, true);
  } else {
    check_later(port);
  }
}

/// No effect, except that the state of its issuer is read: LIDs may have changed meanwhile.
void Manager::refuse_trap(const mad::Notice& notice, std::optional<PortIndex> port,
                          std::string_view why) {
  const auto subnet = sweeper_.subnet();
  conditions_.occurred(
      {.id = ConditionId::trap_refused,
       .text = fmt::format("trap {} of {} refused: {}", static_cast<unsigned>(notice.trap_number()),
                           port ? subnet->fabric.port_name(*port) : "an unknown port", why),
       .guid = port ? subnet->fabric.ports[*port].guid : mad::Guid{}});
  if (port && state_ == mad::SmState::master) check_later(port);
}

void Manager::report_storm(const mad::Notice& notice, std::optional<PortIndex> port) {
  const auto subnet = sweeper_.subnet();
  conditions_.occurred(
      {.id = ConditionId::trap_storm,
       .text = fmt::format(
           "trap storm: {} repeats trap {}; its state is read once a second until it pauses for "
           "{} s",
           port ? subnet->fabric.port_name(*port) : "an unknown port",
           static_cast<unsigned>(notice.trap_number()),
           std::chrono::duration_cast<std::chrono::seconds>(TrapDamper::kPause).count()),
       .guid = port ? subnet->fabric.node_of(*port).guid : mad::Guid{}});
}

/// The port is there, and has another key than this manager believes.
void Manager::note_own_violation(const mad::BadMKeyNotice& violation, PortIndex port) {
  const auto subnet = sweeper_.subnet();
  if (source_of(*subnet, port, violation) == subnet->fabric.sm_port)
    sweeper_.m_keys().note_refusal(subnet->fabric.m_key_port(port));
}

/// Not what this manager sent itself, while it looked for the key of that port.
void Manager::note_m_key_violation(const mad::BadMKeyNotice& violation, PortIndex port) {
  const auto subnet = sweeper_.subnet();
  const Fabric& fabric = subnet->fabric;
  const std::optional<PortIndex> source = source_of(*subnet, port, violation);
  if (source == fabric.sm_port) return;
  const std::string_view attribute = mad::name(violation.attribute_id());
  conditions_.occurred(
      {.id = ConditionId::m_key_violation,
       .text = fmt::format(
           "wrong M_Key: {} received Subn{}({}) from {}", fabric.port_name(port),
           mad::name(violation.method()),
           attribute.empty()
               ? fmt::format("{:#06x}", static_cast<unsigned>(violation.attribute_id()))
               : std::string(attribute),
           source                  ? fabric.port_name(*source)
           : violation.dr_notice() ? std::string("a port that its directed route does not show")
                                   : fmt::format("LID {}", violation.lid())),
       .guid = fabric.ports[port].guid});
}

/// babbling_port_policy, as OpenSM has it: traps 129 to 131.
void Manager::note_babbling(const mad::Notice& notice, std::optional<PortIndex> port,
                            unsigned repeats) {
  constexpr unsigned kDisabledAfter = 250;
  const auto error = notice.as<mad::LinkErrorNotice>();
  if (!context_->options.babbling_port_policy || !port || !error || repeats % kDisabledAfter != 0)
    return;
  scheduler_.request_disabling(sweeper_.subnet()->fabric.node_of(*port).guid, error->port());
  wake_.signal();
}

void Manager::program_vports_of(mad::Guid port, const TrapEffect& effect, bool repeats) {
  if (effect.vport) sweeper_.note_vport_change(port, *effect.vport);
  if (scheduler_.request_vports_of_trap(port, runtime_.now(), repeats)) wake_.signal();
}

/// Of a port that sends more traps than are handled.
void Manager::check_later(std::optional<PortIndex> port) {
  if (!port) {
    scheduler_.request_light_sweep(runtime_.now());
    wake_.signal();
  } else if (sweep_interval() != mad::Duration{} &&
             sweeper_.links().leave_to_light_sweep(sweeper_.subnet()->fabric.node_of(*port).guid)) {
    return;
  } else if (scheduler_.request_check(sweeper_.subnet()->fabric.node_of(*port).guid,
                                      runtime_.now())) {
    wake_.signal();
  }
}

void Manager::log_trap(const mad::Notice& notice, mad::Lid issuer) {
  const std::optional<unsigned> left_out = trap_lines_.admit(runtime_.now());
  if (!left_out) return;
  if (*left_out > 0) log_.info("{} more traps arrived", *left_out);
  const auto port = port_of(issuer);
  LogFields fields{.lid = issuer};
  if (port) fields.guid = sweeper_.subnet()->fabric.ports[*port].guid;
  log_with(log_, spdlog::level::info,
           fmt::format(
               "Received Generic Notice type:{} num:{} Producer:{} from LID:{} ({})",
               static_cast<unsigned>(notice.type()), static_cast<unsigned>(notice.trap_number()),
               static_cast<unsigned>(notice.producer_type()), issuer,
               port ? sweeper_.subnet()->fabric.port_name(*port) : std::string("an unknown node")),
           fields);
  if (const auto error = notice.as<mad::LinkErrorNotice>(); error && port)
    log_.warn("link errors at port {} of {}", error->port(),
              sweeper_.subnet()->fabric.name(sweeper_.subnet()->fabric.ports[*port].node));
}

/// `repeated`: as one of the same end port shortly before.
void Manager::handle(const mad::Notice& notice, mad::Lid issuer, bool repeated) {
  const auto port = port_of(issuer);
  const auto subnet = sweeper_.subnet();
  const TrapEffect effect = effect_of(subnet.get(), port.value_or(kNoIndex), notice);
  if (!effect.refused_for.empty()) return refuse_trap(notice, port, effect.refused_for);
  if (port && effect.vports)
    return program_vports_of(subnet->fabric.ports[*port].guid, effect, false);
  log_trap(notice, issuer);
  if (effect.light_sweep) scheduler_.request_light_sweep(runtime_.now());
  if (port) {
    const mad::Guid node = subnet->fabric.node_of(*port).guid;
    // What an isolated host does to its link is no reason for sweeps without end: the next light
    // sweep finds it by PortStateChange, and whatever else happened at this switch.
    if (effect.node && notice.as<mad::LinkStateNotice>() && sweep_interval() != mad::Duration{} &&
        sweeper_.links().leave_to_light_sweep(node))
      return;
    if (effect.node && notice.as<mad::LinkStateNotice>() &&
        (repeated || runtime_.now() - swept_at_ < kSameEvent)) {
      // The sweep that ends now, or has just ended, may have seen it: PortStateChange, which a
      // survey clears before it reads the ports, shows whether something has changed since. A
      // switch that TrapRepress has no route to repeats its trap for ever: an engine without
      // valleys has none to a switch beside the manager's leaf whose link to that leaf is lost.
      scheduler_.request_state(node);
    } else if (effect.node) {
      scheduler_.request_node(node,
                              fmt::format("trap {}", static_cast<unsigned>(notice.trap_number())));
    }
    if (effect.description) scheduler_.request_description(node);
    if (effect.manager) scheduler_.request_manager(subnet->fabric.ports[*port].guid);
  }
  wake_.signal();
}

}  // namespace sm
