#pragma once
// Finds links that run narrower or slower than they could, or than those beside them. Pure.

#include <vector>

#include "fabric/fabric.h"

namespace sm {

inline constexpr std::size_t kSlowLinksNamed = 100;

/// SM-LINK-DEGRADED for each link that is up and narrower or slower than both ends support, and for
/// each one that is not but stands out: a link between switches with a lower rate than every other
/// one from the same switch to switches of the same tier, or a host's link with fewer lanes than
/// every other one of its switch; there are two others at least. A host that supports no
/// more lanes does not stand out, nor does a port that has half of the lanes of a split one. What
/// is beyond kSlowLinksNamed is counted by one more.
std::vector<Condition> slow_links(const Fabric& fabric);

}  // namespace sm
