#pragma once
// Bounds on the cost of clients of the HTTP server.

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "sm/ops/web/client_shares.h"
#include "sm/ops/web/token_buckets.h"

namespace sm::web {

struct Limits {
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{1} << 20;       // ib-kubernetes sends hundreds of GUIDs
  std::size_t bodies_bytes = std::size_t{64} << 20;    // of all requests that are being read
  std::size_t answers_bytes = std::size_t{256} << 20;  // of all answers that are being sent
  std::size_t connections = 2048;                      // over TCP; a Unix socket has as many
  std::size_t connections_per_address = 1024;          // of IPv6: per /64
  std::size_t connections_before_login = 256;          // of these, without a login so far
  std::size_t connections_of_control = 128;            // of the control socket of a manager
  std::size_t handlers = 64;                           // requests that are being answered
  ClientShares::Bounds streams{
      .all = 128, .of_user = 64, .of_address = 64};    // answers in parts, such as long lists
  Rate requests{.per_second = 2000, .burst = 4000};    // of an address, and of a user
  Rate failed_logins{.per_second = 0.5, .burst = 10};  // of an address as one user
  Rate failed_logins_of_address{.per_second = 2, .burst = 256};  // as any users
  Rate failed_logins_of_user{.per_second = 1, .burst = 50};  // from all addresses; beyond: slower
  std::chrono::milliseconds login_delay{10'000};             // how much slower at most
  std::size_t logins_waiting = 256;                          // for argon2
  std::chrono::milliseconds header_time{10'000};         // from the first byte, or TLS, to the last
  std::chrono::milliseconds idle_time{75'000};           // between requests of a connection
  std::size_t bytes_per_second = std::size_t{16} << 10;  // slower bodies and readers are ended
  std::chrono::milliseconds grace{10'000};               // which that begins with
  std::chrono::milliseconds chunk_time{30'000};          // in which a client takes a chunk
};

/// Returns limits for a process with this number of descriptors: a quarter for connections over TCP
/// and a quarter for Unix sockets. The rest remains for ports, files, the control socket.
constexpr Limits limits_within(std::size_t descriptors) {
  constexpr std::size_t kConnectionsMin = 16;
  Limits limits;
  limits.connections = std::min(limits.connections, std::max(kConnectionsMin, descriptors / 4));
  return limits;
}

}  // namespace sm::web
