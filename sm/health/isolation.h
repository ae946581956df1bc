#pragma once
// Which links and nodes are kept out of use.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "config/health_files.h"
#include "config/options.h"
#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "sm/health/link_health.h"

namespace sm {

enum class IsolationReason : std::uint8_t {
  flapping,
  noisy,
  ordered,    // by heddlectl isolate
  unhealthy,  // hm_ports_health_policy_file
  held_back,  // held_back_sw_file
};
/// "flapping" and so on: as in JSON.
std::string_view find_name(IsolationReason reason);

/// One link or switch that is kept out, for the operator.
struct Isolated {
  PortPlace place;   // of a link, its end nearer to the manager; port 0: the whole switch
  std::string name;  // of that end, or of the switch
  std::string peer;  // the other end; "" if it is not known, or there is none
  mad::Guid peer_node, peer_port;  // its GUIDs; peer_port of a CA or router port; 0 as above
  IsolationReason reason{};
  mad::TimePoint since{};
  std::optional<mad::TimePoint> until;   // nothing: until it is released, or the file changes
  std::string ordered_by, order_reason;  // of an operator
  bool operator==(const Isolated&) const = default;
};

/// Where hosts that files isolate were seen: they are not read any more. By GUID of the entry: the
/// switch port, and what was behind it.
using SeenHosts = std::multimap<std::uint64_t, std::pair<PortPlace, std::string>>;

/// The input of the decision.
struct IsolationInput {
  const Fabric& fabric;
  const std::map<PortPlace, LinkHealth::State>& faulty;
  std::span<const config::PortHealth> policy;
  std::span<const std::uint64_t> held_back;  // NodeGUIDs
  const HealthSettings& settings;
  const std::set<PortIndex>& managers;  // ports of other subnet managers
  const SeenHosts& seen;                // of the previous decision
  std::span<const Isolated> previous;   // its `isolated`: hosts that are left out have their names
  mad::TimePoint now;
};

struct IsolationDecision {
  std::vector<PortIndex> links;     // between switches, one end of each
  std::vector<PortIndex> hosts;     // switch ports in front of hosts that are left out
  std::vector<NodeIndex> switches;  // as a whole
  std::vector<Isolated> isolated;   // the same for the operator, by place
  std::vector<Condition> conditions;
  SeenHosts seen;
  bool is_empty() const { return links.empty() && hosts.empty() && switches.empty(); }
};

/// Follows actions and files as far as that is safe. Not isolated, but reported as used
/// nevertheless: a link or switch without which the manager could not reach other switches by links
/// that are in use, the manager's own link and switch, hosts of other managers, and hosts that flap
/// or have errors beyond a tenth of all end ports (ten at least). Of links of which one must stay,
/// the one with the fewest losses does. Conditions of one kind: the first hundred, and one that
/// counts the others. Pure.
IsolationDecision decide_isolation(const IsolationInput& input);

/// Sets Port::isolated as decided, on all ports. Hosts that are left out stay in.
void mark_isolated(Fabric& fabric, const IsolationDecision& decision);

/// The fabric without what is behind these switch ports, renumbered; conditions stay. Empty
/// `hosts`: as it is. Pure.
Fabric without_hosts(const Fabric& fabric, std::span<const PortIndex> hosts);

}  // namespace sm
