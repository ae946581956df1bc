#include "sm/daemon/state_store.h"

#include <filesystem>

#include "mad/format.h"
#include "sm/store/atomic_file.h"
#include "sm/store/etcd/etcd_store.h"

namespace sm {
namespace {

constexpr std::string_view kTermFile = "state-store";

/// Managers of a subnet have the same one.
tl::expected<std::string, std::string> secret_of(const config::Options& options) {
  if (options.state_store_key_file.empty()) return fmt::format("{:016x}", options.sm_key);
  auto secret = read_secret_file(options.state_store_key_file);
  if (secret && secret->empty())
    return tl::unexpected(fmt::format("{} is empty", options.state_store_key_file));
  return secret;
}

}  // namespace

tl::expected<std::unique_ptr<StateReplica>, std::string> make_replica(
    mad::Runtime& runtime, const config::Options& options, mad::Guid port_guid) {
  if (options.state_store != "etcd") return nullptr;
  const auto secret = secret_of(options);
  if (!secret) return tl::unexpected(secret.error());
  etcd::EtcdSettings settings{.endpoints = {},
                              .user = options.etcd_user,
                              .password_file = options.etcd_password_file,
                              .ca_file = options.etcd_ca_file};
  for (const std::string& url : options.etcd_endpoints) {
    const auto endpoint = etcd::parse_endpoint(url);
    if (!endpoint)
      return tl::unexpected(fmt::format("etcd_endpoints: '{}' is no http or https URL", url));
    settings.endpoints.push_back(*endpoint);
  }
  // Read again at each authentication; an operator learns at the start what is wrong with it.
  if (!options.etcd_user.empty()) {
    if (const auto password = read_secret_file(options.etcd_password_file); !password)
      return tl::unexpected(password.error());
  }
  if (settings.endpoints.empty()) return tl::unexpected(std::string("etcd_endpoints is empty"));
  auto store = etcd::EtcdStore::create(runtime.executor(), std::move(settings));
  if (!store) return tl::unexpected(std::move(store.error()));
  return std::make_unique<StateReplica>(
      runtime, std::move(*store),
      StateReplica::Settings{
          .prefix = fmt::format("{}/{:016x}/", options.etcd_prefix, options.subnet_prefix),
          .seal = RecordSeal(*secret),
          .port_guid = port_guid,
          .term_file = std::filesystem::path(options.cache_files_dir) / kTermFile});
}

}  // namespace sm
