#include "fabric/adaptive_groups.h"

#include <algorithm>

namespace fabric {

GroupId AdaptiveGroups::top() const {
  const auto highest = std::ranges::max_element(group_to);
  return highest == group_to.end() ? GroupId{0} : *highest;
}

std::string_view text(AdaptiveState state) {
  switch (state) {
    case AdaptiveState::off:
      return "off";
    case AdaptiveState::active:
      return "active";
    case AdaptiveState::pending:
      return "tables are being written";
    case AdaptiveState::unsupported:
      return "no adaptive routing capability";
    case AdaptiveState::refused:
      return "the switch rejects its settings or tables";
    case AdaptiveState::mismatch:
      return "the switch shows other tables than were written to it";
    case AdaptiveState::silent:
      return "the switch does not answer requests about adaptive routing";
  }
  return "";
}

}  // namespace fabric
