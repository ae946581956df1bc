#include "sm/sa/registrations/subscriptions.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "mad/attributes/notice.h"
#include "sm/sa/registrations/ports.h"

namespace sa {

bool is_same_subscription(const mad::InformInfo& a, const mad::InformInfo& b) {
  return a.gid() == b.gid() &&
         (a.gid() != mad::Gid{} ||
          (a.lid_range_begin() == b.lid_range_begin() && a.lid_range_end() == b.lid_range_end())) &&
         (a.is_generic() != 0) == (b.is_generic() != 0) && a.type() == b.type() &&
         a.trap_number() == b.trap_number() && a.producer_type() == b.producer_type() &&
         a.qpn() == b.qpn();
}

const Subscriptions::All::value_type* Subscriptions::find(
    mad::Guid subscriber, const mad::InformInfo& inform_info) const {
  for (auto at = all_.lower_bound({subscriber, 0});
       at != all_.end() && at->first.subscriber == subscriber; ++at)
    if (is_same_subscription(at->second.inform_info, inform_info)) return &*at;
  return nullptr;
}

SubscriptionId Subscriptions::add(mad::Guid subscriber, const Subscription& subscription) {
  SubscriptionId id{subscriber, 0};
  for (auto at = all_.lower_bound(id); at != all_.end() && at->first == id; ++at) ++id.number;
  set(id, subscription);
  return id;
}

namespace {

Subscriptions::Entry entry(SubscriptionId id, const mad::InformInfo& inform_info) {
  return {.target = {.subscriber = id.subscriber, .qpn = inform_info.qpn()}, .number = id.number};
}

}  // namespace

void Subscriptions::set(SubscriptionId id, const Subscription& subscription) {
  erase(id);
  all_.emplace(id, subscription);
  const mad::InformInfo& inform_info = subscription.inform_info;
  by_trap_number_[inform_info.trap_number()].insert(entry(id, inform_info));
  quota_.take(make_client(id.subscriber, subscription.registered_at));
  touched_.insert(id);
}

void Subscriptions::erase(SubscriptionId id) {
  const auto found = all_.find(id);
  if (found == all_.end()) return;
  quota_.give_back(make_client(id.subscriber, found->second.registered_at));
  const Entry indexed = entry(id, found->second.inform_info);
  const auto entries = by_trap_number_.find(found->second.inform_info.trap_number());
  entries->second.erase(indexed);
  if (entries->second.empty()) by_trap_number_.erase(entries);
  all_.erase(found);
  failures_.erase(indexed.target);
  touched_.insert(id);
}

const Subscriptions::Entries& Subscriptions::with_trap_number(std::uint16_t trap_number) const {
  static const Entries kNone;
  const auto found = by_trap_number_.find(trap_number);
  return found == by_trap_number_.end() ? kNone : found->second;
}

void Subscriptions::clear() {
  while (!all_.empty()) {
    const SubscriptionId id = all_.begin()->first;
    erase(id);
  }
}

bool Subscriptions::report_failed(ReportTarget target, UnixTime now, FailureLimit limit) {
  std::vector<SubscriptionId> ids;
  for (auto at = all_.lower_bound({target.subscriber, 0});
       at != all_.end() && at->first.subscriber == target.subscriber; ++at)
    if (at->second.inform_info.qpn() == target.qpn) ids.push_back(at->first);
  if (ids.empty()) return false;
  Failures& failures = failures_.try_emplace(target, Failures{.since = now}).first->second;
  if (++failures.count < limit.reports || now - failures.since < limit.time) return false;
  for (const SubscriptionId id : ids) erase(id);
  return true;
}

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

/// True if the subscription selects the issuer. For traps 64 to 67, which the SM issues, it may
/// also select the port or group that is their subject.
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

Report report_of_port(mad::TrapNumber trap, fabric::EndPoint end, const fabric::Subnet& subnet,
                      mad::Lid sm_lid, mad::Gid sm_gid, std::uint64_t subnet_prefix) {
  Report out = gid_report(trap, {subnet_prefix, subnet.find_guid(end)}, sm_lid, sm_gid);
  const auto keys = subnet.find_p_keys(end);
  out.about.assign(keys.begin(), keys.end());
  return out;
}

Report report_of_group(const GroupNotice& notice, mad::Lid sm_lid, mad::Gid sm_gid) {
  Report out = gid_report(notice.trap, notice.mgid, sm_lid, sm_gid);
  out.about.push_back(notice.p_key);
  return out;
}

Report report_of_trap(const mad::Notice& notice, fabric::PortIndex issuer, mad::Lid issuer_lid,
                      const fabric::Subnet& subnet, std::uint64_t subnet_prefix) {
  const auto keys = subnet.find_p_keys(issuer);
  mad::Notice forwarded = notice;
  forwarded.set_issuer_lid(issuer_lid);
  return {forwarded, {subnet_prefix, subnet.fabric.ports[issuer].guid}, {keys.begin(), keys.end()}};
}

namespace {

/// Returns nullopt for no match, no permission for the report, or a subscriber without a LID.
std::optional<Recipient> recipient(const Subscription& subscription, ReportTarget target,
                                   const fabric::Subnet& subnet, const Report& report,
                                   std::uint64_t subnet_prefix) {
  if (!is_wanted(subscription.inform_info, report) ||
      (is_security(report.notice) && !subscription.trusted))
    return std::nullopt;
  const fabric::EndPoint subscriber = subnet.find(target.subscriber);
  if (subscriber.port == fabric::kNoIndex) return std::nullopt;
  if (!subscription.trusted && !may_talk_to_any(subnet, subscriber, report.about))
    return std::nullopt;
  const mad::Lid lid = subnet.lid_range(subscriber).base;
  if (lid == mad::Lid{}) return std::nullopt;
  return Recipient{
      target, make_client(subnet, subscriber), lid, {subnet_prefix, target.subscriber}};
}

}  // namespace

std::size_t append_recipients(const Subscriptions& subscriptions, const fabric::Subnet& subnet,
                              const Report& report, std::uint64_t subnet_prefix,
                              RecipientPosition& position, std::size_t steps,
                              std::vector<Recipient>& out) {
  const auto number = static_cast<std::uint16_t>(report.notice.trap_number());
  const Subscriptions::Entries& to_this = subscriptions.with_trap_number(number);
  const Subscriptions::Entries& to_all = subscriptions.with_trap_number(mad::InformInfo::kAll);
  auto at_this = to_this.lower_bound(position.next), at_all = to_all.lower_bound(position.next);
  if (&to_this == &to_all) at_this = to_this.end();
  ReportTarget latest{.subscriber = {}, .qpn = 0};
  bool latest_gets_it = false;
  std::size_t done = 0;
  while (at_this != to_this.end() || at_all != to_all.end()) {
    const bool is_this = at_all == to_all.end() || (at_this != to_this.end() && *at_this < *at_all);
    const Subscriptions::Entry& entry = is_this ? *at_this : *at_all;
    const bool is_same_target = done > 0 && entry.target == latest;
    if (done >= steps && !is_same_target) {
      position.next = entry;
      return done;
    }
    if (!is_same_target) latest_gets_it = false;
    latest = entry.target;
    if (!latest_gets_it) {
      if (const auto found = recipient(subscriptions.all().at(entry.id()), entry.target, subnet,
                                       report, subnet_prefix)) {
        out.push_back(*found);
        latest_gets_it = true;
      }
    }
    ++done;
    ++(is_this ? at_this : at_all);
  }
  position.at_end = true;
  return done;
}

}  // namespace sa
