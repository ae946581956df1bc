#include "mad/format.h"
#include "sm/ctl/topology/generators.h"

#include <algorithm>

#include "sm/ctl/topology/builder.h"

namespace topology {

namespace {

Topology lattice(const TorusParams& params, bool closed) {
  require(!params.dimensions.empty(), "a torus or mesh needs at least one dimension");
  require(std::ranges::all_of(params.dimensions, [](unsigned n) { return n > 0; }),
          "a dimension is at least 1");
  const std::size_t nodes = product(params.dimensions);
  require(nodes <= mad::kUnicastLidMax.value, "there are more switches than unicast LIDs");
  Builder builder;
  const std::vector<std::size_t> hosts = builder.add_hosts(nodes * params.hosts_per_switch);
  std::vector<std::size_t> switches;
  for (std::size_t i = 0; i < nodes; ++i) {
    switches.push_back(
        builder.add(NodeType::switch_,
                    fmt::format("S{}", fmt::join(mixed_radix_digits(i, params.dimensions), "_"))));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i)
    builder.link(hosts[i], switches[i / params.hosts_per_switch]);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t dimension = 0; dimension < params.dimensions.size(); ++dimension) {
      const unsigned size = params.dimensions[dimension];
      std::vector<unsigned> digits = mixed_radix_digits(i, params.dimensions);
      const bool wraps = digits[dimension] + 1 == size;
      if (wraps && (size <= 2 || !closed))
        continue;  // in a ring of two, both links would be the same
      digits[dimension] = (digits[dimension] + 1) % size;
      builder.link(switches[i], switches[compute_index(digits, params.dimensions)]);
    }
  }
  return builder.finish();
}

}  // namespace

Topology torus(const TorusParams& params) { return lattice(params, true); }
Topology mesh(const TorusParams& params) { return lattice(params, false); }

Topology hypercube(const HypercubeParams& params) {
  require(params.dimensions >= 1 && params.dimensions <= 15,
          "a hypercube has 1 to 15 dimensions: more have more switches than LIDs");
  return mesh({.dimensions = std::vector<unsigned>(params.dimensions, 2),
               .hosts_per_switch = params.hosts_per_switch});
}

}  // namespace topology
