#include "routing/graph/clusters.h"

#include <numeric>
#include <utility>

namespace routing {

using fabric::SwitchIndex;

Clusters::Clusters(const std::vector<std::uint64_t>& key) : parent_(key.size()), key_(key) {
  std::iota(parent_.begin(), parent_.end(), SwitchIndex{0});
}

SwitchIndex Clusters::find(SwitchIndex sw) {
  while (parent_[sw] != sw) sw = parent_[sw] = parent_[parent_[sw]];
  return sw;
}

void Clusters::join(SwitchIndex a, SwitchIndex b) {
  a = find(a);
  b = find(b);
  if (key_[b] < key_[a]) std::swap(a, b);
  parent_[b] = a;
}

}  // namespace routing
