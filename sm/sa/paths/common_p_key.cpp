#include "sm/sa/paths/common_p_key.h"

#include "fabric/partition_map.h"

namespace sa {

std::optional<mad::PKey> common_p_key(std::span<const mad::PKey> from,
                                      std::span<const mad::PKey> to,
                                      std::optional<mad::PKey> wanted,
                                      const config::NumberRanges& allowed) {
  std::optional<mad::PKey> found;
  for (std::size_t i = 0, k = 0; i < from.size() && k < to.size();) {
    const std::uint16_t left = mad::p_key_base(from[i]), right = mad::p_key_base(to[k]);
    if (left < right) {
      if (found) return found;
      ++i;
    } else if (right < left) {
      ++k;
    } else {
      const bool counts = (!wanted || mad::p_key_base(*wanted) == left) &&
                          (allowed.empty() || allowed.contains(left));
      // Compares all keys of this partition at the far end with this one. A full membership, which
      // is second, is preferred.
      for (std::size_t other = k; counts && other < to.size() && mad::p_key_base(to[other]) == left;
           ++other)
        if (fabric::may_communicate(from[i], to[other])) found = from[i];
      ++i;
      if (found && (i == from.size() || mad::p_key_base(from[i]) != left)) return found;
    }
  }
  return found;
}

}  // namespace sa
