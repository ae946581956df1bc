#include "sm/ops/web/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>

#include "config/file_reader.h"

namespace sm::web {
namespace ssl = boost::asio::ssl;

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

}  // namespace sm::web
