#pragma once
// The types whose records come from the snapshot alone.

#include <span>

#include "sm/sa/query/record_type.h"

namespace sa {

extern const RecordType kClassPortInfo;
extern const RecordType kNodeRecord;
extern const RecordType kPortInfoRecord;
extern const RecordType kSlToVlTableRecord;
extern const RecordType kSwitchInfoRecord;
extern const RecordType kLinearForwardingTableRecord;
extern const RecordType kRandomForwardingTableRecord;
extern const RecordType kMulticastForwardingTableRecord;
extern const RecordType kSmInfoRecord;
extern const RecordType kLinkRecord;
extern const RecordType kGuidInfoRecord;
extern const RecordType kPKeyTableRecord;
extern const RecordType kVlArbitrationTableRecord;

/// All of them.
std::span<const RecordType* const> record_types();

}  // namespace sa
