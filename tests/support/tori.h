#pragma once
// Tori and meshes of up to three dimensions, whole and damaged, with the matching torus_config.

#include <array>
#include <set>
#include <utility>
#include <vector>

#include "routing/core/routing_options.h"
#include "support/fabrics.h"

namespace tori {

using At = std::array<unsigned, 3>;

struct Lattice {
  At radix{1, 1, 1};
  std::array<bool, 3> wraps{true, true, true};  // in dimensions of two this means a second link
  unsigned hosts_per_switch = 1, cables = 1;    // cables: number of parallel links

  std::set<At> lost_switches{};
  std::set<std::pair<At, unsigned>>
      lost_cables{};  // in plus direction of this dimension, with all parallel ones

  std::vector<At> places() const;  // x varies fastest
  /// The next position in that direction; itself where a mesh ends.
  At next(At at, unsigned dimension, bool plus) const;
  /// The node GUID of the switch; also of a lost switch. Its hosts have that of 0x...c900..., with
  /// their number in the lowest byte.
  mad::Guid guid(At at) const;
  static At coordinates(const fabric::Fabric& fabric, fabric::SwitchIndex sw);

  /// Switches are called S1_2_3. `shuffle`: seed of the order of switches and links, so that ports
  /// differ, too; 0: not shuffled.
  fabric::Fabric fabric(std::uint64_t shuffle = 0) const;
  /// One seed at each of these positions, with datelines so that all give the same coordinates.
  /// Links in plus direction, and in minus direction where a mesh ends or a ring has four.
  routing::TorusOptions options(const std::vector<At>& seeds = {{0, 0, 0}}) const;
};

}  // namespace tori
