#include "config/listen_address.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>

namespace config {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kUnixPathMax = sizeof(sockaddr_un::sun_path) - 1;

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
         c == '-' || c == '_';
}

bool is_ipv6_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
         c == '.';
}

/// True for an IPv6 address, also with a zone after '%' (RFC 4007, 11.2), the name of an interface.
bool is_ipv6(std::string_view host) {
  const std::size_t percent = host.find('%');
  const std::string_view address = host.substr(0, percent);
  if (address.find(':') == std::string_view::npos ||
      !std::ranges::all_of(address, is_ipv6_character))
    return false;
  if (percent == std::string_view::npos) return true;
  const std::string_view zone = host.substr(percent + 1);
  return !zone.empty() && std::ranges::all_of(zone, is_host_character);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

}  // namespace

bool ListenAddress::is_loopback() const {
  const bool is_ipv4 =
      std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return host == "localhost" || host == "::1" || (is_ipv4 && host.starts_with("127."));
}

std::string ListenAddress::text() const {
  if (is_unix()) return fmt::format("{}{}", kUnix, path);
  const bool brackets = host.find(':') != std::string::npos;
  return brackets ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  if (text.starts_with(kUnix)) {
    const std::string_view path = text.substr(kUnix.size());
    if (!path.starts_with('/') || path.size() > kUnixPathMax || path.ends_with('/'))
      return std::nullopt;
    return ListenAddress{.host = {}, .port = 0, .path = std::string(path)};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_port(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  if (!port || host.empty()) return std::nullopt;
  if (host.starts_with('[')) {
    if (!host.ends_with(']') || host.size() < 4) return std::nullopt;
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) return std::nullopt;
  } else if (host != "*" && !std::ranges::all_of(host, is_host_character)) {
    return std::nullopt;
  }
  return ListenAddress{.host = std::string(host), .port = *port, .path = {}};
}

}  // namespace config
