#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "fabric/fabric.h"

namespace fabric {

/// Connected components of switches, as links are added. A union-find structure with path halving
/// (Tarjan, van Leeuwen 1984).
class ConnectedSwitches {
 public:
  explicit ConnectedSwitches(std::size_t switches) : parent_(switches) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  /// Returns false if they were connected already.
  bool connect(SwitchIndex a, SwitchIndex b) {
    const std::uint32_t x = root(a.value), y = root(b.value);
    parent_[x] = y;
    return x != y;
  }

 private:
  std::uint32_t root(std::uint32_t of) {
    while (parent_[of] != of) of = parent_[of] = parent_[parent_[of]];
    return of;
  }
  std::vector<std::uint32_t> parent_;
};

}  // namespace fabric
