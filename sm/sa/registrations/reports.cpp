#include "sm/sa/registrations/reports.h"

#include "sm/sa/registrations/ports.h"

namespace sa {
namespace {

Report gid_report(mad::TrapNumber trap, mad::Gid about, mad::Lid sm_lid, mad::Gid sm_gid) {
  mad::GidNotice notice;
  notice.set_is_generic(true);
  notice.set_type(mad::NoticeType::subnet_management);
  notice.set_producer_type(mad::ProducerType::class_manager);
  notice.set_trap_number(trap);
  notice.set_issuer_lid(sm_lid);
  notice.set_gid(about);
  return {mad::Notice::of(notice), sm_gid};
}

bool is_security(const mad::Notice& notice) {
  return notice.type() == mad::NoticeType::security ||
         (notice.is_generic() && notice.trap_number() >= mad::TrapNumber::bad_m_key &&
          notice.trap_number() <= mad::TrapNumber::switch_bad_p_key);
}

/// The subscription selects the issuer. For traps 64 to 67, which the SM issues, also the port or
/// group that is their subject.
bool is_from(const mad::InformInfo& inform_info, const Report& report) {
  if (inform_info.gid() != mad::Gid{}) {
    if (inform_info.gid() == report.issuer_gid) return true;
    const auto about = report.notice.as<mad::GidNotice>();
    return about && about->gid() == inform_info.gid();
  }
  const mad::Lid issuer = report.notice.issuer_lid();
  return inform_info.lid_range_begin().value == mad::InformInfo::kAll ||
         (inform_info.lid_range_begin() <= issuer && issuer <= inform_info.lid_range_end());
}

bool is_wanted(const mad::InformInfo& inform_info, const Report& report) {
  const mad::Notice& notice = report.notice;
  return (inform_info.is_generic() != 0) == notice.is_generic() &&
         (inform_info.type() == mad::InformInfo::kAll ||
          inform_info.type() == static_cast<std::uint16_t>(notice.type())) &&
         (inform_info.trap_number() == mad::InformInfo::kAll ||
          inform_info.trap_number() == static_cast<std::uint16_t>(notice.trap_number())) &&
         (inform_info.producer_type() == mad::InformInfo::kAllProducers ||
          inform_info.producer_type() == static_cast<std::uint32_t>(notice.producer_type())) &&
         is_from(inform_info, report);
}

}  // namespace

Report report_of_port(mad::TrapNumber trap, sm::PortIndex port, const sm::Subnet& subnet,
                      mad::Lid sm_lid, mad::Gid sm_gid, std::uint64_t subnet_prefix) {
  Report out = gid_report(trap, {subnet_prefix, subnet.fabric.ports[port].guid}, sm_lid, sm_gid);
  const auto keys = subnet.p_keys_of(port);
  out.about.assign(keys.begin(), keys.end());
  return out;
}

Report report_of_group(const GroupNotice& notice, mad::Lid sm_lid, mad::Gid sm_gid) {
  Report out = gid_report(notice.trap, notice.mgid, sm_lid, sm_gid);
  out.about.push_back(notice.p_key);
  return out;
}

Report report_of_trap(const mad::Notice& notice, sm::PortIndex issuer, const sm::Subnet& subnet,
                      std::uint64_t subnet_prefix) {
  const auto keys = subnet.p_keys_of(issuer);
  return {notice, {subnet_prefix, subnet.fabric.ports[issuer].guid}, {keys.begin(), keys.end()}};
}

std::vector<Recipient> recipients(const Subscriptions& subscriptions, const sm::Subnet& subnet,
                                  const Report& report, std::uint64_t subnet_prefix) {
  std::vector<Recipient> out;
  for (const auto& [id, subscription] : subscriptions.all()) {
    if (!is_wanted(subscription.inform_info, report) ||
        (is_security(report.notice) && !subscription.trusted))
      continue;
    const auto found = subnet.fabric.port_of_guid.find(id.subscriber);
    if (found == subnet.fabric.port_of_guid.end()) continue;
    if (!subscription.trusted && !may_talk_to_any(subnet, found->second, report.about)) continue;
    const mad::Lid lid = subnet.lids_of(found->second).base;
    if (lid != mad::Lid{})
      out.push_back({id, lid, {subnet_prefix, id.subscriber}, subscription.inform_info.qpn()});
  }
  return out;
}

}  // namespace sa
