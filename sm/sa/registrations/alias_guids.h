#pragma once
// Further GUIDs of ports, given by clients or by subnet administration itself.

#include <unordered_map>

#include "mad/attributes/guid_info.h"
#include "mad/ids.h"

namespace sa {

class AliasGuids {
 public:
  /// The port GUID of the end port that has this alias; Guid{} if nobody has.
  mad::Guid owner(mad::Guid alias) const {
    const auto found = owners_.find(alias);
    return found == owners_.end() ? mad::Guid{} : found->second;
  }

  /// What a block of the port's GUID table shall hold; entry 0 of block 0 is the port GUID.
  mad::GuidInfo block(mad::Guid port_guid, unsigned block) const {
    mad::GuidInfo out;
    if (block == 0) out.set_guid(0, port_guid);
    return out;
  }

 private:
  std::unordered_map<mad::Guid, mad::Guid> owners_;
};

}  // namespace sa
