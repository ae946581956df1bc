#include "config/http_peer.h"

#include "config/listen_address.h"
#include "config/value.h"

namespace config {
namespace {

/// True if the URL has a scheme, a host and a port alone.
bool is_origin(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!url.starts_with(scheme)) continue;
    const std::string host(url.substr(scheme.size()));
    const bool has_port =
        host.find(':', host.starts_with('[') ? host.find(']') : 0) != std::string::npos;
    const auto address = parse_listen_address(has_port ? host : host + ":443");
    return address && !address->is_unix() && address->host != "*";
  }
  return false;
}

}  // namespace

std::optional<HttpPeer> parse_http_peer(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto guid = parse_number(text.substr(0, equals));
  std::string_view url = text.substr(equals + 1);
  if (url.ends_with('/')) url.remove_suffix(1);
  if (!guid || *guid == 0 || !is_origin(url)) return std::nullopt;
  return HttpPeer{.id = *guid, .url = std::string(url)};
}

}  // namespace config
