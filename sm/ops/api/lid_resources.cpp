// /v1/lids, /v1/vports, /v1/virtualized-ports

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"
#include "virt/find.h"

namespace sm::api {

namespace {

web::Response list_lids(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto lid = parameters.number("lid", 1, mad::kUnicastLidMax.value);
  const auto guid = parameters.guid("guid");
  const auto type = parameters.one_of("type", value::kNodeType);
  const NameFilter name(parameters.text("name"));
  if (parameters.fault()) return *parameters.fault();
  const Subnet* const subnet = reading->subnet();
  const auto row = [=](std::size_t i) -> std::optional<nlohmann::json> {
    const mad::Lid at{static_cast<std::uint16_t>(i)};
    if (subnet->lids.owner(at) == kNoIndex) return std::nullopt;
    const Port& port = subnet->fabric.ports[subnet->lids.owner(at)];
    const Node& node = subnet->fabric.nodes[port.node];
    if (lid &&
        at != subnet->lid_range(subnet->owner(mad::Lid{static_cast<std::uint16_t>(*lid)})).base)
      return std::nullopt;
    if (guid && node.guid != *guid && subnet->find_guid(subnet->owner(at)) != *guid)
      return std::nullopt;
    if (type && mad::name(node.type) != choice(value::kNodeType, *type)) return std::nullopt;
    if (name.is_set() && !name.passes(subnet->fabric.description(port.node))) return std::nullopt;
    return lid_row(*subnet, at);
  };
  const bool is_unknown =
      subnet == nullptr ||
      (lid && subnet->owner(mad::Lid{static_cast<std::uint16_t>(*lid)}).port == kNoIndex);
  return list_by_key(
      reading, "lids", page, is_unknown ? 0 : subnet->lids.port_of_lid.size(), 4,
      [](std::size_t i) { return fmt::format("{:04x}", i); }, row);
}

/// Orders vports by PortGUID of the physical port, then by index.
std::vector<VPortIndex> vports_in_order(const Subnet* subnet) {
  std::vector<VPortIndex> order;
  if (subnet == nullptr || !subnet->vports) return order;
  const VPorts& vports = *subnet->vports;
  const auto all = vports.vports.indices();
  order.assign(all.begin(), all.end());
  std::ranges::sort(order, {}, [&](VPortIndex i) {
    const VPort& vport = vports.vports[i];
    return std::pair(subnet->fabric.ports[vport.port].guid, vport.index);
  });
  return order;
}

web::Response list_vports(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto state = parameters.one_of("state", value::kPortState);
  const auto guid = parameters.guid("guid");
  const NameFilter name(parameters.text("name"));
  if (parameters.fault()) return *parameters.fault();
  const Subnet* const subnet = reading->subnet();
  const auto shared = std::make_shared<const std::vector<VPortIndex>>(vports_in_order(subnet));
  const auto row = [=](std::size_t i) -> std::optional<nlohmann::json> {
    const VPort& vport = subnet->vports->vports[(*shared)[i]];
    const Port& port = subnet->fabric.ports[vport.port];
    if (state && mad::name(vport.state) != choice(value::kPortState, *state)) return std::nullopt;
    if (guid && vport.guid != *guid && port.guid != *guid &&
        subnet->fabric.nodes[port.node].guid != *guid)
      return std::nullopt;
    const std::string host = subnet->fabric.description(port.node);
    if (name.is_set() && !name.passes(host) && !name.passes(vport.description.text()))
      return std::nullopt;
    return listed_vport_row(*subnet, (*shared)[i]);
  };
  const auto key = [=](std::size_t i) {
    const VPort& vport = subnet->vports->vports[(*shared)[i]];
    return fmt::format("{:016x}{:04x}", subnet->fabric.ports[vport.port].guid.value, vport.index);
  };
  return list_by_key(reading, "vports", page, shared->size(), 20, key, row);
}

/// Lists ports whose devices support vports, by PortGUID.
web::Response list_virtualized_ports(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  if (parameters.fault()) return *parameters.fault();
  const Subnet* const subnet = reading->subnet();
  auto ports = std::make_shared<std::vector<PortIndex>>();
  const auto find_guid = [subnet](PortIndex port) { return subnet->fabric.ports[port].guid; };
  if (subnet != nullptr) {
    for (const PortIndex port : subnet->fabric.end_ports)
      if (virt::can_have_vports(subnet->fabric.ports[port]) ||
          (subnet->vports && subnet->vports->at(port) != nullptr))
        ports->push_back(port);
    std::ranges::sort(*ports, {}, find_guid);
  }
  const auto row = [=, enabled = reading->view->status.virt_enabled](
                       std::size_t i) -> std::optional<nlohmann::json> {
    return virtualized_port_row(*subnet, (*ports)[i], enabled);
  };
  const auto key = [=](std::size_t i) {
    return fmt::format("{:016x}", find_guid((*ports)[i]).value);
  };
  return list_by_key(reading, "ports", page, ports->size(), 16, key, row, false);
}

}  // namespace

void add_lids(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/lids", "listLids", "LIDs of end ports and vports, ascending", "LidList",
          list_parameters(
              {query("lid", R"({"type":"integer","minimum":1,"maximum":49151})",
                     "The port that has it, also as one of its 2^LMC"),
               query("guid", value::kGuid, "PortGUID, or NodeGUID"),
               query("type", value::kNodeType, "Type of the node"),
               query("name", value::kPartOfName, "Part of the description, either case")})),
      reading_snapshot(core, list_lids));
  add(to,
      get("/v1/vports", "listVPorts", "Virtual ports, by PortGUID of their physical port and index",
          "VPortRowList",
          list_parameters({query("state", value::kPortState, "State of the vport"),
                           query("guid", value::kGuid, "GUID of the vport, PortGUID, or NodeGUID"),
                           query("name", value::kPartOfName,
                                 "Part of the description of the host or vport, either case")})),
      reading_snapshot(core, list_vports));
  add(to,
      get("/v1/virtualized-ports", "listVirtualizedPorts",
          "Ports whose devices can have vports, with these, by PortGUID", "VirtualizedPortList",
          list_parameters({})),
      reading(core, list_virtualized_ports));
  add_schemas(to, lid_info(), "lids");
  add_schemas(to, virtualized_port_info(), "ports");
  to.schemas.emplace_back("VPort", object_schema(vport_info().fields));
  add_schemas(to, listed_vport_info(), "vports");
}

}  // namespace sm::api
