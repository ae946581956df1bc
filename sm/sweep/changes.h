#pragma once
// What an operator wants to read when something broke: who is gone, who is new, which links.

#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace sm {

struct Change {
  bool loss = false;  // a node or a link that was there
  std::string text;   // names nodes and ports
  bool operator==(const Change&) const = default;
};

/// Nodes that came or went, and links between nodes that are in both pictures; nodes first, losses
/// before gains. A link of a node that came or went is not reported by itself: the node is reported
/// with where it is or was.
std::vector<Change> changes(const Fabric& before, const Fabric& after);

}  // namespace sm
