#pragma once
// The HTTP server has its own threads, listeners, TLS and users; it serves a table of routes.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/http_peer.h"
#include "sm/ops/web/dispatcher.h"
#include "sm/ops/web/listener.h"

namespace sm::web {

struct ServerSettings {
  std::vector<config::ListenAddress> listen;
  std::string tls_cert, tls_key;  // files; empty: TCP is without TLS
  std::string users_file;         // empty: over TCP only what needs no role
  std::string control_group;      // administrators over Unix sockets; empty: none besides root
  bool read_only = false;
  bool plain_passwords = false;
};

class Server {
 public:
  struct Counters {
    std::size_t connections = 0;  // open
    // Connections; rejected: too many; yielded: closed while idle, in favor of another.
    std::uint64_t accepted = 0, rejected = 0, yielded = 0;
  };

  /// Starts the threads; no socket listens yet.
  explicit Server(Dispatcher::Options options);
  /// Calls stop(), if the owner did not.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Reads certificates and users again, and listens; called at the start and on a reload.
  /// Connections stay open. Errors: all that were found; nothing has changed then. Warnings may
  /// accompany success. Any thread, one call at a time; waits for files and names of hosts.
  config::Diagnostics apply(const ServerSettings& settings);
  /// Opens the control socket of a manager, until close_control() or stop(), and closes the socket
  /// that this manager had before. Errors: those of Listener::listen().
  tl::expected<void, std::string> open_control(const Listener::Control& control);
  /// `manager` is a PortGUID as in Listener::Control.
  void close_control(const std::string& manager);
  /// Returns the addresses with bound ports, without control sockets.
  std::vector<config::ListenAddress> addresses() const;
  Counters counters() const;

  /// Returns the executor of the server's threads, for calls that may wait, such as apply().
  boost::asio::any_io_executor executor() const;

  /// Ends connections and threads. `turn` runs work of other threads that handlers wait for; it is
  /// called until the handlers have ended, for two seconds at most. Handlers that have not ended by
  /// then never do; their resources are not released.
  void stop(const std::function<void()>& turn = {});

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sm::web
