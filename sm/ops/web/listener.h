#pragma once
// A Listener is a listening socket of one address of http_listen.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/http_peer.h"
#include "sm/ops/web/connection.h"
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

/// Accepts connections during its lifetime.
class Listener {
 public:
  /// Called for each connection, on the executor of its socket, which is a strand of its own.
  using Accept = std::function<void(Socket socket, Peer peer)>;
  struct Options {
    std::function<bool()> tls;           // whether connections over TCP are with TLS
    std::function<std::string()> group;  // of administrators over a Unix socket
    Accept accept;
  };
  /// Creates one listener for each address of a host. Waits for names to be resolved. A Unix socket
  /// replaces one that no process listens on; any user may connect to it. Errors: one line with the
  /// address and the reason.
  static tl::expected<std::vector<std::unique_ptr<Listener>>, std::string> listen(
      const boost::asio::any_io_executor& executor, const config::ListenAddress& address,
      const Options& options);
  /// The control socket of a manager: any client that may open the file is an administrator.
  struct Control {
    std::string path;
    std::string manager;  // its PortGUID
    std::string group;    // whose members may open it, besides its owner; empty: none
  };
  /// Creates the directory if needed, and replaces a socket that no process listens on. Errors: one
  /// line with the path and the reason, including an unknown group.
  static tl::expected<std::unique_ptr<Listener>, std::string> listen(
      const boost::asio::any_io_executor& executor, const Control& control, Accept accept);
  virtual ~Listener() = default;
  /// Returns the bound address, with the actual port in place of 0.
  virtual config::ListenAddress address() const = 0;
};

}  // namespace sm::web
