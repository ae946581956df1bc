#pragma once
// Further GUIDs of ports, given by clients or by subnet administration itself.

#include <unordered_map>

#include "mad/ids.h"

namespace sa {

class AliasGuids {
 public:
  /// The port GUID of the end port that has this alias; Guid{} if nobody has.
  mad::Guid owner(mad::Guid alias) const {
    const auto found = owners_.find(alias);
    return found == owners_.end() ? mad::Guid{} : found->second;
  }

 private:
  std::unordered_map<mad::Guid, mad::Guid> owners_;
};

}  // namespace sa
