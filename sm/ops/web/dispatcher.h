#pragma once
// Processes a request from its head to its answer, without sockets: rate, route, login, role,
// handler, audit, ETag and gzip.

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "sm/ops/web/authenticator.h"
#include "sm/ops/web/exchange.h"
#include "sm/ops/web/http_limits.h"
#include "sm/ops/web/router.h"
#include "sm/ops/web/token_buckets.h"

namespace sm::web {

/// One line a change that was authorised and a failed login. Never header Authorization, bodies or
/// queries, which may hold secrets. What clients send is escaped: no line can be forged. Failed
/// logins are at most ten lines a second, with the number of those left out. Any thread.
class AuditLog {
 public:
  using Write = std::function<void(const std::string& line)>;
  explicit AuditLog(Write write) : write_(std::move(write)) {}

  void change(const Caller& caller, std::string_view method, std::string_view path,
              unsigned status);
  void failed_login(std::string_view user, std::string_view address, std::string_view why);

 private:
  Write write_;
  TokenBuckets pace_{{.per_second = 10, .burst = 10}, 1};
  std::atomic<unsigned> left_out_ = 0;
};

/// The other end of a connection.
struct Peer {
  std::string address;     // "192.0.2.1:40000", "unix"
  std::string limited_as;  // what limits count; IPv6: of the /64
  std::string user;        // over a Unix socket: "uid 0"
  Role role = Role::none;  // over a Unix socket; else by login
  bool is_unix = false;
  bool is_private = false;   // no third party can read it: TLS, loopback, a Unix socket
  std::string manager = {};  // of a control socket: the PortGUID of its manager, else empty

  /// True for a control socket: http_read_only forbids no changes there, and none is redirected to
  /// the master; the manager itself refuses changes.
  bool is_control() const { return !manager.empty(); }
};

/// A request before its body is read.
struct Head {
  std::string method, target;  // as sent
  Fields headers = {};         // names in lower case; without Authorization
  std::optional<std::string> authorization = std::nullopt;
  bool has_body = false;
  bool has_length = false;  // Content-Length or chunked
};

/// The manager that makes changes, if it is another one.
struct Elsewhere {
  std::string master;  // as a sentence names it: "0x0002c90300000001 (node-1)"
  std::string url;     // "https://node-1:8443", without the path; empty: unknown
};

class Dispatcher {
 public:
  struct Options {
    Limits limits = {};
    /// Returns the routes for a request with this query, or an error if there are none. Any thread.
    std::function<tl::expected<std::shared_ptr<const Router>, Response>(const Fields& query)>
        routes;
    /// Returns nullopt if changes are made here.
    std::function<boost::asio::awaitable<std::optional<Elsewhere>>(const Request&)> elsewhere = {};
    /// Called before (true) and after (false) the handler of a change runs. Any thread.
    std::function<void(bool begins)> on_change = {};
    AuditLog::Write audit = {};
    /// Logs errors of handlers.
    std::function<void(const std::string& line)> log_error = {};
  };
  struct Settings {
    bool read_only = false;
    bool plain_passwords = false;
  };

  explicit Dispatcher(Options options);
  /// Any thread.
  void configure(Settings settings);
  Authenticator& authenticator() { return authenticator_; }
  const Limits& limits() const { return options_.limits; }

  struct Admitted {
    std::shared_ptr<const Router> router;  // which `route` is of
    const Route* route = nullptr;
    Request request;
    bool changes = false;
    bool is_control = false;  // as of its Peer
    std::string audited_path;
  };
  /// Returns the error that the head of a request shows, or the request's handler.
  boost::asio::awaitable<std::variant<Response, Admitted>> admit(Head head, Peer peer);
  /// Runs the handler. The caller bounds the body.
  boost::asio::awaitable<Response> answer(Admitted admitted, std::string body);

 private:
  std::optional<Response> refused_by_rate(const Peer& peer, const std::string& user);
  boost::asio::awaitable<std::optional<Response>> refused_login(const Head& head, const Peer& peer,
                                                                Role least, Caller& caller);
  boost::asio::awaitable<std::optional<Response>> refused_change(const Admitted& admitted);
  boost::asio::awaitable<Response> handled(const Route& route, Request request, bool is_control);

  Options options_;
  AuditLog audit_;
  Authenticator authenticator_;
  TokenBuckets requests_;
  std::atomic<bool> read_only_ = false, plain_passwords_ = false;
  std::atomic<std::size_t> running_ = 0, running_control_ = 0;  // control sockets: of their own
};

/// Returns the answer as it is sent: 304 if the client has it (If-None-Match), gzip if the client
/// accepts it, and the matching headers.
boost::asio::awaitable<Response> presented(Response response, Method method,
                                           std::optional<std::string> if_none_match,
                                           std::string accept_encoding);

}  // namespace sm::web
