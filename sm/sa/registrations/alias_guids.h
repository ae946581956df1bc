#pragma once
// Further GUIDs of ports, given by clients or by subnet administration itself.

#include <map>
#include <unordered_map>

#include "mad/attributes/guid_info.h"
#include "mad/ids.h"

namespace sa {

/// A place in the GUID tables of the subnet. Index 0 is the port GUID's and never here.
struct AliasPlace {
  mad::Guid port_guid;
  unsigned index = 0;
  auto operator<=>(const AliasPlace&) const = default;
};

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
    for (unsigned i = 0; i < mad::GuidInfo::kEntries; ++i) {
      const auto found = all_.find({port_guid, block * mad::GuidInfo::kEntries + i});
      if (found != all_.end()) out.set_guid(i, found->second);
    }
    return out;
  }
  /// Fills a place.
  void set(AliasPlace place, mad::Guid alias) {
    all_[place] = alias;
    owners_[alias] = place.port_guid;
  }

 private:
  std::map<AliasPlace, mad::Guid> all_;
  std::unordered_map<mad::Guid, mad::Guid> owners_;
};

}  // namespace sa
