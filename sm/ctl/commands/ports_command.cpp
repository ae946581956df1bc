// heddlectl ports lists the InfiniBand ports of this machine.

#include <iostream>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "mad/umad/local_ports.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"

namespace sm::commands {

namespace {

/// Returns the state of the Heddle that runs on that port.
std::optional<std::string> manager_on(mad::Guid port) {
  const auto subnet = ManagerApi(port).get("/v1/subnet");
  if (!subnet) return std::nullopt;
  return subnet->value("state", "");
}

}  // namespace

int ports(const PortsOptions& options) {
  const std::vector<mad::umad::LocalPort> local = mad::umad::list_local_ports();
  if (options.guids) {
    // Devices may share a GUID.
    std::set<mad::Guid> printed;
    for (const mad::umad::LocalPort& port : local)
      if (port.is_manageable() && printed.insert(port.guid).second)
        std::cout << fmt::format("{}\n", port.guid);
    return kOk;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const mad::umad::LocalPort& port : local) {
    const auto manager = port.infiniband && port.has_guid() ? manager_on(port.guid) : std::nullopt;
    if (options.json) {
      rows.push_back({{"guid", fmt::format("{}", port.guid)},
                      {"device", port.device},
                      {"port", port.number},
                      {"state", port.state_text()},
                      {"link_layer", port.infiniband ? "InfiniBand" : "Ethernet"},
                      {"manageable", port.is_manageable()}});
      if (manager) rows.back()["heddle"] = *manager;
    } else {
      const std::string note = manager            ? "Heddle is " + *manager
                               : !port.infiniband ? ""
                               : !port.has_guid() ? "GUID 0: no subnet manager can run here"
                               : !port.has_smi    ? "no subnet manager can run here"
                               : port.omni_path   ? "Omni-Path"
                                                  : "";
      std::cout << fmt::format("{}  {:<10} port {}  {:<8}  {}\n", port.guid, port.device,
                               port.number, port.infiniband ? port.state_text() : "Ethernet", note);
    }
  }
  if (options.json) {
    std::cout << rows.dump(2) << '\n';
  } else if (local.empty()) {
    complain(mad::umad::no_ports_text(mad::umad::are_namespaces_exclusive()));
    return kFailed;
  }
  return kOk;
}

}  // namespace sm::commands
