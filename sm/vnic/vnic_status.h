#pragma once
// Holds the state of the Ethernet Manager and its totals, as values that other threads read.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mad/attributes/vnic.h"
#include "virt/vnic/vnic_configuration.h"

namespace vnic {

struct VnicStatus {
  VeswKey key;
  unsigned vnic = 0;
  bool exists = false;     // the node has it, as desired
  mad::VeswPortInfo info;  // as read, or as the latest Set was answered
  std::vector<mad::Mac> macs;
  std::string fault;  // of the latest pass; empty: none
};
struct PortStatus {
  EndPort port;
  bool has_agent = false;
  std::vector<VnicStatus> vnics;
};
struct SwitchStatus {
  std::string name;
  VeswKey key;
  unsigned vnic = 0;
  std::uint32_t multicast_lid = 0;
  std::size_t members = 0;     // ports with this VNIC configured
  std::size_t forwarding = 0;  // of them, those that forward
  std::size_t macs = 0;        // entries of the table
  std::uint32_t digest = 0;
};
struct Totals {
  std::uint64_t passes = 0, passes_of_ports = 0;  // of all ports; of those that sent traps
  std::uint64_t gets = 0, sets = 0;               // at agents
  std::uint64_t refused = 0, silent = 0, malformed = 0;
  std::uint64_t traps = 0, traps_ignored = 0;  // ignored: not from a member, or malformed
  std::uint64_t macs_left_out = 0;             // by bounds, in the latest pass
  std::uint64_t mads_repeated = 0, mads_stray = 0, mads_dropped = 0;
};
struct RaisedCondition {
  std::string id, severity, text;
  mad::Guid guid;
};
struct Status {
  mad::Guid port_guid;
  mad::Lid lid;
  std::vector<SwitchStatus> switches;
  std::vector<PortStatus> ports;
  std::vector<RaisedCondition> conditions;
  Totals totals;
};

/// Returns the status as a JSON object (described in heddle-vnic(8)).
std::string to_json(const Status& status);

}  // namespace vnic
