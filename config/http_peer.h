#pragma once
// Addresses of servers: where one of the daemon listens, as http_listen and state_listen have it,
// where other managers of the subnet are (state_peers), and where another subnet manager serves its
// API, as http_peers (of the same subnet) and subnet_peers (of another one) have it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace config {

struct ListenAddress {
  std::string host;  // a name, an IPv4 or IPv6 address without brackets; "*": all addresses
  std::uint16_t port = 0;
  std::string path;  // of a Unix socket: host is empty then

  bool is_unix() const { return !path.empty(); }
  /// True for 127.0.0.0/8, ::1 and localhost.
  bool is_loopback() const;
  /// "192.0.2.1:8080", "[2001:db8::1]:8080", "unix:/run/heddle/http.sock".
  std::string text() const;
  auto operator<=>(const ListenAddress&) const = default;
};

/// HOST:PORT, [IPV6]:PORT, *:PORT or unix:PATH, where PATH is absolute and PORT is 1 to 65535.
/// Returns nothing if it is none of these.
std::optional<ListenAddress> parse_listen_address(std::string_view text);

/// HOST, [IPV6] or *, and perhaps :PORT; without that it has this port. Returns nothing if it is
/// something else.
std::optional<ListenAddress> parse_host_address(std::string_view text, std::uint16_t port);

struct HttpEndpoint {
  bool tls = false;
  std::string host;  // without brackets
  std::uint16_t port = 0;
  std::string text() const;
  bool operator==(const HttpEndpoint&) const = default;
};

/// Reads http or https, "://", a host or an IPv6 address in brackets, and perhaps a port and a
/// slash. Without a port: `port`, or that of the scheme if it is 0. Nothing for anything else.
std::optional<HttpEndpoint> parse_http_endpoint(std::string_view url, std::uint16_t port = 0);

struct HttpPeer {
  std::uint64_t id = 0;  // the port GUID that its SMInfo shows; of another subnet its prefix
  std::string url;       // "https://sm-2:8443": scheme, host and perhaps a port, no path
};

/// NUMBER=URL, where URL is http or https, a host or an IPv6 address in brackets, and perhaps a
/// port; a slash behind it is left out. Nothing: it is none of these.
std::optional<HttpPeer> parse_http_peer(std::string_view text);

}  // namespace config
