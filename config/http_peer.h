#pragma once
// Where another subnet manager of the subnet serves its API, as http_peers has it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace config {

struct HttpPeer {
  std::uint64_t port_guid = 0;  // that its SMInfo shows
  std::string url;              // "https://sm-2:8443": scheme, host and perhaps a port, no path
};

/// PORT_GUID=URL, where URL is http or https, a host or an IPv6 address in brackets, and perhaps a
/// port; a slash behind it is left out. Nothing: it is none of these.
std::optional<HttpPeer> parse_http_peer(std::string_view text);

}  // namespace config
