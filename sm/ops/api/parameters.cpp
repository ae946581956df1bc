#include "sm/ops/api/parameters.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "config/value.h"
#include "mad/format.h"

namespace sm::api {

std::optional<mad::Guid> read_guid(std::string_view text) {
  const auto number = config::parse_number(text, 16);
  if (!number || *number == 0) return std::nullopt;
  return mad::Guid{*number};
}

std::optional<mad::Gid> read_gid(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  mad::Gid gid;
  for (std::size_t i = 0; i < 8; ++i) {
    gid.prefix = gid.prefix << 8 | bytes[i];
    gid.guid.value = gid.guid.value << 8 | bytes[i + 8];
  }
  return gid;
}

std::optional<std::uint64_t> read_number(std::string_view text, std::uint64_t max) {
  const auto number = config::parse_number(text);
  if (!number || *number > max) return std::nullopt;
  return *number;
}

void Parameters::refuse(std::string_view name, std::string_view value, std::string_view remedy) {
  if (fault_) return;
  fault_ = web::problem(
      400, fmt::format("the query parameter {} is '{}'", name, value.substr(0, 100)), remedy);
}

std::optional<std::string_view> Parameters::text(std::string_view name) {
  const auto value = request_.query_value(name);
  if (value && value->empty()) {
    refuse(name, *value, "a text, or leave it out");
    return std::nullopt;
  }
  return value;
}

std::optional<mad::Guid> Parameters::guid(std::string_view name) {
  const auto value = request_.query_value(name);
  if (!value) return std::nullopt;
  const auto guid = read_guid(*value);
  if (!guid) refuse(name, *value, "a GUID such as 0x0002c90300000001");
  return guid;
}

std::optional<std::uint64_t> Parameters::number(std::string_view name, std::uint64_t min,
                                                std::uint64_t max) {
  const auto value = request_.query_value(name);
  if (!value) return std::nullopt;
  const auto number = read_number(*value, max);
  if (number && *number >= min) return number;
  refuse(name, *value, fmt::format("a number in {}..{}", min, max));
  return std::nullopt;
}

std::optional<bool> Parameters::boolean(std::string_view name) {
  const auto index = one_of(name, "false|true");
  if (!index) return std::nullopt;
  return *index == 1;
}

std::optional<std::size_t> Parameters::one_of(std::string_view name,
                                              std::span<const std::string_view> names) {
  const auto value = request_.query_value(name);
  if (!value) return std::nullopt;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto found = std::ranges::find_if(names, [&](std::string_view candidate) {
    return std::ranges::equal(candidate, *value, {}, lower, lower);
  });
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  refuse(name, *value, one_of_text(names));
  return std::nullopt;
}

std::optional<std::size_t> Parameters::one_of(std::string_view name, std::string_view texts) {
  return one_of(name, config::split(texts, "|"));
}

}  // namespace sm::api
