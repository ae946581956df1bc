#pragma once
// Connections between managers as streams of bytes: TLS in the daemon, simulated links in tests.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace sm::peers {

struct PeerAddress {
  std::string host{};  // a name or an address without brackets; "*" to listen at all
  std::uint16_t port = 0;
  /// So many ports are tried in turn, from `port` on in steps of kPortStep: managers of one host
  /// listen at the first one that is free, and others find them there.
  unsigned ports = 1;
  bool operator==(const PeerAddress&) const = default;
};
/// Names the first port.
std::string to_text(const PeerAddress& address);

/// The ports of other subnets lie between: the last digit of a subnet prefix has 16 values.
inline constexpr unsigned kPortStep = 16;
/// Returns the address with the port at this place, below address.ports, alone.
inline PeerAddress at_port(const PeerAddress& address, unsigned place) {
  return {.host = address.host,
          .port = static_cast<std::uint16_t>(address.port + kPortStep * place),
          .ports = 1};
}

/// One read() and one write() may run at a time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Waits for some bytes, at most 64 KiB. Errors: why the stream ended.
  virtual boost::asio::awaitable<tl::expected<std::string, std::string>> read() = 0;
  /// Waits until the bytes are on their way; false: the stream ended.
  virtual boost::asio::awaitable<bool> write(std::string bytes) = 0;
  /// Ends calls that wait.
  virtual void close() = 0;
  virtual std::string remote() const = 0;  // the other end's address
};

/// The result of an attempt to connect. Errors: one line.
using NewStream = tl::expected<std::shared_ptr<ByteStream>, std::string>;

class Transport {
 public:
  virtual ~Transport() = default;
  /// Returns within some seconds. The other end has proved that it has the secret.
  virtual boost::asio::awaitable<NewStream> connect(PeerAddress address) = 0;
  /// Waits for a connection. Errors: who could not connect, and why; after close() any text.
  virtual boost::asio::awaitable<NewStream> accept() = 0;
  /// Ends calls that wait, and takes no more connections.
  virtual void close() = 0;
  /// Returns why other managers cannot connect, such as an address at which nothing can listen yet;
  /// "" if they can.
  virtual std::string fault() const { return {}; }
};

}  // namespace sm::peers
