#pragma once
// GUIDInfoRecord: setting and deleting alias GUIDs of ports (IBTA Vol 1, 15.2.5.18). The response
// is sent after the port has the alias. So an Outcome with `alias_write` is no response yet: the
// caller writes that block to the port by SubnSet(GUIDInfo) and then ends the change by
// alias_written() or alias_failed(). Without `alias_write` the Outcome is the response.

#include "mad/records/fabric_records.h"
#include "sm/sa/registrations/writes.h"

namespace sa {

/// Set: entries with value 0 get a GUID assigned by subnet administration; entries whose value
/// another port has are 0 in the response and unchanged.
Outcome set_guid_info(Registrations& registrations, const View& view, const Query& query,
                      UnixTime now);
/// Delete: clears entries.
Outcome delete_guid_info(Registrations& registrations, const View& view, const Query& query,
                         UnixTime now);

/// The port has acknowledged the block of `outcome`: the change takes effect, and `outcome` is the
/// response.
Outcome alias_written(Registrations& registrations, const Outcome& outcome);
/// It has not: nothing has changed, and the status is kNoResources.
Outcome alias_failed(Registrations& registrations, const Outcome& outcome);

}  // namespace sa
