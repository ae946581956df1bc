#pragma once
// Reads members of a JSON object that a client sent, as values of their types. The first fault is
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

/// Functions return nullopt if the member is missing, or after a fault.
class Body {
 public:
  /// `text` must be one JSON object within the bounds of `web::parse_json_body()`.
  explicit Body(std::string_view text);

  std::optional<std::uint64_t> number(const std::string& member, std::uint64_t max,
                                      bool required = false, std::uint64_t min = 0);
  std::optional<bool> boolean(const std::string& member);
  std::optional<std::string> text(const std::string& member, std::size_t bytes_max,
                                  bool required = false);
  std::optional<std::vector<std::string>> texts(const std::string& member, std::size_t count_max,
                                                std::size_t bytes_max);
  /// Called after the last member; reports other members as faults.
  void finish();

  /// Returns the fault: 400 for text that is not JSON, 413 if it is too long, 422 with a pointer if
  /// a member is unknown, missing or invalid.
  const std::optional<web::Response>& fault() const { return fault_; }

 private:
  const nlohmann::json* find(const std::string& member);
  void refuse(std::string_view member, std::string_view what, std::string_view remedy);

  nlohmann::json object_ = nlohmann::json::object();
  std::set<std::string, std::less<>> known_;
  std::optional<web::Response> fault_;
};

}  // namespace sm::api
