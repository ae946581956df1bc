#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <tl/expected.hpp>

namespace sm::web {

using TlsContext = boost::asio::ssl::context;

/// For a server: TLS 1.2 or newer, ciphers with forward secrecy and authentication, no
/// renegotiation, no compression, HTTP/1.1 by ALPN. `key`: only its owner, and members of its
/// group, may read it. Errors: one line with the file and the reason, also where the key is not of
/// the certificate.
tl::expected<std::shared_ptr<TlsContext>, std::string> make_tls_context(const std::string& cert,
                                                                        const std::string& key);

}  // namespace sm::web
