#include "sm/ops/vports_json.h"

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/rows.h"
#include "virt/find.h"

namespace sm {

namespace {

/// Why none of its vports is managed; "" if they are.
std::string why_none(const VirtualizedPort* port, unsigned enabled) {
  if (port != nullptr && port->info.virtualization_enable()) return "";
  if (enabled != 2) return fmt::format("virt_enabled is {}", enabled);
  if (port == nullptr) return "VirtualizationInfo is not answered, or refused";
  if (port->info.virtualization_revision() != 0)
    return fmt::format("VirtualizationRevision {} is not known",
                       port->info.virtualization_revision());
  return "not switched on: see SM-VPORT-PROBE-FAILED in `heddlectl status`";
}

nlohmann::json port_json(const Subnet& subnet, PortIndex index, unsigned enabled) {
  const Port& port = subnet.fabric.ports[index];
  const VirtualizedPort* const of = subnet.vports ? subnet.vports->at(index) : nullptr;
  nlohmann::json json{{"host", subnet.fabric.description(port.node)},
                      {"guid", fmt::format("{}", port.guid)},
                      {"port", port.number.value},
                      {"lid", subnet.lids_of(index).base.value},
                      {"enabled", of != nullptr && of->info.virtualization_enable()},
                      {"vport_cap", of == nullptr ? 0u : unsigned{of->info.vport_cap()}},
                      {"vports", nlohmann::json::array()}};
  if (const std::string why = why_none(of, enabled); !why.empty()) json["why"] = why;
  for (std::uint32_t i = 0; of != nullptr && i < of->count; ++i)
    json["vports"].push_back(vport_row(*subnet.vports, of->first + i));
  return json;
}

}  // namespace

std::string vports_json(const ManagerStatus& status) {
  nlohmann::json json{{"virt_enabled", status.virt_enabled}, {"ports", nlohmann::json::array()}};
  if (const Subnet* const subnet = status.subnet.get()) {
    for (const PortIndex port : subnet->fabric.end_ports) {
      if (virt::can_have_vports(subnet->fabric.ports[port]) ||
          (subnet->vports && subnet->vports->at(port) != nullptr))
        json["ports"].push_back(port_json(*subnet, port, status.virt_enabled));
    }
  }
  // Descriptions come from the wire: what is not UTF-8 is replaced.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace sm
