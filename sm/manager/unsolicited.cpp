// Manager: MADs that no request of its own brought: traps, Get of SMInfo (Set: set_sm_info.cpp),
// and the responses that go to other parts.

#include "sm/manager/manager.h"

namespace sm {

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
      if (!takes_lid_read(received) && !standby_view_.on_mad(received)) client_.on_mad(received);
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
  // Modifiers of other versions have no known meaning: no state changes because of one.
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
  return subnet ? subnet->lid_range(subnet->fabric.sm_port).base : mad::Lid{};
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
  repress(received, port_of(issuer));
  if (notice.as<mad::LinkStateNotice>()) sweeper_.note_link_change(issuer);
  if (traps_.take(notice, issuer, trap_situation())) wake_.signal();
}

TrapSituation Manager::trap_situation() const {
  return {
      .leads = state_ == mad::SmState::master, .options = context_->options, .surveyed = swept_at_};
}

}  // namespace sm
