#include "fabric/topology/findings.h"

#include "mad/format.h"

namespace topology {

void Findings::error(const Position& position, std::string what, std::string remedy) {
  add(config::Severity::error, position, std::move(what), std::move(remedy));
}

void Findings::warning(const Position& position, std::string what, std::string remedy) {
  add(config::Severity::warning, position, std::move(what), std::move(remedy));
}

void Findings::add(config::Severity severity, const Position& position, std::string what,
                   std::string remedy) {
  if (full()) return;
  out_.push_back({severity, position.file, position.line, position.column, std::move(what),
                  std::move(remedy)});
}

void IdentityCheck::add(const Node& node, const Position& position) {
  const std::string shown = config::in_quotes(node.key());
  if (const auto [it, fresh] = ids_.emplace(node.key(), position); !fresh) {
    findings_.error(position,
                    fmt::format("a node {} is in line {} already", shown, it->second.line),
                    "every node needs a name of its own");
  }
  if (node.guid.value == 0) {
    findings_.error(position, fmt::format("node {} has GUID 0", shown),
                    "a GUID is any other 64-bit number");
  } else if (const auto [it, fresh] = node_guids_.emplace(node.guid, std::pair{shown, position});
             !fresh) {
    findings_.error(position,
                    fmt::format("GUID {} of {} belongs to {} in line {}", node.guid, shown,
                                it->second.first, it->second.second.line),
                    "every node needs a GUID of its own");
    return;  // the GUIDs of the ports follow from it
  }
  if (node.type == NodeType::switch_) {
    add_port_guid(shown, node.guid, position);
  } else {
    for (unsigned port = 1; port <= node.port_count; ++port) {
      add_port_guid(fmt::format("{} port {}", shown, port),
                    node.port_guid({static_cast<std::uint8_t>(port)}), position);
    }
  }
}

void IdentityCheck::add_port_guid(const std::string& owner, mad::Guid guid,
                                  const Position& position) {
  if (const auto [it, fresh] = port_guids_.emplace(guid, std::pair{owner, position}); !fresh) {
    findings_.error(position,
                    fmt::format("port GUID {} of {} belongs to {} in line {}", guid, owner,
                                it->second.first, it->second.second.line),
                    "leave room between node GUIDs: port p of a host or router has node GUID + p "
                    "unless the file says otherwise");
  }
}

}  // namespace topology
