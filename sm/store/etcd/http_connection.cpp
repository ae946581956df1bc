#include "sm/store/etcd/http_connection.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <tuple>

#include "mad/format.h"

namespace sm::etcd {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kLineBytesMax = std::size_t{64} << 20;
constexpr std::size_t kErrorBodyMax = 4096;

using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;

}  // namespace

/// Exactly one of the two streams exists while the connection is open.
struct HttpConnection::Streams {
  std::optional<Plain> plain;
  std::optional<Secure> secure;
  beast::flat_buffer buffer;
  std::optional<http::response_parser<http::buffer_body>> parser;  // of a stream of lines
  LineBuffer lines;

  Plain& tcp() { return secure ? secure->next_layer() : *plain; }
  /// Calls `operation` with the existing stream.
  template <class Operation>
  auto with(Operation operation) {
    return secure ? operation(*secure) : operation(*plain);
  }
};

HttpConnection::HttpConnection(asio::any_io_executor executor, asio::ssl::context& tls)
    : executor_(std::move(executor)), tls_(tls) {}
HttpConnection::~HttpConnection() { close(); }

bool HttpConnection::is_open() const { return streams_ != nullptr; }

void HttpConnection::close() {
  const std::shared_ptr<Streams> streams = std::exchange(streams_, nullptr);
  if (!streams) return;
  beast::error_code ignored;
  streams->tcp().socket().close(ignored);
}

asio::awaitable<tl::expected<void, std::string>> HttpConnection::connect(Endpoint endpoint) {
  if (streams_ && endpoint == endpoint_) co_return tl::expected<void, std::string>();
  close();
  endpoint_ = endpoint;
  const auto streams = std::make_shared<Streams>();
  if (endpoint.tls)
    streams->secure.emplace(executor_, tls_);
  else
    streams->plain.emplace(executor_);
  streams_ = streams;
  const auto failed = [&](std::string_view step, const beast::error_code& error) {
    if (streams_ == streams) close();
    return tl::unexpected(fmt::format("{}: {}: {}", endpoint.text(), step, error.message()));
  };
  asio::ip::tcp::resolver resolver(executor_);
  const std::string port = std::to_string(endpoint.port);
  const auto [unresolved, addresses] = co_await resolver.async_resolve(endpoint.host, port, kTuple);
  if (unresolved) co_return failed("resolve", unresolved);
  if (streams_ != streams) co_return failed("connect", asio::error::operation_aborted);
  streams->tcp().expires_after(kConnectTimeout);
  const auto [unconnected, address] = co_await streams->tcp().async_connect(addresses, kTuple);
  if (unconnected) co_return failed("connect", unconnected);
  beast::error_code ignored;
  streams->tcp().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  if (endpoint.tls) {
    // Several servers may share an address; the certificate must be for this name.
    SSL_set_tlsext_host_name(streams->secure->native_handle(), endpoint.host.c_str());
    streams->secure->set_verify_callback(asio::ssl::host_name_verification(endpoint.host));
    const auto [refused] =
        co_await streams->secure->async_handshake(asio::ssl::stream_base::client, kTuple);
    if (refused) co_return failed("TLS", refused);
  }
  streams->tcp().expires_never();
  co_return tl::expected<void, std::string>();
}

namespace {

http::request<http::string_body> request_of(const Endpoint& endpoint, const std::string& target,
                                            const std::string& token, std::string body) {
  http::request<http::string_body> request{http::verb::post, target, 11};
  request.set(http::field::host, fmt::format("{}:{}", endpoint.host, endpoint.port));
  request.set(http::field::content_type, "application/json");
  if (!token.empty()) request.set(http::field::authorization, token);
  request.body() = std::move(body);
  request.prepare_payload();
  return request;
}

}  // namespace

/// Closes the connection on which the error occurred.
std::string HttpConnection::failure(const Streams& streams, std::string_view target,
                                    const boost::system::error_code& error) {
  if (streams_.get() == &streams) close();
  return fmt::format("{}: {}: {}", endpoint_.text(), target, error.message());
}

/// Sends a POST without reading its answer. `streams` may be null: not connected.
asio::awaitable<tl::expected<void, std::string>> HttpConnection::send(
    std::shared_ptr<Streams> streams, std::string target, std::string token, std::string body) {
  if (!streams) co_return tl::unexpected(fmt::format("{}: not connected", endpoint_.text()));
  const auto request = request_of(endpoint_, target, token, std::move(body));
  streams->tcp().expires_after(kTimeout);
  const auto [error, sent] = co_await streams->with(
      [&](auto& stream) { return http::async_write(stream, request, kTuple); });
  if (error) co_return tl::unexpected(failure(*streams, target, error));
  co_return tl::expected<void, std::string>();
}

asio::awaitable<tl::expected<HttpAnswer, std::string>> HttpConnection::post(std::string target,
                                                                            std::string token,
                                                                            std::string body) {
  const std::shared_ptr<Streams> streams = streams_;
  if (auto sent = co_await send(streams, target, std::move(token), std::move(body)); !sent)
    co_return tl::unexpected(std::move(sent.error()));
  http::response_parser<http::string_body> parser;
  parser.body_limit(kAnswerBytesMax);
  const auto [unread, received] = co_await streams->with(
      [&](auto& stream) { return http::async_read(stream, streams->buffer, parser, kTuple); });
  if (unread) co_return tl::unexpected(failure(*streams, target, unread));
  streams->tcp().expires_never();
  if (!parser.get().keep_alive() && streams_ == streams) close();
  co_return HttpAnswer{.status = parser.get().result_int(), .body = std::move(parser.get().body())};
}

asio::awaitable<tl::expected<HttpAnswer, std::string>> HttpConnection::open_stream(
    std::string target, std::string token, std::string body) {
  const std::shared_ptr<Streams> streams = streams_;
  if (auto sent = co_await send(streams, target, std::move(token), std::move(body)); !sent)
    co_return tl::unexpected(std::move(sent.error()));
  streams->parser.emplace();
  streams->parser->body_limit(boost::none);
  const auto [unread, received] = co_await streams->with([&](auto& stream) {
    return http::async_read_header(stream, streams->buffer, *streams->parser, kTuple);
  });
  if (unread) co_return tl::unexpected(failure(*streams, target, unread));
  HttpAnswer answer{.status = streams->parser->get().result_int(), .body = {}};
  if (answer.status != 200) {
    if (auto line = co_await next_line()) answer.body = line->substr(0, kErrorBodyMax);
    if (streams_ == streams) close();
    co_return answer;
  }
  streams->tcp().expires_never();
  co_return answer;
}

asio::awaitable<tl::expected<std::string, std::string>> HttpConnection::next_line() {
  const std::shared_ptr<Streams> streams = streams_;
  if (!streams || !streams->parser) co_return tl::unexpected(std::string("no stream is open"));
  for (;;) {
    if (auto line = streams->lines.next()) co_return std::move(*line);
    if (streams->parser->is_done() || streams->lines.size() > kLineBytesMax) {
      std::string rest = streams->lines.take_rest();
      if (!rest.empty() && rest.size() <= kErrorBodyMax) co_return rest;  // of an error
      if (streams_ == streams) close();
      co_return tl::unexpected(fmt::format("{}: the stream ended", endpoint_.text()));
    }
    char piece[8192];
    auto& body = streams->parser->get().body();
    body.data = piece;
    body.size = sizeof(piece);
    auto [error, received] = co_await streams->with([&](auto& stream) {
      return http::async_read_some(stream, streams->buffer, *streams->parser, kTuple);
    });
    if (error == http::error::need_buffer) error = {};
    streams->lines.append({piece, sizeof(piece) - streams->parser->get().body().size});
    if (!error) continue;
    if (streams_ == streams) close();
    co_return tl::unexpected(fmt::format("{}: {}", endpoint_.text(), error.message()));
  }
}

}  // namespace sm::etcd
