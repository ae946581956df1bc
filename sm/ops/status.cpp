#include "sm/ops/status.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/build/facts.h"
#include "mad/format.h"
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

nlohmann::json peers_json(const ReplicaStatus& store) {
  nlohmann::json peers = nlohmann::json::array();
  for (const StorePeer& peer : store.peers)
    peers.push_back(
        {{"address", peer.address},
         {"configured", peer.is_configured},
         {"port_guid", fmt::format("{}", peer.port_guid)},
         {"connected", peer.connected},
         {"why_not", peer.why_not},
         {"behind_records", peer.behind_records},
         {"behind_s", std::chrono::duration_cast<std::chrono::seconds>(peer.behind).count()}});
  return peers;
}

nlohmann::json store_json(const ReplicaStatus& store) {
  nlohmann::json json{
      {"reachable", store.reachable},
      {"writes", store.leading},
      {"master", fmt::format("{}", store.master)},
      {"term", store.term},
      {"records", store.records},
      {"pending", store.pending},
      {"behind_s", std::chrono::duration_cast<std::chrono::seconds>(store.behind).count()},
      {"revision", store.revision},
      {"last_error", store.last_error},
      {"has_configuration", store.has_configuration}};
  if (store.copies) json["peers"] = peers_json(store);
  return json;
}

}  // namespace

nlohmann::json status_object(const ManagerStatus& status) {
  nlohmann::json json{
      {"version", config::kBuildVersion},
      {"state", mad::name(status.state)},
      {"port_guid", fmt::format("{}", status.port_guid)},
      {"priority", status.priority},
      {"virt_enabled", status.virt_enabled},
      {"sweeps",
       {{"all", status.sweeps}, {"light", status.light_sweeps}, {"last", status.last_sweep}}},
      {"smps",
       {{"get", counters(status.gets)}, {"set", counters(status.sets)}, {"window", status.window}}},
      {"inbox",
       {{"smps_dropped", status.inbox.smps},
        {"sa_dropped", status.inbox.sa},
        {"performance_dropped", status.inbox.performance}}},
      {"sa", sa_json(status)},
      {"reloads",
       {{"taken", status.statistics.reloads_taken},
        {"rejected", status.statistics.reloads_rejected},
        {"pending", status.reload_pending}}}};
  if (status.subnet) {
    json["fabric"] = fabric_json(*status.subnet);
    if (status.subnet->adaptive) json["adaptive_routing"] = adaptive_summary(*status.subnet);
  }
  if (status.standby_view) {
    json["standby"] = {{"age_s", std::chrono::duration_cast<std::chrono::seconds>(
                                     status.now - status.standby_view->read)
                                     .count()},
                       {"writes", status.standby_view->writes}};
  }
  if (status.store) json["store"] = store_json(*status.store);
  return json;
}

nlohmann::json manager_rows(const ManagerStatus& status) {
  nlohmann::json list = nlohmann::json::array();
  KnownManager own{.guid = status.port_guid,
                   .name = fmt::format("port {}", status.port_guid),
                   .priority = status.priority,
                   .state = status.state};
  if (status.subnet && status.subnet->fabric.sm_port != kNoIndex)
    own.name = status.subnet->fabric.port_name(status.subnet->fabric.sm_port);
  list.push_back(manager_row(own, true));
  for (const KnownManager& sm : status.managers) list.push_back(manager_row(sm, false));
  return list;
}

}  // namespace sm
