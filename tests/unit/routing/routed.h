#pragma once
// Helpers for the tests of engines that assign VLs.

#include <algorithm>

#include "routing/core/engine.h"
#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "support/fabrics.h"

namespace routed {

using Result = tl::expected<routing::RoutingResult, routing::Refusal>;
using Function = Result (*)(const routing::RoutingInput&);

inline Result run(Function engine, const fabrics::Subnet& subnet,
                  const routing::RoutingOptions& options = {}) {
  return engine({subnet.fabric, subnet.graph, subnet.lids, options});
}
inline bool has_loops(const fabrics::Subnet& subnet, const routing::RoutingResult& result) {
  return !routing::find_credit_loops(subnet.graph, subnet.lids, result.lfts,
                                     {result.sls, result.sl_to_vl}, routing::Traffic::between_hosts)
              .ok();
}
/// Whether all hosts reach each other without a credit loop.
inline bool is_good(const fabrics::Subnet& subnet, const routing::RoutingResult& result) {
  return routing::verify(subnet.fabric, subnet.graph, subnet.lids, result.lfts,
                         {.switch_lids_may_be_withheld = true})
             .ok() &&
         !has_loops(subnet, result);
}
inline routing::PathLengths lengths(const fabrics::Subnet& subnet,
                                    const fabric::ForwardingTables& lfts) {
  return routing::path_lengths(subnet.graph, subnet.lids, lfts);
}
inline routing::PathLengths shortest(const fabrics::Subnet& subnet) {
  return lengths(subnet, run(routing::find_engine("minhop")->route, subnet)->lfts);
}
/// Highest load of a link with all-to-all traffic, in units of the mean.
inline double peak(const fabrics::Subnet& subnet, const fabric::ForwardingTables& lfts) {
  const auto load = routing::all_to_all(subnet.graph, subnet.lids, lfts);
  return static_cast<double>(load.worst) / load.mean;
}

}  // namespace routed
