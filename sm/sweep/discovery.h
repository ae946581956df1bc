#pragma once
// Observe: reads the fabric by directed routes, breadth first from the manager's own port.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <span>
#include <vector>

#include "fabric/subnet.h"
#include "mad/smp_client.h"

namespace sm {

/// Every node has at least one unicast LID, and there are 49,151 of them (IBTA Vol 1, 4.1.3). What
/// answers with ever new NodeGUIDs must not keep a survey going for ever, or take all memory.
inline constexpr std::size_t kSurveyNodesMax = mad::kUnicastLidMax.value;
/// Ports of all nodes together. Fat trees, tori and dragonflies that use all LIDs have fewer than
/// ten for each of them; this is 42.
inline constexpr std::size_t kSurveyPortsMax = std::size_t{1} << 21;

struct DiscoveryOptions {
  mad::MKey m_key;                       // sent in every request
  bool clear_port_state_change = false;  // a master clears PortStateChange of a switch before it
                                         // reads the ports; others must not write
  std::function<void(std::size_t nodes, std::size_t switches)> on_progress;
  std::size_t nodes_max = kSurveyNodesMax, ports_max = kSurveyPortsMax;
};

struct Survey {
  Fabric fabric;  // empty when the own port does not answer; only the own node when it is down
  std::vector<OtherSm> sms;
  std::vector<mad::Guid>
      read_again;  // partial surveys: the nodes whose state was read (or that are new), by NodeGUID
  std::vector<mad::Guid>
      unread;  // nodes that left requests without a response: to be read again soon
  std::vector<mad::Guid> claimed;  // switches whose PortStateChange was cleared, by a SwitchInfo
                                   // that replaced what they showed
  bool sm_port_up = false;
};

/// Reads everything. Ends whatever answers say: a port is looked behind once (and a few times more
/// while its cable is doubtful), a directed route has at most 63 hops, and a node that would exceed
/// nodes_max or ports_max is left out, with a condition that names the port before it.
/// Errors: none by itself; what could not be read is in Survey::fabric.conditions, and left out of
/// the fabric.
boost::asio::awaitable<Survey> discover(mad::SmpClient& client, const DiscoveryOptions& options);

/// Reads only what a local change can have touched: the switches `changed` (NodeGUIDs), what is new
/// behind their ports, and nodes whose link came up again. Everything else is taken from `known`.
boost::asio::awaitable<Survey> rediscover(mad::SmpClient& client, const DiscoveryOptions& options,
                                          const Fabric& known, std::span<const mad::Guid> changed);

}  // namespace sm
