#include "config/http_peer.h"

#include <sys/un.h>

#include <fmt/format.h>
#include <algorithm>

#include "config/value.h"

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
  const auto port = mad::parse_number<std::uint16_t>(text);
  return port && *port != 0 ? std::optional(*port) : std::nullopt;
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

std::optional<ListenAddress> parse_host_address(std::string_view text, std::uint16_t port) {
  const std::size_t host_end = text.starts_with('[') ? text.find(']') : 0;
  const bool has_port = text.find(':', host_end) != std::string_view::npos;
  auto address = parse_listen_address(has_port ? std::string(text) : fmt::format("{}:1", text));
  if (!address || address->is_unix()) return std::nullopt;
  if (!has_port) address->port = port;
  return address;
}

std::string HttpEndpoint::text() const {
  return (tls ? "https://" : "http://") +
         ListenAddress{.host = host, .port = port, .path = {}}.text();
}

std::optional<HttpEndpoint> parse_http_endpoint(std::string_view url, std::uint16_t port) {
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return std::nullopt;
  url.remove_prefix(tls ? 8 : 7);
  if (url.ends_with('/')) url.remove_suffix(1);
  constexpr std::uint16_t kHttps = 443, kHttp = 80;
  auto address = parse_host_address(url, port != 0 ? port : tls ? kHttps : kHttp);
  if (!address || address->host == "*") return std::nullopt;
  return HttpEndpoint{.tls = tls, .host = std::move(address->host), .port = address->port};
}

std::optional<HttpPeer> parse_http_peer(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto guid = parse_number(text.substr(0, equals));
  std::string_view url = text.substr(equals + 1);
  if (!guid || *guid == 0 || !parse_http_endpoint(url)) return std::nullopt;
  if (url.ends_with('/')) url.remove_suffix(1);
  return HttpPeer{.id = *guid, .url = std::string(url)};
}

}  // namespace config
