// Alias GUIDs by GUIDInfoRecord.

#include "sm/sa/registrations/requests.h"

#include "mad/format.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/router_aliases.h"
#include "sm/store/guid2lid.h"

namespace sa {

bool may_be_alias(const View& view, mad::Guid guid) {
  if (view.options.rtr_aguid_enable != 0 && is_router_alias(guid)) return false;
  return view.registrations.alias_guids.is_free(guid) &&
         view.subnet.find(guid).port == fabric::kNoIndex &&
         (view.guid2lid == nullptr || view.guid2lid->find(guid) == nullptr);
}

unsigned guid_cap_of(const fabric::Subnet& subnet, fabric::EndPoint end) {
  return end.vport == fabric::kNoIndex ? subnet.fabric.ports[end.port].info.guid_cap()
                                       : subnet.vports->vports[end.vport].info.guid_cap();
}

namespace {

using GuidInfoMask = mad::GuidInfoRecord;
constexpr unsigned kEntries = mad::GuidInfo::kEntries;

/// A valid Set or Delete.
struct AliasRequest {
  mad::GuidInfoRecord record;
  fabric::EndPoint end{};
  mad::Guid port_guid;   // of the end
  unsigned entries = 0;  // bit n: the request has entry n of the block, and the port has it, too
  bool selects(unsigned entry) const { return (entries >> entry & 1u) != 0; }
  AliasPlace place(unsigned entry) const { return {port_guid, record.block() * kEntries + entry}; }
};

/// True if the end is the requester itself, or the port of a vport that may act for it.
bool is_own_end(const View& view, const Requester& from, fabric::EndPoint end) {
  if (end == from.end()) return true;
  return from.vport != fabric::kNoIndex && end == fabric::EndPoint{.port = from.port} &&
         view.options.sa_enhanced_trust_model && view.options.sa_etm_allow_guidinfo_rec_by_vf;
}

tl::expected<AliasRequest, Outcome> checked_aliases(const Registrations& registrations,
                                                    const View& view, const Query& query) {
  AliasRequest out{.record = mad::GuidInfoRecord(query.record.first<mad::GuidInfoRecord::kBytes>()),
                   .port_guid = {}};
  const auto refuse = [&](std::uint16_t status, std::string_view why) {
    return tl::unexpected(
        refused(status, fmt::format("GUIDInfoRecord of {} for LID {} block {} refused: {}",
                                    find_name(view.subnet, query.from.end()), out.record.lid(),
                                    out.record.block(), why)));
  };
  if (view.options.sa_enhanced_trust_model && !query.from.trusted &&
      !view.options.sa_etm_allow_untrusted_guidinfo_rec)
    return refuse(mad::sa_status::kReqInvalid, "sa_etm_allow_untrusted_guidinfo_rec is FALSE");
  if (view.options.sa_enhanced_trust_model && !query.from.trusted &&
      query.from.vport != fabric::kNoIndex && !view.options.sa_etm_allow_guidinfo_rec_by_vf)
    return refuse(mad::sa_status::kReqInvalid, "sa_etm_allow_guidinfo_rec_by_vf is FALSE");
  if (!query.has(GuidInfoMask::kLid) || !query.has(GuidInfoMask::kBlockNum))
    return refuse(mad::sa_status::kReqInsufficientComponents,
                  fmt::format("component mask {:#x} lacks LID or BlockNum", query.component_mask));
  out.end = view.subnet.owner(out.record.lid());
  if (out.end.port == fabric::kNoIndex)
    return refuse(mad::sa_status::kNoRecords, "no end port has this LID");
  if (!query.from.trusted && !is_own_end(view, query.from, out.end))
    return refuse(mad::sa_status::kReqInvalid,
                  "it is another port's, and the request does not have sa_key");
  const unsigned cap = guid_cap_of(view.subnet, out.end), first = out.record.block() * kEntries;
  if (first >= cap)
    return refuse(mad::sa_status::kNoRecords, fmt::format("the port's GUIDCap is {}", cap));
  out.port_guid = view.subnet.find_guid(out.end);
  if (!may_communicate(view.subnet, out.end, query.from.end()))
    return refuse(mad::sa_status::kReqInvalid, "it shares no partition with the port");
  const auto is_kept = [&](unsigned entry) {
    return view.options.rtr_aguid_enable != 0 &&
           is_router_alias(registrations.alias_guids.at(out.place(entry)));
  };
  for (unsigned entry = 0; entry < kEntries && first + entry < cap; ++entry)
    if (query.has(GuidInfoMask::kGuid0 + entry) && !is_kept(entry)) out.entries |= 1u << entry;
  if (out.record.block() == 0 && out.selects(0))
    return refuse(mad::sa_status::kReqInvalid,
                  "entry 0 of block 0 is the port GUID, which is read-only");
  if (registrations.alias_guids.is_changing(out.port_guid))
    return tl::unexpected(refused(mad::status::kBusy));
  return out;
}

/// Returns an unused GUID: 0x001405, sm_assigned_guid, a counter. Returns nullopt if `tries_left`
/// have been tried; the next request continues behind them.
std::optional<mad::Guid> unused_guid(AliasGuids& aliases, const View& view,
                                     const AliasGuids::Change& change, unsigned& tries_left) {
  for (; tries_left > 0; --tries_left) {
    const mad::Guid guid{std::uint64_t{0x001405} << 40 |
                         std::uint64_t{view.options.sm_assigned_guid} << 32 |
                         aliases.next_assigned++};
    const auto is_given = [&](const auto& entry) { return entry.second == guid; };
    if (may_be_alias(view, guid) && std::none_of(change.begin(), change.end(), is_given))
      return guid;
  }
  return std::nullopt;
}

std::optional<Outcome> refuse_used(const Registrations& registrations, const View& view,
                                   const Query& query, const AliasRequest& request,
                                   const AliasGuids::Change& change) {
  for (const auto& [index, alias] : change) {
    const mad::Guid before = registrations.alias_guids.at({request.port_guid, index});
    if (before != mad::Guid{} && before != alias && registrations.groups.has_member(before))
      return refused(mad::sa_status::kReqDenied,
                     fmt::format("GUIDInfoRecord of {}: alias {} of {} is a member of a multicast "
                                 "group and is not changed",
                                 find_name(view.subnet, query.from.end()), before,
                                 find_name(view.subnet, request.end)));
  }
  return std::nullopt;
}

/// Begins the change unless it is empty; `shown` is the whole block in the response.
Outcome begun(Registrations& registrations, const AliasRequest& request, AliasGuids::Change change,
              const mad::GuidInfo& shown) {
  AliasGuids& aliases = registrations.alias_guids;
  mad::GuidInfoRecord record = request.record;
  record.set_guid_info(shown);
  Outcome out = answered(record);
  std::erase_if(change, [&](const auto& entry) {
    return aliases.at({request.port_guid, entry.first}) == entry.second;
  });
  if (change.empty()) return out;
  AliasWrite write{request.port_guid, request.record.block(),
                   aliases.block(request.port_guid, request.record.block())};
  for (const auto& [index, alias] : change) write.guid_info.set_guid(index % kEntries, alias);
  out.alias_write = write;
  aliases.prepare(request.port_guid, std::move(change));
  return out;
}

}  // namespace

Outcome set_guid_info(Registrations& registrations, const View& view, const Query& query,
                      UnixTime) {
  const auto request = checked_aliases(registrations, view, query);
  if (!request) return request.error();
  AliasGuids& aliases = registrations.alias_guids;
  if (aliases.all().size() + kEntries > kAliases) {
    return refused(
        mad::sa_status::kNoResources,
        fmt::format("GUIDInfoRecord of {} refused: there are {} alias GUIDs, the limit is {}",
                    find_name(view.subnet, query.from.end()), aliases.all().size(), kAliases));
  }
  const mad::GuidInfo requested = request->record.guid_info();
  mad::GuidInfo shown = aliases.block(request->port_guid, request->record.block());
  AliasGuids::Change change;
  unsigned tries_left = kNumbersTried;
  for (unsigned entry = 0; entry < kEntries; ++entry) {
    if (!request->selects(entry)) continue;
    const AliasPlace place = request->place(entry);
    mad::Guid alias = requested.guid(entry);
    if (alias == mad::Guid{}) {
      const std::uint32_t first = aliases.next_assigned;
      const auto unused = unused_guid(aliases, view, change, tries_left);
      registrations.steps += aliases.next_assigned - first;
      if (!unused) return refused(mad::status::kBusy);  // a repetition continues
      alias = *unused;
    } else if (alias != aliases.at(place)) {
      const bool is_twice = std::any_of(change.begin(), change.end(),
                                        [&](const auto& other) { return other.second == alias; });
      if (is_twice || !may_be_alias(view, alias)) {
        shown.set_guid(entry, {});
        continue;
      }
    }
    shown.set_guid(entry, alias);
    change.emplace(place.index, alias);
  }
  if (auto refusal = refuse_used(registrations, view, query, *request, change))
    return std::move(*refusal);
  return begun(registrations, *request, std::move(change), shown);
}

Outcome delete_guid_info(Registrations& registrations, const View& view, const Query& query,
                         UnixTime) {
  const auto request = checked_aliases(registrations, view, query);
  if (!request) return request.error();
  mad::GuidInfo shown =
      registrations.alias_guids.block(request->port_guid, request->record.block());
  AliasGuids::Change change;
  for (unsigned entry = 0; entry < kEntries; ++entry) {
    if (!request->selects(entry)) continue;
    shown.set_guid(entry, {});
    change.emplace(request->place(entry).index, mad::Guid{});
  }
  if (auto refusal = refuse_used(registrations, view, query, *request, change))
    return std::move(*refusal);
  return begun(registrations, *request, std::move(change), shown);
}

Outcome alias_written(Registrations& registrations, const Outcome& outcome) {
  if (outcome.alias_write) registrations.alias_guids.commit(outcome.alias_write->port_guid);
  return outcome;
}

Outcome alias_failed(Registrations& registrations, const Outcome& outcome) {
  if (outcome.alias_write) registrations.alias_guids.abandon(outcome.alias_write->port_guid);
  return refused(mad::sa_status::kNoResources);
}

}  // namespace sa
