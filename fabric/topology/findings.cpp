#include "fabric/topology/findings.h"

#include "mad/format.h"

namespace sim {

void Findings::error(const Place& place, std::string what, std::string remedy) {
  if (full()) return;
  out_.push_back({config::Severity::error, place.file, place.line, place.column, std::move(what),
                  std::move(remedy)});
}

void IdentityCheck::add(const Node& node, const Place& place) {
  const std::string shown = config::in_quotes(node.key());
  if (const auto [it, fresh] = ids_.emplace(node.key(), place); !fresh) {
    findings_.error(place, fmt::format("a node {} is in line {} already", shown, it->second.line),
                    "every node needs a name of its own");
  }
  if (node.guid.value == 0) {
    findings_.error(place, fmt::format("node {} has GUID 0", shown),
                    "a GUID is any other 64-bit number");
  } else if (const auto [it, fresh] = node_guids_.emplace(node.guid, std::pair{shown, place});
             !fresh) {
    findings_.error(place,
                    fmt::format("GUID {} of {} belongs to {} in line {}", node.guid, shown,
                                it->second.first, it->second.second.line),
                    "every node needs a GUID of its own");
    return;  // the GUIDs of the ports follow from it
  }
  if (node.type == NodeType::switch_) {
    add_port_guid(shown, node.guid, place);
  } else {
    for (unsigned port = 1; port <= node.port_count; ++port) {
      add_port_guid(fmt::format("{} port {}", shown, port),
                    node.port_guid({static_cast<std::uint8_t>(port)}), place);
    }
  }
}

void IdentityCheck::add_port_guid(const std::string& owner, mad::Guid guid, const Place& place) {
  if (const auto [it, fresh] = port_guids_.emplace(guid, std::pair{owner, place}); !fresh) {
    findings_.error(place,
                    fmt::format("port GUID {} of {} belongs to {} in line {}", guid, owner,
                                it->second.first, it->second.second.line),
                    "leave room between node GUIDs: port p of a host or router has node GUID + p "
                    "unless the file says otherwise");
  }
}

}  // namespace sim
