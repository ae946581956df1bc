// Subscriptions by InformInfo and InformInfoRecord.

#include "sm/sa/registrations/requests.h"

#include <algorithm>
#include <array>

#include "mad/format.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/ports.h"

namespace sa {

namespace {

constexpr std::uint16_t kSecurityFirst = static_cast<std::uint16_t>(mad::TrapNumber::bad_m_key);
constexpr std::uint16_t kSecurityLast =
    static_cast<std::uint16_t>(mad::TrapNumber::switch_bad_p_key);

/// Returns why the requester may not get notices of the named ports, or "".
std::string forbidden_range(const View& view, const Query& query,
                            const mad::InformInfo& inform_info, std::uint64_t& steps) {
  const fabric::Subnet& subnet = view.subnet;
  const auto shares = [&](fabric::EndPoint end) {
    return may_communicate(subnet, query.from.end(), end);
  };
  if (inform_info.gid() != mad::Gid{}) {
    const fabric::EndPoint end =
        is_local_prefix(inform_info.gid().prefix, view.options.subnet_prefix)
            ? find_end_point(inform_info.gid().guid, subnet, view.registrations.alias_guids)
            : fabric::EndPoint{};
    if (end.port == fabric::kNoIndex)
      return fmt::format("ERR 4301: no port of the subnet has GID {}", gid_text(inform_info.gid()));
    return shares(end) ? "" : fmt::format("it shares no partition with {}", find_name(subnet, end));
  }
  const mad::Lid begin = inform_info.lid_range_begin(), end = inform_info.lid_range_end();
  if (begin.value == mad::InformInfo::kAll) return "";
  // A subscription with neither GID nor LIDs matches no issuer; it is accepted, as in OpenSM.
  if (end < begin || begin > mad::kUnicastLidMax)
    return fmt::format("ERR 4302: LIDs {} to {} are no range of unicast LIDs", begin, end);
  for (unsigned lid = begin.value; lid <= std::min(end, subnet.lids.lid_top).value; ++lid) {
    ++steps;
    const fabric::EndPoint owner = subnet.owner({static_cast<std::uint16_t>(lid)});
    if (owner.port == fabric::kNoIndex) continue;
    if (!shares(owner))
      return fmt::format("it shares no partition with {}", find_name(subnet, owner));
    // Skips the other LIDs of the end, up to 127.
    const fabric::LidMap::Range lids = subnet.lid_range(owner);
    if (lids.count() != 0) lid = std::max(lid, lids.base.value + lids.count() - 1u);
  }
  return "";
}

}  // namespace

Outcome set_inform_info(Registrations& registrations, const View& view, const Query& query,
                        UnixTime) {
  Subscriptions& subscriptions = registrations.subscriptions;
  const mad::InformInfo request(query.record.first<mad::InformInfo::kBytes>());
  mad::InformInfo inform_info = request;
  inform_info.set_gid(canonical_gid(request.gid(), view.options.subnet_prefix));
  const auto invalid = [&](std::string_view why) {
    return refused(
        mad::sa_status::kReqInvalid,
        fmt::format("InformInfo of {} refused: {}", find_name(view.subnet, query.from.end()), why));
  };
  if (request.subscribe() > 1)
    return invalid(fmt::format("ERR 430A: Subscribe is {}, neither 0 nor 1", request.subscribe()));
  const Client client = make_client(view.subnet, query.from.end());
  const mad::Guid subscriber = client.end;
  // The subscriber's subscriptions are searched twice: for an equal one, and for a number.
  registrations.steps += 2 * subscriptions.quota().of(subscriber);
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
  const mad::InformInfoRecord requested(query.record.first<mad::InformInfoRecord::kBytes>());
  const mad::Gid requested_gid = requested.inform_info().gid();
  const std::uint64_t prefix = view.options.subnet_prefix;
  if (names_subscriber) first.subscriber = requested.subscriber_gid().guid;
  for (auto at = all.lower_bound(sink.first_key<SubscriptionId>().value_or(first)); at != all.end();
       ++at) {
    const auto& [id, subscription] = *at;
    if (names_subscriber && id.subscriber != first.subscriber) break;
    if (sink.pauses_before_key(id)) break;
    const fabric::EndPoint subscriber = view.subnet.find(id.subscriber);
    if (subscriber.port == fabric::kNoIndex) continue;
    mad::InformInfoRecord record;
    record.set_subscriber_gid(
        as_requested({prefix, id.subscriber}, requested.subscriber_gid(), prefix));
    record.set_enumeration(id.number);
    mad::InformInfo inform_info = subscription.inform_info;
    inform_info.set_gid(as_requested(inform_info.gid(), requested_gid, prefix));
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

}  // namespace sa
