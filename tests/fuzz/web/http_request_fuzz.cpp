// Any bytes as what a client sends, in two parts: parsed, routed and answered without a socket. The
// heads of all answers are well-formed. The same bytes as a file of users: faults are within it.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <optional>

#include "sm/ops/web/request_parser.h"
#include "sm/ops/web/session.h"
#include "sm/ops/web/users.h"

namespace {

namespace asio = boost::asio;
using namespace sm::web;

std::shared_ptr<const Router> echoing_router() {
  std::vector<Route> routes;
  for (const Method method : {Method::get, Method::put, Method::post}) {
    for (const char* path : {"/v1/nodes/{name}", "/json", "/"}) {
      Route route;
      route.method = method;
      route.path = path;
      route.least = method == Method::put ? Role::admin : Role::none;
      route.request_schema = method == Method::post ? "Any" : "";
      route.handler = [](Request request) -> asio::awaitable<Response> {
        Response response;
        for (const auto& [name, value] : request.parameters)
          response.headers.emplace_back("X-Parameter", value);
        for (const auto& [name, value] : request.query) response.headers.emplace_back(name, value);
        response.body = request.body;
        co_return response;
      };
      routes.push_back(std::move(route));
    }
  }
  return std::make_shared<const Router>(std::move(routes));
}

Dispatcher& dispatcher() {
  static Dispatcher one(
      {.limits = {.requests = {.per_second = 1e9, .burst = 1e9}},
       .routes = [router = echoing_router()](const Fields&)
           -> tl::expected<std::shared_ptr<const Router>, Response> { return router; }});
  return one;
}

template <class Value>
Value result_of(asio::awaitable<Value> work) {
  asio::io_context io;
  std::optional<Value> result;
  asio::co_spawn(io, std::move(work), [&](const std::exception_ptr& error, Value value) {
    if (error) std::abort();
    result = std::move(value);
  });
  io.run();
  if (!result) std::abort();
  return std::move(*result);
}

/// Lines end with CR LF, none has another control character, and the empty line is the last one.
void check_head(const Response& response) {
  const std::string head = response_head(response, {});
  if (head.find("\r\n\r\n") != head.size() - 4) std::abort();
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto c = static_cast<unsigned char>(head[i]);
    if (c == '\r' ? head[i + 1] != '\n' : c == '\n' ? head[i - 1] != '\r' : c < 0x20 && c != '\t')
      std::abort();
  }
}

void answer(RequestParser& parser, std::string& bytes) {
  auto admitted = result_of(dispatcher().admit(
      parser.head(), {.address = "192.0.2.1:1", .limited_as = "192.0.2.1", .user = {}}));
  if (const auto* refused = std::get_if<Response>(&admitted)) {
    if (refused->status < 300) std::abort();
    return check_head(*refused);
  }
  parser.read_body();
  if (parser.take(bytes) != RequestParser::State::complete) return;
  check_head(result_of(dispatcher().answer(std::move(std::get<Dispatcher::Admitted>(admitted)),
                                           parser.take_body())));
}

void check_users(std::string_view text) {
  sm::web::Users users;
  config::Diagnostics found;
  users = Users::parse({"users", text}, found);
  for (const auto& diagnostic : found)
    if (diagnostic.line < 1 || diagnostic.column < 1) std::abort();
  for (const User& user : users.all())
    if (!is_user_name(user.name) || !cost_of(user.hash)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  check_users(all);
  const std::size_t half = size == 0 ? 0 : data[0] % (size + 1);
  std::string bytes(all.substr(0, half));
  const Limits limits{.header_bytes = 2048, .body_bytes = 512};
  bool has_rest = true;
  // As in a session: what is left belongs to the next request.
  for (int requests = 0; requests < 8; ++requests) {
    RequestParser parser(limits);
    auto state = parser.take(bytes);
    if (state == RequestParser::State::needs_more && has_rest) {
      bytes += all.substr(half);
      has_rest = false;
      state = parser.take(bytes);
    }
    if (state == RequestParser::State::fault) check_head(parser.fault());
    if (state != RequestParser::State::head) break;
    answer(parser, bytes);
  }
  return 0;
}
