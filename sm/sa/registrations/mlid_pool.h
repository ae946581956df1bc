#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "mad/ids.h"

namespace sa {

/// The MLIDs in use, and the number of groups of each. Policy: one group per MLID, the lowest that
/// is free; a new group is refused when none is left. MLIDs are shared only with
/// consolidate_ipv6_snm_req: sharing sends each group's packets to the members of all others.
class MlidPool {
 public:
  /// The lowest free MLID, up to and including `last`.
  std::optional<mad::Mlid> lowest_free(mad::Mlid last) const;
  bool is_free(mad::Mlid mlid) const { return users_of(mlid) == 0; }
  std::uint32_t users_of(mad::Mlid mlid) const;
  /// Counts one more group. The MLID is in kMlidMin..kMlidMax.
  void take(mad::Mlid mlid);
  void give_back(mad::Mlid mlid);

 private:
  std::vector<std::uint32_t> users_;    // from kMlidMin on
  mutable std::size_t first_free_ = 0;  // all below are in use
};

constexpr bool is_multicast(mad::Mlid mlid) {
  return mlid >= mad::kMlidMin && mlid <= mad::kMlidMax;
}

/// The last MLID that all switches can forward: by the smallest MulticastFDBCap of those that
/// forward multicast at all. Groups with a higher MLID from before a smaller switch appeared keep
/// it.
mad::Mlid last_mlid(const sm::Fabric& fabric);

}  // namespace sa
