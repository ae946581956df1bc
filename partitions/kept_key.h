#pragma once
// P_Keys that ports keep although no membership of this manager explains them, as a value.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "mad/ids.h"

namespace partitions {

/// A P_Key in the table of an end port or vport.
struct KeptKey {
  mad::Guid guid;
  mad::PKey key;
  bool index0 = false;  // at index 0 of the table
  auto operator<=>(const KeptKey&) const = default;
};
/// Ascending.
using KeptKeys = std::vector<KeptKey>;
using SharedKept = std::shared_ptr<const KeptKeys>;  // may be null

/// Returns the kept keys of a port or vport.
inline std::span<const KeptKey> kept_keys(const KeptKeys& kept, mad::Guid guid) {
  const auto found = std::ranges::equal_range(kept, guid, {}, &KeptKey::guid);
  return {found.begin(), found.end()};
}

}  // namespace partitions
