#include "sm/ops/web/exchange.h"

#include <fmt/format.h>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace sm::web {
namespace {

std::optional<std::string_view> find_value(const Fields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Fields::value_type::first);
  if (found == fields.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::string_view status_text(unsigned status) {
  const auto text = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
  return {text.data(), text.size()};
}

std::string Caller::text() const {
  return fmt::format("{} ({})", user.empty() ? "-" : user, address);
}

std::string_view name(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::patch:
      return "PATCH";
    case Method::delete_:
      return "DELETE";
  }
  return "";
}

std::string_view name(Role role) {
  switch (role) {
    case Role::none:
      return "none";
    case Role::read:
      return "read";
    case Role::partitions:
      return "partitions";
    case Role::admin:
      return "admin";
  }
  return "";
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  return find_value(headers, name);
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
  return find_value(query, name);
}

std::string_view Request::parameter(std::string_view name) const {
  return find_value(parameters, name).value_or("");
}

Response problem(unsigned status, std::string_view detail, std::string_view remedy,
                 std::string_view pointer) {
  nlohmann::ordered_json body{
      {"title", status_text(status)}, {"status", status}, {"detail", detail}};
  if (!remedy.empty()) body["remedy"] = remedy;
  if (!pointer.empty()) body["pointer"] = pointer;
  // A client's text may be invalid UTF-8, or control a terminal: it is escaped to ASCII.
  return {.status = status,
          .content_type = "application/problem+json",
          .body = body.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)};
}

std::string one_of_text(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::optional<Response> unknown_parameter(const Request& request,
                                          std::span<const Route::Parameter> known) {
  std::vector<std::string_view> names;
  for (const Route::Parameter& parameter : known) {
    if (parameter.in != "query") continue;
    names.emplace_back(parameter.name);
    if (parameter.required && !request.query_value(parameter.name))
      return problem(400, fmt::format("the query parameter {} is missing", parameter.name),
                     parameter.description);
  }
  for (std::size_t i = 0; i < request.query.size(); ++i) {
    const std::string& name = request.query[i].first;
    if (name == kManagerParameter && std::ranges::find(names, name) == names.end()) continue;
    if (std::ranges::find(names, name) == names.end())
      return problem(400, fmt::format("there is no query parameter '{}' here", name.substr(0, 100)),
                     names.empty() ? "leave it out: this resource has none" : one_of_text(names));
    for (std::size_t j = 0; j < i; ++j) {
      if (request.query[j].first == name)
        return problem(400, fmt::format("the query parameter {} is there twice", name),
                       "one value");
    }
  }
  return std::nullopt;
}

}  // namespace sm::web
