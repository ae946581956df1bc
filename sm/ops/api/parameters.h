#pragma once
// Reads query parameters of a request as values of their types. The first invalid parameter is kept
// as the response.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mad/ids.h"
#include "sm/ops/web/exchange.h"

namespace sm::api {

using web::one_of_text;

/// Reads at most 16 hexadecimal digits, with or without 0x; 0 is refused.
std::optional<mad::Guid> read_guid(std::string_view text);
/// Reads a GID in the notation of IPv6 addresses: "ff12:401b:ffff::ffff:ffff".
std::optional<mad::Gid> read_gid(const std::string& text);
std::optional<std::uint64_t> read_number(std::string_view text, std::uint64_t max);

/// Each function returns nullopt if the request does not have the parameter, or after an error.
class Parameters {
 public:
  explicit Parameters(const web::Request& request) : request_(request) {}

  std::optional<std::string_view> text(std::string_view name);
  std::optional<mad::Guid> guid(std::string_view name);
  std::optional<std::uint64_t> number(std::string_view name, std::uint64_t min, std::uint64_t max);
  std::optional<bool> boolean(std::string_view name);
  /// Returns an index into `names`, which are compared without regard to case.
  std::optional<std::size_t> one_of(std::string_view name, std::span<const std::string_view> names);
  /// `texts` has the form "full|limited", as in declarations of rows.
  std::optional<std::size_t> one_of(std::string_view name, std::string_view texts);

  /// Returns a 400 that names the invalid parameter, and the values that are allowed.
  const std::optional<web::Response>& fault() const { return fault_; }

 private:
  void refuse(std::string_view name, std::string_view value, std::string_view remedy);

  const web::Request& request_;
  std::optional<web::Response> fault_;
};

}  // namespace sm::api
