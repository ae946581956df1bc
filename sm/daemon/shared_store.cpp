#include "sm/daemon/shared_store.h"

#include <fmt/format.h>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "config/file_reader.h"
#include "config/http_peer.h"
#include "config/secret_files.h"
#include "sm/store/atomic_file.h"
#include "sm/store/etcd/etcd_store.h"

namespace sm {
namespace {

constexpr std::string_view kTermFile = "state-store", kCopyFile = "peer-store";

/// A manager that moves from etcd to peers has seen later terms there: keys of peers differ.
constexpr std::string_view kPrefixOfPeers = "/peers", kSealOfPeers = "state_store peers",
                           kDigestsOfPeers = "heddle peers, digests of options";

using OpenedStore = tl::expected<std::shared_ptr<StateStore>, std::string>;

/// Returns what authenticates records in etcd: a secret that all managers of a subnet share.
tl::expected<std::string, std::string> secret_of_records(const config::Options& options) {
  if (options.state_store_key_file.empty()) return fmt::format("{:016x}", options.sm_key);
  auto secret = read_secret_file(options.state_store_key_file);
  if (secret && secret->empty())
    return tl::unexpected(fmt::format("{} is empty", options.state_store_key_file));
  return secret;
}

OpenedStore open_etcd(mad::Runtime& runtime, const config::Options& options) {
  etcd::EtcdSettings settings{.endpoints = {},
                              .user = options.etcd_user,
                              .password_file = options.etcd_password_file,
                              .ca_file = options.etcd_ca_file};
  for (const std::string& url : options.etcd_endpoints) {
    if (auto endpoint =
            config::parse_http_endpoint(url, etcd::kDefaultPort))  // check.cpp refuses others
      settings.endpoints.push_back(std::move(*endpoint));
  }
  // Each authentication reads the file again; this check reports its defects to an operator at the
  // start.
  if (!options.etcd_user.empty()) {
    if (const auto password = read_secret_file(options.etcd_password_file); !password)
      return tl::unexpected(password.error());
  }
  if (settings.endpoints.empty()) return tl::unexpected(std::string("etcd_endpoints is empty"));
  return etcd::EtcdStore::create(runtime.executor(), std::move(settings));
}

std::vector<peers::PeerAddress> read_addresses(const config::WordList& texts, std::uint16_t port) {
  std::vector<peers::PeerAddress> addresses;
  for (const std::string& text : texts)
    if (auto address = config::parse_host_address(text, 0)) {  // check.cpp refuses others
      const bool is_usual = address->port == 0;
      addresses.push_back({.host = std::move(address->host),
                           .port = is_usual ? port : address->port,
                           .ports = is_usual ? config::Options::kStatePorts : 1});
    }
  return addresses;
}

tl::expected<std::string, std::string> secret_of_peers(const config::Options& options) {
  auto secret = read_secret_file(options.state_store_key_file);
  if (!secret) return secret;
  if (const std::string fault = config::peer_secret_fault(*secret); !fault.empty())
    return tl::unexpected(
        fmt::format("state_store_key_file {}: {}", options.state_store_key_file, fault));
  return secret;
}

OpenedStore open_peers(mad::Runtime& runtime, const config::Options& options, mad::Guid port_guid,
                       spdlog::logger& log) {
  auto settings = peer_settings(options, port_guid);
  if (!settings) return tl::unexpected(std::move(settings.error()));
  auto store = peers::PeerStore::create(runtime, std::move(*settings));
  if (!store) return tl::unexpected(std::move(store.error()));
  for (const std::string& message : (*store)->messages()) log.warn("{}", message);
  return *std::move(store);
}

}  // namespace

tl::expected<peers::PeerSettings, std::string> peer_settings(const config::Options& options,
                                                             mad::Guid port_guid) {
  peers::PeerSettings settings{.port_guid = port_guid,
                               .subnet_prefix = options.subnet_prefix,
                               .file = std::filesystem::path(options.cache_files_dir) / kCopyFile,
                               .peers = read_addresses(options.state_peers, options.state_port()),
                               .listen = read_addresses(options.state_listen, options.state_port()),
                               .fsync = options.fsync_high_avail_files,
                               .only_seen = true};
  if (settings.listen.empty())
    settings.listen.push_back(
        {.host = "*", .port = options.state_port(), .ports = config::Options::kStatePorts});
  if (!options.state_tls_cert.empty()) {
    if (const std::string fault = config::secret_file_fault(options.state_tls_key); !fault.empty())
      return tl::unexpected(fmt::format("state_tls_key {}: {}", options.state_tls_key, fault));
    settings.certificates = peers::CertificateFiles{.certificate = options.state_tls_cert,
                                                    .key = options.state_tls_key,
                                                    .ca = options.state_tls_ca};
    return settings;
  }
  auto secret = secret_of_peers(options);
  if (!secret) return tl::unexpected(std::move(secret.error()));
  settings.secret = *std::move(secret);
  return settings;
}

tl::expected<RecordSeal, std::string> digests_of_peers(const config::Options& options) {
  if (!options.state_tls_cert.empty()) return RecordSeal(kSealOfPeers);
  const auto secret = secret_of_peers(options);
  if (!secret) return tl::unexpected(secret.error());
  return RecordSeal(fmt::format("{}\n{}", kDigestsOfPeers, *secret));
}

tl::expected<std::shared_ptr<StateReplica>, std::string> make_replica(
    mad::Runtime& runtime, const config::Options& options, mad::Guid port_guid,
    spdlog::logger& log) {
  if (options.state_store == "files") return nullptr;
  const bool is_etcd = options.state_store == "etcd";
  // Peers prove to each other who they are, so records keep their seal when the secret changes.
  const auto secret = is_etcd ? secret_of_records(options) : std::string(kSealOfPeers);
  if (!secret) return tl::unexpected(secret.error());
  std::optional<RecordSeal> digests;
  if (!is_etcd) {
    const auto made = digests_of_peers(options);
    if (!made) return tl::unexpected(made.error());
    digests = *made;
  }
  OpenedStore store =
      is_etcd ? open_etcd(runtime, options) : open_peers(runtime, options, port_guid, log);
  if (!store) return tl::unexpected(std::move(store.error()));
  return StateReplica::start(
      runtime, std::move(*store),
      StateReplica::Settings{
          .prefix = fmt::format("{}/{:016x}/", is_etcd ? options.etcd_prefix : kPrefixOfPeers,
                                std::uint64_t{options.subnet_prefix}),
          .seal = RecordSeal(*secret),
          .port_guid = port_guid,
          .term_file = std::filesystem::path(options.cache_files_dir) / kTermFile,
          .digests = std::move(digests)});
}

}  // namespace sm
