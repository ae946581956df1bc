#include "sm/sa/records/record_types.h"

namespace sa {

std::span<const RecordType* const> record_types() {
  static constexpr std::array kAll{&kClassPortInfo,
                                   &kNodeRecord,
                                   &kPortInfoRecord,
                                   &kSlToVlTableRecord,
                                   &kSwitchInfoRecord,
                                   &kLinearForwardingTableRecord,
                                   &kRandomForwardingTableRecord,
                                   &kMulticastForwardingTableRecord,
                                   &kSmInfoRecord,
                                   &kLinkRecord,
                                   &kGuidInfoRecord,
                                   &kPKeyTableRecord,
                                   &kVlArbitrationTableRecord};
  return kAll;
}

}  // namespace sa
