#pragma once
// This file finds how a fabric differs from a saved topology.

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
/// Returns "node_missing" and so on, as in JSON.
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
  /// Links of the saved topology, and links that are present now. A difference of a node has the
  /// node's links, which begin at it; a miscabled one has those among the same ports; any other has
  /// the link itself in one or both lists.
  std::vector<DifferentLink> saved = {}, now = {};
  std::string saved_description = {};            // description_changed
  mad::LinkRate saved_rate = {}, now_rate = {};  // link_slower, link_faster
};

/// Returns the differences by kind, in the order above, then in the order of nodes and links in the
/// topologies. Nodes are the same if their NodeGUIDs are; two nodes with one GUID are compared as
/// one. A link of a node that is missing or extra is reported with the node, not alone.
/// Descriptions are the same if the other side has the text as NodeDescription or as operator's
/// name. Unprintable characters and trailing blanks do not count, since ibnetdiscover replaces
/// them. Rates are compared if both are known.
std::vector<Difference> differences(const ComparedTopology& saved, const ComparedTopology& now);

/// One line, without an end of line: what differs, with both ends of links by name, GUID and port.
std::string describe(const Difference& difference);

}  // namespace sm
