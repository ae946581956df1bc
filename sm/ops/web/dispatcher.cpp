#include "sm/ops/web/dispatcher.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "config/diagnostic.h"
#include "sm/ops/web/compression.h"
#include "sm/ops/web/request_target.h"

namespace sm::web {
namespace {

std::string audited_user(std::string_view user) {
  return user.empty() ? "(unnamed)" : config::in_quotes(user);
}

}  // namespace

void AuditLog::change(const Caller& caller, std::string_view method, std::string_view path,
                      unsigned status) {
  if (!write_) return;
  write_(fmt::format("http: user {} at {}: {} {}: {}", audited_user(caller.user), caller.address,
                     method, config::printable(path), status));
}

void AuditLog::failed_login(std::string_view user, std::string_view address, std::string_view why) {
  if (!write_) return;
  if (pace_.take("", Clock::now()) > std::chrono::milliseconds(0)) {
    ++left_out_;
    return;
  }
  const unsigned left_out = left_out_.exchange(0);
  write_(fmt::format("http: login of {} at {} failed: {}{}", audited_user(user), address, why,
                     left_out == 0 ? "" : fmt::format(" ({} lines left out)", left_out)));
}

namespace asio = boost::asio;

namespace {

constexpr std::size_t kRateKeysMax = 16'384;
constexpr std::string_view kChallenge = R"(Basic realm="heddle", charset="UTF-8")";

using MethodName = std::pair<std::string_view, Method>;
constexpr std::array kMethodNames{
    MethodName{"GET", Method::get},     MethodName{"HEAD", Method::head},
    MethodName{"POST", Method::post},   MethodName{"PUT", Method::put},
    MethodName{"PATCH", Method::patch}, MethodName{"DELETE", Method::delete_}};

std::optional<Method> method_named(std::string_view text) {
  const auto found = std::ranges::find(kMethodNames, text, &MethodName::first);
  return found == kMethodNames.end() ? std::nullopt : std::optional(found->second);
}

bool is_known_elsewhere(std::string_view method) {
  return method == "OPTIONS" || method == "TRACE" || method == "CONNECT";
}

std::optional<std::string> header_of(const Fields& headers, std::string_view name) {
  const auto found = std::ranges::find(headers, name, &Fields::value_type::first);
  return found == headers.end() ? std::nullopt : std::optional(found->second);
}

bool is_json(std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  return type.starts_with("application/json") || type.ends_with("+json");
}

Response with_retry(Response response, std::chrono::milliseconds after) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(after);
  response.headers.emplace_back("Retry-After", fmt::format("{}", std::max(1L, seconds.count())));
  return response;
}

Response with_challenge(Response response) {
  response.headers.emplace_back("WWW-Authenticate", std::string(kChallenge));
  return response;
}

/// True if a page of another site sends the request, with the password that the browser remembers.
bool is_cross_site(const Fields& headers) {
  if (const auto site = header_of(headers, "sec-fetch-site"))
    return *site != "same-origin" && *site != "none";
  const auto origin = header_of(headers, "origin");
  if (!origin) return false;
  const std::size_t host = origin->find("://");
  return host == std::string::npos || origin->substr(host + 3) != header_of(headers, "host");
}

/// Returns the part of a target that is logged.
std::string path_of(std::string_view target) {
  constexpr std::size_t kLoggedMax = 300;
  return std::string(target.substr(0, std::min(target.find('?'), kLoggedMax)));
}

/// Rebuilds the target for another server, whose managers have other ports.
std::string target_of(const Request& request) {
  std::string target;
  for (std::size_t at = 0; at < request.path.size();) {
    const std::size_t end = std::min(request.path.find('/', at + 1), request.path.size());
    target += "/" + percent_encoded(std::string_view(request.path).substr(at + 1, end - at - 1));
    at = end;
  }
  char before = '?';
  for (const auto& [name, value] : request.query) {
    if (name == kManagerParameter) continue;
    target += fmt::format("{}{}={}", before, percent_encoded(name), percent_encoded(value));
    before = '&';
  }
  return target;
}

/// True if a list of entity tags (If-None-Match) has this one; weak (RFC 9110, 8.8.3.2).
bool has_tag(std::string_view list, std::string_view tag) {
  const std::string quoted = fmt::format("\"{}\"", tag);
  while (!list.empty()) {
    const std::size_t end = list.find(',');
    std::string_view item = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    item.remove_prefix(std::min(item.find_first_not_of(" \t"), item.size()));
    item = item.substr(0, item.find_last_not_of(" \t") + 1);
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == "*" || item == quoted) return true;
  }
  return false;
}

/// Counts a request as being answered for its own lifetime.
class Counted {
 public:
  explicit Counted(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<std::size_t>& count_;
};

/// Reports the beginning and the end of a change, even if the handler throws.
class ChangeReported {
 public:
  explicit ChangeReported(const std::function<void(bool)>& report) : report_(report) {
    if (report_) report_(true);
  }
  ~ChangeReported() {
    if (report_) report_(false);
  }
  ChangeReported(const ChangeReported&) = delete;
  ChangeReported& operator=(const ChangeReported&) = delete;

 private:
  const std::function<void(bool)>& report_;
};

/// Returns why the body that the head announces is not read.
std::optional<Response> refused_body(const Route& route, const Head& head, const Request& request) {
  if (!route.request_schema.empty() && !head.has_length)
    return problem(411, "the request has no body and no header Content-Length",
                   "send the body with its length, or chunked");
  const auto type = request.header("content-type");
  if (head.has_body && route.in_document && !route.request_schema.empty() &&
      !(type && is_json(*type)))
    return problem(415,
                   fmt::format("the body is {}, not application/json",
                               type ? config::in_quotes(*type) : "of no type"),
                   "send header Content-Type: application/json");
  return std::nullopt;
}

}  // namespace

Dispatcher::Dispatcher(Options options)
    : options_(std::move(options)),
      audit_(options_.audit),
      authenticator_(options_.limits),
      requests_(options_.limits.requests, kRateKeysMax) {}

void Dispatcher::configure(Settings settings) {
  read_only_ = settings.read_only;
  plain_passwords_ = settings.plain_passwords;
}

std::optional<Response> Dispatcher::refused_by_rate(const Peer& peer, const std::string& user) {
  if (peer.role == Role::admin) return std::nullopt;  // over a Unix socket: may do anything anyway
  const std::string key = user.empty() ? peer.limited_as : "user " + user;
  const auto wait = requests_.take(key, Clock::now());
  if (wait == std::chrono::milliseconds(0)) return std::nullopt;
  return with_retry(problem(429,
                            user.empty() ? "there are too many requests from this address"
                                         : "there are too many requests of this user",
                            "send fewer, and those after the time in header Retry-After"),
                    wait);
}

asio::awaitable<std::optional<Response>> Dispatcher::refused_login(const Head& head,
                                                                   const Peer& peer, Role least,
                                                                   Caller& caller) {
  if (head.authorization) {
    if (!peer.is_private && !plain_passwords_)
      co_return problem(403,
                        "a password was sent without TLS: it is not taken, and others may have "
                        "read it",
                        "use https (http_tls_cert, http_tls_key), or set http_plain_passwords");
    if (!authenticator_.has_users())
      co_return problem(403, "there are no users: http_users_file is not set",
                        "heddlectl http-user add writes a file of users");
    const Login login = co_await authenticator_.login(*head.authorization, peer.limited_as);
    switch (login.result) {
      case Login::Result::ok:
        caller.user = login.user;
        caller.role = login.role;
        break;
      case Login::Result::malformed:
        audit_.failed_login("", peer.address, "header Authorization is not of scheme Basic");
        co_return with_challenge(
            problem(401, "header Authorization is not \"Basic\" and the base64 of user:password"));
      case Login::Result::wrong:
        audit_.failed_login(login.user, peer.address, "user or password is wrong");
        co_return with_challenge(problem(401, "the user or the password is wrong"));
      case Login::Result::too_often:
        audit_.failed_login(login.user, peer.address, "too many failed ones before");
        co_return with_retry(problem(429, "too many logins have failed", "wait"),
                             login.retry_after);
      case Login::Result::busy:
        co_return with_retry(problem(503, "too many logins wait to be verified", "try again"),
                             login.retry_after);
    }
  }
  if (caller.role >= least) co_return std::nullopt;
  if (caller.user.empty() || (peer.is_unix && !head.authorization)) {
    if (!authenticator_.has_users() && !peer.is_unix)
      co_return problem(403, "there are no users: http_users_file is not set",
                        "heddlectl http-user add writes a file of users");
    co_return with_challenge(
        problem(401, fmt::format("this needs a user with role {}", name(least))));
  }
  co_return problem(403,
                    fmt::format("user {} has role {}; this needs role {}",
                                config::in_quotes(caller.user), name(caller.role), name(least)),
                    fmt::format("use a user with role {}", name(least)));
}

asio::awaitable<std::optional<Response>> Dispatcher::refused_change(const Admitted& admitted) {
  if (is_cross_site(admitted.request.headers))
    co_return problem(403, "a page of another site sends this change",
                      "send it from a page of this server");
  if (read_only_)
    co_return problem(403, "this server changes nothing: http_read_only is TRUE",
                      "set http_read_only FALSE, or use another server");
  if (!options_.elsewhere) co_return std::nullopt;
  const auto elsewhere = co_await options_.elsewhere(admitted.request);
  if (!elsewhere) co_return std::nullopt;
  const bool native = admitted.request.path.starts_with("/v1/");
  Response response =
      problem(native && !elsewhere->url.empty() ? 307 : 503,
              fmt::format("this subnet manager is not the master, which is {}", elsewhere->master),
              "send changes to the master");
  if (response.status == 307) {
    std::string location = elsewhere->url + target_of(admitted.request);
    response.headers.emplace_back("Location", std::move(location));
  } else {
    response = with_retry(std::move(response), std::chrono::seconds(5));
  }
  co_return response;
}

asio::awaitable<std::variant<Response, Dispatcher::Admitted>> Dispatcher::admit(Head head,
                                                                                Peer peer) {
  if (auto refused = refused_by_rate(peer, "")) co_return std::move(*refused);
  const auto method = method_named(head.method);
  if (!method && !is_known_elsewhere(head.method))
    co_return problem(501, fmt::format("method {} is unknown", config::in_quotes(head.method)),
                      "use GET, HEAD, POST, PUT, PATCH or DELETE");
  auto target = parse_target(head.target);
  if (!target) co_return problem(400, target.error(), "send a path and a query as in RFC 3986");
  if (peer.is_control()) target->query.emplace_back(kManagerParameter, peer.manager);
  auto router = options_.routes(target->query);
  if (!router) co_return std::move(router.error());

  // The answer to a method without a route lists the available methods in Allow.
  const auto match = (*router)->match(method.value_or(Method::head), target->segments);
  if (std::holds_alternative<Router::NoSuchPath>(match))
    co_return problem(404, fmt::format("there is no {}", config::in_quotes(target->path)),
                      "GET /v1 lists what there is");
  if (const auto* others = std::get_if<Router::OtherMethods>(&match); others || !method) {
    std::string allow = others ? others->allow : "GET, HEAD";
    Response response =
        problem(405, fmt::format("{} is not for this", head.method), fmt::format("use {}", allow));
    response.headers.emplace_back("Allow", std::move(allow));
    co_return response;
  }
  const auto& found = std::get<Router::Match>(match);
  const Route& route = *found.route;
  Admitted admitted{
      .router = *router,
      .route = &route,
      .request = {.method = route.method,
                  .path = target->path,
                  .query = std::move(target->query),
                  .headers = std::move(head.headers),
                  .body = {},
                  .parameters = found.parameters,
                  .caller = {.user = peer.user,
                             .address = peer.address,
                             .role = peer.role,
                             .limited_as = peer.is_unix ? std::string() : peer.limited_as}},
      .changes = route.method != Method::get && route.method != Method::head && route.changes,
      .is_control = peer.is_control(),
      .audited_path = path_of(head.target)};
  Caller& caller = admitted.request.caller;
  if (route.least != Role::none) {
    if (auto refused = co_await refused_login(head, peer, route.least, caller))
      co_return std::move(*refused);
    if (!peer.is_unix) {
      if (auto refused = refused_by_rate(peer, caller.user)) co_return std::move(*refused);
    }
  }
  if (admitted.changes && !peer.is_control()) {
    if (auto refused = co_await refused_change(admitted)) {
      audit_.change(caller, head.method, admitted.audited_path, refused->status);
      co_return std::move(*refused);
    }
  }
  if (auto refused = refused_body(route, head, admitted.request)) co_return std::move(*refused);
  co_return admitted;
}

asio::awaitable<Response> Dispatcher::handled(const Route& route, Request request,
                                              bool is_control) {
  const std::string what = fmt::format("{} {}", name(request.method), request.path);
  std::atomic<std::size_t>& running = is_control ? running_control_ : running_;
  if (running >= options_.limits.handlers)
    co_return with_retry(problem(503, "too many requests are being answered", "try again"),
                         std::chrono::seconds(1));
  const Counted counted(running);
  std::string error;
  try {
    Response response = co_await route.handler(std::move(request));
    co_return response;
  } catch (const std::bad_alloc&) {
    error = "no memory";
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  if (options_.log_error)
    options_.log_error(fmt::format("http: {}: {}", config::printable(what), error));
  // Only the log has the reason: it may contain details that clients must not see.
  co_return problem(500, "the server has failed to answer this; its log says more");
}

asio::awaitable<Response> Dispatcher::answer(Admitted admitted, std::string body) {
  admitted.request.body = std::move(body);
  const Caller caller = admitted.request.caller;
  if (!admitted.changes) {
    Response response =
        co_await handled(*admitted.route, std::move(admitted.request), admitted.is_control);
    co_return response;
  }
  std::optional<Response> response;
  {
    const ChangeReported reported(options_.on_change);
    response = co_await handled(*admitted.route, std::move(admitted.request), admitted.is_control);
  }
  audit_.change(caller, name(admitted.route->method), admitted.audited_path, response->status);
  co_return std::move(*response);
}

asio::awaitable<Response> presented(Response response, Method method,
                                    std::optional<std::string> if_none_match,
                                    std::string accept_encoding) {
  const bool reads = method == Method::get || method == Method::head;
  if (!response.etag.empty())
    response.headers.emplace_back("ETag", fmt::format("\"{}\"", response.etag));
  if (reads && response.status == 200 && !response.etag.empty() && if_none_match &&
      has_tag(*if_none_match, response.etag)) {
    response.status = 304;
    response.body.clear();
    response.chunks = {};
    response.content_type.clear();
    co_return response;
  }
  if (response.chunks || !is_worth_gzip(response.content_type, response.body.size()))
    co_return response;
  const bool encoded = std::ranges::any_of(response.headers, [](const auto& field) {
    return field.first == "Content-Encoding" || field.first == "content-encoding";
  });
  if (encoded) co_return response;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!accepts_gzip(accept_encoding)) co_return response;
  if (auto text = co_await gzipped(response.body)) {
    response.body = std::move(*text);
    response.headers.emplace_back("Content-Encoding", "gzip");
  }
  co_return response;
}

}  // namespace sm::web
