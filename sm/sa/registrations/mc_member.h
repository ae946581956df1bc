#pragma once
// MCMemberRecord: joining, creating, leaving and querying multicast groups (IBTA Vol 1, 15.2.5.17).

#include "mad/records/mc_member_record.h"
#include "sm/sa/query/record_type.h"
#include "sm/sa/registrations/groups.h"
#include "sm/sa/registrations/writes.h"

namespace sa {

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

/// The group as a record. Selectors are "exactly".
mad::McMemberRecord group_record(const Group& group);
mad::McMemberRecord member_record(const Group& group, const Member& member);

}  // namespace sa
