#pragma once
// A connection of any kind: TCP, TLS, Unix.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "sm/ops/web/token_buckets.h"

namespace sm::web {

using TlsContext = boost::asio::ssl::context;

/// For a server: TLS 1.2 or newer, ciphers with forward secrecy and authentication, no
/// renegotiation, no compression, HTTP/1.1 by ALPN. `key`: only its owner, and members of its
/// group, may read it. Errors: one line with the file and the reason, also where the key is not of
/// the certificate.
tl::expected<std::shared_ptr<TlsContext>, std::string> make_tls_context(const std::string& cert,
                                                                        const std::string& key);

using Socket = boost::asio::generic::stream_protocol::socket;

/// All members on the executor of the socket. What takes longer than until expires_at() fails.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void expires_at(Clock::time_point time) = 0;
  virtual boost::asio::awaitable<boost::system::error_code> handshake() = 0;
  /// The number of bytes; 0: it has ended.
  virtual boost::asio::awaitable<std::size_t> read(boost::asio::mutable_buffer into) = 0;
  /// All of it, one after the other. False: it has ended.
  virtual boost::asio::awaitable<bool> write(std::string_view head, std::string_view body) = 0;
  /// No more is written; the client may still send.
  virtual boost::asio::awaitable<void> finish() = 0;
  /// Ends what is going on.
  virtual void close() = 0;
  /// Returns when the client has left; whether it sends until then does not matter.
  virtual boost::asio::awaitable<void> left() = 0;
  virtual bool is_open() const = 0;
};

/// Without a context: without TLS.
std::unique_ptr<Connection> make_connection(Socket socket, std::shared_ptr<TlsContext> tls);

}  // namespace sm::web
