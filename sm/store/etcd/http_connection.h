#pragma once
// HTTP/1.1 to one endpoint at a time, plain or by TLS.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "config/http_peer.h"

namespace sm::etcd {

using Endpoint = config::HttpEndpoint;
inline constexpr std::uint16_t kDefaultPort = 2379;

struct HttpAnswer {
  unsigned status = 0;
  std::string body;
};

/// Calls do not overlap. Every call ends after its time-out; the connection is closed then, and
/// opened again by the next call.
class HttpConnection {
 public:
  static constexpr std::chrono::seconds kConnectTimeout{2}, kTimeout{3};
  static constexpr std::size_t kAnswerBytesMax = std::size_t{64} << 20;

  /// `tls` outlives it.
  HttpConnection(boost::asio::any_io_executor executor, boost::asio::ssl::context& tls);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Connects if it is not connected to this endpoint. Errors: what failed, in words.
  boost::asio::awaitable<tl::expected<void, std::string>> connect(Endpoint endpoint);
  /// A POST of JSON and its answer. `connect()` came before.
  boost::asio::awaitable<tl::expected<HttpAnswer, std::string>> post(std::string target,
                                                                     std::string token,
                                                                     std::string body);
  /// A POST whose answer is a stream of lines: up to its header. Of another status than 200 the
  /// beginning of the body is returned, too.
  boost::asio::awaitable<tl::expected<HttpAnswer, std::string>> open_stream(std::string target,
                                                                            std::string token,
                                                                            std::string body);
  /// The next line, without limit of time. Errors: the stream ended.
  boost::asio::awaitable<tl::expected<std::string, std::string>> next_line();
  /// Whatever waits ends with an error.
  void close();
  bool is_open() const;

 private:
  struct Streams;
  struct Body;
  boost::asio::awaitable<tl::expected<void, std::string>> send(std::shared_ptr<Streams> streams,
                                                               std::string target,
                                                               std::string token, std::string body);
  std::string failure(const Streams& streams, std::string_view target,
                      const boost::system::error_code& error);
  std::shared_ptr<Streams> streams_;  // shared with what waits
  boost::asio::any_io_executor executor_;
  boost::asio::ssl::context& tls_;
  Endpoint endpoint_;
};

}  // namespace sm::etcd
