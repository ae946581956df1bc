#pragma once
// The members of a JSON object that a client sent, as values of their types. The first fault is
// kept as the response.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sm/ops/web/exchange.h"

namespace sm::api {

/// Functions return nothing if the member is not there, or after a fault.
class Body {
 public:
  /// `text` is to be one JSON object within the bounds of `web::parse_json_body()`.
  explicit Body(std::string_view text);

  std::optional<std::uint64_t> number(const std::string& member, std::uint64_t max,
                                      bool required = false, std::uint64_t min = 0);
  std::optional<bool> boolean(const std::string& member);
  std::optional<std::string> text(const std::string& member, std::size_t bytes_max,
                                  bool required = false);
  std::optional<std::vector<std::string>> texts(const std::string& member, std::size_t count_max,
                                                std::size_t bytes_max);
  /// After the last member: others are faults.
  void finish();

  /// 400: no JSON. 413: too long. 422: a member is unknown, missing or not what it should be; with
  /// a pointer.
  const std::optional<web::Response>& fault() const { return fault_; }

 private:
  const nlohmann::json* find(const std::string& member);
  void refuse(std::string_view member, std::string_view what, std::string_view remedy);

  nlohmann::json object_ = nlohmann::json::object();
  std::set<std::string, std::less<>> known_;
  std::optional<web::Response> fault_;
};

}  // namespace sm::api
