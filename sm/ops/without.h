#pragma once
// A fabric without some of its nodes or links: for plans.

#include <span>
#include <string>
#include <tl/expected.hpp>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"

namespace sm {

/// Sets the links to Down that `without` names, each "NODE" (all of its links) or "NODE:PORT",
/// where NODE is what find_node() takes. Errors: in words, "leaf-9: no node is called so"; then
/// some may be Down already.
tl::expected<void, std::string> disable_links(Fabric& fabric, const LidMap& lids,
                                              std::span<const std::string> without);

}  // namespace sm
