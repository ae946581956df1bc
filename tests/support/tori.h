#pragma once
// Tori and meshes of up to three dimensions, whole and damaged, with what torus_config would say of
// them.

#include <array>
#include <set>
#include <utility>
#include <vector>

#include "routing/core/options.h"
#include "support/fabrics.h"

namespace tori {

using At = std::array<unsigned, 3>;

struct Lattice {
  At radix{1, 1, 1};
  std::array<bool, 3> wraps{true, true, true};  // in dimensions of two this means a second cable
  unsigned hosts_per_switch = 1, cables = 1;    // cables: parallel ones

  std::set<At> lost_switches{};
  std::set<std::pair<At, unsigned>>
      lost_cables{};  // in plus direction of this dimension, with all parallel ones

  std::vector<At> places() const;  // x runs fastest
  /// The next place in that direction; itself where a mesh ends.
  At next(At at, unsigned dimension, bool plus) const;
  /// The node GUID of the switch; also where it is lost. Its hosts have that of 0x...c900..., with
  /// their number in the lowest byte.
  mad::Guid guid(At at) const;
  static At place_of(const sm::Fabric& fabric, sm::SwitchIndex sw);

  /// Switches are called S1_2_3. `shuffle`: order of switches and cables, so that ports differ too;
  /// 0: as they come.
  sm::Fabric fabric(std::uint64_t shuffle = 0) const;
  /// One seed at each of these places, with datelines so that all mean the same coordinates. Links
  /// in plus direction, and in minus direction where a mesh ends or a ring has four.
  routing::TorusOptions options(const std::vector<At>& seeds = {{0, 0, 0}}) const;
};

}  // namespace tori
