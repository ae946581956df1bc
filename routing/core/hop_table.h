#pragma once
// A table of distances between all pairs of switches.

#include <cstddef>
#include <limits>

#include "fabric/fabric.h"
#include "fabric/large_array.h"

namespace routing {

/// hops[from][to], in hops or weights. Each row is padded to 64 entries of kNoPath, so that loops
/// over a row vectorise.
template <class Hops>
class HopTable {
 public:
  static constexpr Hops kNoPath = std::numeric_limits<Hops>::max();
  static constexpr std::size_t kPad = 64;

  explicit HopTable(std::size_t switches)
      : pitch_((switches + kPad - 1) / kPad * kPad), hops_(switches * pitch_, kNoPath) {}

  std::size_t pitch() const { return pitch_; }
  Hops* row(fabric::SwitchIndex from) { return hops_.data() + from * pitch_; }
  const Hops* row(fabric::SwitchIndex from) const { return hops_.data() + from * pitch_; }

 private:
  std::size_t pitch_;
  fabric::LargeArray<Hops> hops_;
};

}  // namespace routing
