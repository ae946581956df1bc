#include "sm/ops/status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/build/facts.h"
#include "mad/format.h"
#include "sm/ops/data_json.h"
#include "sm/ops/rows.h"

namespace sm {
namespace {

nlohmann::json counters(const mad::SmpCounters& c) {
  return {{"sent", c.sent},
          {"answered", c.answered},
          {"retried", c.retried},
          {"timed_out", c.timed_out},
          {"bad_status", c.bad_status}};
}

nlohmann::json conditions_of(const ManagerStatus& status) {
  nlohmann::json list = nlohmann::json::array();
  for (const ConditionLog::Raised& raised : status.conditions)
    list.push_back(condition_row(raised, status.now));
  return list;
}

nlohmann::json isolated_of(const ManagerStatus& status) {
  const auto seconds = [](mad::Duration time) {
    return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count(),
                                  0);
  };
  nlohmann::json list = nlohmann::json::array();
  for (const Isolated& link : status.isolated) {
    nlohmann::json& row =
        list.emplace_back(nlohmann::json{{"node_guid", fmt::format("{}", link.place.node)},
                                         {"port", link.place.port.value},
                                         {"name", link.name},
                                         {"peer", link.peer},
                                         {"reason", name_of(link.reason)},
                                         {"for_s", seconds(status.now - link.since)}});
    if (link.peer_node != mad::Guid{}) row["peer_guid"] = fmt::format("{}", link.peer_node);
    if (link.until) row["release_in_s"] = seconds(*link.until - status.now);
  }
  return list;
}

/// Node descriptions come from the wire: what is not UTF-8 is replaced, not thrown over.
std::string text_of(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json sa_json(const ManagerStatus& status) {
  nlohmann::json dropped = nlohmann::json::object();
  for (std::size_t reason = 1; reason < sa::kDrops; ++reason)
    dropped[std::string(sa::name(static_cast<sa::Drop>(reason)))] = status.sa.dropped[reason];
  return {{"received", status.sa.received},
          {"answered", status.sa.answered},
          {"refused", status.sa.refused},
          {"busy", status.sa.busy()},
          {"wrong_gid", status.sa.of(sa::Drop::wrong_gid)},
          {"repeated", status.sa.repeated},
          {"dropped", dropped},
          {"reports",
           {{"delivered", status.reports.delivered},
            {"given_up", status.reports.given_up},
            {"dropped", status.reports.dropped}}}};
}

nlohmann::json fabric_json(const Subnet& subnet) {
  const Fabric& fabric = subnet.fabric;
  const auto active = std::ranges::count_if(fabric.ports, [](const Port& port) {
    return port.known && port.info.port_state() >= mad::PortState::active;
  });
  return {{"nodes", fabric.nodes.size()},         {"switches", fabric.switches.size()},
          {"end_ports", fabric.end_ports.size()}, {"active_ports", active},
          {"lid_top", subnet.lids.lid_top.value}, {"other_managers", subnet.sms.size()}};
}

nlohmann::json store_json(const ReplicaStatus& store) {
  return {{"reachable", store.reachable},
          {"writes", store.leading},
          {"master", fmt::format("{}", store.master)},
          {"term", store.term},
          {"records", store.records},
          {"pending", store.pending},
          {"behind_s", std::chrono::duration_cast<std::chrono::seconds>(store.behind).count()},
          {"revision", store.revision},
          {"last_error", store.last_error}};
}

}  // namespace

nlohmann::json status_object(const ManagerStatus& status) {
  nlohmann::json json{
      {"version", config::kBuildVersion},
      {"state", mad::name(status.state)},
      {"port_guid", fmt::format("{}", status.port_guid)},
      {"priority", status.priority},
      {"sweeps",
       {{"all", status.sweeps}, {"light", status.light_sweeps}, {"last", status.last_sweep}}},
      {"smps",
       {{"get", counters(status.gets)}, {"set", counters(status.sets)}, {"window", status.window}}},
      {"inbox",
       {{"smps_dropped", status.inbox.smps},
        {"sa_dropped", status.inbox.sa},
        {"performance_dropped", status.inbox.performance}}},
      {"sa", sa_json(status)}};
  if (status.subnet) {
    json["fabric"] = fabric_json(*status.subnet);
  }
  if (status.picture) {
    json["standby"] = {{"age_s", std::chrono::duration_cast<std::chrono::seconds>(
                                     status.now - status.picture->read)
                                     .count()},
                       {"writes", status.picture->writes}};
  }
  if (status.store) json["store"] = store_json(*status.store);
  return json;
}

std::string status_json(const ManagerStatus& status) {
  nlohmann::json json = status_object(status);
  json["managers"] = nlohmann::json::array();
  for (const KnownManager& sm : status.managers) json["managers"].push_back(manager_row(sm));
  json["isolated"] = isolated_of(status);
  json["conditions"] = conditions_of(status);
  return text_of(json);
}

std::string conditions_json(const ManagerStatus& status) {
  return text_of({{"conditions", conditions_of(status)}}) + "\n";
}

nlohmann::json manager_rows(const ManagerStatus& status) {
  nlohmann::json list = nlohmann::json::array();
  KnownManager own{.guid = status.port_guid,
                   .name = fmt::format("port {}", status.port_guid),
                   .priority = status.priority,
                   .state = status.state};
  if (status.subnet && status.subnet->fabric.sm_port != kNoIndex)
    own.name = status.subnet->fabric.port_name(status.subnet->fabric.sm_port);
  list.push_back(manager_row(own));
  list.back()["here"] = true;
  for (const KnownManager& sm : status.managers) {
    list.push_back(manager_row(sm));
    list.back()["here"] = false;
  }
  return list;
}

std::string managers_json(const ManagerStatus& status) {
  return text_of({{"managers", manager_rows(status)}}) + "\n";
}

}  // namespace sm
