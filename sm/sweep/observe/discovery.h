#pragma once
// Observe: reads the fabric by directed routes, breadth first from the manager's own port.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fabric/subnet.h"
#include "fabric/touched.h"
#include "mad/smp_client.h"
#include "sm/events/manager_events.h"
#include "sm/health/link_health.h"
#include "sm/sweep/apply/compute.h"
#include "sm/sweep/devices/m_keys.h"
#include "sm/sweep/observe/duplicates.h"
#include "sm/sweep/observe/suspects.h"

namespace sm {

/// Every node has at least one unicast LID, and there are 49,151 of them (IBTA Vol 1, 4.1.3). So a
/// device that invents NodeGUIDs cannot keep a survey going for ever, or take all memory.
inline constexpr std::size_t kSurveyNodesMax = mad::kUnicastLidMax.value;
/// Bounds the ports of all nodes together. Fat trees, tori and dragonflies that use all LIDs have
/// fewer than ten for each LID.
inline constexpr std::size_t kSurveyPortsMax = std::size_t{1} << 19;
/// Bounds the routes that end at the limit of 63 hops: if there are more behind one port, a device
/// there invents nodes.
inline constexpr unsigned kTooFarMax = 16;
/// Bounds the time of a survey. It reads the largest fabrics in seconds; a device that answers
/// slowly on purpose is left out after this time.
inline constexpr mad::Duration kSurveyTimeMax = std::chrono::minutes(5);
/// Bounds how many ports one survey leaves out because nodes are invented behind them.
inline constexpr std::size_t kSuspectsMax = 16;
/// Bounds how often a survey begins again because it found a copy before the holder of its GUID,
/// and for how many copies. Beyond that, the place that answered first keeps a GUID.
inline constexpr unsigned kCopyRoundsMax = 4;
inline constexpr std::size_t kCopiesMax = 64;

/// Holds the bounds of one survey.
struct SurveyBounds {
  std::size_t nodes_max = kSurveyNodesMax, ports_max = kSurveyPortsMax;
  mad::Duration time_max = kSurveyTimeMax;
};

/// Holds the names of nodes that were lost.
struct LostNames {
  std::map<PortPlace, std::string> behind;   // with the NodeGUID, by the port in front of the node
  std::map<mad::Guid, std::string> of_node;  // NodeDescription, by NodeGUID
};

struct DiscoveryOptions {
  MKeys* m_keys = nullptr;               // what is known of them; not owned; null: nothing
  bool clear_port_state_change = false;  // a master clears PortStateChange of a switch before it
                                         // reads the ports; others must not write
  EventListener* events = nullptr;       // gets StageProgressed; not owned; null: none
  std::shared_ptr<const NodeNames> node_names = nullptr;  // of the operator; null: none
  SurveyBounds bounds = {};
  std::vector<SuspectPort> suspects = {};  // nothing is read behind these ports
  std::vector<SuspectPort> left_out = {};  // the same, since a host there is isolated; in order
  std::vector<Duplicate> copies = {};      // the same, since the nodes there are copies
  Compute compute = {};                    // of what follows from all answers together
  const Fabric* trusted = nullptr;  // of the last subnet, or null: its nodes are not invented
  const ForwardingTables* trusted_lfts = nullptr;  // of the last subnet, or null: the ways of traps
  std::vector<mad::Guid> answering = {};  // NodeGUIDs, in order: what is behind their ports has all
                                          // attempts, also where it was silent
  /// Partial surveys: returns the switches (NodeGUIDs) that have reported a change since the survey
  /// began, or since the previous call. May be empty.
  std::function<std::vector<mad::Guid>()> reported = {};
  LostNames lost_names = {};
  bool p_keys_may_wait = false;  // of a P_Key table only the first block is read where the link is
                                 // in Init and the switch port in front of it can check P_Keys
};

struct Survey {
  Fabric fabric;  // empty when the own port does not answer; only the own node when it is down
  std::vector<OtherSm> sms;
  std::vector<mad::Guid>
      read_again;  // partial surveys: the nodes whose state was read (or that are new), by NodeGUID
  std::vector<mad::Guid>
      unread;  // nodes that left requests without a response: to be read again soon
  std::vector<PortPlace> unread_p_keys = {};  // ports whose P_Key table was not read to its end
  std::vector<bool> waiting_p_keys = {};   // by PortIndex, or empty: only the first block was read
  std::vector<SuspectPort> suspects = {};  // those of the options, and those that were found
  std::vector<mad::Guid> claimed;   // switches whose PortStateChange was cleared, by a SwitchInfo
                                    // that replaced what they showed
  std::vector<mad::Guid> reported;  // switches that were read because DiscoveryOptions::reported
                                    // named them
  Touched touched = {};             // against the fabric that a partial survey started from
  bool sm_port_up = false;
  bool has_new_silence = false;    // behind a port that was not up, or not silent, before
  bool has_hidden_m_keys = false;  // some ports have keys that only a survey of a master finds out
};

/// Reads everything. Ends whatever answers say: it reads behind a port once (and a few times more
/// while its cable may have moved), and a directed route has at most 63 hops. A survey that exceeds
/// a bound, or reaches the last hop on more than kTooFarMax routes, begins again. It then leaves
/// out the port behind which most of that is (up to kSuspectsMax times), with a condition that
/// names the port. If there is no such port, it leaves out a node that would exceed nodes_max or
/// ports_max, with a condition that names the port before it. Of two places that show one GUID, one
/// is left out (precedes()), with a condition that names both; if the survey has built that one in,
/// it begins again without it (up to kCopyRoundsMax times). Errors: none by itself; what could
/// not be read is in Survey::fabric.conditions, and left out of the fabric.
boost::asio::awaitable<Survey> discover(mad::SmpClient& client, const DiscoveryOptions& options);

/// Reads only what a local change can have touched: the switches `changed` (NodeGUIDs), new nodes
/// behind their ports, and nodes whose link came up again. It takes everything else from `known`.
boost::asio::awaitable<Survey> rediscover(mad::SmpClient& client, const DiscoveryOptions& options,
                                          const Fabric& known, std::span<const mad::Guid> changed);

}  // namespace sm
