#include "sm/ops/web/connection.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>

#include "config/file_reader.h"

namespace sm::web {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

constexpr const char* kCiphersOfTls12 = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL";
constexpr std::array<unsigned char, 9> kProtocols{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

std::string tls_reason() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char* const text = error != 0 ? ERR_reason_error_string(error) : nullptr;
  return text != nullptr ? text : "it is not usable";
}

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, out_size, kProtocols.data(), kProtocols.size(),
                                          offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

tl::expected<std::shared_ptr<TlsContext>, std::string> make_tls_context(const std::string& cert,
                                                                        const std::string& key) {
  const auto failed = [](const std::string& file, const std::string& why) {
    return tl::unexpected(fmt::format("{}: {}", file, why));
  };
  if (const std::string fault = config::secret_file_fault(key, true); !fault.empty())
    return failed(key, "http_tls_key: " + fault);
  auto context = std::make_shared<TlsContext>(TlsContext::tls_server);
  SSL_CTX* const native = context->native_handle();
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(
      native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  if (SSL_CTX_set_cipher_list(native, kCiphersOfTls12) != 1)
    return failed(cert, "no cipher of TLS 1.2: " + tls_reason());
  // The TLS library would wait for the end of a FIFO.
  if (const auto text = config::read_file(cert); !text)
    return failed(cert, "http_tls_cert: cannot be read: " + text.error().message());
  if (SSL_CTX_use_certificate_chain_file(native, cert.c_str()) != 1)
    return failed(cert, "http_tls_cert: no chain of certificates in PEM: " + tls_reason() +
                            "; name a file that `openssl x509 -in FILE` reads");
  // A key with a pass phrase would ask at a terminal, which a daemon does not have.
  SSL_CTX_set_default_passwd_cb(native, [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_PrivateKey_file(native, key.c_str(), SSL_FILETYPE_PEM) != 1)
    return failed(key,
                  "http_tls_key: no private key in PEM without a pass phrase that belongs to "
                  "http_tls_cert: " +
                      tls_reason());
  if (SSL_CTX_check_private_key(native) != 1)
    return failed(
        key, "http_tls_key: it does not belong to http_tls_cert; name the key of that certificate");
  return context;
}

namespace {

using PlainStream = beast::basic_stream<asio::generic::stream_protocol>;
using TlsStream = asio::ssl::stream<PlainStream>;

constexpr std::chrono::milliseconds kLeftPoll{500};

bool is_hung_up(int descriptor) {
  pollfd of{.fd = descriptor, .events = POLLRDHUP, .revents = 0};
  return descriptor < 0 || (poll(&of, 1, 0) > 0 && of.revents != 0);
}

/// Stream is read and written; plain() is the stream below it.
template <class Stream>
class ConnectionOf : public Connection {
 public:
  void expires_at(Clock::time_point time) override { plain().expires_at(time); }

  asio::awaitable<std::size_t> read(asio::mutable_buffer into) override {
    error_code error;
    const std::size_t bytes =
        co_await stream().async_read_some(into, asio::redirect_error(asio::use_awaitable, error));
    co_return error ? 0 : bytes;
  }

  asio::awaitable<bool> write(std::string_view head, std::string_view body) override {
    error_code error;
    const std::array parts{asio::const_buffer(head.data(), head.size()),
                           asio::const_buffer(body.data(), body.size())};
    co_await asio::async_write(stream(), parts, asio::redirect_error(asio::use_awaitable, error));
    co_return !error;
  }

  void close() override { plain().close(); }
  bool is_open() const override {
    return const_cast<ConnectionOf*>(this)->plain().socket().is_open();
  }

  asio::awaitable<void> left() override {
    error_code error;
    co_await plain().socket().async_wait(Socket::wait_read,
                                         asio::redirect_error(asio::use_awaitable, error));
    // The socket stays readable from now on, since it is not read: a timer checks for its end.
    asio::steady_timer timer(plain().get_executor());
    while (!error && !is_hung_up(plain().socket().native_handle())) {
      timer.expires_after(kLeftPoll);
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }

 protected:
  virtual Stream& stream() = 0;
  virtual PlainStream& plain() = 0;
};

class PlainConnection final : public ConnectionOf<PlainStream> {
 public:
  explicit PlainConnection(Socket socket) : stream_(std::move(socket)) {}
  asio::awaitable<error_code> handshake() override { co_return error_code(); }
  asio::awaitable<void> finish() override {
    error_code ignored;
    stream_.socket().shutdown(Socket::shutdown_send, ignored);
    co_return;
  }

 private:
  PlainStream& stream() override { return stream_; }
  PlainStream& plain() override { return stream_; }
  PlainStream stream_;
};

class TlsConnection final : public ConnectionOf<TlsStream> {
 public:
  TlsConnection(Socket socket, std::shared_ptr<TlsContext> context)
      : context_(std::move(context)), stream_(PlainStream(std::move(socket)), *context_) {}
  asio::awaitable<error_code> handshake() override {
    error_code error;
    co_await stream_.async_handshake(TlsStream::server,
                                     asio::redirect_error(asio::use_awaitable, error));
    co_return error;
  }
  asio::awaitable<void> finish() override {
    // The server does not wait for the client's close_notify: the length shows the client that the
    // answer is complete.
    SSL_set_quiet_shutdown(stream_.native_handle(), 0);
    SSL_set_shutdown(stream_.native_handle(), SSL_RECEIVED_SHUTDOWN);
    error_code ignored;
    co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
    stream_.next_layer().socket().shutdown(Socket::shutdown_send, ignored);
  }

 private:
  TlsStream& stream() override { return stream_; }
  PlainStream& plain() override { return stream_.next_layer(); }
  std::shared_ptr<TlsContext> context_;
  TlsStream stream_;
};

}  // namespace

std::unique_ptr<Connection> make_connection(Socket socket, std::shared_ptr<TlsContext> tls) {
  if (tls) return std::make_unique<TlsConnection>(std::move(socket), std::move(tls));
  return std::make_unique<PlainConnection>(std::move(socket));
}

}  // namespace sm::web
