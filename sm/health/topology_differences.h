#pragma once
// How a fabric differs from a topology that was saved.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mad/ids.h"
#include "mad/link_speed.h"
#include "sm/health/compared_topology.h"

namespace sm {

enum class DifferenceKind : std::uint8_t {
  node_missing,         // in the saved topology only
  node_extra,           // not in the saved topology
  node_moved,           // all of its links lead elsewhere
  description_changed,  // NodeDescription
  link_missing,
  link_extra,
  miscabled,    // ports that were linked are linked otherwise, such as two ports swapped
  link_slower,  // narrower, or lanes slower
  link_faster   // wider, or lanes faster, and neither of the above
};
/// "node_missing" and so on: as in JSON.
std::string_view find_name(DifferenceKind kind);

struct DifferentNode {
  mad::Guid guid;
  std::string description;
};
struct DifferentEnd {
  DifferentNode node;
  mad::PortNum port;
};
struct DifferentLink {
  DifferentEnd a, b;
};

struct Difference {
  DifferenceKind kind{};
  DifferentNode node = {};  // of kinds that name a node; else GUID 0
  /// Links that the saved topology has, and the ones that are there now: of a node, its links,
  /// which begin at it; miscabled: those among the same ports; else the link itself in one or both.
  std::vector<DifferentLink> saved = {}, now = {};
  std::string saved_description = {};            // description_changed
  mad::LinkRate saved_rate = {}, now_rate = {};  // link_slower, link_faster
};

/// By kind, in the order above, then as nodes and links are in the topologies. Nodes are the same
/// if their NodeGUIDs are. A link of a node that is missing or extra is reported with the node, not
/// alone. A node's description is the same if the other side has it as NodeDescription or as
/// operator's name; what is not printable, and blanks at the end, do not count, since ibnetdiscover
/// replaces them. Rates are compared where both are known. Two nodes with one GUID are compared as
/// one.
std::vector<Difference> differences(const ComparedTopology& saved, const ComparedTopology& now);

}  // namespace sm
