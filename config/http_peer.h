#pragma once
// Where another subnet manager serves its API: of the same subnet, as http_peers has it, or of
// another one, as subnet_peers has it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace config {

struct HttpPeer {
  std::uint64_t id = 0;  // the port GUID that its SMInfo shows; of another subnet its prefix
  std::string url;       // "https://sm-2:8443": scheme, host and perhaps a port, no path
};

/// NUMBER=URL, where URL is http or https, a host or an IPv6 address in brackets, and perhaps a
/// port; a slash behind it is left out. Nothing: it is none of these.
std::optional<HttpPeer> parse_http_peer(std::string_view text);

}  // namespace config
