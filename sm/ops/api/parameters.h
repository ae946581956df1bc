#pragma once
// Parameters of the query of a request, as values of their types. The first one that is not what it
// should be is kept as the response.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mad/ids.h"
#include "sm/ops/web/exchange.h"

namespace sm::api {

using web::one_of_text;

/// 16 hexadecimal digits at most, with or without 0x. Not 0.
std::optional<mad::Guid> read_guid(std::string_view text);
/// As IPv6 addresses are written: "ff12:401b:ffff::ffff:ffff".
std::optional<mad::Gid> read_gid(const std::string& text);
std::optional<std::uint64_t> read_number(std::string_view text, std::uint64_t max);

/// Each function returns nothing if the request does not have the parameter, or after an error.
class Parameters {
 public:
  explicit Parameters(const web::Request& request) : request_(request) {}

  std::optional<std::string_view> text(std::string_view name);
  std::optional<mad::Guid> guid(std::string_view name);
  std::optional<std::uint64_t> number(std::string_view name, std::uint64_t min, std::uint64_t max);
  std::optional<bool> boolean(std::string_view name);
  /// Index into `names`, which are compared in either case of letters.
  std::optional<std::size_t> one_of(std::string_view name, std::span<const std::string_view> names);
  /// `texts`: "full|limited", as in declarations of rows.
  std::optional<std::size_t> one_of(std::string_view name, std::string_view texts);

  /// 400: which parameter is wrong, and what would be right.
  const std::optional<web::Response>& fault() const { return fault_; }

 private:
  void refuse(std::string_view name, std::string_view value, std::string_view remedy);

  const web::Request& request_;
  std::optional<web::Response> fault_;
};

}  // namespace sm::api
