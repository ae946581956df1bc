#include "sm/ctl/topology/builder.h"

#include "fabric/topology/graph.h"
#include "mad/format.h"

namespace topology {

namespace {

// These are Mellanox numbers, as on most real fabrics. CAs and routers leave room for their port
// GUIDs.
constexpr std::uint64_t kCaGuidBase = 0x0002'c900'0000'0000;
constexpr std::uint64_t kSwitchGuidBase = 0x0002'c902'0000'0000;
constexpr std::uint64_t kRouterGuidBase = 0x0002'c903'0000'0000;
constexpr std::uint64_t kGuidStride = 0x10;
constexpr std::uint64_t kRouterGuidStride = 0x100;
constexpr unsigned kCaPortsMax = kGuidStride - 1;

}  // namespace

std::size_t Builder::add(NodeType type, std::string name) {
  if (topology_.nodes.size() >= subnet_count_ * mad::kUnicastLidMax.value) {
    throw TopologyError(fmt::format("more than {} nodes: there are not enough unicast LIDs",
                                    subnet_count_ * mad::kUnicastLidMax.value));
  }
  const std::uint64_t guid = type == NodeType::ca ? kCaGuidBase + kGuidStride * cas_++
                             : type == NodeType::switch_
                                 ? kSwitchGuidBase + kGuidStride * switches_++
                                 : kRouterGuidBase + kRouterGuidStride * routers_++;
  topology_.nodes.push_back({.type = type, .name = std::move(name), .guid = mad::Guid{guid}});
  return topology_.nodes.size() - 1;
}

void Builder::link(std::size_t a, std::size_t b) {
  const PortRef at_a = take_port(a);
  topology_.links.push_back({.a = at_a, .b = take_port(b)});
}

std::vector<std::size_t> Builder::add_hosts(std::size_t count) {
  std::vector<std::size_t> hosts;
  for (std::size_t i = 0; i < count; ++i) hosts.push_back(add(NodeType::ca, fmt::format("H{}", i)));
  return hosts;
}

Topology Builder::finish() {
  require_lid_space(topology_);
  return std::move(topology_);
}

PortRef Builder::take_port(std::size_t node) {
  Node& taken = topology_.nodes[node];
  const unsigned max = taken.type == NodeType::ca ? kCaPortsMax : mad::kPortNumMax;
  if (taken.port_count == max)
    throw TopologyError(fmt::format("{} would need more than {} ports", taken.name, max));
  return {node, mad::PortNum{static_cast<std::uint8_t>(++taken.port_count)}};
}

void require(bool ok, const char* what) {
  if (!ok) throw TopologyError(what);
}

std::vector<unsigned> mixed_radix_digits(std::size_t index, const std::vector<unsigned>& bases) {
  std::vector<unsigned> digits;
  for (const unsigned base : bases) {
    digits.push_back(static_cast<unsigned>(index % base));
    index /= base;
  }
  return digits;
}

std::size_t compute_index(const std::vector<unsigned>& digits, const std::vector<unsigned>& bases) {
  std::size_t index = 0;
  for (std::size_t i = bases.size(); i-- > 0;) index = index * bases[i] + digits[i];
  return index;
}

std::size_t product(const std::vector<unsigned>& factors) {
  constexpr std::size_t kMax = std::size_t{1} << 31;
  std::size_t result = 1;
  for (const unsigned factor : factors) {
    if (factor == 0) return 0;
    result = result > kMax / factor ? kMax : result * factor;
  }
  return result;
}

}  // namespace topology
