// Rows of routers with their tables, and of the other subnets that can be reached through them.

#include "config/http_peer.h"
#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm {

namespace {

using Json = nlohmann::json;
using Answered = nlohmann::ordered_json;

struct RouterSource {
  const Subnet& subnet;
  const fabric::Router& router;
};
struct OtherSubnetSource {
  const Subnet& subnet;
  std::uint64_t prefix;
  const config::Options& options;
  const config::RouterPolicy& policy;

  /// Returns null if no router leads there any more.
  const OtherSubnet* other() const { return subnet.routers->find(prefix); }
};

constexpr std::string_view kRange = R"({"type":["object","null"]})";

std::string prefix_text(std::uint64_t prefix) { return fmt::format("{:#018x}", prefix); }
std::string key_text(mad::PKey key) { return fmt::format("{:#06x}", key.value); }

Json router_ports(const RouterSource& of) {
  Json ports = Json::array();
  const Node& node = of.subnet.fabric.nodes[of.router.node];
  for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port) {
    const Port& its = of.subnet.fabric.ports[port];
    if (!of.subnet.fabric.is_end_port(port) || its.peer == kNoIndex) continue;
    ports.push_back({{"port", its.number.value},
                     {"port_guid", fmt::format("{}", its.guid)},
                     {"lid", of.subnet.lid_range(port).base.value}});
  }
  return ports;
}

Json router_entries(const RouterSource& of) {
  Json entries = Json::array();
  for (const RouterEntry& entry : of.router.entries)
    entries.push_back({{"subnet_prefix", prefix_text(entry.prefix)},
                       {"p_key", key_text(entry.p_key)},
                       {"adjacent", entry.is_adjacent}});
  return entries;
}

Json flid_range(fabric::FlidRange range) {
  return range == fabric::FlidRange{} ? Json() : Json{{"first", range.first}, {"last", range.last}};
}

Json gateway_rows(const OtherSubnetSource& of) {
  Json rows = Json::array();
  if (of.other() == nullptr) return rows;
  const config::RouterRule* const rule = of.policy.find(of.prefix);
  for (const OtherSubnet::Gateway& gateway : of.other()->gateways) {
    const Fabric& fabric = of.subnet.fabric;
    const config::WeightedRouter* const named =
        rule == nullptr ? nullptr
                        : rule->find(fabric.ports[gateway.port].guid.value,
                                     fabric.owning_node(gateway.port).guid.value);
    rows.push_back({{"node_guid", fmt::format("{}", fabric.owning_node(gateway.port).guid)},
                    {"description", fabric.description(fabric.ports[gateway.port].node)},
                    {"port_guid", fmt::format("{}", fabric.ports[gateway.port].guid)},
                    {"lid", of.subnet.lid_range(gateway.port).base.value},
                    {"p_key", key_text(gateway.p_key)},
                    {"adjacent", gateway.is_adjacent},
                    {"next_hop_weight", gateway.is_adjacent ? Json() : Json(gateway.weight)},
                    {"policy_weight", named == nullptr ? Json() : Json(named->weight)},
                    {"used", rule == nullptr || named != nullptr}});
  }
  return rows;
}

Json lost_rows(const OtherSubnetSource& of) {
  Json rows = Json::array();
  for (const fabric::LostGateway& lost : of.subnet.routers->lost) {
    if (lost.prefix != of.prefix) continue;
    const auto node = of.subnet.fabric.node_of_guid.find(lost.router);
    rows.push_back({{"node_guid", fmt::format("{}", lost.router)},
                    {"description", node == of.subnet.fabric.node_of_guid.end()
                                        ? Json()
                                        : Json(of.subnet.fabric.description(node->second))}});
  }
  return rows;
}

/// Formats "0xfec0000000000002, 0xfec0000000000003 by others".
std::string reached_text(const Answered& row) {
  std::string text;
  std::string last;
  for (const Answered& entry : row.at("subnets")) {
    const auto prefix = entry.at("subnet_prefix").get<std::string>();
    if (prefix == last) continue;
    last = prefix;
    text += (text.empty() ? "" : ", ") + prefix;
    if (!entry.at("adjacent").get<bool>()) text += " by others";
  }
  return text.empty() ? "-" : text;
}

std::string lids_text_of(const Answered& row) {
  std::string text;
  for (const Answered& port : row.at("ports"))
    text += (text.empty() ? "" : ", ") + port.at("lid").dump();
  return text.empty() ? "-" : text;
}

std::string gateways_text(const Answered& row) {
  std::string text;
  for (const Answered& gateway : row.at("routers"))
    text +=
        fmt::format("{}{} LID {} {}", text.empty() ? "" : ", ", field_text(gateway, "description"),
                    field_text(gateway, "lid"), field_text(gateway, "p_key"));
  for (const Answered& lost : row.at("lost"))
    text += fmt::format(
        "{}{} (lost)", text.empty() ? "" : ", ",
        field_text(lost, lost.at("description").is_null() ? "node_guid" : "description"));
  return text;
}

constexpr auto kRouter = std::to_array<Field<RouterSource>>({
    {{"node_guid", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.subnet.fabric.nodes[of.router.node].guid); }},
    {{"description", value::kText},
     [](auto& of) { return of.subnet.fabric.description(of.router.node); }},
    {{"state", "not_read|read|unsupported|refused|silent",
      "of its tables; not_read: read_router_tables is FALSE"},
     [](auto& of) { return kRouterStateNames[static_cast<std::size_t>(of.router.state)]; }},
    {{"reason", value::kText, "why they are not known", true},
     [](auto& of) -> FieldValue {
       return of.router.reason.empty() ? FieldValue() : FieldValue(of.router.reason);
     }},
    {{"ports", R"({"type":"object"}[])", "in this subnet: port, port_guid, lid"},
     [](auto& of) { return router_ports(of); }},
    {{"subnets", R"({"type":"object"}[])",
      "that it says it leads to: subnet_prefix, p_key, adjacent (one of its ports is there)"},
     [](auto& of) { return router_entries(of); }},
    {{"left_out", value::kInteger, "entries of its tables that cannot be true, or are too many"},
     [](auto& of) { return of.router.left_out; }},
    {{"global_flids", kRange, "floating LIDs of all subnets, as the router says: first, last"},
     [](auto& of) { return flid_range(of.router.global_flids); }},
    {{"local_flids", kRange, "those of them that are of this subnet"},
     [](auto& of) { return flid_range(of.router.local_flids); }},
});

constexpr auto kOtherSubnet = std::to_array<Field<OtherSubnetSource>>({
    {{"subnet_prefix", value::kPrefix}, [](auto& of) { return prefix_text(of.prefix); }},
    {{"state", "reachable|unreachable",
      "unreachable: routers led there within seven days, and no longer do"},
     [](auto& of) { return of.other() == nullptr ? "unreachable" : "reachable"; }},
    {{"routers", R"({"type":"object"}[])",
      "that lead there: node_guid, description, port_guid, lid, p_key, adjacent, next_hop_weight "
      "(as the router says), policy_weight (of router_policy_file), used (false: the policy for "
      "this subnet does not name it)"},
     [](auto& of) { return gateway_rows(of); }},
    {{"lost", R"({"type":"object"}[])",
      "routers that led there within seven days, and no longer do: node_guid, description"},
     [](auto& of) { return lost_rows(of); }},
    {{"url", value::kText, "where a manager of it serves the API (subnet_peers)", true},
     [](auto& of) -> FieldValue {
       for (const std::string& text : of.options.subnet_peers)
         if (const auto peer = config::parse_http_peer(text); peer && peer->id == of.prefix)
           return peer->url;
       return std::nullopt;
     }},
});

}  // namespace

RowInfo router_info() {
  return {"Router",
          "a router",
          infos_of(kRouter),
          {{"NodeGUID", "node_guid"},
           {"tables", "state"},
           {"LIDs", {}, lids_text_of},
           {"router", "description"},
           {"subnets", {}, reached_text}}};
}

RowInfo other_subnet_info() {
  return {"OtherSubnet",
          "a subnet behind routers",
          infos_of(kOtherSubnet),
          {{"prefix", "subnet_prefix"},
           {"state", "state"},
           {"routers", {}, gateways_text},
           {"manager", "url"}}};
}

Json router_row(const Subnet& subnet, const fabric::Router& router) {
  return row_of(kRouter, RouterSource{subnet, router});
}

Json other_subnet_row(const Subnet& subnet, std::uint64_t prefix, const config::Options& options,
                      const config::RouterPolicy& policy) {
  return row_of(kOtherSubnet, OtherSubnetSource{subnet, prefix, options, policy});
}

}  // namespace sm
