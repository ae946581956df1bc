#include "sm/ops/web/exchange.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sm/ops/web/status_text.h"

namespace sm::web {
namespace {

std::optional<std::string_view> value_of(const Fields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Fields::value_type::first);
  if (found == fields.end()) return std::nullopt;
  return found->second;
}

}  // namespace

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
  return value_of(headers, name);
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
  return value_of(query, name);
}

std::string_view Request::parameter(std::string_view name) const {
  return value_of(parameters, name).value_or("");
}

Response problem(unsigned status, std::string_view detail, std::string_view remedy,
                 std::string_view pointer) {
  nlohmann::ordered_json body{
      {"title", status_text(status)}, {"status", status}, {"detail", detail}};
  if (!remedy.empty()) body["remedy"] = remedy;
  if (!pointer.empty()) body["pointer"] = pointer;
  // What a client sent may be no UTF-8.
  return {.status = status,
          .content_type = "application/problem+json",
          .body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace sm::web
