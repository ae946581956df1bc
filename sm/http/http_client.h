#pragma once
// An HTTP/1.1 client of one server at a time: over TCP, TLS or a Unix socket.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "config/http_peer.h"

namespace sm {

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

/// Holds names and values of header fields.
using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET", target = {};
  HttpFields fields = {};  // fields that describe the body are added
  std::string body = {};   // JSON; "" sends no body
};

struct HttpAnswer {
  unsigned status = 0;
  std::string reason = {}, body = {};
};

struct HttpError {
  std::string text = {};                // names the server, the step and the reason
  boost::system::error_code code = {};  // 0: the client itself gave up
};
template <class Value>
using HttpResult = tl::expected<Value, HttpError>;

/// Bounds a connection. A time of 0 does not bound anything; after a time-out the code is
/// boost::beast::error::timeout.
struct HttpLimits {
  std::chrono::milliseconds connect = {};  // a connection with its TLS
  std::chrono::milliseconds call = {};     // a request and its answer
  std::chrono::milliseconds silence = {};  // while the server neither takes nor sends a byte
  std::uint64_t body_bytes = std::uint64_t{64} << 20;
  /// Does not connect without TLS unless all addresses of the server are of this machine. A name
  /// does not decide it: any name may have an address of this machine, or of another one.
  bool only_private = false;
};

/// Calls must not overlap. An error closes the connection.
class HttpClient {
 public:
  /// `tls` must outlive the client.
  HttpClient(boost::asio::any_io_executor executor, boost::asio::ssl::context& tls,
             HttpLimits limits);
  /// Uses a socket that is connected.
  HttpClient(boost::asio::local::stream_protocol::socket socket, HttpLimits limits);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Connects, unless the connection to this server is open.
  boost::asio::awaitable<HttpResult<void>> connect(config::HttpEndpoint server);
  /// Sends a request and returns its answer.
  boost::asio::awaitable<HttpResult<HttpAnswer>> exchange(HttpRequest request);
  /// Sends a request whose answer is a stream of lines, and reads the header of the answer. With
  /// another status than 200, returns the beginning of the body, too.
  boost::asio::awaitable<HttpResult<HttpAnswer>> open_stream(HttpRequest request);
  /// Returns the next line, without limit of time. Errors: the stream has ended.
  boost::asio::awaitable<HttpResult<std::string>> next_line();
  /// Ends all waiting calls with an error.
  void close();
  bool is_open() const { return streams_ != nullptr; }

 private:
  struct Streams;
  boost::asio::awaitable<HttpResult<void>> send(std::shared_ptr<Streams> streams,
                                                HttpRequest request);
  /// Closes the connection if it is still `streams`.
  void close(const std::shared_ptr<Streams>& streams);
  tl::unexpected<HttpError> failure(const std::shared_ptr<Streams>& streams, std::string_view step,
                                    const boost::system::error_code& error);
  std::shared_ptr<Streams> streams_;  // shared with what waits
  boost::asio::any_io_executor executor_;
  boost::asio::ssl::context* tls_ = nullptr;  // null: a Unix socket
  HttpLimits limits_;
  std::string server_;
};

}  // namespace sm
