#pragma once
// Requests to resources without a server.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sm/ops/web/exchange.h"
#include "support/json_schema.h"

namespace api_client {

namespace asio = boost::asio;
using Json = nlohmann::json;

/// Runs a coroutine to its end on this thread.
template <class Value>
Value run(asio::awaitable<Value> work) {
  asio::io_context io;
  std::optional<Value> value;
  asio::co_spawn(io, std::move(work), [&](const std::exception_ptr& error, Value result) {
    if (error) std::rethrow_exception(error);
    value = std::move(result);
  });
  io.run();
  return std::move(*value);
}

class Client {
 public:
  explicit Client(sm::web::Resources resources)
      : resources_(std::move(resources)), validator_(resources_.schemas) {}

  const sm::web::Resources& resources() const { return resources_; }
  const json_schema::Validator& validator() const { return validator_; }

  /// "/v1/nodes?limit=2": values are not encoded here. 404 if no route has the path.
  sm::web::Response request(sm::web::Method method, std::string_view target, std::string body = {},
                            sm::web::Fields headers = {}) {
    sm::web::Request request{.method = method, .path = {}, .headers = std::move(headers)};
    request.body = std::move(body);
    request.caller = caller;
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string_view::npos) {
      for (const std::string_view part : split(target.substr(mark + 1), '&')) {
        const std::size_t equals = part.find('=');
        request.query.emplace_back(part.substr(0, equals), part.substr(equals + 1));
      }
    }
    for (const sm::web::Route& route : resources_.routes) {
      auto parameters = match(route.path, request.path);
      if (route.method != method || !parameters) continue;
      request.parameters = std::move(*parameters);
      latest_ = &route;
      return complete(run(route.handler(std::move(request))));
    }
    latest_ = nullptr;
    return sm::web::problem(404, "no route");
  }
  sm::web::Response get(std::string_view target, sm::web::Fields headers = {}) {
    return request(sm::web::Method::get, target, {}, std::move(headers));
  }

  /// Returns a body of status 200, which is valid by the schema of its route.
  Json json(std::string_view target) { return checked(get(target), target); }
  Json post(std::string_view target, const Json& body) {
    return checked(request(sm::web::Method::post, target, body.dump()), target);
  }
  Json checked(const sm::web::Response& response, std::string_view target) {
    EXPECT_EQ(response.status, 200u) << target << ": " << response.body;
    Json body = Json::parse(response.body, nullptr, false);
    EXPECT_FALSE(body.is_discarded()) << target << ": " << response.body;
    if (response.status == 200 && latest_ != nullptr) {
      EXPECT_EQ(validator_.fault(body, latest_->response_schema), "") << target;
    }
    return body;
  }
  /// The problem of a response with this status.
  Json problem(const sm::web::Response& response, unsigned status) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(response.content_type, "application/problem+json");
    return Json::parse(response.body, nullptr, false);
  }

  sm::web::Caller caller{.user = "tester",
                         .address = "192.0.2.1:4711",
                         .role = sm::web::Role::admin,
                         .limited_as = "192.0.2.1"};

 private:
  static std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t to = std::min(text.find(at, from), text.size());
      parts.push_back(text.substr(from, to - from));
      from = to + 1;
    }
    return parts;
  }
  static std::optional<sm::web::Fields> match(std::string_view path, std::string_view asked) {
    const auto wanted = split(path, '/'), got = split(asked, '/');
    if (wanted.size() != got.size()) return std::nullopt;
    sm::web::Fields parameters;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].starts_with('{')) {
        parameters.emplace_back(wanted[i].substr(1, wanted[i].size() - 2), got[i]);
      } else if (wanted[i] != got[i]) {
        return std::nullopt;
      }
    }
    return parameters;
  }
  /// A body in parts as a whole; a stream stays one.
  static sm::web::Response complete(sm::web::Response response) {
    if (!response.chunks || response.content_type == "text/event-stream") return response;
    while (auto part = run(response.chunks())) response.body += *part;
    response.chunks = {};
    return response;
  }

  sm::web::Resources resources_;
  json_schema::Validator validator_;
  const sm::web::Route* latest_ = nullptr;
};

}  // namespace api_client
