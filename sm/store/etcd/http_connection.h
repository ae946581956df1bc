#pragma once
// This file speaks HTTP/1.1 to one endpoint at a time, plain or over TLS.

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

/// Calls must not overlap. Every call ends after its time-out; the connection is closed then, and
/// the next call opens it again.
class HttpConnection {
 public:
  static constexpr std::chrono::seconds kConnectTimeout{2}, kTimeout{3};
  static constexpr std::size_t kAnswerBytesMax = std::size_t{64} << 20;

  /// `tls` must outlive the connection.
  HttpConnection(boost::asio::any_io_executor executor, boost::asio::ssl::context& tls);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  /// Connects, unless the connection to this endpoint is open. Errors: what failed, in words.
  boost::asio::awaitable<tl::expected<void, std::string>> connect(Endpoint endpoint);
  /// Sends a POST of JSON and returns its answer. The caller has called connect() before.
  boost::asio::awaitable<tl::expected<HttpAnswer, std::string>> post(std::string target,
                                                                     std::string token,
                                                                     std::string body);
  /// Sends a POST whose answer is a stream of lines, and reads the header of the answer. With
  /// another status than 200, returns the beginning of the body, too.
  boost::asio::awaitable<tl::expected<HttpAnswer, std::string>> open_stream(std::string target,
                                                                            std::string token,
                                                                            std::string body);
  /// Returns the next line, without limit of time. Errors: the stream has ended.
  boost::asio::awaitable<tl::expected<std::string, std::string>> next_line();
  /// Ends all waiting calls with an error.
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
