#pragma once
// Datagram sockets of the server, and their addresses.

#include <netinet/in.h>

#include <string>

#include "sim/server/client_requests.h"

namespace sim::server {

/// In the abstract namespace.
Client::Address unix_address(const std::string& name);
/// `host` in network order.
Client::Address udp_address(in_addr_t host, unsigned port);
/// A bound socket that does not block; -1 with errno if there is none.
int open_socket(bool udp, const Client::Address& address);

}  // namespace sim::server
