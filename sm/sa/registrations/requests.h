#pragma once
// Requests of clients that change registrations, each with a function, and the record types of
// requests that read them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "fabric/subnet.h"
#include "mad/attribute.h"
#include "mad/records/fabric_records.h"
#include "mad/records/mc_member_record.h"
#include "mad/sa_attribute.h"
#include "sm/sa/query/record_type.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {

/// Changes registrations, or refuses with a status. The query's record is at least as long as the
/// record type.
using Write = Outcome (*)(Registrations& registrations, const View& view, const Query& query,
                          UnixTime now);

/// A request that changes registrations, and the function that executes it.
struct WritableRecord {
  mad::SaAttributeId attribute{};
  mad::Method method{};
  std::size_t bytes = 0;  // the request's record has at least these
  Write write = nullptr;
};
/// Returns all of them, by attribute and method. Clients can write no other attribute.
std::span<const WritableRecord> writable_records();

// MCMemberRecord: joining, creating, leaving and querying multicast groups (IBTA Vol 1, 15.2.5.17).

/// Set: joins a port to a group, which is created if it does not exist.
Outcome set_mc_member(Registrations& registrations, const View& view, const Query& query,
                      UnixTime now);
/// Delete: clears JoinState bits of a member; deletes a group without full members, unless it is
/// well known.
Outcome delete_mc_member(Registrations& registrations, const View& view, const Query& query,
                         UnixTime now);

/// Get and GetTable. Trusted requesters get a record per member. Others get one per group, without
/// PortGID, JoinState and ProxyJoin, or their own membership if the query has their own PortGID.
/// Groups of foreign partitions are not shown.
extern const RecordType kMcMemberRecordType;

/// Returns the group as a record. Selectors are "exactly".
mad::McMemberRecord group_record(const Group& group);
mad::McMemberRecord member_record(const Group& group, const Member& member);

// ServiceRecord (IBTA Vol 1, 15.2.5.14).

/// Set: registers a service, or replaces it.
Outcome set_service(Registrations& registrations, const View& view, const Query& query,
                    UnixTime now);
/// Delete: removes the service with this ID, GID and P_Key.
Outcome delete_service(Registrations& registrations, const View& view, const Query& query,
                       UnixTime now);
/// Get and GetTable. ServiceKey is shown only to trusted requesters; the lease is the remaining
/// one.
extern const RecordType kServiceRecordType;

// InformInfo and InformInfoRecord (IBTA Vol 1, 13.4.11 and 15.4).

/// Set(InformInfo): subscribes or unsubscribes.
Outcome set_inform_info(Registrations& registrations, const View& view, const Query& query,
                        UnixTime now);
/// Get and GetTable of InformInfoRecord. The QPN is shown only to trusted requesters.
extern const RecordType kInformInfoRecordType;

// GUIDInfoRecord: setting and deleting alias GUIDs of ports (IBTA Vol 1, 15.2.5.18). The response
// is sent after the port has the alias, so an Outcome with `alias_write` is not a response. The
// caller writes its block to the port by SubnSet(GUIDInfo), then ends the change by alias_written()
// or alias_failed(). Without `alias_write` the Outcome is the response.

/// True if the GUID may become an alias: no port or vport of the subnet has it, and no port has it
/// as an alias. guid2lid must have no LID for it, as it would for an absent port. With
/// rtr_aguid_enable the GUID must not be one that contains a LID.
bool may_be_alias(const View& view, mad::Guid guid);

/// Returns GUIDCap, the number of entries of the end's GUID table.
unsigned guid_cap_of(const fabric::Subnet& subnet, fabric::EndPoint end);

/// Set: entries with value 0 get a GUID assigned by subnet administration. Entries whose value
/// another port has, and aliases that contain a LID, are 0 in the response and unchanged. A port or
/// vport changes only its own aliases, unless the request is trusted.
Outcome set_guid_info(Registrations& registrations, const View& view, const Query& query,
                      UnixTime now);
/// Delete: clears entries.
Outcome delete_guid_info(Registrations& registrations, const View& view, const Query& query,
                         UnixTime now);

/// Applies the change after the port has acknowledged the block of `outcome`; then `outcome` is the
/// response.
Outcome alias_written(Registrations& registrations, const Outcome& outcome);
/// Drops the change if the port has not acknowledged it; the status is kNoResources.
Outcome alias_failed(Registrations& registrations, const Outcome& outcome);

}  // namespace sa
