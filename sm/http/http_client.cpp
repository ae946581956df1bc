#include "sm/http/http_client.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <tuple>
#include <variant>

#include "mad/format.h"

namespace sm {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

namespace {

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kLineBytesMax = std::size_t{64} << 20;
constexpr std::size_t kErrorBodyMax = 4096;

using Plain = beast::tcp_stream;
using Secure = beast::ssl_stream<beast::tcp_stream>;
using Local = beast::basic_stream<asio::local::stream_protocol>;

http::request<http::string_body> make_message(HttpRequest request) {
  constexpr unsigned kHttp11 = 11;
  http::request<http::string_body> message;
  message.version(kHttp11);
  message.method_string(request.method);
  message.target(request.target);
  for (const auto& [name, value] : request.fields) message.set(name, value);
  if (!request.body.empty()) message.set(http::field::content_type, "application/json");
  message.body() = std::move(request.body);
  message.prepare_payload();
  return message;
}

tl::unexpected<HttpError> give_up(std::string text, beast::error_code code = {}) {
  return tl::unexpected(HttpError{.text = std::move(text), .code = code});
}

}  // namespace

/// Holds the stream of an open connection.
struct HttpClient::Streams {
  template <class Stream, class... Arguments>
  explicit Streams(std::in_place_type_t<Stream> kind, Arguments&&... arguments)
      : stream(kind, std::forward<Arguments>(arguments)...) {}

  std::variant<Plain, Secure, Local> stream;
  beast::flat_buffer buffer;
  std::optional<http::response_parser<http::buffer_body>> parser;  // of a stream of lines
  LineBuffer lines;

  /// Calls `operation` with the stream.
  template <class Operation>
  auto with(Operation operation) {
    return std::visit(operation, stream);
  }
  /// Precondition: the stream is not a Unix socket.
  Plain& tcp() {
    Secure* const secure = std::get_if<Secure>(&stream);
    return secure != nullptr ? secure->next_layer() : std::get<Plain>(stream);
  }
  void close() {
    beast::error_code ignored;
    with([&](auto& each) { beast::get_lowest_layer(each).socket().close(ignored); });
  }
  /// Bounds what begins from now on; 0: no bound.
  void expire_after(std::chrono::milliseconds time) {
    with([&](auto& each) {
      if (time.count() == 0)
        beast::get_lowest_layer(each).expires_never();
      else
        beast::get_lowest_layer(each).expires_after(time);
    });
  }
};

HttpClient::HttpClient(asio::any_io_executor executor, asio::ssl::context& tls, HttpLimits limits)
    : executor_(std::move(executor)), tls_(&tls), limits_(limits) {}
HttpClient::HttpClient(asio::local::stream_protocol::socket socket, HttpLimits limits)
    : streams_(std::make_shared<Streams>(std::in_place_type<Local>, std::move(socket))),
      limits_(limits),
      server_("Unix socket") {}
HttpClient::~HttpClient() { close(); }

void HttpClient::close() {
  if (const std::shared_ptr<Streams> streams = std::exchange(streams_, nullptr)) streams->close();
}

void HttpClient::close(const std::shared_ptr<Streams>& streams) {
  if (streams_ == streams) close();
}

tl::unexpected<HttpError> HttpClient::failure(const std::shared_ptr<Streams>& streams,
                                              std::string_view step,
                                              const boost::system::error_code& error) {
  close(streams);
  return give_up(fmt::format("{}: {}: {}", server_, step, error.message()), error);
}

asio::awaitable<HttpResult<void>> HttpClient::connect(config::HttpEndpoint server) {
  if (streams_ && server.text() == server_) co_return HttpResult<void>();
  close();
  server_ = server.text();
  const auto streams = server.tls
                           ? std::make_shared<Streams>(std::in_place_type<Secure>, executor_, *tls_)
                           : std::make_shared<Streams>(std::in_place_type<Plain>, executor_);
  streams_ = streams;
  asio::ip::tcp::resolver resolver(executor_);
  const std::string port = std::to_string(server.port);
  const auto [unresolved, addresses] = co_await resolver.async_resolve(server.host, port, kTuple);
  if (unresolved) co_return failure(streams, "resolve", unresolved);
  if (streams_ != streams) co_return failure(streams, "connect", asio::error::operation_aborted);
  if (limits_.only_private && !server.tls &&
      !std::ranges::all_of(addresses, [](const auto& address) {
        return address.endpoint().address().is_loopback();
      })) {
    close(streams);
    co_return give_up(server_ + ": others can read what is sent there");
  }
  streams->expire_after(limits_.connect);
  const auto [unconnected, address] = co_await streams->tcp().async_connect(addresses, kTuple);
  if (unconnected) co_return failure(streams, "connect", unconnected);
  beast::error_code ignored;
  streams->tcp().socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  if (auto* const secure = std::get_if<Secure>(&streams->stream)) {
    // Several servers may share an address; the certificate must be for this name.
    SSL_set_tlsext_host_name(secure->native_handle(), server.host.c_str());
    secure->set_verify_callback(asio::ssl::host_name_verification(server.host));
    const auto [refused] = co_await secure->async_handshake(asio::ssl::stream_base::client, kTuple);
    if (refused) co_return failure(streams, "TLS", refused);
  }
  streams->expire_after({});
  co_return HttpResult<void>();
}

/// Sends a request without reading its answer. `streams` may be null: not connected.
asio::awaitable<HttpResult<void>> HttpClient::send(std::shared_ptr<Streams> streams,
                                                   HttpRequest request) {
  if (!streams) co_return give_up(server_ + ": not connected");
  const std::string target = request.target;
  const http::request<http::string_body> message = make_message(std::move(request));
  http::request_serializer<http::string_body> serializer(message);
  streams->expire_after(limits_.call);
  while (!serializer.is_done()) {
    if (limits_.silence.count() > 0) streams->expire_after(limits_.silence);
    const auto [error, sent] = co_await streams->with(
        [&](auto& stream) { return http::async_write_some(stream, serializer, kTuple); });
    // A server may have answered before the end of the request. A Unix socket still has its answer.
    if (error == asio::error::broken_pipe && std::holds_alternative<Local>(streams->stream)) break;
    if (error) co_return failure(streams, target, error);
  }
  co_return HttpResult<void>();
}

asio::awaitable<HttpResult<HttpAnswer>> HttpClient::exchange(HttpRequest request) {
  const std::shared_ptr<Streams> streams = streams_;
  const std::string target = request.target;
  if (auto sent = co_await send(streams, std::move(request)); !sent)
    co_return tl::unexpected(std::move(sent.error()));
  http::response_parser<http::string_body> parser;
  parser.body_limit(limits_.body_bytes);
  parser.eager(true);
  while (!parser.is_done()) {
    if (limits_.silence.count() > 0) streams->expire_after(limits_.silence);
    const auto [unread, received] = co_await streams->with([&](auto& stream) {
      return http::async_read_some(stream, streams->buffer, parser, kTuple);
    });
    if (unread) co_return failure(streams, target, unread);
  }
  streams->expire_after({});
  if (!parser.get().keep_alive()) close(streams);
  co_return HttpAnswer{.status = parser.get().result_int(),
                       .reason = std::string(parser.get().reason()),
                       .body = std::move(parser.get().body())};
}

asio::awaitable<HttpResult<HttpAnswer>> HttpClient::open_stream(HttpRequest request) {
  const std::shared_ptr<Streams> streams = streams_;
  const std::string target = request.target;
  if (auto sent = co_await send(streams, std::move(request)); !sent)
    co_return tl::unexpected(std::move(sent.error()));
  streams->parser.emplace();
  streams->parser->body_limit(boost::none);
  const auto [unread, received] = co_await streams->with([&](auto& stream) {
    return http::async_read_header(stream, streams->buffer, *streams->parser, kTuple);
  });
  if (unread) co_return failure(streams, target, unread);
  HttpAnswer answer{.status = streams->parser->get().result_int()};
  if (answer.status != 200) {
    if (auto line = co_await next_line()) answer.body = line->substr(0, kErrorBodyMax);
    close(streams);
    co_return answer;
  }
  streams->expire_after({});
  co_return answer;
}

asio::awaitable<HttpResult<std::string>> HttpClient::next_line() {
  const std::shared_ptr<Streams> streams = streams_;
  if (!streams || !streams->parser) co_return give_up("no stream is open");
  for (;;) {
    if (auto line = streams->lines.next()) co_return std::move(*line);
    if (streams->parser->is_done() || streams->lines.size() > kLineBytesMax) {
      std::string rest = streams->lines.take_rest();
      if (!rest.empty() && rest.size() <= kErrorBodyMax) co_return rest;  // of an error
      close(streams);
      co_return give_up(server_ + ": the stream ended");
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
    close(streams);
    co_return give_up(fmt::format("{}: {}", server_, error.message()), error);
  }
}

}  // namespace sm
