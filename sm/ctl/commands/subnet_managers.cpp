#include "sm/ctl/commands/subnet_managers.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>

#include "config/base64.h"
#include "config/http_peer.h"
#include "config/value.h"
#include "sm/ops/control_socket.h"

namespace sm::commands {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr std::chrono::seconds kTimeout{10};
constexpr std::uint64_t kBytesMax = std::uint64_t{64} << 20;

/// Sends a request and receives its response on a connected stream.
template <class Stream>
http::response<http::string_body> exchange(Stream& stream, const config::HttpEndpoint& address,
                                           const std::string& target,
                                           const std::string& credentials) {
  constexpr unsigned kHttp11 = 11;
  http::request<http::empty_body> request(http::verb::get, target, kHttp11);
  request.set(http::field::host, address.host);
  request.keep_alive(false);
  if (!credentials.empty())
    request.set(http::field::authorization, "Basic " + config::to_base64(credentials));
  http::write(stream, request);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kBytesMax);
  http::read(stream, buffer, parser);
  return parser.release();
}

http::response<http::string_body> request(const config::HttpEndpoint& address,
                                          const std::string& target,
                                          const std::string& credentials) {
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  const auto endpoints = resolver.resolve(address.host, std::to_string(address.port));
  if (!address.tls) {
    beast::tcp_stream stream(context);
    stream.expires_after(kTimeout);
    stream.connect(endpoints);
    return exchange(stream, address, target, credentials);
  }
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.set_default_verify_paths();
  tls.set_verify_mode(asio::ssl::verify_peer);
  beast::ssl_stream<beast::tcp_stream> stream(context, tls);
  stream.set_verify_callback(asio::ssl::host_name_verification(address.host));
  SSL_set_tlsext_host_name(stream.native_handle(), address.host.c_str());
  beast::get_lowest_layer(stream).expires_after(kTimeout);
  beast::get_lowest_layer(stream).connect(endpoints);
  stream.handshake(asio::ssl::stream_base::client);
  return exchange(stream, address, target, credentials);
}

std::optional<std::uint64_t> own_prefix(const ManagerApi::Answer& subnet) {
  if (!subnet || !subnet->contains("subnet_prefix")) return std::nullopt;
  const auto prefix = config::parse_number(subnet->at("subnet_prefix").get<std::string>());
  return prefix ? std::optional(*prefix) : std::nullopt;
}

}  // namespace

ManagerApi::Answer get_from(const std::string& url, const std::string& target,
                            const std::string& credentials) {
  const auto address = config::parse_http_endpoint(url);
  if (!address) return tl::unexpected(fmt::format("{} is no URL", url));
  try {
    const auto response = request(*address, target, credentials);
    auto body = Json::parse(response.body(), nullptr, false);
    if (body.is_discarded())
      return tl::unexpected(fmt::format("{}: the answer is not one of this version", url));
    if (response.result() == http::status::ok) return body;
    const std::string reason(response.reason());
    return tl::unexpected(fmt::format("{}: {}", url,
                                      body.contains("detail") && body["detail"].is_string()
                                          ? body["detail"].get<std::string>()
                                          : reason));
  } catch (const boost::system::system_error& error) {
    return tl::unexpected(fmt::format("{}: {}", url, error.code().message()));
  }
}

std::map<std::uint64_t, GetApi> subnet_managers(const std::string& credentials) {
  std::map<std::uint64_t, GetApi> managers;
  std::map<std::uint64_t, std::string> peers;
  for (const std::filesystem::path& socket : control_sockets(run_dir())) {
    const ManagerApi api(socket);
    const auto prefix = own_prefix(api.get("/v1/subnet"));
    if (!prefix) continue;
    managers.try_emplace(*prefix, [api](const std::string& target) { return api.get(target); });
    const auto options = api.get("/v1/options");
    if (!options) continue;
    for (const Json& option : options->at("options")) {
      if (option.at("key") != "subnet_peers") continue;
      const auto value = option.at("value").get<std::string>();
      for (const std::string_view text : config::split(value, ", "))
        if (const auto peer = config::parse_http_peer(text)) peers.emplace(peer->id, peer->url);
    }
  }
  for (const auto& [prefix, url] : peers)
    managers.try_emplace(prefix, [url, credentials](const std::string& target) {
      return get_from(url, target, credentials);
    });
  return managers;
}

}  // namespace sm::commands
