#pragma once
// The performance manager keeps these records of nodes from poll to poll.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "mad/transport.h"
#include "sm/performance/counting.h"

namespace sm {

/// Holds what is known of the performance management agent of a node.
struct PerformanceAgent {
  /// After this time a poll queries rejected attributes again, and reads the agent's capabilities
  /// again.
  static constexpr mad::Duration kKnownFor = std::chrono::hours(1);

  std::optional<AgentCapabilities> capabilities;  // of its ClassPortInfo, once that was read
  mad::TimePoint known_until{};                   // of capabilities and refused
  std::uint32_t refused = 0;                      // bit n: attribute n is rejected, or not answered
  std::optional<mad::MadAddress> redirect;        // where it sends its queries

  bool refuses(mad::PerformanceAttribute attribute) const {
    return (refused >> static_cast<unsigned>(attribute) & 1u) != 0;
  }
  void refuse(mad::PerformanceAttribute attribute) {
    refused |= 1u << static_cast<unsigned>(attribute);
  }
};

struct NodeRecord {
  std::shared_ptr<const NodeCounters> counters;  // as published latest; never null
  std::vector<PortMemory> memory;                // of counters->ports
  PerformanceAgent agent;
  std::vector<Condition> conditions;
  unsigned silent_polls = 0;  // in a row
  bool present = true;        // in the fabric at the latest poll
  mad::TimePoint seen{};      // in the fabric, latest
  mad::TimePoint polled{};    // the end of its latest visit
};
/// Maps NodeGUIDs to records. Records of absent nodes wait for their return, so that their totals
/// continue.
using NodeRecords = std::map<mad::Guid, NodeRecord>;

}  // namespace sm
