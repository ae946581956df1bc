#pragma once
// Options of congestion control for a fabric, computed from its links. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/subnet.h"

namespace sm {

/// A line of opensm.conf, and why it has this value.
struct SuggestedLine {
  std::string option, value, why;
};

/// The values are computed from these.
struct CongestionFacts {
  std::size_t hosts = 0;                      // CA ports at switches
  double slowest_gbps = 0, fastest_gbps = 0;  // of their links, data
  unsigned mtu_bytes = 0;                     // the largest NeighborMTU of these links
  unsigned diameter = 0;         // switches on the longest of the shortest paths between hosts
  unsigned vls = 1;              // that unicast uses
  std::vector<bool> host_ports;  // by port number: some switch has a host there
};
CongestionFacts congestion_facts(const Subnet& subnet);

/// Pause of entry `n` of a table, in times of the packet that was sent: the flow has the share
/// 1 / (1 + pause) of its link.
/// Shape:  128 entries, the first 0, ascending, the last `last`.
std::vector<std::uint16_t> suggested_pauses(std::uint16_t last);

/// Empty if there are fewer than two hosts: nothing can be congested.
/// Sources: thresholds and steps are those of ibccconfig(8), EXAMPLES; what the fields do is in
/// IBTA Vol 1, annex A10. The timer and the table are computed by Heddle's own rule. Experience
/// with such values on hardware: E. G. Gran et al., "First Experiences with Congestion Control in
/// InfiniBand Hardware", IPDPS 2010.
std::vector<SuggestedLine> suggest_congestion(const CongestionFacts& facts);

}  // namespace sm
