#pragma once
// LIDs and M_Keys as records of the replicated state: the lines of OpenSM's cache files, one record
// a port GUID.

#include <optional>
#include <string>
#include <vector>

#include "sm/store/cache_files.h"
#include "sm/store/guid2lid.h"
#include "sm/store/key_version.h"
#include "sm/store/replica/state_replica.h"

namespace sm {

Records records_of(const Guid2Lid& lids);
Records records_of(const Guid2MKey& keys);
Records records_of(const KeyVersion& version);

/// The contents of the sections of LIDs, M_Keys and their version.
struct CacheRecords {
  Guid2Lid lids;  // legal as those of load_guid2lid(); none if one of them is not
  Guid2MKey m_keys;
  std::optional<KeyVersion> key_version;
  std::vector<std::string> rejected;  // records and defects; they are left out
};
/// Reads the records, whatever is in them.
CacheRecords read_cache_records(const Records& records);

}  // namespace sm
