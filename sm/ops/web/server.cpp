#include "sm/ops/web/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "sm/ops/web/session.h"
#include "sm/ops/web/worker.h"

namespace sm::web {
namespace asio = boost::asio;

namespace {

constexpr unsigned kThreads = 2;
constexpr std::chrono::seconds kShutdownTimeout{2};
constexpr std::chrono::milliseconds kTurnPause{1};

struct OpenSession {
  std::unique_ptr<Connection> connection;
  Activity activity;
  Peer peer;
  asio::any_io_executor strand;
  bool yields = false;  // is being closed, and counts no longer
};
using Sessions = std::unordered_map<OpenSession*, std::shared_ptr<OpenSession>>;

enum class Kind : std::uint8_t { tcp, local, control };

Kind find_kind(const Peer& peer) {
  return peer.is_control() ? Kind::control : peer.is_unix ? Kind::local : Kind::tcp;
}

/// Counts open connections by origin: over TCP, over Unix sockets of http_listen, or over control
/// sockets. No origin takes room from another.
class OpenConnections {
 public:
  OpenConnections(Kind kind, const Limits& limits) : kind_(kind), limits_(limits) {
    if (kind == Kind::control) limits_.connections_per_address = limits_.connections_of_control;
  }

  void add(const std::string& key) {
    ++by_key_[key];
    ++total_;
  }
  void remove(const std::string& key) {
    const auto found = by_key_.find(key);
    if (--found->second == 0) by_key_.erase(found);
    --total_;
  }

  /// Returns true if another connection of `key` has room, at once or after the session in
  /// `yielding` is closed. Returns false if no session that would have to yield is idle.
  bool has_room(const std::string& key, const Sessions& sessions,
                std::shared_ptr<OpenSession>& yielding) const {
    const auto known = by_key_.find(key);
    const std::size_t of_key = known == by_key_.end() ? 0 : known->second;
    const auto is_of_key = [&](const OpenSession& session) {
      return session.peer.limited_as == key;
    };
    const auto has_no_login = [](const OpenSession& session) {
      return !session.activity.logged_in;
    };
    if (of_key >= limits_.connections_before_login) {
      const auto both = [&](const OpenSession& session) {
        return is_of_key(session) && has_no_login(session);
      };
      if (count(sessions, both) >= limits_.connections_before_login)
        return choose(sessions, both, yielding);
    }
    if (of_key >= limits_.connections_per_address) return choose(sessions, is_of_key, yielding);
    if (total_ < limits_.connections) return true;
    return choose(sessions, has_no_login, yielding) ||
           choose(sessions, [](const OpenSession&) { return true; }, yielding);
  }

 private:
  template <class Which>
  std::size_t count(const Sessions& sessions, Which which) const {
    return static_cast<std::size_t>(std::ranges::count_if(sessions, [&](const auto& entry) {
      return is_counted(*entry.second) && which(*entry.second);
    }));
  }
  /// Chooses the session that has been idle for longest. Returns false if none is idle.
  template <class Which>
  bool choose(const Sessions& sessions, Which which,
              std::shared_ptr<OpenSession>& longest_idle) const {
    Clock::rep since = Activity::kBusy;
    for (const auto& [key, session] : sessions) {
      if (!is_counted(*session) || !which(*session)) continue;
      const Clock::rep idle_since = session->activity.idle_since;
      if (idle_since == Activity::kBusy) continue;
      if (since != Activity::kBusy && idle_since >= since) continue;
      since = idle_since;
      longest_idle = session;
    }
    return since != Activity::kBusy;
  }
  bool is_counted(const OpenSession& session) const {
    return find_kind(session.peer) == kind_ && !session.yields;
  }

  const Kind kind_;
  Limits limits_;
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> by_key_;
};

}  // namespace

struct Server::Parts : std::enable_shared_from_this<Server::Parts> {
  explicit Parts(Dispatcher::Options options)
      : dispatcher(std::move(options)),
        tcp(Kind::tcp, dispatcher.limits()),
        local(Kind::local, dispatcher.limits()),
        control(Kind::control, dispatcher.limits()) {}

  void open(Socket socket, Peer peer) {
    auto session = std::make_shared<OpenSession>();
    session->strand = socket.get_executor();
    std::shared_ptr<TlsContext> with;
    {
      const std::lock_guard lock(mutex);
      std::shared_ptr<OpenSession> yielding;
      if (share.ends || !of(peer).has_room(peer.limited_as, sessions, yielding)) {
        ++rejected;
        return;
      }
      if (yielding) yield(std::move(yielding));
      of(peer).add(peer.limited_as);
      ++accepted;
      if (!peer.is_unix) with = tls;
      // A reload may have enabled TLS since the accept: such a connection is private, too.
      peer.is_private = peer.is_private || with != nullptr;
      session->connection = make_connection(std::move(socket), std::move(with));
      session->peer = std::move(peer);
      sessions.emplace(session.get(), session);
    }
    asio::co_spawn(
        session->strand,
        run_session(session->peer.is_control() ? control_share : share, *session->connection,
                    session->activity, session->peer),
        [self = shared_from_this(), session](const std::exception_ptr&) { self->ended(*session); });
  }

  void ended(OpenSession& session) {
    session.connection->close();
    const std::lock_guard lock(mutex);
    if (!session.yields) of(session.peer).remove(session.peer.limited_as);
    sessions.erase(&session);
  }

  OpenConnections& of(const Peer& peer) {
    const Kind kind = find_kind(peer);
    return kind == Kind::control ? control : kind == Kind::local ? local : tcp;
  }

  /// Called with `mutex` locked.
  void yield(std::shared_ptr<OpenSession> session) {
    session->yields = true;
    of(session->peer).remove(session->peer.limited_as);
    ++yielded;
    const auto on = session->strand;
    asio::post(on, [open = std::move(session)] { open->connection->close(); });
  }

  void close_all() {
    const std::lock_guard lock(mutex);
    for (auto& [key, session] : sessions)
      asio::post(session->strand, [open = session] { open->connection->close(); });
  }

  bool has_sessions() const {
    const std::lock_guard lock(mutex);
    return !sessions.empty();
  }

  asio::io_context io{static_cast<int>(kThreads)};
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(io);
  Dispatcher dispatcher;
  SessionShare share{dispatcher}, control_share{dispatcher};
  std::vector<std::thread> threads;

  mutable std::mutex mutex;  // of what follows
  OpenConnections tcp, local, control;
  std::uint64_t accepted = 0, rejected = 0, yielded = 0;
  Sessions sessions;
  std::shared_ptr<TlsContext> tls;
  std::string group;
  std::map<config::ListenAddress, std::vector<std::unique_ptr<Listener>>> listeners;
  std::map<std::string, std::unique_ptr<Listener>> controls;  // by manager
};

Server::Server(Dispatcher::Options options) : parts_(std::make_shared<Parts>(std::move(options))) {
  for (unsigned i = 0; i < kThreads; ++i)
    parts_->threads.emplace_back([parts = parts_.get()] {
      lower_priority_of_this_thread();
      parts->io.run();
    });
}

Server::~Server() { stop(); }

config::Diagnostics Server::apply(const ServerSettings& settings) {
  config::Diagnostics found;
  const auto error = [&](std::string what) {
    found.push_back({config::Severity::error, "", 0, 0, std::move(what), ""});
  };
  std::shared_ptr<TlsContext> tls;
  if (!settings.tls_cert.empty() && !settings.listen.empty()) {
    auto made = make_tls_context(settings.tls_cert, settings.tls_key);
    if (made)
      tls = std::move(*made);
    else
      error(std::move(made.error()));
  }
  std::shared_ptr<const Users> users;
  if (!settings.users_file.empty() && !settings.listen.empty())
    users = std::make_shared<const Users>(read_users(settings.users_file, found));

  const Listener::Options listening{
      .tls =
          [parts = parts_.get()] {
            const std::lock_guard lock(parts->mutex);
            return parts->tls != nullptr;
          },
      .group =
          [parts = parts_.get()] {
            const std::lock_guard lock(parts->mutex);
            return parts->group;
          },
      .accept = [parts = parts_.get()](
                    Socket socket, Peer peer) { parts->open(std::move(socket), std::move(peer)); }};
  decltype(parts_->listeners) added;
  for (const config::ListenAddress& address : settings.listen) {
    if (parts_->listeners.contains(address) || added.contains(address)) continue;
    auto listeners = Listener::listen(parts_->io.get_executor(), address, listening);
    if (listeners)
      added.emplace(address, std::move(*listeners));
    else
      error(std::move(listeners.error()));
  }
  if (config::has_errors(found)) return found;

  decltype(parts_->listeners) kept = std::move(added);
  const std::lock_guard lock(parts_->mutex);
  for (const config::ListenAddress& address : settings.listen) {
    if (auto old = parts_->listeners.extract(address)) kept.insert(std::move(old));
  }
  parts_->listeners = std::move(kept);
  parts_->tls = std::move(tls);
  parts_->group = settings.control_group;
  parts_->dispatcher.configure(
      {.read_only = settings.read_only, .plain_passwords = settings.plain_passwords});
  parts_->dispatcher.authenticator().set_users(std::move(users));
  return found;
}

tl::expected<void, std::string> Server::open_control(const Listener::Control& control) {
  close_control(control.manager);
  auto listener = Listener::listen(parts_->io.get_executor(), control,
                                   [parts = parts_.get()](Socket socket, Peer peer) {
                                     parts->open(std::move(socket), std::move(peer));
                                   });
  if (!listener) return tl::unexpected(std::move(listener.error()));
  const std::lock_guard lock(parts_->mutex);
  parts_->controls.emplace(control.manager, std::move(*listener));
  return {};
}

void Server::close_control(const std::string& manager) {
  const std::lock_guard lock(parts_->mutex);
  parts_->controls.erase(manager);
}

std::vector<config::ListenAddress> Server::addresses() const {
  const std::lock_guard lock(parts_->mutex);
  std::vector<config::ListenAddress> addresses;
  for (const auto& [address, listeners] : parts_->listeners)
    for (const auto& listener : listeners) addresses.push_back(listener->address());
  return addresses;
}

Server::Counters Server::counters() const {
  const std::lock_guard lock(parts_->mutex);
  return {.connections = parts_->sessions.size(),
          .accepted = parts_->accepted,
          .rejected = parts_->rejected,
          .yielded = parts_->yielded};
}

asio::any_io_executor Server::executor() const { return parts_->io.get_executor(); }

void Server::stop(const std::function<void()>& turn) {
  if (!parts_ || parts_->threads.empty()) return;
  parts_->share.ends = parts_->control_share.ends = true;
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->listeners.clear();
    parts_->controls.clear();
  }
  const auto until = Clock::now() + kShutdownTimeout;
  while (parts_->has_sessions() && Clock::now() < until) {
    parts_->close_all();
    if (turn) turn();
    std::this_thread::sleep_for(kTurnPause);
  }
  const bool whole = !parts_->has_sessions();
  parts_->work.reset();
  parts_->io.stop();
  for (std::thread& thread : parts_->threads) thread.join();
  parts_->threads.clear();
  if (whole) return;
  // Work that waits elsewhere holds sockets of this server. The server therefore stays for the rest
  // of the process, and leak checkers can reach it.
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::shared_ptr<Parts>>;
  const std::lock_guard lock(mutex);
  kept.push_back(parts_);
}

}  // namespace sm::web
