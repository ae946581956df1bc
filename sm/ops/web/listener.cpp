#include "sm/ops/web/listener.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
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
#include <vector>

namespace sm::web {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using Local = asio::local::stream_protocol;
namespace {

/// Returns the group ids of the process at the other end.
std::vector<gid_t> groups_of(int descriptor, gid_t primary) {
  std::vector<gid_t> groups(64);
  auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int error = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  if (error != 0 && errno == ERANGE) {  // `bytes` says how many there are
    groups.resize(bytes / sizeof(gid_t));
    error = getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  }
  groups.resize(error == 0 ? bytes / sizeof(gid_t) : 0);
  groups.push_back(primary);
  return groups;
}

/// Returns nullopt if there is no such group.
std::optional<gid_t> gid_named(const std::string& group) {
  if (group.empty()) return std::nullopt;
  struct group entry{};
  struct group* found = nullptr;
  std::vector<char> text(65'536);
  if (getgrnam_r(group.c_str(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
    return std::nullopt;
  return found->gr_gid;
}

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
std::string set_socket_group(const std::string& path, const std::string& group) {
  if (group.empty()) return "";
  const struct group* const found = getgrnam(group.c_str());
  if (found == nullptr) return fmt::format("control_group: there is no group \"{}\"", group);
  if (chown(path.c_str(), static_cast<uid_t>(-1), found->gr_gid) != 0 ||
      chmod(path.c_str(), kForGroup) != 0)
    return fmt::format("control_group {}: {}", group, std::strerror(errno));
  return "";
}

}  // namespace

std::string limited_as(const asio::ip::address& address) {
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

Peer peer_of(const asio::ip::tcp::endpoint& remote, bool tls) {
  const asio::ip::address address = remote.address();
  const bool mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  const asio::ip::address plain =
      mapped ? asio::ip::address(asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()))
             : address;
  return {.address = plain.is_v6() ? fmt::format("[{}]:{}", plain.to_string(), remote.port())
                                   : fmt::format("{}:{}", plain.to_string(), remote.port()),
          .limited_as = limited_as(address),
          .user = {},
          .role = Role::none,
          .is_unix = false,
          .is_private = tls || plain.is_loopback()};
}

Peer peer_of(Local::socket& socket, const std::string& group) {
  Peer peer{.address = "unix",
            .limited_as = "unix",
            .user = {},
            .role = Role::none,
            .is_unix = true,
            .is_private = true};
  ucred of{};
  socklen_t size = sizeof of;
  if (getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &of, &size) != 0) return peer;
  peer.user = fmt::format("uid {}", of.uid);
  peer.limited_as = peer.user;
  const auto gid = gid_named(group);
  const std::vector<gid_t> groups = groups_of(socket.native_handle(), of.gid);
  const bool is_member = gid && std::ranges::find(groups, *gid) != groups.end();
  if (of.uid == 0 || of.uid == geteuid() || is_member) peer.role = Role::admin;
  return peer;
}

Peer control_peer(Local::socket& socket, const std::string& manager) {
  ucred of{};
  socklen_t size = sizeof of;
  const bool known = getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &of, &size) == 0;
  return {.address = known ? fmt::format("control socket, process {}", of.pid) : "control socket",
          .limited_as = "control " + manager,
          .user = known ? fmt::format("uid {}", of.uid) : "uid unknown",
          .role = Role::admin,
          .is_unix = true,
          .is_private = true,
          .manager = manager};
}

tl::expected<std::unique_ptr<Listener>, std::string> Listener::listen(
    const asio::any_io_executor& executor, const Control& control, Accept accept) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(control.path).parent_path(), error);
  auto listener = std::make_unique<UnixListener>(executor, control.path);
  std::string why = error ? error.message() : listener->open(kForOwner);
  if (why.empty()) why = set_socket_group(control.path, control.group);
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
