#include "sm/daemon/shared_store.h"

#include <fmt/format.h>
#include <filesystem>
#include <string_view>
#include <utility>

#include "config/http_peer.h"
#include "sm/store/atomic_file.h"
#include "sm/store/etcd/etcd_store.h"

namespace sm {
namespace {

constexpr std::string_view kTermFile = "state-store";

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

}  // namespace

tl::expected<std::shared_ptr<StateReplica>, std::string> make_replica(
    mad::Runtime& runtime, const config::Options& options, mad::Guid port_guid) {
  if (options.state_store == "files") return nullptr;
  if (options.state_store == "peers")
    return tl::unexpected(std::string("state_store peers is not part of this build"));
  const auto secret = secret_of_records(options);
  if (!secret) return tl::unexpected(secret.error());
  OpenedStore store = open_etcd(runtime, options);
  if (!store) return tl::unexpected(std::move(store.error()));
  return StateReplica::start(
      runtime, std::move(*store),
      StateReplica::Settings{
          .prefix =
              fmt::format("{}/{:016x}/", options.etcd_prefix, std::uint64_t{options.subnet_prefix}),
          .seal = RecordSeal(*secret),
          .port_guid = port_guid,
          .term_file = std::filesystem::path(options.cache_files_dir) / kTermFile});
}

}  // namespace sm
