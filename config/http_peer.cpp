#include "config/http_peer.h"

#include "config/listen_address.h"
#include "config/value.h"

namespace config {

std::string HttpEndpoint::text() const {
  return (tls ? "https://" : "http://") +
         ListenAddress{.host = host, .port = port, .path = {}}.text();
}

std::optional<HttpEndpoint> parse_http_endpoint(std::string_view url, std::uint16_t port) {
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return std::nullopt;
  url.remove_prefix(tls ? 8 : 7);
  if (url.ends_with('/')) url.remove_suffix(1);
  std::string text(url);
  if (text.find(':', text.starts_with('[') ? text.find(']') : 0) == std::string::npos)
    text += ":" + std::to_string(port != 0 ? port : tls ? 443 : 80);
  auto address = parse_listen_address(text);
  if (!address || address->is_unix() || address->host == "*") return std::nullopt;
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
