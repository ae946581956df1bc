#include "sm/sweep/routing_options.h"

namespace sm {

routing::RoutingOptions routing_options(const config::Options& options, const config::InputFiles& files) {
  routing::RoutingOptions result;
  for (const std::uint64_t guid : files.routing_order) result.guid_routing_order.push_back(mad::Guid{guid});
  for (const config::HopWeight& entry : files.hop_weights) {
    result.hop_weights.push_back({{mad::Guid{entry.switch_guid}, mad::PortNum{entry.port}}, entry.weight});
  }
  for (const config::PortOrder& entry : files.port_orders) {
    routing::PortOrder order{.sw = mad::Guid{entry.switch_guid}, .ports = {}};
    for (const std::uint8_t port : entry.ports) order.ports.push_back(mad::PortNum{port});
    result.port_search_ordering.push_back(std::move(order));
  }
  for (const config::IgnoredPort& entry : files.ignored_ports) {
    result.port_prof_ignore.push_back({mad::Guid{entry.switch_guid}, mad::PortNum{entry.port}});
  }
  result.scatter_ports = options.scatter_ports;
  result.guid_routing_order_no_scatter = options.guid_routing_order_no_scatter;
  result.port_profile_switch_nodes = options.port_profile_switch_nodes;
  result.port_shifting = options.port_shifting;
  return result;
}

}  // namespace sm
