#include "sm/ops/web/listener.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sm/ops/web/peer_address.h"

namespace sm::web {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Local = asio::local::stream_protocol;

namespace {

constexpr std::chrono::milliseconds kNoDescriptorPause{200};

/// Returns why an address cannot be used, and a remedy.
std::string fault_of(const error_code& error) {
  std::string text = error.message();
  if (error == asio::error::address_in_use)
    text += "; name another port in http_listen, or end the process that has it (ss -ltnp)";
  else if (error == boost::system::errc::address_not_available ||
           error == asio::error::host_not_found || error == asio::error::no_data)
    text += "; name an address of this machine in http_listen, or * for all";
  else if (error == asio::error::access_denied)
    text += "; name a port from 1024 on in http_listen, or run with CAP_NET_BIND_SERVICE";
  return text;
}

/// The state that the accepting coroutine shares with the listener, which may be destroyed first.
template <class Protocol>
struct Accepting {
  explicit Accepting(const asio::any_io_executor& executor)
      : strand(asio::make_strand(executor)), acceptor(strand) {}
  asio::any_io_executor strand;
  asio::basic_socket_acceptor<Protocol> acceptor;
};

/// `adopt` handles each connection.
template <class Protocol, class Adopt>
asio::awaitable<void> accept_all(std::shared_ptr<Accepting<Protocol>> self,
                                 asio::any_io_executor executor, Adopt adopt) {
  while (self->acceptor.is_open()) {
    error_code error;
    auto socket =
        co_await self->acceptor.async_accept(asio::any_io_executor(asio::make_strand(executor)),
                                             asio::redirect_error(asio::use_awaitable, error));
    if (!error) {
      adopt(std::move(socket));
    } else if (error != asio::error::operation_aborted) {  // no descriptor is left, for example
      asio::steady_timer pause(self->strand, kNoDescriptorPause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }
}

template <class Protocol>
void close_later(const std::shared_ptr<Accepting<Protocol>>& accepting) {
  asio::post(accepting->strand, [accepting] {
    error_code ignored;
    accepting->acceptor.close(ignored);
  });
}

class TcpListener final : public Listener {
 public:
  TcpListener(const asio::any_io_executor& executor, std::string host)
      : accepting_(std::make_shared<Accepting<tcp>>(executor)), host_(std::move(host)) {}
  ~TcpListener() override { close_later(accepting_); }

  error_code open(const tcp::endpoint& endpoint, bool dual_stack) {
    error_code error;
    auto& acceptor = accepting_->acceptor;
    const auto step = [&](auto action) {
      if (!error) action();
    };
    step([&] { acceptor.open(endpoint.protocol(), error); });
    step([&] { acceptor.set_option(tcp::acceptor::reuse_address(true), error); });
    if (endpoint.address().is_v6())
      step([&] { acceptor.set_option(asio::ip::v6_only(!dual_stack), error); });
    step([&] { acceptor.bind(endpoint, error); });
    step([&] { acceptor.listen(asio::socket_base::max_listen_connections, error); });
    return error;
  }

  void start(const asio::any_io_executor& executor, const Options& options) {
    asio::co_spawn(accepting_->strand,
                   accept_all(accepting_, executor,
                              [options](tcp::socket socket) {
                                error_code error;
                                const auto remote = socket.remote_endpoint(error);
                                if (error) return;
                                socket.set_option(tcp::no_delay(true), error);
                                Peer peer = peer_of(remote, options.tls());
                                const auto on = socket.get_executor();
                                asio::post(on, [socket = std::move(socket), peer = std::move(peer),
                                                accept = options.accept]() mutable {
                                  accept(Socket(std::move(socket)), std::move(peer));
                                });
                              }),
                   asio::detached);
  }

  config::ListenAddress address() const override {
    error_code error;
    return {.host = host_, .port = accepting_->acceptor.local_endpoint(error).port(), .path = {}};
  }

 private:
  std::shared_ptr<Accepting<tcp>> accepting_;
  std::string host_;
};

class UnixListener final : public Listener {
 public:
  UnixListener(const asio::any_io_executor& executor, std::string path)
      : accepting_(std::make_shared<Accepting<Local>>(executor)), path_(std::move(path)) {}
  ~UnixListener() override {
    close_later(accepting_);
    std::error_code ignored;
    if (bound_) std::filesystem::remove(path_, ignored);
  }

  /// `mode` is the file's mode from its creation on. Returns why the socket cannot listen, or "".
  std::string open(mode_t mode) {
    std::error_code error;
    const auto type = std::filesystem::symlink_status(path_, error).type();
    if (type != std::filesystem::file_type::not_found) {
      if (type != std::filesystem::file_type::socket) return "there is a file that is no socket";
      if (is_served()) return "another process listens there";
      std::filesystem::remove(path_, error);
    }
    error_code failed;
    accepting_->acceptor.open(Local(), failed);
    // Linux gives the file the mode of the socket at the bind, without the bits of the umask.
    if (!failed && fchmod(accepting_->acceptor.native_handle(), mode) != 0)
      failed = error_code(errno, boost::system::system_category());
    if (!failed) accepting_->acceptor.bind(Local::endpoint(path_), failed);
    bound_ = !failed;
    if (!failed) accepting_->acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (!failed && chmod(path_.c_str(), mode) != 0)
      failed = error_code(errno, boost::system::system_category());
    return failed ? failed.message() : "";
  }

  /// `identify` returns the peer of a connection.
  void start(const asio::any_io_executor& executor, std::function<Peer(Local::socket&)> identify,
             Accept accept) {
    asio::co_spawn(accepting_->strand,
                   accept_all(accepting_, executor,
                              [identify = std::move(identify),
                               accept = std::move(accept)](Local::socket socket) {
                                Peer peer = identify(socket);
                                const auto on = socket.get_executor();
                                asio::post(on, [socket = std::move(socket), peer = std::move(peer),
                                                accept]() mutable {
                                  accept(Socket(std::move(socket)), std::move(peer));
                                });
                              }),
                   asio::detached);
  }

  config::ListenAddress address() const override { return {.host = {}, .port = 0, .path = path_}; }

 private:
  bool is_served() const {
    asio::io_context io;
    Local::socket socket(io);
    error_code error;
    socket.connect(Local::endpoint(path_), error);
    return !error;
  }

  std::shared_ptr<Accepting<Local>> accepting_;
  std::string path_;
  bool bound_ = false;
};

using Listeners = std::vector<std::unique_ptr<Listener>>;

tl::expected<Listeners, std::string> listen_on_tcp(const asio::any_io_executor& executor,
                                                   const config::ListenAddress& address,
                                                   const Listener::Options& options) {
  const auto failed = [&](const error_code& error) {
    return tl::unexpected(fmt::format("http_listen {}: {}", address.text(), fault_of(error)));
  };
  const bool any = address.host == "*";
  std::vector<tcp::endpoint> endpoints;
  error_code error;
  if (any) {
    endpoints = {{asio::ip::address_v6::any(), address.port},
                 {asio::ip::address_v4::any(), address.port}};
  } else {
    asio::io_context io;
    for (const auto& found : tcp::resolver(io).resolve(
             address.host, fmt::format("{}", address.port), tcp::resolver::passive, error))
      endpoints.push_back(found.endpoint());
    if (error) return failed(error);
  }
  Listeners listeners;
  for (const tcp::endpoint& endpoint : endpoints) {
    auto listener = std::make_unique<TcpListener>(executor, address.host);
    error = listener->open(endpoint, any);
    if (any && endpoint.address().is_v6() && error) continue;  // without IPv6: IPv4 alone
    if (error) return failed(error);
    listener->start(executor, options);
    listeners.push_back(std::move(listener));
    if (any) break;  // IPv6's takes both
  }
  return listeners;
}

constexpr mode_t kForAll = 0666, kForOwner = 0600, kForGroup = 0660;

/// Returns "", or the reason why the group's members cannot open the file.
std::string give_to_group(const std::string& path, const std::string& group) {
  if (group.empty()) return "";
  const struct group* const found = getgrnam(group.c_str());
  if (found == nullptr) return fmt::format("control_group: there is no group \"{}\"", group);
  if (chown(path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0 ||
      chmod(path.c_str(), kForGroup) != 0)
    return fmt::format("control_group {}: {}", group, std::strerror(errno));
  return "";
}

}  // namespace

tl::expected<std::unique_ptr<Listener>, std::string> Listener::listen(
    const asio::any_io_executor& executor, const Control& control, Accept accept) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(control.path).parent_path(), error);
  auto listener = std::make_unique<UnixListener>(executor, control.path);
  std::string why = error ? error.message() : listener->open(kForOwner);
  if (why.empty()) why = give_to_group(control.path, control.group);
  if (!why.empty()) return tl::unexpected(fmt::format("control socket {}: {}", control.path, why));
  // The file's mode decides who may connect.
  listener->start(
      executor,
      [manager = control.manager](Local::socket& socket) { return control_peer(socket, manager); },
      std::move(accept));
  return listener;
}

tl::expected<Listeners, std::string> Listener::listen(const asio::any_io_executor& executor,
                                                      const config::ListenAddress& address,
                                                      const Options& options) {
  if (!address.is_unix()) return listen_on_tcp(executor, address, options);
  auto listener = std::make_unique<UnixListener>(executor, address.path);
  if (const std::string why = listener->open(kForAll); !why.empty())
    return tl::unexpected(
        fmt::format("http_listen {}: {}; name another path", address.text(), why));
  // SO_PEERCRED names the peer.
  listener->start(
      executor, [group = options.group](Local::socket& socket) { return peer_of(socket, group()); },
      options.accept);
  Listeners listeners;
  listeners.push_back(std::move(listener));
  return listeners;
}

}  // namespace sm::web
