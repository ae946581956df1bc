#pragma once
// GUIDInfoRecord: giving further GUIDs to ports and taking them away (IBTA Vol 1, 15.2.5.18).
//
// An answer that promises an alias must not go out before the port has it. So an Outcome with
// `alias_write` is not an answer yet: the caller writes that block to the port by SubnSet(GUIDInfo)
// and then ends the change, by alias_written() or alias_failed(). Without `alias_write` nothing is
// to be done.

#include "mad/records/guid_info_record.h"
#include "sm/sa/registrations/outcome.h"

namespace sa {

/// Set: entries with value 0 get a GUID made by subnet administration; entries whose value somebody
/// else has come back as 0 and stay as they were.
Outcome set_guid_info(Registrations& registrations, const View& view, const Query& query,
                      UnixTime now);
/// Delete: empties entries.
Outcome delete_guid_info(Registrations& registrations, const View& view, const Query& query,
                         UnixTime now);

/// The port has acknowledged the block of `outcome`: the change holds, and `outcome` is the answer.
Outcome alias_written(Registrations& registrations, const Outcome& outcome);
/// It has not: nothing has changed, and the answer is kNoResources.
Outcome alias_failed(Registrations& registrations, const Outcome& outcome);

}  // namespace sa
