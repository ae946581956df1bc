#include "partitions/group_values.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

#include "config/value.h"
#include "mad/path_units.h"

namespace partitions {
namespace {

constexpr unsigned kRateCodeMax = mad::kRateGbps.size() - 1;
constexpr std::uint64_t kGbpsMax = 2400;

struct Speed {
  std::string_view name;
  unsigned half_gbps_per_1x;  // SDR has 2.5 Gb/s
};
constexpr Speed kSpeeds[] = {{"SDR", 5},  {"DDR", 10},  {"QDR", 20},  {"FDR", 28},
                             {"EDR", 50}, {"HDR", 100}, {"NDR", 200}, {"XDR", 400}};

std::string in_capitals(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return out;
}

std::optional<std::uint8_t> rate_of_gbps(std::uint64_t gbps) {
  return gbps > kGbpsMax ? std::nullopt : mad::rate_code(static_cast<unsigned>(gbps));
}

}  // namespace

std::optional<std::uint8_t> parse_mtu(std::string_view text) {
  const auto number = config::parse_number(text);
  if (!number || *number > mad::mtu_bytes(mad::kMtuMax)) return std::nullopt;
  if (*number <= mad::kMtuMax)
    return *number >= mad::kMtuMin ? std::optional(static_cast<std::uint8_t>(*number))
                                   : std::nullopt;
  return mad::mtu_code(static_cast<unsigned>(*number));
}

std::optional<std::uint8_t> parse_rate(std::string_view text) {
  if (const auto number = config::parse_number(text)) {
    if (*number > kRateCodeMax) return rate_of_gbps(*number);
    const auto code = static_cast<std::uint8_t>(*number);
    return mad::is_rate(code) ? std::optional(code) : std::nullopt;
  }
  const std::string word = in_capitals(text);
  if (word == "2.5" || word == "2.5G") return mad::kRate2_5Gbps;
  std::string_view rest = word;
  if (rest.ends_with('G')) {
    const auto number = config::parse_number(rest.substr(0, rest.size() - 1));
    return number ? rate_of_gbps(*number) : std::nullopt;
  }
  unsigned width_1x = 4;
  if (const std::size_t x = rest.find('X'); x > 0 && x < rest.size() - 1) {
    const auto width = config::parse_number(rest.substr(0, x), 10);
    if (!width || *width > 12) return std::nullopt;
    width_1x = static_cast<unsigned>(*width);
    rest.remove_prefix(x + 1);
  }
  const auto speed = std::ranges::find(kSpeeds, rest, &Speed::name);
  return speed == std::end(kSpeeds) || width_1x == 0
             ? std::nullopt
             : rate_of_gbps(width_1x * speed->half_gbps_per_1x / 2);
}

std::optional<mad::Gid> parse_mgid(std::string_view text) {
  std::array<std::uint8_t, 16> bytes{};
  if (text.find('\0') != std::string_view::npos ||
      inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) != 1 || bytes[0] != 0xFF)
    return std::nullopt;
  mad::Gid gid;
  for (unsigned i = 0; i < 8; ++i) {
    gid.prefix = gid.prefix << 8 | bytes[i];
    gid.guid.value = gid.guid.value << 8 | bytes[i + 8];
  }
  return gid;
}

}  // namespace partitions
