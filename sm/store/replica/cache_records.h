#pragma once
// Contents of small files of the cache as records of the replicated state: their lines, one record
// a port, switch or link.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sm/store/ar_group_ids.h"
#include "sm/store/cache_files.h"
#include "sm/store/guid2lid.h"
#include "sm/store/isolation_orders.h"
#include "sm/store/key_version.h"
#include "sm/store/replica/state_replica.h"

namespace sm {

Records records_of(const Guid2Lid& lids);
Records records_of(const Guid2MKey& keys);
Records records_of(const KeyVersion& version);
Records records_of(const GroupIds& ids);
Records records_of(std::span<const StoredIsolation> orders);

// Each reads its section, whatever is in it, and adds records and defects that it leaves out to
// `rejected`.

/// The LIDs are legal as those of load_guid2lid(); there are none if one of them is not.
Guid2Lid read_lids(const Records& records, std::vector<std::string>& rejected);
Guid2MKey read_m_keys(const Records& records, std::vector<std::string>& rejected);
std::optional<KeyVersion> read_key_version(const Records& records,
                                           std::vector<std::string>& rejected);
/// No two switches have the same number.
GroupIds read_group_ids(const Records& records, std::vector<std::string>& rejected);
std::vector<StoredIsolation> read_isolations(const Records& records,
                                             std::vector<std::string>& rejected);

}  // namespace sm
