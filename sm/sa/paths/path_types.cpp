#include "sm/sa/paths/path_types.h"

namespace sa {

std::span<const RecordType* const> path_types() {
  static constexpr std::array kAll{&kPathRecord, &kMultiPathRecord, &kTraceRecord};
  return kAll;
}

}  // namespace sa
