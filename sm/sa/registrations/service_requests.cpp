// Services by ServiceRecord.

#include "sm/sa/registrations/requests.h"

#include <algorithm>
#include <vector>

#include "mad/format.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/ports.h"

namespace sa {

namespace {

using ServiceMask = mad::ServiceRecord;

mad::ServiceRecord requested_record(const Query& query) {
  return mad::ServiceRecord(query.record.first<mad::ServiceRecord::kBytes>());
}

/// Returns the request's record with the GID by which the service is registered.
mad::ServiceRecord canonical_record(const View& view, const Query& query) {
  mad::ServiceRecord record = requested_record(query);
  record.set_service_gid(canonical_gid(record.service_gid(), view.options.subnet_prefix));
  return record;
}

/// Returns the record to register, with P_Key and lease reset unless the component mask has them.
mad::ServiceRecord named_record(const View& view, const Query& query) {
  mad::ServiceRecord record = canonical_record(view, query);
  if (!query.has(ServiceMask::kPKey)) record.set_p_key({});
  if (!query.has(ServiceMask::kLease)) record.set_lease(mad::ServiceRecord::kForever);
  return record;
}

/// Returns a service's record for a response. Only trusted requesters get ServiceKeys.
mad::ServiceRecord shown_to(const View& view, const Query& query, mad::ServiceRecord record) {
  if (!query.from.trusted) std::fill(record.key().begin(), record.key().end(), std::uint8_t{0});
  record.set_service_gid(as_requested(record.service_gid(), requested_record(query).service_gid(),
                                      view.options.subnet_prefix));
  return record;
}

std::string requester_name(const View& view, const Query& query) {
  return find_name(view.subnet, query.from.end());
}

/// Returns why a Set or Delete is refused with kReqInvalid, or "".
std::string defect(const View& view, const Query& query, const mad::ServiceRecord& record) {
  if (!query.has(ServiceMask::kServiceId) || !query.has(ServiceMask::kServiceGid))
    return fmt::format("component mask {:#x} lacks ServiceID or ServiceGID", query.component_mask);
  if (query.has(ServiceMask::kPKey) &&
      !is_in_partition(view.subnet, query.from.end(), record.p_key()))
    return fmt::format("it is not in partition {:#06x}", record.p_key().value);
  return "";
}

bool has_key(const mad::ServiceRecord& record, std::span<const std::uint8_t> key) {
  return std::equal(key.begin(), key.end(), record.key().begin());
}

/// True if the requester is the port or vport of ServiceGID.
bool is_server(const View& view, const Query& query, const mad::ServiceRecord& record) {
  return find_end_point(record.service_gid().guid, view.subnet, view.registrations.alias_guids) ==
         query.from.end();
}

/// A service belongs to the port or vport that registered it, and to the one of its ServiceGID.
/// Another port may replace or delete it only if it knows the key of the registration. Key 0 means
/// no key, and proves nothing.
bool may_change(const View& view, const Query& query, const Service& service) {
  if (query.from.trusted || view.subnet.find_guid(query.from.end()) == service.registered_by ||
      is_server(view, query, service.record))
    return true;
  const auto key = query.record.subspan<32, mad::ServiceRecord::kKeyBytes>();
  return std::ranges::any_of(key, [](std::uint8_t byte) { return byte != 0; }) &&
         has_key(service.record, key);
}

/// Returns the owner of the service after a Set: a registration by the server itself ends a
/// proxy's.
Client owner_after(const View& view, const Query& query, const Service* known,
                   const mad::ServiceRecord& record) {
  if (known == nullptr || is_server(view, query, record))
    return make_client(view.subnet, query.from.end());
  return known->client();
}

void expire_some(Registrations& registrations, UnixTime now) {
  const std::size_t before = registrations.services.all().size();
  registrations.services.expire(now);
  registrations.steps += before - registrations.services.all().size();
}

}  // namespace

Outcome set_service(Registrations& registrations, const View& view, const Query& query,
                    UnixTime now) {
  Services& services = registrations.services;
  expire_some(registrations, now);
  const mad::ServiceRecord record = named_record(view, query);
  services.expire(rid_of(record), now);
  const auto invalid = [&](std::string_view why) {
    return refused(mad::sa_status::kReqInvalid,
                   fmt::format("no service {:#018x} registered by {}: {}", record.service_id(),
                               requester_name(view, query), why));
  };
  if (const std::string why = defect(view, query, record); !why.empty()) return invalid(why);
  // An unknown GID or a foreign prefix is accepted, as in OpenSM, whose own tester sends the prefix
  // in the wrong byte order.
  const fabric::EndPoint server =
      find_end_point(record.service_gid().guid, view.subnet, view.registrations.alias_guids);
  if (server.port != fabric::kNoIndex) {
    if (!may_communicate(view.subnet, server, query.from.end()))
      return invalid("it shares no partition with the port of ServiceGID");
    if (query.has(ServiceMask::kPKey) && !is_in_partition(view.subnet, server, record.p_key()))
      return invalid(
          fmt::format("the port of ServiceGID is not in partition {:#06x}", record.p_key().value));
  }
  if (server != query.from.end() && !may_act_for_others(view.options, query.from))
    return invalid("sa_etm_allow_untrusted_proxy_requests is FALSE, and ServiceGID is another's");
  const Service* known = services.find(rid_of(record));
  if (known != nullptr && !may_change(view, query, *known))
    return invalid("another port has registered it, without a ServiceKey or with another one");
  const Client client = owner_after(view, query, known, record);
  const Bounds bounds = bounds_of(client, view.options, kServicesPerPort, kServices,
                                  view.options.sa_etm_max_num_srvcs);
  if (known == nullptr ? services.quota().is_full(client, bounds)
                       : client != known->client() && services.quota().has_all(client, bounds)) {
    if (!services.quota().is_first_refusal(client.end))
      return refused(mad::sa_status::kNoResources);
    return refused(mad::sa_status::kNoResources,
                   fmt::format("no service {:#018x} registered by {}: it has {}",
                               record.service_id(), requester_name(view, query),
                               usage_text(services.quota(), client, bounds, "services")));
  }
  Service service{
      .record = record, .registered_by = client.end, .registered_at = registered_at(client)};
  if (record.lease() != mad::ServiceRecord::kForever)
    service.expires = now + std::chrono::seconds(record.lease());
  services.set(std::move(service));
  return answered(shown_to(view, query, record));
}

Outcome delete_service(Registrations& registrations, const View& view, const Query& query,
                       UnixTime now) {
  Services& services = registrations.services;
  expire_some(registrations, now);
  // Clients delete a record that they have read, with a component mask that may lack ID, GID or
  // P_Key. These three are therefore used without regard to the mask, as in OpenSM.
  const mad::ServiceRecord record = canonical_record(view, query);
  services.expire(rid_of(record), now);
  const auto invalid = [&](std::string_view why) {
    return refused(mad::sa_status::kReqInvalid,
                   fmt::format("service {:#018x} not deleted for {}: {}", record.service_id(),
                               requester_name(view, query), why));
  };
  if (record.p_key() != mad::PKey{} &&
      !is_in_partition(view.subnet, query.from.end(), record.p_key()))
    return invalid("it is in another partition");
  const Service* known = services.find(rid_of(record));
  if (known == nullptr) return refused(mad::sa_status::kNoRecords);
  if (!may_change(view, query, *known))
    return invalid("another port has registered it, without a ServiceKey or with another one");
  const mad::ServiceRecord gone = known->record;
  services.erase(rid_of(gone));
  return answered(shown_to(view, query, gone));
}

namespace {

/// Each data field has one mask bit; the name has one bit for all its entries. produce_services()
/// compares the key, since the compared value is not the one in the record.
constexpr std::array kServicesComponents = [] {
  std::array<Component, 5 + 8 + 16 + 8 + 4 + 2> out{};
  auto at = out.begin();
  const auto row = [&](unsigned mask_bit, unsigned bit, unsigned width) {
    *at++ = {mask_bit, bit, width};
  };
  row(ServiceMask::kServiceId, 0, 64);
  row(ServiceMask::kServiceGid, 64, 64);
  row(ServiceMask::kServiceGid, 128, 64);
  row(ServiceMask::kPKey, 192, 16);
  row(ServiceMask::kLease, 224, 32);
  for (unsigned i = 0; i < 8; ++i) row(ServiceMask::kName, 384 + 64 * i, 64);
  for (unsigned i = 0; i < 16; ++i) row(ServiceMask::kData8 + i, 896 + 8 * i, 8);
  for (unsigned i = 0; i < 8; ++i) row(ServiceMask::kData16 + i, 1024 + 16 * i, 16);
  for (unsigned i = 0; i < 4; ++i) row(ServiceMask::kData32 + i, 1152 + 32 * i, 32);
  for (unsigned i = 0; i < 2; ++i) row(ServiceMask::kData64 + i, 1280 + 64 * i, 64);
  return out;
}();

std::uint16_t produce_services(const View& view, const Query& query, RecordSink& sink) {
  const Services& services = view.registrations.services;
  const Services::All& all = services.all();
  ServiceRid first;  // services of one ID are adjacent
  if (query.has(ServiceMask::kServiceId)) first.id = requested_record(query).service_id();
  for (auto at = all.lower_bound(sink.first_key<ServiceRid>().value_or(first)); at != all.end();
       ++at) {
    const auto& [key, service] = *at;
    if (query.has(ServiceMask::kServiceId) && key.id != first.id) break;
    if (sink.pauses_before_key(key)) break;
    if (service.has_ended(services.as_of())) continue;
    if (key.p_key != mad::PKey{} && !is_in_partition(view.subnet, query.from.end(), key.p_key))
      continue;
    const fabric::EndPoint server =
        find_end_point(key.gid.guid, view.subnet, view.registrations.alias_guids);
    // If the server's partitions are unknown, the service's own P_Key determines visibility.
    if (server.port == fabric::kNoIndex && key.p_key == mad::PKey{} && !query.from.trusted)
      continue;
    if (query.has(ServiceMask::kKey) &&
        !has_key(service.record, query.record.subspan<32, mad::ServiceRecord::kKeyBytes>()))
      continue;
    mad::ServiceRecord record = shown_to(view, query, service.record);
    if (service.expires)
      record.set_lease(static_cast<std::uint32_t>(std::clamp<std::int64_t>(
          (*service.expires - services.as_of()).count(), 0, service.record.lease())));
    if (!sink.add(record.bytes(), server)) break;
  }
  return mad::status::kOk;
}

}  // namespace

const RecordType kServiceRecordType{.attribute = mad::SaAttributeId::service_record,
                                    .bytes = mad::ServiceRecord::kBytes,
                                    .components = kServicesComponents,
                                    .produce = produce_services,
                                    .registered = true};

}  // namespace sa
