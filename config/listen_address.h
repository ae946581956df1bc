#pragma once
// Where a server of the daemon listens, as http_listen has it.

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
/// Nothing: it is none of these.
std::optional<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace config
