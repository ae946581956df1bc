#pragma once
// URLs of servers, and where another subnet manager serves its API: of the same subnet, as
// http_peers has it, or of another one, as subnet_peers has it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace config {

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
