#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "config/http_peer.h"
#include "sm/store/replica/state_store.h"

namespace sm::etcd {

inline constexpr std::uint16_t kDefaultPort = 2379;

struct EtcdSettings {
  std::vector<config::HttpEndpoint> endpoints;  // at least one; tried in turn
  std::string user;                             // empty: no authentication
  std::string password_file;  // read at each authentication; only its owner may read it
  std::string ca_file;        // empty: the system's certificate authorities
  // These limits bound one transaction, below etcd's defaults (--max-txn-ops 128,
  // --max-request-bytes 1.5 MiB, without base64).
  std::size_t operations_max = 128;
  std::size_t bytes_max = std::size_t{1} << 20;
};

/// Uses etcd v3 through its JSON gateway. Every call ends after some seconds.
class EtcdStore final : public StateStore {
 public:
  /// Errors: the CA file cannot be read.
  static tl::expected<std::shared_ptr<EtcdStore>, std::string> create(
      boost::asio::any_io_executor executor, EtcdSettings settings);
  ~EtcdStore() override;

  boost::asio::awaitable<StoreResult<StoreContent>> read(std::string prefix) override;
  boost::asio::awaitable<StoreResult<StoreRevision>> commit(
      StoreGuard guard, std::vector<StoreChange> changes) override;
  boost::asio::awaitable<StoreResult<StoreEvents>> watch(std::string prefix,
                                                         StoreRevision after) override;
  boost::asio::awaitable<StoreResult<StoreLease>> grant(std::chrono::seconds life) override;
  boost::asio::awaitable<StoreResult<bool>> keep_alive(StoreLease lease) override;
  void stop() override;

 private:
  class Line;
  struct Stream;
  EtcdStore(boost::asio::any_io_executor executor, EtcdSettings settings);
  boost::asio::awaitable<StoreResult<void>> open_watch(std::string prefix, StoreRevision after);
  static boost::asio::awaitable<void> read_stream(std::shared_ptr<Stream> stream);

  boost::asio::any_io_executor executor_;
  EtcdSettings settings_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
  // Calls, probes and reads have a connection each; a watch has its own. Probes test whether the
  // store still answers.
  std::unique_ptr<Line> calls_, probes_, reads_;
  std::shared_ptr<Stream> stream_;
  bool stopped_ = false;
};

}  // namespace sm::etcd
