#include "sm/sa/registrations/subscriptions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "mad/attributes/notice.h"
#include "mad/format.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"

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

constexpr std::uint16_t kSecurityFirst = static_cast<std::uint16_t>(mad::TrapNumber::bad_m_key);
constexpr std::uint16_t kSecurityLast =
    static_cast<std::uint16_t>(mad::TrapNumber::switch_bad_p_key);

/// "" if the requester may get notices of the ports that the subscription names; else why not.
std::string forbidden_range(const View& view, const Query& query,
                            const mad::InformInfo& inform_info, std::uint64_t& steps) {
  const sm::Subnet& subnet = view.subnet;
  const auto shares = [&](sm::EndPoint end) { return may_talk(subnet, query.from.end(), end); };
  if (inform_info.gid() != mad::Gid{}) {
    const sm::EndPoint end =
        is_local_prefix(inform_info.gid().prefix, view.options.subnet_prefix)
            ? find_end_point(inform_info.gid().guid, subnet, view.registrations.alias_guids)
            : sm::EndPoint{};
    if (end.port == sm::kNoIndex)
      return fmt::format("ERR 4301: no port of the subnet has GID {}", gid_text(inform_info.gid()));
    return shares(end) ? "" : fmt::format("it shares no partition with {}", find_name(subnet, end));
  }
  const mad::Lid begin = inform_info.lid_range_begin(), end = inform_info.lid_range_end();
  if (begin.value == mad::InformInfo::kAll) return "";
  // A subscription with neither GID nor LIDs matches no issuer; accepted, as in OpenSM.
  if (end < begin || begin > mad::kUnicastLidMax)
    return fmt::format("ERR 4302: LIDs {} to {} are no range of unicast LIDs", begin, end);
  for (unsigned lid = begin.value; lid <= std::min(end, subnet.lids.lid_top).value; ++lid) {
    ++steps;
    const sm::EndPoint owner = subnet.owner({static_cast<std::uint16_t>(lid)});
    if (owner.port == sm::kNoIndex) continue;
    if (!shares(owner))
      return fmt::format("it shares no partition with {}", find_name(subnet, owner));
    // The other LIDs of the same end, up to 127.
    const sm::LidMap::Range lids = subnet.lid_range(owner);
    if (lids.count() != 0) lid = std::max(lid, lids.base.value + lids.count() - 1u);
  }
  return "";
}

}  // namespace

Outcome set_inform_info(Registrations& registrations, const View& view, const Query& query,
                        UnixTime) {
  Subscriptions& subscriptions = registrations.subscriptions;
  const mad::InformInfo request(query.record.first<mad::InformInfo::kBytes>());
  const auto invalid = [&](std::string_view why) {
    return refused(
        mad::sa_status::kReqInvalid,
        fmt::format("InformInfo of {} refused: {}", find_name(view.subnet, query.from.end()), why));
  };
  if (request.subscribe() > 1)
    return invalid(fmt::format("ERR 430A: Subscribe is {}, neither 0 nor 1", request.subscribe()));
  const Client client = make_client(view.subnet, query.from.end());
  const mad::Guid subscriber = client.end;
  // Its subscriptions are searched for the same one, and for a number.
  registrations.steps += 2 * subscriptions.quota().of(subscriber);
  mad::InformInfo inform_info = request;
  if (request.subscribe() == 0) {
    const auto* known = subscriptions.find(subscriber, inform_info);  // QPN included
    if (known == nullptr) return invalid("ERR 4307: there is no such subscription");
    subscriptions.erase(known->first);
    return answered(request);
  }
  if (request.is_generic() != 0 && request.trap_number() >= kSecurityFirst &&
      request.trap_number() <= kSecurityLast && !query.from.trusted)
    return invalid(
        fmt::format("ERR 430B: trap {} is a security trap, and the request does not have sa_key",
                    request.trap_number()));
  if (const std::string why = forbidden_range(view, query, inform_info, registrations.steps);
      !why.empty())
    return invalid(why);
  inform_info.set_qpn(
      query.from.qpn);  // reports go to the requesting QP, whatever the request's QPN is
  const Subscription wanted{inform_info, query.from.trusted, registered_at(client)};
  if (const auto* known = subscriptions.find(subscriber, inform_info); known != nullptr) {
    const SubscriptionId id = known->first;
    if (known->second != wanted) subscriptions.set(id, wanted);
    return answered(request);
  }
  const Bounds bounds = bounds_of(client, view.options, kSubscriptionsPerPort, kSubscriptions,
                                  view.options.sa_etm_max_num_event_subs);
  if (subscriptions.quota().is_full(client, bounds)) {
    if (!subscriptions.quota().is_first_refusal(subscriber))
      return refused(mad::sa_status::kNoResources);
    return refused(
        mad::sa_status::kNoResources,
        fmt::format("InformInfo of {} refused: it has {}", find_name(view.subnet, query.from.end()),
                    usage_text(subscriptions.quota(), client, bounds, "subscriptions")));
  }
  subscriptions.add(subscriber, wanted);
  return answered(request);
}

namespace {

using InformInfoMask = mad::InformInfoRecord;
constexpr unsigned kInform = mad::InformInfoRecord::kInformInfoByte * 8;
constexpr std::array kSubscriptionsComponents{
    Component{InformInfoMask::kSubscriberGid, 0, 64},
    Component{InformInfoMask::kSubscriberGid, 64, 64},
    Component{InformInfoMask::kEnum, 128, 16},
    Component{InformInfoMask::kGid, kInform, 64},
    Component{InformInfoMask::kGid, kInform + 64, 64},
    Component{InformInfoMask::kLidRangeBegin, kInform + 128, 16},
    Component{InformInfoMask::kLidRangeEnd, kInform + 144, 16},
    Component{InformInfoMask::kIsGeneric, kInform + 176, 8},
    Component{InformInfoMask::kSubscribe, kInform + 184, 8},
    Component{InformInfoMask::kType, kInform + 192, 16},
    Component{InformInfoMask::kTrapNumber, kInform + 208, 16},
    Component{InformInfoMask::kQpn, kInform + 224, 24},
    Component{InformInfoMask::kRespTimeValue, kInform + 251, 5},
    Component{InformInfoMask::kProducerType, kInform + 264, 24},
};

std::uint16_t produce_subscriptions(const View& view, const Query& query, RecordSink& sink) {
  const Subscriptions::All& all = view.registrations.subscriptions.all();
  SubscriptionId first;  // subscriptions of one subscriber are adjacent
  const bool names_subscriber = query.has(InformInfoMask::kSubscriberGid);
  if (names_subscriber)
    first.subscriber = mad::InformInfoRecord(query.record.first<mad::InformInfoRecord::kBytes>())
                           .subscriber_gid()
                           .guid;
  for (auto at = all.lower_bound(sink.first_key<SubscriptionId>().value_or(first)); at != all.end();
       ++at) {
    const auto& [id, subscription] = *at;
    if (names_subscriber && id.subscriber != first.subscriber) break;
    if (sink.pauses_before_key(id)) break;
    const sm::EndPoint subscriber = view.subnet.find(id.subscriber);
    if (subscriber.port == sm::kNoIndex) continue;
    mad::InformInfoRecord record;
    record.set_subscriber_gid({view.options.subnet_prefix, id.subscriber});
    record.set_enumeration(id.number);
    mad::InformInfo inform_info = subscription.inform_info;
    if (!query.from.trusted) inform_info.set_qpn(0);
    record.set_inform_info(inform_info);
    if (!sink.add(record.bytes(), subscriber)) break;
  }
  return mad::status::kOk;
}

}  // namespace

const RecordType kInformInfoRecordType{.attribute = mad::SaAttributeId::inform_info_record,
                                       .bytes = mad::InformInfoRecord::kBytes,
                                       .components = kSubscriptionsComponents,
                                       .produce = produce_subscriptions,
                                       .registered = true};

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

Report report_of_port(mad::TrapNumber trap, sm::EndPoint end, const sm::Subnet& subnet,
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

Report report_of_trap(const mad::Notice& notice, sm::PortIndex issuer, mad::Lid issuer_lid,
                      const sm::Subnet& subnet, std::uint64_t subnet_prefix) {
  const auto keys = subnet.find_p_keys(issuer);
  mad::Notice forwarded = notice;
  forwarded.set_issuer_lid(issuer_lid);
  return {forwarded, {subnet_prefix, subnet.fabric.ports[issuer].guid}, {keys.begin(), keys.end()}};
}

namespace {

/// Nothing: the subscription does not match, may not get the report, or its subscriber has no LID.
std::optional<Recipient> recipient(const Subscription& subscription, ReportTarget target,
                                   const sm::Subnet& subnet, const Report& report,
                                   std::uint64_t subnet_prefix) {
  if (!is_wanted(subscription.inform_info, report) ||
      (is_security(report.notice) && !subscription.trusted))
    return std::nullopt;
  const sm::EndPoint subscriber = subnet.find(target.subscriber);
  if (subscriber.port == sm::kNoIndex) return std::nullopt;
  if (!subscription.trusted && !may_talk_to_any(subnet, subscriber, report.about))
    return std::nullopt;
  const mad::Lid lid = subnet.lid_range(subscriber).base;
  if (lid == mad::Lid{}) return std::nullopt;
  return Recipient{
      target, make_client(subnet, subscriber), lid, {subnet_prefix, target.subscriber}};
}

}  // namespace

std::size_t append_recipients(const Subscriptions& subscriptions, const sm::Subnet& subnet,
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
