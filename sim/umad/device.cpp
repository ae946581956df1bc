#include "sim/umad/device.h"

#include <algorithm>

#include "mad/attributes/port_tables.h"

namespace sim::umad {

PortAgents* Device::any() const {
  const auto found = std::find_if(ports.begin(), ports.end(),
                                  [](const DevicePort& port) { return port.agents != nullptr; });
  return found == ports.end() ? nullptr : found->agents;
}

const DevicePort* Device::port(unsigned number) const {
  const auto found = std::find_if(ports.begin(), ports.end(),
                                  [&](const DevicePort& port) { return port.number == number; });
  return found == ports.end() ? nullptr : &*found;
}

std::optional<mad::PortInfo> Device::port_info(const DevicePort& port,
                                               const QuerySmp& query) const {
  PortAgents* through = port.agents != nullptr ? port.agents : any();
  const auto bytes = query(*through, mad::AttributeId::port_info, port.number);
  if (!bytes) return std::nullopt;
  return mad::PortInfo(*bytes);
}

std::optional<mad::PKeyTable> Device::p_keys(const DevicePort& port, unsigned block,
                                             const QuerySmp& query) const {
  if (port.agents == nullptr)
    return std::nullopt;  // a CA returns the table of the port that received the request
  const auto bytes = query(*port.agents, mad::AttributeId::p_key_table, block);
  if (!bytes) return std::nullopt;
  return mad::PKeyTable(*bytes);
}

tl::expected<Device, std::string> attach_device(
    const ServerAddress& server, const std::string& node, std::string name, unsigned& ordinal,
    unsigned& umad, const std::function<PortAgents&(std::unique_ptr<SimulatorLink>)>& keep,
    const QuerySmp& query) {
  auto link = SimulatorLink::attach(server, node, ordinal++);
  if (!link) return tl::unexpected(link.error().text);
  const std::string server_name = (*link)->node();
  PortAgents& first = keep(std::move(*link));
  Device device;
  device.name = std::move(name);
  const auto node_info = query(first, mad::AttributeId::node_info, 0);
  if (!node_info)
    return tl::unexpected("the node at \"" + server_name + "\" (" + server.text() +
                          ") does not answer");
  device.node_info = mad::NodeInfo(*node_info);
  if (const auto text = query(first, mad::AttributeId::node_description, 0)) {
    device.description.assign(text->begin(),
                              std::find(text->begin(), text->end(), std::uint8_t{0}));
  }

  const unsigned first_number = device.node_info.local_port_num().value;
  const std::uint64_t first_guid = device.node_info.port_guid().value;
  if (device.node_info.node_type() == mad::NodeType::switch_) {
    // A switch has one port here, whatever its input port: programs on a switch are at its port 0.
    device.ports.push_back(
        {.number = 0, .umad = umad++, .agents = &first, .guid = mad::Guid{first_guid}});
    return device;
  }
  first.set_port(first_number);
  bool more = true;  // upstream attaches to one port of a node: one refusal is enough
  for (unsigned number = 1; number <= device.node_info.num_ports(); ++number) {
    DevicePort port{.number = number,
                    .umad = umad++,
                    .agents = nullptr,
                    .guid = mad::Guid{first_guid - first_number + number}};
    if (number == first_number) {
      port.agents = &first;
    } else if (more) {
      auto other =
          SimulatorLink::attach(server, server_name + ":" + std::to_string(number), ordinal++);
      more = other.has_value();
      if (other) {
        port.agents = &keep(std::move(*other));
        port.agents->set_port(number);
        if (const auto seen = query(*port.agents, mad::AttributeId::node_info, 0))
          port.guid = mad::NodeInfo(*seen).port_guid();
      }
    }
    device.ports.push_back(port);
  }
  return device;
}

}  // namespace sim::umad
