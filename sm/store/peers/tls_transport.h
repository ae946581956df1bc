#pragma once
// Connections between managers by TLS 1.3 over TCP. Both ends prove that they have the secret, or
// a certificate of the authority that signs those of managers.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "mad/runtime.h"
#include "sm/store/peers/byte_stream.h"

namespace sm::peers {

/// Files in PEM. `ca` signs certificates of managers alone: names in them are not compared.
struct CertificateFiles {
  std::filesystem::path certificate{}, key{}, ca{};
};

struct TlsSettings {
  std::uint64_t subnet_prefix = 0;
  std::string secret{};
  std::optional<CertificateFiles> certificates{};  // used instead of the secret
  std::vector<PeerAddress> listen{};               // port 0: any, for tests
};

class TlsTransport : public Transport {
 public:
  /// Returns the ports that it listens at until now.
  virtual std::vector<std::uint16_t> ports() const = 0;
};

/// Errors: no secret, or a file that cannot be used. An address at which nothing can listen is a
/// fault(), and is tried again each second. Certificates are read again for each connection.
tl::expected<std::unique_ptr<TlsTransport>, std::string> make_tls_transport(mad::Runtime& runtime,
                                                                            TlsSettings settings);

}  // namespace sm::peers
