#pragma once
// The types of records that are found by walking the forwarding tables.

#include <span>

#include "sm/sa/query/record_type.h"

namespace sa {

extern const RecordType kPathRecord;
extern const RecordType kMultiPathRecord;  // asked by MultiPathRecord, answered by PathRecords
extern const RecordType kTraceRecord;      // asked by PathRecord, answered by TraceRecords

/// All of them.
std::span<const RecordType* const> path_types();

}  // namespace sa
