#pragma once
// Observe: reads the fabric by directed routes, breadth first from the manager's own port.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <span>
#include <vector>

#include "mad/smp_client.h"
#include "sm/fabric/subnet.h"

namespace sm {

struct DiscoveryOptions {
  mad::MKey m_key;                       // sent in every request
  bool clear_port_state_change = false;  // a master clears PortStateChange of a switch before it
                                         // reads the ports; others must not write
  std::function<void(std::size_t nodes, std::size_t switches)> on_progress;
};

struct Survey {
  Fabric fabric;  // empty when the own port does not answer; only the own node when it is down
  std::vector<OtherSm> sms;
  std::vector<mad::Guid>
      read_again;  // partial surveys: the nodes whose state was read (or that are new), by NodeGUID
  std::vector<mad::Guid> unread;  // nodes that left questions unanswered: worth another look soon
  bool sm_port_up = false;
};

/// Reads everything.
/// Errors: none by itself; what could not be read is in Survey::fabric.findings, and left out of
/// the fabric.
boost::asio::awaitable<Survey> discover(mad::SmpClient& client, const DiscoveryOptions& options);

/// Reads only what a local change can have touched: the switches `changed` (NodeGUIDs), what is new
/// behind their ports, and nodes whose link came up again. Everything else is taken from `known`.
boost::asio::awaitable<Survey> rediscover(mad::SmpClient& client, const DiscoveryOptions& options,
                                          const Fabric& known, std::span<const mad::Guid> changed);

}  // namespace sm
