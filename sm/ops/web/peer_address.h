#pragma once
// The address at the other end of a socket.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <string>

#include "sm/ops/web/dispatcher.h"

namespace sm::web {

/// Returns the address by which limits count: the first 64 bits of IPv6 addresses, since a host has
/// as many of these as it likes.
std::string limited_as(const boost::asio::ip::address& address);
/// Over TCP: passwords are private on the loopback interface, or with TLS.
Peer peer_of(const boost::asio::ip::tcp::endpoint& remote, bool tls);
/// Over a Unix socket, as the kernel says (SO_PEERCRED): root, who runs this daemon, and members of
/// `group` ("": none) are administrators, others have no role.
Peer peer_of(boost::asio::local::stream_protocol::socket& socket, const std::string& group);
/// Over the control socket of the manager with that PortGUID: an administrator, since the mode of
/// the file has let the client in. The address has the process, as the kernel says.
Peer control_peer(boost::asio::local::stream_protocol::socket& socket, const std::string& manager);

}  // namespace sm::web
