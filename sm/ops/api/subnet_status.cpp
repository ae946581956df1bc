// /v1/subnet, /v1/sms, /v1/options, /v1/security

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"
#include "sm/ops/security.h"

namespace sm::api {

namespace {

constexpr auto kSubnet = std::to_array<FieldInfo>({
    {"version", value::kText},
    {"state", value::kSmState},
    {"port_guid", value::kGuid},
    {"subnet_prefix", value::kPrefix, {}, true},
    {"priority", value::kInteger},
    {"virt_enabled", value::kInteger, "The option"},
    {"master", "Sm?"},
    {"sweeps", R"({"type":"object","properties":{
"all":{"type":"integer"},"light":{"type":"integer"},"last":{"type":"string"}}})"},
    {"reloads", R"({"type":"object","properties":{"taken":{"type":"integer"},
"rejected":{"type":"integer"},"pending":{"type":"boolean",
"description":"The sweep under way began before the latest one, or its routes are not in use"}}})"},
    {"smps", value::kObject},
    {"inbox", value::kObject},
    {"sa", value::kObject},
    {"fabric", value::kObject, {}, true},
    {"store", value::kObject,
     "The state that managers share; absent: none. has_configuration: it has another manager's, "
     "which claimed it. peers, if the managers themselves hold it: "
     "address, configured (in state_peers), port_guid, connected, why_not, behind_records, "
     "behind_s of each; neither configured nor connected: a program that was refused",
     true},
    {"adaptive_routing", value::kObject, "As in /v1/routing; absent: not configured", true},
    {"standby",
     R"({"type":"object","properties":{
"age_s":{"type":"integer"},"writes":{"type":"integer"}}})",
     {},
     true},
    {"counts", R"({"type":"object","properties":{
"nodes":{"type":"object","properties":{
"CA":{"type":"integer"},"Switch":{"type":"integer"},"Router":{"type":"integer"}}},
"ports":{"type":"object","description":"With a link, by PortState"},
"links":{"type":"integer"},"links_degraded":{"type":"integer"},"lids":{"type":"integer"},
"vports":{"type":"integer"},"partitions":{"type":"integer"},"groups":{"type":"integer"}}})"},
    {"conditions", value::kObject, "How many are active, by severity"},
    {"occurrences", value::kInteger, "How many rows /v1/occurrences has"},
});

constexpr std::array<FieldInfo, 1> kOptions{{{"options", "Option[]"}}};
constexpr std::array<FieldInfo, 1> kFindings{{{"security", "SecurityFinding[]"}}};

nlohmann::json counts_of(const View& view) {
  nlohmann::json nodes{{"CA", 0}, {"Switch", 0}, {"Router", 0}},
      ports{{"Down", 0}, {"Init", 0}, {"Armed", 0}, {"Active", 0}};
  std::size_t links = 0, degraded = 0, lids = 0, vports = 0, partitions = 0;
  if (const Subnet* const subnet = view.status.subnet.get()) {
    const Fabric& fabric = subnet->fabric;
    std::array<std::size_t, 4> by_type{};
    for (const Node& node : fabric.nodes)
      ++by_type[std::min<std::size_t>(static_cast<std::size_t>(node.type), 3)];
    nodes = {{"CA", by_type[1]}, {"Switch", by_type[2]}, {"Router", by_type[3]}};
    std::array<std::size_t, 16> by_state{};
    for (const PortIndex index : fabric.ports.indices()) {
      const Port& port = fabric.ports[index];
      if (port.peer == kNoIndex) continue;
      ++by_state[static_cast<std::size_t>(port.info.port_state()) & 0xFu];
      if (index > port.peer) continue;
      ++links;
      degraded += is_degraded(fabric, index, port.peer) ? 1u : 0u;
    }
    ports = {{"Down", by_state[1]},
             {"Init", by_state[2]},
             {"Armed", by_state[3]},
             {"Active", by_state[4]}};
    lids = subnet->lids.port_of_lid.size() - static_cast<std::size_t>(std::ranges::count(
                                                 subnet->lids.port_of_lid, PortIndex(kNoIndex)));
    vports = subnet->vports ? subnet->vports->vports.size() : 0;
    partitions = subnet->partitions.partitions.size();
  }
  return {{"nodes", std::move(nodes)},
          {"ports", std::move(ports)},
          {"links", links},
          {"links_degraded", degraded},
          {"lids", lids},
          {"vports", vports},
          {"partitions", partitions},
          {"groups", view.groups.size()}};
}

web::Response subnet_detail(const SharedReading& reading) {
  const ManagerStatus& status = reading->view->status;
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(status_object(status));
  if (reading->view->context)
    body["subnet_prefix"] =
        fmt::format("{:#018x}", std::uint64_t{reading->view->context->options.subnet_prefix});
  const nlohmann::json managers = manager_rows(status);
  const auto master = std::ranges::find_if(managers, [](const nlohmann::json& manager) {
    return manager["state"] == mad::name(mad::SmState::master) && manager["counts"] == true;
  });
  body["master"] = master == managers.end() ? nlohmann::json() : *master;
  body["counts"] = counts_of(*reading->view);
  nlohmann::json& conditions =
      body["conditions"] = {{"critical", 0}, {"error", 0}, {"warning", 0}, {"info", 0}};
  for (const ConditionLog::Raised& raised : status.conditions) {
    if (raised.condition.caused_by) continue;  // its cause counts it
    nlohmann::json& count = conditions[std::string(name(find_severity(raised.condition)))];
    count = count.get<std::size_t>() + 1;
  }
  body["occurrences"] = status.occurrences.size();
  return answer(*reading, body, false);
}

web::Response list_sms(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto state = parameters.one_of("state", value::kSmState);
  if (parameters.fault()) return *parameters.fault();
  const auto managers = std::make_shared<const nlohmann::json>(manager_rows(reading->view->status));
  const auto row = [=](std::size_t i) -> std::optional<nlohmann::json> {
    if (state && (*managers)[i]["state"] != choice(value::kSmState, *state)) return std::nullopt;
    return (*managers)[i];
  };
  return list_by_place(reading, "sms", page, managers->size(), row);
}

web::Response list_options(const SharedReading& reading) {
  nlohmann::json body = envelope(*reading->snapshot);
  body["options"] =
      option_rows(reading->view->context->options, reading->view->status.masters_options);
  return answer(*reading, body, false);
}

web::Response list_security(const SharedReading& reading) {
  nlohmann::json body = envelope(*reading->snapshot);
  nlohmann::json& rows = body["security"] = nlohmann::json::array();
  for (const SecurityFinding& finding :
       security_findings(reading->view->context->options, reading->view->status))
    rows.push_back(security_row(finding));
  return answer(*reading, body, false);
}

}  // namespace

void add_subnet(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/subnet", "getSubnet", "The state of this subnet manager and of its subnet",
          "Subnet"),
      reading(core, subnet_detail));
  add(to,
      get("/v1/sms", "listSms", "Subnet managers, this one first", "SmList",
          list_parameters({query("state", value::kSmState, "SMState")})),
      reading(core, list_sms));
  add(to, get("/v1/options", "listOptions", "The options in force, without secrets", "OptionList"),
      reading(core, list_options));
  to.schemas.emplace_back("Guid", R"({"type":"string","pattern":"^0x[0-9a-f]{16}$"})");
  to.schemas.emplace_back("Subnet", answer_schema({}, kSubnet));
  add_schemas(to, manager_info(), "sms");
  to.schemas.emplace_back("Option", object_schema(option_info().fields));
  to.schemas.emplace_back("OptionList", answer_schema({}, kOptions));
  add(to,
      get("/v1/security", "listSecurity",
          "What is protected by which key against whom, and what is open", "SecurityList"),
      reading(core, list_security));
  to.schemas.emplace_back("SecurityFinding", object_schema(security_info().fields));
  to.schemas.emplace_back("SecurityList", answer_schema({}, kFindings));
}

}  // namespace sm::api
