#pragma once
// A subnet of which this manager sees nothing but its own node.

#include <optional>

#include "fabric/condition.h"
#include "fabric/fabric.h"

namespace sm {

/// SM-SUBNET-SILENT, if a link of the manager's own node is up, no end port of another node was
/// read, and the survey says why: the condition names the first node that does not answer.
std::optional<Condition> silent_subnet(const Fabric& surveyed);

}  // namespace sm
