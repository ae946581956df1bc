#pragma once
// Finds the node or end port that a person means.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"

namespace fabric {

struct NamedNode {
  NodeIndex node = kNoIndex;
  std::optional<unsigned> number;  // of a port, as the text has it behind the colon; may not exist
  PortIndex end_port = kNoIndex;   // if it was named by a LID or PortGUID: the port that has it
  mad::Lid lid;                    // if it was named by one, else 0
};

/// `text`: a LID (5, 0x5), a GUID of a node or port (0x0002c90300000001), a NodeDescription or its
/// first word; each may have ":PORT" behind it. Names are also found in another case if no node has
/// the exact name. Errors: nothing or several things are called so, in words with examples.
tl::expected<NamedNode, std::string> find_node(const Fabric& fabric, const LidMap& lids,
                                               std::string_view text);

struct NamedPort {
  PortIndex port = kNoIndex;  // an end port
  mad::Lid lid;  // the one that was named, or else the port's base LID; 0 if it has none
};

/// `text`: as of find_node(). A switch means its port 0. Errors: also a node with several ports, of
/// which none was named.
tl::expected<NamedPort, std::string> find_port(const Fabric& fabric, const LidMap& lids,
                                               std::string_view text);

/// Returns the ports of a CA or router that have a cable and did not answer SubnGet(PortInfo). They
/// are not end ports.
std::vector<PortIndex> unread_ports(const Fabric& fabric, NodeIndex node);

}  // namespace fabric
