#include "sm/vnic/vnic_status.h"

#include <nlohmann/json.hpp>

#include "config/diagnostic.h"
#include "mad/format.h"

namespace vnic {
namespace {

using Json = nlohmann::ordered_json;

Json key_json(const VeswKey& key) { return {{"fabric_id", key.fabric_id}, {"id", key.vesw_id}}; }

Json switch_json(const SwitchStatus& of) {
  Json json = {{"name", of.name}};
  json.update(key_json(of.key));
  json["vnic"] = of.vnic;
  json["multicast_lid"] = fmt::format("{:#06x}", of.multicast_lid);
  json["members"] = of.members;
  json["forwarding"] = of.forwarding;
  json["mac_addresses"] = of.macs;
  json["digest"] = fmt::format("{:#010x}", of.digest);
  return json;
}

std::string_view state_text(mad::VnicState state) {
  if (state == mad::VnicState::forwarding) return "Forwarding";
  return state == mad::VnicState::drop_all ? "DropAll" : "unknown";
}

Json vnic_json(const VnicStatus& of) {
  Json json = key_json(of.key);
  json["vnic"] = of.vnic;
  json["exists"] = of.exists;
  json["base_mac"] = text(of.info.base_mac());
  json["config_state"] = state_text(of.info.config_state());
  json["oper_state"] = state_text(of.info.oper_state());
  json["link"] = of.info.link() == mad::EthernetLink::up ? "up" : "down";
  json["digest"] = fmt::format("{:#010x}", of.info.table_digest());
  json["mac_addresses"] = Json::array();
  for (const mad::Mac mac : of.macs) json["mac_addresses"].push_back(text(mac));
  if (!of.fault.empty()) json["fault"] = of.fault;
  return json;
}

Json totals_json(const Totals& of) {
  return {{"passes", of.passes},
          {"passes_of_ports", of.passes_of_ports},
          {"gets", of.gets},
          {"sets", of.sets},
          {"refused", of.refused},
          {"silent", of.silent},
          {"malformed", of.malformed},
          {"traps", of.traps},
          {"traps_ignored", of.traps_ignored},
          {"mac_addresses_left_out", of.macs_left_out},
          {"mads_repeated", of.mads_repeated},
          {"mads_stray", of.mads_stray},
          {"mads_dropped", of.mads_dropped}};
}

}  // namespace

std::string to_json(const Status& status) {
  Json json = {{"port_guid", fmt::format("{}", status.port_guid)}, {"lid", status.lid.value}};
  json["switches"] = Json::array();
  for (const SwitchStatus& of : status.switches) json["switches"].push_back(switch_json(of));
  json["ports"] = Json::array();
  for (const PortStatus& of : status.ports) {
    Json port = {{"port_guid", fmt::format("{}", of.port.guid)},
                 {"lid", of.port.lid.value},
                 {"description", config::printable(of.port.description)},
                 {"has_agent", of.has_agent},
                 {"vnics", Json::array()}};
    for (const VnicStatus& vnic : of.vnics) port["vnics"].push_back(vnic_json(vnic));
    json["ports"].push_back(std::move(port));
  }
  json["conditions"] = Json::array();
  for (const RaisedCondition& of : status.conditions)
    json["conditions"].push_back({{"id", of.id}, {"severity", of.severity}, {"text", of.text}});
  json["totals"] = totals_json(status.totals);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vnic
