#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace routing {

/// Holds disjoint sets of switches (union-find); the lowest key of its members identifies a set.
class Clusters {
 public:
  explicit Clusters(const std::vector<std::uint64_t>& key);
  void join(fabric::SwitchIndex a, fabric::SwitchIndex b);
  std::uint64_t key(fabric::SwitchIndex sw) { return key_[find(sw)]; }

 private:
  fabric::SwitchIndex find(fabric::SwitchIndex sw);
  std::vector<fabric::SwitchIndex> parent_;
  std::vector<std::uint64_t> key_;
};

}  // namespace routing
