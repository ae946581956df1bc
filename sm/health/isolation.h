#pragma once
// This file decides which links and nodes are kept out of use.

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
/// Returns "flapping" and so on, as in JSON.
std::string_view find_name(IsolationReason reason);

/// Describes one link or switch that is kept out, for the operator.
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

/// Remembers where hosts that files isolate were seen, since they are not read any more. Maps the
/// GUID of the entry to the switch port and the host behind it.
using SeenHosts = std::multimap<std::uint64_t, std::pair<PortPlace, std::string>>;

/// Holds the input of the decision.
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

/// Applies actions and files as far as that is safe. Some remain in use, and a report says so: a
/// link or switch without which the manager could not reach other switches by links in use; the
/// manager's own link and switch; hosts of other managers; and hosts that flap or have errors
/// beyond a tenth of all end ports (ten at least). If one of several links must stay, the link with
/// the fewest losses stays. Returns the first hundred conditions of each kind, and one that counts
/// the others. Pure.
IsolationDecision decide_isolation(const IsolationInput& input);

/// Sets Port::isolated as decided, on all ports. Hosts that it leaves out stay in the fabric.
void mark_isolated(Fabric& fabric, const IsolationDecision& decision);

/// Returns the fabric without the nodes behind these switch ports, renumbered; conditions stay.
/// With empty `hosts` the fabric is unchanged. Pure.
Fabric without_hosts(const Fabric& fabric, std::span<const PortIndex> hosts);

}  // namespace sm
