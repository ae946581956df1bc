#pragma once
// Routing chains: steps, each with an engine for a part of the fabric.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mad/ids.h"

namespace routing {

struct RoutingOptions;

/// A part of a fabric: switches, the links between them, and end ports.
struct FabricPart {
  struct SwitchPorts {
    mad::Guid sw;                          // NodeGUID
    std::vector<mad::PortNum> ports = {};  // of links that belong to the part; empty: all
    bool operator==(const SwitchPorts&) const = default;
  };
  std::vector<SwitchPorts> switches = {};
  std::vector<mad::Guid> end_ports = {};  // PortGUIDs of CAs and routers
  bool operator==(const FabricPart&) const = default;
};

struct ChainStep {
  std::uint64_t id = 0;
  std::string engine;                                  // of the registry
  std::shared_ptr<const FabricPart> part = {};         // null: the fabric
  std::uint64_t fallback_to = 0;                       // 0: it is no fallback
  std::shared_ptr<const RoutingOptions> options = {};  // null: those of the chain
  /// By value.
  bool operator==(const ChainStep& other) const;
};

}  // namespace routing
