#pragma once
// Conditions about the counters of a node, for the operator. Pure.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "sm/performance/counting.h"
#include "sm/performance/noise.h"

namespace sm {

/// The options that a poll depends on.
struct PollOptions {
  bool query_class_port_info = true, follow_redirection = true,
       other_nodes = false,  // redirection to another node is followed, too
      ignore_cas = false, clear_saturated = false, log_errors = true, log_xmit_wait = false;
  std::uint32_t xmit_wait_threshold = 65535;  // ticks
  ErrorLimits limits;
  mad::Sl sl{};

  static PollOptions of(const config::Options& options);
};

/// A node after a poll.
struct PolledNode {
  const Fabric& fabric;
  NodeIndex node;
  const NodeCounters& counters;
  std::span<const PortMemory> memory;  // by port, as counters.ports
  std::span<const Growth> growth;      // the same
  std::string fault;  // why counters are missing, after the node's name; "": none is
};

/// At most one of each kind for each port, and one about the node. Their texts stay the same while
/// what they are about does: errors are stated as they were when they had exceeded the limit, or
/// had doubled since.
std::vector<Condition> port_conditions(const PolledNode& polled, const PollOptions& options);

}  // namespace sm
