#pragma once
// Channel dependencies that a routing remembers, against those of its tables.

#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "support/fabrics.h"

namespace dependencies {

/// The next incremental verification starts from what the routing remembers: at least the
/// dependencies of its tables, or nothing.
inline bool contain_all(const fabrics::Subnet& subnet, const routing::ChainResult& result) {
  if (!result.memory->dependencies) return true;
  const fabric::PublishedRouting& published = result.routing;
  routing::ChannelGraph all = *result.memory->dependencies;
  all.merge(routing::find_dependencies(subnet.graph, subnet.lids, result.routing.lfts,
                                       {published.sls, published.sl_to_vl},
                                       routing::Traffic::between_hosts));
  return all.dependencies() == result.memory->dependencies->dependencies();
}

}  // namespace dependencies
