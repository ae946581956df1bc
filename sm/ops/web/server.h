#pragma once
// The HTTP server: threads of its own, listeners, TLS, users; what it serves is a table of routes.

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/listen_address.h"
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
    // Connections; rejected: too many; yielded: ended while idle, for another one.
    std::uint64_t accepted = 0, rejected = 0, yielded = 0;
  };

  /// Starts the threads; nothing listens yet.
  explicit Server(Dispatcher::Options options);
  /// stop(), if that was not called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Listens, with certificates and users read again: at the start and on a reload. Connections go
  /// on. Errors: all that is wrong; nothing has changed then. Warnings may come with success. Any
  /// thread, one call at a time; waits for files and names of hosts.
  config::Diagnostics apply(const ServerSettings& settings);
  /// Opens the control socket of a manager, until close_control() or stop(); the control socket
  /// that this manager had before is closed. Errors: as Listener::listen().
  tl::expected<void, std::string> open_control(const Listener::Control& control);
  /// `manager`: a PortGUID as in Listener::Control.
  void close_control(const std::string& manager);
  /// Where it listens, with ports as they are bound; without control sockets.
  std::vector<config::ListenAddress> addresses() const;
  Counters counters() const;

  /// On its threads, for what may wait, such as apply().
  boost::asio::any_io_executor executor() const;

  /// Ends connections and threads. `turn` lets other threads' work go on on which handlers wait,
  /// and is called until they have ended, for two seconds at most. Handlers that have not ended
  /// then never do; what they hold is not released.
  void stop(const std::function<void()>& turn = {});

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace sm::web
