#pragma once
// The record types that are found by walking the forwarding tables.

#include <span>

#include "sm/sa/query/record_type.h"

namespace sa {

extern const RecordType kPathRecord;
extern const RecordType kMultiPathRecord;  // request: MultiPathRecord, response: PathRecords
extern const RecordType kTraceRecord;      // request: PathRecord, response: TraceRecords

/// All of them.
std::span<const RecordType* const> path_types();

}  // namespace sa
