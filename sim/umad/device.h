#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/port_tables.h"
#include "sim/umad/port_agents.h"

namespace sim::umad {

/// Sends a Get to the node at the end of `route`; nullopt if there is no valid response.
using QuerySmp = std::function<std::optional<std::array<std::uint8_t, 64>>(
    PortAgents& port, mad::AttributeId attribute, std::uint32_t modifier)>;

struct DevicePort {
  unsigned number = 0;
  unsigned umad = 0;             // N of umadN and issmN
  PortAgents* agents = nullptr;  // not owned; null: the server does not let clients attach here
  mad::Guid guid;
};

/// A simulated node as this process sees it: NodeInfo and ports.
struct Device {
  std::string name;  // "ibsim0"
  mad::NodeInfo node_info;
  std::string description;
  std::vector<DevicePort> ports;

  /// Returns a port that can send requests.
  PortAgents* any() const;
  const DevicePort* port(unsigned number) const;

  std::optional<mad::PortInfo> port_info(const DevicePort& port, const QuerySmp& query) const;
  std::optional<mad::PKeyTable> p_keys(const DevicePort& port, unsigned block,
                                       const QuerySmp& query) const;
};

/// Attaches to all ports of `node` that the server allows, and reads the attributes that do not
/// change. `keep` receives the links of the ports, and registers them with the receive thread.
/// `ordinal` counts links, `umad` counts ports; both are advanced.
tl::expected<Device, std::string> attach_device(
    const ServerAddress& server, const std::string& node, std::string name, unsigned& ordinal,
    unsigned& umad, const std::function<PortAgents&(std::unique_ptr<SimulatorLink>)>& keep,
    const QuerySmp& query);

}  // namespace sim::umad
