#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

#include "sm/ctl/topology/builder.h"

namespace topology {

Topology back_to_back() {
  Builder builder;
  const std::size_t a = builder.add(NodeType::ca, "H0");
  const std::size_t b = builder.add(NodeType::ca, "H1");
  builder.link(a, b);
  return builder.finish();
}

Topology row(const RowParams& params) {
  require(params.switches >= 1, "a row needs at least one switch");
  require(params.ports_per_host == 1 || params.ports_per_host == 2, "a host has one or two ports");
  Builder builder;
  std::vector<std::size_t> hosts, switches;
  for (unsigned i = 0; i < params.switches * params.hosts_per_switch; ++i)
    hosts.push_back(builder.add(NodeType::ca, fmt::format("H{}", i)));
  for (unsigned i = 0; i < params.switches; ++i)
    switches.push_back(builder.add(NodeType::switch_, fmt::format("S{}", i)));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::size_t leaf_index = i * switches.size() / hosts.size();
    for (unsigned port = 0; port < params.ports_per_host; ++port)
      builder.link(hosts[i], switches[(leaf_index + port) % switches.size()]);
  }
  for (std::size_t i = 0; i + 1 < switches.size(); ++i) {
    for (unsigned link = 0; link < params.cables; ++link)
      builder.link(switches[i], switches[i + 1]);
  }
  return builder.finish();
}

}  // namespace topology
