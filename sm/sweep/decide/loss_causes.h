#pragma once
// Finds which switch cut lost nodes off, and how much of the capacity between switches was lost.

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "fabric/fabric.h"

namespace sm {

/// Maps each lost node (its NodeGUID) that had no link to a node that remains to the lost switch
/// that connected it: its parent in a breadth-first search from the remaining nodes through lost
/// switches. A lost node that had such a link is the cause of its own loss, and is not in the map.
/// Pure.
std::map<mad::Guid, mad::Guid> find_loss_causes(const Fabric& before, const Fabric& after);

/// Holds the tiers of the switches at both ends of a link, the lower one first. The tier of a
/// switch is its distance in links from the nearest switch with a host.
struct LinkTier {
  unsigned lower = 0, upper = 0;
  auto operator<=>(const LinkTier&) const = default;
};

/// Sorts the links between switches by their tiers.
class SwitchTiers {
 public:
  explicit SwitchTiers(const Fabric& fabric);

  /// Returns nullopt unless the port has a link between switches that is up.
  std::optional<LinkTier> find_tier(PortIndex port) const;
  /// Counts the links of each tier.
  std::map<LinkTier, std::size_t> counts() const;

 private:
  const Fabric& fabric_;
  IndexVector<SwitchIndex, unsigned> tiers_;
};

/// Holds how many of the links between two tiers were lost.
struct CapacityShare {
  std::size_t lost = 0, all = 0;
  LinkTier tier = {};

  double ratio() const {
    return all == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(all);
  }
  /// True if a tenth or more was lost, which is an error and not a warning.
  bool is_large() const { return lost * 10 >= all && lost > 0; }
  /// Returns "1/18 of the bisection", or "of the links between switches" where these are of one
  /// tier. A fraction with a denominator above 100 is in per cent, unless its numerator is 1.
  std::string text() const;
};

}  // namespace sm
