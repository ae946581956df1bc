#include "routing/graph/ordered_hosts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace routing {

using fabric::kNoIndex;

namespace {

/// Splits a name into texts and numbers; a number is its digits without leading zeros, longer ones
/// after shorter ones.
struct NamePart {
  bool is_number;
  std::size_t digits;
  std::string text;
  auto operator<=>(const NamePart&) const = default;
};

std::vector<NamePart> parts_of(std::string_view name) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::vector<NamePart> out;
  while (!name.empty()) {
    const bool number = is_digit(name.front());
    std::size_t end = 1;
    while (end < name.size() && is_digit(name[end]) == number) ++end;
    std::string_view part = name.substr(0, end);
    name.remove_prefix(end);
    while (number && part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    out.push_back({number, number ? part.size() : 0, std::string(part)});
  }
  return out;
}

}  // namespace

std::vector<OrderedHost> hosts_by_lid(const fabric::SwitchGraph& graph,
                                      const fabric::LidMap& lids) {
  fabric::IndexVector<fabric::PortIndex, const fabric::SwitchGraph::EndPort*> end_of;
  for (const auto& end : graph.end_ports) {
    if (!end.is_host()) continue;
    if (!end_of.has(end.port)) end_of.resize(end.port + std::size_t{1}, nullptr);
    end_of[end.port] = &end;
  }
  std::vector<OrderedHost> out;
  fabric::PortIndex last = kNoIndex;
  for (std::size_t lid = 0; lid < lids.port_of_lid.size(); ++lid) {
    const fabric::PortIndex port = lids.port_of_lid[lid];
    if (port == last) continue;
    last = port;
    if (port != kNoIndex && end_of.has(port) && end_of[port] != nullptr)
      out.push_back(
          {mad::Lid{static_cast<std::uint16_t>(lid)}, end_of[port]->sw, end_of[port]->out, port});
  }
  return out;
}

std::vector<OrderedHost> hosts_by_name(const fabric::Fabric& fabric,
                                       const fabric::SwitchGraph& graph,
                                       const fabric::LidMap& lids) {
  struct Named {
    std::vector<NamePart> name;
    mad::Guid node;
    mad::PortNum number;
    OrderedHost host;
  };
  std::vector<Named> named;
  for (const OrderedHost& host : hosts_by_lid(graph, lids)) {
    const fabric::Node& node = fabric.owning_node(host.port);
    named.push_back(
        {parts_of(node.description.text()), node.guid, fabric.ports[host.port].number, host});
  }
  std::ranges::sort(named, {},
                    [](const Named& one) { return std::tie(one.name, one.node, one.number); });
  std::vector<OrderedHost> out;
  out.reserve(named.size());
  for (const Named& one : named) out.push_back(one.host);
  return out;
}

std::vector<std::vector<OrderedHost>> rails(const fabric::Fabric& fabric,
                                            std::span<const OrderedHost> hosts) {
  struct Port {
    std::vector<NamePart> rest;
    mad::PortNum number;
    OrderedHost host;
  };
  constexpr std::size_t kPortsMax = 32;          // of a host
  std::map<std::string, std::size_t> number_of;  // by first word
  std::vector<std::vector<Port>> ports;          // by host
  for (const OrderedHost& host : hosts) {
    const std::string name = fabric.owning_node(host.port).description.text();
    const std::size_t end = std::min(name.find(' '), name.size());
    const auto [at, fresh] = number_of.try_emplace(name.substr(0, end), ports.size());
    if (fresh) ports.emplace_back();
    ports[at->second].push_back(
        {parts_of(std::string_view(name).substr(end)), fabric.ports[host.port].number, host});
  }
  std::vector<std::vector<OrderedHost>> out;
  if (std::ranges::any_of(ports, [](const auto& of_host) { return of_host.size() > kPortsMax; }))
    return out;
  for (std::vector<Port>& of_host : ports) {
    std::ranges::sort(of_host, {},
                      [](const Port& port) { return std::tie(port.rest, port.number); });
    if (out.size() < of_host.size()) out.resize(of_host.size());
    for (std::size_t rail = 0; rail < of_host.size(); ++rail)
      out[rail].push_back(of_host[rail].host);
  }
  return out;
}

}  // namespace routing
