#pragma once
// This file speaks HTTP/1.1 to one endpoint at a time, plain or over TLS.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "config/http_peer.h"

namespace sm::etcd {
using Endpoint = config::HttpEndpoint;

/// A LineBuffer splits a stream, which arrives in parts, into lines.
class LineBuffer {
 public:
  void append(std::string_view part) { text_.append(part); }

  /// Returns the next complete line, without its end. A call continues the search where the
  /// previous one stopped: a line of 64 MiB arrives in thousands of parts.
  std::optional<std::string> next() {
    const std::size_t end = text_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = text_.size();
      return std::nullopt;
    }
    std::string line = text_.substr(begin_, end - begin_);
    begin_ = searched_ = end + 1;
    // Erases the returned lines only once they are most of the text, so that each byte moves a few
    // times at most.
    if (begin_ > text_.size() / 2) {
      text_.erase(0, begin_);
      begin_ = searched_ = 0;
    }
    return line;
  }

  /// Counts the bytes that next() has not returned.
  std::size_t size() const { return text_.size() - begin_; }
  std::string take_rest() {
    std::string rest = text_.substr(begin_);
    text_.clear();
    begin_ = searched_ = 0;
    return rest;
  }

 private:
  std::string text_;
  std::size_t begin_ = 0, searched_ = 0;
};

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
